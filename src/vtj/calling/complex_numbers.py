"""A complex tensor as the pairs of real numbers that it holds, in a last dimension of two.

torch's gradient of a complex tensor holds the slope by the real part and the slope by the imaginary
part. So what ``y.backward(v)`` leaves in `x.grad` is vᵀ·J of these pairs, with no rule of its own.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.calling.tensors import as_array, require_values

PARTS = (".real", ".imag")
"""How the two numbers of a pair are written."""


def as_pairs(part: Tensor, name: str = "y") -> Tensor:
    """Return a complex tensor as pairs of real numbers, and any other as it is.

    Raises:
        TypeError: When it is complex and no plain array of values.

    Example:
        >>> as_pairs(torch.tensor([1 + 2j])), as_pairs(torch.tensor([3.0]))
        (tensor([[1., 2.]]), tensor([3.]))
    """
    if not part.is_complex():
        return part
    require_values(name, part)
    return torch.view_as_real(part.resolve_conj())


def as_complex(pairs: Tensor) -> Tensor:
    """Return pairs of real numbers as the complex tensor that they stand for.

    Where they lie as torch wants it, this is a view: an `f` that writes into `x` is seen.
    """
    *strides, last = pairs.stride()
    beside = last == 1 and not any(stride % 2 for stride in strides)
    return torch.view_as_complex(pairs if beside else pairs.contiguous())


def complex_array(pairs: Tensor) -> NDArray[Any]:
    """Return pairs of real numbers as a complex array.

    Example:
        >>> complex_array(torch.tensor([[1.0, 2.0]]))
        array([1.+2.j])
    """
    array = as_array(pairs)
    return array[..., 0] + 1j * array[..., 1]


def array_of_pairs(value: Any, name: str) -> NDArray[np.float64]:
    """Return what `as_array` does, and of complex numbers an array of their pairs."""
    numbers = _complex(value)
    return as_array(value, name) if numbers is None else np.stack([numbers.real, numbers.imag], -1)


def block_of_pairs(value: Any, at: int, y: bool, x: bool) -> NDArray[np.float64]:
    """Return a block of J by hand for the pairs of `y`, `x` or both; `at` is `y`'s last dimension.

    Complex numbers for a complex `x` are the derivative of a holomorphic f: a step `h` of `x` moves
    `y` by their product with `h`. Real numbers are taken as they are.

    Example:
        >>> block_of_pairs(np.array([[3 + 4j]]), 1, True, True).reshape(2, 2)
        array([[ 3., -4.],
               [ 4.,  3.]])
    """
    numbers = _complex(value) if y else None
    if numbers is None:
        return as_array(value, "J")
    by_real = np.stack([numbers.real, numbers.imag], at)
    by_imag = np.stack([-numbers.imag, numbers.real], at)
    return np.stack([by_real, by_imag], -1) if x else by_real


def _complex(value: Any) -> NDArray[Any] | None:
    if isinstance(value, Tensor):
        dense = value.detach().to_dense() if value.layout != torch.strided else value.detach()
        return dense.resolve_conj().numpy(force=True) if value.is_complex() else None
    try:
        array = np.asarray(value)
    except ValueError:  # a ragged list
        return None
    return array if array.dtype.kind == "c" else None
