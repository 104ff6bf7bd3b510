"""Serve the site, and build it again on each change, in a fork of a process that is ready to.

`python conf/live.py` takes the arguments of sphinx-autobuild, which does the serving, watching and
reloading. Where that starts a new Python for each build, which spends most of its time on imports,
this forks one that has imported Sphinx, the theme, the extensions that are installed and what the
pages use. What is in this repository is imported by the fork, so an edit of it counts as well.
"""

from __future__ import annotations

import gc
import importlib
import subprocess
import sys
from importlib.util import find_spec
from multiprocessing import get_context, set_start_method
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import NoReturn

import sphinx_autobuild.__main__
import sphinx_autobuild.build
from sphinx.cmd.build import get_parser, main

REPLACED = "subprocess"
"""The name in `sphinx_autobuild.build` through which it runs commands."""


def serve(arguments: list[str]) -> None:
    """Get ready, then serve until interrupted.

    Args:
        arguments: sphinx-autobuild's.
    """
    options, _ = get_parser().parse_known_args(arguments)
    get_ready(Path(options.confdir or options.sourcedir))
    # Its rebuilds run in a pool's processes; those must be forks too.
    set_start_method("fork")
    commands = SimpleNamespace(run=run, CalledProcessError=subprocess.CalledProcessError)
    setattr(sphinx_autobuild.build, REPLACED, commands)
    sphinx_autobuild.__main__.main(["--re-ignore", "__pycache__", *arguments])


def get_ready(folder: Path) -> None:
    """Import what builds need, and have the process started that runs the pages.

    Args:
        folder: where conf.py is.
    """
    config = run_path(str(folder / "conf.py"))
    from page_executor import lean, warm  # conf.py has said where it is

    warm.start(config["page_executor_preload"])
    lean.import_myst_nb()
    for name in [*config["page_executor_preload"], *config["extensions"], config["html_theme"]]:
        if "site-packages" in str(getattr(find_spec(name), "origin", "")):
            importlib.import_module(name)
    gc.freeze()


def run(command: list[str], *, check: bool) -> None:
    """Run a command as `subprocess.run` does, but a build in a fork of this process.

    Args:
        command: what to run.
        check: whether to raise an error if it fails.
    """
    build = [sys.executable, "-m", "sphinx", "build"]
    if command[: len(build)] != build:
        subprocess.run(command, check=check)
        return
    child = get_context("fork").Process(target=_build, args=[command[len(build) :]])
    child.start()
    child.join()
    if check and child.exitcode:
        raise subprocess.CalledProcessError(child.exitcode, command)


def _build(arguments: list[str]) -> NoReturn:
    sys.exit(main(arguments))


if __name__ == "__main__":
    serve(sys.argv[1:])
