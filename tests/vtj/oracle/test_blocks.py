"""J as the caller may write it: which arrays are taken, how blocks are put together, what is not.

Errors name what came and what was expected.
"""

from typing import Any

import numpy as np
import pytest
import torch

from vtj.calling.tensors import as_array
from vtj.oracle.trial import Trial

EYE = torch.eye(2)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.tensor([1.0, 2.5]), [1, 2.5]),
        (torch.tensor([1.0, 2.5], dtype=torch.bfloat16, requires_grad=True), [1, 2.5]),
        (torch.tensor([1, 2]), [1, 2]),
        (torch.tensor([True, False]), [1, 0]),
        (torch.tensor([[0.0, 3.0]]).to_sparse(), [[0, 3]]),
        (torch.tensor([[0.0, 3.0]]).to_sparse().requires_grad_(), [[0, 3]]),
        (torch.tensor(0.1).double(), float(torch.tensor(0.1))),
        (np.array([1, 2], np.uint8), [1, 2]),
        (np.array([True, False]), [1, 0]),
        (np.array([0.5], np.float32), [0.5]),
        ([[1, 2], [3, 4.5]], [[1, 2], [3, 4.5]]),
        (3, 3),
    ],
)
def test_every_array_of_real_numbers_becomes_float64(value: Any, expected: Any) -> None:
    array = as_array(value)
    assert (type(array), array.dtype) == (np.ndarray, np.float64)
    assert array.tolist() == expected


@pytest.mark.parametrize(
    ("value", "came"),
    [
        (torch.ones(2, dtype=torch.complex64), "has dtype torch.complex64"),
        (np.ones(2, complex), "has dtype complex128"),
        ([[1.0, 2.0], [3.0]], "is list"),
        ("text", "is str"),
        ([1.0, "text"], "is list"),
        (None, "is NoneType"),
        (np.array([np.datetime64("2020-01-01")]), "has dtype datetime64[D]"),
    ],
)
def test_what_is_no_array_of_real_numbers_is_refused(value: Any, came: str) -> None:
    with pytest.raises(TypeError) as raised:
        as_array(value, "J")
    assert str(raised.value) == f"J {came}; expected an array of real numbers"


def test_a_tensor_without_values_is_refused() -> None:
    with pytest.raises(TypeError, match=r"^the array is on device meta, without values; "):
        as_array(torch.ones(2, device="meta"))


BLOCKS = (
    (np.arange(4.0).reshape(2, 2), np.arange(4.0, 10).reshape(2, 1, 3)),
    ([10.0, 11.0], [[12, 13, 14]]),
)
"""For outputs of the shapes (2,) and (), and inputs of the shapes (2,) and (1, 3)."""
SHAPES = ([(2,), ()], [(2,), (1, 3)])


def as_matrix(
    J: Any,  # noqa: N803 - J is the term
    y_shapes: list[tuple[int, ...]],
    x_shapes: list[tuple[int, ...]],
    *,
    y_tuple: bool,
    x_tuple: bool,
) -> Any:
    """Put J together for a function of such inputs and outputs."""
    y, parts = (tuple(map(torch.zeros, shapes)) for shapes in (y_shapes, x_shapes))
    x = parts if x_tuple else parts[0]
    return Trial(len, x, y, y_tuple, torch.float32, len(y) * (True,)).matrix(J)


@pytest.mark.parametrize("form", [tuple, list])
def test_blocks_of_outputs_lie_below_and_of_inputs_beside_each_other(form: Any) -> None:
    J = form(form(row) for row in BLOCKS)  # noqa: N806 - J is the term
    assert as_matrix(J, *SHAPES, y_tuple=True, x_tuple=True).tolist() == [
        [0, 1, 4, 5, 6],
        [2, 3, 7, 8, 9],
        [10, 11, 12, 13, 14],
    ]


def test_a_tuple_of_one_is_a_tuple() -> None:
    assert as_matrix((EYE,), [(2,)], [(2,)], y_tuple=True, x_tuple=False).tolist() == EYE.tolist()
    assert as_matrix((EYE,), [(2,)], [(2,)], y_tuple=False, x_tuple=True).tolist() == EYE.tolist()


def test_shapes_without_elements() -> None:
    nothing = as_matrix(np.zeros((0, 2, 3)), [(0, 2)], [(3,)], y_tuple=False, x_tuple=False)
    assert nothing.shape == (0, 3)
    nothing = as_matrix(np.zeros((2, 3, 0)), [(2,)], [(3, 0)], y_tuple=False, x_tuple=False)
    assert nothing.shape == (2, 0)


@pytest.mark.parametrize(
    ("J", "message"),
    [
        (BLOCKS[:1], "J is 1 parts; expected a tuple with one part per output, 2 of them"),
        (np.zeros((3, 5)), "J is ndarray; expected a tuple with one part per output, 2 of them"),
        (
            (BLOCKS[0], (*BLOCKS[1], 1)),
            "J is 3 parts; expected a tuple with one part per input, 2 of them",
        ),
        ((EYE, EYE), "J is Tensor; expected a tuple with one part per input, 2 of them"),
        (
            ((BLOCKS[0][0], np.zeros((2, 3))), BLOCKS[1]),
            "J has shape (2, 3); expected (*y.shape, *x.shape) = (2, 1, 3)",
        ),
        (
            (BLOCKS[0], ([[10.0, 11.0]], BLOCKS[1][1])),
            "J has shape (1, 2); expected (*y.shape, *x.shape) = (2,)",
        ),
    ],
)
def test_blocks_that_do_not_fit(J: Any, message: str) -> None:  # noqa: N803 - J is the term
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is compared
        as_matrix(J, *SHAPES, y_tuple=True, x_tuple=True)
    assert str(raised.value) == message
