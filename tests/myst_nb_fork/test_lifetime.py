"""No process outlives a build, however the build ends."""

import os
import signal
import sys
from multiprocessing import get_context

import pytest

from myst_nb_fork import warm
from tests.myst_nb_fork.conftest import Built, Project, cell, marked, wait_until

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
    assert wait_until(lambda: len(marked(token)) >= 2 + 2 * min(2, os.cpu_count() or 1))
    os.kill(build.pid, number)
    build.communicate(timeout=20)
    assert wait_until(lambda: not marked(token), 10)


def test_a_build_that_crashes_leaves_no_process(project: Project, token: str) -> None:
    project.page("a", cell(LEAVES))
    project.config["nb_execution_timeout"] = 30
    (project.folder / "crash.py").write_text(
        "def crash(app, page, text):\n    raise KeyError('planted')\n\n"
        "def setup(app):\n    app.connect('source-read', crash)\n"
    )
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        with pytest.raises(Exception, match="planted"):
            project.build(extensions=["myst_nb_fork", "myst_nb", "crash"])
    assert not marked(token)


def test_a_build_that_ends_before_it_reads_leaves_no_process(project: Project, token: str) -> None:
    (project.folder / "early.py").write_text(
        "def fail(*_):\n    raise KeyError('planted')\n\n"
        "def setup(app):\n    app.connect('env-get-outdated', fail)\n"
    )
    with pytest.MonkeyPatch.context() as path:
        path.syspath_prepend(project.folder)
        with pytest.raises(Exception, match="planted"):
            project.build(extensions=["myst_nb_fork", "myst_nb", "early"])
    assert not marked(token)


def test_a_build_with_nothing_to_run_does_not_wait_for_the_imports(
    project: Project, token: str
) -> None:
    (project.folder / "slow_import.py").write_text("import time\ntime.sleep(60)\n")
    project.config["myst_nb_fork_preload"] = ["slow_import"]
    project.page("plain", "text\n", front_matter="")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(project.folder))
        assert "build succeeded." in "\n".join(project.run())
    assert not marked(token)


def test_the_warm_process_serves_one_build_after_another(project: Project, token: str) -> None:
    first = warm.start([])
    assert warm.start([]) is first
    assert warm.start(["json"]) is not first
    project.page("a", cell("1"))
    project.config["myst_nb_fork_preload"] = ["json"]
    assert project.build().text("a") == ["1"]
    assert not marked(token)


def test_a_build_in_a_fork_leaves_the_warm_process_to_its_owner(
    project: Project, token: str
) -> None:
    process = warm.start([])
    project.page("a", cell("1"))
    for _ in range(2):
        child = get_context("fork").Process(target=project.build)
        child.start()
        child.join()
        assert child.exitcode == 0
    assert process.alive
    warm.stop()
    assert not process.alive


def test_what_other_modes_import_is_imported_when_one_is_used(project: Project) -> None:
    (project.folder / "loaded.py").write_text(
        "import sys\n\n"
        "def say(*_):\n"
        "    print('loaded:', [name in sys.modules for name in ('zmq', 'sqlalchemy')])\n\n"
        "def setup(app):\n    app.connect('build-finished', say)\n"
    )
    project.config["extensions"] = ["myst_nb_fork", "myst_nb", "loaded"]
    project.page("a", cell("1"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(project.folder))
        assert "loaded: [False, False]" in project.run("-E")
        assert "loaded: [True, True]" in project.run("-E", "-D", "nb_execution_mode=force")
    assert Built(project.folder, "", [], 0).text("a") == ["1"]


def test_pages_run_in_kernels_where_they_cannot_be_forked(
    project: Project, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    project.page("a", cell("1"))
    built = project.build()
    assert "pages run in Jupyter kernels, as only Linux can fork them" in built.status
    assert built.text("a") == ["1"]
    assert "ran in" not in built.status
