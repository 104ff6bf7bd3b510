"""The same random numbers at every call of `f`, and the caller's untouched."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.random.mtrand import get_bit_generator, set_bit_generator

from vtj.calling.tensors import Function

_spare: list[np.random.MT19937] = []


@contextmanager
def random_state_kept() -> Iterator[None]:
    """Put back the random state of torch, NumPy and Python on leaving.

    Example:
        >>> before = torch.get_rng_state()
        >>> with random_state_kept():
        ...     _ = torch.rand(3)
        >>> torch.equal(torch.get_rng_state(), before)
        True
    """
    python_state = random.getstate()
    with torch.random.fork_rng(), _other_numpy_generator():
        try:
            yield
        finally:
            random.setstate(python_state)


@contextmanager
def _other_numpy_generator() -> Iterator[None]:
    # Another generator in its place need not be copied back, which takes as long as a small f.
    theirs, kept = get_bit_generator(), np.random.get_state(legacy=False)
    own = _spare.pop() if _spare else np.random.MT19937(0)
    set_bit_generator(own)
    try:
        yield
    finally:
        set_bit_generator(theirs)
        if kept["has_gauss"]:  # a normal number that NumPy has drawn and not given yet
            np.random.set_state(kept)
        _spare.append(own)


def repeatable(f: Function, seed: int) -> Function:
    """Give `f` as a function that draws the same random numbers at every call.

    Dropout becomes one fixed function this way. NumPy's and Python's generators are seeded only
    when the first call of `f` draws from them. Use it within `random_state_kept`.

    Raises:
        TypeError: When `f` cannot be called.

    Example:
        >>> with random_state_kept():
        ...     draw = repeatable(lambda: torch.rand(()).item(), seed=0)
        ...     first, second = draw(), draw()
        >>> first == second
        True
    """
    if not callable(f):
        raise TypeError(f"f is {type(f).__name__}; expected a function of tensors")

    draws_elsewhere: bool | None = None

    def seeded(*args: Any) -> Any:
        nonlocal draws_elsewhere
        torch.default_generator.manual_seed(seed)
        if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
            torch.cuda.manual_seed_all(seed)
        if draws_elsewhere is False:
            return f(*args)
        np.random.seed(seed)
        random.seed(seed)
        y = f(*args)
        draws_elsewhere = draws_elsewhere or _next_drawn() != _first_drawn(seed)
        return y

    return seeded


def _next_drawn() -> tuple[float, float]:
    # a draw takes far less time than a look at the state
    return float(np.random.random_sample()), random.random()


@cache
def _first_drawn(seed: int) -> tuple[float, float]:
    return float(np.random.RandomState(seed).random_sample()), random.Random(seed).random()
