"""Differences that choose their own step and say how far they can be trusted."""

from collections.abc import Callable, Collection, Sequence
from math import isfinite
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from vtj.calling.tensors import (
    Function,
    Tensors,
    as_tuple,
    fresh_leaves,
    like,
    values,
    values_or_nan,
)

Array: TypeAlias = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
# Step sizes tried: the last is 2**-19 of the first. With 12 a right sin(1e5 x) without a forward
# formula would be undecided at 1.
LEVELS = 20
SAFETY = 4.0  # with 1, where(x > 1, x**2 + 3, x) is undecided at its jump, x = 1
"""A difference quotient is believed to this multiple of its own error estimate."""

# Of y: what is below that is nothing, even beside a slope of zero. With 0 the tip of hypot(x, 1e-4)
# at 0 would pass for a kink, and a backward of 0.5 v there for correct.
NOTHING = 1e-9
# Of the first step: so close the tip of hypot(x, 1e-5) + 3x at 0 is seen to be round, and no kink.
CLOSE = 2.0**-14
# Of a jump in slope: so well it must be known. With 0 the right relu(x) + |x|**3 would be called
# wrong at 0, where the jump grows with the step.
KNOWN = 0.05


def jacobian(f: Function, x: Tensors) -> Any:
    """Return J by central differences, extrapolated to step zero in float64, column by column.

    Each step is half the one before (Ridders' method). The steps are powers of two, so that
    polynomials of low degree at small integers come out exact. Nothing here knows autograd.
    Called, and shaped, as `vtj.jacobian`; in float64 when `f` allows.

    Raises:
        Exception: What `f` raises in `x`'s own dtype.

    Source:
        C. J. F. Ridders, Advances in Engineering Software 4 (1982), 75-76.

    Example:
        >>> import torch
        >>> jacobian(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]], dtype=torch.float64)
    """
    raised = like(tuple(part.detach().double() for part in as_tuple(x)), x)
    try:
        y = f(*fresh_leaves(raised))
        x = raised
    except Exception:  # whatever keeps f from float64, x's own dtype shows whether it is f's error
        y = f(*fresh_leaves(x))
    outputs = as_tuple(y, "y")
    eps = max(torch.finfo(output.dtype).eps for output in outputs)
    value = estimate(f, x, eps).value
    rows = np.split(value, np.cumsum([output.numel() for output in outputs])[:-1], axis=0)
    sizes = np.cumsum([part.numel() for part in as_tuple(x)])[:-1]
    blocks = []
    for output, row in zip(outputs, rows, strict=True):
        columns = zip(np.split(row, sizes, axis=1), as_tuple(x), strict=True)
        shaped = tuple(
            torch.from_numpy(block.reshape((*output.shape, *part.shape))) for block, part in columns
        )
        blocks.append(like(shaped, x))
    return like(tuple(blocks), y)


class Slopes(NamedTuple):
    """Derivatives by differences, and what they say of themselves."""

    value: Array  # the derivative; at a kink, the mean of the slopes on both sides
    error: Array
    jump: Array  # the slope on the right less the slope on the left; 0 where there is no kink


# makes a column from a function of one number, its value at 0, the element of x it moves, and eps
Column: TypeAlias = Callable[[Callable[[float], Array], Array, float, float], Slopes]


def estimate(
    f: Function,
    x: Tensors,
    eps: float,  # the relative rounding error of f's values
    *,
    columns: Collection[int] | None = None,  # the elements of `x` to move; all when omitted
    how: Column | None = None,
) -> Slopes:
    """Return J and how far each entry can be trusted, all of shape ``(y.numel(), x.numel())``."""
    here = values(f(*fresh_leaves(x)))
    places = [
        (position, index, at if isfinite(at) else 0.0)  # what is infinite or nan has no size
        for position, part in enumerate(as_tuple(x))
        for index, at in enumerate(part.detach().double().reshape(-1).tolist())
    ]
    slopes = []
    for position, index, at in places if columns is None else [places[c] for c in columns]:
        with OrNan(_along(f, x, position, index, here.size), here.size) as along:
            slopes.append((how or _column)(along, here, at, eps))
    if not slopes:
        return Slopes(*(np.zeros((here.size, 0)) for _ in Slopes._fields))
    return Slopes(*(np.stack(field, axis=1) for field in zip(*slopes, strict=True)))


