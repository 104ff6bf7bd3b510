"""The library's and the extensions' mutants: forks of one warm process run the tests.

mutmut writes the mutants. The process has imported torch and collected the tests. A mutant is the
changed code of one function and is put into that function, in a fork, which then runs the tests
that call it, the module's own and the fast ones first, until one fails.
"""

import gc
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.mutants import digests, elsewhere, extensions
from tests.mutants.codes import place
from tests.mutants.equivalent import equivalent
from tests.mutants.forks import Fork, in_fork
from tests.mutants.mutant import CHECK, LEFT, Mutant, Outcome
from tests.mutants.targets import Target

if TYPE_CHECKING:
    from tests.mutants.mutations import Written

ROOT = Path(__file__).parents[2]
MOST = 50
"""Of a module with more mutants, so many are drawn by chance: all of them would take hours."""
SECONDS = 4.0
"""What the tests of one mutant may take together, by the time that they take without a fault."""
NAMED = 1.0
"""What they may take for a mutant that is named as no fault: it is only looked at again."""
ALL_TESTS = 1800.0
LONGEST = 10.0
"""A test that takes longer, of the processor's time, is not asked."""
WAITED = 3 * LONGEST
"""As long as that, by the clock, it may take while others run too."""
PATIENCE = 15.0
"""As long as that, by the clock, a test may wait for another process with a mutant."""
SLOWER, AT_LEAST = 20.0, 2.0
"""A test that takes that many times as long, and as many seconds of the processor, has noticed."""
TESTS = (
    "tests/cases",
    "tests/engines",
    "tests/calling",
    "tests/oracle",
    "tests/show",
    "tests/vtj_site",
    *(
        f"tests/test_{name}.py"
        for name in (
            "any_function",
            "bad_input",
            "certifying",
            "checking",
            "comparing",
            "contraction",
            "imports",
            "examples",
            "odd_input",
            "outcome",
            "report",
            "small_parts",
            "table",
            "zoo",
        )
    ),
    "src/vtj",
)


class Suite(NamedTuple):
    """A folder of modules, and the tests that judge their mutants.

    Attributes:
        folder: from the project's root.
        tests: files and folders, from the project's root.
        prepare: imports what the tests import only when they run.
        without: folders of it that another suite has.
        most: mutants of a module that are drawn.
    """

    folder: str
    tests: tuple[str, ...]
    prepare: Callable[[], None] = lambda: None
    without: tuple[str, ...] = ()
    most: int = MOST

    @property
    def files(self) -> list[Path]:
        """Its modules that define functions."""
        folder = ROOT / self.folder
        return [
            file
            for file in sorted(folder.rglob("*.py"))
            if file.relative_to(folder).parts[0] not in self.without
            and "def " in file.read_text(encoding="utf-8")
        ]


SUITES = (
    Suite("src/vtj", TESTS),
    Suite("conf/extensions", extensions.TESTS, extensions.imported, ("myst_nb_fork",)),
    Suite(
        "src/myst_nb_fork",
        extensions.EXECUTOR_TESTS,
        extensions.executor_ready,
        most=15,  # a test of these starts processes, and takes ten times as long as others
    ),
)
INSIDE = (str(ROOT / "src"), str(ROOT / "conf/extensions"))
Calls = dict[str, tuple[float, list[str]]]
"""The seconds that each test takes, and the code that it calls."""


class Collected:
    """Collects the tests, and does something with them in place of running them.

    Args:
        use: what is done with the tests.
    """

    def __init__(self, use: Callable[["Collected"], None]) -> None:
        self._use = use

    @pytest.hookimpl
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Keep the tests, and stand in for the loop that runs them."""
        self.session = session
        self.items = {item.nodeid: item for item in session.items}
        self._use(self)
        return True

    def fails(self, name: str) -> bool:
        """Run a test; whether it fails."""
        item, before = self.items[name], self.session.testsfailed
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.session.testsfailed > before

    def calls(self, name: str) -> tuple[float, list[str]] | None:
        """Run a test where mutants run; return its seconds, and the functions that it calls."""
        called: dict[int, CodeType] = {}

        def note(frame: FrameType, event: str, argument: Any) -> None:
            called.setdefault(id(frame.f_code), frame.f_code)

        with tempfile.TemporaryDirectory() as folder, elsewhere.traced() as there:
            os.chdir(folder)
            started = _seconds()
            sys.settrace(note)
            failed = self.fails(name)
            sys.settrace(None)
            seconds = _seconds() - started
        own = {place(code) for code in called.values() if code.co_filename.startswith(INSIDE)}
        return None if failed else (seconds, sorted(own | there))


def _seconds() -> float:
    """Return the processor's seconds, of children too: the same on however busy a machine."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def targets() -> list[Target]:
    """Return the modules whose mutants are run; what judges them is still to be warmed up."""
    return [
        Target(file.relative_to(ROOT).as_posix(), digests.of_module(file), cold, "library")
        for suite in SUITES
        for file in suite.files
    ]


def cold(chosen: Callable[[], bool]) -> Iterator[Outcome]:
    """Refuse to judge: the tests are not collected yet."""
    raise RuntimeError("the tests are not collected yet: use warmed_up")


def warmed_up(chosen: Sequence[Target], use: Callable[[list[Target]], None]) -> None:
    """Collect the tests, see what they call, and do something with targets that can judge.

    Args:
        chosen: targets of modules.
        use: what is done with them.
    """

    for suite in SUITES:
        if own := [target for target in chosen if ROOT / target.name in suite.files]:
            suite.prepare()
            with_tests(suite.tests, partial(ready, own, use, suite.most))


