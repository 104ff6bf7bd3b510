"""Places in which the site is built: namespaces of Linux, in which the tests themselves run too.

`nox -s places` starts them in one, where they may mount and unshare as root of the namespace alone.
Where the system allows none, that fails; nothing is left out.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.reproducible.same_bytes import clone, first_difference

STRICT = ["-q", "-n", "-W", "--keep-going", "-c", "conf"]


@contextmanager
def mounted(*words: str | Path) -> Iterator[None]:
    """Mount something on a folder, which comes last, and unmount it at the end."""
    run("mount", *words)
    try:
        yield
    finally:
        run("umount", words[-1])


def run(*words: str | Path, **environment: str) -> str:
    """Run a command and return what it printed; if it fails, say what it printed as an error."""
    ran = subprocess.run(
        [str(word) for word in words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{' '.join(map(str, words))}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


class Commit:
    """What is committed, checked out; and the site that an ordinary build makes of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = clone(folder / "checkout")
        self.targets = folder
        self.build("ordinary")

    def build(self, target: str, *enter: str | Path, **environment: str) -> Path:
        """Build into a folder outside the checkout, with a command before that enters a place."""
        folder = self.targets / target
        folder.mkdir()
        build = [sys.executable, "conf/build.py", folder, "docs", *STRICT]
        run(
            *("env", f"--chdir={self.folder}", *enter, *build),
            PYTHONPATH=str(self.folder / "src"),
            **environment,
        )
        return folder / "html"

    def differs(self, site: Path) -> str | None:
        """Name the first difference of a site from the one of the ordinary build."""
        return first_difference(self.targets / "ordinary/html", site)


@pytest.fixture(scope="session")
def commit(tmp_path_factory: pytest.TempPathFactory) -> Commit:
    """What is committed, built once."""
    return Commit(tmp_path_factory.mktemp("places"))
