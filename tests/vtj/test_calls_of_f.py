"""How often `f` is called for a verdict: hardly more where it is wrong than where it is correct."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import vtj
from tests.benchmarks.oracle.looks import BOTH, LOOKS
from tests.zoo.bug import custom, matrix, vector


def cosine(x: tuple[Tensor], g: Tensor) -> Tensor:
    """Return the right backward of a sine."""
    return g * x[0].cos()


def one_entry(x: tuple[Tensor], g: Tensor) -> Tensor:
    grad = cosine(x, g)
    grad[grad.numel() // 3] *= 1.5
    return grad


def softmax(x: Tensor) -> Tensor:
    return x.softmax(0)


def softmax_backward(x: tuple[Tensor], g: Tensor) -> Tensor:
    y = softmax(*x)
    return y * (g - g @ y)


WEIGHT = matrix(8, 8)
RIGHT = custom(torch.sin, cosine)
PRODUCT = custom(lambda a, b: a @ b, lambda x, g: (g @ x[1].T, x[0].T @ g))
# wrong, and the same repaired
ELEMENTWISE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "a factor": (custom(torch.sin, lambda x, g: 2 * cosine(x, g)), RIGHT),
    "a factor of 1.001": (custom(torch.sin, lambda x, g: 1.001 * cosine(x, g)), RIGHT),
    "a factor beside a right jvp": (
        custom(torch.sin, lambda x, g: 2 * cosine(x, g), cosine),
        custom(torch.sin, cosine, cosine),
    ),
    "one entry": (custom(torch.sin, one_entry), RIGHT),
    "a missing term": (
        custom(softmax, lambda x, g: softmax(*x) * g),
        custom(softmax, softmax_backward),
    ),
    "random": (custom(torch.sin, lambda x, g: cosine(x, g) * torch.rand_like(g)), RIGHT),
    "not linear": (custom(torch.sin, lambda x, g: cosine(x, g).abs()), RIGHT),
    "a constant": (custom(torch.sin, lambda x, g: cosine(x, g) + 0.1), RIGHT),
    "detached": (lambda x: x.sin() + x.detach() ** 2, lambda x: x.sin() + x**2),
}
# of a single element softmax is constant
SIZES = [(name, n) for name in ELEMENTWISE for n in (1, 5, 10, 100, 1000)]
SIZES.remove(("a missing term", 1))
# kinks that lie close together
SORTED: dict[str, Callable[[Tensor], Tensor]] = {
    "sort": lambda x: x.sort()[0],
    "topk": lambda x: x.topk(x.numel() // 2)[0],
    "quantile": lambda x: x.quantile(torch.tensor([0.1, 0.5, 0.9]).to(x)),
}
MISTAKES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "a factor": lambda grad, g: 2 * grad,
    "a factor of 1.001": lambda grad, g: 1.001 * grad,
    "zero at its largest": lambda grad, g: grad.index_fill(0, grad.abs().argmax(), 0),
    "off in one element": lambda grad, g: grad.index_add(
        0, torch.tensor([333]), 0.3 * g.sum()[None]
    ),
    "half of it zero": lambda grad, g: grad * (torch.arange(grad.numel()) % 2),
    "a constant": lambda grad, g: grad + 0.1,
}
OF_MATRICES = {
    "transposed": (
        (custom(lambda x: WEIGHT @ x, lambda x, g: WEIGHT @ g), lambda x: WEIGHT @ x),
        vector(8),
    ),
    "transposed, of two inputs": (
        (custom(lambda a, b: a @ b, lambda x, g: (g @ x[1].T, x[0] @ g)), PRODUCT),
        (matrix(6, 6, 1), matrix(6, 6, 2)),
    ),
}


def calls(verify: Callable[..., vtj.Report], f: Callable[..., Any], x: Any) -> tuple[str, int]:
    """Return the verdict, and how often it called `f`."""
    made = []

    def counted(*parts: Tensor) -> Any:
        made.append(None)
        return f(*parts)

    return verify(counted, x).verdict, len(made)


def of_size(n: int) -> Tensor:
    return torch.linspace(0.5, 2, n, dtype=torch.float64)


@pytest.mark.parametrize(("name", "n"), SIZES)
def test_certify_calls_what_is_wrong_100_times_at_most(name: str, n: int) -> None:
    wrong, right = ELEMENTWISE[name]
    verdict, count = calls(vtj.certify, wrong, of_size(n))
    assert verdict == "wrong"
    assert count <= 100
    assert calls(vtj.certify, right, of_size(n)) == ("correct", 6)


@pytest.mark.parametrize("name", SORTED)
def test_kinks_close_together_make_no_wrong_dearer(name: str) -> None:
    f, generator = SORTED[name], torch.Generator().manual_seed(0)
    x = torch.randn(1000, dtype=torch.float64, generator=generator)

    def right(x: tuple[Tensor], g: Tensor) -> Tensor:
        leaf = x[0].detach().requires_grad_()
        with torch.enable_grad():
            return torch.autograd.grad(f(leaf), leaf, g)[0]

    assert vtj.certify(custom(f, right), x).verdict == "correct"
    for mistake, spoil in MISTAKES.items():
        wrong = custom(f, lambda x, g, spoil=spoil: spoil(right(x, g), g))
        verdict, count = calls(vtj.certify, wrong, x)
        assert (mistake, verdict) == (mistake, "wrong")
        assert count <= 100


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_a_fine_factor_is_told_as_cheap(n: int) -> None:
    wrong = custom(torch.sin, lambda x, g: (1 + 1e-5) * cosine(x, g))
    report = vtj.certify(wrong, of_size(n))
    assert report.verdict == "wrong"
    assert "the factor 1.00001" in report.findings[0]
    assert calls(vtj.certify, wrong, of_size(n))[1] <= 100


@pytest.mark.parametrize(("name", "n"), [(name, n) for name, n in SIZES if n <= 100])
def test_check_calls_what_is_wrong_three_times_as_often_at_most(name: str, n: int) -> None:
    (wrong, count), (right, of_right) = (calls(vtj.check, f, of_size(n)) for f in ELEMENTWISE[name])
    assert (wrong, right) == ("wrong", "correct")
    assert count <= 3 * of_right


def test_zeros_of_a_fourier_transform_cost_nothing_where_it_is_wrong() -> None:
    """They are 1e-16 in J, and their last digits others for everybody."""
    right, wrong = (
        custom(lambda x: torch.fft.fft(x).real, lambda x, g, n=n: torch.fft.ifft(g).real * n)
        for n in (20, 1)
    )
    verdict, count = calls(vtj.check, wrong, of_size(20))
    assert verdict == "wrong"
    assert count <= calls(vtj.check, right, of_size(20))[1]
    told = vtj.check(wrong, of_size(20)).findings[0]
    assert told.endswith(
        "the backward is wrong (the factor 0.05 in these entries, 364 of 400 entries)"
    )


@pytest.mark.parametrize("name", OF_MATRICES)
def test_so_it_is_with_matrices(name: str) -> None:
    (wrong, right), x = OF_MATRICES[name]
    verdict, count = calls(vtj.certify, wrong, x)
    assert verdict == "wrong"
    assert count <= 100
    verdict, count = calls(vtj.check, wrong, x)
    assert verdict == "wrong"
    assert count <= 3 * calls(vtj.check, right, x)[1]


def test_what_rounding_leaves_of_zero_costs_nothing() -> None:
    """Of `softmax(x).sum()` that is left, and on another processor something else."""

    def other_order(x: tuple[Tensor], g: Tensor) -> Tensor:
        y = softmax(*x)
        return y * (g - g.contiguous() @ y * (1 + 2**-50 * (g.stride() == (0,))))

    assert calls(vtj.certify, custom(softmax, other_order), of_size(5)) == ("correct", 6)


def test_each_output_alone_costs_certify_nothing() -> None:
    assert calls(vtj.certify, BOTH, of_size(4)) == ("correct", 6)


def test_entries_are_counted_at_least() -> None:
    """Of each half that differs one more is known."""
    told = [vtj.certify(ELEMENTWISE[name][0], of_size(1000)).findings[0] for name in ELEMENTWISE]
    assert told[0].endswith("the backward is wrong (the factor 2, at least 11 of 1000000 entries)")
    assert told[3].endswith("the backward is wrong")


# The wider steps begin anew, with as many calls as the first ones. A plain function runs once as it
# is, once along u, for its own gradient, several times with roundings drawn at random, and beside a
# custom Function once more, for its double backward.
COSTS = {
    "stairs: does f round by itself?": 1,
    "a contradicted column of a function that rounds": 2,
    "a rough column of a small x, over wider steps": 58,
    "each of two inputs alone": 2,
    # a first layer is called with its data as a constant: no input alone shows what it forgets then
    "each of three inputs alone, and the first as a constant": 4,
    "each output alone (certify: none, of a custom Function)": 1,
    "a v with gaps, of a custom Function (certify: none)": 1,
    # y.sum().backward() hands it on, the commonest call there is
    "an expanded v, of a custom Function (certify: none)": 1,
    # y[0].backward() leaves all others out
    "a v with zeros, of a custom Function (certify: none)": 1,
    "another call between, of a custom Function (certify: none)": 2,
    "double backward of a custom Function (certify: none)": 2,
    "double backward that is silently wrong": 5,
    "one backward in the dtype that x came in, of a custom Function": 1,
    "all entries of a J of 4 by 4, to name a mistake": 9,
    "reference=, of f": 11,
    "reference=, of the reference": 12,
    "surrogate=, of f": 6,
    "surrogate=, of the surrogate": 11,
}


def test_what_a_further_look_costs() -> None:
    assert {look.name: look.calls() for look in LOOKS} == COSTS
