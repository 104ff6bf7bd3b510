"""Weights that no entry can hide behind."""

import numpy as np

from vtj.oracle.behavior import random_weights


def test_magnitudes_fill_the_range_that_was_asked_for_with_both_signs() -> None:
    drawn = random_weights(np.random.default_rng(0), 10_000, 0.5, 2)
    for half in (drawn[drawn > 0], -drawn[drawn < 0]):
        assert 4_800 < half.size < 5_200
        assert 0.5 <= half.min() < 0.51
        assert 1.99 < half.max() <= 2
        assert abs(half.mean() - 1.25) < 0.02
