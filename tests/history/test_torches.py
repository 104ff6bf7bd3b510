"""Recording what the library's tests say on other releases: resumable, and honest of failures."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import torches
from environment import CouldNotRunError
from torches import BETWEEN, lowest
from torches import row as ROW  # noqa: N812 -- what the fixture replaces

ONE = '<testsuites><testsuite tests="9" failures="{0}" errors="{0}" skipped="3" /></testsuites>'


HERE = f"3.{sys.version_info.minor}"
DEFAULTS = [f"{version}:{HERE}" for version in (lowest("torch"), *BETWEEN, "2.15.0")]


class Runner:
    """The script, with a file of its own and releases whose tests end at once."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.commit = "1a2b3c4"
        self.report = ONE.format(0)

    def row(self, version: str, scratch: Path) -> dict[str, Any]:
        assert scratch.is_dir()
        self.ran.append(version)
        release, _, python = version.partition(":")
        ran = {"torch": release, "python": f"{python}.1", "commit": self.commit}
        return {**ran, **torches.counted(self.report)}


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setattr(torches, "RECORDED", tmp_path / "torches.json")
    monkeypatch.setattr(torches, "newest", lambda: "2.15.0")
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    made = Runner()
    monkeypatch.setattr(torches, "row", made.row)
    monkeypatch.setattr(torches, "commit", lambda: made.commit)
    return made


def test_every_release_runs_once_for_a_commit(runner: Runner) -> None:
    for _ in range(2):
        assert torches.main([]) == 0
        assert runner.ran == DEFAULTS
    rows = json.loads(torches.RECORDED.read_text())["releases"]
    assert [(row["torch"], row["passed"]) for row in rows] == [
        (version.partition(":")[0], 6) for version in DEFAULTS
    ]


def test_it_goes_on_where_it_stopped_and_runs_a_named_release_again(runner: Runner) -> None:
    torches.main(["2.9.1"])
    torches.main([])
    first = f"2.9.1:{HERE}"
    assert runner.ran == [first, *(each for each in DEFAULTS if each != first)]
    torches.main(["2.9.1"])
    assert runner.ran[-1] == first


@pytest.mark.usefixtures("runner")
def test_another_python_is_a_row_of_its_own(tmp_path: Path) -> None:
    torches.main(["2.9.1", "2.9.1:3.99"])
    assert [*torches.load()] == [f"2.9.1:{HERE}", "2.9.1:3.99"]
    with pytest.raises(CouldNotRunError, match=r"no Python 3\.99 is here"):
        ROW("2.9.1:3.99", tmp_path)


def test_a_new_commit_of_the_library_runs_all_again(runner: Runner) -> None:
    torches.main([])
    runner.commit = "5d6e7f8"
    torches.main([])
    assert runner.ran == 2 * DEFAULTS


def test_a_failure_is_recorded_and_told(runner: Runner, capsys: pytest.CaptureFixture[str]) -> None:
    runner.report = ONE.format(2)
    assert torches.main(["2.6.0"]) == 1
    assert f"torch 2.6.0:{HERE}: 4 failed" in capsys.readouterr().out


def test_what_is_not_committed_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torches, "git", lambda *_: " M src/vtj/release.py")
    with pytest.raises(CouldNotRunError, match=r"commit these first\n M src/vtj/release.py"):
        torches.commit()


def test_a_test_that_fails_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pytest itself runs, on two tests of which one fails."""
    (tmp_path / "test_two.py").write_text("def test_a(): pass\ndef test_b(): assert False\n")
    monkeypatch.setattr(torches, "ROOT", tmp_path)
    monkeypatch.setattr(torches, "LIBRARY", ("test_two.py",))
    counts = torches.outcomes(Path(sys.executable), tmp_path / "report.xml")
    assert counts == {"passed": 1, "failed": 1, "skipped": 0}
    monkeypatch.setattr(torches, "LIBRARY", ("nowhere.py",))
    with pytest.raises(CouldNotRunError, match="did not come to an end"):
        torches.outcomes(Path(sys.executable), tmp_path / "report.xml")
