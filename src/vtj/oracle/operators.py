"""A J derived by hand that need not be a dense array: anything with ``v @ J`` and ``J @ u``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vtj.calling.tensors import as_array
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import by_hand, first_line


@dataclass(frozen=True)
class Operator:
    """J as something to multiply with."""

    J: Any  # a tensor, sparse array or operator of shape ``(y.numel(), x.numel())``

    def left(self, v: Array) -> Array:
        """Return vᵀ·J; raises TypeError or ValueError when it comes in another form."""
        return _vector("v @ J", lambda: _left(v, self.J), self.J.shape[1])

    def lefts(self, rows: Array) -> Array:
        """Return vᵀ·J for every row: where J is dense, in one pass over its memory."""
        if isinstance(self.J, Tensor) and _is_dense(self.J):
            return _left(rows, self.J)
        return np.stack([self.left(v) for v in rows])

    def right(self, u: Array) -> Array:
        """Return J·u; raises TypeError or ValueError when it comes in another form."""
        return _vector("J @ u", lambda: _right(self.J, u), self.J.shape[0])

    def magnitude(self) -> "Operator":
        """Return |J|; raises TypeError where it cannot be had."""
        return Operator(abs(self.J))


def operator(trial: Trial, J: Any) -> Operator:  # noqa: N803 - J is the term
    """Take in a J derived by hand.

    It has the shape ``(*y.shape, *x.shape)`` (or is tuples of those), or is anything of shape
    ``(y.numel(), x.numel())`` with ``v @ J`` and ``J @ u``; or a function that gives one of these
    for NumPy inputs.

    Raises:
        ValueError: When its shape is another; it names both.

    Example:
        >>> from vtj.oracle.trial import try_out
        >>> trial = try_out(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
        >>> J = operator(trial, np.diag([6.0, 12.0]))
        >>> J.right(np.array([1.0, 10.0])).tolist()
        [6.0, 120.0]
    """
    J = by_hand(trial, J)  # noqa: N806 - J is the term
    if not hasattr(J, "shape") or isinstance(J, np.ndarray) or _is_dense(J):
        flat = tuple(getattr(J, "shape", ())) == trial.size
        dense = np.ascontiguousarray(as_array(J, "J") if flat else trial.matrix(J))
        return Operator(torch.from_numpy(dense))
    if tuple(J.shape) != trial.size:
        raise ValueError(
            f"J has shape {tuple(J.shape)}; expected (y.numel(), x.numel()) = {trial.size}"
        )
    if isinstance(J, Tensor) and not J.is_complex():
        J = J.to(torch.float64)  # noqa: N806 - J is the term
    return Operator(J)


def _is_dense(J: Any) -> bool:  # noqa: N803 - J is the term
    return isinstance(J, Tensor) and J.layout == torch.strided


def _vector(what: str, product: Callable[[], Array], size: int) -> Array:
    try:
        value = product()
    except Exception as error:
        raise TypeError(
            f"{what} raised {first_line(error)}; expected a J with v @ J and J @ u"
        ) from error
    if value.dtype.kind not in "fiub":
        raise TypeError(f"{what} has dtype {value.dtype}; expected real numbers")
    if value.shape != (size,):
        raise ValueError(f"{what} has shape {value.shape}; expected {(size,)}")
    return value.astype(np.float64, copy=False)


def _left(v: Array, J: Any) -> Array:  # noqa: N803 - J is the term
    if isinstance(J, Tensor):
        return np.asarray((torch.from_numpy(v) @ J).numpy())
    return np.asarray(type(J).__rmatmul__(J, v))


def _right(J: Any, u: Array) -> Array:  # noqa: N803 - J is the term
    if isinstance(J, Tensor):
        return np.asarray(J.numpy() @ u if _is_dense(J) else (J @ torch.from_numpy(u)).numpy())
    return np.asarray(J @ u)
