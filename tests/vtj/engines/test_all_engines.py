"""What every engine must do alike."""

import os

import pytest
import torch
from torch import Tensor, nn

from vtj.engines import ENGINES, jacobian, refuse_what_does_not_fit

NAMES = [name for name, engine in ENGINES.items() if engine.default]


def three_outputs(x: Tensor) -> Tensor:
    return torch.stack([3 * x[0] ** 2, x[0] ** 2 + 2 * x[1] ** 3, 10 * x[1]])


@pytest.mark.parametrize("name", NAMES)
class TestEngine:
    def test_the_running_example_is_exact(self, name: str) -> None:
        J = jacobian(three_outputs, torch.tensor([1.0, 2.0]), name)  # noqa: N806
        assert J.tolist() == [[6.0, 0.0], [2.0, 24.0], [0.0, 10.0]]

    def test_shape_is_ys_then_xs(self, name: str) -> None:
        a = torch.arange(12.0).reshape(3, 4)
        J = jacobian(lambda x: x @ a.to(x), torch.ones(2, 3), name)  # noqa: N806
        assert J.shape == (2, 4, 2, 3)
        assert torch.equal(J[1, 2, 1].double(), a[:, 2].double())
        assert not J[1, 2, 0].any()

    def test_tuples(self, name: str) -> None:
        x = (torch.tensor([1.0, 2.0]), torch.tensor(3.0))
        (by_a, by_b), (total_by_a, total_by_b) = jacobian(lambda a, b: (a * b, a.sum()), x, name)
        assert by_a.tolist() == [[3.0, 0.0], [0.0, 3.0]]
        assert by_b.tolist() == [1.0, 2.0]
        assert total_by_a.tolist() == [1.0, 1.0]
        assert total_by_b.tolist() == 0.0

    def test_0_d(self, name: str) -> None:
        J = jacobian(lambda x: x**2, torch.tensor(3.0), name)  # noqa: N806
        assert (J.shape, J.item()) == ((), 6.0)

    def test_empty(self, name: str) -> None:
        assert jacobian(lambda x: x**2, torch.empty(0), name).shape == (0, 0)
        assert jacobian(lambda x: x.sum(), torch.empty(0), name).shape == (0,)

    def test_the_caller_is_left_alone(self, name: str) -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        x.grad = torch.ones(2)
        state = torch.get_rng_state()
        jacobian(lambda x: torch.nn.functional.dropout(x, 0.5), x, name)
        assert torch.equal(x.grad, torch.ones(2))
        assert x.tolist() == [1.0, 2.0]
        assert torch.equal(torch.get_rng_state(), state)

    def test_dropout_is_one_function(self, name: str) -> None:
        x = torch.ones(20)
        first = jacobian(lambda x: torch.nn.functional.dropout(x, 0.5), x, name)
        again = jacobian(lambda x: torch.nn.functional.dropout(x, 0.5), x, name)
        assert torch.equal(first, again)
        assert 0 < first.count_nonzero() < 20


@pytest.mark.parametrize("name", ["reverse", "forward", "numeric"])
def test_what_a_module_keeps_is_put_back(name: str) -> None:
    norm = nn.BatchNorm1d(2, dtype=torch.float64)
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0]], dtype=torch.float64)
    jacobian(norm, x, method=name)
    assert norm.running_mean.tolist() == [0.0, 0.0]
    assert norm.num_batches_tracked == 0


@pytest.mark.parametrize("name", ["reverse", "forward", "numeric"])
def test_what_is_no_tensor_is_named(name: str) -> None:
    with pytest.raises(TypeError, match=r"^y is float"):
        ENGINES[name](lambda x: 3.0, torch.ones(2))
    with pytest.raises(TypeError, match=r"^y\[1\] is float"):
        ENGINES[name](lambda x: (x, 3.0), torch.ones(2))


def test_one_engine_estimates_slopes() -> None:
    """A report has one row of differences: of two engines, one would vanish."""
    names = [engine.name for engine in ENGINES.values() if engine.slopes is not None]
    assert names == ["numeric"], "only one engine may have slopes=: improve numeric.estimate"


def test_what_cannot_be_differentiated_is_named() -> None:
    with pytest.raises(ValueError, match=r"^method is 'no'; expected one of reverse, jacrev, "):
        jacobian(torch.sin, torch.ones(2), method="no")
    with pytest.raises(TypeError, match=r"^y = f\(x\) is float"):
        jacobian(lambda x: 3.0, torch.ones(2))
    with pytest.raises(TypeError, match=r"^y has dtype torch\.bool"):
        jacobian(lambda x: x > 0, torch.ones(2))


def test_what_takes_more_than_half_of_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = {"SC_PHYS_PAGES": 4, "SC_PAGE_SIZE": 16}
    monkeypatch.setattr(os, "sysconf", memory.__getitem__)
    refuse_what_does_not_fit(2, 2)
    with pytest.raises(MemoryError, match=r"^J would have 1 x 5 entries, 0 GB in float64"):
        refuse_what_does_not_fit(1, 5)
    with pytest.raises(MemoryError, match="1000 GB in"):
        refuse_what_does_not_fit(1, 125 * 10**9 - 1)
    with pytest.raises(MemoryError, match="1 TB in"):
        refuse_what_does_not_fit(1, 125 * 10**9)
