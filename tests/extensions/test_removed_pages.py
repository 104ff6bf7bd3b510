"""Nothing of an earlier build stays that this one would not write."""

from pathlib import Path

from removed_pages import of_another
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tests.extensions.conftest import FRONT_MATTER


def build(folder: Path) -> set[str]:
    settings = {
        "extensions": ["myst_nb_fork", "myst_nb", "removed_pages"],
        "nb_execution_mode": "inline",
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
            warning=None,
        ).build(False)
    found = [*(folder / "html").rglob("*"), *(folder / "jupyter_execute").rglob("*")]
    return {str(path.relative_to(folder)) for path in found if path.is_file()}


def test_the_files_of_a_removed_page_and_the_report_of_a_mended_one_go(tmp_path: Path) -> None:
    pages = tmp_path / "docs"
    (pages / "more").mkdir(parents=True)
    page = FRONT_MATTER + "\n# A page\n\n```{code-cell} python\n1 / 1\n```\n"
    (pages / "index.md").write_text("# Home\n\n```{toctree}\n:glob:\n*/*\n```\n")
    (pages / "more/stays.md").write_text(page)
    (pages / "more/goes.on.md").write_text(page)
    without = build(tmp_path)
    (pages / "more/goes.md").write_text(page)
    (pages / "more/stays.md").write_text(page.replace("1 / 1", "1 / 0"))
    both = build(tmp_path)
    assert both - without == {
        "html/more/goes.html",
        "html/_sources/more/goes.md.txt",
        "html/reports/more/stays.err.log",
        "jupyter_execute/more/goes.ipynb",
    }
    (pages / "more/goes.md").unlink()
    (pages / "more/stays.md").write_text(page)
    assert build(tmp_path) == without


def test_a_file_is_of_the_page_with_the_longest_name() -> None:
    assert of_another("goes.on.html", "goes", ["goes.on"])
    assert not of_another("goes.html", "goes", ["goes.on", "other"])
    assert not of_another("goes.on.html", "goes", ["goes.o", "other"])
    assert not of_another("goes.on.html", "goes.on", ["goes.on"])
