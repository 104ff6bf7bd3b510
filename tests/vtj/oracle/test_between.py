"""A backward behind another call of f: what a Function keeps outside of its ctx is another's."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

import vtj
from tests.zoo.bug import custom, vector
from tests.zoo.published import BUGS

X = vector(4)
(LATEST,) = [bug.make() for bug in BUGS if bug.name == "what it saved is that of the latest call"]
latest: list[Tensor] = []


def remembered(x: Tensor) -> Tensor:
    latest[:] = [x]
    return x**2


def slope(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return 2 * x[0] * g


def slope_or_error(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    if not torch.equal(latest[0], x[0]):
        raise RuntimeError("x is gone")
    return slope(x, g)


@pytest.mark.parametrize("reference", [None, torch.square])
@pytest.mark.parametrize(
    "verify", [vtj.check, vtj.certify, lambda f, x, **how: vtj.certify(f, x, probes=1, **how)]
)
@pytest.mark.parametrize(
    ("f", "result"),
    [
        (custom(remembered, slope), "holds"),
        (LATEST, "fails"),
        (custom(remembered, slope_or_error), "note"),
    ],
    ids=["right", "of the latest call", "raises"],
)
def test_backward_behind_another_call(f: Any, result: str, verify: Any, reference: Any) -> None:
    report = verify(f, X, reference=reference)
    assert report.verdict == ("wrong" if result == "fails" else "correct"), str(report)
    (row,) = [row for row in report.rows if row.what == "another call between"]
    assert row.result == result
    told = "call backward before f is called again, or it raises RuntimeError: x is gone"
    assert row.note == (told if result == "note" else "")


class Checkpointed(torch.nn.Module):
    """A layer and a Function in a checkpoint, which computes them again in backward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        def both(x: Tensor) -> Any:
            return custom(torch.square, slope)(self.layer(x))

        return checkpoint(both, x, use_reentrant=False)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_checkpoint_in_a_module_computes_with_its_own_parameters(verify: Any) -> None:
    torch.manual_seed(0)
    report = verify(Checkpointed(), torch.randn(3, 4))
    assert report.verdict != "wrong", str(report)
