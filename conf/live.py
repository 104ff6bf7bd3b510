"""Serve the site, and build it again on each change, in a fork of a process that is ready to.

`python conf/live.py` takes the arguments of sphinx-autobuild, which does the serving, watching and
reloading. That starts a new Python for each build, which spends most of its time on imports. Here
each build is a fork of one process, which has imported whatever the first build did from outside
this repository; what is inside is imported by the fork, so that an edit of it counts as well.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

import sphinx_autobuild.__main__
import sphinx_autobuild.build
import sphinx_autobuild.server
from sphinx.cmd.build import main

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

COMMANDS, BUILDERS = "subprocess", "ProcessPoolExecutor"
"""The names by which `sphinx_autobuild.build` runs commands, and `.server` calls the builder."""
BUILD = [sys.executable, "-m", "sphinx", "build"]


def serve(arguments: list[str]) -> None:
    """Serve until interrupted.

    Args:
        arguments: sphinx-autobuild's.
    """
    autobuild: Any = sphinx_autobuild.__main__
    options = autobuild._get_sphinx_build_parser().parse_args(arguments)
    config = run_path(str(Path(options.confdir or options.sourcedir) / "conf.py"))
    from myst_nb_fork import warm  # conf.py has said where it is

    # Here, as the process that runs the pages ends with the one that has started it.
    warm.start(config["myst_nb_fork_preload"])
    commands = SimpleNamespace(run=run, CalledProcessError=subprocess.CalledProcessError)
    setattr(sphinx_autobuild.build, COMMANDS, commands)
    # Threads will do where sphinx-autobuild has processes, some of which outlive a killed server.
    setattr(sphinx_autobuild.server, BUILDERS, ThreadPoolExecutor)
    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # sphinx-autobuild names each change
    autobuild.main(["--re-ignore", "__pycache__", *arguments])


def run(command: list[str], *, check: bool) -> None:
    """Do what `subprocess.run` does, but run a build in a fork of this process.

    Args:
        command: the command.
        check: whether to raise an error if it fails.

    Raises:
        subprocess.CalledProcessError: if it fails.
    """
    if command[: len(BUILD)] != BUILD:
        subprocess.run(command, check=check)
        return
    here, there = get_context("fork").Pipe(duplex=False)
    child = get_context("fork").Process(target=_build, args=[command[len(BUILD) :], there])
    child.start()
    there.close()
    with here, contextlib.suppress(EOFError):  # if it has failed before its end
        _import(here.recv())
    child.join()
    if check and child.exitcode:
        raise subprocess.CalledProcessError(child.exitcode, command)


def _build(arguments: list[str], modules: Connection[list[str], object]) -> NoReturn:
    from myst_nb_fork.family import end_with_parent

    end_with_parent()
    status = main(arguments)
    modules.send([name for name, module in sys.modules.items() if _is_outside(module)])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # Python's own way out waits for the threads of the server, which are not here


def _is_outside(module: object) -> bool:
    file = getattr(module, "__file__", None) or ""
    return "site-packages" in file or file.startswith(os.path.dirname(os.__file__))


def _import(names: list[str]) -> None:
    """Have what one build has imported at hand for the next."""
    for name in set(names) - sys.modules.keys():
        importlib.import_module(name)
    gc.freeze()


if __name__ == "__main__":
    serve(sys.argv[1:])
