import numpy as np

from vtj.cases.confirming import beside


def test_a_value_that_is_no_number_differs() -> None:
    assert beside("y", np.nan, {"f": 1.0}, 1e-6)[0].result == "differs"


def test_the_larger_of_the_two_sets_the_scale() -> None:
    for mine, truth in [(2.0, 1.0), (1.0, 2.0)]:
        row, finding = beside("y", mine, {"f": truth}, 0.5)
        assert (row.result, row.error, finding) == ("agrees", 1.0, None)
        row, finding = beside("y", mine, {"f": truth}, 0.25)
        assert (row.result, row.error) == ("differs", 2.0)
        assert finding is not None


def test_small_values_differ_as_large_ones_do_and_zeros_agree() -> None:
    for mine, truth in [(1e-9, 2e-9), (2e-9, 1e-9)]:
        assert beside("y", mine, {"f": truth}, 1e-6)[0].result == "differs"
    row, _ = beside("y", 0.0, {"f": 0.0}, 1e-6)
    assert (row.result, row.error) == ("agrees", 0.0)


def test_values_that_differ_late_are_told_with_the_digits_that_differ() -> None:
    _, finding = beside("y", 1.0, {"f": 1.0000001}, 1e-12)
    assert finding == "y: the page 1, f 1.0000001: the page is wrong"
