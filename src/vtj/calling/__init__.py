"""How a reader's own `f` is called: on fresh tensors, repeatably, and without leaving a trace."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from vtj.calling.repeatable import random_state_kept, repeatable
from vtj.calling.state import Kept, state_kept
from vtj.calling.tensors import Function


@contextmanager
def without_trace(f: Function, seed: int = 0) -> Iterator[tuple[Function, Kept]]:
    """`f` as a function that draws the same numbers at every call; what it changes is put back."""
    repeated = repeatable(f, seed)
    with np.errstate(all="ignore"), random_state_kept(), state_kept(f) as kept:
        yield repeated, kept
