"""What the checks of bound statements try: operations, leaves, and what torch refuses."""

from collections.abc import Callable
from typing import Any

import torch

ELEMENTWISE: tuple[Callable[..., Any], ...] = (torch.exp, torch.sin, torch.square)
OPERATIONS: tuple[Callable[..., Any], ...] = (
    *ELEMENTWISE,
    torch.sum,
    lambda x: x @ x,
    lambda x: x.cumsum(0),
    lambda x: torch.stack([x, 2 * x]),
)
"""Of a square matrix."""


def leaf(*shape: int) -> Any:
    """Return a leaf with the numbers 1, 2, 3 … divided by 4; `Any`, since torch has few types."""
    return (torch.arange(1.0, torch.Size(shape).numel() + 1) / 4).reshape(shape).requires_grad_()


def refused(call: Callable[..., object], *arguments: object) -> str:
    """Return what a call raises, as text; "" if nothing."""
    try:
        call(*arguments)
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        return str(error)
    return ""
