"""Faults are planted as said, caught where the page notices, and counted where it does not."""

import pytest

from tests.docs.page_cells import PageCell
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.kinds import numbers, ones, retained, rows, signs
from tests.mutants.pages import in_a_fork, mutants, pages
from tests.mutants.run import table

CASES = {
    "a number": (numbers.plant, "x[0] = 3 * y[1:2]", ["x[0] = 4 * y[1:2]"]),
    "a sum": (signs.plant, "a + b", ["((a) - (b))"]),
    "a difference": (signs.plant, "a - b", ["((a) + (b))"]),
    "a sign": (signs.plant, "-a", ["(a)"]),
    "rows": (rows.plant, "np.array([[1, 2], [3, 4]])", ["np.array([[3, 4], [1, 2]])"]),
    "equal rows": (rows.plant, "np.array([1, 1])", []),
    "v": (ones.plant, "v = t([1.0, 2.0])", ["v = torch.ones_like(t([1.0, 2.0]))"]),
    "v of ones": (ones.plant, "v = torch.ones(2)", []),
    "v of NumPy": (ones.plant, "vT = np.array([2])", ["vT = np.ones_like(np.array([2]))"]),
    "a graph": (
        retained.plant,
        "y.backward(retain_graph=True)",
        ["y.backward(retain_graph=False)"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_planted(case: str) -> None:
    plant, code, changed = CASES[case]
    assert [fault.code for fault in plant(code)] == changed


def cells(*codes: str) -> list[PageCell]:
    return [PageCell({}, code) for code in codes]


def test_a_fault_that_a_later_cell_notices_is_caught_and_one_that_none_does_is_not() -> None:
    assert in_a_fork(cells("x = 2", "assert x == 1, x"), {}) == "AssertionError: 2"
    assert in_a_fork(cells("x = 1", "assert x == 1, x"), {}) is None


def test_a_fault_that_ends_the_process_or_warns_is_caught() -> None:
    assert in_a_fork(cells("import os, signal\nos.kill(os.getpid(), 9)"), {}) == "ended by signal 9"
    said = in_a_fork(cells("import sys\nprint('stray', file=sys.stderr)"), {})
    assert said == "wrote a warning: stray\n"


def test_a_fork_leaves_the_cells_above_as_they_were() -> None:
    namespace = {"x": [1]}
    assert in_a_fork(cells("x.append(2)\nassert x == [1, 2]"), namespace) is None
    assert namespace["x"] == [1]


def test_each_equivalent_fault_is_one_that_is_planted_and_has_a_reason() -> None:
    names = {mutant.name for page in pages() for mutant in mutants(page)}
    assert set(EQUIVALENT) <= names
    assert all(EQUIVALENT.values())


def test_the_table_counts() -> None:
    lines = table({"a": {"1": "caught", "2": "got through"}, "b": {"3": "equivalent"}}).split("\n")
    assert lines[1].split() == ["a", "2", "1", "0", "1"]
    assert lines[-1].split() == ["together", "3", "1", "1", "1"]
