"""`f` draws the same numbers at every call, from whichever generator it draws."""

import random
from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.random.mtrand import get_bit_generator, set_bit_generator

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


def test_the_generators_of_gpus_are_seeded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeds.append)
    repeatable(lambda: None, 7)()
    assert seeds == [7]


def test_a_gpu_that_nobody_uses_sleeps_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_rng_state", pytest.fail)
    with random_state_kept():
        pass


def test_a_gpu_that_failed_hides_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> None:
        raise RuntimeError("CUDA error: device-side assert triggered")

    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", list)
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", fails)
    with pytest.raises(ValueError, match="the first"), random_state_kept():
        raise ValueError("the first")


def test_a_gpu_that_f_wakes_draws_on_from_the_callers_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeds: list[int] = []
    awake = [False]
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: awake[0])
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeds.append)
    torch.manual_seed(11)
    with random_state_kept():
        torch.manual_seed(5)
        awake[0] = True
    assert seeds[-1] == 11


def drawn() -> list[float]:
    return [np.random.randn(), np.random.random(), random.gauss(0, 1), torch.rand(()).item()]


def next_drawn(meanwhile: Callable[[], object]) -> list[float]:
    """What is drawn after something, with a normal number of a pair still to come."""
    np.random.seed(1)
    random.seed(1)
    torch.manual_seed(1)
    drawn()
    meanwhile()
    return drawn()


def keep_and_raise() -> None:
    def stumble() -> None:
        with random_state_kept():
            drawn()
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        stumble()


def keep_within() -> None:
    with random_state_kept():
        np.random.seed(5)
        expected = np.random.randn(), np.random.randn(3).tolist()
        np.random.seed(5)
        first = np.random.randn()
        with random_state_kept():
            np.random.seed(6)
            drawn()
        assert (first, np.random.randn(3).tolist()) == expected


@pytest.mark.parametrize("meanwhile", [keep_and_raise, keep_within])
def test_the_caller_draws_on_as_if_nothing_had_been(meanwhile: Callable[[], None]) -> None:
    with random_state_kept():
        assert next_drawn(meanwhile) == next_drawn(lambda: None)


def test_another_kind_of_generator_in_numpy_s_place_is_put_back() -> None:
    with random_state_kept():
        mine, theirs = np.random.PCG64(3), get_bit_generator()
        set_bit_generator(mine)
        draw = repeatable(DRAWS["numpy"], seed=3)
        with random_state_kept():
            assert draw() == draw()
        assert get_bit_generator() is mine
        assert np.random.random() == np.random.Generator(np.random.PCG64(3)).random()
        set_bit_generator(theirs)
