"""No process outlives a build, however the build ends; and what a page registers for its end."""

import os
import signal
from multiprocessing import get_context
from pathlib import Path

import pytest
from myst_nb.core import execute

from myst_nb_fork import warm
from tests.myst_nb_fork.conftest import Project, cell, marked, wait_until

LEAVES = (
    "import signal, subprocess, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "subprocess.Popen(['sh', '-c', 'trap \"\" TERM HUP INT; while :; do sleep 9; done'],\n"
    "                 start_new_session=True)\n"
    "print('begun', flush=True)\n"
    "time.sleep(99)"
)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_build_leaves_no_process(project: Project, token: str, number: int) -> None:
    project.page("a", cell(LEAVES))
    project.page("b", cell(LEAVES))
    ignored = signal.signal(signal.SIGINT, signal.SIG_DFL)  # if this process ignores it, so do all
    build = project.start()
    signal.signal(signal.SIGINT, ignored)
    assert wait_until(lambda: len(marked(token)) >= 2 + 2 * min(2, os.cpu_count() or 1), 60)
    os.kill(build.pid, number)
    build.communicate(timeout=20)
    assert wait_until(lambda: not marked(token), 10)


@pytest.mark.parametrize("event", ["source-read", "env-get-outdated", "env-before-read-docs"])
def test_a_build_that_crashes_leaves_no_process_and_no_trace(
    project: Project, token: str, event: str, capfd: pytest.CaptureFixture[str]
) -> None:
    stock = execute.NotebookClientInline, execute.NotebookClientDirect
    for name in "abcdef":
        project.page(name, cell(LEAVES))
    project.extension("crash", event, "raise KeyError('planted')")
    with pytest.raises(Exception, match="planted"):
        project.build(nb_execution_in_temp=True)
    assert not marked(token)
    assert (execute.NotebookClientInline, execute.NotebookClientDirect) == stock
    assert capfd.readouterr().err == ""


def test_a_build_with_nothing_to_run_does_not_wait_for_the_imports(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "slow_import.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setenv("PYTHONPATH", str(project.folder))
    project.page("plain", "text\n", front_matter="")
    assert project.build(myst_nb_fork_preload=["slow_import"]).code == 0
    assert not marked(token)


def test_a_kept_process_serves_one_build_after_another_also_in_forks(
    project: Project, token: str
) -> None:
    process = warm.Warm(["json"])
    warm.keep(process)
    project.page("a", cell("import os\nos.getppid()"))
    parents = {project.build(fresh=True, myst_nb_fork_preload=["json"]).text("a")[0]}
    for _ in range(2):
        child = get_context("fork").Process(
            target=project.build, kwargs={"fresh": True, "myst_nb_fork_preload": ["json"]}
        )
        child.start()
        child.join()
        assert child.exitcode == 0
    parents.add(project.build(fresh=True, myst_nb_fork_preload=["json"]).text("a")[0])
    assert len(parents) == 1
    assert parents != set(project.build(fresh=True, myst_nb_fork_preload=["csv"]).text("a"))
    assert process.alive
    warm.release(process)
    assert process.alive
    process.stop()


ENDS = {
    "atexit": "atexit.register(end)",
    "finalize": "weakref.finalize(end, end)",
    "multiprocessing": "multiprocessing.util.Finalize(None, end, exitpriority=1)",
    "logging": "handler = logging.FileHandler('log', delay=True)\nhandler.close = end",
    "slowly": "import time\natexit.register(end)\natexit.register(time.sleep, 0.3)",
}
REGISTERS = (
    "import atexit, os, weakref\n"
    "class Thing: pass\nthing = Thing()\n"
    "def note(): open(os.path.join(os.path.dirname(__file__), 'noted'), 'w').close()\n"
    "atexit.register(note)\nweakref.finalize(thing, note)\n"
)


def test_what_a_page_registers_for_its_end_is_done_and_what_an_import_has_is_not(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.folder / "registers.py").write_text(REGISTERS)
    monkeypatch.setenv("PYTHONPATH", str(project.folder))
    marks = [project.folder / f"{name}-ended" for name in ENDS]
    for mark, register in zip(marks, ENDS.values(), strict=True):
        define = f"def end():\n    open({str(mark)!r}, 'w').close()\n"
        imports = "import atexit, logging, multiprocessing.util, registers, weakref\n"
        project.page(mark.name, cell(imports + define + register + ";"))
    project.build(myst_nb_fork_preload=["registers"])  # which waits for their ends
    assert [mark.exists() for mark in marks] == [True] * len(marks)
    assert not Path(project.folder, "noted").exists()
