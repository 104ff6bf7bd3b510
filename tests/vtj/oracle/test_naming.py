"""How entries and numbers are written."""

import numpy as np

from vtj.oracle.findings import element, numbers


def test_an_entry_is_named_by_its_part_and_index() -> None:
    shapes = [(2,), (), (2, 2), (0,), (1,)]
    parts = [f"x[{i}]" for i in range(5)]
    names = [element(parts, shapes, flat) for flat in range(8)]
    square = ["x[2][0,0]", "x[2][0,1]", "x[2][1,0]", "x[2][1,1]"]
    assert names == ["x[0][0]", "x[0][1]", "x[1]", *square, "x[4][0]"]


def test_as_many_digits_as_tell_and_no_more() -> None:
    assert numbers([1.0, 1.0000012], (1.0, 1.0000012)) == ["1", "1.000001"]
    assert numbers([1.0, 1.00000012], (1.0, 1.00000012)) == ["1", "1.0000001"]
    last = float(np.nextafter(1, 2))
    assert numbers([1.0, last], (1.0, last)) == ["1", "1.0000000000000002"]


def test_no_digits_tell_a_number_from_itself() -> None:
    assert numbers([1 / 3, np.nan], (1 / 3, 1 / 3)) == ["0.333333", "nan"]
    assert numbers([1 / 3, np.nan], (np.nan, np.nan)) == ["0.333333", "nan"]
