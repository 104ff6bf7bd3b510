"""What the post by examples says, beside what it prints."""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor, tensor

from vtj.engines import jacobian
from vtj_site.outcomes.trials import attempt, backward
from vtj_site.sources import transcripts as post
from vtj_site.sources.agreement import equals
from vtj_site.sources.claim import Source
from vtj_site.sources.verdict import Cases

by_examples = Source("by-examples")


def grad_of(f: Callable[[Tensor], Tensor], point: object, *v: object) -> Tensor | None:
    """Return x.grad after f(x).backward(v) at this point."""
    x = tensor(point, requires_grad=True)
    backward(f(x), *(tensor(entry) for entry in v))
    return x.grad


def stacked(x: Tensor) -> Tensor:
    """Return the R² → R³ example without assignments."""
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


@by_examples.claim("p01", 15, "not J but vᵀ・J as the result of x.grad", "reproduces")
def product_not_jacobian() -> Cases:
    """The numbers agree; x.grad has x's shape, and backward adds to what it holds."""
    v = [1.0, 10.0, 100.0]
    x_grad = grad_of(post.three_outputs, post.POINT, v)
    return {"R² → R³": equals(x_grad, np.array(v) @ post.three_outputs_jacobian())}


@by_examples.claim("p02", 36, "the same as y.backward(tensor(1.))", "reproduces")
def default_of_a_scalar() -> Cases:
    """True of a 0-d y; tensor([1.]) would be refused."""
    return {"x²": equals(grad_of(post.square, 1.0), grad_of(post.square, 1.0, 1.0))}


@by_examples.claim("p03", 57, "defaults to passing the value 1", "reproduces")
def default_value() -> Cases:
    """The output's own gradient is 1 afterwards."""
    y = tensor(3.0, requires_grad=True) ** 2
    y.retain_grad()
    torch.autograd.backward(y)
    return {"y.grad": equals(y.grad, 1.0)}


@by_examples.claim("p04", 50, "J = array([[2*x]])", "reproduces")
def jacobian_of_a_scalar() -> Cases:
    """Printed again; its dtype is float32 since NumPy 2 and was float64 before."""
    j = post.scalar_jacobian()
    return {"[[2.]]": j.tolist() == [[2.0]], "shape (1, 1)": j.shape == (1, 1)}


@by_examples.claim("p05", 59, "vᵀ = array([[1,]])", "reproduces")
def integer_v() -> Cases:
    """An integer v times a float J is a float; Python reads the name vᵀ as vT."""
    names: dict[str, object] = {}
    exec("vᵀ = 1", names)
    return {
        "the product is [[2.]]": (np.array([[1]]) @ post.scalar_jacobian()).tolist() == [[2.0]],
        "the name is valid": "vT" in names,
    }


@by_examples.claim("p06", 61, "'vᵀ・J:'", "reproduces")
def label() -> Cases:
    """A label, printed as it is typed."""
    return {"printed": post.transcript("scalar")[-1].startswith("vᵀ・J:")}


@by_examples.claim("p07", 49, "x = x.detach().numpy()", "reproduces")
def rebound_x() -> Cases:
    """It rebinds x to an array, so the cell can be run once."""
    names: dict[str, object] = {"x": tensor(1.0, requires_grad=True)}
    ran = attempt(lambda: exec("x = x.detach().numpy()", names))
    return {"the first run": not ran.raised and isinstance(names["x"], np.ndarray)}


@by_examples.claim("p08", 107, "y = sum(x)", "reproduces")
def python_sum() -> Cases:
    """Python's sum adds entry by entry, hence AddBackward0; x.sum() would print SumBackward0."""
    x = tensor(post.POINT, requires_grad=True)
    names = [type(y.grad_fn).__name__ for y in (x[0] + x[1], x.sum())]
    return {"grad_fn": names == ["AddBackward0", "SumBackward0"]}


@by_examples.claim("p09", 70, "a non-default gradient with the value 100", "reproduces")
def hundred() -> Cases:
    """It scales x.grad by 100."""
    return {"x²": equals(grad_of(post.square, 1.0, 100.0), 200.0)}


@by_examples.claim("p10", 207, "we must pass a gradient argument", "reproduces")
def vectors_need_it() -> Cases:
    """True of its vector of two entries, as of any with more than one."""
    points = {"two entries": post.POINT, "three entries": [1.0, 2.0, 3.0]}
    return {
        name: bool(attempt(partial(grad_of, post.three_squares, point)).raised)
        for name, point in points.items()
    }


@by_examples.claim("p11", 207, "the same length as y", "reproduces")
def same_length() -> Cases:
    """Its y is a vector, whose shape is its length; a v of another length is refused."""
    same = grad_of(post.three_squares, post.POINT, [1.0, 10.0])
    longer = attempt(lambda: grad_of(post.three_squares, post.POINT, [1.0, 10.0, 100.0]))
    return {
        "the same length": equals(same, [6.0, 120.0]),
        "another length is refused": bool(longer.raised),
    }


@by_examples.claim("p12", 264, "y = torch.empty(3)", "reproduces")
def written_into_empty() -> Cases:
    """Works, since assignment records itself; torch.stack says the same without a placeholder."""
    v = [1.0, 10.0, 100.0]
    same = equals(grad_of(post.three_outputs, post.POINT, v), grad_of(stacked, post.POINT, v))
    return {"the same x.grad as torch.stack": same}


@by_examples.claim("p13", 286, "J = array([[6*x[0], 0],", "reproduces")
def three_by_two() -> Cases:
    """Reverse mode, forward mode and differences find the same matrix."""
    point = tensor(post.POINT, dtype=torch.float64)
    by_hand = torch.as_tensor(post.three_outputs_jacobian()).double()
    methods = ("reverse", "forward", "numeric")
    return {m: torch.allclose(jacobian(stacked, point, m), by_hand) for m in methods}
