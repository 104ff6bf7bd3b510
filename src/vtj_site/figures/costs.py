"""What forward and reverse mode cost, counted in operations while they run."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from vtj.calling.quiet import quiet
from vtj.calling.repeatable import random_state_kept, repeatable
from vtj.calling.tensors import Function
from vtj.show.svg import Figure
from vtj_site.figures.bars import bars

PRODUCTS = {
    torch.ops.aten.mv: lambda a, b, **_: 2 * a.numel(),
    torch.ops.aten.dot: lambda a, b, **_: 2 * a.numel(),
} | flop_registry
"""Operations that cost more than one step for each element of their result."""


def cost(f: Function, x: Any) -> Figure:
    """Draw how many operations one pass takes, and J by passes of reverse and of forward mode.

    Matrix products and convolutions count their multiplications and additions (as torch's own
    flop counter does), everything else one operation for each element it computes. So the figure is
    the same on every machine.

    Example:
        >>> import torch
        >>> cost(lambda x: (3 * x**2).sum(), torch.ones(100)).title
        'Operations for J: 1 reverse pass or 100 forward passes'
    """
    with random_state_kept():
        same = repeatable(f, seed=0)
        leaf = x.detach().clone().requires_grad_()
        forward, y = counted(lambda: same(leaf))
        if not isinstance(y, Tensor):
            raise TypeError(f"f returned {type(y).__name__}; expected one torch.Tensor")
        v = torch.ones_like(y)
        back, _ = counted(lambda: torch.autograd.grad(y, leaf, v))
        with quiet(), forward_ad.dual_level():
            dual = forward_ad.make_dual(x.detach(), torch.ones_like(x))  # type: ignore[no-untyped-call]
            along, _ = counted(lambda: same(dual))
    m, n = y.numel(), x.numel()
    rows = [
        ("y = f(x)", forward, "plain"),
        ("vᵀ·J, one reverse pass", forward + back, "accent"),
        ("J·u, one forward pass", along, "negative"),
        (f"J by rows, {_passes(m, 'reverse')}", forward + m * back, "accent"),
        (f"J by columns, {_passes(n, 'forward')}", n * along, "negative"),
    ]
    return bars(
        f"Operations for J: {_passes(m, 'reverse')} or {_passes(n, 'forward')}",
        [(f"{name}: {count:,}", count, color) for name, count, color in rows],
    )


def counted(run: Callable[[], Any]) -> tuple[int, Any]:
    """Run something and count its operations."""
    with _Counter() as counter:  # type: ignore[no-untyped-call]  # torch leaves it bare
        result = run()
    return counter.operations, result


class _Counter(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it bare
    operations = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func.overloadpacket in PRODUCTS:
            self.operations += PRODUCTS[func.overloadpacket](*args, **kwargs, out_val=out)
        elif not func.is_view:
            self.operations += sum(t.numel() for t in tree_leaves(out) if isinstance(t, Tensor))
        return out


def _passes(count: int, mode: str) -> str:
    return f"{count} {mode} pass" + ("" if count == 1 else "es")
