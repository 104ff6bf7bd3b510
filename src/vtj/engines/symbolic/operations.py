"""The operations the symbolic engine knows: each as formulas on NumPy arrays of SymPy expressions.

A table entry takes the arguments of the operation, with every floating tensor replaced by an
object array, and returns the formulas of the results. Operations that only move elements are not
here as formulas (see no_formula.py).
"""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.engines.symbolic.kinks import Clamped, Largest, Magnitude, Relu, Sigmoid, Smallest

Formulas = NDArray[np.object_]

COMPARISONS = {name: getattr(sympy, name.title()) for name in ("gt", "ge", "lt", "le", "eq", "ne")}


def avg_pool2d(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Average the columns that im2col lays out."""
    if ceil_mode or divisor_override or not (count_include_pad or not any(padding)):
        raise NotImplementedError("only plain average pooling")
    sizes, pads, steps = (
        tuple(p) * 2 if len(p) == 1 else tuple(p) for p in (kernel, padding, stride or kernel)
    )
    images = x.reshape(-1, 1, *x.shape[-2:])
    columns = torch.nn.functional.unfold(images, sizes, padding=pads, stride=steps)
    sides = zip(x.shape[-2:], pads, sizes, steps, strict=True)
    size = [(s + 2 * p - k) // t + 1 for s, p, k, t in sides]
    return columns.mean(1).reshape(*x.shape[:-2], *size)


OTHERWISE: dict[str, Callable[..., Any]] = {
    "avg_pool2d": avg_pool2d,
    "fmod": lambda a, b: a - b * torch.trunc(a / b),
    "hardsigmoid": lambda a: torch.where(
        a <= -3, 0 * a, torch.where(a >= 3, 0 * a + 1, a / 6 + 0.5)
    ),
    "hardswish": lambda a: torch.where(a <= -3, 0 * a, torch.where(a >= 3, a, a * (a + 3) / 6)),
    "hardtanh": lambda a, low=-1, high=1: torch.where(
        a <= low, 0 * a + low, torch.where(a >= high, 0 * a + high, a)
    ),
    "median": lambda a: a.reshape(-1).median(0).values,
    "remainder": lambda a, b: a - b * torch.floor(a / b),
}
"""Operations that are run as others, since torch has no decomposition of its own for them."""


@cache
def number(value: float) -> Any:
    """Return a Python number as the SymPy number an author would write: 3, 1/3, 0.25."""
    if isinstance(value, complex):
        raise NotImplementedError("a complex number")
    if value != value or value in (float("inf"), float("-inf")):
        return sympy.Float(value)
    short = Fraction(value).limit_denominator(1000)
    return sympy.Rational(short) if float(short) == value else sympy.Float(value, 17)


def array(value: Any) -> Formulas:
    """Return formulas as an object array; a number becomes an array without dimensions."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value
    if isinstance(value, sympy.Basic):
        return np.asarray(value, dtype=object)
    values = np.asarray(value)
    out = np.empty(values.shape, dtype=object)
    out.reshape(-1)[:] = [number(item) for item in values.ravel().tolist()]
    return out


def elementwise(function: Callable[..., Any], *operands: Any) -> Formulas:
    """Apply a function of expressions element by element, broadcasting as torch does."""
    arrays = [array(operand) for operand in operands]
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)


def axes(a: Formulas, dim: int | Sequence[int] | None) -> tuple[int, ...]:
    """Return the dimensions to reduce: all of them where none is named."""
    named = [dim] if isinstance(dim, int) else list(dim or [])
    return tuple(d % a.ndim for d in named if a.ndim) or tuple(range(a.ndim))


def reduce(
    function: Callable[..., Any], a: Formulas, dim: Any = None, keepdim: bool = False
) -> Formulas:
    """Reduce dimensions with a function that takes the elements as its arguments."""
    over = axes(a, dim)
    kept = [d for d in range(a.ndim) if d not in over]
    rows = a.transpose([*kept, *over]).reshape([a.shape[d] for d in kept] + [-1] * bool(over))
    out = np.empty([a.shape[d] for d in kept], dtype=object)
    for index in np.ndindex(*out.shape):
        out[index] = function(*np.atleast_1d(np.asarray(rows[index], dtype=object)))
    return out.reshape([1 if d in over else a.shape[d] for d in range(a.ndim)]) if keepdim else out


