"""The benchmark of the build fails when a target is missed, and mixes no two machines."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks" / "docs_build"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark with two parts that measure nothing."""
    monkeypatch.syspath_prepend(FOLDER)
    module = importlib.import_module("bench")
    values = {"fast": [0.5, 0.25, 2.0], "slow": [1.5]}

    def part(name: str) -> Any:
        return lambda rounds, folder: [
            module.at_most(name, f"the {name} one", values[name], 1, "s")
        ]

    monkeypatch.setattr(module, "PARTS", {name: part(name) for name in values})
    return module


def test_a_missed_target_fails(bench: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--only", "fast"]) == 0
    assert bench.main([]) == 1
    *_, fast, slow = capsys.readouterr().out.splitlines()
    assert fast.split() == ["the", "fast", "one", "0.50", "s", "<=", "1", "kept"]
    assert slow.split() == ["the", "slow", "one", "1.50", "s", "<=", "1", "MISSED"]


def test_a_ratio_below_its_target_is_missed(bench: ModuleType) -> None:
    assert bench.at_least("peer", "a peer", [7.9, 8.0, 9.0], 8).kept is True
    assert bench.at_least("peer", "a peer", [7.9, 7.0, 9.0], 8).kept is False


def test_a_part_measured_again_replaces_itself(bench: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "recording.json"
    bench.main(["--record", str(file)])
    before = json.loads(file.read_text())
    assert list(before["parts"]) == ["fast", "slow"]
    assert before["parts"]["slow"]["rows"][0]["kept"] is False
    bench.main(["--only", "fast", "--rounds", "1", "--record", str(file)])
    after = json.loads(file.read_text())
    assert after["parts"]["fast"]["rounds"] == 1
    assert after["parts"]["slow"] == before["parts"]["slow"]


def test_parts_of_two_machines_are_not_mixed(bench: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "recording.json"
    with pytest.raises(ValueError, match=r"not recorded on this machine .* measure slow too"):
        bench.main(["--only", "fast", "--record", str(file)])
    bench.main(["--record", str(file)])
    recorded = json.loads(file.read_text())
    recorded["machine"]["torch"] = "0.1"
    text = json.dumps(recorded)
    file.write_text(text)
    with pytest.raises(ValueError, match="not recorded on this machine with these versions"):
        bench.main(["--only", "fast", "--record", str(file)])
    assert file.read_text() == text
