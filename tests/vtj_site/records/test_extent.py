"""How large the site is, and where its source is."""

import pytest

from vtj_site.records import extent


def test_the_address_of_the_source_is_said_if_the_build_was_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in extent.ADDRESSES:
        monkeypatch.delenv(name, raising=False)
    assert "was not told its address" in extent.source()
    monkeypatch.setenv("READTHEDOCS_GIT_CLONE_URL", "https://example.org/clone")
    assert extent.source() == "https://example.org/clone"
    monkeypatch.setenv("SOURCE_URL", "https://example.org/vtj")
    assert extent.source() == "https://example.org/vtj"


def test_pages_with_cells_and_the_lines_of_each_part_are_counted() -> None:
    pages = extent.cells_of_pages()
    assert pages["docs/index.md"] > 3
    assert "docs/reference/index.md" not in pages
    assert all((extent.ROOT / folder).is_dir() for folder in extent.PARTS)
    assert extent.lines("src/vtj_site") > extent.lines("src/vtj_site/statements") > 1000
    assert "<code>tests/mutants</code>" in extent.table_of_parts().html


def test_a_file_that_is_gone_has_no_digest() -> None:
    assert extent.digest("docs/gone.md") == ""
    assert len(extent.digest("docs/index.md")) == 8
