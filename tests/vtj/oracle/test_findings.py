"""The line that says who gives which value, and what all lines together mean."""

import numpy as np

from vtj.oracle.findings import Finding, overall, said
from vtj.oracle.voting import Witness


def witness(family: str, value: float) -> Witness:
    return Witness(family, family, np.array([value]))


def test_verdict_and_culprit_of_findings() -> None:
    assert overall([]) == ("correct", None)
    assert overall([Finding("", "undecided")]) == ("undecided", None)
    assert overall([Finding("")]) == ("wrong", None)
    assert overall([Finding(""), Finding("", culprit="f")]) == ("wrong", "f")


def test_differences_that_say_nothing_are_not_quoted() -> None:
    silent = witness("numeric", np.nan)
    assert said([silent], 0) == "differences too rough to tell"
    assert said([silent, witness("backward", 3.0)], 0) == "backward 3"


def test_digits_are_added_until_the_value_farthest_away_differs() -> None:
    below = [witness("by hand", 3.0), witness("backward", 2.99999999999)]
    assert said(below, 0) == "by hand 3, backward 2.99999999999"
    far = [witness("by hand", 3.0), witness("backward", 1 / 3), witness("forward", 3 + 1e-11)]
    assert said(far, 0) == "by hand 3, backward 0.333333, forward 3"


def test_a_nan_adds_no_digits() -> None:
    by_hand, backward = witness("by hand", np.nan), witness("backward", 1 / 3)
    assert said([backward, by_hand], 0) == "by hand nan, backward 0.333333"
    numbers = [witness("by hand", 1 / 3), witness("backward", np.nan)]
    assert said(numbers, 0) == "by hand 0.333333, backward nan"


def test_who_is_compared_is_told_before_the_others() -> None:
    told = [witness("numeric", 2.0), witness("backward", 2.0), witness("me", 1.0)]
    assert said(told, 0) == "me 1, backward 2, numeric 2"
