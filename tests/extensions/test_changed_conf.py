"""A change of how the site is built reads its pages again; one of a style sheet writes them."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

PAGES = ["index", "more"]
CONF = """\
extensions = ["changed_conf"]
html_theme = "basic"
html_static_path = ["static"]
"""
NAMED = CONF + 'changed_conf = ["conf.py", "parts/**/*.py"]\n'


class Built(NamedTuple):
    """The pages that were read and those that were written, and what Sphinx said meanwhile."""

    read: list[str]
    written: list[str]
    said: str


class Site:
    """Two pages, a configuration, a part of it, something else and a style sheet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("docs/index.rst", "Home\n====\n\n.. toctree::\n\n   more\n")
        self.write("docs/more.rst", "More\n====\n")
        self.write("conf/conf.py", NAMED)
        self.write("conf/parts/one/part.py", "")
        self.write("conf/other.py", "")
        self.write("conf/static/style.css", "")

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def build(self) -> Built:
        built, status = Built([], [], ""), io.StringIO()
        with patch_docutils(), docutils_namespace():
            app = Sphinx(
                self.folder / "docs",
                self.folder / "conf",
                self.folder / "html",
                self.folder / "doctrees",
                "html",
                status=status,
                warning=None,
            )
            app.connect("source-read", lambda app, page, text: built.read.append(page))
            app.connect("html-page-context", lambda app, page, *_: built.written.append(page))
            app.build()
        written = [page for page in sorted(built.written) if page in PAGES]
        return Built(sorted(built.read), written, status.getvalue())


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    built = made.build()
    assert built.read == built.written == PAGES
    return made


def test_what_did_not_change_is_neither_read_nor_written(site: Site) -> None:
    assert site.build()[:2] == ([], [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("conf/conf.py", f"{NAMED}# a comment\n"),
        ("conf/parts/one/part.py", "more = 1\n"),
        ("conf/parts/new.py", "new = 1\n"),
    ],
)
def test_a_change_of_a_file_that_counts_reads_every_page(site: Site, name: str, text: str) -> None:
    site.write(name, text)
    built = site.build()
    assert built.read == built.written == PAGES
    assert "[config changed ('changed_conf_digests')]" in built.said


def test_a_change_of_another_file_does_not(site: Site) -> None:
    site.write("conf/other.py", "more = 1\n")
    assert site.build()[:2] == ([], [])


@pytest.mark.parametrize("name", ["style.css", "new/script.js"])
def test_a_change_of_what_pages_load_writes_every_page_and_reads_none(
    site: Site, name: str
) -> None:
    site.write(f"conf/static/{name}", "/* new */")
    assert site.build()[:2] == ([], PAGES)


def test_no_file_counts_that_conf_py_does_not_name(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.write("conf/conf.py", CONF)
    site.build()
    site.write("conf/conf.py", f"{CONF}# a comment\n")
    assert site.build()[:2] == ([], [])
