import math

import numpy as np
import pytest

from vtj.engines.symbolic.numbers import agreeing, close

EPS = 2.0**-30
"""Its power 2/3 is 2**-20, and 64 times it is 2**-24."""


@pytest.mark.parametrize(
    ("a", "b", "size", "agrees"),
    [
        (1.0, 1 + 2.0**-20, 0.0, True),
        (1.0, 1 + 1.06 * 2.0**-20, 0.0, True),
        (1.0, 1 + 1.07 * 2.0**-20, 0.0, False),
        (-1.0, -1 - 1.06 * 2.0**-20, 0.0, True),
        (-1.0, -1 - 1.07 * 2.0**-20, 0.0, False),
        (-1.0, 1.0, 0.0, False),
        (0.0, 2.0**-24, 1.0, True),
        (0.0, 1.01 * 2.0**-24, 1.0, False),
        (0.0, 1.99 * 2.0**-24, 2.0, True),
        (0.0, 2.0**-30, 2.0**-10, False),
        (0.0, 0.0, 0.0, True),
        (math.inf, math.inf, 0.0, True),
        (math.inf, -math.inf, 0.0, False),
        (math.inf, 1.0, 0.0, False),
        (1.0, math.inf, 0.0, False),
        (math.nan, math.nan, 0.0, True),
        (math.nan, 1.0, 0.0, False),
        (1.0, math.nan, 0.0, False),
    ],
)
def test_a_pair_agrees_up_to_rounding(a: float, b: float, size: float, agrees: bool) -> None:
    pair = np.array([a]), np.array([b])
    assert agreeing(*pair, EPS, size).tolist() == [agrees]
    assert close(*pair, EPS, size) is agrees


@pytest.mark.parametrize(
    ("other", "agrees"), [(4.0, True), (0.5, False), (math.inf, False), (math.nan, False)]
)
def test_terms_as_large_as_the_largest_finite_value_may_have_canceled(
    other: float, agrees: bool
) -> None:
    a, b = np.array([0.0, other]), np.array([2.0**-24, other])
    assert agreeing(a, b, EPS, 0.0).tolist() == [agrees, True]
    assert close(a, b, EPS, 0.0) is agrees
