"""What is searched after an edit is what is searched after a fresh build."""

import json
from pathlib import Path
from typing import Any

from error_search import PREFIX, SUFFIX
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

GLOSSARY = "# Terms\n\n```{glossary}\nvjp\n  A product.\nJacobian\n  A table.\n```\n"


def build(folder: Path, place: str, *extensions: str) -> str:
    """Build with what a build before has left; return the search index."""
    out = folder / place
    with patch_docutils(), docutils_namespace():
        Sphinx(
            folder / "docs",
            None,
            out / "html",
            out / "doctrees",
            "html",
            confoverrides={"extensions": ["myst_nb", *extensions], "nb_execution_mode": "off"},
            status=None,
            warning=None,
        ).build(False)
    index = out / "html/searchindex.js"
    return index.read_text() if index.exists() else ""


def index_of(script: str) -> dict[str, Any]:
    """Return the data of a search index."""
    data: dict[str, Any] = json.loads(script.removeprefix(PREFIX).removesuffix(SUFFIX))
    return data


def test_an_edit_leaves_the_index_as_a_fresh_build_has_it(tmp_path: Path) -> None:
    pages = tmp_path / "docs"
    pages.mkdir()
    (pages / "index.md").write_text("# Home\n\n```{toctree}\nterms\npage\n```\n")
    (pages / "terms.md").write_text(GLOSSARY)
    for name in ("plain", "whole"):
        (pages / "page.md").write_text("# Page\n\nzebra\n")
        extensions = ("whole_search_index",) if name == "whole" else ()
        assert "jacobian" in build(tmp_path, name, *extensions)
        (pages / "page.md").write_text("# Page\n\ntapir\n")
        build(tmp_path, name, *extensions)
    edited, whole = (
        (tmp_path / f"{name}/html/searchindex.js").read_text() for name in ("plain", "whole")
    )
    fresh = index_of(build(tmp_path, "fresh plain"))
    assert index_of(edited) != fresh  # why the extension is there
    assert index_of(whole) == index_of(build(tmp_path, "fresh", "whole_search_index")) == fresh
    assert fresh["indexentries"]["vjp"] == [[2, "term-vjp", True]]
    assert "zebra" not in fresh["terms"]


def test_a_build_without_an_index_is_let_pass(tmp_path: Path) -> None:
    from whole_search_index import complete

    class App:
        outdir = tmp_path

    complete(App(), None)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