class OrNan:
    """A function of a step, nan where it raises: a probability may be led beyond 1.

    Where it raises at every step, its error is raised on leaving.
    """

    def __init__(self, g: Callable[[float], Array], size: int) -> None:
        self.g, self.size = g, size
        self.ran = False
        self.error: Exception | None = None

    def __call__(self, step: float) -> Array:
        """Return the values at this step."""
        try:
            came = self.g(step)
        except Exception as error:  # whatever f says of a point that the caller did not give
            self.error = error
            return np.full(self.size, np.nan)
        self.ran = True
        return came

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.error is not None and not self.ran:
            raise self.error


def derivative(
    g: Callable[[float], Array],
    here: Array,  # g(0)
    first: float,  # the largest step tried
    eps: float,  # the relative rounding error of g's values
    *,
    noise: float | Array = 0.0,  # their absolute error beyond that
    rounding: float = 0.0,  # the absolute rounding error of g's argument
    enough: float = 0.0,  # stop as soon as the error is below this part of the derivative
    wary: bool = False,  # whether what wider steps agree on counts against finer ones
) -> Slopes:
    """Return g'(0) for a function from a number to a vector."""
    best, error = np.full(here.shape, np.nan), np.full(here.shape, np.inf)
    settled = np.zeros(here.shape, bool)
    table: list[Array] = []
    slopes: list[Array] = []
    seen: list[tuple[Array, Array, float]] = []
    largest = np.zeros(here.shape)
    level = np.zeros(here.shape, int)
    step = first
    constant = np.isfinite(here)
    for _ in range(LEVELS):
        plus, minus = g(step), g(-step)
        if constant.any():
            constant &= (plus == here) & (minus == here)
        if not (np.isfinite(plus).all() and np.isfinite(minus).all()):
            table, slopes, seen, step = [], [], [], step / 2
            continue
        slope = (plus - minus) / (2 * step)
        if not slopes:
            largest = noise + eps * np.maximum(abs(plus), abs(minus)) + rounding * abs(slope)
        floor = largest / step
        slopes.append(slope)
        seen.append((plus, minus, step))
        row, factor = [slope], 1.0
        for previous in table:
            factor *= 4
            finer = (factor * row[-1] - previous) / (factor - 1)
            doubt = np.maximum(abs(finer - row[-1]), abs(finer - previous)) + floor
            closer = doubt < error
            best, error = np.where(closer, finer, best), np.where(closer, doubt, error)
            level = np.where(closer, len(slopes), level)
            row.append(finer)
        # with 2 floors where(x > 1, x**2 + 3, x) is undecided at its jump, x = 1
        settled = error <= np.maximum(SAFETY * floor, enough * abs(best))
        # with 2, which show no jump in slope, `certify` calls relu 227 times at 0, in place of 27
        if len(slopes) >= 3 and settled.all():
            break
        table, step = row, step / 2
    else:
        error = _widened_unless(settled, slopes, level, best, error)
    if wary:
        error = np.maximum(error, _off_the_plateau(slopes, best))
    if constant.any():  # else what is constant would be undecided: torch.ones(3), without a graph
        error = np.where(constant, 0.0, error)
    if len(seen) < 3:
        return Slopes(best, error, np.zeros(here.shape))
    jumps = [(plus + minus - 2 * here) / step for plus, minus, step in seen[-3:]]
    return Slopes(best, error, lasting_jump(jumps, error))


