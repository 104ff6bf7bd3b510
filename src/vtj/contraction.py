"""vᵀ·J as a contraction over the dimensions of `v`."""

from typing import Any, TypeAlias, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.calling.tensors import DTYPES, require_values

Array: TypeAlias = NDArray[Any]


@overload
def contract(v: Tensor | Array, J: Tensor) -> Tensor: ...  # noqa: N803
@overload
def contract(v: Tensor | Array, J: Array) -> Array: ...  # noqa: N803
def contract(v: Tensor | Array, J: Tensor | Array) -> Tensor | Array:  # noqa: N803 - J is the term
    """Return vᵀ·J, the contraction of `v` with `J` over `y`'s dimensions.

    It is ``np.tensordot(v, J, v.ndim)``, and what ``y.backward(v)`` adds to ``x.grad`` if `x` and
    `y` are real. For complex ones torch takes the conjugate of `J`.

    Args:
        v: One weight per element of `y`, with `y`'s shape.
        J: All dyᵢ/dxⱼ, of shape ``(*y.shape, *x.shape)``.

    Returns:
        An array of `x`'s shape: a tensor when `J` is one, else a NumPy array. Its dtype is the one
        that those of `v` and `J` promote to (two of `bool`: int64, as tensors).

    Raises:
        TypeError: When `v` or `J` is neither a tensor with values nor an array.
        ValueError: When `J`'s shape does not begin with `v`'s.

    Example:
        >>> import numpy as np, torch, vtj
        >>> J = np.array([[6.0, 0.0], [2.0, 24.0], [0.0, 10.0]])
        >>> contract(np.array([1.0, 10.0, 100.0]), J)
        array([  26., 1240.])
        >>> z, v = torch.tensor([1 + 2j, 2 + 6j]), torch.tensor([1, 1j])
        >>> contract(v, 2 * torch.diag(z)), contract(v, 2 * torch.diag(z).conj())
        (tensor([  2.+4.j, -12.+4.j]), tensor([ 2.-4.j, 12.+4.j]))
        >>> vtj.vjp(torch.square, z, v)
        tensor([ 2.-4.j, 12.+4.j])
        >>> contract(np.array([1.0, 10.0]), J)
        Traceback (most recent call last):
        ...
        ValueError: v has shape (2,) and J (3, 2); J's shape must begin with v's
    """
    for name, value in (("v", v), ("J", J)):
        if not isinstance(value, (Tensor, np.ndarray)):
            kind = type(value).__name__
            raise TypeError(f"{name} is {kind}; expected a torch.Tensor or a numpy.ndarray")
        if isinstance(value, Tensor):
            require_values(name, value)
            if value.is_floating_point() and value.dtype not in DTYPES:
                raise TypeError(f"{name} has dtype {value.dtype}; expected one torch computes with")
        elif value.dtype.kind not in "biufcO":
            raise TypeError(f"{name} has dtype {value.dtype}; expected numbers")
    if tuple(J.shape[: v.ndim]) != tuple(v.shape):
        shapes = f"v has shape {tuple(v.shape)} and J {tuple(J.shape)}"
        raise ValueError(f"{shapes}; J's shape must begin with v's")
    if isinstance(J, np.ndarray):
        return np.asarray(np.tensordot(_array(v), J, v.ndim))
    weights = torch.as_tensor(v, device=J.device)
    dtype = torch.promote_types(weights.dtype, J.dtype)
    dtype = torch.int64 if dtype is torch.bool else dtype
    product: Tensor = torch.tensordot(weights.to(dtype), J.to(dtype), dims=v.ndim)
    return product


def _array(v: Tensor | Array) -> Array:
    if not isinstance(v, Tensor):
        return v
    v = v.detach()
    return (v.float() if v.dtype is torch.bfloat16 else v).numpy(force=True)
