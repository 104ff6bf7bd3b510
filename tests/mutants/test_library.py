"""A mutant is put into the function it changes, and the tests that call that function judge it."""

import os
import sys
from collections import Counter
from pathlib import Path
from types import CodeType, SimpleNamespace

import numpy as np
import pytest

from tests.mutants import library
from tests.mutants.codes import changed, place
from tests.mutants.forks import in_fork
from tests.mutants.library import Collected, in_order, planted
from tests.mutants.mutant import LEFT, Mutant, Outcome
from vtj import contract

TEXT = '''"""A module."""


def double(x: int, times: int = 2) -> int:
    def inner() -> int:
        return x * times

    return inner()


class Box:
    def size(self) -> int:
        return 3

    def __repr__(self) -> str:
        return super().__repr__()
'''
FILE = Path(__file__)


def mutated(before: str, after: str) -> tuple[str, CodeType] | None:
    return changed(TEXT, TEXT.replace(before, after), FILE)


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [("x * times", "x / times", "double"), ("return 3", "return 4", "Box.size")],
)
def test_the_outermost_function_that_a_mutant_changes_is_found(
    before: str, after: str, name: str
) -> None:
    found = mutated(before, after)
    assert found is not None
    where, code = found
    assert where.endswith(f":{name}")
    assert code.co_name == name.rpartition(".")[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("times: int = 2", "times: int = 3"),
        ("A module", "B module"),
        ("return 3", "return ("),
        ("super()", "self"),
    ],
)
def test_what_changes_no_code_or_cannot_be_put_in_is_no_mutant(before: str, after: str) -> None:
    assert mutated(before, after) is None


def five() -> int:
    return 5


def six() -> int:
    return 6


class Fake(Collected):
    """Two tests: one that asks `five`, and one that asks nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def fails(self, name: str) -> bool:
        return name == "asks" and five() != 5


def test_a_mutant_is_caught_by_the_test_that_fails_with_it_and_leaves_nothing() -> None:
    def judged(tests: list[str], after: CodeType) -> str | None:
        return planted(Fake(), dict.fromkeys(tests, 0.1), [five], after)

    assert judged(["asks nothing", "asks"], six.__code__) == "check: asks fails"
    assert judged(["asks nothing"], six.__code__) is None
    assert judged(["asks"], five.__code__) is None
    assert judged([], six.__code__) is None
    assert five() == 5


def test_a_test_that_runs_in_circles_with_a_mutant_has_noticed_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Circles(Fake):
        def fails(self, name: str) -> bool:
            while five() == 6:
                pass
            return False

    monkeypatch.setattr(library, "AT_LEAST", 0.2)
    said = planted(Circles(), {"circles": 0.001}, [five], six.__code__)
    assert said == "check: it ended the process"
    assert planted(Circles(), {"circles": 0.001}, [five], five.__code__) is None


def test_living_functions_are_found_by_their_place() -> None:
    assert library.functions(FILE)[place(five.__code__)] == [five]
    assert library.functions(FILE)[place(Fake.fails.__code__)] == [Fake.fails]


def test_an_extension_s_functions_live_once_it_is_imported() -> None:
    def missing() -> list[str]:
        suite = next(suite for suite in library.SUITES if suite.folder == "conf/extensions")
        suite.prepare()
        return [file.stem for file in suite.files if not library.functions(file)]

    assert in_fork(missing) == []


def test_what_a_test_writes_while_it_judges_does_not_stay(tmp_path: Path) -> None:
    class Writes(Fake):
        def fails(self, name: str) -> bool:
            folder = Path(os.environ["PYTEST_DEBUG_TEMPROOT"])
            (folder / "site").mkdir()
            Path("a mutant forgot the folder").touch()
            (tmp_path / "where").write_text(str(folder))
            return True

    assert planted(Writes(), {"one": 0.1}, [five], six.__code__) == "check: one fails"
    assert not Path((tmp_path / "where").read_text()).exists()
    assert not Path("a mutant forgot the folder").exists()


def test_a_module_s_own_tests_and_fast_ones_come_first() -> None:
    calls = {
        "tests/test_other.py::slow": (3.0, ["here"]),
        "tests/test_other.py::fast": (1.0, ["here"]),
        "tests/test_report.py::own": (4.0, ["here"]),
        "tests/test_report.py::elsewhere": (0.1, ["there"]),
        "tests/test_other.py::too much": (8.0, ["here"]),
    }
    names = in_order(Path("report.py"), "here", calls, 8.0)
    assert [name.partition("::")[2] for name in names] == ["own", "fast", "slow"]
    names = in_order(Path("report.py"), "here", calls, library.NAMED)
    assert [name.partition("::")[2] for name in names] == ["own"]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module with thirty mutants, none by mutmut, which the tests do without.

    Of forty changes each fourth changes no code.
    """
    file = library.ROOT / "src/vtj/table.py"
    every = [
        (
            Mutant(file.name, line, "library", "", "", ""),
            lambda line=line: ("", six.__code__) if line % 4 else None,
        )
        for line in range(40)
    ]
    fake = SimpleNamespace(mutants=lambda _: iter(every))
    monkeypatch.setitem(sys.modules, "tests.mutants.mutations", fake)
    return file


def test_of_a_large_module_chance_draws_the_same_mutants_every_time(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "planted", lambda *_: None)

    def drawn(most: int, chosen: bool = True) -> list[Outcome]:
        return list(library.judge(written, Fake(), {}, most, lambda: chosen))

    every = drawn(30)
    assert {outcome.caught_by for outcome in every} == {None}
    assert [outcome.mutant.line for outcome in every] == [n for n in range(40) if n % 4]
    some = drawn(10)
    count = Counter(outcome.caught_by for outcome in some)
    assert count[None] == 10
    assert 20 <= count[LEFT] <= 30
    assert sorted(outcome.mutant.line for outcome in some) == [o.mutant.line for o in some]
    assert drawn(10) == some
    assert {outcome.caught_by for outcome in drawn(10, chosen=False)} == {LEFT}


def test_what_caught_a_mutant_is_asked_first_about_the_next(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def planted(collected: Collected, tests: dict[str, float], *_: object) -> str:
        asked.append(list(tests))
        return "check: slow fails"

    class Everywhere(list[str]):
        def __contains__(self, place: object) -> bool:
            return True

    monkeypatch.setattr(library, "planted", planted)
    calls = {"fast": (0.1, Everywhere()), "slow": (0.2, Everywhere())}
    list(library.judge(written, Fake(), calls, 30, lambda: True))
    assert asked[0] == ["fast", "slow"]
    assert {tuple(names) for names in asked[1:]} == {("slow", "fast")}


def test_a_test_is_traced_to_the_functions_of_the_library_that_it_calls() -> None:
    class One(Collected):
        def __init__(self) -> None:
            pass

        def fails(self, name: str) -> bool:
            np.testing.assert_array_equal(contract(np.ones(1), np.ones((1, 1))), [1])
            return name == "fails"

    seconds, called = in_fork(lambda: One().calls("passes"))
    assert 0 < seconds < library.LONGEST
    assert place(contract.__code__) in called
    assert in_fork(lambda: One().calls("fails")) is None


def test_the_modules_exist_and_nobody_judges_before_the_tests_are_collected() -> None:
    assert all((library.ROOT / target.name).exists() for target in library.targets())
    tests = [library.ROOT / name for suite in library.SUITES for name in suite.tests]
    assert all(test.exists() for test in tests)
    with pytest.raises(RuntimeError, match="not collected"):
        library.targets()[0].judge(lambda: True)
