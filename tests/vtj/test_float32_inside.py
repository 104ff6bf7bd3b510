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
SOFTMAX = custom(softmax, softmax_backward)
LAYER_NORM = custom(NORM, norm_backward)
RMS = custom(rms, rms_backward)
# of eight draws of each, those that were wrong or undecided while differences took few steps
RIGHT: dict[str, tuple[Callable[..., Any], tuple[int, int], tuple[int, ...]]] = {
    "softmax": (SOFTMAX, (4, 32), (5, 0)),
    "a larger softmax": (SOFTMAX, (8, 100), (2, 4)),
    "layer norm": (LAYER_NORM, (4, 8), (0, 2)),
    "a larger layer norm": (LAYER_NORM, (6, 16), (4, 5)),
    "RMS norm": (RMS, (4, 16), (3, 4)),
    "a larger RMS norm": (RMS, (6, 32), (1, 7)),
}
DAMAGED = {
    "one element is off": (custom(softmax, one_element_off), (4, 32)),
    "a factor": (custom(NORM, factor), (6, 16)),
    "without the statistic": (custom(rms, without_statistic), (6, 32)),
}


def inputs(f: Callable[..., Any], shape: tuple[int, int], seed: int, name: str) -> Any:
    """Return what a function of this name takes; an RMS norm has weights."""
    x = random(*shape, seed=seed)
    weighted = f is RMS or name == "without the statistic"
    return (x, random(shape[1], seed=seed + 1)) if weighted else x


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_correct(name: str, verify: Callable[..., vtj.Report]) -> None:
    f, shape, seeds = RIGHT[name]
    for seed in seeds:
        report = verify(f, inputs(f, shape, seed, name))
        assert report, str(report)


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_is_wrong(name: str, verify: Callable[..., vtj.Report]) -> None:
    f, shape = DAMAGED[name]
    for seed in (1, 5):
        assert verify(f, inputs(f, shape, seed, name)).verdict == "wrong"


def attention(q: Tensor, k: Tensor) -> Tensor:
    """Return an attention whose sum alone is in float32."""
    weights = (q @ k.T - (q @ k.T).amax(-1, keepdim=True)).exp()
    return ((weights @ k) / weights.sum(-1, keepdim=True, dtype=torch.float32)).to(q)


