"""How much of a function's value is rounding, measured on the values themselves.

A smooth function's differences of high order vanish as the step shrinks; what stays is rounding.
It cannot be had from the size of the value: in ``a - b`` the rounding is that of `a` and `b`, and
what a library function loses inside shows only in what it returns.
"""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from vtj.oracle.voting import Array

FINE = 2.0**-24  # of the size of x: over this a function changes mostly by rounding
# Over these a value shows that was stuck over finer ones. Without the first `certify` would call
# (x + 1e12) - 1e12 at 0.3 wrong, without the second x**2 + ((x + 1e13) - 1e13), which are right.
# With 2**-6 too it would call x + sin(100 x.detach()) / 100 correct.
COARSE = (2.0**-12, 2.0**-9)
# They make stairs that are no rounding: without it x + (x.floor() - x).detach() would be correct at
# 100.6, since a right (x + 1e13) - 1e13 looks like it.
LEAPS = frozenset(
    ["ceil", "fix", "floor", "floor_divide", "floordiv", "int", "long", "round", "trunc"]
)
# What is measured is a standard deviation: with a tenth of it, the right drawn function 2797 (in
# tests/) would be called wrong.
MARGIN = 3.0
# With 7, which leave a single difference, a random 1e-8 on a sine may pass for a quarter of that.
VALUES = 9


def measured_noise(g: Callable[[float], Array], step: float, first: int = 0) -> Array:
    """Return the rounding noise of `g`, from what is left of its values after six differences.

    They are those from step number `first` on: at 0 there may be a kink.

    Source:
        J. J. Moré, S. M. Wild, Estimating computational noise, SIAM J. Sci. Comput. 33 (2011).
    """
    return noise_of_differences(_values(g, step, first), 6)


def noise_of_differences(table: Array, order: int) -> Array:
    """Return the standard deviation of noise that explains the differences of some order."""
    left = np.diff(table, n=order, axis=0)
    noise = np.sqrt((left**2).mean(axis=0) / comb(2 * order, order))
    return np.where(np.isfinite(noise), noise, 0.0)


def noise_at_all_scales(
    g: Callable[[float], Array],
    least: float = 0.0,
    leaps: Callable[[], bool] = lambda: False,
) -> Array:
    """Return the rounding noise of `g`, also where over fine steps its value is stuck.

    Over coarse steps a smooth function changes too. It is told from noise by the differences of
    the fourth to sixth order, which of noise alone are alike; and from a kink by looking on both
    sides, of which a kink spoils one. Steps are in units of the size of `x`, and none is smaller
    than `least`. Stairs that the function makes itself are no noise: `leaps` says whether it does,
    and is asked only where there are some.
    """
    fine = MARGIN * measured_noise(g, max(FINE, least), 1)
    found = fine
    for step in COARSE:
        if step > least:
            sides = (_noise_alone(g, step), _noise_alone(g, -step))
            found = np.fmax(found, MARGIN * np.fmin(*sides))
    return fine if (found > fine).any() and leaps() else found


class _Leaping(TorchFunctionMode):
    """Notes whether something is rounded to whole numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen |= getattr(func, "__name__", "").strip("_") in LEAPS
        return func(*args, **(kwargs or {}))


def leaping(call: Callable[[], object]) -> bool:
    """Return whether a call rounds to whole numbers, as far as torch's functions are seen."""
    noted = _Leaping()
    with noted:
        call()
    return bool(noted.seen)


class _Computing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the floating dtypes that something is computed in, in custom Functions too."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.dtypes: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        results = (one for one in tree_leaves(out) if isinstance(one, torch.Tensor))
        # a torch.tensor(0.5) is in float32, and rounds nothing beside a tensor of float64
        self.dtypes |= {one.dtype for one in results if one.is_floating_point() and one.ndim}
        return out


def computing(call: Callable[[], object]) -> set[torch.dtype]:
    """Return the floating dtypes that a call computes in, as far as torch's operators are seen."""
    noted = _Computing()
    with noted:
        call()
    return noted.dtypes


def _noise_alone(g: Callable[[float], Array], step: float) -> Array:
    table = _values(g, step, 1)
    # without the fourth x + 1e-3 sin(1e3 x.detach()) would be correct at 0.3
    orders = np.stack([noise_of_differences(table, order) for order in (4, 5, 6)])
    # with 100 x + 1e-3 sin(1e3 x.detach()) would be correct to `certify` at 0.3
    alike = orders.max(axis=0) <= 4 * orders.min(axis=0)
    return np.where(alike, orders[-1], 0.0)


def _values(g: Callable[[float], Array], step: float, first: int) -> Array:
    return np.stack([g((first + k) * step) for k in range(VALUES)])
