"""What a device is asked for is done before anything else is asked of it.

A CUDA device works on its own, and an error there is raised by some later call, which may be one of
another engine, and by every call after that. So each call of `f`, and each backward, waits for the
devices of what it made, or of what it was given where it raises, and the first error that comes of
it is the one to be told.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

Made = TypeVar("Made")


BESIDE = """\
vtj calls f beside x too, where an assertion may fail that holds at x. On the CPU that is an error
like any other, which vtj takes: ask there, with x.cpu() and, of a module, module.cpu()."""


class BackwardFailed(Exception):  # noqa: N818 - no reader sees it
    """A backward fails, so that nothing more can be asked: on its device, or as it is marked."""

    def __init__(self, error: Exception, title: str = "nothing to compare") -> None:
        super().__init__()
        self.error, self.title = error, title


# per `first_failure_told`, the errors of devices, and whether a backward was asked
_noted: list[list[tuple[Exception, bool]]] = []


def waited(made: Made, *, by_backward: bool = False) -> Made:
    """Return what was made, tensors in any tree, when the devices on which they lie are done.

    Raises:
        Exception: What went wrong there.

    Example:
        >>> waited((torch.ones(2), "no tensor"))
        (tensor([1., 1.]), 'no tensor')
    """
    for device in _devices_of(made):
        try:
            torch.cuda.synchronize(device)
        except Exception as error:
            for noted in _noted[-1:]:
                noted.append((error, by_backward))
            raise
    return made


def waited_for(call: Callable[[], Made], given: Any, *, by_backward: bool = False) -> Made:
    """Return what a call makes, as `waited` does; where it raises, `given` is waited for first.

    A device that failed may say so within the same call, at the next thing it is asked there.
    """
    try:
        made = call()
    except Exception:
        waited(given, by_backward=by_backward)
        raise
    return waited(made, by_backward=by_backward)


def failed(parts: Sequence[Tensor]) -> bool:
    """Whether a device on which some of these lie fails at everything."""
    try:
        waited(parts)
    except Exception:
        return True
    return False


def _devices_of(made: Any) -> set[torch.device]:
    if not torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return set()
    return {part.device for part in tree_leaves(made) if isinstance(part, Tensor) and part.is_cuda}


@contextmanager
def first_failure_told() -> Iterator[None]:
    """Raise the first error of a device in the end, whatever came of it meanwhile.

    Raises:
        BackwardFailed: Where a backward was asked.
        Exception: The error itself, where `f` was.
    """
    noted: list[tuple[Exception, bool]] = []
    _noted.append(noted)
    try:
        yield
    except Exception:
        if not noted:
            raise
    finally:
        _noted.pop()
    if noted:
        error, by_backward = noted[0]
        if by_backward:
            raise BackwardFailed(error)
        error.add_note(BESIDE)
        raise error


def grad(y: Any, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """Return what ``torch.autograd.grad`` returns."""
    return waited_for(lambda: torch.autograd.grad(y, *args, **kwargs), y, by_backward=True)


def backward(
    y: Sequence[Tensor], v: Any, *, inputs: Sequence[Tensor] | None, retain_graph: bool = False
) -> None:
    """Run ``torch.autograd.backward``."""

    def run() -> Sequence[Tensor]:
        torch.autograd.backward(y, v, retain_graph=retain_graph, inputs=inputs)
        return y

    waited_for(run, y, by_backward=True)
