"""Difference quotients beyond the plain ones: cheaper where they confirm, surer where they accuse.

`richardson` confirms in two or three steps what somebody already gives. `robust_derivative`
measures the noise of the values and looks at three ranges of steps before it contradicts anybody.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import prod

import numpy as np

from vtj.engines.numeric import (
    CLOSE,
    EPS,
    KNOWN,
    NOTHING,
    SAFETY,
    Slopes,
    choose,
    derivative,
    first_step,
    lasting_jump,
    rounded_tip,
)
from vtj.oracle.noise import FINE, MARGIN, measured_noise, noise_of_differences
from vtj.oracle.voting import Array

# Relative error at which differences stop. With 1e-8 `certify` would call a square correct whose
# backward has the factor 1 + 1e-8.
ENOUGH = 1e-10
# With more rounding than that, relative to the largest, agreement means little. Without it exp at
# 1e-9 with the factor 1.001 in its backward would be undecided.
ROUGH = 1e-8
# Steps over which a fast wave is a steep slope, and no noise: sin(1e8 x.detach()) at 1 would be
# undecided without them, and the right drawn function 20690 (in tests/) would be called wrong.
FINER = (2.0**-24, 2.0**-34, 2.0**-44)
# Steps over which a value moves that is stuck over finer ones: without the second `certify` would
# call (x + 1e12) - 1e12 wrong at 0.3, without the first x**2 + ((x + 1e13) - 1e13).
WIDER = (2.0**-4, 2.0**-7)
# Of y: noise between the square of this and this may be that of a float32 inside `f`, which stands
# still over such steps: without it the right "softmax whose sum is float32" (in tests/) would be
# called wrong; without the square, or with more, abs(t + 1e-6) and sin(1e8 x.detach()) be missed.
SINGLE = 1e-6
# An element of x: without it the right "softmax whose sum is float32" (in tests/) is undecided
# where one of x is 0.0096, over whose steps that sum stands still.
SMALL = 0.25
# Steps over which a large model has kinks, and steps that are past them: of three layers with relu
# of 784, 512, 512 and 10, for 64 samples, some outputs have a kink within 2**-16.
WIDE = (2.0**-6, 2.0**-9, 2.0**-12)
PAST_KINKS = (2.0**-19, 2.0**-20, 2.0**-21, 2.0**-22)
# Finer ones, where they do not tell: of 3000 numbers some lie closer together than that, and a
# right sort of them (in tests/) was undecided for 5 of 6 draws.
FINER_STILL = 2.0**-5
# Of the size of x, how many steps within, and the powers they are fitted with. With the first range
# alone a right layer norm of 6 by 16 whose inside is float32 (in tests/) is undecided, with two
# powers a right softmax of 4 by 32.
RANGES, NODES, POWERS = (2.0**-2, 2.0**-4), 6, np.array([1, 3, 5])
# So much less than the noise is left beside a fit where what is rounded stands still: without it
# a right attention whose sum alone is float32 (in tests/) is called wrong.
STILL = 100
BY_CHANCE = 1e-4  # what agrees by so much in all of them does not by chance
# A second estimate shares no step with powers of two, over which |t| cos(2 pi log2|t|) seems to
# have a kink at 0. Without it tanh(W tanh(W tanh(W x))) is called wrong (steep tanh, in tests/).
STRETCH = 0.7


def richardson(
    g: Callable[[float], Array],
    expected: Array,
    steps: Sequence[float],
    eps: float,  # the relative rounding error of g's values
    *,
    noise: float | Array = 0.0,  # their absolute error beyond that
    rounding: float = 0.0,  # the absolute rounding error of g's argument
) -> tuple[Array, Array] | None:
    """Return g'(0) and its error where two or three steps confirm what is expected, else None.

    The error of a central difference is a series in the square of its step, so the slope at step
    zero follows from a few. How far that is off they cannot say themselves, but it is not by chance
    that it agrees with an independent value to ten digits. The first step is so wide that it sees
    what moves in leaps, as a detached path in bfloat16 does; the second is the narrowest.

    Source:
        L. F. Richardson, Phil. Trans. R. Soc. A 210 (1911), 307-357.
    """
    slopes: list[Array] = []
    size, error = abs(expected), np.zeros(expected.shape)
    for step in steps:
        plus, minus = g(step), g(-step)
        slopes.append((plus - minus) / (2 * step))
        if len(slopes) == 1:
            continue
        if len(slopes) == 2:
            error = (eps * abs(plus) + noise + rounding * size) / step
            if not SAFETY * error.max(initial=0) <= ROUGH * size.max(initial=0) < np.inf:
                return None
            error += ENOUGH / SAFETY * size
        value = _extrapolated(steps, slopes)
        if (abs(value - expected) <= SAFETY * error).all():
            return value, error
    return None


def _extrapolated(steps: Sequence[float], slopes: Sequence[Array]) -> Array:
    """Return the value at zero of the polynomial in step² through the slopes."""
    squares = [step**2 for step in steps[: len(slopes)]]
    value = np.zeros_like(slopes[0])
    for square, slope in zip(squares, slopes, strict=True):
        value += prod(other / (other - square) for other in squares if other != square) * slope
    return value


def robust_column(
    g: Callable[[float], Array],
    here: Array,
    at: float,
    eps: float,
    *,
    noise: Array,
    custom: bool,  # whether a custom Function stands in g, whose roundings nobody else knows
) -> Slopes:
    """Return one column of J by `robust_derivative`; as `how` of `vtj.engines.numeric.estimate`.

    Where steps of the size of a small element are too rough for three digits, it moves by about 1.
    """
    rounding = EPS * abs(at)
    ask = partial(
        robust_derivative, g, here, eps=eps, rounding=rounding, noise=noise, custom=custom
    )
    best = ask(first_step(at), abs(at) or 1.0)
    rough = (SAFETY * best.error > 1e-3 * abs(best.value).max(initial=0)) & (best.jump == 0)
    if 0 < abs(at) < SMALL:
        # a float32 inside stands still over all: a right RMS norm (in tests/) would be wrong
        stuck = np.where((best.value == 0) & (best.jump == 0), noise / first_step(at), 0.0)
        best = best._replace(error=np.maximum(best.error, stuck))
        rough |= stuck > 0
    if 0 < abs(at) < SMALL and rough.any():
        wide = ask(first_step(0), 1.0)
        agree = abs(wide.value - best.value) <= SAFETY * (wide.error + best.error)
        best = choose(rough & agree & (wide.error < best.error), wide, best)
    # of a float32 inside: else a right layer norm of 4 by 8 (in tests/) is undecided
    rough = (noise > SINGLE**2 * abs(here)) & (SAFETY * best.error > 1e-3 * abs(best.value))
    if custom and (rough & (best.jump == 0)).any():
        # a small element by itself too: else a right RMS norm of 20 draws (in tests/) is undecided
        for reach in (abs(at), 1.0) if 0 < abs(at) < SMALL else (abs(at) or 1.0,):
            value, error = fitted(g, here, reach, noise)
            agree = abs(value - best.value) <= SAFETY * (error + best.error)
            fit = Slopes(value, error, np.zeros_like(value))
            best = choose(rough & agree & (best.jump == 0) & (error < best.error), fit, best)
    return best


def robust_derivative(
    g: Callable[[float], Array],
    here: Array,
    first: float,  # the largest step tried
    size: float,  # the step that moves `x` by its own size
    eps: float,  # the relative rounding error of g's values, at least
    *,
    rounding: float = 0.0,  # the absolute rounding error of g's argument
    noise: float | Array = 0.0,  # the absolute error of g's values, at least
    terms: float | Array = 0.0,  # the size of what adds up to g's values, if more than these
    custom: bool = False,  # whether a custom Function stands in g, which may compute in float32
) -> Slopes:
    """Return g'(0) with the noise of `g` measured, from three families of steps.

    Two estimates begin with large steps that have none in common. A third looks only close by;
    where it contradicts them it wins, since a derivative is what happens close by.
    """
    noise = noise + MARGIN * measured_noise(g, FINE * size)
    coarse = derivative(g, here, first, eps, noise=noise, rounding=rounding)
    other = derivative(g, here, STRETCH * first, eps, noise=noise, rounding=rounding)
    error = np.maximum(coarse.error, abs(coarse.value - other.value))
    local = _close_by(g, here, CLOSE * first, eps, noise, rounding)
    jump = np.where(other.jump != 0, coarse.jump, 0.0)
    jump = np.where(rounded_tip(jump, local), 0.0, jump)
    agree = abs(coarse.value - local.value) <= SAFETY * (error + local.error)
    # of what adds up to y: else a right RMS norm (in tests/) whose v·y is a small rest is wrong
    added = np.maximum(abs(here), terms)
    stairs = (noise > SINGLE**2 * added) & (noise < SINGLE * added)
    # a kink from close by is one: else the right drawn function 679 (in tests/) is called wrong. A
    # single stair of a float32 inside is none: else an entry off by a tenth (in tests/) is correct
    keep = agree & (error <= local.error) & ((local.jump == 0) | stairs)
    best = choose(keep, Slopes(coarse.value, error, jump), local)
    # else the right "nearly singular inverse" (in tests/), steep over fine steps, is called wrong
    stairs &= abs(g(CLOSE * first) - here) < 1e-3 * added
    leaps = []
    for step in FINER:
        # what looks like noise from afar may be a fast wave: close enough it is a steep slope, and
        # one that is well known, unlike that at the jump of where(x > 1, x**2 + 3, x)
        fine = _close_by(g, here, step * first, eps, None, rounding)
        leaps.append(fine.value * step * first)
        steep = ~stairs & (abs(fine.value) > SAFETY * (abs(best.value) + best.error))
        best = choose(steep & (abs(fine.value) > SAFETY * fine.error), fine, best)
    # a leap at x itself is as high over the finest steps: x**2 + floor(100 x) / 100 at 3.2 would be
    # called wrong, of which one side alone stands still
    lasting = abs(leaps[0] - leaps[-1]) <= KNOWN * abs(leaps[-1])
    lasting &= abs(leaps[-1]) > NOTHING * abs(here)
    error = np.where(lasting, np.inf, best.error)
    flat = (best.value == 0) & (best.jump == 0)
    if custom and flat.any():
        error = np.where(flat, np.maximum(error, hidden_slope(g, here, first)), error)
    return best._replace(error=error)


def hidden_slope(g: Callable[[float], Array], here: Array, first: float) -> Array:
    """Return which slope `g` may have where it stands still, if inside it is rounded to float32.

    A tanh in float32 (in tests/) stands still near 8.7, where its right backward gives 1e-7.
    """
    unit = single_unit(here)
    hidden, waiting = np.zeros_like(unit), unit > 0
    for step in first * 2.0 ** -np.arange(0.0, 15.0):
        if not waiting.any():
            break
        still = waiting & (g(step) == here) & (g(-step) == here)
        hidden, waiting = np.where(still, unit / step, hidden), waiting & ~still
    return np.asarray(hidden)


def single_unit(here: Array) -> Array:
    """Return the unit roundoff of values that may come from float32, and 0 for those that do not.

    Example:
        >>> single_unit(np.array([0.5, 0.1])).tolist() == [2.0**-25, 0.0]
        True
    """
    single = here.astype(np.float32) == here
    return np.where(single, np.finfo(np.float32).eps / 2 * abs(here), 0.0)


def fitted(
    g: Callable[[float], Array], here: Array, reach: float, noise: float | Array = 0.0
) -> tuple[Array, Array]:
    """Return g'(0) and its error from polynomials through many values, over wide steps.

    Roundings inside g are as good as random there, and many values take most of them out: what is
    left beside the polynomial says how much. The error is that of a least squares fit, and what the
    slope changes with the next power. Even powers are fitted too: hypot(x, 1e-4) has no odd ones.
    """
    value, error = np.zeros(1), np.full(1, np.inf)
    for part in RANGES:
        steps = part * reach * np.cos(np.pi * (np.arange(NODES) + 0.5) / (2 * NODES))
        sides = [(g(step), g(-step)) for step in steps]
        odd, even = (
            np.stack([(plus + sign * minus) / 2 for plus, minus in sides]) for sign in (-1, 1)
        )
        ratio = (steps / steps[0])[:, None]
        lower, design, of_even = ratio ** POWERS[:-1], ratio**POWERS, ratio ** (POWERS + 1)
        found, _, _, _ = np.linalg.lstsq(design, odd, rcond=None)
        even = even - here
        rest = odd - design @ found, even - of_even @ np.linalg.lstsq(of_even, even, rcond=None)[0]
        left = (np.stack(rest) ** 2).sum(axis=(0, 1)) / (NODES - len(POWERS))
        off = np.sqrt(left * np.linalg.inv(design.T @ design)[0, 0])
        off += abs(found[0] - np.linalg.lstsq(lower, odd, rcond=None)[0][0]) / SAFETY
        # roundings that do not vary stand still, and hide a slope of their own size
        off = np.where(np.sqrt(left) < noise / STILL, np.maximum(off, noise), off)
        slope, off = found[0] / steps[0], np.nan_to_num(off / steps[0], nan=np.inf)
        value, error = np.where(off < error, slope, value), np.minimum(off, error)
    return value, error


def past_kinks(
    g: Callable[[float], Array],
    here: Array,
    first: float,
    eps: float,
    *,
    noise: float | Array,  # the absolute error of g's values beyond that
    rounding: float,  # the absolute rounding error of g's argument
    expected: float | Array = np.nan,  # what needs no wider error where that is the slope
) -> tuple[Array, Array]:
    """Return g'(0) over steps so fine that no kink lies within, and its error: inf where not known.

    It is known where two such slopes agree, and where wider ones are off, so are fine slopes
    elsewhere in their range: beside a kink they are, beside a leap they are not. At a kink the
    error reaches from the slope on one side to that on the other.
    """

    def slope(step: float, at: float = 0.0) -> tuple[Array, Array, Array]:
        plus, minus = g(at + step), g(at - step)
        value = (plus - minus) / (2 * step)
        floor = eps * np.maximum(abs(plus), abs(minus)) + noise + rounding * abs(value)
        return value, floor / step, (plus + minus - 2 * here) / step

    def over(steps: Array) -> tuple[Array, Array]:
        (value, error, jump), *finer = map(slope, steps.tolist())
        size = np.maximum(abs(value), np.sqrt(np.mean(value**2)))
        known = np.ones(value.shape, bool)
        for step, (one, floor, _) in zip(steps[1:], finer, strict=True):
            known &= (abs(one - value) <= SAFETY**2 * floor) & (SAFETY * floor < BY_CHANCE * size)
            # sums inside f round more than y does: else a right transformer of 64 is undecided
            error = np.maximum(error, abs(one - value) * step / steps[0])
        error = np.maximum(error, np.median(error))  # a few of thousands agree by chance
        # else a right relu without a jvp, one of whose 64 x is 0 (in tests/), is called wrong
        kink = lasting_jump([jump, *(one for *_, one in finer)], finer[-1][1])
        # and a right abs of 60 undecided, whose slope of 0 at a kink is that of both sides' mean
        met = abs(value - expected) <= SAFETY * error + ENOUGH * abs(value)
        error = np.where(met, error, np.maximum(error, abs(kink) / 2 / SAFETY))
        if known.any():
            off = np.max([abs(slope(part * first)[0] - value) for part in WIDE], axis=0) / 4
            elsewhere = np.zeros(value.shape)
            for part, side in product(WIDE, (1, -1)):
                if not (known & (elsewhere < off)).any():
                    break
                one = slope(steps[0], side * part * first)[0]
                elsewhere = np.maximum(elsewhere, abs(one - value))
            known &= elsewhere >= off
        return value, np.where(known, error, np.inf)

    steps = first * np.array(PAST_KINKS)
    value, error = over(steps)
    if np.isinf(error).any():
        finer, off = over(FINER_STILL * steps)
        value, error = np.where(off < error, finer, value), np.minimum(off, error)
    return value, error


def stands_close_by(
    g: Callable[[float], Array],
    here: Array,
    slope: Array,
    gap: Array,
    first: float,
    noise: float,  # the absolute error of g's values, at least
) -> bool:
    """Return whether slopes stand over ever finer steps, beside gaps to what contradicts them.

    Close by they must on either side: that tells a gross mistake from kinks and stairs, from noise
    and from a fast wave, which have another slope at some of these steps, in twelve calls.
    """
    unit = single_unit(here)
    for part in (*WIDER, CLOSE, *FINER):
        step = part * first
        # over the finest steps values may change by rounding alone
        lost = SAFETY * noise if part in FINER[1:] else 0.0
        # else gelu(W @ x) (in tests/), which rounding makes flat in places, is called wrong
        if not lost and not (SAFETY * noise <= gap * step).all():
            return False
        plus, minus = g(step), g(-step)
        if ((plus == here) & (minus == here) & (gap * step <= SAFETY * unit)).any():
            return False  # a tanh in float32 (in tests/) stands still at 8.7
        sides = [(plus - minus) / (2 * step)]
        if part not in WIDER:
            sides = [(plus - here) / step, (here - minus) / step]
        allowed = gap * step / SAFETY + lost
        if not all((abs(one - slope) * step <= allowed).all() for one in sides):
            return False
    return True


def _close_by(
    g: Callable[[float], Array],
    here: Array,
    first: float,
    eps: float,
    noise: Array | None,
    rounding: float,
) -> Slopes:
    """Return slope and jump from three small steps.

    The error is all they disagree by. Without a `noise` that of the values seen here counts.
    """
    quarters = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)
    seen = {part: here if part == 0 else g(part * first) for part in quarters}
    if noise is None:
        noise = MARGIN * noise_of_differences(np.stack(list(seen.values())), 6)
    slopes, jumps = [], []
    for part in (1.0, 0.5, 0.25):
        plus, minus, step = seen[part], seen[-part], part * first
        slopes.append((plus - minus) / (2 * step))
        jumps.append((plus + minus - 2 * here) / step)
        value = noise + eps * np.maximum(abs(plus), abs(minus))
        floor = (value + rounding * abs(slopes[-1])) / step
    spread = np.ptp(slopes, axis=0)
    error = spread + floor
    jump = lasting_jump(jumps, error)
    # a jump that grows with the step is known to that: else relu(x) + |x|**3 is undecided at 0
    error += np.where(jump != 0, abs(jump - (2 * jumps[1] - jumps[0])), 0.0)
    return Slopes(slopes[-1], error, jump)
