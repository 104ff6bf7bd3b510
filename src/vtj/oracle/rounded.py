"""A function run as if every result on its way were rounded to another dtype, or to its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

# In units in the last place of float32, in which kernels in half precision add up: without it
# elements of a right float32 matrix product would be called wrong in which large terms cancel.
ADDED_UP = 16
# They compute nothing. Were a copy rounded, a reference that rounds would turn 2.5 to 3 at random.
COPIES = frozenset(
    f"aten::{name}"
    for name in (
        *("_to_copy", "cat", "clone", "constant_pad_nd", "full_like"),
        *("gather", "index", "index_select", "ones_like"),
    )
)


class Rounded(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Moves every result by a rounding, at random, and what is added up by a smaller one."""

    def __init__(self, eps: float | None, seed: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.eps, self.seed = eps, seed
        self.generators: dict[torch.device, torch.Generator] = {}

    def moved(self, part: Tensor, *, inside: bool = False) -> Tensor:
        """Return a tensor whose elements are moved by a rounding: to its own dtype, if no other."""
        if not (part.is_floating_point() or part.is_complex()) or part.layout != torch.strided:
            return part
        # with less than twice a rounding what is in that dtype already, as 1 + exp(x) of a mish
        # near -3 (in tests/), would be rounded back
        by = self.eps or 2 * torch.finfo(part.dtype).eps
        if inside:
            by = ADDED_UP * min(by, torch.finfo(torch.float32).eps)
        if part.device not in self.generators:
            self.generators[part.device] = torch.Generator(part.device).manual_seed(self.seed)
        drawn = torch.rand(
            (*part.shape, 2) if part.is_complex() else part.shape,
            generator=self.generators[part.device],
            dtype=torch.float64,
            device=part.device,
        )
        if not part.is_complex():
            return (part * (1 + by * (drawn - 0.5))).to(part.dtype)
        # each of its two numbers is what large products leave, and rounded as they are
        return part + by * part.abs() * torch.view_as_complex(drawn - 0.5).to(part.dtype)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        seen = any(isinstance(one, Tensor) for one in tree_leaves((args, kwargs)))
        if not seen or func._schema.name in COPIES:  # not even arange, whose numbers are positions
            return func(*args, **kwargs)
        aliases = [one.alias_info for one in func._schema.returns]
        if any(one is not None for one in aliases):  # a view, or an operation in place
            out = func(*args, **kwargs)
            if isinstance(out, Tensor) and aliases[0].is_write:
                out.copy_(self.moved(out))
            return out
        if torch.Tag.pointwise not in func.tags:
            args = tree_map_only(Tensor, lambda part: self.moved(part, inside=True), args)
        return tree_map_only(Tensor, self.moved, func(*args, **kwargs))


@contextmanager
def rounded(eps: float | None, seed: int) -> Iterator[Rounded]:
    """Round what runs inside. Attention is taken apart, since its kernels round inside too."""
    with sdpa_kernel(SDPBackend.MATH), Rounded(eps, seed) as mode:
        yield mode
