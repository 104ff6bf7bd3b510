"""Recording old releases: resumable, clean, and careful with what it could not run."""

import ast
import importlib.util
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from vtj_site.outcomes.since import answers
from vtj_site.records.releases import questions

SCRIPT = Path(__file__).parents[2] / "conf" / "history" / "record.py"


@pytest.fixture
def script() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("record", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def recorder(script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, with a file of its own and releases that answer at once."""
    asked: list[str] = []

    def row(version: str, scratch: Path) -> dict[str, object]:
        assert scratch.is_dir()
        asked.append(version)
        return {"torch": version, "outcomes": {"asked": len(asked)}}

    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "RECORDED", tmp_path / "history.json")
    monkeypatch.setattr(script, "releases", lambda: ["1.0.0", "1.2.0", "1.10.0"])
    monkeypatch.setattr(script, "row", row)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    script.asked = asked
    return script


def recorded(module: Any) -> dict[str, Any]:
    rows = json.loads(module.RECORDED.read_text())["releases"]
    return {row["torch"]: row["outcomes"]["asked"] for row in rows}


def test_every_release_is_recorded_in_order(
    recorder: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.main([])
    assert list(recorded(recorder)) == ["1.0.0", "1.2.0", "1.10.0"]
    said = capsys.readouterr().out
    assert "torch 1.2.0 (2 of 3)" in said
    assert "3 releases recorded: 1.0.0, 1.2.0, 1.10.0" in said


def test_it_goes_on_where_it_stopped_and_asks_a_named_release_again(recorder: Any) -> None:
    recorder.main(["1.2.0"])
    for _ in range(2):
        recorder.main([])
        assert recorder.asked == ["1.2.0", "1.0.0", "1.10.0"]
    recorder.main(["1.2.0"])
    assert recorded(recorder)["1.2.0"] == 4


def test_what_cannot_be_run_is_left_as_it_was(
    recorder: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder.main(["1.2.0"])
    before = recorder.RECORDED.read_bytes()

    def row(version: str, scratch: Path) -> dict[str, object]:
        raise recorder.CouldNotRunError("download: no wheel")

    monkeypatch.setattr(recorder, "row", row)
    recorder.main(["1.2.0", "1.0.0"])
    assert recorder.RECORDED.read_bytes() == before
    assert "not run, its row stays as it was: download: no wheel" in capsys.readouterr().out


def test_a_stopped_run_cleans_up(tmp_path: Path) -> None:
    program = f"""
        import sys, time
        sys.path.insert(0, {str(SCRIPT.parent)!r})
        import record

        def row(version, scratch):
            print(scratch, flush=True)
            time.sleep(60)

        record.row = row
        record.main(["1.2.0"])
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


def test_the_modules_that_ask_need_nothing_but_torch(
    recorder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        recorder, "ASK", f"import sys; sys.modules.update(vtj=None, vtj_site=None); {recorder.ASK}"
    )
    assert recorder.ask(sys.executable, tmp_path) == answers()
    for module in ("trials.py", "since.py"):
        text = (tmp_path / "asked" / module).read_text(encoding="utf-8")
        ast.parse(text, feature_version=(3, 7))
    assert list(questions()) == list(answers())


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('no')", "^ask: no$"),
        ("import time; time.sleep(60)", r"^ask: not done in 0\.5 s$"),
    ],
)
def test_a_step_that_fails_or_hangs_says_which_and_why(script: Any, code: str, said: str) -> None:
    script.SECONDS["ask"] = 0.5
    with pytest.raises(script.CouldNotRunError, match=said):
        script.command("ask", sys.executable, "-c", code)


def test_the_pinned_release_is_the_last(script: Any, tmp_path: Path) -> None:
    assert script.releases()[0] == "1.0.0"
    assert f"torch=={script.releases()[-1]}" in script.CONSTRAINTS.read_text()
    script.CONSTRAINTS = tmp_path / "constraints.txt"
    script.CONSTRAINTS.write_text("numpy==2.0\n")
    with pytest.raises(ValueError, match="pins no torch: expected a line torch==VERSION"):
        script.releases()


def test_interpreters_come_oldest_first(script: Any) -> None:
    found = script.interpreters()
    assert sys.executable in found
    which = "import sys; print(sys.version_info[1])"
    minors = [int(script.command("ask", path, "-c", which)) for path in found]
    assert minors == sorted(minors)
    assert minors[0] >= 7
