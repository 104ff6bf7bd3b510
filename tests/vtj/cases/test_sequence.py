import numpy as np
import pytest
import torch
from torch import Tensor

from vtj import Call, JacobianMismatch, Row, Sequence


def square(x: torch.Tensor) -> torch.Tensor:
    return x**2


def twice(jacobian: object = lambda x: 2 * x) -> Sequence:
    call = Call(square, None, jacobian)  # type: ignore[arg-type]
    return Sequence("twice", torch.tensor(3.0), (call, call))


def test_a_leaf_that_moves_and_a_gradient_that_is_cleared() -> None:
    first = Call(square, None, lambda x: 2 * x)
    moved = Call(square, torch.tensor(10.0), lambda x: 2 * x, x=torch.tensor(5.0), clear=True)
    sequence = Sequence("moved", torch.tensor(3.0), (first, moved))
    assert [float(grad) for grad in sequence.run()] == [6.0, 100.0]
    assert sequence.confirm(y=25.0, grads=[6.0, 100.0], sums=np.array([6.0, 100.0]))


def test_the_report_names_each_call() -> None:
    report = twice().check()
    assert (report.title, report.verdict, report.culprit) == ("twice, 2 calls", "correct", None)
    assert report.rows == (
        Row("grad after call 1, backward", "backward", "agrees", 0.0),
        Row("grad after call 2, backward", "backward", "agrees", 0.0),
    )
    report = twice().confirm(y=9.0, grads=[6.0, 12.0], sums=[6.0, 12.0])
    assert report.title == "twice, 2 calls"
    assert [row.what for row in report.rows] == [
        "y, the page",
        "grad after call 1, the page",
        "grad after call 2, the page",
        "sum after call 1, the page",
        "sum after call 2, the page",
    ]


def test_y_is_the_output_of_the_last_call() -> None:
    calls = tuple(
        Call(lambda x, n=n: x**n, None, lambda x, n=n: n * x ** (n - 1)) for n in (1, 2, 3)
    )
    powers = Sequence("powers", torch.tensor(2.0), calls)
    assert powers.confirm(y=8.0, grads=[1.0, 5.0, 17.0], sums=[1.0, 5.0, 17.0])
    with pytest.raises(JacobianMismatch, match="y: the page 4, f 8: the page is wrong"):
        powers.confirm(y=4.0, grads=[1.0, 5.0, 17.0], sums=[1.0, 5.0, 17.0])


def test_a_jacobian_by_hand_is_checked_where_the_leaf_is_moved_to() -> None:
    first = Call(square, None, lambda x: 6 + 0 * x)
    moved = Call(square, None, lambda x: 6 + 0 * x, x=torch.tensor(5.0))
    report = Sequence("moved", torch.tensor(3.0), (first, moved)).check()
    assert report.culprit == "jacobian"
    assert report.findings[0].startswith("dy/dx: by hand 6, backward 10")


class Clamping(torch.autograd.Function):
    """Three times `x`, whose backward never takes more than 5."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return 3 * x

    @staticmethod
    def backward(ctx: object, g: Tensor) -> Tensor:
        return 3 * g.clamp(max=5)


def test_a_backward_is_checked_with_the_v_of_the_call() -> None:
    call = Call(Clamping.apply, torch.tensor(10.0), lambda x: 3 + 0 * x)
    report = Sequence("clamped", torch.tensor(1.0), (call,)).check()
    assert report.culprit == "backward"
    assert report.findings[0].startswith("x.grad: by hand 30, backward 15")


def test_a_sum_that_backward_alone_gets_wrong_is_not_blamed_on_a_page() -> None:
    passes, right = 0, 10_000

    def doubled(grad: Tensor) -> Tensor:
        nonlocal passes
        passes += 1
        return 2 * grad if passes > right else grad

    def f(x: Tensor) -> Tensor:
        y = x**2
        y.register_hook(doubled)
        return y

    call = Call(f, None, lambda x: 2 * x)
    sequence = Sequence("late", torch.tensor(3.0), (call,))
    assert sequence.check()
    passes, right = 0, passes - 1
    report = sequence.check()
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    assert report.findings == ("grad after call 1: backward 12, by hand 6: backward is wrong",)


def test_half_precision_may_round() -> None:
    x = torch.tensor([0.1, 0.7], dtype=torch.float16)
    call = Call(square, torch.tensor([0.3, 3.3], dtype=torch.float16), lambda x: np.diag(2 * x))
    assert Sequence("rounded", x, (call,) * 3).check()
    with pytest.raises(JacobianMismatch, match=r"sum after call 1\[1\]: the page 5, by hand 4.6"):
        Sequence("rounded", x, (call,)).confirm(
            y=x**2, grads=[torch.tensor([0.06, 4.62])], sums=[torch.tensor([0.06, 5.0])]
        )


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


def test_one_value_a_call_is_expected() -> None:
    with pytest.raises(ValueError, match="twice got 1 grads; expected 2, one a call"):
        twice().confirm(y=9.0, grads=[6.0], sums=[6.0, 12.0])
