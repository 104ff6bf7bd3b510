"""A page that warned is read again until it warns no more."""

import io
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils
from warned_pages import Warned


def build(folder: Path) -> str:
    warnings = io.StringIO()
    settings = {
        "extensions": ["myst_nb", "warned_pages"],
        "html_theme": "basic",
        "nb_execution_mode": "off",
    }
    with patch_docutils(), docutils_namespace():
        Sphinx(
            folder / "docs",
            None,
            folder / "html",
            folder / "doctrees",
            "html",
            confoverrides=settings,
            status=None,
            warning=warnings,
        ).build(False)
    return warnings.getvalue()


def docs(folder: Path) -> Path:
    """Make a site of two pages, one of which warns; return the folder of its sources."""
    made = folder / "docs"
    made.mkdir(parents=True)
    (made / "index.md").write_text("# Home\n\n```{toctree}\npage\nfine\n```\n")
    (made / "fine.md").write_text("# Fine\n")
    (made / "page.md").write_text("# Page\n\n```{no-such-directive}\n```\n")
    return made


def test_a_page_that_warned_warns_again_although_nothing_changed(tmp_path: Path) -> None:
    folder = tmp_path / "notes.md"  # a folder may be named like a page
    page = docs(folder) / "page.md"
    assert "Unknown directive type: 'no-such-directive'" in build(folder)
    fine = folder / "html/fine.html"
    fine.write_text("as it was")
    assert "Unknown directive type: 'no-such-directive'" in build(folder)
    page.write_text("# Page\n")
    assert build(folder) == ""
    shown = folder / "html/page.html"
    shown.write_text("as it was")
    assert build(folder) == ""
    assert fine.read_text() == shown.read_text() == "as it was"


def test_a_page_that_warned_may_go(tmp_path: Path) -> None:
    pages = docs(tmp_path)
    assert "no-such-directive" in build(tmp_path)
    (pages / "page.md").unlink()
    (pages / "index.md").write_text("# Home\n\n```{toctree}\nfine\n```\n")
    assert build(tmp_path) == ""


def test_a_record_of_no_page_is_of_none() -> None:
    app: Any = SimpleNamespace(env=SimpleNamespace(path2doc=lambda path: f"doc of {path}"))
    record = logging.makeLogRecord({"msg": "said"})
    assert Warned(app).docname(record) is None
    for location, page in (
        (None, None),
        ("a.py:3", None),
        ("a/b.md", "a/b.md"),
        ("b.md:3", "b.md"),
    ):
        record.location = location
        assert Warned(app).docname(record) == (page and f"doc of {page}")


def test_a_warning_about_no_page_is_let_pass(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n")
    (tmp_path / "docs" / "other.rst").write_text("")
    build(tmp_path)
    assert build(tmp_path) == ""
