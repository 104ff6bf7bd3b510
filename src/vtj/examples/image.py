"""An image of 720 by 720 pixels: you differentiate an operation on it, not the image."""

import torch
from torch import Tensor

from vtj.cases.example import Example
from vtj.cases.refusal import Refusal

SIDE = 720


def pixels(values: int = 7) -> Tensor:
    """Return the image: whole numbers from 0 on, shape (720, 720)."""
    return (torch.arange(SIDE * SIDE, dtype=torch.float32) % values).reshape(SIDE, SIDE)


def untracked_image() -> Refusal:
    """Call backward on an image that nothing tracks: there is no graph to go back through.

    Shapes: x (720, 720), y the same tensor, detached from any graph. Source: the thread, "suppose I
    have a image A".

    >>> untracked_image().backward().error.args[0]
    'element 0 of tensors does not require grad and does not have a grad_fn'
    """
    v = torch.ones(SIDE, SIDE)
    error = RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    return Refusal("untracked_image", lambda x: x.detach(), pixels(), v, error)


def image_without_gradient() -> Refusal:
    """Call backward on a tracked image and omit v: it has 518400 elements, not one.

    Shapes: x (720, 720), y (720, 720).

    >>> image_without_gradient().backward().error.args[0]
    'grad can be implicitly created only for scalar outputs'
    """
    error = RuntimeError("grad can be implicitly created only for scalar outputs")
    return Refusal("image_without_gradient", lambda x: x, pixels(), None, error)


def image_itself() -> Example:
    """Call backward on the image itself with a v: no operation, so `.grad` is v.

    Shapes: x (720, 720), y (720, 720), v (720, 720); J, the identity, has 720⁴ entries.

    >>> outcome = image_itself().backward()
    >>> bool((outcome.grad == image_itself().v).all())
    True
    """
    return Example("image_itself", lambda x: x, pixels(), pixels(5), None)


def image_squared() -> Example:
    """Square every pixel: an output as large as the image, so v is as large too.

    Shapes: x (720, 720), y (720, 720), v (720, 720); J has 720⁴ entries and is never built.

    >>> image_squared().backward().grad[0, :4]
    tensor([ 0.,  2.,  8., 18.])
    """
    return Example("image_squared", lambda x: x * x, pixels(), pixels(5), None)


def image_loss() -> Example:
    """Reduce the squared image to one number, a loss: v may be omitted.

    Shapes: x (720, 720), y (), J (720, 720).

    >>> image_loss().backward().grad[0, :4]
    tensor([0., 2., 4., 6.])
    """
    return Example("image_loss", lambda x: (x * x).sum(), pixels(), None, None)
