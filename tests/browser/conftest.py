"""The built site in a real browser. `nox -s browser` builds it and installs what measures it.

These tests need Chromium, Firefox, npm and a built site, so pyproject.toml leaves their folder out;
it is collected when it is named on the command line.
"""

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.visiting import Visit, visit

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")  # as distributions call it
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
WIDTHS = (375, 1440)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--site", type=Path, default=ROOT / "build" / "html", help="folder of the built site"
    )


def pages_of(config: pytest.Config) -> list[str]:
    site: Path = config.getoption("--site").resolve()
    pages = sorted(file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    if not pages:
        raise pytest.UsageError(f"no built site in {site}: run `nox -s docs` first, or give --site")
    return [page for page in pages if not page.startswith("_")]


def kinds_of(config: pytest.Config) -> list[str]:
    """The front page, and the smallest page of each folder that is not its list of contents.

    Pages of a folder have one frame, and on a page of many links Lighthouse spends half of its time
    on these.
    """
    site: Path = config.getoption("--site")
    folders: dict[str, str] = {}
    for page in sorted(pages_of(config), key=lambda page: (site / page).stat().st_size):
        folder, _, name = page.rpartition("/")
        if folder and name != "index.html":
            folders.setdefault(folder, page)
    return ["index.html", *folders.values()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page_path" in metafunc.fixturenames:
        pages = pages_of(metafunc.config)
        # Of several processes (`-n 2 --dist loadgroup`), one opens a page for all tests of it.
        params = [pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in pages]
        metafunc.parametrize("page_path", params, ids=pages, scope="session")


@pytest.fixture(scope="session")
def kinds(pytestconfig: pytest.Config) -> list[str]:
    return kinds_of(pytestconfig)


@pytest.fixture(scope="session")
def site(pytestconfig: pytest.Config) -> Path:
    folder: Path = pytestconfig.getoption("--site").resolve()
    return folder


def chromium_path() -> str:
    found = [path for name in CHROMIUM if (path := shutil.which(name))]
    assert found, "no Chromium: apt-get install chromium"
    return found[0]


@pytest.fixture(scope="session")
def chromium() -> str:
    return chromium_path()


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the tests tell what failed."""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix("/below/a/path"))


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[str]:
    """The address of the site, served under a path that is not the server's root."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site)) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/below/a/path"
        running.shutdown()


@pytest.fixture
def fresh(browser: Browser) -> Iterator[Visit]:
    """An empty page of its own, with a clean store."""
    context = browser.new_context()
    yield visit(context)
    context.close()


@pytest.fixture
def scriptless(browser: Browser) -> Iterator[Page]:
    """An empty page without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def disk_tab(browser: Browser) -> Iterator[Visit]:
    """One tab for all pages: a tab of its own for each takes longer than opening it."""
    context = browser.new_context()
    yield visit(context)
    context.close()


@pytest.fixture(scope="session")
def disk_page(disk_tab: Visit, site: Path, page_path: str) -> Visit:
    """A page opened from disk, once for all the tests that look at it."""
    disk_tab.page.emulate_media(color_scheme="no-override", reduced_motion="no-override")
    disk_tab.page.set_viewport_size({"width": 1280, "height": 720})
    disk_tab.go((site / page_path).as_uri())
    return disk_tab


@pytest.fixture(scope="session")
def soup(site: Path, page_path: str) -> BeautifulSoup:
    """The source of a page, read once for all the tests that look at it."""
    return BeautifulSoup((site / page_path).read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="session", params=THEMES)
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session", params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="session")
def axe_source() -> str:
    script = HERE / "node_modules" / "axe-core" / "axe.min.js"
    assert script.exists(), f"no {script}: npm ci in {HERE}"
    return script.read_text(encoding="utf-8")
