"""A page runs as in a process of its own, and says what became of each step."""

import json
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from myst_nb_fork.messages import Began, Ended, Error, Job, Result, Step
from myst_nb_fork.warm import Warm
from tests.myst_nb_fork.conftest import alone, said, wait_until

OF_A_KERNEL = {
    "TERM": "xterm-color",
    "CLICOLOR": "1",
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
}
BACKEND = "module://matplotlib_inline.backend_inline"


def test_the_messages_of_a_page_come_in_their_order(shared: Warm) -> None:
    steps = (Step("cell", "1"), Step("eval", "_ + 1"), Step("cell", "1 / 0"), Step("cell", "3"))
    before = time.monotonic()
    ours, status = shared.submit(Job("/", False, {}, (*steps, Step("eval", "2", may_raise=True))))
    got: list[Any] = []
    with Connection(ours.detach()) as connection:
        while not (got and isinstance(got[-1], Ended)):
            assert connection.poll(10)
            got.append(connection.recv())
    after = time.monotonic()
    kinds = [type(message) for message in got]
    assert kinds == [int, Began, Result, Began, Result, Began, Result, Result, Began, Result, Ended]
    assert not Path(f"/proc/{got[0]}").exists() or os.getpgid(got[0]) == got[0]
    times = [message.when for message in got if isinstance(message, Began)]
    assert [before, *times, after] == sorted([before, *times, after])
    assert [result.ran for result in got if isinstance(result, Result)] == [True] * 3 + [
        False,
        True,
    ]
    with open(status, "rb") as file:
        assert file.read() == bytes(4)


def test_a_page_says_what_it_took(shared: Warm, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("used.txt", "other.txt")]
    for file in files:
        file.touch()
    watched = frozenset(map(str, files))
    source = f"import time\ntime.sleep(0.2)\nx = open({str(files[0])!r})\ny = bytearray(50 << 20)"
    run = alone(shared, "1", source, watched=watched)
    assert run.ended is not None
    first, second = (result.seconds for result in run.results)
    assert 0 < first < 0.2 <= second <= first + second < run.ended.seconds < 20
    assert 50 << 20 < run.ended.peak_bytes < 2 << 30
    assert run.ended.peak_bytes % 1024 == 0
    assert run.ended.files == {str(files[0])}
    assert not run.ended.started_processes
    run = alone(shared, "import os\nos.system('true');", watched=watched)
    assert run.ended is not None
    assert (run.ended.files, run.ended.started_processes) == (frozenset(), True)


def test_a_page_has_the_environment_that_it_is_given(shared: Warm) -> None:
    source = "import json, os\nprint(json.dumps(dict(os.environ)))"
    (text,) = said(alone(shared, source, environment={"GIVEN": "1"}))
    assert json.loads(text) == {"GIVEN": "1", "MPLBACKEND": BACKEND, **OF_A_KERNEL}
    (text,) = said(alone(shared, source, environment={"MPLBACKEND": "agg"}))
    assert json.loads(text) == {"MPLBACKEND": "agg", **OF_A_KERNEL}


def test_a_page_runs_in_its_folder_or_in_a_new_one_in_it(shared: Warm, tmp_path: Path) -> None:
    source = "import os\nprint(os.getcwd(), end='')"
    assert said(alone(shared, source, folder=str(tmp_path))) == [str(tmp_path)]
    new = Path(said(alone(shared, source, folder=str(tmp_path), temporary=True))[0])
    assert new.parent == tmp_path
    assert list(tmp_path.iterdir()) == [new]


def test_a_page_finds_the_modules_of_its_folder_before_those_installed(
    shared: Warm, tmp_path: Path
) -> None:
    for name in ("nearby", "alabaster", "json"):  # alabaster comes with Sphinx
        (tmp_path / f"{name}.py").write_text("here = True\n")
    source = "import {0} as module\nhasattr(module, 'here')"
    run = alone(
        shared,
        "import sys\nprint(sys.argv, sys.path.count(''), sys.path[0] == '')",
        *(source.format(name) for name in ("nearby", "alabaster", "json")),
        folder=str(tmp_path),
    )
    assert said(run) == ["[''] 1 False\n", "True", "True", "False"]


def test_where_nothing_is_installed_the_folder_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from myst_nb_fork.page import _import_from_folder

    monkeypatch.setattr(sys, "path", ["/lib/python3", "/lib/zip"])
    _import_from_folder()
    assert sys.path == ["", "/lib/python3", "/lib/zip"]
    monkeypatch.setattr(sys, "path", ["/lib/python3", "/lib/site-packages", "/src"])
    _import_from_folder()
    assert sys.path == ["/lib/python3", "", "/lib/site-packages", "/src"]


