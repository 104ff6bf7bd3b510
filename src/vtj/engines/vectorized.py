"""All rows or all columns at once: torch.func.jacrev and jacfwd, which batch by vmap."""

from typing import Any

import torch

from vtj.calling.quiet import quiet
from vtj.calling.tensors import Function, Tensors, as_tuple, like


def jacrev(f: Function, x: Tensors) -> Any:
    """Return J by `torch.func.jacrev`, one batched backward pass.

    Called, and shaped, as `vtj.jacobian`; `f` must be one that torch.func can transform: no
    old-style custom Function, no NumPy inside.

    Raises:
        Exception: What torch raises, unchanged.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.func.jacrev.html

    Example:
        >>> import torch
        >>> jacrev(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    parts, argnums = _arguments(x)
    with quiet():
        return torch.func.jacrev(f, argnums=argnums)(*parts)


def jacfwd(f: Function, x: Tensors) -> Any:
    """Return J by `torch.func.jacfwd`, one batched forward pass; otherwise as `jacrev`.

    A custom Function needs a `jvp` and a vmap rule.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.func.jacfwd.html

    Example:
        >>> import torch
        >>> jacfwd(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    parts, argnums = _arguments(x)
    with quiet():
        return torch.func.jacfwd(f, argnums=argnums, randomness="same")(*parts)


def _arguments(x: Tensors) -> tuple[tuple[torch.Tensor, ...], int | tuple[int, ...]]:
    parts = tuple(part.detach().clone() for part in as_tuple(x))
    return parts, like(tuple(range(len(parts))), x)
