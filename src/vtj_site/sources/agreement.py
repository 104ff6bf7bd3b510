"""Whether two runs leave the same gradient."""

import torch
from torch import Tensor, tensor

from vtj_site.outcomes.trials import attempt


def equals(a: Tensor | None, values: object) -> bool:
    """Say whether a gradient is there and holds exactly these values."""
    return a is not None and bool((a == torch.as_tensor(values)).all())


def one_is_enough(shape: tuple[int, ...]) -> bool:
    """Say whether backward(tensor([1.])) does what backward() does for an output of this shape."""
    x = torch.ones(shape, requires_grad=True)
    y = torch.ones(shape, requires_grad=True)
    torch.autograd.backward(2 * x)
    attempt(lambda: torch.autograd.backward(2 * y, tensor([1.0])))
    return equals(y.grad, x.grad)
