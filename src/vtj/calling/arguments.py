"""What of the arguments of `f` moves: its floating and complex tensors. All else is given on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

from vtj.calling.complex_numbers import as_complex, as_pairs
from vtj.calling.outputs import Outputs, may_have_a_gradient, paths, refuse_unregistered
from vtj.calling.tensors import HOLDING_ONE, Function, Tensors, as_tuple, require_floating
from vtj.calling.weights import Weights


@dataclass(frozen=True)
class Arguments:
    """The arguments of `f`, and which of the tensors in them move."""

    x: Tensors  # what moves: one tensor where `x` is one and nothing moves beside it; as real pairs
    names: tuple[str, ...]  # of its parts: ``x[1]``, ``kwargs['mask']``, ``layer.weight``
    leaves: tuple[Any, ...]  # everything that the arguments hold
    form: Any  # where in them it stands; None where they are the tensors that move, and no more
    places: tuple[int, ...]  # which of these move
    pairs: tuple[bool, ...]  # which of its parts stand for complex numbers
    weights: Weights | None = None  # of the module that `f` is, whose parameters move too
    outputs: Outputs = field(default_factory=Outputs)  # what `f` returned at its first call

    def given_to(self, f: Function) -> Function:
        """Return `f` as a function of what moves, that returns a tensor or a tuple of tensors."""
        if self.form is None:
            return lambda *parts: self.outputs.picked(f(*self._as_given(parts)))
        dtypes = [part.dtype for part in as_tuple(self.x)]

        def taking(*parts: Any) -> Any:
            leaves = list(self.leaves)
            for i, leaf in enumerate(leaves):
                if isinstance(leaf, Tensor) and i not in self.places:
                    leaves[i] = leaf.clone()  # f may write into it, as a dropout into its mask
            parts = self._as_given(parts)
            for i, part in zip(self.places, parts, strict=False):
                leaves[i] = part
            positional, named = tree_unflatten(leaves, self.form)
            if self.weights is None:
                return self.outputs.picked(f(*positional, **named))
            self.weights.put_in(parts, dtypes)
            y = f(*positional, **named)
            self.weights.look()
            return self.outputs.picked(y)

        return taking

    def put_in(self, parts: tuple[Any, ...]) -> None:
        """Put the parameters among these parts in their place, as a call with them did.

        A checkpoint runs parts of a module again in backward, when `f` may have been called since.
        """
        if self.weights is not None:
            dtypes = [part.dtype for part in as_tuple(self.x)]
            self.weights.put_in(self._as_given(parts), dtypes)

    def _as_given(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        if not any(self.pairs):
            return parts
        both = zip(parts, self.pairs, strict=True)
        return tuple(as_complex(part) if pair else part for part, pair in both)

    def of_another(self, g: Function) -> "Arguments":
        """Return the same arguments for another function, whose parameters these stand for."""
        weights = self.weights and self.weights.of_another(g)
        if weights is None:
            return replace(self, outputs=Outputs())
        # in its own dtypes, which its buffers follow
        x = as_tuple(self.x)[: len(self.places)], map(as_pairs, weights.moving.values())
        return replace(self, x=tuple(chain(*x)), weights=weights, outputs=Outputs())


def arguments(
    f: Function,
    x: Any,
    kwargs: Mapping[str, Any] | None = None,
    *,
    with_weights: bool = True,
    beside: Iterable[Function] = (),
) -> Arguments:
    """Return the arguments of ``f(*x, **kwargs)``; of ``f(x, **kwargs)`` where `x` is no tuple.

    What moves are the tensors of a floating or complex dtype in torch's own trees of lists, dicts
    and tuples, and, where `f` is a module or a method of one, its parameters: but not where one of
    the functions `beside` it has others, or none.

    Raises:
        TypeError: When nothing moves, or an array came where a tensor was expected.

    Example:
        >>> import torch
        >>> x = {"a": torch.ones(2), "rows": torch.tensor([1])}
        >>> given = arguments(len, (x, 3), {"scale": torch.ones(())})
        >>> given.names
        ("x[0]['a']", "kwargs['scale']")
        >>> given.given_to(lambda x, n, scale: n * scale * x["a"][x["rows"]])(*given.x)
        tensor([3.])
    """
    named = {} if kwargs is None else kwargs
    if not isinstance(named, Mapping):
        raise TypeError(f"kwargs is {type(named).__name__}; expected a dict of keyword arguments")
    for key in named:
        if not isinstance(key, str):
            raise TypeError(f"kwargs has the key {key!r}; expected names of keyword arguments")
    positional = tuple(x) if isinstance(x, tuple) else (x,)
    weights = Weights.of(f) if with_weights else None
    if weights and not all(map(weights.of_another, beside)):
        weights = None
    leaves: list[Any] = list(positional)
    form = None
    if weights or named or not all(may_have_a_gradient(part) for part in positional):
        leaves, form = tree_flatten((positional, dict(named)))
    names = paths("x", positional if isinstance(x, tuple) else x)
    names += paths("kwargs", dict(named)) if named else []
    for name, leaf in zip(names, leaves, strict=True):
        if isinstance(leaf, np.ndarray):
            raise TypeError(f"{name} is ndarray; expected a torch.Tensor")
    places = tuple(i for i, leaf in enumerate(leaves) if may_have_a_gradient(leaf))
    moving = weights.moving if weights else {}
    if not places and not moving:
        _refuse(x, names, leaves)
    parts = (*(leaves[i] for i in places), *moving.values())
    called = (*(names[i] for i in places), *moving)
    pairs = tuple(part.is_complex() for part in parts)
    parts = tuple(as_pairs(part, name) for name, part in zip(called, parts, strict=True))
    for name, part in zip(called, parts, strict=True):
        require_floating(name, part)
    alone = isinstance(x, Tensor) and called == ("x",)
    return Arguments(
        x=parts[0] if alone else parts,
        names=called,
        leaves=tuple(leaves),
        form=form,
        places=places,
        pairs=pairs,
        weights=weights,
    )


def _refuse(x: Any, names: list[str], leaves: list[Any]) -> None:
    for name, leaf in zip(names, leaves, strict=True):
        if isinstance(leaf, Tensor):
            require_floating(name, leaf)
    refuse_unregistered(names, leaves)
    if isinstance(x, tuple):
        as_tuple(x)
    raise TypeError(f"x is {type(x).__name__}; {HOLDING_ONE}")
