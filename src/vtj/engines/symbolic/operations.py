"""The operations the symbolic engine knows: each as formulas on NumPy arrays of SymPy expressions.

A table entry takes the arguments of the operation, with every floating tensor replaced by an
object array, and returns the formulas of the results. Operations that only move elements are not
here as formulas (see no_formula.py).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import sympy
import torch
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from torch import Tensor
from torch._decomp import decomposition_table

from vtj.engines.symbolic.kinks import (
    Clamped,
    ClampedByTensors,
    Largest,
    Magnitude,
    Relu,
    Sigmoid,
    Smallest,
)

Formulas = NDArray[np.object_]

COMPARISONS = ("gt", "ge", "lt", "le", "eq", "ne")
"""Operations that SymPy has too, as relations: Gt, Ge."""


def avg_pool2d(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Divide a convolution with ones by their number."""
    if ceil_mode or divisor_override or not (count_include_pad or not any(padding)):
        raise NotImplementedError("only plain average pooling")
    sides = tuple(kernel) * 2 if len(kernel) == 1 else tuple(kernel)
    ones = x.new_ones(1, 1, *sides)
    images = x.reshape(-1, 1, *x.shape[-2:])
    sums = torch.conv2d(images, ones, stride=stride or sides, padding=padding)
    return (sums / ones.numel()).reshape(*x.shape[:-2], *sums.shape[-2:])


def hardtanh(a: Tensor, low: float = -1, high: float = 1) -> Tensor:
    """Hold between two bounds; the slope on a bound is 0, also where that of `clamp` is 1."""
    return torch.where(a <= low, 0 * a + low, torch.where(a >= high, 0 * a + high, a))


with torch.enable_grad():
    _edge = torch.tensor(3.0, requires_grad=True)
    (_slope,) = torch.autograd.grad(torch.nn.functional.hardswish(_edge), _edge)
BEYOND_AT_ITS_EDGES = _slope.item() == 1
"""Whether `hardswish` has at -3 and 3 the slopes of the pieces beyond; in torch 2.6 it has not."""


def hardswish(a: Tensor) -> Tensor:
    """Join three pieces: 0, a (a + 3) / 6 and a."""
    below, above = (a <= -3, a >= 3) if BEYOND_AT_ITS_EDGES else (a < -3, a > 3)
    return torch.where(below, 0 * a, torch.where(above, a, a * (a + 3) / 6))


def max_pool2d(
    images: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """Take the largest element of every window, the first of equal ones."""
    if ceil_mode:
        raise NotImplementedError("only max pooling that rounds sizes down")
    given = map(tuple, (kernel, stride or kernel, padding, dilation))
    sides, steps, (up, left), gaps = (each * 2 if len(each) == 1 else each for each in given)
    windows = torch.nn.functional.pad(images, (left, left, up, up), value=-torch.inf)
    for dim, side, step, gap in zip((-2, -1), sides, steps, gaps, strict=True):
        windows = windows.unfold(images.ndim + dim, gap * (side - 1) + 1, step)[..., ::gap]
    return windows.flatten(-2).max(-1)


OTHERWISE: dict[str, Callable[..., Any]] = {
    "avg_pool2d": avg_pool2d,
    "fmod": lambda a, b: a - b * torch.trunc(a / b),
    "hardsigmoid": lambda a: hardtanh(a, -3, 3) / 6 + 0.5,
    "hardswish": hardswish,
    "hardtanh": hardtanh,
    "median": lambda a: a.reshape(-1).median(0).values,
    "remainder": lambda a, b: a - b * torch.floor(a / b),
}
"""Operations that are run as others, since torch has no decomposition of its own for them."""

if torch.ops.aten.max_pool2d_with_indices.default not in decomposition_table:
    OTHERWISE["max_pool2d_with_indices"] = max_pool2d  # torch 2.4 and 2.6 have none yet


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
    function: Callable[..., Any], a: Formulas, dim: Any = None, keepdim: bool = False, **_: Any
) -> Formulas:
    """Reduce dimensions with a function that takes the elements as its arguments."""
    over = axes(a, dim)
    kept = [d for d in range(a.ndim) if d not in over]
    lines = a.transpose([*kept, *over]).reshape([*(a.shape[d] for d in kept), -1])
    out = np.vectorize(lambda line: function(*line), [object], signature="(n)->()")(lines)
    return np.expand_dims(np.asarray(out, dtype=object), over if keepdim else ())


total = partial(reduce, sympy.Add)


def product(a: Formulas, b: Formulas) -> Formulas:
    """Multiply matrices, or stacks of them; of no terms the sum is SymPy's zero too."""
    return np.asarray(sympy.S.Zero + np.matmul(a, b), dtype=object)


def variance(
    a: Formulas, dim: Any = None, correction: float | None = None, keepdim: bool = False, **_: Any
) -> Formulas:
    """Sum the squared deviations from the mean and divide by their number minus the correction."""
    count = sympy.Integer(int(np.prod([a.shape[d] for d in axes(a, dim)])))
    free = count - (1 if correction is None else number(correction))
    squares = (a - total(a, dim, True) / count) ** 2
    return np.asarray(total(squares, dim, keepdim) / free, dtype=object)


def softmax(a: Formulas, dim: int, half_to_float: bool = False) -> Formulas:
    """Divide the exponentials along a dimension by their sum."""
    exps = elementwise(sympy.exp, a)
    return np.asarray(exps / total(exps, dim, True))


def log_sum_exp(*items: Any) -> Any:
    """Return the logarithm of the sum of the exponentials."""
    return sympy.log(sympy.Add(*map(sympy.exp, items)))


