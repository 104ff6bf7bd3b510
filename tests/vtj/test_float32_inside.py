"""Custom Functions that compute in float32 inside, as kernels do, and are handed float64.

What is right is *correct*, and a mistake is not.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom

VERIFY = (vtj.check, vtj.certify)


def scale_of(x: Tensor) -> Tensor:
    """Return what a root mean square of rows divides by."""
    return torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)


def rms(x: Tensor, w: Tensor) -> Tensor:
    """Divide rows by their root mean square, in float32."""
    return (x.float() * scale_of(x)).to(x) * w


def rms_backward(x: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of `rms`."""
    scale = scale_of(x[0])
    unit, of_unit = x[0].float() * scale, (g * x[1]).float()
    of_x = scale * (of_unit - unit * (of_unit * unit).mean(-1, keepdim=True))
    return of_x.to(g), (g * unit.to(g)).sum(0)


def without_statistic(x: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, Tensor]:
    """Leave out that the root mean square depends on x."""
    return ((g * x[1]).float() * scale_of(x[0])).to(g), rms_backward(x, g)[1]


def softmax(x: Tensor) -> Tensor:
    """Return a softmax in float32."""
    return x.float().softmax(-1).to(x)


def softmax_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of `softmax`."""
    y, of_y = x[0].float().softmax(-1), g.float()
    return (y * (of_y - (of_y * y).sum(-1, keepdim=True))).to(g)


def one_element_off(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of `softmax`, one element of which is off by 3 %."""
    grad = softmax_backward(x, g)
    place = grad.abs().argmax()
    grad.view(-1)[place] *= 1.03
    return grad


def normed(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows of mean 0 and variance 1 in float32, and what they were divided by."""
    scale = torch.rsqrt(x.float().var(-1, unbiased=False, keepdim=True) + 1e-5)
    return (x.float() - x.float().mean(-1, keepdim=True)) * scale, scale


def norm_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a layer norm."""
    (y, scale), of_y = normed(x[0]), g.float()
    mean = of_y.mean(-1, keepdim=True) + y * (of_y * y).mean(-1, keepdim=True)
    return (scale * (of_y - mean)).to(g)


def factor(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the gradient of a layer norm, as a whole 1 % too large."""
    return 1.01 * norm_backward(x, g)


def random(*shape: int, seed: int) -> Tensor:
    """Return standard normal numbers."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


NORM = lambda x: normed(x)[0].to(x)  # noqa: E731
OF_ROWS: dict[str, Callable[[int], Any]] = {
    "few": lambda seed: random(4, 8, seed=seed),
    "many": lambda seed: random(6, 32, seed=seed),
}
# two draws of each, of twelve of which some were wrong or undecided
DRAWS = {"few": (1, 5), "many": (4, 5)}


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("rows", OF_ROWS)
def test_what_is_right_is_correct(rows: str, verify: Callable[..., vtj.Report]) -> None:
    for seed in DRAWS[rows]:
        x = OF_ROWS[rows](seed)
        for f, backward in ((softmax, softmax_backward), (NORM, norm_backward)):
            report = verify(custom(f, backward), x)
            assert report, str(report)
        report = verify(custom(rms, rms_backward), (x, random(x.shape[1], seed=seed + 1)))
        assert report, str(report)


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("rows", OF_ROWS)
def test_what_is_damaged_is_wrong(rows: str, verify: Callable[..., vtj.Report]) -> None:
    for seed in DRAWS[rows]:
        x = OF_ROWS[rows](seed)
        for f, backward in ((softmax, one_element_off), (NORM, factor)):
            assert verify(custom(f, backward), x).verdict == "wrong"
        inputs = x, random(x.shape[1], seed=seed + 1)
        assert verify(custom(rms, without_statistic), inputs).verdict == "wrong"
