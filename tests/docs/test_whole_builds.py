"""Whatever ends a build, `build/html` is one whole site: the new one, or the last good one."""

import errno
import hashlib
import importlib.util
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

BUILD = Path(__file__).parents[2] / "conf/build.py"
PAGES = ("a", "b", "c")
CONF = """
import os, time
from pathlib import Path

def wait(app, doctree, docname):
    if docname == "b" and (waits := os.environ.get("WAITS")):
        Path(waits).touch()
        while Path(waits).exists():
            time.sleep(0.01)

def setup(app):
    app.connect("doctree-resolved", wait)
"""


class Site:
    """A small Sphinx project and the command that builds it."""

    def __init__(self, folder: Path) -> None:
        self.source, self.target = folder / "docs", folder / "build"
        self.unfinished = self.target / "unfinished"
        self.source.mkdir()
        (self.source / "conf.py").write_text(CONF)
        names = "\n   ".join(PAGES)
        (self.source / "index.rst").write_text(f"All\n===\n\n.. toctree::\n\n   {names}\n")

    def write(self, text: str) -> None:
        """Have every page say a text, and be long."""
        for page in PAGES:
            (self.source / f"{page}.rst").write_text(f"{page}\n=\n\n" + f"{text}\n" * 2000)

    def start(
        self, waits: Path | None = None, prepare: Callable[[], None] | None = None
    ) -> subprocess.Popen[str]:
        """Start a build, which waits in the middle if it is given a file to wait for."""
        environment = os.environ | ({"WAITS": str(waits)} if waits else {})
        command = [sys.executable, str(BUILD), str(self.target), str(self.source), "-q", "-W"]
        return subprocess.Popen(
            command, env=environment, text=True, stderr=subprocess.PIPE, preexec_fn=prepare
        )

    def build(self, prepare: Callable[[], None] | None = None) -> tuple[int, str]:
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

    def left(self) -> list[Path]:
        """Return what builds have left behind."""
        return list(self.unfinished.iterdir())


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made.write("first")
    assert made.build() == (0, "")
    assert "a.html" in made.published()
    return made


def wait_for(path: Path) -> None:
    """Wait until a build has come to its middle."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def succeeds(site: Site, text: str) -> dict[str, str]:
    """Build a text, see it published and nothing left behind; return the site."""
    site.write(text)
    code, said = site.build()
    assert (code, said) == (0, "")
    assert text in (site.target / "html/b.html").read_text()
    assert site.left() == []
    return site.published()


def test_a_failed_build_changes_nothing_and_says_so(site: Site) -> None:
    before = site.published()
    site.write("second :no-such-role:`x`")
    code, said = site.build()
    assert code == 1
    assert said.endswith(f"Not published: {site.target}/html is as it was.\n")
    assert site.published() == before
    assert site.left() == []
    succeeds(site, "third")


def may_be_interrupted() -> None:
    """Heed Ctrl-C again; what a shell starts in the background does not, nor do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_build_changes_nothing(site: Site, tmp_path: Path) -> None:
    before = site.published()
    site.write("second")
    with site.start(tmp_path / "waits", prepare=may_be_interrupted) as process:
        wait_for(tmp_path / "waits")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert site.published() == before
    assert site.left() == []
    succeeds(site, "third")


def test_a_build_killed_at_any_moment_leaves_one_whole_site(site: Site) -> None:
    began = time.monotonic()
    one = succeeds(site, "one")
    seconds = time.monotonic() - began
    two = succeeds(site, "two")
    moments = [random.Random(seed).uniform(0, 1.1 * seconds) for seed in range(8)]
    site.write("one")
    for moment in sorted(moments):
        with site.start() as process:
            time.sleep(moment)
            process.kill()
            process.communicate(timeout=60)
        assert site.published() in (one, two)
    assert succeeds(site, "one") == one


@pytest.mark.parametrize("size", [0, 1_000, 10_000, 20_000])
def test_a_disk_that_is_full_changes_nothing(site: Site, size: int) -> None:
    before = site.published()
    site.write("a second text")
    code, _ = site.build(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    assert code != 0
    assert site.published() == before
    succeeds(site, "third")


def test_two_builds_at_once_do_not_mix(site: Site, tmp_path: Path) -> None:
    slow = site.start(tmp_path / "waits")
    wait_for(tmp_path / "waits")
    site.write("fast")
    assert site.build() == (0, "")
    fast = site.published()
    assert len(site.left()) == 1  # the slow one's, which runs
    (tmp_path / "waits").unlink()
    slow.communicate(timeout=60)
    assert slow.returncode == 0
    assert site.published() != fast
    assert "fast" not in "".join((site.target / f"html/{page}.html").read_text() for page in "ab")
    assert site.left() == []


def test_what_a_dead_build_left_is_removed_by_the_next(site: Site, tmp_path: Path) -> None:
    with site.start(tmp_path / "waits") as process:
        wait_for(tmp_path / "waits")
        process.kill()
        process.communicate(timeout=60)
    assert len(site.left()) == 1
    succeeds(site, "third")


@pytest.fixture
def whole_build() -> ModuleType:
    """conf/build.py as a module."""
    specification = importlib.util.spec_from_file_location("whole_build", BUILD)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_folders_that_cannot_change_places_stay(whole_build: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    with pytest.raises(OSError, match=r"cannot change places: No such file.*new' -> .*old"):
        whole_build.exchange(tmp_path / "new", tmp_path / "old")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("answer", [None, errno.EINVAL])
def test_folders_change_places_where_the_system_has_no_step_for_it(
    whole_build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: int | None
) -> None:
    system = SimpleNamespace() if answer is None else SimpleNamespace(renameat2=lambda *_: -1)
    monkeypatch.setattr(whole_build.ctypes, "CDLL", lambda *_, **__: system)
    monkeypatch.setattr(whole_build.ctypes, "get_errno", lambda: answer)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    whole_build.exchange(tmp_path / "new", tmp_path / "old")
    assert [path.name for path in (tmp_path / "old").iterdir()] == ["new"]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["old"]