def log_softmax(a: Formulas, dim: int, half_to_float: bool = False) -> Formulas:
    """Subtract the logarithm of the sum of the exponentials."""
    return np.asarray(a - reduce(log_sum_exp, a, dim, True))


def power(a: Any, b: Any) -> Formulas:
    """Raise to a power."""
    return np.asarray(array(a) ** array(b))


def clamp(a: Formulas, min: Any = None, max: Any = None) -> Formulas:
    """Hold between two bounds, either of which may be missing."""
    low = -sympy.oo if min is None else min
    high = sympy.oo if max is None else max
    tensors = isinstance(min, np.ndarray) or isinstance(max, np.ndarray)
    return elementwise(ClampedByTensors if tensors else Clamped, a, low, high)


def det(a: Formulas) -> tuple[Formulas, None, None]:
    """Expand determinants."""
    if a.shape[-1] > 4:
        raise NotImplementedError("written out for at most 4 rows")
    expand = lambda rows: sympy.Matrix(rows.tolist()).det(method="berkowitz")  # noqa: E731
    whole = np.vectorize(expand, [object], signature="(n,n)->()")(a)
    return np.asarray(whole, dtype=object), None, None


def inverse(a: Formulas, check_errors: bool = False) -> tuple[Formulas, None]:
    """Divide adjugates by determinants."""
    if a.shape[-1] > 3:
        raise NotImplementedError("written out for at most 3 rows")

    def one(rows: Formulas) -> Formulas:
        matrix = sympy.Matrix(rows.tolist())
        return np.asarray((matrix.adjugate() / matrix.det()).tolist(), dtype=object)

    return np.vectorize(one, [object], signature="(n,n)->(n,n)")(a), None


def solution(
    a: Formulas, b: Formulas, *, left: bool = True, check_errors: bool = False
) -> tuple[Formulas, None, None, None]:
    """Multiply by the inverse; with one dimension less, b is a vector for each matrix."""
    inverted, _ = inverse(a)
    if b.ndim == a.ndim - 1:
        found = product(inverted, b[..., None])[..., 0]
    else:
        found = product(inverted, b) if left else product(b, inverted)
    return found, None, None, None


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
    windows = sliding_window_view(padded, reach, tuple(range(2, n + 2)))
    windows = windows[tuple(slice(None, None, step) for step in (1, 1, *steps, *gaps))]
    inside = [1, *range(n + 2, 2 * n + 2)], range(1, n + 2)  # the channels, and the kernel's sides
    pairs = zip(np.split(windows, groups, 1), np.split(weight, groups), strict=True)
    out = np.concatenate([np.tensordot(*pair, inside) for pair in pairs], -1)
    return np.moveaxis(out if bias is None else out + bias, -1, 1)


def _unary(function: Callable[[Any], Any]) -> Callable[..., Formulas]:
    return lambda a, **_: elementwise(function, a)


SAME_NAME = (
    *("acos", "asin", "atan", "cos", "cosh", "erf", "exp", "log", "sin", "sinh", "sqrt"),
    *("tan", "tanh"),
)
"""Functions of one argument that torch and SymPy call alike."""

FORMULAS: dict[str, Callable[..., Any]] = {
    **{name: partial(elementwise, getattr(sympy, name.title())) for name in COMPARISONS},
    **{name: _unary(getattr(sympy, name)) for name in SAME_NAME},
    "_linalg_det": det,
    "_linalg_solve_ex": solution,
    "_log_softmax": log_softmax,
    "_softmax": softmax,
    "_to_copy": lambda a, **_: a,
    "abs": _unary(Magnitude),
    "add": lambda a, b, *, alpha=1: array(a) + number(alpha) * array(b),
    "amax": partial(reduce, Largest),
    "amin": partial(reduce, Smallest),
    "atan2": lambda a, b: elementwise(sympy.atan2, a, b),
    "bmm": product,
    "clamp": clamp,
    "convert_element_type": lambda a, dtype: a,
    "convolution": convolution,
    "div": lambda a, b: array(a) / array(b),
    "exp2": lambda a: power(2, a),
    "expm1": _unary(lambda a: sympy.exp(a) - 1),
    "fill": lambda a, value: array(value),
    "hypot": lambda a, b: power(power(a, 2) + power(b, 2), 0.5),
    "index_put": accumulate,
    "linalg_inv_ex": inverse,
    "log10": _unary(lambda a: sympy.log(a) / sympy.log(10)),
    "log1p": _unary(lambda a: sympy.log(1 + a)),
    "log2": _unary(lambda a: sympy.log(a) / sympy.log(2)),
    "logsumexp": partial(reduce, log_sum_exp),
    "max": partial(reduce, Largest),
    "maximum": lambda a, b: elementwise(Largest, a, b),
    "min": partial(reduce, Smallest),
    "minimum": lambda a, b: elementwise(Smallest, a, b),
    "mm": product,
    "mul": lambda a, b: array(a) * array(b),
    "neg": _unary(lambda a: -a),
    "pow": power,
    "prod": partial(reduce, sympy.Mul),
    "reciprocal": lambda a: power(a, -1),
    "relu": _unary(Relu),
    "rsqrt": lambda a: power(a, -0.5),
    "scatter_add": scatter_add,
    "sigmoid": _unary(Sigmoid),
    "sub": lambda a, b, *, alpha=1: array(a) - number(alpha) * array(b),
    "sum": total,
    "var": variance,
}
"""Operation name -> the formulas of its results; all others go by torch's decompositions."""
