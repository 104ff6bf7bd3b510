import io
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils


def build(folder: Path) -> str:
    warnings = io.StringIO()
    settings = {"extensions": ["myst_nb", "warned_pages"], "nb_execution_mode": "off"}
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


def test_a_page_that_warned_warns_again_although_nothing_changed(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n```{toctree}\npage\nfine\n```\n")
    (tmp_path / "docs" / "fine.md").write_text("# Fine\n")
    page = tmp_path / "docs" / "page.md"
    page.write_text("# Page\n\n```{no-such-directive}\n```\n")
    assert "Unknown directive type: 'no-such-directive'" in build(tmp_path)
    assert "Unknown directive type: 'no-such-directive'" in build(tmp_path)
    page.write_text("# Page\n")
    assert build(tmp_path) == ""
    assert build(tmp_path) == ""


def test_a_warning_about_no_page_is_let_pass(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n")
    (tmp_path / "docs" / "other.rst").write_text("")
    build(tmp_path)
    assert build(tmp_path) == ""
