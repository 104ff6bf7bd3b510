"""Arrays as aligned text."""

from typing import Any

import numpy as np
import pytest

from vtj.show.equations import assigned, laid_out


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (6, "J = 6"),
        ([1, 10], "J = [1, 10]"),
        ([[6]], "J = [6]"),
        ([[6, 0, 100]], "J = [6  0  100]"),
        ([[6, 0], [2, -24]], "J = [6    0]\n    [2  -24]"),
        ([[1], [10]], "J = [ 1]\n    [10]"),
    ],
)
def test_rows_stand_beneath_each_other_with_their_columns_aligned(cells: Any, text: str) -> None:
    assert assigned("J", np.array(cells), str) == text


@pytest.mark.parametrize(
    ("y", "x", "shape"),
    [
        ((), (), ()),
        ((), (2,), (2,)),
        ((3,), (), (3, 1)),
        ((3,), (2,), (3, 2)),
        ((), (2, 3), (2, 3)),
        ((2, 3), (), (2, 3)),
        ((), (2, 3, 4), (1, 24)),
        ((4,), (2, 3), (4, 6)),
        ((2, 3), (4,), (6, 4)),
        ((2, 4), (2, 3), (8, 6)),
        ((2, 3, 4), (), (24, 1)),
    ],
)
def test_J_has_a_row_for_every_element_of_y(  # noqa: N802 - J is the term
    y: tuple[int, ...], x: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    entries = np.arange(np.prod(y + x, dtype=int)).reshape(y + x)
    found = laid_out(entries, len(y))
    assert found.shape == shape
    assert found.ravel().tolist() == entries.ravel().tolist()
