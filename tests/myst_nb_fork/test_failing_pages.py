"""A page that fails is reported where it fails, and nothing of it stays behind."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from myst_nb.core.config import NbParserConfig

from myst_nb_fork import warm
from myst_nb_fork.messages import Job, Step
from myst_nb_fork.scheduler import Scheduler
from tests.myst_nb_fork.conftest import Built, Project, built_once, cell, said

BUILD = Path(__file__).parents[2] / "conf/build.py"
DEFINED = cell("def f(x):\n    raise ValueError('in f')\n\nasync def g():\n    f(1)")
BROKEN = "class X:\n    def __repr__(self):\n        raise KeyError('repr')\n\nX()"
RAISES = ":tags: [raises-exception]\n\n"  # which excuses an exception, and no more
DIED = "DeadPageError: the page's process was killed"
ZERO = "ZeroDivisionError: division by zero"
EXITED = "DeadPageError: the page's process exited with status"

# Cells after the definitions above; the line that is named, and what is said.
FAILS: dict[str, tuple[list[str], int, str]] = {
    "plain": ([cell("x = 1\n\nassert x == 2, 'expected 2'")], 19, "AssertionError: expected 2"),
    "field": ([cell("1 / 0", ":tags: [hide-input]\n")], 18, ZERO),
    "fields": ([cell("1 / 0", ":tags: [hide-input]\n:other: 1\n\n")], 20, ZERO),
    "block": ([cell("1 / 0", "---\ntags: [hide-input]\n---\n\n\n")], 22, ZERO),
    "twice": ([cell("1 / 0", RAISES), cell("1 / 0")], 23, ZERO),
    "gap": ([cell("\n\nx = 1\n1 / 0")], 20, ZERO),
    "syntax": ([cell("x = 1\n\nx = = 2")], 19, "SyntaxError: invalid syntax (cell_2.py, line 3)"),
    "exec": (
        [cell("exec('\\n\\n\\nx = =')")],
        17,
        "SyntaxError: invalid syntax (<string>, line 4)",
    ),
    "called": ([cell("x = 1\nf(x)")], 18, "ValueError: in f"),
    "inner": ([cell("def h():\n    f(1)\n\nh()")], 18, "ValueError: in f"),
    "awaited": ([cell("x = 1\nawait g()")], 18, "ValueError: in f"),
    "line_magic": (
        [cell("x = 1\n%nothing")],
        18,
        "UsageError: Line magic function `%nothing` not found.",
    ),
    "cell_magic": ([cell("%%nothing\n1")], 17, "UsageError: Cell magic `%%nothing` not found."),
    "exit": ([cell("import sys\nsys.exit(3)")], 18, "SystemExit: 3"),
    "silent": ([cell("raise KeyError")], 17, "KeyError"),
    "shown": ([cell(BROKEN)], 17, "KeyError: 'repr'"),
    "transformed": (
        [cell("get_ipython().input_transformers_post.append(lambda lines: 1 / 0)"), cell("1")],
        21,
        ZERO,
    ),
    "asks": (
        [cell("input('?')")],
        17,
        "StdinNotImplementedError: a page cannot ask for input: it runs when the site is built",
    ),
    "last_and_removed": ([cell("1"), cell("1 / 0", ":tags: [remove-cell]\n\n")], 23, ZERO),
    "exits": ([cell("import os\nos._exit(3)", RAISES)], 19, f"{EXITED} 3"),
    "killed": ([cell("import os\nos.kill(os.getpid(), 9)", RAISES)], 19, f"{DIED}: Killed"),
    "crashes": (
        [cell("import ctypes\nctypes.string_at(0)", RAISES)],
        19,
        f"{DIED}: Segmentation fault",
    ),
    "leaves": ([cell("exit()", RAISES)], 19, "DeadPageError: the page has ended itself"),
    "closes": ([cell("import os\nos.closerange(3, 99)")], 17, f"{EXITED} 1"),
    "expression": ([cell("import os"), "{eval}`os._exit(4)`\n\n"], 0, f"{EXITED} 4"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, shared: warm.Warm) -> Built:
    pages = {
        name: ([DEFINED, *cells, "{eval}`2`\n\n", cell("'after'")],)
        for name, (cells, *_) in FAILS.items()
    }
    pages["healthy"] = ([DEFINED, cell("'well'")],)
    return built_once(tmp_path_factory.mktemp("fails"), shared, {}, pages)


@pytest.mark.parametrize("page", FAILS)
def test_a_failure_is_reported_once_with_the_page_s_own_line(built: Built, page: str) -> None:
    _, line, message = FAILS[page]
    told = [text for text in built.warnings if text.endswith("[myst_nb_fork]")]
    (warning,) = [text for text in told if f"/{page}.md:" in text]
    place = f"{page}.md:{line}" if line else f"{page}.md"
    assert f"/{place}: WARNING: {message}\n    " in warning
    assert built.text("healthy") == ["", "'well'"]
    assert (built.text(page)[-1], built.cells(page)[-1]["execution_count"]) == ("", None)


def test_a_log_that_is_named_is_there_and_has_it_all(built: Built) -> None:
    named = [text.removesuffix(" [myst_nb_fork]").split("all of it: ") for text in built.warnings]
    logs = {Path(rest[0]).stem: Path(rest[0]).read_text() for _, *rest in named if rest}
    assert {"plain.err", "exec.err", "awaited.err"} <= logs.keys()
    assert "assert x == 2" in logs["plain.err"]
    assert "in g()" in logs["awaited.err"]
    assert "\x1b" not in "".join(logs.values())
    assert not any("saved in" in text for text in built.warnings)


def test_a_page_that_has_ended_computes_no_sentence(built: Built) -> None:
    ended = [text for text in built.warnings if "the page has ended in a cell above" in text]
    assert len(ended) >= sum("DeadPage" in message for *_, message in FAILS.values())


def test_a_long_message_is_cut_and_whole_in_the_log(project: Project) -> None:
    project.page("long", cell("raise ValueError('\\n'.join(f'row {n}' for n in range(100)))"))
    log = project.folder / "html/reports/long.err.log"
    (warning,) = project.build().warnings
    lines = warning.splitlines()
    assert lines[0].endswith("long.md:9: WARNING: ValueError: row 0")
    assert lines[4:] == [
        "row 4",
        "    … and 95 lines more",
        "    raise ValueError('\\n'.join(f'row {n}' for n in range(100)))",
        f"    all of it: {log} [myst_nb_fork]",
    ]
    assert log.read_text().count("row ") >= 100
    project.page("long", cell("1"))
    project.build()
    assert not log.exists()


def test_a_log_that_is_named_is_there_after_a_build_that_is_not_published(project: Project) -> None:
    project.page("fails", cell("1 / 0"))
    project.write()
    command = [sys.executable, BUILD, project.folder / "build", project.source, "-q", "-W"]
    done = subprocess.run([*command, "--keep-going"], capture_output=True, text=True)
    (log,) = re.findall(r"all of it: (.*) \[", done.stderr.partition("\n\n")[0])
    assert ZERO in Path(log).read_text()
    assert (done.returncode, "saved in" in done.stderr) == (1, False)


def test_a_traceback_is_shown_if_wanted(project: Project) -> None:
    for name in ("a", "b", "c"):
        project.page(name, cell("def f():\n    1 / 0"), cell("f()"), cell("print('not run')"))
    warnings = project.build(nb_execution_show_tb=True).warnings
    places = {text.partition(": WARNING")[0].rpartition("/")[2] for text in warnings}
    assert places == {"a.md:14", "b.md:14", "c.md:14"}
    assert all("in f()" in text and "\x1b" not in text for text in warnings)


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


def test_failures_and_progress_appear_as_they_happen(project: Project, token: str) -> None:
    project.page("a", cell("import time\ntime.sleep(2)"))
    project.page("b", cell("1 / 0"))
    lines = project.run("-D", "myst_nb_fork_preload=no_such_module")
    failure = next(number for number, line in enumerate(lines) if "b.md:9: WARNING" in line)
    slow = next(number for number, line in enumerate(lines) if line.startswith("a: ran in 2."))
    assert failure < slow
    said = "myst_nb_fork: no_such_module cannot be imported in advance: No module named"
    assert any(line.startswith(said) for line in lines)


STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.alarm(0)\n"
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
TIMEOUT = "CellTimeoutError: it was still running after 2 s"
HANGS: dict[str, tuple[list[str], str]] = {
    "sleeps": ([cell(STUBBORN + "import time\ntime.sleep(99)")], TIMEOUT),
    "waits_for_another": ([cell("%%bash\nsleep 99")], TIMEOUT),
    "loops": ([cell(STUBBORN + "while True: pass")], TIMEOUT),
    "leaves": ([cell(LEFT)], ""),
    "leaves_and_exits": ([cell(LEFT + "os._exit(1)")], f"{EXITED} 1"),
    "leaves_and_dies": ([cell(LEFT + "os.kill(os.getpid(), 9)")], f"{DIED}: Killed"),
    "leaves_and_hangs": ([cell(LEFT + "time.sleep(99)")], TIMEOUT),
    "hangs_in_its_last_breath": (
        [cell("import atexit, time\natexit.register(time.sleep, 99);")],
        "",
    ),
}


def test_pages_that_hang_or_leave_processes_are_ended_with_all_that_they_left(
    tmp_path: Path, token: str
) -> None:
    project = Project(tmp_path)
    for name, (cells, _) in HANGS.items():
        project.page(name, *cells, cell("'after'"))
    built = project.build(nb_execution_timeout=2)  # the fixture looks for what is left
    failed = {text.rpartition("/")[2].partition(".md")[0]: text for text in built.warnings}
    assert failed.keys() == {name for name, (_, message) in HANGS.items() if message}
    assert all(f"WARNING: {HANGS[name][1]}" in text for name, text in failed.items())
    assert {name: built.text(name)[-1] for name in HANGS} == {
        name: "" if message else "'after'" for name, (_, message) in HANGS.items()
    }


def test_time_counts_while_nobody_looks_and_only_while_a_cell_runs(project: Project) -> None:
    project.extension("slow", "source-read", "time.sleep(2 * (given[0] == 'a'))")
    project.page("a", "text\n", front_matter="")
    project.page("long", cell("import time\ntime.sleep(1.1)"))
    project.page("short", cell("import time\ntime.sleep(0.1)"))
    (warning,) = project.build(nb_execution_timeout=1).warnings
    assert "long.md:9: WARNING: CellTimeoutError" in warning


def test_the_end_of_the_warm_process_is_survived(project: Project, token: str) -> None:
    project.page("a", cell("import os, signal, time\nos.kill(os.getppid(), 9)\ntime.sleep(9)"))
    for name in ("b", "c"):
        project.page(name, cell("import time\ntime.sleep(9)"))
    for _ in range(2):  # nor does a process that is kept for many builds serve when it is dead
        built = project.build()
        assert "DeadPageError: the process that runs the pages has ended" in built.warnings[0]
    project.page("a", cell("1"))
    assert project.build(nb_execution_timeout=1).text("a") == ["1"]


def test_a_fault_of_the_executor_itself_is_said(
    token: str, capfd: pytest.CaptureFixture[str]
) -> None:
    process = warm.Warm([])
    scheduler = Scheduler(process, lambda *_: None)
    job = Job("/no/such/folder", False, dict(os.environ), (Step("cell", "1"),))
    run = scheduler.start("a", job, NbParserConfig())
    assert "exited with status 1" in str(scheduler.result(run, 0).error)
    process.stop()
    assert "FileNotFoundError" in capfd.readouterr().err


def test_pages_that_are_not_wanted_any_more_end_and_say_nothing(
    tmp_path: Path, token: str, capfd: pytest.CaptureFixture[str]
) -> None:
    process = warm.Warm([])  # as in `docs-live`, where it outlives a build that crashes
    scheduler = Scheduler(process, lambda *_: None)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    steps = (Step("cell", "import time\ntime.sleep(99)"),)
    job = Job(str(scratch), True, dict(os.environ), steps)
    for _ in range(3 * (os.cpu_count() or 1)):  # more than run at a time: others wait
        scheduler.start("a", job, NbParserConfig())
    scheduler.look(block=True)
    scheduler.stop()
    for folder in scratch.iterdir():
        folder.rmdir()
    scratch.rmdir()
    last = Job("/", False, dict(os.environ), (Step("cell", "1"),))
    run = scheduler.start("b", last, NbParserConfig())
    scheduler.end(run)
    assert said(run) == ["1"]
    process.stop()
    assert capfd.readouterr().err == ""
