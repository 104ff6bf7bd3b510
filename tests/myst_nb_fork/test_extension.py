"""What the executor does at each of Sphinx's events."""

import logging as standard_logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from myst_nb.core import execute
from myst_nb.core.config import NbParserConfig
from sphinx.util import logging

import myst_nb_fork
from myst_nb_fork import extension, lean, stale, warm
from myst_nb_fork.client import PageClient
from myst_nb_fork.extension import METADATA, REPLACED, Executor
from myst_nb_fork.messages import Ended, Error, Job, Result, Step
from myst_nb_fork.record import PageRecord

SPHINX = standard_logging.getLogger("sphinx")


class App:
    """Stands for Sphinx's application: keeps what it is told."""

    def __init__(self, folder: Path = Path("/none"), **config: Any) -> None:
        values = {"depends": [], "profile": "", "installed": "", "kernels": False, "preload": []}
        named = {f"myst_nb_fork_{name}": value for name, value in values.items()}
        self.config = SimpleNamespace(**(named | config))
        self.values: dict[str, tuple[Any, ...]] = {}
        self.connected: dict[str, tuple[Callable[..., Any], int]] = {}
        self.events = SimpleNamespace(listeners={"source-read": []})
        self.confdir = str(folder)
        self.parallel = 1

    def add_config_value(self, name: str, default: Any, rebuild: str, types: Any) -> None:
        self.values[name] = (default, rebuild, types)

    def connect(self, event: str, handler: Callable[..., Any], priority: int = 500) -> None:
        self.connected[event] = (handler, priority)


class Lines(standard_logging.Handler):
    """What is logged, with its level and place."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str, Any]] = []

    def emit(self, record: standard_logging.LogRecord) -> None:
        place = getattr(record, "location", None)
        self.lines.append((record.levelname, record.getMessage(), place))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Lines:
    lines = Lines()
    monkeypatch.setattr(SPHINX, "handlers", [lines])
    monkeypatch.setattr(SPHINX, "level", standard_logging.DEBUG)
    monkeypatch.setattr(SPHINX, "disabled", False)
    return lines


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the executor replaces is put back, and the warm process is nobody's."""
    monkeypatch.setattr(execute, REPLACED, "the stock client")
    monkeypatch.setattr(warm, "stop", lambda: None)
    monkeypatch.setattr(warm, "start", lambda preload: ("warm", preload))


