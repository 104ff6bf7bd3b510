"""Run Python scripts, each in a fork of one process that has imported torch; name what fails.

As many run at once as there are processors: half of their time they wait, for processes of theirs.
A script finds of our own packages only those that its first lines say it needs.
"""

import contextlib
import os
import runpy
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import torch._dynamo

import vtj  # noqa: F401 - imported once, before the forks


def unneeded(text: str) -> list[str]:
    """Return our packages that a script does not say it needs, with all that is in them."""
    opening = "\n".join(text.splitlines()[:3])
    if "clone" in opening and "pip install -e" in opening:
        return []
    hidden = ("vtj_site", "tests") if "`vtj`" in opening else ("vtj", "vtj_site", "tests")
    loaded = [name for name in sys.modules if name.partition(".")[0] in hidden]
    return [*hidden, *loaded]


def begun(script: Path) -> tuple[int, IO[str]]:
    """Begin a script in a fork; return the fork, and the file that gets its traceback."""
    said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read when the fork has ended
    child = os.fork()
    if not child:
        os.chdir(tempfile.mkdtemp())
        for package in unneeded(script.read_text(encoding="utf-8")):
            sys.modules[package] = None  # type: ignore[assignment]  # an import of it fails
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                runpy.run_path(str(script), run_name="__main__")
        except BaseException:
            traceback.print_exc(file=said)
        said.flush()
        os._exit(0)
    return child, said


def failures(scripts: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the scripts that fail, each with its traceback."""
    waiting, running = list(scripts), dict[int, tuple[str, IO[str]]]()
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            name = waiting.pop(0)
            child, said = begun(Path(name).resolve())
            running[child] = name, said
        child, _ = os.wait()
        name, said = running.pop(child)
        with said:
            said.seek(0)
            if text := said.read():
                yield name, text


if __name__ == "__main__":
    torch._dynamo.reset()
    found = list(failures(sys.argv[1:]))
    for name, text in found:
        print(f"{name}\n{text}")
    sys.exit(bool(found))
