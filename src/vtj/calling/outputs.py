"""What of the outputs of `f` may have a gradient: its floating tensors, wherever they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from torch import Tensor
from torch.utils import _pytree
from torch.utils._pytree import keystr, tree_flatten, tree_flatten_with_path, tree_leaves

from vtj.calling.complex_numbers import as_pairs


def may_have_a_gradient(part: Any) -> bool:
    """Whether a derivative can be asked of it: it is a tensor, of no integers or booleans.

    Example:
        >>> import torch
        >>> [may_have_a_gradient(part) for part in (torch.tensor([1, 2]), 2.0, torch.ones(2))]
        [False, False, True]
    """
    return isinstance(part, Tensor) and (part.is_floating_point() or part.is_complex())


def paths(name: str, tree: Any) -> list[str]:
    """Return how each leaf of a tree that is called `name` is written.

    Example:
        >>> paths("y", {"a": [1, 2], "b": (3,)})
        ["y['a'][0]", "y['a'][1]", "y['b'][0]"]
    """
    if isinstance(tree, Tensor):
        return [name]
    try:
        return [name + keystr(path) for path, _ in tree_flatten_with_path(tree)[0]]
    except ValueError:  # a class that a library registered without a name for its parts
        return [f"{name}[{i}]" for i in range(len(tree_leaves(tree)))]


def refuse_unregistered(names: Sequence[str], leaves: Sequence[Any]) -> None:
    """Refuse a dataclass or a kind of dict that torch's trees do not know, where it holds tensors.

    The error has the line that registers it.
    """
    for name, leaf in zip(names, leaves, strict=True):
        if isinstance(leaf, Mapping):
            held, parts = dict(leaf), "y"
        elif is_dataclass(leaf) and not isinstance(leaf, type):
            held, parts = {one.name: getattr(leaf, one.name) for one in fields(leaf)}, "vars(y)"
        else:
            continue
        if not any(isinstance(part, Tensor) for part in tree_leaves(held)):
            continue
        kind = type(leaf).__name__
        how = (
            f"register_pytree_node({kind}, lambda y: ([*{parts}.values()], [*{parts}]), "
            f"lambda parts, names: {kind}(**dict(zip(names, parts))))"
        )
        # it names the fields in a report; torch 2.4 has none
        if parts == "vars(y)" and hasattr(_pytree, "register_dataclass"):
            how = f"register_dataclass({kind})"
        told = f"{name} is {kind} ({', '.join(map(str, held))})"
        told += ", of a class that torch.utils._pytree does not know"
        raise TypeError(f"{told}; register it: torch.utils._pytree.{how}")


@dataclass
class Outputs:
    """The outputs of `f` at its first call: which are kept, and what they are called."""

    names: tuple[str, ...] = ()  # of those that are kept; empty before the first call
    left_out: tuple[str, ...] = ()  # tensors that may have no gradient, each with its dtype
    kept: tuple[int, ...] = ()  # which of all
    count: int = 0  # how many there are in all
    pairs: tuple[bool, ...] = ()  # which of those that are kept stand for complex numbers

    def picked(self, y: Any) -> Any:
        """Return a tensor, or a tuple of tensors, as it is, and those of anything else in a tuple.

        Complex ones are pairs of real numbers then. Where there are none, what came comes back, for
        the caller to refuse.

        Example:
            >>> import torch
            >>> Outputs().picked({"loss": torch.tensor(2.0), "hits": torch.tensor(3)})
            (tensor(2.),)
        """
        if isinstance(y, Tensor):
            self.pairs = (y.is_complex(),)
            return as_pairs(y)
        leaves = tree_flatten(y)[0]
        kept = tuple(i for i, part in enumerate(leaves) if may_have_a_gradient(part))
        if not kept:
            return y
        if not self.names:
            named = paths("y", tuple(y) if isinstance(y, tuple) else y)
            self.names, self.kept = tuple(named[i] for i in kept), kept
            self.count = len(leaves)
            others = (i for i in range(len(leaves)) if i not in kept)
            self.left_out = tuple(
                f"{named[i]} ({leaves[i].dtype})" for i in others if isinstance(leaves[i], Tensor)
            )
        self.pairs = tuple(leaves[i].is_complex() for i in kept)
        if any(self.pairs):
            both = zip(self.names, kept, strict=True)
            return tuple(as_pairs(leaves[i], name) for name, i in both)
        if isinstance(y, tuple) and len(kept) == len(y) == len(leaves):
            return y
        return tuple(leaves[i] for i in kept)

    def kept_of(self, v: Any) -> Any:
        """Return gradient arguments in the form of `y` as a tuple of those for what is kept.

        Anything of another size comes back as it is, for the caller to refuse.

        Example:
            >>> outputs = Outputs(("y['a']",), kept=(0,), count=2)
            >>> outputs.kept_of({"a": 1.0, "hits": None})
            (1.0,)
        """
        leaves = tree_leaves(v)
        if len(leaves) == self.count != len(self.kept):
            return tuple(leaves[i] for i in self.kept)
        return tuple(leaves) if len(leaves) == len(self.kept) else v
