"""What this library must know of the release of torch that runs, and where it asks."""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

OLDEST = (2, 4)
"""The oldest release that `nox -s torches` has seen pass every test of this library."""


def refuse_older() -> None:
    """Raise ImportError, naming both releases, where torch is older than the oldest that serves."""
    found = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if found and tuple(map(int, found.groups())) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ImportError(f"vtj needs torch {oldest} or newer; this is torch {torch.__version__}")


refuse_older()

from torch.autograd.graph import Node  # noqa: E402 - what is too old is told first
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

NODES_KNOW_DTYPES = hasattr(Node, "_input_metadata")  # those of torch 2.6 do, of 2.4 not


class _Noting(TorchFunctionMode):
    """Runs every function as it is, and notes the dtypes of what requires grad."""

    def __init__(self) -> None:
        super().__init__()
        self.dtypes: set[torch.dtype] = set()

    def __enter__(self) -> set[torch.dtype]:
        super().__enter__()  # type: ignore[no-untyped-call]
        return self.dtypes

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        on_the_way = (leaf for leaf in tree_leaves((args, out)) if isinstance(leaf, torch.Tensor))
        # A checkpoint makes an empty float32 tensor that requires grad, so that it is recorded.
        self.dtypes |= {one.dtype for one in on_the_way if one.requires_grad and one.numel()}
        return out


def dtypes_noted() -> AbstractContextManager[set[torch.dtype]]:
    """Collect the dtypes of the tensors on the way, where the graph's nodes do not know them."""
    return nullcontext(set()) if NODES_KNOW_DTYPES else _Noting()


def dtypes_of(edges: Iterable[tuple[Any, int]]) -> set[torch.dtype]:
    """Return the dtypes of outputs of a graph's nodes, as far as the nodes know them.

    An output that nobody uses may be none: one that is marked non-differentiable has float32 there,
    and a backward in float64 that is off by 1e-7 would be correct beside it.
    """
    if not NODES_KNOW_DTYPES:
        return set()
    return {node._input_metadata[output].dtype for node, output in edges if node is not None}


def of_sharded_tensors() -> ModuleType:
    """Return torch's module of DTensors, which torch 2.4 has elsewhere; it loads for a second."""
    in_public = hasattr(import_module("torch.distributed.tensor"), "DTensor")
    return import_module("torch.distributed.tensor" if in_public else "torch.distributed._tensor")