def ready(
    chosen: Sequence[Target], use: Callable[[list[Target]], None], most: int, collected: Collected
) -> None:
    """See what the collected tests call, and do something with targets that can judge."""
    calls = called_by(collected)
    use([t._replace(judge=partial(judge, ROOT / t.name, collected, calls, most)) for t in chosen])


def with_tests(tests: Sequence[str], use: Callable[[Collected], None]) -> None:
    """Collect tests, and do something with them."""
    options = ["-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    code = pytest.main([*options, *tests], plugins=[Collected(use)])
    if code:
        raise ChildProcessError(f"pytest ended with {code}")


def functions(file: Path) -> dict[str, list[FunctionType]]:
    """Return the functions that are made of a file, by the place of their code."""
    found: dict[str, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename == str(file):
            found.setdefault(place(thing.__code__), []).append(thing)
    return found


def verdict(
    collected: Collected,
    tests: Mapping[str, float],
    places: Sequence[FunctionType],
    after: CodeType,
) -> str | None:
    """Run tests with a mutant in its functions; return the test that catches it, or None.

    Args:
        collected: the tests.
        tests: those to run, and the processor's seconds after which this process is ended.
        places: the functions.
        after: their code with the mutant.
    """
    for function in places:
        function.__code__ = after
    for name, seconds in tests.items():
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE + seconds)
        if collected.fails(name):
            return f"{CHECK}: {name} fails"
    return None


def in_order(file: Path, called: str, calls: Calls, seconds: float) -> list[str]:
    """Return the tests that call a function, the module's own and the fast ones first."""
    hit = sorted(
        (f"test_{file.stem}.py" not in name and file.name not in name, taken, name)
        for name, (taken, places) in calls.items()
        if called in places
    )
    chosen, left = [], seconds
    for _, taken, name in hit:
        left -= taken
        if left < 0 and chosen:
            break
        chosen.append(name)
    return chosen


def judge(
    file: Path, collected: Collected, calls: Calls, most: int, chosen: Callable[[], bool]
) -> Iterator[Outcome]:
    """Plant a module's mutants, or as many of them as chance draws, and yield what became of each.

    Args:
        file: of the module.
        collected: the tests.
        calls: what each of them calls.
        most: how many are drawn.
        chosen: asked once for each mutant that is drawn; whether to plant it.
    """
    from tests.mutants.mutations import mutants  # needs mutmut, which the tests do without

    living, known, every = functions(file), equivalent(), list(mutants(file))
    drawn = written(every, random.Random(digests.of_module(file)), most, chosen)
    caught = Counter[str]()
    for number, (mutant, _) in enumerate(every):
        if number not in drawn:
            yield Outcome(mutant, LEFT)
        elif pair := drawn[number]:
            before, after = pair
            tests = in_order(file, before, calls, NAMED if known.reason(mutant) else SECONDS)
            tests.sort(key=lambda name: -caught[name])  # what caught others catches this sooner
            seconds = {name: calls[name][0] for name in tests}
            said = planted(collected, seconds, living.get(before, []), after)
            caught.update(name for name in tests if said == f"{CHECK}: {name} fails")
            yield Outcome(mutant, said)


def written(
    every: Sequence[tuple[Mutant, "Written"]],
    draw: random.Random,
    most: int,
    chosen: Callable[[], bool],
) -> dict[int, tuple[str, CodeType] | None]:
    """Write mutants that chance draws, of those that change code as many as wanted.

    Args:
        every: the mutants.
        draw: chance.
        most: how many are drawn.
        chosen: asked once for each that is drawn; whether to write it.

    Returns:
        By number, each one's function and code; None where it changes none.
    """
    drawn: dict[int, tuple[str, CodeType] | None] = {}
    left = most
    for number in draw.sample(range(len(every)), len(every)):
        if not left:
            break
        if not chosen():
            left -= 1
        else:
            drawn[number] = every[number][1]()
            left -= drawn[number] is not None
    return drawn


def planted(
    collected: Collected,
    tests: Mapping[str, float],
    places: Sequence[FunctionType],
    after: CodeType,
) -> str | None:
    """Return what catches a mutant in a fork, or None.

    Args:
        collected: the tests.
        tests: those to run, and the seconds that each takes without the mutant.
        places: the functions that the mutant is in.
        after: their code with it.
    """
    if not (tests and places):
        return None
    limits = {name: max(AT_LEAST, SLOWER * seconds) for name, seconds in tests.items()}
    changes = (place(places[0].__code__), after)
    # A site that a test builds must not stay, nor a process that it starts.
    with tempfile.TemporaryDirectory() as folder, elsewhere.kept() as keeper:

        def run() -> str | None:
            os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
            os.chdir(folder)  # a mutant may forget the folder that it is told to write to
            with elsewhere.started_by(keeper, changes):
                return verdict(collected, limits, places, after)

        said = in_fork(run, WAITED + SLOWER * sum(tests.values()))
    return f"{CHECK}: it {said}" if said and not said.startswith(CHECK) else said


def called_by(collected: Collected) -> Calls:
    """Run every test once, each in a fork; return what the passing ones call.

    Args:
        collected: the tests.
    """
    names, several = list(collected.items), os.cpu_count() or 1

    def share(first: int) -> Calls:
        return {
            name: called
            for name in names[first::several]
            if isinstance(called := in_fork(partial(collected.calls, name), WAITED), list)
            and called[0] <= LONGEST
        }

    forks = [Fork(partial(share, first), ALL_TESTS) for first in range(several)]
    return {name: called for fork in forks for name, called in fork.answer().items()}
