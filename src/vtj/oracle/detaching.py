"""Whether a call keeps from autograd what it computes: under no_grad, or by a detach.

A custom Function computes under no_grad as it should, and a hook may change a gradient, so nothing
is known of a call with one of these.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, is_grad_enabled
from torch.autograd.function import BackwardCFunction
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

# torch.autograd.grad detaches without create_graph, as in the inner step of a first-order MAML
DETACH = frozenset(["detach", "detach_", "item", "tolist", "grad"])
DATA = Tensor.data.__get__  # type: ignore[attr-defined]


class _Detaching(TorchFunctionMode):
    """Notes whether something of a tensor that requires grad is computed and not recorded."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = self.unknown = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        given, made = _tensors((args, kwargs)), _tensors(out)
        named = getattr(func, "__name__", "") in DETACH or func == DATA
        kept = not any(one.requires_grad for one in made)
        if (named and kept) or (made and not is_grad_enabled()):
            self.seen |= any(one.requires_grad for one in given)
        self.unknown |= getattr(func, "__name__", "") == "register_hook"
        self.unknown |= any(isinstance(one.grad_fn, BackwardCFunction) for one in given)
        return out


def _tensors(held: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(held) if isinstance(leaf, Tensor)]


def detaching(call: Callable[[], object]) -> bool:
    """Return whether a call detaches something, as far as torch's functions are seen.

    Example:
        >>> import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> detaching(lambda: x * x.detach()), detaching(lambda: x * x)
        (True, False)
    """
    noted = _Detaching()
    with noted:
        call()
    return bool(noted.seen and not noted.unknown)