def test_the_settings_and_the_events(said: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    app: Any = App()
    assert extension.setup(app) == {"parallel_read_safe": True, "parallel_write_safe": True}
    assert app.values == {
        "myst_nb_fork_depends": ([], "env", list),
        "myst_nb_fork_profile": ("", "", str),
        "myst_nb_fork_installed": (stale.installed(), "env", str),
    }
    names = {event: (handler.__name__, last) for event, (handler, last) in app.connected.items()}
    assert names == {
        "builder-inited": ("prepare", 500),
        "env-get-outdated": ("outdated", 500),
        "env-before-read-docs": ("begin", 500),
        "source-read": ("read", 999),
        "env-purge-doc": ("purge", 500),
        "env-merge-info": ("merge", 500),
        "build-finished": ("conclude", 500),
    }
    assert said.lines == []
    executor = app.connected["source-read"][0].__self__
    monkeypatch.setattr(extension, "Run", lambda *arguments: arguments)
    monkeypatch.setattr(executor.runs, "watch", lambda run: run)
    assert executor.start("a", "job", "config") == (("warm", []), "a", "job", "config")


@pytest.mark.parametrize(
    ("platform", "kernels", "why"),
    [
        ("linux", True, "as myst_nb_fork_kernels says"),
        ("darwin", False, "as only Linux can fork them"),
        ("darwin", True, "as myst_nb_fork_kernels says"),
    ],
)
def test_where_pages_run_in_kernels_it_says_so_and_does_nothing(
    said: Lines, monkeypatch: pytest.MonkeyPatch, platform: str, kernels: bool, why: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    app: Any = App(myst_nb_fork_kernels=kernels)
    assert extension.setup(app) is METADATA
    assert app.connected == {}
    assert said.lines == [("INFO", f"myst_nb_fork: pages run in Jupyter kernels, {why}", None)]


@pytest.mark.parametrize(
    ("platform", "kernels", "done"),
    [
        ("linux", False, [["json"], "lean"]),
        ("linux", True, []),
        ("darwin", False, []),
    ],
)
def test_the_imports_begin_before_anything_else(
    monkeypatch: pytest.MonkeyPatch, platform: str, kernels: bool, done: list[Any]
) -> None:
    did: list[Any] = []
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(warm, "start", did.append)
    monkeypatch.setattr(lean, "import_myst_nb", lambda: did.append("lean"))
    monkeypatch.setattr(extension, "setup", lambda it: did.append((it, "set up")) or METADATA)
    app: Any = App(myst_nb_fork_kernels=kernels, myst_nb_fork_preload=["json"])
    assert myst_nb_fork.setup(app) is METADATA
    assert did == [*done, (app, "set up")]
    assert app.values == {
        "myst_nb_fork_preload": ([], "", list),
        "myst_nb_fork_kernels": (False, "", bool),
    }


class Build:
    """An executor in the middle of a build of two pages, in a folder."""

    def __init__(self, folder: Path, **config: Any) -> None:
        self.app: Any = App(folder, **config)
        self.env: Any = SimpleNamespace()
        self.executor = Executor(self.app)
        self.executor.prepare(self.app)

    def begin(self, *pages: str) -> list[str]:
        names = list(pages)
        self.executor.begin(self.app, self.env, names)
        return names


@pytest.fixture
def build(tmp_path: Path, said: Lines, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    monkeypatch.setattr(extension, "forecast", lambda app, env, page: None)
    started = Build(tmp_path)
    yield started
    started.executor.conclude(started.app, None)


def a_run(error: Error | None = None, *, tb: bool = False, line: int | None = 5) -> Any:
    return SimpleNamespace(
        page="a",
        steps=[Step("cell", "x = 1", line=line), Step("cell", "y = 2", line=9)],
        results=[Result(error=error, seconds=0.5), Result(seconds=0.25)],
        nb_config=SimpleNamespace(execution_show_tb=tb),
        ended=Ended(3.0, 1024, frozenset(), False),
    )


class Quiet:
    """A run of which nothing comes."""

    page, deadline, over = "a", None, False

    def __init__(self) -> None:
        self.connection, self.other = Pipe()
        self.results: list[Result] = []

    def receive(self) -> None:
        self.ended = self.connection.recv()

    def stop(self) -> None:
        self.connection.close()
        self.other.close()


def test_what_runs_is_looked_after_while_sphinx_reads(build: Build, said: Lines) -> None:
    run: Any = Quiet()
    build.begin("a")
    build.executor.runs.watch(run)
    run.over = True
    run.other.send(Ended(2.5, 1024, frozenset(), False))
    build.executor.read(build.app, "a", ["text"])
    assert said.lines == [("INFO", "a: ran in 2.50 s", None)]
    run.stop()


def test_pages_are_read_ahead_and_what_does_not_run_is_read_first(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def forecast(app: Any, env: Any, page: str) -> Any:
        asked.append((app is build.app, env is build.env, page))
        return Quiet() if page in {"a", "c"} else None

    monkeypatch.setattr(extension, "forecast", forecast)
    assert build.begin("a", "b", "c", "d") == ["b", "d", "a", "c"]
    assert asked == [(True, True, page) for page in "abcd"]
    assert getattr(execute, REPLACED) == build.executor._client


def test_where_sphinx_reads_in_several_processes_nothing_is_read_ahead(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "forecast", lambda *_: pytest.fail("read ahead"))
    build.app.parallel = 2
    assert build.begin("b", "a") == ["b", "a"]
    assert build.executor.job(None, ()).watched == frozenset()
    assert getattr(execute, REPLACED) == build.executor._client


def test_a_page_s_job(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib.py").touch()
    build.app.config.myst_nb_fork_depends = ["*.py"]
    monkeypatch.setenv("SET", "early")
    monkeypatch.setenv("PYTHONHASHSEED", "5")
    assert build.executor.outdated(build.app, build.env, {"added"}, set(), set()) == set()
    build.begin("a")
    monkeypatch.setenv("SET", "late")
    steps = (Step("cell", "1"),)
    job = build.executor.job(Path("/site/deep"), steps)
    watched = frozenset({os.path.realpath(tmp_path / "lib.py")})
    assert job == Job("/site/deep", False, job.environment, steps, watched, False)
    assert (job.environment["SET"], job.environment["PYTHONHASHSEED"]) == ("early", "5")
    new = build.executor.job(None, steps)
    assert new == Job(new.folder, True, job.environment, steps, watched, False)
    assert re.search(r"/myst_nb_fork-[^/]+$", new.folder)
    assert Path(new.folder).is_dir()
    build.executor.conclude(build.app, None)
    assert not Path(new.folder).exists()
    monkeypatch.delenv("PYTHONHASHSEED")
    build.begin("a")
    assert build.executor.job(None, ()).environment["PYTHONHASHSEED"] == "0"


def test_a_page_is_started_in_the_warm_process(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(extension, "Run", lambda *arguments: made.append(arguments) or "the run")
    build.app.config.myst_nb_fork_preload = ["json"]
    job, config = Job("/", False, {}, ()), NbParserConfig()
    watched = []
    monkeypatch.setattr(build.executor.runs, "watch", lambda run: watched.append(run) or run)
    assert build.executor.start("a", job, config) == "the run"
    assert made == [(("warm", ["json"]), "a", job, config)]
    assert watched == ["the run"]


@pytest.mark.parametrize(
    ("kernel", "ours"),
    [({"name": "python3"}, True), ({}, True), (None, True), ({"name": "julia"}, False)],
)
def test_pages_that_a_python_kernel_would_run_are_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernel: Any, ours: bool
) -> None:
    stock = SimpleNamespace()
    monkeypatch.setattr(execute, REPLACED, lambda *arguments: (stock, *arguments))
    executor = Executor(App())  # type: ignore[arg-type]
    notebook = nbformat.v4.new_notebook()
    if kernel is not None:
        notebook.metadata["kernelspec"] = nbformat.from_dict(kernel)
    arguments: Any = (notebook, tmp_path / "a.md", NbParserConfig(), logging.getLogger("x"))
    client: Any = executor._client(*arguments)
    if ours:
        assert isinstance(client, PageClient)
        assert (client.notebook, client.path, client.nb_config, client.logger) == arguments
        assert client._executor is executor
    else:
        assert client == (stock, *arguments)


def test_what_is_being_read_is_known(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr(build.executor.runs, "look", lambda: looked.append(1))
    assert build.executor.reading == ("", "")
    build.executor.read(build.app, "a", ["text", "other"])
    assert build.executor.reading == ("a", "text")
    assert looked == [1]


ERROR = Error("E", "100 % why", 1, ("\x1b[31mred",))


def test_a_failure_is_told_once_with_its_place(build: Build, said: Lines) -> None:
    build.begin("a")
    failed = ("WARNING", "E: 100 % why\n    x = 1", "a:5")
    for _ in range(2):
        build.executor.tell(a_run(ERROR), 0)
        build.executor.tell(a_run(ERROR), 1)
    assert [(level, text) for level, text, _ in said.lines] == [failed[:2]]
    assert said.lines[0][2] in {"a:5", ("a", 5)}
    said.lines.clear()
    build.executor.conclude(build.app, None)
    build.begin("a")  # the next build tells it again
    build.executor.tell(a_run(ERROR, tb=True, line=None), 0)
    assert said.lines == [("WARNING", "E: 100 % why\n    x = 1\nred", "a")]


def test_a_failure_is_a_warning_of_a_type_that_can_be_suppressed(
    build: Build, said: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    types: list[Any] = []
    monkeypatch.setattr(said, "emit", lambda record: types.append(record.type))
    build.begin("a")
    build.executor.tell(a_run(ERROR), 0)
    assert types == ["myst_nb_fork"]


@pytest.mark.parametrize(("parallel", "at_once"), [(1, True), (2, False)])
def test_a_failure_is_told_at_once_where_sphinx_holds_warnings_back(
    build: Build, said: Lines, parallel: int, at_once: bool
) -> None:
    build.app.parallel = parallel
    build.begin("a")
    held = Lines()
    SPHINX.handlers = [held]
    build.executor.tell(a_run(ERROR), 0)
    assert (len(said.lines), len(held.lines)) == ((1, 0) if at_once else (0, 1))
    assert SPHINX.handlers == [held]
    SPHINX.handlers = [said]


def listener(module: str) -> Any:
    def handler(*_: object) -> None:
        pass

    handler.__module__ = module
    return SimpleNamespace(handler=handler)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ([], True),
        (["sphinx.ext.thing"], True),
        (["sphinxcontrib.thing"], False),
        (["sphinx.ext.thing", "mine"], False),
        (["mine", "sphinx.ext.thing"], False),
    ],
)
def test_what_comes_in_is_told_unless_the_text_may_still_change(
    build: Build, said: Lines, others: list[str], told: bool
) -> None:
    own = SimpleNamespace(handler=build.executor.read)
    build.app.events.listeners["source-read"] = [own, *map(listener, others)]
    build.begin("a")
    run = a_run(ERROR)
    run.ended = None
    build.executor._observe(run, range(0))
    assert said.lines == []
    build.executor._observe(run, range(2))
    assert [level for level, *_ in said.lines] == (["WARNING"] if told else [])
    run.ended = Ended(3.14159, 1024, frozenset(), False)
    build.executor._observe(run, range(2, 2))
    assert said.lines[-1] == ("INFO", "a: ran in 3.14 s", None)


def test_a_page_s_end_is_waited_for_and_remembered(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib.py").write_text("1")
    build.app.config.myst_nb_fork_depends = ["*.py"]
    build.executor.outdated(build.app, build.env)
    build.begin("a", "b")
    ended = []
    monkeypatch.setattr(build.executor.runs, "end", ended.append)
    run = a_run()
    run.ended = Ended(3.0, 1024, frozenset({os.path.realpath(tmp_path / "lib.py")}), False)
    assert build.executor.finish(run, failed=False) == 0.75
    assert ended == [run]
    record = build.env.myst_nb_fork["a"]
    assert (record.failed, record.seconds, list(record.files.values())) == (
        False,
        3.0,
        ["6b86b273ff34fce1"],
    )
    assert build.executor.outdated(build.app, build.env) == set()
    (tmp_path / "lib.py").write_text("2")
    assert build.executor.outdated(build.app, build.env) == {"a"}
    build.executor.purge(build.app, build.env, "a")
    build.executor.purge(build.app, build.env, "a")
    assert build.env.myst_nb_fork == {}
    build.executor.finish(run, failed=True)
    assert build.executor.outdated(build.app, build.env) == {"a"}


def record(seconds: float) -> PageRecord:
    return PageRecord(False, seconds, 0, (), {}, False)


def test_what_another_process_has_read_is_taken_over(build: Build) -> None:
    build.env.myst_nb_fork = {"a": record(1), "b": record(2)}
    other = SimpleNamespace(myst_nb_fork={"b": record(3), "c": record(4), "d": record(5)})
    build.executor.merge(build.app, build.env, ["b", "c", "text"], other)
    assert build.env.myst_nb_fork == {"a": record(1), "b": record(3), "c": record(4)}
    build.executor.merge(build.app, build.env, ["e"], SimpleNamespace())
    assert list(build.env.myst_nb_fork) == ["a", "b", "c"]


def test_the_end_says_what_was_slow_of_what_ran_and_puts_all_back(
    build: Build, said: Lines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    did = []
    monkeypatch.setattr(warm, "stop", lambda: did.append("warm"))
    monkeypatch.setattr(build.executor.runs, "stop", lambda: did.append("runs"))
    build.executor.conclude(build.app, None)
    assert did == ["runs", "warm"]
    assert said.lines == []
    build.begin("a", "text")
    build.env.myst_nb_fork = {"a": record(1), "before": record(2)}
    build.executor.conclude(build.app, None)
    assert getattr(execute, REPLACED) == "the stock client"
    assert said.lines == [
        ("INFO", "the slowest of 1 pages and of 0 cells that ran:", None),
        ("INFO", "    1.00 s  a", None),
    ]


@pytest.mark.parametrize("way", ["option", "environment", "both"])
def test_a_profile_is_written_where_it_is_wanted(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    profile, other = tmp_path / "profile.json", tmp_path / "other.json"
    written = []
    monkeypatch.setattr(extension, "write_profile", lambda *what: written.append(what))
    if way != "environment":
        build.app.config.myst_nb_fork_profile = str(profile)
    if way != "option":
        monkeypatch.setenv("MYST_NB_FORK_PROFILE", str(profile if way == "environment" else other))
    build.begin("a", "b")
    build.env.myst_nb_fork = {"a": record(1), "before": record(2)}
    build.executor.conclude(build.app, None)
    ((path, records, seconds),) = written
    assert (path, records) == (profile, {"a": record(1)})
    assert 0 < seconds < 60
    build.app.config.myst_nb_fork_profile = ""
    monkeypatch.delenv("MYST_NB_FORK_PROFILE", raising=False)


def test_no_profile_is_written_unasked(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MYST_NB_FORK_PROFILE", raising=False)
    monkeypatch.setattr(extension, "write_profile", lambda *_: pytest.fail("written"))
    build.begin("a")
    build.executor.conclude(build.app, None)
