"""Recording what the library's tests say on other releases: resumable, and honest of failures."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
ONE = '<testsuites><testsuite tests="9" failures="{}" errors="0" skipped="3" /></testsuites>'


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, with a file of its own, no git, and releases whose tests all pass at once."""
    monkeypatch.syspath_prepend(ROOT / "conf" / "history")
    for name in ("environment", "torches"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import torches

    torches.run, torches.now, torches.report = [], "1a2b3c4", ONE.format(0)

    def row(version: str, scratch: Path) -> dict[str, Any]:
        torches.run.append(version)
        counts = torches.counted(torches.report)
        return {"torch": version, "commit": torches.now, **counts}

    monkeypatch.setattr(torches, "RECORDED", tmp_path / "torches.json")
    monkeypatch.setattr(torches, "row", row)
    monkeypatch.setattr(torches, "commit", lambda: torches.now)
    monkeypatch.setattr(torches, "newest", lambda: "2.15.0")
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return torches


def defaults(runner: Any) -> list[str]:
    return [runner.lowest("torch"), *runner.BETWEEN, "2.15.0"]


def test_every_release_runs_once_for_a_commit(runner: Any) -> None:
    for _ in range(2):
        assert runner.main([]) == 0
        assert runner.run == defaults(runner)
    rows = json.loads(runner.RECORDED.read_text())["releases"]
    assert [(row["torch"], row["passed"]) for row in rows] == [(v, 6) for v in runner.run]


def test_it_goes_on_where_it_stopped_and_runs_a_named_release_again(runner: Any) -> None:
    runner.main(["2.9.1"])
    runner.main([])
    assert runner.run == ["2.9.1", *(each for each in defaults(runner) if each != "2.9.1")]
    runner.main(["2.9.1"])
    assert runner.run[-1] == "2.9.1"


def test_a_new_commit_of_the_library_runs_all_again(runner: Any) -> None:
    runner.main([])
    runner.now = "5d6e7f8"
    runner.main([])
    assert runner.run == 2 * defaults(runner)


def test_a_failure_is_recorded_and_told(runner: Any, capsys: pytest.CaptureFixture[str]) -> None:
    runner.report = ONE.format(2)
    assert runner.main(["2.6.0"]) == 1
    assert "torch 2.6.0: 2 failed" in capsys.readouterr().out


def test_what_is_not_committed_is_not_recorded(
    runner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(runner, "git", lambda *_: " M src/vtj/release.py")
    with pytest.raises(runner.CouldNotRunError, match=r"commit these first\n M src/vtj/release.py"):
        runner.commit()


def test_a_test_that_fails_here_is_counted(
    runner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pytest itself runs, on two tests of which one fails."""
    (tmp_path / "test_two.py").write_text("def test_a(): pass\ndef test_b(): assert False\n")
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "LIBRARY", ("test_two.py",))
    counts = runner.tested(Path(sys.executable), tmp_path / "report.xml")
    assert counts == {"passed": 1, "failed": 1, "skipped": 0}
    monkeypatch.setattr(runner, "LIBRARY", ("nowhere.py",))
    with pytest.raises(runner.CouldNotRunError, match="did not come to an end"):
        runner.tested(Path(sys.executable), tmp_path / "report.xml")
