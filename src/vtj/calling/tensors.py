"""A tensor or a tuple of tensors: what every `f` takes, and what it returns."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Tensors: TypeAlias = Tensor | tuple[Tensor, ...]
Function: TypeAlias = Callable[..., Any]


def as_tuple(x: Tensors, name: str = "x") -> tuple[Tensor, ...]:
    """Return `x` as a tuple of tensors, whether it is one tensor or a tuple of them.

    Args:
        x: A tensor or a non-empty tuple of tensors.
        name: What the error calls it.

    Raises:
        TypeError: Naming the type that came instead.
        ValueError: When the tuple is empty.

    Example:
        >>> import torch
        >>> as_tuple(torch.zeros(2))
        (tensor([0., 0.]),)
        >>> as_tuple([1.0, 2.0])
        Traceback (most recent call last):
        ...
        TypeError: x is list; expected a torch.Tensor or a tuple of them
    """
    if type(x) is Tensor:
        return (x,)
    parts = x if isinstance(x, tuple) else (x,)
    if isinstance(x, tuple) and not x:
        raise ValueError(f"{name} is an empty tuple; expected at least one torch.Tensor")
    for position, part in enumerate(parts):
        if not isinstance(part, Tensor):
            where = f"{name}[{position}]" if isinstance(x, tuple) else name
            expected = (
                "a torch.Tensor" if isinstance(x, tuple) else "a torch.Tensor or a tuple of them"
            )
            raise TypeError(f"{where} is {type(part).__name__}; expected {expected}")
    return tuple(parts)


DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def require_floating(name: str, part: Tensor) -> None:
    """Refuse a tensor that real derivatives cannot be taken of.

    Raises:
        TypeError: Naming its dtype, layout or device.

    Example:
        >>> import torch
        >>> require_floating("x", torch.tensor([1, 2]))
        Traceback (most recent call last):
        ...
        TypeError: x has dtype torch.int64; expected a floating dtype
    """
    if part.is_complex():
        raise TypeError(
            f"{name} has dtype {part.dtype}; complex is not supported: "
            "give the real and imaginary part as real tensors (torch.view_as_real)"
        )
    if not part.is_floating_point():
        raise TypeError(f"{name} has dtype {part.dtype}; expected a floating dtype")
    if part.dtype not in DTYPES:
        names = ", ".join(str(dtype).removeprefix("torch.") for dtype in DTYPES)
        raise TypeError(f"{name} has dtype {part.dtype}; expected one of {names}")
    require_values(name, part)


def require_values(name: str, part: Tensor) -> None:
    """Refuse a tensor that is no plain array of values.

    Raises:
        TypeError: Naming its layout or device.

    Example:
        >>> import torch
        >>> require_values("x", torch.ones(2, device="meta"))
        Traceback (most recent call last):
        ...
        TypeError: x is on device meta, without values; expected a device that holds them
    """
    if part.is_nested:
        raise TypeError(f"{name} is a nested tensor; expected one of a single shape")
    if type(part).__torch_dispatch__ is not Tensor.__torch_dispatch__ and not _is_sharded(part):
        raise TypeError(f"{name} is a {type(part).__name__}; expected a plain tensor")
    if part.layout != torch.strided:
        raise TypeError(f"{name} has layout {part.layout}; expected torch.strided (to_dense)")
    if part.is_quantized:
        raise TypeError(f"{name} is quantized; expected plain values (dequantize)")
    if part.is_meta:
        raise TypeError(
            f"{name} is on device meta, without values; expected a device that holds them"
        )


def like(parts: tuple[Any, ...], x: object) -> Any:
    """Return `parts` in the form of `x`: a tuple where `x` is one, else the single part.

    Example:
        >>> like((1,), "one"), like((1,), ("one",))
        (1, (1,))
    """
    return parts if isinstance(x, tuple) else parts[0]


def shaped_like(flat: NDArray[np.float64], parts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return a vector's elements in the shapes and dtypes, and on the devices, of `parts`.

    A part that is sharded over processes (a DTensor) is answered by one sharded alike.

    Example:
        >>> import torch
        >>> shaped_like(np.array([1.0, 2.0, 3.0]), (torch.zeros(()), torch.zeros(2)))
        (tensor(1.), tensor([2., 3.]))
    """
    made, start = [], 0
    for part in parts:
        stop = start + part.numel()
        plain = torch.from_numpy(flat[start:stop].reshape(part.shape))
        plain = plain.to(device=part.device, dtype=part.dtype, copy=True)
        made.append(_sharded_like(plain, part) if _is_sharded(part) else plain)
        start = stop
    return tuple(made)


def values(y: Tensors) -> NDArray[np.float64]:
    """Return all elements of `y`, part after part, as one float64 vector.

    Example:
        >>> import torch
        >>> values((torch.tensor(1.0), torch.tensor([[2.0], [3.0]]))).tolist()
        [1.0, 2.0, 3.0]
    """
    vectors = [_whole(part.detach()).double().cpu().numpy().reshape(-1) for part in as_tuple(y)]
    return vectors[0] if len(vectors) == 1 else np.concatenate(vectors)


def _is_sharded(part: Tensor) -> bool:
    return type(part) is not Tensor and hasattr(part, "placements")


def _whole(part: Any) -> Tensor:
    whole: Tensor = part.full_tensor() if _is_sharded(part) else part
    return whole


def _sharded_like(plain: Tensor, part: Any) -> Tensor:
    from torch.distributed.tensor import distribute_tensor  # a second to import; loaded by now

    return distribute_tensor(plain, part.device_mesh, part.placements)


def fresh_leaves(x: Tensors) -> tuple[Tensor, ...]:
    """Copy `x` to new leaves that require grad, so that nothing done to them reaches the caller.

    Raises:
        RuntimeError: What torch raises when the dtype has no gradient (integers, bool).

    Example:
        >>> import torch
        >>> fresh_leaves(torch.tensor([1.0, 2.0]))
        (tensor([1., 2.], requires_grad=True),)
    """
    return tuple(part.detach().clone().requires_grad_() for part in as_tuple(x))


def same(a: Any, b: Any) -> bool:
    """Whether two tensors, or tuples of them, hold the same values in one shape; nan is nan.

    Example:
        >>> import torch
        >>> same(torch.tensor([1.0, torch.nan]), torch.tensor([1.0, torch.nan]))
        True
    """
    if isinstance(a, tuple):
        return all(same(one, other) for one, other in zip(a, b, strict=True))
    if not isinstance(a, Tensor):
        return True
    try:
        if a.shape != b.shape:
            return False
        a, b = a.to_dense(), b.to_dense()
        return torch.equal(a, b) or bool(((a == b) | ((a != a) & (b != b))).all())
    except (RuntimeError, NotImplementedError, TypeError):  # no values: meta, nested, masked
        return True
