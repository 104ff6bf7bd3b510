"""A page that fails is reported where it fails, and nothing of it stays behind."""

import os

import pytest
from myst_nb.core.config import NbParserConfig

from myst_nb_fork import warm
from myst_nb_fork.messages import Job, Step
from myst_nb_fork.run import Run
from myst_nb_fork.runs import Runs
from tests.myst_nb_fork.conftest import Project, cell

STYLES = {
    "none": "",
    "field": ":tags: [hide-input]\n",
    "fields": ":tags: [hide-input]\n:other: 1\n\n",
    "block": "---\ntags: [hide-input]\nmystnb:\n  number_source_lines: true\n---\n",
    "block_and_gap": "---\ntags: [hide-input]\n---\n\n\n",
}


@pytest.mark.parametrize("style", STYLES)
def test_a_failure_is_reported_with_the_page_s_own_line(project: Project, style: str) -> None:
    source = "x = 1\n\nif x:\n    assert x == 2, 'expected 2'\n"
    page = project.page("fails", "Some text.\n\n", cell("x = 0"), cell(source, STYLES[style]))
    line = page.read_text().splitlines().index("    assert x == 2, 'expected 2'") + 1
    built = project.build()
    warning = f"{page}:{line}: WARNING: AssertionError: expected 2\n    assert x == 2, 'expected 2'"
    assert built.warnings[0] == f"{warning} [myst_nb_fork]"
    assert built.code == 1


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("x = 1\nx = = 2", 10, "SyntaxError: invalid syntax (cell_2.py, line 2)\n    x = = 2"),
        ("x = 1\nf(x)", 10, "ValueError: in f\n    f(x)"),
        ("def g():\n    raise KeyError(1)\n\ng()", 10, "KeyError: 1\n    raise KeyError(1)"),
        ("x = 1\n%nothing", 10, "UsageError: Line magic function `%nothing` not found."),
        ("%%nothing\n1\n2", 9, "UsageError: Cell magic `%%nothing` not found."),
        ("exec('x = =')", 9, "SyntaxError: invalid syntax (<string>, line 1)\n    exec"),
        ("import sys\nsys.exit(3)", 10, "SystemExit: 3\n    sys.exit(3)"),
        ("raise ValueError", 9, "ValueError\n    raise ValueError"),
        ("await f(1)\n", 9, "ValueError: in f\n    await f(1)"),
        (
            "class X:\n    def __repr__(self):\n        raise KeyError('repr')\n\nX()",
            9,
            "KeyError: 'repr'",
        ),
    ],
)
def test_the_line_is_the_one_in_the_failing_cell(
    project: Project, source: str, line: int, message: str
) -> None:
    project.page("fails", cell("def f(x):\n    raise ValueError('in f')"), cell(source))
    warning = project.build().warnings[0]
    assert f"fails.md:{line + 5}: WARNING: {message}" in warning


def test_every_failing_page_is_reported_with_its_traceback_if_wanted(project: Project) -> None:
    for name in ("a", "b", "c"):
        project.page(name, cell("def f():\n    1 / 0"), cell("f()"), cell("print('not run')"))
    built = project.build(nb_execution_show_tb=True)
    failures = [text for text in built.warnings if "[myst_nb_fork]" in text]
    places = {text.partition(": WARNING")[0].rpartition("/")[2] for text in failures}
    assert places == {"a.md:14", "b.md:14", "c.md:14"}
    assert all("in f()" in text and "\x1b" not in text for text in failures)
    assert built.text("c")[2] == ""
    assert (project.folder / "html/reports/a.err.log").exists()


def test_a_failure_can_stop_the_build(project: Project) -> None:
    project.page("fails", cell("1 / 0"))
    with pytest.raises(Exception, match=r"fails\.md"):
        project.build(nb_execution_raise_on_error=True)


def test_a_failed_page_runs_again_and_so_warns_again(project: Project) -> None:
    project.page("fails", cell("1 / 0"))
    project.page("passes", cell("1"))
    for _ in range(2):
        built = project.build()
        assert "ZeroDivisionError" in built.warnings[0]
    assert "passes: ran" not in built.status
    project.page("fails", cell("1 / 1"))
    assert project.build().warnings == []
    assert "ran in" not in project.build().status


def test_failures_and_progress_appear_as_they_happen(project: Project) -> None:
    project.page("a", cell("import time\ntime.sleep(3)"))
    project.page("b", cell("1 / 0"))
    lines = project.run()
    failure = next(number for number, line in enumerate(lines) if "b.md:9: WARNING" in line)
    slow = next(number for number, line in enumerate(lines) if line.startswith("a: ran in 3."))
    assert failure < slow


