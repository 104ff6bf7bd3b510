"""`f` draws the same numbers at every call, from whichever generator it draws."""

import random
from collections.abc import Callable

import numpy as np
import pytest
import torch

from vtj.calling.repeatable import random_state_kept, repeatable

DRAWS: dict[str, Callable[[], float]] = {
    "torch": lambda: torch.rand(()).item(),
    "numpy": lambda: float(np.random.random()),
    "python": random.random,
}


@pytest.mark.parametrize("generator", DRAWS)
def test_every_call_draws_the_same(generator: str) -> None:
    with random_state_kept():
        draw = repeatable(DRAWS[generator], seed=3)
        assert len({draw() for _ in range(4)}) == 1
        assert draw() != repeatable(DRAWS[generator], seed=4)()


def test_generators_that_the_first_call_leaves_alone_are_left_alone_by_the_next() -> None:
    with random_state_kept():
        f = repeatable(lambda: None, seed=3)
        f()
        np.random.seed(7)
        random.seed(7)
        expected = DRAWS["numpy"](), DRAWS["python"]()
        np.random.seed(7)
        random.seed(7)
        f()
        assert (DRAWS["numpy"](), DRAWS["python"]()) == expected


def test_the_generators_of_gpus_are_seeded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeds.append)
    repeatable(lambda: None, 7)()
    assert seeds == [7]
