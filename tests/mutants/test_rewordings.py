"""The rewordings that are planted as a control, and what refuses them."""

import json
from pathlib import Path

import pytest

from tests.mutants import rewordings, sentences
from tests.mutants.rewordings import EXCHANGED, SYNONYM, main, with_clauses_exchanged

PAGE = """# Page

If you wait, `backward` {word}`adds <adds; of backward>` to `x.grad`.

`backward` {word}`never <adds; of backward>` overwrites `x.grad`, since "since" is quoted here.
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (rewordings, sentences):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(rewordings, "RECORD", tmp_path / "record.json")
    (tmp_path / "record.json").write_text('{"library": []}', encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_which_rewordings_are_drawn(site: Path) -> None:
    drawn = list(rewordings.drawn(["docs/page.md"]))
    assert drawn == list(rewordings.drawn(["docs/page.md"]))
    assert [(one.kind, one.before, one.after) for _, _, one, _ in drawn][:3] == [
        (SYNONYM, "here", "in this example"),
        (SYNONYM, "overwrites", "replaces"),
        (SYNONYM, "since", "because"),
    ]
    *_, (_, _, exchanged, block) = drawn
    assert exchanged.kind == EXCHANGED
    assert exchanged.applied(block) == (
        "`backward` {word}`adds <adds; of backward>` to `x.grad` if you wait.\n"
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "If it is a leaf, and torch keeps it, it fills it",
        "If you {word}`omit <omits v>` it, torch adds",
        "If `v` is real, pass it",
        "Torch keeps it",
    ],
)
def test_where_it_is_not_known_what_belongs_together_no_clauses_are_exchanged(
    sentence: str,
) -> None:
    assert with_clauses_exchanged(sentence, sentence) is None


def test_what_the_checks_say_is_recorded(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--record"]) == 0
    written = json.loads((site / "record.json").read_text(encoding="utf-8"))
    assert written["library"] == []
    kinds = written["rewordings"]["kinds"]
    assert kinds[EXCHANGED] == {"planted": 1, "through": 1}
    assert kinds[SYNONYM]["planted"] == 3
    assert kinds[SYNONYM]["refused"] == 1
    assert f"docs/page.md:5: {SYNONYM}: refused: 'since'" in capsys.readouterr().out
