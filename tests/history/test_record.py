"""Recording old releases: resumable, clean, and careful with what it could not run."""

import ast
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import environment
import pytest
import record
from environment import CouldNotRunError, Environment, command, interpreters, releases

from vtj_site.outcomes.since import answers
from vtj_site.records.releases import questions

SCRIPTS = Path(__file__).parents[2] / "conf" / "history"


class Recorder:
    """The recorder of the history, with a file of its own and releases that answer at once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.asked: list[str] = []

    def row(self, version: str, scratch: Path) -> dict[str, Any]:
        assert scratch.is_dir()
        self.asked.append(version)
        return {"torch": version, "outcomes": {"asked": len(self.asked)}}

    def main(self, wanted: list[str]) -> None:
        environment.record(wanted, record.load, self.row, record.save)

    def recorded(self) -> dict[str, Any]:
        rows = json.loads(self.file.read_text())["releases"]
        return {row["torch"]: row["outcomes"]["asked"] for row in rows}


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setattr(record, "RECORDED", tmp_path / "history.json")
    monkeypatch.setattr(environment, "releases", lambda: ["1.0.0", "1.2.0", "1.10.0"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return Recorder(tmp_path / "history.json")


def test_every_release_is_recorded_in_order(
    recorder: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.main([])
    assert list(recorder.recorded()) == ["1.0.0", "1.2.0", "1.10.0"]
    said = capsys.readouterr().out
    assert "torch 1.2.0 (2 of 3)" in said
    assert "3 releases recorded: 1.0.0, 1.2.0, 1.10.0" in said


def test_it_goes_on_where_it_stopped_and_asks_a_named_release_again(recorder: Recorder) -> None:
    recorder.main(["1.2.0"])
    for _ in range(2):
        recorder.main([])
        assert recorder.asked == ["1.2.0", "1.0.0", "1.10.0"]
    recorder.main(["1.2.0"])
    assert recorder.recorded()["1.2.0"] == 4


def test_a_row_that_another_run_adds_meanwhile_is_kept(recorder: Recorder) -> None:
    def row(version: str, scratch: Path) -> dict[str, Any]:
        if version == "1.2.0":
            recorder.main(["1.10.0"])
        return Recorder.row(recorder, version, scratch)

    environment.record(["1.0.0", "1.2.0"], record.load, row, record.save)
    assert list(recorder.recorded()) == ["1.0.0", "1.2.0", "1.10.0"]


def test_what_cannot_be_run_is_left_as_it_was(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.main(["1.2.0"])
    before = recorder.file.read_bytes()

    def row(version: str, scratch: Path) -> dict[str, Any]:
        raise CouldNotRunError("download: no wheel")

    monkeypatch.setattr(recorder, "row", row)
    recorder.main(["1.2.0", "1.0.0"])
    assert recorder.file.read_bytes() == before
    assert "not run, its row stays as it was: download: no wheel" in capsys.readouterr().out


def test_a_stopped_run_cleans_up(tmp_path: Path) -> None:
    program = f"""
        import sys, time
        sys.path.insert(0, {str(SCRIPTS)!r})
        from environment import record

        def row(version, scratch):
            print(scratch, flush=True)
            time.sleep(60)

        record(["1.2.0"], dict, row, print)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith("torch 1.2.0")
        assert Path(running.stdout.readline().strip()).is_dir()
        running.terminate()
        assert "what was recorded is kept" in running.stderr.read()
    assert list(tmp_path.iterdir()) == []


def test_the_modules_that_ask_need_nothing_but_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        record, "ASK", f"import sys; sys.modules.update(vtj=None, vtj_site=None); {record.ASK}"
    )
    assert record.ask(Environment(Path(sys.executable), {})) == answers()
    for module in record.MODULES:
        ast.parse(module.read_text(encoding="utf-8"), feature_version=(3, 7))
    assert list(questions()) == list(answers())


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('no')", "^ask: no$"),
        ("import time; time.sleep(60)", r"^ask: not done in 0\.5 s$"),
    ],
)
def test_a_step_that_fails_or_hangs_says_which_and_why(
    code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(environment.SECONDS, "ask", 0.5)
    with pytest.raises(CouldNotRunError, match=said):
        command("ask", sys.executable, "-c", code)


def test_the_pinned_release_is_among_those_to_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert releases()[0] == "1.0.0"
    constraints = tmp_path / "constraints.txt"
    monkeypatch.setattr(environment, "CONSTRAINTS", constraints)
    constraints.write_text("torch==1.99.0\n")
    assert releases()[releases().index("1.99.0") + 1] == "2.0.1"
    constraints.write_text("numpy==2.0\n")
    with pytest.raises(ValueError, match="pins no torch: expected a line torch==VERSION"):
        releases()


def test_interpreters_come_oldest_first() -> None:
    found = interpreters()
    assert sys.executable in found.values()
    which = "import sys; print(sys.version_info[1])"
    minors = [int(command("ask", path, "-c", which)) for path in found.values()]
    assert minors == sorted(found)
    assert minors[0] >= 7
