"""Checks for the pages of `docs/tutorials`, the front page, and the questions and answers."""

import torch

from vtj_site.statements.bound import statement


@statement(
    "softmax adds up to one",
    "The outputs of softmax add up to one, so the gradient of their sum is zero.",
)
def _() -> None:
    generator = torch.Generator().manual_seed(0)
    for elements in range(1, 9):
        for size in (1e-3, 1.0, 1e3):
            x = size * torch.randn(elements, generator=generator, dtype=torch.float64)
            x.requires_grad_()
            total = x.softmax(0).sum()
            (gradient,) = torch.autograd.grad(total, x)
            torch.testing.assert_close(total, torch.ones_like(total))
            torch.testing.assert_close(gradient, torch.zeros_like(gradient))
