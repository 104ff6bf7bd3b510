"""The same random numbers at every call of `f`, and the caller's untouched."""

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import torch
from numpy.random.mtrand import get_bit_generator, set_bit_generator

from vtj.calling.tensors import Function, require_function
from vtj.calling.waiting import waited_for

OTHER = 2**31 - 1  # a seed that nobody gives by chance
_spare: list[np.random.MT19937] = []  # to make one takes longer than to differentiate 3 * x**2


@contextmanager
def random_state_kept() -> Iterator[None]:
    """Put back the random state of torch, of the GPUs in use, of NumPy and Python on leaving.

    `torch.random.fork_rng` wakes every GPU, warns where there are two, and raises in a forked
    process.
    """
    python_state, torch_state = random.getstate(), torch.get_rng_state()
    gpus_in_use: bool = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    of_gpus = torch.cuda.get_rng_state_all() if gpus_in_use else []
    theirs, kept = get_bit_generator(), np.random.get_state(legacy=False)
    ours = _spare.pop() if _spare else np.random.MT19937(0)  # np.random.seed takes no other kind
    set_bit_generator(ours)
    try:
        yield
    finally:
        set_bit_generator(theirs)
        if kept["has_gauss"]:  # a normal number that NumPy has drawn and not given yet
            np.random.set_state(kept)
        _spare.append(ours)
        random.setstate(python_state)
        torch.set_rng_state(torch_state)
        with suppress(RuntimeError):  # of a GPU that failed, whose error is told already
            if gpus_in_use:
                torch.cuda.set_rng_state_all(of_gpus)
            elif torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
                torch.cuda.manual_seed_all(torch.initial_seed())  # as where the caller woke it


def repeatable(f: Function, seed: int) -> Function:
    """Return `f` as a function that draws the same random numbers at every call.

    Dropout becomes one fixed function this way. Use it within `random_state_kept`.

    Example:
        >>> with random_state_kept():
        ...     draw = repeatable(lambda: torch.rand(()).item(), seed=0)
        ...     first, second = draw(), draw()
        >>> first == second
        True
    """
    require_function(f)

    def seeded(*args: Any, **kwargs: Any) -> Any:
        _reseed(seed)
        return waited_for(lambda: f(*args, **kwargs), (args, kwargs))

    return seeded


def reseeded(f: Function) -> Function:
    """Return `f`, after which backward draws other numbers than after `f` itself."""

    def drawing_others(*args: Any) -> Any:
        y = f(*args)
        _reseed(OTHER)
        return y

    return drawing_others


def _reseed(seed: int) -> None:
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(seed)
    np.random.seed(seed)
    random.seed(seed)
