import numpy as np
import pytest

from vtj.page_values import beside, with_rows


def test_the_largest_entry_sets_the_scale() -> None:
    assert beside("y", [1000.0, 1e-4], {"f": [1000.0, 0.0]}, 1e-6)[1] is None
    row, finding = beside("y", [1000.0, 1e-2], {"f": [1000.0, 0.0]}, 1e-6)
    assert row.result == "differs"
    assert finding == "y[1]: the page 0.01, f 0: the page is wrong"


def test_a_value_that_is_no_number_differs() -> None:
    assert beside("y", np.nan, {"f": 1.0}, 1e-6)[0].result == "differs"


def test_nothing_compared_with_nothing_agrees() -> None:
    assert beside("y", np.zeros(0), {"f": np.zeros(0)}, 1e-6)[0].result == "agrees"


def test_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"y has shape \(2,\); expected \(\)"):
        beside("y", [1.0, 2.0], {"f": 1.0}, 1e-6)


def test_a_report_is_wrong_when_one_value_differs() -> None:
    right, wrong = beside("y", 1.0, {"f": 1.0}, 1e-6), beside("x.grad", 1.0, {"f": 2.0}, 1e-6)
    assert with_rows("two values", [right])
    report = with_rows("two values", [right, wrong])
    assert report.verdict == "wrong"
    assert report.culprit == "the page"