def _widened_unless(
    settled: NDArray[np.bool_], slopes: list[Array], level: Array, best: Array, error: Array
) -> Array:
    """Return an error as wide as the slopes after the best, unless it settled.

    Two slopes next to each other may agree by luck: without this x + sin(1e15 x.detach()) would be
    called correct; and with all slopes in place of two, the right x + tanh(1e5 (x - 1)) undecided.
    """
    for later, slope in enumerate(slopes):
        after = ~settled & (later >= level) & (later < level + 2)
        error = np.where(after, np.fmax(error, abs(slope - best)), error)
    return error


def _off_the_plateau(slopes: list[Array], best: Array) -> Array:
    """Return how far the best slope is from one that five steps agree on, each half the one before.

    Over finer steps what is float32 inside stands still: without this `certify` calls an RMS norm
    correct whose backward leaves out its statistic.
    """
    gap = np.zeros(best.shape)
    for five in zip(*(slopes[k:] for k in range(5)), strict=False):
        apart = np.min(abs(np.array(five) - best), axis=0)
        flat = SAFETY * np.ptp(five, axis=0) < apart
        gap = np.where(flat, np.maximum(gap, apart), gap)
    return gap


def lasting_jump(jumps: Sequence[Array], error: Array) -> Array:
    """Return what is left of a jump in slope at step zero, from three steps that halve, or more.

    It stays as steps halve: did it not have to, sin(1e15 x.detach()) would be full of kinks, and
    correct at each.
    """
    first, second, third = jumps[-3:]
    before, left = 2 * second - first, 2 * third - second
    stays = abs(left - before) <= KNOWN * abs(left) + SAFETY * error
    return np.where(stays & (abs(left) > SAFETY * error), left, 0.0)


def rounded_tip(jump: Array, near: Slopes) -> NDArray[np.bool_]:
    """Return where narrower steps show that a jump in slope is a rounded tip, and no kink.

    They must be sure of it: else where(x > 1, x**2 + 3, x) is undecided at its jump, x = 1.
    """
    return np.asarray((jump != 0) & (near.jump == 0) & (near.error < KNOWN * abs(jump)))


def choose(which: NDArray[np.bool_], first: Slopes, second: Slopes) -> Slopes:
    """Return the first slopes where `which` says so, and the second elsewhere."""
    return Slopes(*(np.where(which, a, b) for a, b in zip(first, second, strict=True)))


def _column(g: Callable[[float], Array], here: Array, at: float, eps: float) -> Slopes:
    rounding = EPS * abs(at)
    best = derivative(g, here, first_step(at), eps, rounding=rounding)
    # with 1e-3 a right exp at 1e-12 without a forward formula would be undecided
    rough = best.error > 1e-6 * abs(best.value)
    if rough.any():
        second = derivative(g, here, first_step(0), eps, rounding=rounding)
        best = choose(rough & (second.error < best.error), second, best)
    if best.jump.any():
        near = derivative(g, here, CLOSE * first_step(at), eps, rounding=rounding)
        # without four digits hypot(x, 1e-6) + 10x would be correct with a backward of 10.5
        sharp = near.error <= np.maximum(1e-4 * abs(near.value), NOTHING * abs(here))
        best = choose(rounded_tip(best.jump, near) & sharp, near, best)
    return best


def first_step(at: float) -> float:
    """Return the largest step to try: a power of two, at most half of `at`."""
    return 0.5 if at == 0 else float(2.0 ** np.floor(np.log2(abs(at) / 2)))


def _along(
    f: Function, x: Tensors, position: int, index: int, size: int
) -> Callable[[float], Array]:
    place = tuple(int(i) for i in np.unravel_index(index, as_tuple(x)[position].shape))

    def moved(step: float) -> Array:
        leaves = [part.detach().clone() for part in as_tuple(x)]
        leaves[position][place].add_(step)
        return values_or_nan(f(*(leaf.requires_grad_() for leaf in leaves)), size)

    return moved