ENDS = {
    "exits": ("import os\nos._exit(3)", "the page's process exited with status 3"),
    "killed": ("import os\nos.kill(os.getpid(), 9)", "the page's process was killed: Killed"),
    "crashes": (
        "import ctypes\nctypes.string_at(0)",
        "the page's process was killed: Segmentation fault",
    ),
    "leaves": ("exit()", "the page has ended itself"),
    "closes": ("import os\nos.closerange(3, 99)", "the page's process exited with status 1"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_page_that_ends_itself_is_reported(project: Project, token: str, end: str) -> None:
    source, message = ENDS[end]
    options = ":tags: [raises-exception]\n\n"  # which excuses an exception, and no more
    project.page(end, cell("1"), cell(source, options), "{eval}`2`\n\n", cell("3"))
    project.page("other", cell("4"))
    built = project.build()
    first = source.splitlines()[0]
    warning = f"{end}.md:15: WARNING: DeadPageError: {message}\n    {first} [myst_nb_fork]"
    assert warning in built.warnings[0]
    assert built.text(end) == ["1", "", ""]
    assert built.text("other") == ["4"]
    assert any("the page has ended in a cell above" in text for text in built.warnings)


def test_an_expression_that_ends_the_page_is_reported(project: Project) -> None:
    project.page("ends", cell("import os"), "{eval}`os._exit(1)`\n\n", cell("1"))
    built = project.build()
    assert "DeadPageError: the page's process exited with status 1" in built.warnings[0]
    assert built.text("ends") == ["", ""]


@pytest.mark.parametrize(
    "hang", ["import time\ntime.sleep(99)", "%%bash\nsleep 99", "while True: pass"]
)
def test_a_cell_that_takes_too_long_ends_the_page(project: Project, token: str, hang: str) -> None:
    ignore = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.alarm(0);"
    project.page("hangs", cell(ignore), cell(hang), cell("1"))
    built = project.build(nb_execution_timeout=1)
    message = "WARNING: CellTimeoutError: it was still running after 1 s"
    assert message in built.warnings[0]
    assert built.text("hangs") == ["", "", ""]


def test_a_cell_that_took_too_long_while_nobody_looked_fails_too(project: Project) -> None:
    (project.folder / "slow.py").write_text(
        "import time\n\ndef read(app, page, text):\n    time.sleep(1.5 * (page == 'a'))\n\n"
        "def setup(app):\n    app.connect('source-read', read)\n"
    )
    project.page("a", "text\n", front_matter="")
    project.page("b", cell("import time\ntime.sleep(1.1)"))
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        extensions = ["myst_nb_fork", "myst_nb", "slow"]
        built = project.build(extensions=extensions, nb_execution_timeout=1)
    assert "b.md:9: WARNING: CellTimeoutError" in built.warnings[0]


def test_a_cell_that_took_its_time_while_nobody_looked_is_in_time(project: Project) -> None:
    (project.folder / "slow.py").write_text(
        "import time\n\ndef read(app, page, text):\n    time.sleep(2 * (page == 'a'))\n\n"
        "def setup(app):\n    app.connect('source-read', read)\n"
    )
    project.page("a", "text\n", front_matter="")
    project.page("b", cell("import time\ntime.sleep(0.1)"))
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        extensions = ["myst_nb_fork", "myst_nb", "slow"]
        built = project.build(extensions=extensions, nb_execution_timeout=1)
    assert built.warnings == []


LEFT = """
import os, signal, subprocess, sys, threading, time
stubborn = (
    "import os, signal, time\\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\\n"
    "signal.signal(signal.SIGHUP, signal.SIG_IGN)\\n"
    "os.fork() or os.setsid()\\n"
    "os.fork()\\n"
    "print('started', flush=True)\\n"
    "time.sleep(99)"
)
command = [sys.executable, "-c", stubborn]
child = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
subprocess.run(["sh", "-c", "sleep 99 & sleep 99 &"], stdout=subprocess.DEVNULL)
threading.Thread(target=time.sleep, args=[99]).start()
"""


@pytest.mark.parametrize("end", ["", "os._exit(1)", "os.kill(os.getpid(), 9)", "time.sleep(99)"])
def test_a_page_that_leaves_threads_and_processes_leaves_none(
    project: Project, token: str, end: str
) -> None:
    project.page("leaves", cell(LEFT + end))
    project.page("other", cell("4"))
    built = project.build(nb_execution_timeout=3)
    assert built.code == bool(end)
    assert built.text("other") == ["4"]


def test_a_page_that_hangs_in_its_last_breath_does_not_hold_up_the_build(
    project: Project, token: str
) -> None:
    project.page("end", cell("import atexit, time\natexit.register(time.sleep, 99);"))
    assert project.build().code == 0


def test_the_end_of_the_warm_process_is_survived(project: Project, token: str) -> None:
    project.page(
        "a", cell("import os, signal\nos.kill(os.getppid(), 9)\nimport time\ntime.sleep(9)")
    )
    project.page("b", cell("2"))
    project.page("c", cell("import time\ntime.sleep(9)"))
    project.page("d", cell("4"))
    built = project.build()
    assert "DeadPageError: the process that runs the pages has ended" in built.warnings[0]


def test_what_cannot_be_imported_in_advance_is_said_and_left_to_the_pages(project: Project) -> None:
    project.page("a", cell("1"))
    lines = project.run("-D", "myst_nb_fork_preload=no_such_module")
    said = "myst_nb_fork: no_such_module cannot be imported in advance: No module named"
    assert any(line.startswith(said) for line in lines)
    assert any(line.startswith("a: ran in") for line in lines)


def test_a_fault_of_the_executor_itself_is_said(
    token: str, capfd: pytest.CaptureFixture[str]
) -> None:
    process = warm.Warm([])
    job = Job("/no/such/folder", False, dict(os.environ), (Step("cell", "1"),))
    runs = Runs(lambda *_: None)
    run = runs.watch(Run(process, "a", job, NbParserConfig()))
    assert "exited with status 1" in str(runs.result(run, 0).error)
    process.stop()
    assert "FileNotFoundError" in capfd.readouterr().err


def test_a_page_that_is_not_wanted_any_more_ends(token: str) -> None:
    process = warm.Warm([])
    slow = Job("/", False, dict(os.environ), (Step("cell", "import time\ntime.sleep(99)"),))
    runs = Runs(lambda *_: None)
    for _ in range(3 * (os.cpu_count() or 1)):  # more than run at a time: others wait
        runs.watch(Run(process, "a", slow, NbParserConfig()))
    runs.look(block=True)
    runs.stop()
    job = Job("/", False, dict(os.environ), (Step("cell", "1"),))
    last = runs.watch(Run(process, "b", job, NbParserConfig()))
    assert runs.result(last, 0).error is None
    runs.end(last)
    last.stop()  # it has ended
    process.stop()
