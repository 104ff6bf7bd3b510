"""The site is the same, byte for byte, in a hostile place; a full disk leaves it as it was.

`nox -s places` starts these tests in a namespace of Linux, where they may mount and unshare as root
of the namespace alone. Where the system allows none, that fails; nothing is left out. Another path,
time zone and locale are tested by `nox -s reproducible`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.test_whole_builds import Site
from tests.reproducible.same_bytes import clone, first_difference

BUILD = [sys.executable, "conf/build.py"]
STRICT = ["docs", "-q", "-n", "-W", "--keep-going", "-c", "conf"]
NO_NETWORK = [
    *("unshare", "--user", "--map-root-user", "--net"),
    *(sys.executable, str(Path(__file__).with_name("loopback.py"))),
]
A_USER = ["unshare", "--user", "--map-user=54321", "--map-group=54321"]
HOSTILE = {
    **{"HOME": "/nonexistent", "USER": "", "LOGNAME": ""},
    **{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
NO_SUCH_HOST = "192.0.2.1"  # reserved for documentation: nobody has it
PROOFS = {  # code, and what the place makes of it
    f"import socket; socket.create_connection(('{NO_SUCH_HOST}', 80))": "Network is unreachable",
    "import socket; socket.create_server(('127.0.0.1', 0)); exit('it is there')": "it is there",
    "open('docs/more.md', 'w')": "Read-only file system",
    "import os, pwd; pwd.getpwuid(os.getuid())": "uid not found: 54321",
    "import locale; exit(locale.getencoding())": "ANSI_X3.4-1968",
}


def run(*words: str | Path, folder: Path | None = None, **environment: str) -> tuple[int, str]:
    """Run a command; return its exit status and what it printed as an error."""
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stderr


@contextmanager
def mounted(*words: str | Path) -> Iterator[None]:
    """Mount something on a folder, which comes last, and unmount it at the end."""
    assert run("mount", *words) == (0, "")
    try:
        yield
    finally:
        run("umount", words[-1])


def test_in_a_hostile_place(tmp_path: Path) -> None:
    """No network, a read-only checkout, a user without name and home, a locale of seven bits."""
    folder = clone(tmp_path / "checkout")
    library = {"PYTHONPATH": str(folder / "src")}
    sites = [tmp_path / "ordinary", tmp_path / "hostile"]
    status, printed = run(*BUILD, sites[0], *STRICT, folder=folder, **library)
    assert status == 0, printed
    sites[1].mkdir()
    hostile = {**library, **HOSTILE}
    with mounted("--bind", folder, folder):
        assert run("mount", "-o", "remount,bind,ro,nosuid,nodev", folder) == (0, "")
        for code, said in PROOFS.items():
            status, printed = run(
                *NO_NETWORK, *A_USER, sys.executable, "-c", code, folder=folder, **hostile
            )
            assert status == 1
            assert said in printed
        status, printed = run(
            *NO_NETWORK, *A_USER, *BUILD, sites[1], *STRICT, folder=folder, **hostile
        )
        assert status == 0, printed
    assert first_difference(sites[0] / "html", sites[1] / "html") is None


def test_a_network_that_is_there_is_not_taken_for_none() -> None:
    ran = run(sys.executable, "-c", ANOTHER_INTERFACE, *NO_NETWORK[-1:])
    assert ran == (1, "expected no network but the loopback, found eth0, eth1\n")


ANOTHER_INTERFACE = """
import runpy, socket, sys
socket.if_nameindex = lambda: [(1, "lo"), (2, "eth0"), (3, "eth1")]
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.target.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=8m", "none", site.target):
        site.succeeds("first")
        before = site.published()
        ballast = site.target / "ballast"
        ballast.write_bytes(bytes(shutil.disk_usage(site.target).free - 200_000))
        site.write("a second text")
        code, said = site.build()
        assert code != 0
        assert "No space left on device" in said
        assert site.published() == before
        ballast.unlink()
        site.succeeds("third")
