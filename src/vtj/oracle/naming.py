"""How an entry and a number are written: ``dy[1,2]/dx[0,1]``, with the digits that tell."""

from collections.abc import Sequence

import numpy as np


def element(names: Sequence[str], shapes: Sequence[tuple[int, ...]], flat: int) -> str:
    """Name the element at position `flat` of all elements, part after part.

    Example:
        >>> element(["y"], [(2, 3)], 5), element(["x[0]", "x[1]"], [(2,), (2, 2)], 3)
        ('y[1,2]', 'x[1][0,1]')
    """
    part = 0
    while flat >= (size := int(np.prod(shapes[part]))):
        flat -= size
        part += 1
    index = ",".join(str(int(i)) for i in np.unravel_index(flat, shapes[part]))
    return names[part] + (f"[{index}]" if shapes[part] else "")


def numbers(values: Sequence[float], apart: tuple[float, float]) -> list[str]:
    """Write the values with as many digits (6 to 17) as it takes to tell two of them apart."""
    one, other = apart
    tell = (digits for digits in range(6, 18) if f"{one:.{digits}g}" != f"{other:.{digits}g}")
    digits = next(tell, 6)
    return [f"{value:.{digits}g}" for value in values]
