"""What the cells of the post by examples print today."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from vtj_site.sources.transcripts import (
    EXAMPLES,
    block,
    in_torch,
    line,
    one_by_one,
    product,
    repeated,
    scalar_jacobian,
    square,
    three_outputs,
    three_outputs_rows,
    three_squares,
    three_squares_rows,
    total,
    transcript,
    vector_jacobian,
)


@pytest.mark.parametrize("kind", ["vector v for x²", "vector v for a sum"])
def test_a_refusal_is_printed_in_place_of_the_gradient(kind: str) -> None:
    x, y, last = transcript(kind)
    assert x.startswith("x: tensor(")
    assert y.startswith("y: tensor(")
    assert last == (
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([4]) and "
        "output[0] has a shape of torch.Size([])."
    )


def test_the_columns_of_a_jacobian_are_aligned() -> None:
    assert transcript("three outputs")[3:] == (
        "J:",
        "[[ 6.  0.]",
        " [ 2. 24.]",
        " [ 0. 10.]]",
        "vᵀ: [[  1.  10. 100.]]",
        "vᵀ・J: [[  26. 1240.]]",
    )
    assert transcript("sum")[3:] == ("J:", "[[1 1]]", "vᵀ: [[1]]", "vᵀ・J: [[1 1]]")


def test_a_jacobian_from_a_tensor_of_float32_is_one_of_float32() -> None:
    assert scalar_jacobian().dtype == np.float32
    assert vector_jacobian(lambda x: [[*x]]).dtype == np.float32
    assert vector_jacobian(lambda x: [[*x], [*10 * x]]).tolist() == [[1, 2], [10, 20]]


@pytest.mark.parametrize(
    ("f", "rows"), [(three_squares, three_squares_rows), (three_outputs, three_outputs_rows)]
)
def test_the_jacobians_by_hand_are_those_of_the_functions(
    f: Callable[[torch.Tensor], torch.Tensor], rows: Callable[[np.ndarray], list[list[float]]]
) -> None:
    for point in ([1.0, 2.0], [3.0, 5.0]):
        x = torch.tensor(point, requires_grad=True)
        found = [torch.autograd.grad(y, x, retain_graph=True)[0].tolist() for y in f(x)]
        assert found == np.array(rows(np.array(point))).tolist()


def test_the_repeated_jacobian_has_a_row_for_each_weight() -> None:
    assert repeated(np.array([[1, 1]])) == [
        "J: [[1 1]]",
        "J_broadcast:",
        "[[1 1]",
        " [1 1]",
        " [1 1]",
        " [1 1]]",
        "vᵀ: [[   1.   10.  100. 1000.]]",
        "vᵀ・J_broadcast: [[1111. 1111.]]",
    ]


def test_each_call_adds_to_what_the_last_one_left() -> None:
    left = [f"x.grad: tensor({value}.)" for value in (2, 22, 222, 2222)]
    assert one_by_one(square, 1.0) == left


def test_labels_stand_before_or_above_what_is_printed() -> None:
    assert line("x", 2) == "x: 2"
    assert block("J", np.eye(2, dtype=int)) == ["J:", "[[1 0]", " [0 1]]"]
    assert product(np.array([[2]]), np.array([[3, 4]])) == ["vᵀ: [[2]]", "vᵀ・J: [[6 8]]"]


def test_without_v_backward_is_called_without_an_argument() -> None:
    assert in_torch(square, 3.0)[2] == "x.grad: tensor(6.)"
    assert in_torch(square, [3.0])[2] == "x.grad: tensor([6.])"
    assert in_torch(square, [3.0], [10.0])[2] == "x.grad: tensor([60.])"


def test_the_functions_of_the_post() -> None:
    x = torch.tensor([3.0, 5.0])
    assert square(x).tolist() == [9, 25]
    assert total(x) == 8
    assert three_squares(x).tolist() == [27, 75]
    assert three_outputs(x).tolist() == [27, 259, 50]


def test_every_example_is_run() -> None:
    assert all(transcript(example) == tuple(run()) for example, run in EXAMPLES.items())
