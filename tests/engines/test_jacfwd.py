import pytest
import torch

from vtj.engines.vectorized import jacfwd, jacrev


def test_a_function_without_vmap_rule_is_refused_by_torch() -> None:
    class NoVmap(torch.autograd.Function):
        @staticmethod
        def forward(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def setup_context(ctx: object, inputs: object, output: object) -> None:
            pass

        @staticmethod
        def jvp(ctx: object, u: torch.Tensor) -> torch.Tensor:
            return u * 2

    with pytest.raises(RuntimeError, match="vmap"):
        jacfwd(NoVmap.apply, torch.ones(2))


def test_dropout_draws_what_reverse_mode_draws() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        torch.default_generator.manual_seed(0)
        return torch.nn.functional.dropout(x, 0.5)

    assert torch.equal(jacfwd(f, torch.ones(9)), jacrev(f, torch.ones(9)))
