import numpy as np
import pytest
import torch

from vtj import Call, JacobianMismatch, Sequence


def square(x: torch.Tensor) -> torch.Tensor:
    return x**2


def twice(jacobian: object = lambda x: 2 * x) -> Sequence:
    call = Call(square, None, jacobian)  # type: ignore[arg-type]
    return Sequence("twice", torch.tensor(3.0), (call, call))


def test_gradients_add_up_and_by_hand_says_the_same() -> None:
    assert [float(grad) for grad in twice().run()] == [6.0, 12.0]
    assert [float(total) for total in twice().by_hand()] == [6.0, 12.0]


def test_a_leaf_that_moves_and_a_gradient_that_is_cleared() -> None:
    first = Call(square, None, lambda x: 2 * x)
    moved = Call(square, torch.tensor(10.0), lambda x: 2 * x, x=torch.tensor(5.0), clear=True)
    sequence = Sequence("moved", torch.tensor(3.0), (first, moved))
    assert [float(grad) for grad in sequence.run()] == [6.0, 100.0]
    assert sequence.confirm(y=25.0, grads=[6.0, 100.0], sums=np.array([6.0, 100.0]))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"y": 8.0}, "y: the page 8, f 9"),
        ({"grads": [6.0, 13.0]}, "grad after call 2: the page 13, by hand 12, backward 12"),
        ({"sums": [7.0, 12.0]}, "sum after call 1: the page 7, by hand 6, backward 6"),
    ],
)
def test_what_differs_is_named(wrong: dict[str, object], said: str) -> None:
    values = {"y": 9.0, "grads": [6.0, 12.0], "sums": [6.0, 12.0]}
    assert twice().confirm(**values)  # type: ignore[arg-type]
    with pytest.raises(JacobianMismatch, match=said):
        twice().confirm(**{**values, **wrong})  # type: ignore[arg-type]


def test_a_wrong_jacobian_by_hand_is_named() -> None:
    with pytest.raises(JacobianMismatch, match="dy/dx: by hand 9, backward 6"):
        twice(lambda x: 3 * x).confirm(y=9.0, grads=[6.0, 12.0], sums=[6.0, 12.0])


def test_one_value_a_call_is_expected() -> None:
    with pytest.raises(ValueError, match="twice got 1 grads; expected 2, one a call"):
        twice().confirm(y=9.0, grads=[6.0], sums=[6.0, 12.0])
