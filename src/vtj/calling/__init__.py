"""How a reader's own `f` is called: on fresh tensors, repeatably, and without leaving a trace."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from vtj.calling.arguments import Arguments
from vtj.calling.repeatable import random_state_kept, repeatable
from vtj.calling.state import Kept, state_kept
from vtj.calling.tensors import Function


@contextmanager
def without_trace(
    f: Function, seed: int = 0, given: Arguments | None = None
) -> Iterator[tuple[Function, Kept]]:
    """`f` as a function that does the same at every call; what it changes is put back.

    It draws the same numbers, and finds its buffers as they were: a spectral norm goes on from its
    last estimate. Gradients are recorded, whatever the caller's grad mode. With the arguments
    `given`, it is a function of those that move.
    """
    repeated = repeatable(f, seed)
    if given is not None:
        repeated = given.given_to(repeated)

    def same(*x: Any) -> Any:
        kept.put_back()
        return repeated(*x)

    with (
        np.errstate(all="ignore"),
        torch.inference_mode(False),  # it enables gradients too
        random_state_kept(),
        state_kept(f, None if given is None else given.weights) as kept,
    ):
        yield same if kept.buffers else repeated, kept