def test_a_page_is_alone_and_nothing_is_left_over(shared: Warm) -> None:
    source = (
        "import atexit, builtins, getpass, sys\n"
        "print(sorted(name for name in globals() if name[0] != '_'))\n"
        "print(get_ipython().history_manager.enabled, get_ipython().execution_count)\n"
        "print(atexit._ncallbacks(), 'myst_nb_fork' in sys.path[0])\n"
        "print(builtins.input is getpass.getpass, __name__)"
    )
    names = ["In", "Out", "atexit", "builtins", "exit", "get_ipython", "getpass", "open", "quit"]
    (text,) = said(alone(shared, source))
    lines = text.splitlines()
    assert eval(lines[0]) == [*names, "sys"]
    assert lines[1:] == ["False 2", "3 False", "True __main__"]


def test_expressions_are_no_cells(shared: Warm) -> None:
    steps = (Step("cell", "41"), Step("eval", "_ + 1"), Step("cell", "_, In[-1], len(In)"))
    run = alone(shared, *steps)
    assert said(run) == ["41", "42", "(42, '_, In[-1], len(In)', 3)"]
    assert run.results[2].messages[0][1]["execution_count"] == 2


@pytest.mark.parametrize(
    "ask", ["input()", "input('?')", "import getpass\ngetpass.getpass(prompt='?')"]
)
def test_no_input(shared: Warm, ask: str) -> None:
    reason = "a page cannot ask for input: it runs when the site is built"
    assert said(alone(shared, ask)) == [f"StdinNotImplementedError: {reason}"]


BROKEN = "class X:\n    def __repr__(self):\n        raise KeyError('repr')\n\nX()"
DEFINED = "def f(x):\n    raise ValueError('in f')\n\nasync def g():\n    f(1)"


@pytest.mark.parametrize(
    ("source", "name", "message", "line"),
    [
        ("x = 1\n1 / 0", "ZeroDivisionError", "division by zero", 2),
        ("\n\nx = 1\n1 / 0", "ZeroDivisionError", "division by zero", 4),
        ("raise KeyError", "KeyError", "", 1),
        ("x = 1\n\nx = = 2", "SyntaxError", "invalid syntax (cell_2.py, line 3)", 3),
        ("\nx = = 2", "SyntaxError", "invalid syntax (cell_2.py, line 1)", 2),
        ("exec('\\n\\n\\nx = =')", "SyntaxError", "invalid syntax (<string>, line 4)", 1),
        ("x = 1\nf(x)", "ValueError", "in f", 2),
        ("def h():\n    f(1)\n\nh()", "ValueError", "in f", 2),
        ("x = 1\nawait g()", "ValueError", "in f", 2),
        ("await 5", "TypeError", "object int can't be used in 'await' expression", 1),
        ("x = 1\n%nothing", "UsageError", "Line magic function `%nothing` not found.", 2),
        ("%%nothing\n1", "UsageError", "Cell magic `%%nothing` not found.", 1),
        ("import sys\nsys.exit(3)", "SystemExit", "3", 2),
        (BROKEN, "KeyError", "'repr'", None),
        (f"print('before')\n{BROKEN}", "KeyError", "'repr'", None),
    ],
)
def test_an_error_is_told_with_its_line(
    shared: Warm, source: str, name: str, message: str, line: int | None
) -> None:
    run = alone(shared, DEFINED, source)
    error = run.results[1].error
    assert error == Error(name, message, line, error.traceback if error else ())
    shown = [content for kind, content in run.results[1].messages if kind == "error"]
    assert error.traceback == (tuple(shown[-1]["traceback"]) if shown else ())
    if name not in {"UsageError"}:
        assert name in "".join(error.traceback)


def test_a_cell_that_fails_has_taken_its_time(shared: Warm) -> None:
    run = alone(shared, "import time\ntime.sleep(0.1)\n1 / 0")
    assert 0.1 <= run.results[0].seconds < 20


def test_more_steps_may_come_while_a_page_runs(shared: Warm) -> None:
    job = Job("/", False, {}, (Step("cell", "x = 1"),), follow=True)
    ours, _ = shared.submit(job)
    got: list[Any] = []
    with Connection(ours.detach()) as connection:
        for step in (Step("cell", "x + 1"), Step("eval", "x"), None):
            connection.send(step)
        while not (got and isinstance(got[-1], Ended)):
            assert connection.poll(10)
            got.append(connection.recv())
    texts = [
        result.messages[0][1]["data"]["text/plain"]
        for result in got
        if isinstance(result, Result) and result.messages
    ]
    assert texts == ["2", "1"]


def test_an_error_that_a_cell_shows_itself_is_none(shared: Warm) -> None:
    source = "try:\n    1 / 0\nexcept ZeroDivisionError:\n    get_ipython().showtraceback()"
    run = alone(shared, source, "2")
    assert [kind for kind, _ in run.results[0].messages] == ["error"]
    assert run.results[0].error is None
    assert said(run)[1] == "2"


