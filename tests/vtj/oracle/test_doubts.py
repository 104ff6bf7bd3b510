"""The one loop: the cheapest remedy first, each once, until nothing is doubted."""

from vtj.oracle.doubts import Doubt, Remedy, open_question, settle, steps
from vtj.oracle.findings import Finding


def half(number: float) -> float:
    return number / 2


def less(number: float) -> float:
    return number - 10


def told(number: float, sign: bool) -> Finding | None:
    return Finding(f"{number:g} is large", "undecided") if number < 1000 else None


HALF, LESS = Remedy("half of it", half), Remedy("less", less)
LARGE = Doubt[float]("large", lambda number: number > 10, (HALF, LESS), told)
NEGATIVE = Doubt[float]("negative", lambda number: number < 0, (Remedy("its size", abs),))


def test_what_is_not_doubted_stays() -> None:
    assert settle(7.0, [LARGE, NEGATIVE]) == 7


def test_the_cheapest_remedy_comes_first_and_no_further_where_it_will_do() -> None:
    assert settle(18.0, [LARGE]) == 9
    assert settle(22.0, [LARGE]) == 1


def test_each_remedy_is_taken_once_at_most() -> None:
    assert settle(100.0, [LARGE, Doubt("positive", lambda number: number > 0, (LESS,))]) == 40


def test_what_is_compared_anew_is_remedied_anew() -> None:
    again = Remedy("its square", lambda number: number**2, anew=True)
    assert settle(16.0, [LARGE, Doubt("below", lambda number: number < 9, (again,))]) == 22
    made = [step.case for step in steps(-5.0, [Doubt("negative", lambda number: True, (again,))])]
    assert made == [25]


def test_a_remedy_may_raise_another_doubt() -> None:
    assert settle(-30.0, [LARGE, NEGATIVE]) == 5
    made = [(step.doubt.name, step.remedy.name) for step in steps(-30.0, [LARGE, NEGATIVE])]
    assert made == [("negative", "its size"), ("large", "half of it"), ("large", "less")]


def test_the_first_doubt_that_stays_is_put_in_words() -> None:
    assert open_question(7.0, [LARGE]) == []
    assert open_question(-7.0, [NEGATIVE]) == []
    assert open_question(5000.0, [LARGE]) == []
    assert [one.text for one in open_question(70.0, [LARGE, LARGE])] == ["70 is large"]
