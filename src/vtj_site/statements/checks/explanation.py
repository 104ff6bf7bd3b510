"""Checks for the pages of `docs/explanation`."""

import torch

from vtj_site.statements.bound import statement


@statement(
    "count that has changed",
    "When an operation needed what it saved and the count has changed, `backward` raises.",
)
def _() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for make in (torch.exp, torch.sigmoid, torch.tanh, torch.sqrt):
        y = make(x)
        y.detach().add_(1)
        try:
            torch.autograd.backward(y, torch.ones(2))
        except RuntimeError:
            continue
        raise AssertionError(f"{make} of {x} did not raise")