def test_what_is_awaited_is_a_cell_as_any_other(shared: Warm) -> None:
    events = "['pre_execute', 'pre_run_cell', 'post_execute', 'post_run_cell']"
    first = (
        "import asyncio\n"
        "seen = []\n"
        f"for name in {events}:\n"
        "    def note(*arguments, name=name):\n"
        "        seen.append((name, *[type(argument).__name__ for argument in arguments]))\n"
        "    get_ipython().events.register(name, note)\n"
        "seen.clear()\n"
        "loop = asyncio.get_event_loop()"
    )
    waits = "await asyncio.sleep(0.01, 'awaited')"
    run = alone(
        shared,
        first,
        f"seen.clear()\n{waits}",
        "now, _ = seen[:], seen.clear()\nnow",
        "seen",
        "asyncio.get_running_loop() is loop, In[2], get_ipython().execution_count",
        Step("eval", waits),
        "print(len(In))",
    )
    texts = said(run)
    assert texts[1] == "'awaited'"
    told = [
        ("post_execute",),
        ("post_run_cell", "ExecutionResult"),
        ("pre_execute",),
        ("pre_run_cell", "ExecutionInfo"),
    ]
    assert [eval(texts[2]), eval(texts[3])] == [told, told]
    assert texts[4] == "(True, \"seen.clear()\\nawait asyncio.sleep(0.01, 'awaited')\", 6)"
    assert texts[5:] == ["'awaited'", "7\n"]


def test_what_is_awaited_and_fails_has_ended_all_the_same(shared: Warm) -> None:
    first = (
        "import asyncio\nended = []\n"
        "get_ipython().events.register('post_execute', lambda: ended.append(1))\nended.clear()"
    )
    steps = [Step("cell", "await 5", may_raise=True), "ended"]
    assert said(alone(shared, first, *steps))[2] == "[1, 1]"


def test_a_transformation_that_fails_is_told(shared: Warm) -> None:
    add = "get_ipython().input_transformers_post.append(lambda lines: 1 / 0)"
    run = alone(shared, add, "1")
    error = run.results[1].error
    assert error is not None
    assert (error.name, error.message, error.line) == (
        "ZeroDivisionError",
        "division by zero",
        None,
    )


def test_a_page_that_leaves_says_nothing_more(shared: Warm) -> None:
    run = alone(shared, "1", "exit()", "3")
    assert said(run)[:2] == ["1", "DeadPageError: the page has ended itself"]
    assert [result.ran for result in run.results] == [True, True, False]
    assert run.results[1].error == Error("DeadPageError", "the page has ended itself", fatal=True)


def test_a_page_leaves_at_the_end_of_its_cell_as_with_a_kernel(
    shared: Warm, tmp_path: Path
) -> None:
    alone(shared, f"exit()\nopen({str(tmp_path / 'after')!r}, 'w').close()", "1")
    assert (tmp_path / "after").exists()


def test_a_fork_that_is_left_in_a_cell_ends_with_it(shared: Warm) -> None:
    # From Python 3.12 on it warns of threads.
    fork = "import os, warnings\nwarnings.simplefilter('ignore')\nchild = os.fork()"
    wait = "print('once')\nos.waitpid(child, 0)[1]"
    assert said(alone(shared, fork, wait)) == ["", "once\n0"]


def test_random_numbers_are_each_page_s_own() -> None:
    process = Warm(["numpy.random"])
    draws = [said(alone(process, "import numpy\nnumpy.random.random()")) for _ in range(2)]
    process.stop()
    assert draws[0] != draws[1]


@pytest.mark.parametrize(
    "register",
    [
        "atexit.register(end)",
        "weakref.finalize(end, end)",
        "from multiprocessing import util\nutil.Finalize(None, end, exitpriority=1)",
        "import logging\nhandler = logging.FileHandler({path!r}, delay=True)\nhandler.close = end",
    ],
)
def test_what_is_registered_for_the_end_of_a_page_is_done(
    shared: Warm, tmp_path: Path, register: str
) -> None:
    path = str(tmp_path / "ended")
    define = f"import atexit, weakref\ndef end():\n    open({path!r}, 'w').close()\n"
    alone(shared, define + register.format(path=path) + ";")
    assert wait_until(Path(path).exists, 5)


def test_what_an_import_has_registered_is_not_done_for_each_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "import atexit, os, weakref\n"
        "class Thing: pass\n"
        "thing = Thing()\n"
        "def note(): open(os.path.join(os.path.dirname(__file__), 'noted'), 'w').close()\n"
        "atexit.register(note)\nweakref.finalize(thing, note)\n"
    )
    (tmp_path / "registers.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = Warm(["registers"])
    run = alone(process, "import registers\nregisters.thing is not None")
    process.stop()  # which waits for the page
    assert said(run) == ["True"]
    assert not (tmp_path / "noted").exists()


def test_the_end_of_a_page_is_not_waited_for_for_ever(shared: Warm) -> None:
    source = (
        "import atexit, signal, time\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
        "atexit.register(time.sleep, 60);"
    )
    ours, status = shared.submit(Job("/", False, {}, (Step("cell", source),)))
    started = time.monotonic()
    with open(status, "rb") as file:
        code = int.from_bytes(file.read(), "little")
    ours.close()
    assert os.WTERMSIG(code) == signal.SIGALRM
    assert 3 <= time.monotonic() - started < 12
