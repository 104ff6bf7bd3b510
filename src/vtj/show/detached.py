"""Where a function leaves the graph, so that nothing leads from x to y."""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._pytree import tree_leaves

from vtj.calling.tensors import Function, Tensors, fresh_leaves

LEAVING = ("item", "tolist", "numpy", "__float__", "__int__", "__bool__")
"""Methods that hand out a number or an array."""

INSTEAD = {
    "tensor": "    return torch.stack([x[0] ** 2, x[1]])  # not torch.tensor([x[0] ** 2, x[1]])",
    "argmax": "    return torch.softmax(x, 0)  # not x.argmax(): an index has no slope",
}
DEFAULT = "    return 2 * x  # not 2 * x.detach(), nor .data, .item(), .numpy()"


def cut(f: Function, x: Tensors) -> tuple[str, str]:
    """Return in one sentence why y does not require grad, and code that shows what to write."""
    with _Watch() as watch:
        f(*fresh_leaves(x))
    cause = "Nothing leads from x to y that requires grad"
    if watch.switched_off:
        code = "def f(x):\n    return 2 * x  # outside of torch.no_grad()"
        return f"{cause}: f computes it under torch.no_grad().", code
    if not watch.last:
        return f"{cause}: f does not use the values of x.", f"def f(x):\n{DEFAULT}"
    instead = INSTEAD.get(watch.last.rpartition(".")[2], DEFAULT)
    return f"{cause}: f cuts the graph at {watch.last}.", f"def f(x):\n{instead}"


class _Watch(TorchFunctionMode):
    """Notes the last call that took something that requires grad and gave nothing that does."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""
        self.switched_off = False

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if _requires_grad((args, kwargs)) and not _requires_grad(out):
            name = (resolve_name(func) or func.__name__).removesuffix(".__get__")
            if any(isinstance(leaf, Tensor) for leaf in tree_leaves(out)) or name.endswith(LEAVING):
                self.last = name
                self.switched_off = not torch.is_grad_enabled()
        return out


def _requires_grad(tree: Any) -> bool:
    return any(isinstance(leaf, Tensor) and leaf.requires_grad for leaf in tree_leaves(tree))
