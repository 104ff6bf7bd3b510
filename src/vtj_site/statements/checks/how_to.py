"""Checks for the pages of `docs/how-to`."""

from typing import Any

import torch
from torch import nn
from torch.autograd.gradcheck import gradcheck

from vtj_site.statements.bound import statement
from vtj_site.statements.checks.cases import refused


@statement(
    "detach forgotten",
    "If you forget to detach `fake`, the discriminator's step fills the generator's `.grad` too, "
    "with the opposite aim, and frees its graph, so that the generator's step raises.",
)
def _() -> None:
    for last in (nn.Identity(), nn.Tanh(), nn.Softplus()):
        first, discriminator, noise = nn.Linear(2, 3), nn.Linear(3, 1), torch.randn(4, 2)
        generator, weight = nn.Sequential(first, last), first.weight
        (wanted,) = torch.autograd.grad(-discriminator(generator(noise)).sum(), weight)
        fake = generator(noise)
        discriminator(fake).sum().backward()
        assert weight.grad is not None, last
        torch.testing.assert_close(weight.grad, -wanted)
        step = (-discriminator(fake).sum()).backward
        assert "backward through the graph a second time" in refused(step), last


@statement("through a frozen model", "The gradient still goes *through* a frozen model.")
def _() -> None:
    for model in (nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.LayerNorm(3)):
        x = torch.randn(2, 3, requires_grad=True)
        (wanted,) = torch.autograd.grad(model(x)[:, 0].sum(), x)
        model.requires_grad_(False)
        model(x)[:, 0].sum().backward()
        torch.testing.assert_close(x.grad, wanted)
        assert all(parameter.grad is None for parameter in model.parameters()), model


@statement("integers get none", "`table[index]` takes integers, which do not get a gradient.")
def _() -> None:
    table = torch.randn(3, requires_grad=True)
    for dtype in (torch.int64, torch.int32, torch.uint8):
        index = torch.tensor([0, 1], dtype=dtype)
        assert "floating point" in refused(index.requires_grad_), dtype
    assert "must be long, int" in refused(lambda: table[torch.tensor([0.0, 1.0])])


@statement(
    "choosing and copying",
    "Follow `v`: an operation that chooses sends it to what was chosen, and one that copies adds "
    "up what comes back.",
)
def _() -> None:
    x = torch.tensor([4.0, 1.0, 3.0, 2.5], requires_grad=True)
    for chosen in (
        lambda x: x.max(0),
        lambda x: x.min(0),
        lambda x: x.sort(),
        lambda x: x.topk(2),
        lambda x: x.kthvalue(2),
    ):
        values, places = chosen(x)  # type: ignore[no-untyped-call]
        v = torch.randn(values.shape)
        sent = torch.zeros(4)
        sent[places] = v
        assert torch.autograd.grad(values, x, v)[0].equal(sent), places
    for copies in (
        lambda x: x.expand(3, 4),
        lambda x: x.repeat(2, 1),
        lambda x: torch.stack([x, x, x]),
        lambda x: torch.broadcast_to(x, (5, 4)),
    ):
        v = torch.randn(copies(x).shape)
        (back,) = torch.autograd.grad(copies(x), x, v)
        torch.testing.assert_close(back, v.sum(0))


@statement(
    "scaler skips",
    "If a gradient has an `inf` or a `nan`, `scaler.step` skips the step of its optimizer and "
    "`scaler.update` by default halves the scale.",
)
def _() -> None:
    for optimizer_of in (torch.optim.SGD, torch.optim.Adam):
        for factor, skips in ((torch.inf, True), (torch.nan, True), (1.0, False)):
            weight, scaler = nn.Parameter(torch.ones(2)), torch.amp.GradScaler("cpu")
            optimizer = optimizer_of([weight], lr=0.5)
            before = scaler.get_scale()
            scaler.scale(weight[0] * factor + weight[1]).backward()
            scaler.step(optimizer)
            scaler.update()
            assert weight.equal(torch.ones(2)) == skips, (optimizer_of, factor)
            assert scaler.get_scale() == (before / 2 if skips else before), factor


@statement(
    "not reentrant",
    "Two calls of `backward` with the same `x` and `v` returned different gradients.",
)
def _() -> None:
    drift = [0.0, 1e-9]

    class Triple(torch.autograd.Function):
        step = 0.0

        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return 3 * x

        @staticmethod
        def backward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
            Triple.step += drift[-1]
            return (3 + Triple.step) * v

    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    triple: Any = Triple.apply
    one, other = (torch.autograd.grad(triple(x).sum(), x)[0] for _ in range(2))
    assert not one.equal(other)
    assert "Backward is not reentrant" in refused(lambda: gradcheck(triple, x))
    drift.pop()
    assert gradcheck(triple, x)
