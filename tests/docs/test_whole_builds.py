"""Whatever ends a build, `build/html` is one whole site: the new one, or the last good one."""

import hashlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / "conf/build.py"
PAGES = ("a", "b", "c")
CONF = """
import os, time
from pathlib import Path
from sphinx.util import logging

def wait(app, doctree, docname):
    if docname == "b" and (waits := os.environ.get("WAITS")):
        Path(waits).touch()
        while Path(waits).exists():
            time.sleep(0.01)
    if "stop here" in doctree.astext():
        said = "a fault\\n    of %s\\n%s\\nTraceback" % ("x " * 200, "-" * 75)
        logging.getLogger(__name__).warning(said, location=(docname, 4))
        raise RuntimeError("the build cannot go on")

def setup(app):
    app.connect("doctree-resolved", wait)
"""


class Site:
    """A small Sphinx project and the command that builds it."""

    def __init__(self, folder: Path) -> None:
        self.source, self.target = folder / "docs", folder / "build"
        self.source.mkdir()
        (self.source / "conf.py").write_text(CONF)
        names = "\n   ".join(PAGES)
        (self.source / "index.rst").write_text(f"All\n===\n\n.. toctree::\n\n   {names}\n")

    def write(self, text: str) -> None:
        """Have every page say a text, and be long."""
        for page in PAGES:
            (self.source / f"{page}.rst").write_text(f"{page}\n=\n\n" + f"{text}\n" * 2000)

    def start(
        self, waits: Path | None = None, prepare: Callable[[], object] | None = None
    ) -> subprocess.Popen[str]:
        """Start a build, which waits in the middle if it is given a file to wait for."""
        environment = os.environ | ({"WAITS": str(waits)} if waits else {})
        command = [sys.executable, str(BUILD), str(self.target), str(self.source), "-q", "-W"]
        process = subprocess.Popen(
            [*command, "--keep-going"],
            env=environment,
            text=True,
            stderr=subprocess.PIPE,
            preexec_fn=prepare,
        )
        deadline = time.monotonic() + 60
        while waits and not waits.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return process

    def build(self, prepare: Callable[[], object] | None = None) -> tuple[int, str]:
        """Return the exit code, and what was printed as an error."""
        with self.start(prepare=prepare) as process:
            said = process.communicate(timeout=60)[1]
        return process.returncode, said

    def published(self) -> dict[str, str]:
        """Return the digest of every file of the published site."""
        html = self.target / "html"
        return {
            str(path.relative_to(html)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in html.rglob("*")
            if path.is_file()
        }

    def succeeds(self, text: str) -> None:
        """Build a text, and see it published, and nothing left behind."""
        self.write(text)
        assert self.build() == (0, "")
        assert text in (self.target / "html/b.html").read_text()
        assert {path.name for path in self.target.iterdir()} == {"html", "doctrees"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site that was built once, and that no test leaves unbuilt."""
    made = Site(tmp_path_factory.mktemp("site"))
    made.succeeds("first")
    return made


def test_a_failed_build_changes_nothing_and_ends_with_what_failed(site: Site) -> None:
    before = site.published()
    site.write("second")
    for page in ("a", "b"):
        (site.source / f"{page}.rst").write_text(f"{page}\n=\n\n:no-such-role:`x`\n")
    code, said = site.build()
    assert code == 1
    *messages, failed, not_published = said.splitlines()[-4:]
    for page, message in zip("ab", messages, strict=True):
        place = os.path.relpath(site.source / f"{page}.rst")
        assert message.startswith(f'{place}:4: Unknown interpreted text role "no-such-role"')
    file = failed.removeprefix("2 failed; the whole messages are in ")
    assert 'role "no-such-role"' in Path(file).read_text()
    assert not_published == f"Not published: {site.target}/html is as it was."
    assert site.published() == before


def test_a_build_that_stops_says_so_and_names_what_it_has_found(site: Site) -> None:
    site.write("stop here")
    code, said = site.build()
    fault, stopped, *_ = said.splitlines()[-4:]
    assert code == 2
    assert (
        fault
        == f"{os.path.relpath(site.source / 'a.rst')}:4: {('a fault of ' + 'x ' * 200)[:300]}…"
    )
    assert stopped == "The build stopped before its end: why stands above this list."
    assert "the build cannot go on" in said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_build_that_is_ended_in_its_middle_changes_nothing(
    site: Site, tmp_path: Path, how: signal.Signals
) -> None:
    before = site.published()
    site.write(f"second, {how}")
    # A shell has what it starts in the background pass over Ctrl-C.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    with site.start(tmp_path / "waits", prepare=heed) as process:
        process.send_signal(how)
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert site.published() == before
    site.succeeds(f"third, {how}")


def test_a_disk_that_is_full_changes_nothing(site: Site) -> None:
    before = site.published()
    site.write("a second text")
    code, _ = site.build(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)))
    assert code != 0
    assert site.published() == before


def test_a_second_build_into_the_same_folder_is_refused(site: Site, tmp_path: Path) -> None:
    slow = site.start(tmp_path / "waits")
    site.write("fast")
    assert site.build() == (1, f"Another build into {site.target} is running.\n")
    (tmp_path / "waits").unlink()
    assert slow.communicate(timeout=60) == (None, "")
    assert slow.returncode == 0
    assert "fast" not in "".join((site.target / f"html/{page}.html").read_text() for page in "ab")


def test_what_is_gone_is_not_published(site: Site) -> None:
    (site.source / "c.rst").unlink()
    (site.source / "index.rst").write_text("All\n===\n\n.. toctree::\n\n   a\n   b\n")
    assert site.build() == (0, "")
    assert "c.html" not in site.published()
