"""Arguments beside `x` that are given on to `f` as they are: indices, masks, numbers, words."""

from typing import Any

from torch import Tensor

from vtj.calling.tensors import Function


def is_held(part: Any) -> bool:
    """Whether no derivative can be asked by it: a tensor of integers or booleans, or no tensor.

    Example:
        >>> import torch
        >>> [is_held(part) for part in (torch.tensor([1, 2]), "mean", 2.0, torch.ones(2))]
        [True, True, True, False]
    """
    if isinstance(part, Tensor):
        return not (part.is_floating_point() or part.is_complex())
    return part is None or isinstance(part, bool | int | float | str)


def without_held(f: Function, x: Any) -> tuple[Function, Any, tuple[int, ...]]:
    """Return `f` as a function of the other parts of `x`, those parts, and where they stand.

    Where there are none to hold, or nothing else, `f` and `x` come back as they were.

    Example:
        >>> import torch
        >>> x = (torch.tensor([1.0, 2.0]), torch.tensor([1]))
        >>> g, parts, places = without_held(lambda a, index: a[index], x)
        >>> g(*parts), places
        (tensor([2.]), (0,))
    """
    if not isinstance(x, tuple):
        return f, x, (0,)
    places = tuple(i for i, part in enumerate(x) if not is_held(part))
    if len(places) in (0, len(x)) or not all(isinstance(x[i], Tensor) for i in places):
        return f, x, tuple(range(len(x)))

    def holding(*parts: Any) -> Any:
        given = list(x)
        for i, part in zip(places, parts, strict=True):
            given[i] = part
        # f may write into it, as a dropout into its mask
        return f(*(p.clone() if isinstance(p, Tensor) and is_held(p) else p for p in given))

    return holding, tuple(x[i] for i in places), places
