"""A mutant gets to the processes that the page executor starts, and none of them remains."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, SimpleNamespace

import pytest

from myst_nb_fork import capture, files, page, zygote
from myst_nb_fork.messages import Job, Step
from myst_nb_fork.run import Run
from myst_nb_fork.scheduler import Scheduler
from myst_nb_fork.warm import Warm
from tests.mutants import elsewhere, library
from tests.mutants.codes import changed, place
from tests.mutants.forks import in_fork
from tests.mutants.library import Collected, planted
from tests.myst_nb_fork.conftest import wait_until


@pytest.fixture(scope="module", autouse=True)
def ancestor() -> Iterator[None]:
    elsewhere.ready()
    yield
    elsewhere.end()


def shown(source: str) -> object:
    """What a cell shows, or what ended it."""
    warm = Warm([])
    scheduler = Scheduler(warm, lambda *_: None)
    job = Job("/", False, dict(os.environ), (Step("cell", source),))
    run = scheduler.start("page", job, SimpleNamespace(execution_timeout=9))
    result = scheduler.result(run, 0)
    scheduler.end(run)
    warm.stop()
    return result.error or result.messages


class One(Collected):
    """A test of a page that prints, without pytest."""

    def __init__(self) -> None:
        pass

    def fails(self, name: str) -> bool:
        return shown("print(3)") != (("stream", {"name": "stdout", "text": "3\n"}),)


def mutated(function: FunctionType, before: str, after: str) -> CodeType:
    file = Path(function.__code__.co_filename)
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    found = changed(text, text.replace(before, after), file)
    assert found is not None
    assert found[0] == place(function.__code__)
    return found[1]


def processes() -> set[int]:
    """The ancestor, and all that descends from it."""
    assert elsewhere._ancestor is not None
    found, new = set[int](), {elsewhere._ancestor._process.pid}
    while new:
        found |= new
        lists = [file for pid in new for file in Path(f"/proc/{pid}/task").glob("*/children")]
        new = {int(pid) for file in lists for pid in file.read_text().split()}
    return found


@pytest.mark.parametrize(
    ("function", "before", "after"),
    [
        (zygote.Zygote.serve, "self._control, 1, 3)", "self._control, 1, 2)"),
        (zygote.main, "Zygote(page, control).serve()", "pass"),
        (page.Page._begin, "self._recorder.redirect()", "pass"),
        (capture.Recorder._append, 'last["text"] += text', "pass"),
        (capture.Stream.write, "self._recorder.write(self.name, text)", "pass"),
    ],
)
def test_a_fault_in_another_process_is_caught(
    function: FunctionType, before: str, after: str
) -> None:
    said = planted(One(), {"one": 0.1}, [function], mutated(function, before, after))
    assert said == "check: one fails"


def test_what_changes_nothing_there_is_not_caught_and_nothing_remains() -> None:
    assert planted(One(), {"one": 0.1}, [files._source], files._source.__code__) is None
    assert wait_until(lambda: len(processes()) == 1)


def test_a_test_that_waits_for_a_page_for_ever_has_noticed_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Waits(One):
        def fails(self, name: str) -> bool:
            warm = Warm([])
            warm.submit(Job("/", False, {}, ()))[0].recv(1)
            warm.stop()
            return False

    monkeypatch.setattr(library, "PATIENCE", 1.0)
    monkeypatch.setattr(library, "AT_LEAST", 0.2)
    silent = mutated(zygote.Zygote.serve, "self._fork(*self._waiting.popleft())", "break")
    said = planted(Waits(), {"waits": 0.001}, [zygote.Zygote.serve], silent)
    assert said == "check: it ended the process"


def test_a_page_that_is_left_running_is_killed() -> None:
    class Leaves(One):
        def fails(self, name: str) -> bool:
            warm = Warm([])
            job = Job("/", False, dict(os.environ), (Step("cell", "while True: pass"),))
            warm.submit(job)[0].recv(1)
            return len(processes()) == 4  # the ancestor, a keeper, the warm process and the page

    said = planted(Leaves(), {"one": 0.1}, [files._source], files._source.__code__)
    assert said == "check: one fails"
    assert wait_until(lambda: len(processes()) == 1)


def test_a_test_is_traced_to_what_it_calls_in_other_processes() -> None:
    seconds, called = in_fork(lambda: One().calls("one"))
    assert seconds > 0
    for function in (
        Run.receive,
        zygote.Zygote._become_page,
        page.Page._run_step,
        capture.Recorder._relieve,
        capture.Stream.write,
    ):
        assert place(function.__code__) in called
    assert place(page._no_input.__code__) not in called


def test_a_warm_process_has_the_environment_that_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nearby.py").write_text("value = 42\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv(elsewhere.TOKEN, "a" * 32)
    source = (
        "import pathlib, sys, nearby\n"
        "said = pathlib.Path('/proc/self/environ').read_text()\n"
        f"print(nearby.value, '{elsewhere.TOKEN}=' + 'a' * 32 in said, 'vtj' in sys.modules)"
    )
    with elsewhere.kept() as keeper, elsewhere.started_by(keeper):
        unused = Warm([])
        unused.stop()
        assert (unused.alive, unused._process.returncode) == (False, -9)
        assert shown(source) == (("stream", {"name": "stdout", "text": "42 True False\n"}),)
