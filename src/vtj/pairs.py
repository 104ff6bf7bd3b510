"""What `certify` compares: values along random directions that should be the same."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from vtj.drawing import signed
from vtj.operators import Operator
from vtj.outcome import Outcome
from vtj.probing import Passes
from vtj.second_look import gradient_rounding
from vtj.voting import Array, Witness, distance
from vtj.witnesses import gradient

ENOUGH = 1e-9  # relative error at which differences stop, where exact values are compared too
LEAST, MOST = 0.5, 2.0  # magnitudes of the random weights


@dataclass(frozen=True)
class Probes:
    """Random directions, one per row, and what came of them.

    Attributes:
        v: Gradient arguments.
        u: Directions in the space of `x`.
        outcomes: ``y.backward(v)``.
        grads: What `x.grad` held.
        differences: J·u by differences.
        forward: J·u by a forward pass; empty where that does not apply or was not asked for.
    """

    v: Array
    u: Array
    outcomes: tuple[Outcome, ...]
    grads: Array
    differences: tuple[Witness, ...]
    forward: tuple[Witness, ...]


@dataclass(frozen=True)
class Pair:
    """Two values that should be the same, for one probe.

    Attributes:
        what: How the row names them.
        side: Whether they are as long as `x`, as long as `y`, or single numbers.
        probe: Which probe.
        a: One value.
        b: The other.
    """

    what: str
    side: Literal["x", "y", "number"]
    probe: int
    a: Witness
    b: Witness

    def apart(self, relative: float) -> Array:
        """Give how far they lie apart, in units of the tolerance."""
        return distance(self.a, self.b, relative)

    def worst(self, relative: float) -> float:
        """Give the largest distance."""
        return float(self.apart(relative).max(initial=0))


def ask(passes: Passes, probes: int, seed: int, *, forward: bool) -> Probes:
    """Run the passes.

    Args:
        passes: Of the function.
        probes: How many `v` and `u`.
        seed: Fixes them.
        forward: Whether to ask for forward passes too.
    """
    generator = np.random.default_rng(seed)
    outputs, inputs = passes.trial.size
    v = signed(generator, probes * outputs, LEAST, MOST).reshape(probes, outputs)
    u = signed(generator, probes * inputs, LEAST, MOST).reshape(probes, inputs) * passes.scale()
    outcomes = tuple(passes.backward(one) for one in v)
    slopes = [passes.forward_or_none(one) for one in u] if forward else []
    alone = forward and slopes[0] is None
    enough = 0.0 if alone else ENOUGH
    return Probes(
        v=v,
        u=u,
        outcomes=outcomes,
        grads=np.stack([gradient(passes.trial, one.grad) for one in outcomes]),
        differences=tuple(passes.differences(one, enough) for one in u),
        forward=tuple(Witness("forward", "forward", one) for one in slopes if one is not None),
    )


def pairs(asked: Probes, by_hand: Operator | None) -> Iterator[Pair]:
    """Pair up, probe by probe, the values that should be the same."""
    if by_hand is not None:
        left, right = by_hand.left(asked.v), by_hand.right(asked.u)
        for k, differences in enumerate(asked.differences):
            mine = Witness("by hand", "by hand", left[k])
            grad = Witness("x.grad", "backward", asked.grads[k])
            yield Pair("x.grad = vᵀ·J by hand", "x", k, mine, grad)
            mine = Witness("by hand", "by hand", right[k])
            yield Pair("J·u by hand = differences", "y", k, mine, differences)
        return
    for k, differences in enumerate(asked.differences):
        if asked.forward:
            yield Pair("J·u forward = differences", "y", k, asked.forward[k], differences)
            what, slopes = "⟨x.grad, u⟩ = ⟨v, J·u⟩ forward", asked.forward[k]
        else:
            what, slopes = "⟨x.grad, u⟩ = ⟨v, J·u⟩ by differences", differences
        yield Pair(what, "number", k, *adjoint(asked.v[k], asked.u[k], asked.grads[k], slopes))


def adjoint(v: Array, u: Array, grad: Array, slopes: Witness) -> tuple[Witness, Witness]:
    """Give ⟨x.grad, u⟩ and ⟨v, J·u⟩, each with the size its rounding is relative to."""
    error = np.array([abs(v) @ np.broadcast_to(slopes.error, v.shape)])
    one = Witness("x.grad", "backward", np.array([grad @ u]), 0.0, np.array([abs(grad) @ abs(u)]))
    size = np.array([abs(v) @ abs(slopes.value)])
    return one, Witness(slopes.name, slopes.family, np.array([v @ slopes.value]), error, size)


def reconsidered(
    pair: Pair, passes: Passes, asked: Probes, by_hand: Operator | None, seed: int
) -> Pair:
    """Give the pair with everything that may excuse a difference, where there is one.

    First the magnitudes that went into a product; then, for differences, two estimates of three;
    then how much the exact values change when `x` moves by a few units in the last place.
    """
    relative = passes.trial.relative
    v, u = asked.v[[pair.probe]], asked.u[[pair.probe]]
    if pair.worst(relative) > 1 and by_hand is not None:
        size = by_hand.left_size(v) if pair.side == "x" else by_hand.right_size(u)
        pair = replace(pair, a=replace(pair.a, size=size[0]))
    if pair.worst(relative) > 1 and pair.side == "y":
        pair = replace(pair, b=passes.differences(u[0], sure=True))
    if pair.worst(relative) > 1 and pair.b.family == "numeric" and pair.side == "number":
        slopes = passes.differences(u[0], sure=True)
        pair = replace(pair, b=adjoint(v[0], u[0], asked.grads[pair.probe], slopes)[1])
    if pair.worst(relative) > 1 and pair.side != "y":
        rounding = gradient_rounding(
            passes.trial, lambda x, weights: passes.at(x).gradient(weights), v[0], seed
        )
        error = rounding if pair.side == "x" else np.array([2 * rounding @ abs(u[0])])
        pair = replace(pair, b=replace(pair.b, error=pair.b.error + error))
    return pair
