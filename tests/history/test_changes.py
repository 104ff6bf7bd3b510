"""Asking a release for its gradients: in another process, and past what that process dies of."""

import ast
import json
import sys
from pathlib import Path
from typing import Any

import changes
import environment
import pytest
from environment import Environment

from vtj_site.records.changes import Key

THIS = Environment(Path(sys.executable), {"torch": "1.2.3"})
PROGRAM = """
import sys
sys.modules.update(vtj=None, vtj_site=None)
from asked import alone
from asked.operations import GROUPS, Group
KILL = "__import__('os').kill(__import__('os').getpid(), 9)"
WARN = "__import__('warnings').warn('slow', UserWarning) or x"
GROUPS.clear()
GROUPS["g"] = Group({"a": ([1.0, 2.0],), "b": ([3.0],)}, ("x*x", KILL, WARN))
print("what LAPACK prints")
alone.main()
"""


def test_a_question_that_kills_the_process_is_recorded_and_the_next_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(changes, "environment", lambda *_: THIS)
    monkeypatch.setattr(changes, "ASK", PROGRAM)
    row = changes.row("1.2.3", Path())
    assert row.origin["torch"] == "1.2.3"
    assert row.origin["capability"]
    square = [row.answers[Key("g", "x*x", "a", "float32", v)] for v in ("ones", "zeros")]
    assert square == ["2 4", "0 0"]
    assert row.answers[Key("g", "x*x", "b", "float64", "1, 2, 3, …")] == "6"
    assert not any(key.point == "b" and "16" in key.dtype for key in row.answers)
    killed = {text for key, text in row.answers.items() if "kill" in key.code}
    assert killed == {"the process died of signal 9"}
    assert [message for message, codes in row.warnings.items() if len(codes) == 1] == [
        "UserWarning: slow"
    ]
    assert row.calls["y (3,), gradient float32 (3,)"] == "tensor([ 2.,  8., 18.])"


def test_the_modules_are_python_3_7() -> None:
    for module in changes.MODULES:
        ast.parse(module.read_text(encoding="utf-8"), feature_version=(3, 7))


def test_it_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "changes.json"
    monkeypatch.setattr(changes.record_of_changes, "RECORDED", file)
    monkeypatch.setattr(environment.signal, "signal", lambda *_: None)
    monkeypatch.setattr(environment, "releases", lambda: ["1.0.0", "1.2.0"])
    asked: list[str] = []

    def row(version: str, scratch: Path) -> Any:
        asked.append(version)
        found = [["g", "x", "a", "float32", "ones", version[2], []]]
        origin = dict.fromkeys(("python", "wheel", "sha256", "date"), "") | {"torch": version}
        every = {"answers": found, "calls": {}, "capability": "AVX2"}
        return changes.record_of_changes.row(origin, every)

    for wanted in (["1.2.0"], [], ["1.0.0"]):
        environment.record(wanted, changes.load, row, changes.save)
    assert asked == ["1.2.0", "1.0.0", "1.0.0"]
    assert [each["torch"] for each in json.loads(file.read_text())["releases"]] == [
        "1.0.0",
        "1.2.0",
    ]
    assert [list(each.answers.values()) for each in changes.load().values()] == [["0"], ["2"]]
