"""Run Python scripts, each in a fork of one process that has imported torch; name what fails.

A script finds of our own packages only those that its first lines say it needs.
"""

import contextlib
import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path

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


def failure(script: Path) -> str:
    """Return the traceback of a script that fails, or nothing."""
    with tempfile.TemporaryFile("w+") as said:
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
        os.waitpid(child, 0)
        said.seek(0)
        return said.read()


if __name__ == "__main__":
    torch._dynamo.reset()
    failures = {name: failure(Path(name).resolve()) for name in sys.argv[1:]}
    for name, text in failures.items():
        if text:
            print(f"{name}\n{text}")
    sys.exit(any(failures.values()))
