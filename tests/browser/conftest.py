"""The built site in a real browser. `nox -s browser` builds it and installs what measures it.

These tests need Chromium, npm and a built site, so pyproject.toml leaves their folder out; it is
collected when it is named on the command line.
"""

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.visiting import Visit, visit

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")  # as distributions call it
THEMES = ("light", "dark")
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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page_path" in metafunc.fixturenames:
        pages = pages_of(metafunc.config)
        # Of several processes (`-n 2 --dist loadgroup`), one opens a page for all tests of it.
        params = [pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in pages]
        metafunc.parametrize("page_path", params, ids=pages, scope="session")


@pytest.fixture(scope="session")
def site(pytestconfig: pytest.Config) -> Path:
    folder: Path = pytestconfig.getoption("--site").resolve()
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    found = [path for name in CHROMIUM if (path := shutil.which(name))]
    assert found, "no Chromium: apt-get install chromium"
    return found[0]


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
def shared_context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    yield context
    context.close()


@pytest.fixture(scope="session")
def disk_page(shared_context: BrowserContext, site: Path, page_path: str) -> Iterator[Visit]:
    """A page opened from disk, once for all the tests that look at it."""
    opened = visit(shared_context)
    opened.page.goto((site / page_path).as_uri())
    yield opened
    opened.page.close()


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
