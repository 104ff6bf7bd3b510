"""What ``backward`` does beyond one gradient: repeat it, add it up, leave `v` and `x` alone."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vtj.calling.tensors import Function, Tensors, as_tuple, fresh_leaves, like, shaped_like, values
from vtj.oracle.drawing import signed
from vtj.oracle.rounding import gradient_rounding
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Witness, distance, product, unnamed
from vtj.oracle.witnesses import first_line, gradient
from vtj.outcome import Outcome, backward


@dataclass(frozen=True)
class Observed:
    """Real backward passes and what they left.

    Attributes:
        v: The gradient argument of `first`, None where it was omitted.
        weights: The same as a vector, 1 where it was omitted.
        first: ``y.backward(v)``.
        again: The same once more, on fresh leaves.
        signed: ``y.backward(w)`` for a `w` with both signs and entries beyond ±1.
        signed_weights: That `w` as a vector.
        twice: What `.grad` holds after a second backward through the same graph, or the reason
            why there is none.
        graph: The gradient under ``create_graph=True``, or the reason why there is none.
        shares: Whether `x.grad` lies in the memory of `v`.
        rounding: How far `first` and `signed` may be off by rounding, and `graph` from `first`;
            measured where they seem off.
    """

    v: Tensors | None
    weights: Array
    first: Outcome
    again: Outcome
    signed: Outcome
    signed_weights: Array
    twice: Array | str
    graph: Array | str
    shares: bool
    rounding: tuple[Array, Array, Array]


def observe(trial: Trial, v: Tensors | None, seed: int, agreed: Witness) -> Observed:
    """Run the backward passes.

    Args:
        trial: What `try_out` gave.
        v: The gradient argument, with `y`'s shape and dtype, or None to omit it.
        seed: Fixes what is drawn.
        agreed: What the families agree J is.
    """
    drawn = signed(np.random.default_rng(seed), trial.size[0], 0.1, 10)
    w: Tensors = like(shaped_like(drawn, trial.y), trial.y if trial.y_tuple else None)
    ones = tuple(torch.ones_like(part) for part in trial.y)
    weights, signed_weights = (
        np.where(trial.reached, values(part), 0.0) for part in (ones if v is None else v, w)
    )
    f, v, w = what_autograd_sees(trial, v, w)
    first, of_w = backward(f, trial.x, v), backward(f, trial.x, w)
    twice, shares = _twice(trial, f, v)
    again, graph = backward(f, trial.x, v), _under_create_graph(trial, f, v)
    return Observed(
        v=v,
        weights=weights,
        first=first,
        again=again,
        signed=of_w,
        signed_weights=signed_weights,
        twice=twice,
        graph=graph,
        shares=shares,
        rounding=(
            _rounding(trial, weights, first, agreed, seed),
            _rounding(trial, signed_weights, of_w, agreed, seed),
            _rounding_of_graph(trial, weights, first, graph, agreed, seed),
        ),
    )


def _rounding(trial: Trial, weights: Array, outcome: Outcome, agreed: Witness, seed: int) -> Array:
    grad = unnamed(gradient(trial, outcome.grad))
    if not (distance(grad, product(agreed, weights), trial.relative) > 1).any():
        return np.zeros(trial.size[1])
    return _measured(trial, weights, _left_in_grad, seed)


def _rounding_of_graph(
    trial: Trial, weights: Array, first: Outcome, graph: Array | str, agreed: Witness, seed: int
) -> Array:
    """Give how far the gradients with and without create_graph may lie apart, if they do."""
    if isinstance(graph, str) or first.error is not None:
        return np.zeros(trial.size[1])
    one, other = unnamed(gradient(trial, first.grad)), unnamed(graph)
    allowed = replace(other, size=product(agreed, weights).size)
    if not (distance(one, allowed, trial.relative) > 1).any():
        return np.zeros(trial.size[1])
    ways = (_left_in_grad, _under_create_graph)
    return np.asarray(sum(_measured(trial, weights, way, seed) for way in ways))


def _measured(
    trial: Trial,
    weights: Array,
    way: Callable[[Trial, Function, Tensors | None], Array | str],
    seed: int,
) -> Array:
    def gradient_at(f: Function, x: Tensors, there: Array) -> Array:
        here = replace(trial, f=f, x=x)
        v: Tensors = like(shaped_like(there, trial.y), trial.y if trial.y_tuple else None)
        came = way(here, *what_autograd_sees(here, v))
        return np.zeros(trial.size[1]) if isinstance(came, str) else came

    return gradient_rounding(trial, gradient_at, weights, seed)


def _left_in_grad(trial: Trial, f: Function, v: Tensors | None) -> Array:
    return gradient(trial, backward(f, trial.x, v).grad)


def what_autograd_sees(trial: Trial, *weights: Tensors | None) -> tuple[Function, *tuple[Any, ...]]:
    """Leave out the outputs of a tuple that no gradient can come from.

    Args:
        trial: What `try_out` gave.
        weights: Gradient arguments for all outputs; None where one is omitted.

    Returns:
        `f` and the weights for the outputs that are left.
    """
    if all(trial.connected) or not any(trial.connected):
        return trial.f, *weights
    kept = [i for i, connected in enumerate(trial.connected) if connected]

    def seen(*x: Tensor) -> Tensors:
        y = trial.f(*x)
        return tuple(y[i] for i in kept)

    return seen, *(None if w is None else tuple(as_tuple(w)[i] for i in kept) for w in weights)


def _twice(trial: Trial, f: Function, v: Tensors | None) -> tuple[Array | str, bool]:
    leaves, weights = fresh_leaves(trial.x), _copied(v)
    try:
        y = as_tuple(f(*leaves), "y")
        torch.autograd.backward(y, weights, retain_graph=True, inputs=leaves)
        shares = bool(_memory(weights) & _memory(leaf.grad for leaf in leaves))
        torch.autograd.backward(y, weights, retain_graph=True, inputs=leaves)
    except Exception as error:
        return first_line(error), False
    return gradient(trial, tuple(leaf.grad for leaf in leaves)), shares


def _copied(v: Tensors | None) -> tuple[Tensor, ...] | None:
    return None if v is None else tuple(part.clone() for part in as_tuple(v))


def _memory(tensors: Iterable[Tensor | None] | None) -> set[int]:
    return {one.untyped_storage().data_ptr() for one in tensors or () if one is not None}


def _under_create_graph(trial: Trial, f: Function, v: Tensors | None) -> Array | str:
    leaves = fresh_leaves(trial.x)
    try:
        grads = torch.autograd.grad(
            as_tuple(f(*leaves), "y"),
            leaves,
            _copied(v),
            create_graph=True,
            allow_unused=True,
        )
    except Exception as error:
        return first_line(error)
    return gradient(trial, grads)
