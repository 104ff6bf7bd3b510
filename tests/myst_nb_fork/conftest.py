"""Small Sphinx projects whose pages run, and a look at the processes that they leave."""

import html
import io
import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from myst_nb_fork import warm
from myst_nb_fork.messages import Job, Step
from myst_nb_fork.run import Run
from myst_nb_fork.scheduler import Scheduler

PACKAGE = Path(__file__).parents[2] / "src"
MARK = "MYST_NB_FORK_TEST"  # in the environment of every process that a test starts
FRONT_MATTER = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
---
"""
COLOR = re.compile(r"\x1b\[[0-9;]*m")
ENTRY = re.compile(r"\n(?=/|WARNING)")


def cell(source: str, options: str = "") -> str:
    """A code cell of a page."""
    return f"```{{code-cell}} python\n{options}{source}\n```\n\n"


@dataclass
class Built:
    """What a build said and made."""

    folder: Path
    status: str
    warnings: list[str]
    code: int

    def notebook(self, page: str) -> dict[str, Any]:
        """An executed page."""
        text = (self.folder / f"jupyter_execute/{page}.ipynb").read_text()
        notebook: dict[str, Any] = json.loads(text)
        return notebook

    def cells(self, page: str) -> list[dict[str, Any]]:
        """The code cells of an executed page."""
        return [cell for cell in self.notebook(page)["cells"] if cell["cell_type"] == "code"]

    def text(self, page: str) -> list[str]:
        """What each code cell of a page has shown, as text."""
        return [shown(cell["outputs"]) for cell in self.cells(page)]

    def html(self, page: str) -> str:
        """A page as published."""
        return (self.folder / f"html/{page}.html").read_text()

    def prose(self, page: str) -> str:
        """The words of a page as published."""
        body = self.html(page).partition("<body>")[2]
        return " ".join(html.unescape(re.sub(r"<[^>]*>", "", body)).split())


def built_once(folder: Path, shared: warm.Warm, config: dict[str, Any], pages: Any) -> Built:
    """Many pages in one build, from a table: a name to cells, and to anything else."""
    project = Project(folder)
    for name, (cells, *_) in pages.items():
        project.page(name, *cells)
    warm.keep(shared)
    try:
        return project.build(**config)
    finally:
        warm.keep(None)


def shown(outputs: list[dict[str, Any]]) -> str:
    """Outputs as text."""
    parts = []
    for output in outputs:
        if output["output_type"] == "error":
            parts.append(f"{output['ename']}: {output['evalue']}")
        else:
            parts.append("".join(output.get("text") or output["data"]["text/plain"]))
    return "".join(parts)


class Project:
    """A Sphinx project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "docs"
        self.source.mkdir()
        self.config: dict[str, Any] = {
            "extensions": ["myst_nb_fork", "myst_nb"],
            "nb_execution_mode": "inline",
            "nb_eval_name_regex": "^.+$",
        }
        self.names: list[str] = []

    def page(self, name: str, *cells: str, front_matter: str = FRONT_MATTER) -> Path:
        """Write a page: its cells, with their text between them."""
        path = self.source / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{front_matter}\n# {name}\n\n" + "".join(cells))
        if name not in self.names:
            self.names.append(name)
        return path

    def notebook(self, name: str, *sources: str, outputs: list[Any]) -> None:
        """Write a page as a notebook, each of whose cells has been run before."""
        cells = [
            {"id": f"mine-{number}", "cell_type": "code", "source": source, "metadata": {}}
            | {"outputs": outputs, "execution_count": 9}
            for number, source in enumerate(sources)
        ]
        kernel = {"name": "python3", "display_name": "Python 3"}
        page = {"cells": cells, "metadata": {"kernelspec": kernel}}
        text = json.dumps({**page, "nbformat": 4, "nbformat_minor": 5})
        (self.source / f"{name}.ipynb").write_text(text)
        self.names.append(name)

    def extension(self, name: str, event: str, source: str) -> None:
        """Have an extension of this name handle one of Sphinx's events with a function's body."""
        body = "\n".join(f"    {line}" for line in source.splitlines())
        setup = f"def setup(app):\n    app.connect({event!r}, handle)\n"
        text = f"import os, sys, time\n\ndef handle(app, *given):\n{body}\n\n{setup}"
        module = f"{name}_{uuid.uuid4().hex}"  # Python keeps what it has imported for another test
        (self.folder / f"{module}.py").write_text(text)
        self.config["extensions"] = [*self.config["extensions"], module]

    def write(self) -> None:
        """Write the index and conf.py."""
        listing = "\n".join(self.names)
        (self.source / "index.md").write_text(f"# All\n\n```{{toctree}}\n{listing}\n```\n")
        lines = [f"{name} = {value!r}" for name, value in self.config.items()]
        path = f"import sys\nsys.path[:0] = [{str(PACKAGE)!r}, {str(self.folder)!r}]\n"
        (self.source / "conf.py").write_text(path + "\n".join(lines) + "\n")

    def build(self, *, fresh: bool = False, parallel: int = 1, **config: Any) -> Built:
        """Build in this process."""
        self.write()
        status, warnings = io.StringIO(), io.StringIO()
        with patch_docutils(), docutils_namespace(), pytest.MonkeyPatch.context() as environment:
            # A kernel that finds this does not capture its descriptors.
            environment.delenv("PYTEST_CURRENT_TEST", raising=False)
            environment.setattr(sys, "path", sys.path[:])
            places = (self.source, self.source, self.folder / "html", self.folder / "doctrees")
            said = {"status": status, "warning": warnings, "warningiserror": True}
            more = {"confoverrides": config, "freshenv": fresh, "parallel": parallel}
            app = Sphinx(*places, "html", **said, **more)
            app.build()
        text = COLOR.sub("", warnings.getvalue()).strip()
        told = COLOR.sub("", status.getvalue())
        return Built(self.folder, told, ENTRY.split(text) if text else [], app.statuscode)

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Build in a process of its own."""
        self.write()
        build = ["-u", "-m", "sphinx", *options, "-d", self.folder / "doctrees"]
        command = [sys.executable, *build, self.source, self.folder / "html"]
        said = subprocess.PIPE
        return subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, text=True)

    def run(self, *options: str) -> list[str]:
        """Build in a process of its own; the lines that it printed."""
        with self.start(*options) as process:
            return COLOR.sub("", process.communicate(timeout=60)[0]).splitlines()


@pytest.fixture(scope="session")
def shared() -> Iterator[warm.Warm]:
    """A warm process for all builds that need nothing special of it: starting one takes time."""
    process = warm.Warm([])
    yield process
    process.stop()


@pytest.fixture
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Project]:
    """A project without pages."""
    if "token" not in request.fixturenames:
        warm.keep(request.getfixturevalue("shared"))
    yield Project(tmp_path)
    warm.keep(None)


def alone(process: warm.Warm, *steps: str | Step, timeout: float = 0, **keywords: Any) -> Run:
    """A page that has run without Sphinx, in a warm process; `keywords` are its `Job`'s."""
    steps = tuple(Step("cell", step) if isinstance(step, str) else step for step in steps)
    keywords = {"folder": "/", "temporary": False, "environment": {}} | keywords
    scheduler = Scheduler(process, lambda *_: None)
    settings: Any = SimpleNamespace(execution_timeout=timeout)
    run = scheduler.start("page", Job(steps=steps, **keywords), settings)
    try:
        assert wait_until(lambda: scheduler.look() or run.over), "the page does not end"
    finally:
        run.stop()
    return run


def said(run: Run) -> list[str]:
    """What each step of a page has written and shown, as text, or the error that ended it."""
    texts = []
    for result in run.results:
        parts = [
            content["text"] if kind == "stream" else content["data"]["text/plain"]
            for kind, content in result.messages
            if kind in {"stream", "execute_result", "display_data"}
        ]
        texts.append("".join(parts) + (str(result.error) if result.error else ""))
    return texts


def marked(token: str) -> set[int]:
    """The processes that were started with a token in their environment, this one left out."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={token}".encode() in path.read_bytes():
                found.add(int(path.parent.name))
        except OSError:
            continue  # it has ended, or is another user's
    return found - {os.getpid()}


def wait_until(condition: Any, seconds: float = 20) -> bool:
    """Whether a condition comes true within the time."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(condition())


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Marks all processes that the test starts; none of them may outlive it."""
    name = uuid.uuid4().hex
    monkeypatch.setenv(MARK, name)
    yield name
    assert wait_until(lambda: not marked(name), 10), f"left behind: {marked(name)}"
