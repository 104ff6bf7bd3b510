from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from mathml import font
from mathml.repertoire import missing, repertoire

COMMITTED = Path(__file__).parents[2] / "conf" / "static" / "fonts" / "site-math.woff2"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("font") / "made.woff2"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["font.py", str(target)])
        runpy.run_path(font.__file__, run_name="__main__")
    return target


def test_the_committed_font_is_the_one_that_the_script_makes(made: Path) -> None:
    ours, anew = TTFont(COMMITTED), TTFont(made)
    assert ours.getBestCmap() == anew.getBestCmap()
    assert ours.getGlyphOrder() == anew.getGlyphOrder()


def test_the_font_bears_its_own_name_and_the_license(made: Path) -> None:
    names = TTFont(made)["name"]
    for record in (1, 4):
        assert names.getDebugName(record) == "Site Math"
    assert "SIL Open Font License" in names.getDebugName(13)
    assert (
        COMMITTED.with_name("OFL.txt").read_text(encoding="utf-8").count("OPEN FONT LICENSE") == 1
    )


def test_the_font_can_set_mathematics() -> None:
    committed = TTFont(COMMITTED)
    assert "MATH" in committed
    shown = set(committed.getBestCmap())
    assert repertoire() <= shown
    assert set(map(ord, "·∂∇Σ⊤ℝ𝑥𝒗𝐉×→⟨⟩√≈≤≠∈ℒ")) <= shown


def test_the_font_is_light() -> None:
    assert COMMITTED.stat().st_size < 80_000


def test_without_its_source_the_script_says_where_it_comes_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(font, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="ziamath"):
        font.write(tmp_path / "never.woff2")


def test_a_letter_that_stands_for_a_quantity_is_looked_for_in_its_italic_form() -> None:
    assert missing("<math><mi>h</mi><mi>x</mi><mi>Ω</mi></math>") == []
    assert missing("<math><mi>и</mi></math>") == ["и"]
