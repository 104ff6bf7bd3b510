"""A tensor or a tuple of tensors: what every `f` takes, and what it returns."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.release import of_sharded_tensors

Tensors: TypeAlias = Tensor | tuple[Tensor, ...]
Function: TypeAlias = Callable[..., Any]

HOLDING_ONE = (  # what is expected of what may hold tensors wherever it likes
    "expected a torch.Tensor, or a tuple, list or dict that holds one, of a floating or complex"
    " dtype"
)


def as_tuple(x: Tensors, name: str = "x") -> tuple[Tensor, ...]:
    """Return `x` as a tuple of tensors, or raise an error that calls it `name`.

    Example:
        >>> as_tuple([1.0, 2.0])
        Traceback (most recent call last):
        ...
        TypeError: x is list; expected a torch.Tensor or a tuple of them
    """
    if isinstance(x, Tensor):
        return (x,)
    if not isinstance(x, tuple):
        kind = type(x).__name__
        raise TypeError(f"{name} is {kind}; expected a torch.Tensor or a tuple of them")
    if not x:
        raise ValueError(f"{name} is an empty tuple; expected at least one torch.Tensor")
    for position, part in enumerate(x):
        if not isinstance(part, Tensor):
            kind = type(part).__name__
            raise TypeError(f"{name}[{position}] is {kind}; expected a torch.Tensor")
    return tuple(x)


def require_function(f: Any, name: str = "f") -> None:
    """Refuse what cannot be called, and a class where its ``apply`` or an instance is meant.

    Example:
        >>> require_function(torch.nn.ReLU)
        Traceback (most recent call last):
        ...
        TypeError: f is the class ReLU; expected a module made of it, as ReLU(...)
    """
    if not callable(f):
        raise TypeError(f"{name} is {type(f).__name__}; expected a function of tensors")
    if isinstance(f, type) and issubclass(f, torch.nn.Module):
        kind = f.__name__
        raise TypeError(f"{name} is the class {kind}; expected a module made of it, as {kind}(...)")
    if isinstance(f, type) and issubclass(f, torch.autograd.Function):
        kind = f.__name__
        raise TypeError(f"{name} is the class {kind}; expected its {kind}.apply")
    if isinstance(f, torch.autograd.Function):
        kind = type(f).__name__
        raise TypeError(f"{name} is an instance of {kind}; expected its {kind}.apply")


DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def require_floating(name: str, part: Tensor) -> None:
    """Refuse a tensor that real derivatives cannot be taken of, naming its dtype.

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
    """Refuse a tensor that is no plain array of values, naming its kind, layout or device."""
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


def dense(part: Tensor) -> Tensor:
    """Return a gradient as a plain tensor: that of ``nn.Embedding(sparse=True)`` is sparse."""
    return materialized(part) if part.layout == torch.strided else part.to_dense()


def materialized(part: Tensor) -> Tensor:
    """Return a tensor that holds memory: the gradient of ``torch.sgn`` is zeros that hold none.

    Torch 2.6 reads other numbers out of such a tensor.
    """
    if not part._is_zerotensor():
        return part
    return torch.zeros(part.shape, dtype=part.dtype, device=part.device)


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
    if isinstance(y, Tensor):
        return _vector(y)
    return np.concatenate([_vector(part) for part in as_tuple(y)])


def _vector(part: Any) -> NDArray[np.float64]:
    whole = materialized(part.full_tensor() if _is_sharded(part) else part)
    vector: NDArray[np.float64] = whole.detach().double().numpy(force=True).reshape(-1)
    return vector


def values_or_nan(y: Tensors, size: int) -> NDArray[np.float64]:
    """Return what `values` does, or as many nan where `y` has another number of elements.

    A step from `x` may change the shape of `y`, as that of ``x[x > 0]``.

    Example:
        >>> import torch
        >>> values_or_nan(torch.tensor([1.0, 2.0]), 3).tolist()
        [nan, nan, nan]
    """
    vector = values(y)
    return vector if vector.size == size else np.full(size, np.nan)


def as_array(value: Any, name: str = "the array") -> NDArray[np.float64]:
    """Return a tensor, array or number as a float64 array.

    Raises:
        TypeError: When it holds something else than real numbers; it says what.
    """
    given = value
    if isinstance(value, Tensor):
        dense = value.to_dense() if value.layout != torch.strided else value
        require_values(name, dense)
        plain = materialized(dense.detach())
        given = (plain if plain.is_complex() else plain.double()).numpy(force=True)
    try:
        array = np.asarray(given)
    except ValueError:  # a ragged list
        array = np.array(None)
    if array.dtype.kind not in "fiub":
        kind = type(value).__name__
        came = f"has dtype {value.dtype}" if hasattr(value, "dtype") else f"is {kind}"
        raise TypeError(f"{name} {came}; expected an array of real numbers")
    return np.asarray(array, np.float64)


def _is_sharded(part: Any) -> bool:
    return type(part) is not Tensor and hasattr(part, "placements")


def _sharded_like(plain: Tensor, part: Any) -> Tensor:
    sharded = of_sharded_tensors()
    # torch 2.4 makes no partial sums; a copy on every process stands for the same tensor.
    placements = [
        sharded.Replicate() if placement.is_partial() else placement
        for placement in part.placements
    ]
    made: Tensor = sharded.distribute_tensor(plain, part.device_mesh, placements)
    return made


def fresh_leaves(x: Tensors) -> tuple[Tensor, ...]:
    """Copy `x` to new leaves that require grad, so that nothing done to them reaches the caller."""
    return tuple(part.detach().clone().requires_grad_() for part in as_tuple(x))


def same(a: Any, b: Any) -> bool:
    """Whether two tensors, or tuples of them, hold the same values in one shape; nan is nan."""
    if isinstance(a, tuple):
        return all(same(one, other) for one, other in zip(a, b, strict=True))
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return isinstance(a, Tensor) == isinstance(b, Tensor)  # a gradient may have come once
    try:
        if a.shape != b.shape:
            return False
        a, b = a.to_dense(), b.to_dense()
        return torch.equal(a, b) or bool(((a == b) | ((a != a) & (b != b))).all())
    except (RuntimeError, NotImplementedError, TypeError):  # no values: meta, nested, masked
        return True


def graph_of(y: Sequence[Tensor]) -> set[Any]:
    """Return the nodes of the graph behind `y`."""
    seen: set[Any] = set()
    waiting = [part.grad_fn for part in y]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [before for before, _ in node.next_functions]
    return seen
