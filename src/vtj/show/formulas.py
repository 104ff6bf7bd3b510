"""y, J and vᵀ·J as formulas that come from the code that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from vtj.calling import without_trace
from vtj.calling.tensors import Function, Tensors, as_array, as_tuple, like
from vtj.engines import reverse
from vtj.engines.symbolic.errors import NotSymbolic
from vtj.oracle.trial import Trial, try_out
from vtj.outcome import vjp
from vtj.show.equations import Array, Lines

if TYPE_CHECKING:
    from vtj.engines.symbolic.derivation import Symbolic


@dataclass(frozen=True)
class Formula:
    """The formulas of one function, checked where they were derived.

    Attributes:
        y: y = …
        J: J = …, with the conditions under which it holds.
        partials: J = [∂yᵢ/∂xⱼ], what the entries of J stand for.
        product: vᵀ·J = …, in numbers, when `v` was given.
        symbolic: The SymPy objects.
    """

    y: Lines
    J: Lines
    partials: Lines
    product: Lines | None
    symbolic: Symbolic

    @property
    def tex(self) -> str:
        """All equations as TeX, without delimiters."""
        return self._together.tex

    @property
    def _together(self) -> Lines:
        more = self.product.equations if self.product else ()
        equations = (*self.y.equations, *self.J.equations, *more)
        return Lines(equations, self.J.note, self.J.note_text)

    def _repr_latex_(self) -> str:
        return f"$${self.tex}$$"

    def __str__(self) -> str:
        return str(self._together)

    __repr__ = __str__


def formula(f: Function, x: Tensors, v: Any = None, *, output: str = "y") -> Formula:
    r"""Derive the formulas of y and J from `f` as it runs at `x`, and check them there.

    y is compared with what `f` gives at `x` and next to it, J with reverse mode, vᵀ·J with what
    `y.backward(v)` leaves in `x.grad`. SymPy is imported when this is called, and not before.

    Args:
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple.
        x: A tensor, or a tuple of tensors, of a floating dtype.
        v: The gradient argument, with `y`'s shape (a tuple when `y` is one), to show vᵀ·J too.
        output: What your code calls y, in letters: "loss", say.

    Returns:
        A `Formula`, which a notebook shows as mathematics.

    Raises:
        NotSymbolic: When `f` has no formula here (`UnknownOperation` names the operation), when J
            has more than 64 entries, or when a check contradicts the formula.
        ValueError: When `v` has another shape than `y`, or `output` is not a name in letters.

    Example:
        >>> import torch
        >>> def f(x):
        ...     return torch.stack([3 * x[0]**2, x[0]**2 + 2 * x[1]**3, 10 * x[1]])
        >>> shown = formula(f, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0]))
        >>> shown
        y = [3x₁², x₁² + 2x₂³, 10x₂]
        J = [6x₁     0]
            [2x₁  6x₂²]
            [  0    10]
        vᵀ·J = [26, 1240]
        >>> print(shown.J.tex)
        J = \begin{bmatrix} 6x_1 & 0 \\ 2x_1 & 6x_2^2 \\ 0 & 10 \end{bmatrix}
        >>> formula(lambda w: w**2, torch.tensor(3.0), output="loss")
        loss = w²
        J = 2w
    """
    if not (output.isascii() and output.isalpha()):
        raise ValueError(f"output is {output!r}; expected a name in letters, as 'loss'")
    from vtj.engines.symbolic.derivation import derive
    from vtj.show.writing import Written

    with without_trace(f) as (same, _):
        trial = try_out(same, x)
        derived = derive(f, trial.x)
        if not all(array.size for array in (*derived.x, *derived.y)):
            raise NotSymbolic("x or y has no elements: there is nothing to write down")
        _confirm(trial, x, derived)
        written = Written(derived, output)
        product = None if v is None else written.product(*_product(trial, x, v, derived))
    return Formula(written.output(), written.jacobian(), written.partials(), product, derived)


def _confirm(trial: Trial, x: Tensors, derived: Symbolic) -> None:
    """Raise unless reverse mode gives the J that the formulas give."""
    from vtj.engines.symbolic.numbers import close

    eps = derived.eps
    try:
        given = reverse.jacobian(trial.f, trial.x)
    except RuntimeError:  # a backward can refuse the float64 that its forward took
        given = reverse.jacobian(trial.f, x)
        eps = _eps(x, derived)
    for row, slopes in zip(given if trial.y_tuple else (given,), derived.slopes, strict=True):
        for block, values in zip(as_tuple(row), slopes, strict=True):
            if not close(values, as_array(block), eps, _largest(*trial.y)):
                raise NotSymbolic(
                    "reverse mode gives another J than the formulas: the backward of f does not "
                    "belong to its forward, or a .detach() or no_grad cuts it; vtj.check says which"
                )


def _eps(x: Tensors, derived: Symbolic) -> float:
    return max(derived.eps, *(torch.finfo(part.dtype).eps for part in as_tuple(x)))


def _product(
    trial: Trial, x: Tensors, v: Any, derived: Symbolic
) -> tuple[list[Array], list[Array]]:
    """Return v and vᵀ·J, after comparing it with what backward leaves in x.grad."""
    from vtj.engines.symbolic.numbers import close

    weights = [as_array(weight) for weight in as_tuple(v, "v")]
    if [weight.shape for weight in weights] != trial.y_shapes:
        came = like(tuple(weight.shape for weight in weights), v)
        raise ValueError(f"v has shape {came}; expected y's, {like(tuple(trial.y_shapes), v)}")
    columns = zip(*derived.slopes, strict=True)
    products = [np.sum(list(map(weighted, weights, column)), axis=0) for column in columns]
    grads = as_tuple(vjp(trial.f, x, v))
    size = _largest(*weights, *trial.y)
    for grad, product in zip(grads, products, strict=True):
        if not close(product, as_array(grad), _eps(x, derived), size):
            raise NotSymbolic("backward(v) leaves another x.grad than vᵀ·J of the formulas")
    return weights, products


def weighted(v: Array, J: Array) -> Array:  # noqa: N803 - J is the term
    """Return vᵀ·J, rounded alike on every processor.

    `np.tensordot` rounds some products and not others where a processor multiplies and adds at
    once: of 1e6 · 0.1 − 1e6 · 0.1 it leaves −5.6e-12 there, and 0 elsewhere.
    """
    with np.errstate(all="ignore"):
        terms: Array = v.reshape(-1, 1) * J.reshape(v.size, -1)
        return np.asarray(terms.sum(axis=0).reshape(J.shape[v.ndim :]))


def _largest(*arrays: Any) -> float:
    """Return the largest finite size in arrays: next to an infinite one everything would agree."""
    sizes = [np.abs(as_array(array)) for array in arrays]
    return max(float(np.max(size, where=np.isfinite(size), initial=0.0)) for size in sizes)
