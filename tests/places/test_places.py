"""The site is the same, byte for byte, wherever it is built; and each place is what it is called.

A path with spaces and other letters, a time zone and another locale are tested by
`nox -s reproducible`.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.places.conftest import Commit, mounted, run

NO_NETWORK = [
    *("unshare", "--user", "--map-root-user", "--net"),
    *(sys.executable, str(Path(__file__).with_name("loopback.py"))),
]
A_USER = ["unshare", "--user", "--map-user=54321", "--map-group=54321"]
NOBODY_KNOWN = {"HOME": "/nonexistent", "USER": "", "LOGNAME": ""}
SEVEN_BITS = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
NO_SUCH_HOST = "192.0.2.1"  # reserved for documentation: nobody has it


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_without_a_network(commit: Commit) -> None:
    assert commit.differs(commit.build("no network", *NO_NETWORK)) is None


def test_there_is_no_network_but_the_loopback() -> None:
    ask = f"import socket; socket.create_connection(('{NO_SUCH_HOST}', 80))"
    listen = "import socket; print(socket.create_server(('127.0.0.1', 0)).getsockname()[0])"
    with pytest.raises(AssertionError, match="Network is unreachable"):
        run(*NO_NETWORK, *python(ask))
    assert run(*NO_NETWORK, *python(listen)) == "127.0.0.1\n"


def test_a_network_that_is_there_is_not_taken_for_none() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ANOTHER_INTERFACE, *NO_NETWORK[-1:]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (
        1,
        "expected no network but the loopback, found eth0, eth1\n",
    )


ANOTHER_INTERFACE = """
import runpy, socket, sys
socket.if_nameindex = lambda: [(1, "lo"), (2, "eth0"), (3, "eth1")]
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_as_root_on_a_read_only_file_system(commit: Commit) -> None:
    folder = commit.folder
    with mounted("--bind", folder, folder):
        run("mount", "-o", "remount,bind,ro,nosuid,nodev", folder)
        assert run("id", "-u") == "0\n"
        with pytest.raises(AssertionError, match="Read-only file system"):
            run("touch", folder / "docs/more.md")
        assert commit.differs(commit.build("read-only")) is None


def test_as_a_user_without_name_home_or_right_to_write(commit: Commit) -> None:
    folder = commit.folder
    run("chmod", "-R", "a-w", folder)
    try:
        assert run(*A_USER, "id", "-u") == "54321\n"
        with pytest.raises(AssertionError, match="Permission denied"):
            run(*A_USER, "touch", folder / "docs/more.md")
        with pytest.raises(AssertionError, match="uid not found: 54321"):
            run(*A_USER, *python("import os, pwd; pwd.getpwuid(os.getuid())"))
        assert commit.differs(commit.build("a user", *A_USER, **NOBODY_KNOWN)) is None
    finally:
        run("chmod", "-R", "u+w", folder)


def test_in_a_locale_of_seven_bits(commit: Commit) -> None:
    encodings = "import locale, sys; print(locale.getencoding(), sys.getfilesystemencoding())"
    assert run(*python(encodings), **SEVEN_BITS) == "ANSI_X3.4-1968 ascii\n"
    assert commit.differs(commit.build("seven bits", **SEVEN_BITS)) is None