def attention_backward(x: tuple[Tensor, Tensor], g: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of `attention`."""
    q, k = x
    weights, of_weights = (q @ k.T).softmax(-1), g @ k.T
    of_scores = weights * (of_weights - (of_weights * weights).sum(-1, keepdim=True))
    return of_scores @ k, weights.T @ g + of_scores.T @ q


def test_a_sum_that_stands_still_accuses_nobody() -> None:
    """Its fit by polynomials is perfect, and knows nothing below the noise of `f`."""
    generator = torch.Generator().manual_seed(1011)
    x = tuple(torch.randn(4, 3, generator=generator, dtype=torch.float64) for _ in "qk")
    report = vtj.check(custom(attention, attention_backward), x)
    assert report, str(report)


@pytest.mark.parametrize("verify", VERIFY)
def test_a_single_stair_is_no_kink(verify: Callable[..., vtj.Report]) -> None:
    """Between the slopes on its sides an entry lies that is off by a tenth."""

    def off(x: tuple[Tensor], g: Tensor) -> Tensor:
        grad = g[..., None] * x[0].softmax(-1)
        grad[0, 1] *= 1.1
        return grad

    f = custom(lambda x: x.exp().sum(-1, dtype=torch.float32).log().to(x), off)
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(1002), dtype=torch.float64)
    assert verify(f, x, seed=2).verdict == "wrong"


def test_a_small_element_moves_by_about_one_too() -> None:
    """One of these is 0.01: over steps of that size alone the fit is too rough."""

    def root(x: Tensor) -> Tensor:
        return (x * x).mean(-1, keepdim=True, dtype=torch.float32).add(1e-6).rsqrt()

    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        scale = ((x[0] * x[0]).mean(-1, keepdim=True) + 1e-6).rsqrt()
        unit = x[0] * scale
        return scale * (g - unit * (g * unit).mean(-1, keepdim=True))

    x = torch.randn(3, 6, generator=torch.Generator().manual_seed(1015), dtype=torch.float64)
    report = vtj.check(custom(lambda x: (x * root(x)).to(x), backward), x)
    assert report, str(report)


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("at", [8.7, 5.0])
def test_where_a_tanh_stands_still_its_slope_is_not_a_term_too_many(
    verify: Callable[..., vtj.Report], at: float
) -> None:
    f = custom(
        lambda x: x.float().tanh().to(x), lambda x, g: (g * (1 - x[0].float().tanh() ** 2)).to(g)
    )
    assert verify(f, torch.tensor([at, 0.5], dtype=torch.float64)).verdict != "wrong"
    doubled = custom(
        lambda x: x.float().tanh().to(x), lambda x, g: (g * (x[0].float().cosh() ** -2) * 2).to(g)
    )
    assert verify(doubled, torch.tensor([at, 0.5], dtype=torch.float64)).verdict == "wrong"


def of_sine(
    factor: float, dtype: torch.dtype, spoiled: Callable[[Tensor], Any] | None = None
) -> Any:
    """Return a sine of `factor` times x, computed in a dtype, with a gradient that is spoiled."""

    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        grad = (g.to(dtype) * factor * (factor * x[0].to(dtype)).cos()).to(g)
        if spoiled:
            spoiled(grad)
        return grad

    return custom(lambda x: (factor * x.to(dtype)).sin().to(x), backward)


def of_softmax(factor: float, dtype: torch.dtype) -> Any:
    """Return a softmax of `factor` times x, computed in a dtype."""

    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        y, v = (factor * x[0].to(dtype)).softmax(-1), g.to(dtype)
        return (factor * y * (v - (v * y).sum(-1, keepdim=True))).to(g)

    return custom(lambda x: (factor * x.to(dtype)).softmax(-1).to(x), backward)


def doubles(*shape: int, seed: int) -> Tensor:
    """Return standard normal numbers, drawn in float64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


SINGLE, DOUBLE, BRAIN = torch.float32, torch.float64, torch.bfloat16


ROUNDS: dict[str, tuple[Any, int, tuple[int, ...]]] = {
    "sine of 1e3 x": (of_sine(1e3, SINGLE), 4, (0, 1, 2)),
    "of 20 elements": (of_sine(1e3, SINGLE), 20, (0, 1)),
    "a stair that seems to be a kink": (of_sine(1e3, SINGLE), 1, (108,)),
    "sine of 300 x": (of_sine(300.0, SINGLE), 4, (6,)),
    "zeros, as all is lost": (of_softmax(30.0, SINGLE), 5, (0, 2, 9)),
    "softmax of 16": (of_softmax(30.0, SINGLE), 16, (2, 5, 10, 12)),
    "softmax of 32": (of_softmax(30.0, SINGLE), 32, (9, 14)),
    "softmax in float64": (of_softmax(300.0, DOUBLE), 8, (17,)),
    "sine in bfloat16": (of_sine(1.0, BRAIN), 1, (0, 4)),
    "sine of 100 in bfloat16": (of_sine(1.0, BRAIN), 100, (6,)),
}


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("name", ROUNDS)
def test_what_rounds_inside_is_not_wrong(name: str, verify: Callable[..., vtj.Report]) -> None:
    f, size, seeds = ROUNDS[name]
    for seed in seeds:
        report = verify(f, doubles(size, seed=seed))
        assert report.verdict != "wrong", str(report)


def test_what_may_be_rounding_is_said_to_be() -> None:
    report = vtj.check(of_softmax(30.0, SINGLE), doubles(5, seed=2))
    assert report.verdict == "undecided"
    assert report.findings[0].startswith("x.grad[4]: ")
    assert "so much may be rounding in float32, inside f; compare it with" in report.findings[0]


def factor_of(by: float) -> Callable[[Tensor], Any]:
    """Return what makes all of a gradient larger by a factor."""
    return lambda grad: grad.mul_(by)


def largest(grad: Tensor) -> None:
    """Make the largest element of a gradient a tenth larger."""
    grad.view(-1)[grad.abs().argmax()] *= 1.1


TOO_MUCH: dict[str, tuple[Any, int]] = {
    "a factor": (of_sine(30.0, SINGLE, factor_of(1.01)), 4),
    "one element": (of_sine(30.0, SINGLE, largest), 4),
    "one element of a steep one": (of_sine(1e3, SINGLE, largest), 4),
    "one element in bfloat16": (of_sine(1.0, BRAIN, largest), 20),
    "v alone": (custom(torch.sin, lambda x, g: g.to(BRAIN).to(g) * x[0].cos()), 8),
}


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("name", TOO_MUCH)
def test_more_than_rounding_inside_is_wrong(name: str, verify: Callable[..., vtj.Report]) -> None:
    f, size = TOO_MUCH[name]
    for seed in range(3):
        assert verify(f, doubles(size, seed=seed)).verdict == "wrong"


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("by", [1.01, 2.0])
@pytest.mark.parametrize(("factor", "dtype"), [(1e3, SINGLE), (300.0, SINGLE), (1.0, BRAIN)])
def test_what_is_wrong_and_rounds_inside_is_never_correct(
    factor: float, dtype: torch.dtype, by: float, verify: Callable[..., vtj.Report]
) -> None:
    f = of_sine(factor, dtype, factor_of(by))
    for seed in range(3):
        assert verify(f, doubles(4, seed=seed)).verdict != "correct"
