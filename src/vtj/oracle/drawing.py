"""Random weights behind which nothing can hide."""

import numpy as np
from numpy.typing import NDArray


def signed(
    generator: np.random.Generator, count: int, least: float, most: float
) -> NDArray[np.float64]:
    """Draw numbers with random signs and magnitudes from `least` to `most`.

    No magnitude is near zero, so that no entry of J hides behind a small weight, and with `most`
    beyond 1 a backward that clamps its argument shows.

    Example:
        >>> drawn = signed(np.random.default_rng(0), 50, 0.5, 2)
        >>> bool((abs(drawn) >= 0.5).all()), bool((drawn < 0).any()), bool((drawn > 1).any())
        (True, True, True)
    """
    levels = np.frombuffer(generator.bytes(2 * count), "<i2")  # faster than floats
    drawn = levels * ((most - least) / 2**15)
    drawn += np.copysign(least, drawn)
    return drawn
