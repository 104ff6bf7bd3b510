"""The oracle's ways to J, and the one table of them: a new engine is a file and a line here."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from vtj.calling import without_trace
from vtj.calling.tensors import Function, Tensors, as_tuple, require_floating
from vtj.calling.waiting import waited
from vtj.engines import forward, numeric, reverse, vectorized

Jacobian: TypeAlias = Any  # a tensor; a tuple of them per x; a tuple of those per y


@dataclass(frozen=True)
class Family:
    """Engines that share code, and so their mistakes: together they have one vote."""

    name: str  # as in the rows of a report
    culprit: str  # who is named when the other families outvote it
    conclusion: str  # what is said then
    autograd: bool = False  # whether it follows autograd's graph, and sees no detached path
    # what the report says then: a wrong formula of our own is no mistake in `f`
    verdict: Literal["wrong", "undecided"] = "wrong"


BY_HAND = Family("by hand", "jacobian", "the hand-derived J is wrong")
BACKWARD = Family("backward", "backward", "the backward is wrong", autograd=True)
FORWARD = Family("forward", "forward", "the forward derivative (jvp) is wrong", autograd=True)
NUMERIC = Family("numeric", "f", "autograd does not see all of f")
SYMBOLIC = Family("symbolic", "symbolic", "the formula is wrong", verdict="undecided")


@dataclass(frozen=True)
class Engine:
    """One way to J; called as ``engine(f, x)``."""

    name: str  # its key in `ENGINES`
    family: Family  # whose vote it has
    run: Callable[[Function, Tensors], Jacobian]
    vmap: bool = False  # whether it batches by torch.func's vmap: some of its rules are wrong
    # for differences: what gives J and how far each entry may be off; None for an exact engine
    slopes: Callable[[Function, Tensors, float], numeric.Slopes] | None = None
    default: bool = True  # whether `check` asks it unless told otherwise

    def __call__(self, f: Function, x: Tensors) -> Jacobian:
        """Return J of `f` at `x`."""
        return waited(self.run(f, x))


def symbolic_jacobian(f: Function, x: Tensors) -> Jacobian:
    """Derive J as formulas from the code that runs, and evaluate them at `x`.

    SymPy is imported when this is called, and not before.
    """
    from vtj.engines.symbolic.derivation import jacobian as derive

    return derive(f, x)


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            Engine("reverse", BACKWARD, reverse.jacobian),
            Engine("jacrev", BACKWARD, vectorized.jacrev, vmap=True),
            Engine("forward", FORWARD, forward.jacobian),
            Engine("jacfwd", FORWARD, vectorized.jacfwd, vmap=True),
            Engine("numeric", NUMERIC, numeric.jacobian, slopes=numeric.estimate),
            Engine("symbolic", SYMBOLIC, symbolic_jacobian, default=False),
        )
    }
)
"""Every engine by name; each is called as ``engine(f, x)``."""

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (BY_HAND, *dict.fromkeys(engine.family for engine in ENGINES.values()))
    }
)
"""Every family by name, in the order in which findings quote them."""


def jacobian(f: Function, x: Tensors, method: str = "reverse") -> Jacobian:
    """Return J, all dyᵢ/dxⱼ, by one of the `ENGINES`.

    `f` draws the same random numbers at every call; the random state is put back, and so is what
    `f` changed in the buffers of its modules.

    Args:
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple.
        x: A tensor, or a tuple of tensors, of a floating dtype.
        method: A key of `ENGINES`.

    Returns:
        A tensor of shape ``(*y.shape, *x.shape)``; a tuple of them when `x` is a tuple, and a tuple
        of those when `y` is one.

    Raises:
        ValueError: When there is no such method.
        TypeError: When `x` or `y` is not of a floating dtype or `f` returns no tensor.
        MemoryError: When J would not fit in this machine's memory.

    Example:
        >>> import torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> jacobian(lambda x: torch.stack([3 * x[0]**2, x[0]**2 + 2 * x[1]**3, 10 * x[1]]), x)
        tensor([[ 6.,  0.],
                [ 2., 24.],
                [ 0., 10.]])
    """
    if method not in ENGINES:
        raise ValueError(f"method is {method!r}; expected one of {', '.join(ENGINES)}")
    for part in as_tuple(x):
        require_floating("x", part)
    with without_trace(f) as (same, _):
        y = as_tuple(same(*(part.detach().clone() for part in as_tuple(x))), "y = f(x)")
        for part in y:
            require_floating("y", part)
        refuse_what_does_not_fit(sum(p.numel() for p in y), sum(p.numel() for p in as_tuple(x)))
        return ENGINES[method](same, x)


def refuse_what_does_not_fit(outputs: int, inputs: int) -> None:
    """Raise MemoryError, naming the size, when a dense J would not fit in this machine's memory."""
    size = 8 * outputs * inputs
    if 2 * size > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        amount = f"{size / 1e12:.0f} TB" if size >= 1e12 else f"{size / 1e9:.0f} GB"
        raise MemoryError(
            f"J would have {outputs} x {inputs} entries, {amount} in float64; use certify"
        )
