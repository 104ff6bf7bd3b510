"""Small parts whose rare branches no whole function reaches."""

import numpy as np
import pytest
import torch

import vtj
from vtj.calling.tensors import as_array
from vtj.oracle.witnesses import first_line


def test_an_error_without_a_message_is_named_by_its_type() -> None:
    assert first_line(KeyError()) == "KeyError"
    assert first_line(ValueError("a" * 200)) == f"ValueError: {'a' * 117}..."


@pytest.mark.parametrize("value", ["text", [[1], [2, 3]], torch.ones(1, dtype=torch.complex64)])
def test_an_array_of_something_else(value: object) -> None:
    with pytest.raises(TypeError, match="expected an array of real numbers"):
        as_array(value)


def test_digits_are_added_until_values_differ() -> None:
    report = vtj.check(lambda x: 3 * x, torch.tensor([1.0]), jacobian=np.array([[3 + 1e-11]]))
    assert report.findings[0].startswith("dy[0]/dx[0]: by hand 3.00000000001, backward 3")