def along(function: Callable[[list[Any]], list[Any]], a: Formulas, dim: int) -> Formulas:
    """Rewrite every line of elements along one dimension."""
    if a.ndim == 0:
        return np.asarray(function([a[()]])[0], dtype=object)
    lines = np.moveaxis(a, dim, -1)
    out = np.empty(lines.shape, dtype=object)
    for index in np.ndindex(*lines.shape[:-1]):
        out[index] = function(list(lines[index]))
    return np.moveaxis(out, -1, dim)


def product(a: Formulas, b: Formulas) -> Formulas:
    """Multiply matrices, stacks of them, or a matrix and a vector."""
    if b.ndim == 1:
        return reduce(sympy.Add, a * b, 1)
    terms = a[..., :, :, None] * b[..., None, :, :]
    return reduce(sympy.Add, terms, terms.ndim - 2)


def total(a: Formulas, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Formulas:
    """Sum."""
    return reduce(sympy.Add, a, dim, keepdim)


def mean(a: Formulas, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Formulas:
    """Divide the sum by the number of elements summed."""
    count = int(np.prod([a.shape[d] for d in axes(a, dim)]))
    return elementwise(lambda s: s / count, total(a, dim, keepdim))


def variance(
    a: Formulas, dim: Any = None, *, correction: float | None = None, keepdim: bool = False
) -> Formulas:
    """Sum the squared deviations from the mean and divide by their number minus the correction."""
    count = int(np.prod([a.shape[d] for d in axes(a, dim)]))
    free = count - (1 if correction is None else number(correction))
    squares = (a - mean(a, dim, True)) ** 2
    return elementwise(lambda s: s / free, total(squares, dim, keepdim))


def norm(
    a: Formulas, ord: float | None = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Formulas:
    """Return the p-norm of vectors."""
    p = 2.0 if ord is None else float(ord)
    size = elementwise(Magnitude, a)
    if p == float("inf"):
        return reduce(Largest, size, dim, keepdim)
    if p == float("-inf"):
        return reduce(Smallest, size, dim, keepdim)
    if p == 1:
        return reduce(sympy.Add, size, dim, keepdim)
    powers = elementwise(lambda s: s ** number(p), a if p % 2 == 0 else size)
    return elementwise(lambda s: s ** (1 / number(p)), reduce(sympy.Add, powers, dim, keepdim))


def softmax(a: Formulas, dim: int, half_to_float: bool = False) -> Formulas:
    """Divide the exponentials along a dimension by their sum."""

    def line(items: list[Any]) -> list[Any]:
        exps = [sympy.exp(item) for item in items]
        return [e / sympy.Add(*exps) for e in exps]

    return along(line, a, dim)


def log_sum_exp(*items: Any) -> Any:
    """Return the logarithm of the sum of the exponentials."""
    return sympy.log(sympy.Add(*map(sympy.exp, items)))


def log_softmax(a: Formulas, dim: int, half_to_float: bool = False) -> Formulas:
    """Subtract the logarithm of the sum of the exponentials."""
    return along(lambda items: [item - log_sum_exp(*items) for item in items], a, dim)


def cumulative(function: Callable[[Any, Any], Any]) -> Callable[..., Formulas]:
    """Return the running sum or product along a dimension."""
    return lambda a, dim, dtype=None: along(
        lambda items: list(itertools.accumulate(items, function)), a, dim
    )


def power(a: Any, b: Any) -> Formulas:
    """Raise to a power."""
    return np.asarray(array(a) ** array(b))


def extreme(function: Callable[..., Any]) -> Callable[..., Formulas]:
    """Return the largest element, say, over all dimensions or those named."""
    return lambda a, dim=None, keepdim=False: reduce(function, a, dim, keepdim)


def clamp(a: Formulas, min: Any = None, max: Any = None) -> Formulas:
    """Hold between two bounds, either of which may be missing."""
    low = -sympy.oo if min is None else min
    high = sympy.oo if max is None else max
    return elementwise(Clamped, a, low, high)


def addmm(c: Any, a: Formulas, b: Formulas, *, beta: float = 1, alpha: float = 1) -> Formulas:
    """Add a product of a matrix with a matrix or a vector."""
    return np.asarray(number(beta) * array(c) + number(alpha) * product(a, b))


def det(a: Formulas) -> tuple[Formulas, None, None]:
    """Expand determinants."""
    if a.shape[-1] > 4:
        raise NotImplementedError("written out for at most 4 rows")
    out = np.empty(a.shape[:-2], dtype=object)
    for index in np.ndindex(*out.shape):
        out[index] = sympy.Matrix(a[index].tolist()).det(method="berkowitz")
    return out, None, None


def inverse(a: Formulas, check_errors: bool = False) -> tuple[Formulas, None]:
    """Divide adjugates by determinants."""
    if a.shape[-1] > 3:
        raise NotImplementedError("written out for at most 3 rows")
    out = np.empty(a.shape, dtype=object)
    for index in np.ndindex(*a.shape[:-2]):
        matrix = sympy.Matrix(a[index].tolist())
        out[index] = np.asarray((matrix.adjugate() / matrix.det()).tolist(), dtype=object)
    return out, None


def solution(
    a: Formulas, b: Formulas, *, left: bool = True, check_errors: bool = False
) -> tuple[Formulas, None, None, None]:
    """Multiply by the inverse."""
    inverted, _ = inverse(a)
    if not left:
        return product(b, inverted), None, None, None
    if b.ndim == a.ndim - 1:
        return product(inverted, b[..., None])[..., 0], None, None, None
    return product(inverted, b), None, None, None


def accumulate(
    a: Formulas, indices: Any, added: Formulas, accumulate: bool = True, unsafe: Any = None
) -> Formulas:
    """Add elements where indices say, as often as they say it."""
    out = a.copy()
    places: Any = tuple(slice(None) if index is None else index for index in indices)
    np.add.at(out, places, added)
    return out


def scatter_add(a: Formulas, dim: int, index: Any, added: Formulas) -> Formulas:
    """Add elements where an index says along one dimension."""
    places = list(np.indices(index.shape))
    places[dim] = index
    return accumulate(a, places, added[tuple(slice(0, size) for size in index.shape)])


def convolution(
    a: Formulas,
    weight: Formulas,
    bias: Formulas | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Formulas:
    """Slide the weights over the input, in any number of dimensions."""
    if transposed:
        raise NotImplementedError("transposed convolution")
    n = weight.ndim - 2
    given = map(list, (stride, padding, dilation))
    steps, pads, gaps = (p * n if len(p) == 1 else p for p in given)
    padded = np.pad(a, [(0, 0), (0, 0), *((p, p) for p in pads)], constant_values=sympy.S.Zero)
    reach = [g * (k - 1) + 1 for g, k in zip(gaps, weight.shape[2:], strict=True)]
    size = [(s - r) // t + 1 for s, r, t in zip(padded.shape[2:], reach, steps, strict=True)]
    out = np.empty([a.shape[0], weight.shape[0], *size], dtype=object)
    inputs, outputs = weight.shape[1], weight.shape[0] // groups
    for index in np.ndindex(*out.shape):
        sample, channel, *place = index
        first = channel // outputs * inputs
        spans = zip(place, steps, reach, gaps, strict=True)
        window = [slice(i * t, i * t + r, g) for i, t, r, g in spans]
        patch = padded[(sample, slice(first, first + inputs), *window)]
        shift = [] if bias is None else [bias[channel]]
        out[index] = sympy.Add(*(patch * weight[channel]).ravel(), *shift)
    return out


def squared_error(a: Formulas, b: Formulas, reduction: int = 1) -> Formulas:
    """Return the squared differences, their mean (1) or their sum (2)."""
    squares = elementwise(lambda p, q: (p - q) ** 2, a, b)
    return squares if reduction == 0 else mean(squares) if reduction == 1 else total(squares)


def _unary(function: Callable[[Any], Any]) -> Callable[..., Formulas]:
    return lambda a, **_: elementwise(function, a)


SAME_NAME = (
    *("acos", "asin", "atan", "cos", "cosh", "erf", "exp", "log", "sin", "sinh", "sqrt"),
    *("tan", "tanh"),
)
"""Functions of one argument that torch and SymPy call alike."""

FORMULAS: dict[str, Callable[..., Any]] = {
    **{name: _unary(getattr(sympy, name)) for name in SAME_NAME},
    "_linalg_det": det,
    "_linalg_solve_ex": solution,
    "_log_softmax": log_softmax,
    "_softmax": softmax,
    "_to_copy": lambda a, **_: array(a),
    "abs": _unary(Magnitude),
    "add": lambda a, b, *, alpha=1: array(a) + number(alpha) * array(b),
    "addmm": addmm,
    "addmv": addmm,
    "amax": extreme(Largest),
    "amin": extreme(Smallest),
    "atan2": lambda a, b: elementwise(sympy.atan2, a, b),
    "baddbmm": addmm,
    "bmm": product,
    "clamp": clamp,
    "clamp_max": lambda a, max: clamp(a, None, max),
    "clamp_min": lambda a, min: clamp(a, min, None),
    "convolution": convolution,
    "cumprod": cumulative(lambda a, b: a * b),
    "cumsum": cumulative(lambda a, b: a + b),
    "div": lambda a, b: array(a) / array(b),
    "dot": lambda a, b: np.asarray(sympy.Add(*(a * b)), dtype=object),
    "exp2": lambda a: power(2, a),
    "expm1": _unary(lambda a: sympy.exp(a) - 1),
    "fill": lambda a, value: array(value),
    "hypot": lambda a, b: power(power(a, 2) + power(b, 2), 0.5),
    "linalg_inv_ex": inverse,
    "linalg_vector_norm": norm,
    "log10": _unary(lambda a: sympy.log(a) / sympy.log(10)),
    "log1p": _unary(lambda a: sympy.log(1 + a)),
    "log2": _unary(lambda a: sympy.log(a) / sympy.log(2)),
    "logsumexp": extreme(log_sum_exp),
    "max": extreme(Largest),
    "maximum": lambda a, b: elementwise(Largest, a, b),
    "mean": mean,
    "min": extreme(Smallest),
    "minimum": lambda a, b: elementwise(Smallest, a, b),
    "mm": product,
    "mse_loss": squared_error,
    "mul": lambda a, b: array(a) * array(b),
    "mv": product,
    "neg": _unary(lambda a: -a),
    "norm": norm,
    "pow": power,
    "prod": lambda a, dim=None, keepdim=False, **_: reduce(sympy.Mul, a, dim, keepdim),
    "reciprocal": lambda a: power(a, -1),
    "relu": _unary(Relu),
    "rsqrt": lambda a: power(a, -0.5),
    "rsub": lambda a, b, alpha=1: array(b) - number(alpha) * array(a),
    "scatter_add": scatter_add,
    "sigmoid": _unary(Sigmoid),
    "square": lambda a: power(a, 2),
    "std": lambda a, dim=None, **k: elementwise(sympy.sqrt, variance(a, dim, **k)),
    "sub": lambda a, b, *, alpha=1: array(a) - number(alpha) * array(b),
    "sum": total,
    "var": variance,
    "var_mean": lambda a, dim=None, *, keepdim=False, **k: (
        (variance(a, dim, keepdim=keepdim, **k), mean(a, dim, keepdim))
    ),
    "zero": lambda a: np.full(a.shape, sympy.S.Zero, dtype=object),
}
"""Operation name -> the formulas of its results."""
