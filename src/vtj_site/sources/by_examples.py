"""What the post by examples says, beside what it prints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor, tensor

from vtj.engines import jacobian
from vtj_site.sources.agreement import equals
from vtj_site.sources.claim import Source
from vtj_site.sources.transcripts import (
    scalar_jacobian,
    square,
    three_outputs,
    three_outputs_rows,
    three_squares,
    transcript,
    vector_jacobian,
)
from vtj_site.sources.verdict import Evidence, Held
from vtj_site.trials import attempt, backward

by_examples = Source("by-examples")

POINT = [1.0, 2.0]


def grad_of(f: Callable[[Tensor], Tensor], point: object, *v: object) -> Tensor | None:
    """Return x.grad after f(x).backward(v) at this point."""
    x = tensor(point, requires_grad=True)
    backward(f(x), *(tensor(entry) for entry in v))
    return x.grad


def stacked(x: Tensor) -> Tensor:
    """Return the R² → R³ example without assignments."""
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


@by_examples.claim(
    "p01", 15, "not J but vᵀ・J as the result of x.grad", "e4b957bf9a322954", "reproduces"
)
def product_not_jacobian() -> Evidence:
    """The numbers agree; x.grad has x's shape, and backward adds to what it holds."""
    v = [1.0, 10.0, 100.0]
    x_grad = grad_of(three_outputs, POINT, v)
    return Held({"R² → R³": equals(x_grad, np.array(v) @ vector_jacobian(three_outputs_rows))})


@by_examples.claim(
    "p02", 36, "the same as y.backward(tensor(1.))", "afed8330533f7045", "reproduces"
)
def default_of_a_scalar() -> Evidence:
    """True of a 0-d y; tensor([1.]) would be refused."""
    return Held({"x²": equals(grad_of(square, 1.0), grad_of(square, 1.0, 1.0))})


@by_examples.claim("p03", 57, "defaults to passing the value 1", "5a3845aa1fa9854e", "reproduces")
def default_value() -> Evidence:
    """The output's own gradient is 1 afterwards."""
    y = tensor(3.0, requires_grad=True) ** 2
    y.retain_grad()
    torch.autograd.backward(y)
    return Held({"y.grad": equals(y.grad, 1.0)})


@by_examples.claim("p04", 50, "J = array([[2*x]])", "6e1c7eda3f77f5a9", "reproduces")
def jacobian_of_a_scalar() -> Evidence:
    """Printed again; its dtype is float32 since NumPy 2 and was float64 before."""
    j = scalar_jacobian()
    return Held({"[[2.]]": j.tolist() == [[2.0]], "shape (1, 1)": j.shape == (1, 1)})


@by_examples.claim("p05", 59, "vᵀ = array([[1,]])", "25c15bcbcc198fd3", "reproduces")
def integer_v() -> Evidence:
    """An integer v times a float J is a float; Python reads the name vᵀ as vT."""
    names: dict[str, object] = {}
    exec("vᵀ = 1", names)
    return Held(
        {
            "the product is [[2.]]": (np.array([[1]]) @ scalar_jacobian()).tolist() == [[2.0]],
            "the name is valid": "vT" in names,
        }
    )


@by_examples.claim("p06", 61, "'vᵀ・J:'", "67f260e9a230fea4", "reproduces")
def label() -> Evidence:
    """A label, printed as it is typed."""
    return Held({"printed": transcript("scalar")[-1].startswith("vᵀ・J:")})


@by_examples.claim("p07", 49, "x = x.detach().numpy()", "7497fc1e99c101cd", "reproduces")
def rebound_x() -> Evidence:
    """It rebinds x to an array, so the cell can be run once."""
    names: dict[str, object] = {"x": tensor(1.0, requires_grad=True)}
    ran = attempt(lambda: exec("x = x.detach().numpy()", names))
    return Held({"the first run": not ran.raised and isinstance(names["x"], np.ndarray)})


@by_examples.claim("p08", 107, "y = sum(x)", "6065e4429a528e90", "reproduces")
def python_sum() -> Evidence:
    """Python's sum adds entry by entry, hence AddBackward0; x.sum() would print SumBackward0."""
    x = tensor(POINT, requires_grad=True)
    names = [type(y.grad_fn).__name__ for y in (x[0] + x[1], x.sum())]
    return Held({"grad_fn": names == ["AddBackward0", "SumBackward0"]})


@by_examples.claim(
    "p09", 70, "a non-default gradient with the value 100", "7625dd25e199c9a1", "reproduces"
)
def hundred() -> Evidence:
    """It scales x.grad by 100."""
    return Held({"x²": equals(grad_of(square, 1.0, 100.0), 200.0)})


@by_examples.claim("p10", 207, "we must pass a gradient argument", "22a2afd217489ec4", "reproduces")
def vectors_need_it() -> Evidence:
    """True of its vector of two entries, as of any with more than one."""
    points = {"two entries": POINT, "three entries": [1.0, 2.0, 3.0]}
    return Held(
        {
            name: bool(attempt(partial(grad_of, three_squares, point)).raised)
            for name, point in points.items()
        }
    )


@by_examples.claim("p11", 207, "the same length as y", "22a2afd217489ec4", "reproduces")
def same_length() -> Evidence:
    """Its y is a vector, whose shape is its length; a v of another length is refused."""
    longer = attempt(lambda: grad_of(three_squares, POINT, [1.0, 10.0, 100.0]))
    return Held(
        {
            "the same length": equals(grad_of(three_squares, POINT, [1.0, 10.0]), [6.0, 120.0]),
            "another length is refused": bool(longer.raised),
        }
    )


@by_examples.claim("p12", 264, "y = torch.empty(3)", "491d2f3e24771d5b", "reproduces")
def written_into_empty() -> Evidence:
    """Works, since assignment records itself; torch.stack says the same without a placeholder."""
    v = [1.0, 10.0, 100.0]
    same = equals(grad_of(three_outputs, POINT, v), grad_of(stacked, POINT, v))
    return Held({"the same x.grad as torch.stack": same})


@by_examples.claim("p13", 286, "J = array([[6*x[0], 0],", "0ac0fece55c510fc", "reproduces")
def three_by_two() -> Evidence:
    """Reverse mode, forward mode and differences find the same matrix."""
    point = tensor(POINT, dtype=torch.float64)
    by_hand = torch.as_tensor(vector_jacobian(three_outputs_rows)).double()
    methods = ("reverse", "forward", "numeric")
    return Held({m: torch.allclose(jacobian(stacked, point, m), by_hand) for m in methods})
