"""Serve the site, and build it again on each change, in a fork of a process that is ready to.

`python conf/live.py` takes the arguments of sphinx-autobuild, which does the serving, watching and
reloading. That starts a new Python for each build, which spends most of its time on imports. Here
each build is a fork of one process, which has imported whatever the first build did from outside
this repository; what is inside is imported by the fork, so that an edit of it counts as well.

A build that cannot be made, since the library cannot be imported for one, leaves what is served as
it was: every page says so, with the cause, which is also the last that the terminal shows.
"""

from __future__ import annotations

import contextlib
import gc
import html
import importlib
import logging
import os
import re
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

import sphinx._cli.util.errors
import sphinx_autobuild.__main__
import sphinx_autobuild.build
import sphinx_autobuild.server
from sphinx.cmd.build import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

BUILD = [sys.executable, "-m", "sphinx", "build"]
_BANNER = re.compile(r"<!--not built-->.*?<!--/-->", re.DOTALL)
_STYLE = "padding:1rem;margin:0;background:#b00020;color:#fff;white-space:pre-wrap"


class Builder(sphinx_autobuild.build.Builder):  # type: ignore[misc]  # it has no annotations
    """Builds in forks of this process."""

    def __init__(self, arguments: list[str], **others: Any) -> None:
        super().__init__(arguments, **others)
        options = sphinx_autobuild.__main__._get_sphinx_build_parser().parse_args(arguments)
        self._served = Path(options.outputdir)
        self._cause = ""
        error = subprocess.CalledProcessError
        commands: Any = SimpleNamespace(run=self.run, CalledProcessError=error)
        sphinx_autobuild.build.subprocess = commands  # which it calls where `run` stands in

    def __call__(self, *, changed_paths: Sequence[Path]) -> None:
        """Build; if that was not possible, say why, on the pages and at last in the terminal."""
        super().__call__(changed_paths=changed_paths)
        say_on_pages(self._served, self._cause)
        if self._cause:
            print(f"\nThe site was not built:\n{self._cause}", flush=True)

    def run(self, command: list[str], *, check: bool) -> None:
        """Do what `subprocess.run` does, but run a build in a fork of this process."""
        if command[: len(BUILD)] != BUILD:
            subprocess.run(command, check=check)
            return
        here, there = get_context("fork").Pipe(duplex=False)
        child = get_context("fork").Process(target=_build, args=[command[len(BUILD) :], there])
        child.start()
        there.close()
        self._cause = "its process has ended"
        with here, contextlib.suppress(EOFError):  # if it has
            names, self._cause = here.recv()
            for name in set(names) - sys.modules.keys():
                importlib.import_module(name)  # at hand for the next build
            gc.freeze()
        child.join()
        if check and child.exitcode:
            raise subprocess.CalledProcessError(child.exitcode, command)


def serve(arguments: list[str]) -> None:
    """Serve until interrupted; the arguments are sphinx-autobuild's."""
    autobuild: Any = sphinx_autobuild.__main__
    options = autobuild._get_sphinx_build_parser().parse_args(arguments)
    config = run_path(str(Path(options.confdir or options.sourcedir) / "conf.py"))
    from myst_nb_fork import warm  # conf.py has said where it is

    # Here, as the process that runs the pages ends with the one that has started it.
    warm.keep(warm.Warm(config["myst_nb_fork_preload"]))

    autobuild.Builder = Builder
    # Threads will do where sphinx-autobuild has processes, some of which outlive a killed server.
    sphinx_autobuild.server.ProcessPoolExecutor = ThreadPoolExecutor
    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # sphinx-autobuild names each change
    autobuild.main(["--re-ignore", "__pycache__", *arguments])


def say_on_pages(folder: Path, cause: str) -> None:
    """Have every page of a site say that it is older than its sources, and why; or no page."""
    told = f"Not built since the last change:\n{html.escape(cause)}"
    banner = f'<!--not built--><pre style="{_STYLE}">{told}</pre><!--/-->' if cause else ""
    index = folder / "index.html"
    if banner and not index.exists():
        index.write_text("<!DOCTYPE html><body></body>", encoding="utf-8")
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        said = _BANNER.sub("", text)
        said = re.sub(r"<body[^>]*>", lambda body: body[0] + banner, said, count=1)
        if said != text:
            times = page.stat()  # by which Sphinx knows what it need not write again
            partial = page.with_suffix(".partial")  # the page may be on its way to a browser
            partial.write_text(said, encoding="utf-8")
            os.utime(partial, ns=(times.st_atime_ns, times.st_mtime_ns))
            partial.replace(page)


def root_cause(error: BaseException) -> str:
    """What led to an error in the first place, and where in this repository, if it was there."""
    while (earlier := error.__cause__ or error.__context__) is not None:
        error = earlier
    frames = traceback.extract_tb(error.__traceback__)
    places = [(frame.filename, frame.lineno) for frame in frames]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno))
    ours = [place for place in places if not _outside(place[0])] or places
    where = "{}:{}: ".format(*ours[-1]) if ours else ""
    return f"{where}{type(error).__name__}: {error}"


def _build(arguments: list[str], results: Connection[tuple[list[str], str], object]) -> NoReturn:
    from myst_nb_fork.family import end_with_parent

    end_with_parent()
    causes = []
    # Sphinx's own asks to report a fault of Sphinx, and hides what led to it.
    handler: Any = lambda error, **_: causes.append(root_cause(error))  # noqa: E731
    sphinx._cli.util.errors.handle_exception = handler
    status = main(arguments)
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    outside = [name for name, file in files.items() if file and _outside(file)]
    results.send((outside, causes[0] if causes else ""))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # Python's own way out waits for the threads of the server, which are not here


def _outside(file: str) -> bool:
    return "site-packages" in file or file.startswith(os.path.dirname(os.__file__))


if __name__ == "__main__":
    serve(sys.argv[1:])
