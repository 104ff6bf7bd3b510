"""What a build has read and not written, another one writes, though no source has changed."""

import io
import sys
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import docutils_namespace, patch_docutils

PLANTED = """
from pathlib import Path

FOLDER = Path(__file__).parent

def again(app, env, *_):
    said = (FOLDER / "library").read_text()
    before, env.said = getattr(env, "said", None), said
    return sorted(env.found_docs) if said != before else []

def read(app, page, text):
    text[0] = text[0].replace("WORD", (FOLDER / "library").read_text())

def write(app, page, template, context, doctree):
    if page == "b" and (FOLDER / "killed").exists():
        (app.outdir / "a.html").write_text("cut sh")
        raise KeyboardInterrupt
    if page == "b" and (FOLDER / "failed").exists():
        raise ValueError("planted")

def finish(app, error):
    if (FOLDER / "late").exists():
        (app.outdir / "a.html").write_text("cut sh")
        raise KeyboardInterrupt

def setup(app):
    app.connect("build-finished", finish)
    app.connect("env-get-outdated", again)
    app.connect("source-read", read)
    app.connect("html-page-context", write)
"""
PAGES = ("a", "b", "c")


class Site:
    """Three pages that say what a library says, which is no source of theirs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "docs").mkdir()
        (folder / "planted.py").write_text(PLANTED)
        for page in PAGES:
            (folder / f"docs/{page}.md").write_text(f"# {page}\n\nWORD.\n")
        listing = "\n".join(PAGES)
        (folder / "docs/index.md").write_text(f"# All\n\n```{{toctree}}\n{listing}\n```\n")

    def build(self, builder: str = "html") -> None:
        extensions = ["myst_nb", "unwritten_pages", "planted"]
        with patch_docutils(), docutils_namespace():
            Sphinx(
                self.folder / "docs",
                None,
                self.folder / builder,
                self.folder / "doctrees",
                builder,
                confoverrides={"extensions": extensions, "html_theme": "basic"},
                status=None,
                warning=io.StringIO(),
            ).build()

    def says(self, word: str) -> None:
        (self.folder / "library").write_text(word)

    def shown(self, page: str) -> str:
        return (self.folder / f"html/{page}.html").read_text(encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "planted", raising=False)
    made = Site(tmp_path)
    made.says("first")
    made.build()
    assert all("first." in made.shown(page) for page in PAGES)
    return made


def test_a_build_that_was_killed_while_it_wrote_leaves_no_old_page(site: Site) -> None:
    site.says("second")
    (site.folder / "killed").touch()
    with pytest.raises(KeyboardInterrupt):
        site.build()
    assert site.shown("a") == "cut sh"
    assert "first." in site.shown("c")
    (site.folder / "killed").unlink()
    site.build()
    assert all("second." in site.shown(page) for page in PAGES)


def test_neither_does_one_that_failed(site: Site) -> None:
    site.says("second")
    (site.folder / "failed").touch()
    with pytest.raises(ExtensionError, match="planted"):
        site.build()
    assert "first." in site.shown("c")
    (site.folder / "failed").unlink()
    site.build()
    assert all("second." in site.shown(page) for page in PAGES)


def test_neither_does_one_that_was_killed_after_that_by_who_writes_last(site: Site) -> None:
    (site.folder / "late").touch()
    with pytest.raises(KeyboardInterrupt):
        site.build()
    assert site.shown("a") == "cut sh"
    (site.folder / "late").unlink()
    site.build()
    assert "first." in site.shown("a")


def test_what_a_builder_of_another_format_has_read_is_written(site: Site) -> None:
    site.says("second")
    site.build("text")
    assert "first." in site.shown("a")
    site.build()
    assert all("second." in site.shown(page) for page in PAGES)


def test_what_is_written_is_not_written_again(site: Site) -> None:
    for page in PAGES:
        (site.folder / f"html/{page}.html").write_text("as it was")
    site.build()
    assert all(site.shown(page) == "as it was" for page in PAGES)


def test_a_page_that_was_deleted_is_written(site: Site) -> None:
    (site.folder / "html/b.html").unlink()
    site.build()
    assert "first." in site.shown("b")
