from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from mathematics import font
from mathematics.font import missing, repertoire

COMMITTED = Path(__file__).parents[3] / "conf" / "static" / "fonts" / "site-math.woff2"


def contents(file: Path) -> dict[str, Any]:
    """Return what a font is made of, whichever version of the packer made it a file."""
    opened = TTFont(file)
    return {
        "format": opened.flavor,
        "tables": opened.keys(),
        "characters": opened.getBestCmap(),
        "glyphs": opened.getGlyphOrder(),
        "names": {record.nameID: record.toUnicode() for record in opened["name"].names},
        "features": {part.FeatureTag for part in opened["GSUB"].table.FeatureList.FeatureRecord},
        "changed": opened["head"].modified,
    }


def test_the_committed_font_is_the_one_that_the_script_makes(tmp_path: Path) -> None:
    font.write(tmp_path / "made.woff2")
    committed = contents(COMMITTED)
    assert committed == contents(tmp_path / "made.woff2")
    assert committed["format"] == "woff2"
    assert committed["features"] == {"ccmp", "dtls", "flac"}
    assert not {"fpgm", "prep", "cvt "} & set(committed["tables"])
    names = committed["names"]
    assert names.keys() <= {*range(8), 13, 14}
    assert [names[number] for number in (1, 3, 4, 6)] == [*["Site Math"] * 3, "SiteMath"]
    assert "SIL Open Font License" in names[13]
    assert (
        COMMITTED.with_name("OFL.txt").read_text(encoding="utf-8").count("OPEN FONT LICENSE") == 1
    )


def test_it_grows_by_what_it_is_asked_for(tmp_path: Path) -> None:
    font.write(tmp_path / "more.woff2", "ℵ")
    assert set(TTFont(tmp_path / "more.woff2").getBestCmap()) - repertoire() == {ord("ℵ")}


def test_the_font_can_set_mathematics() -> None:
    committed = TTFont(COMMITTED)
    assert "MATH" in committed
    assert COMMITTED.stat().st_size < 80_000
    assert set(map(ord, "·∂∇Σ⊤ℝ𝑥𝒗𝐉×→⟨⟩√≈≤≠∈ℒ")) <= repertoire()


@pytest.mark.parametrize("found", [None, ModuleSpec("ziamath", None)])
def test_without_its_source_the_script_says_where_it_comes_from(
    found: ModuleSpec | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rejected by mathematics._source."""
    monkeypatch.setattr(font, "find_spec", {"ziamath": found}.__getitem__)
    said = r"^STIXTwoMath-Regular\.ttf comes with ziamath, which is not installed$"
    with pytest.raises(FileNotFoundError, match=said):
        font.write(tmp_path / "never.woff2")
    assert not list(tmp_path.iterdir())


def test_a_character_that_the_font_has_not_is_named() -> None:
    assert missing('<math><mi>x</mi><mi mathvariant="normal">Ω</mi><mo>&lt;</mo>\n</math>') == []
    assert missing("<math><mi>и</mi><mo>漢</mo></math>") == ["и", "漢"]


def test_the_font_has_the_italics_of_its_letters() -> None:
    """A browser draws `<mi>x</mi>` as the character MATHEMATICAL ITALIC SMALL X, h as ℎ."""
    latin, greek = range(0x1D434, 0x1D468), range(0x1D6E2, 0x1D715)
    assert {*latin, *greek, ord("ℎ")} - repertoire() == {0x1D455}  # which is no character
