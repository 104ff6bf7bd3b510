"""Kernels in Triton beside plain functions: an activation, a norm with a weight, a loss.

On CUDA; or in Triton's interpreter, without a GPU, where TRITON_INTERPRET=1 is set. Where there is
neither, it says "not run". Each damage is one that such a kernel can have.
"""

import os
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import vtj

triton = pytest.importorskip("triton", reason="not run: no Triton")
tl = pytest.importorskip("triton.language")

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
if not INTERPRETED and not torch.cuda.is_available():
    pytest.skip("not run: there is no CUDA device", allow_module_level=True)
DEVICE = torch.device("cpu" if INTERPRETED else "cuda")
BLOCK = 16
HALF = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
EPS = 1e-5


@triton.jit
def forward_kernel(x_at, y_at, size, BLOCK: tl.constexpr):  # noqa: N803 - Triton's own way
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_at + at, mask=at < size, other=0.0).to(tl.float32)
    tl.store(y_at + at, x / (1 + tl.exp(-x)), mask=at < size)


@triton.jit
def backward_kernel(x_at, v_at, grad_at, factor, size, BLOCK: tl.constexpr):  # noqa: N803
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_at + at, mask=at < size, other=0.0).to(tl.float32)
    v = tl.load(v_at + at, mask=at < size, other=0.0).to(tl.float32)
    s = 1 / (1 + tl.exp(-x))
    tl.store(grad_at + at, factor * v * s * (1 + x * (1 - s)), mask=at < size)


def silu(factor: float) -> Callable[[Tensor], Tensor]:
    """Return the kernel, rounded at its end, as a function whose gradient is off by a factor."""

    class Silu(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            y = torch.empty_like(x)
            forward_kernel[(triton.cdiv(x.numel(), BLOCK),)](x, y, x.numel(), BLOCK)
            return y

        @staticmethod
        def backward(ctx, v):
            (x,) = ctx.saved_tensors
            v, grad = v.contiguous(), torch.empty_like(x)
            blocks = (triton.cdiv(x.numel(), BLOCK),)
            backward_kernel[blocks](x, v, grad, factor, x.numel(), BLOCK)
            return grad

    return Silu.apply


@HALF
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "correct"), (1.05, "wrong")])
def test_an_activation_is_judged_beside_a_plain_function(
    dtype: torch.dtype, factor: float, verdict: str
) -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 8).to(DEVICE, dtype)
    report = vtj.check(silu(factor), x, reference=functional.silu)
    assert report.verdict == verdict, str(report)


@triton.jit
def norm_kernel(x_at, w_at, y_at, width, eps, BLOCK: tl.constexpr):  # noqa: N803
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_at + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    w = tl.load(w_at + at, mask=at < width, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, 0) / width + eps)
    tl.store(y_at + row * width + at, x * scale * w, mask=at < width)


@triton.jit
def norm_backward_kernel(
    x_at, w_at, v_at, x_grad_at, w_grad_at, width, eps, through, last_row,
    BLOCK: tl.constexpr,  # noqa: N803
):  # fmt: skip
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_at + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    w = tl.load(w_at + at, mask=at < width, other=0.0).to(tl.float32)
    v = tl.load(v_at + row * width + at, mask=at < width, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, 0) / width + eps)
    own = scale * scale * tl.sum(v * w * x, 0) / width
    grad = scale * (v * w - through * own * x)
    tl.store(x_grad_at + row * width + at, grad, mask=at < width)
    tl.atomic_add(w_grad_at + at, v * x * scale, mask=(at < width) & (row < last_row))


def rms_norm(through: float, rows: int) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the kernel of `rms_norm`.

    The part that goes through the scale has a factor, and the gradient of the weight leaves out
    that many rows at the end.
    """

    class Norm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            y = torch.empty_like(x)
            norm_kernel[(len(x),)](x, w, y, x.shape[1], EPS, BLOCK)
            return y

        @staticmethod
        def backward(ctx, v):
            x, w = ctx.saved_tensors
            x_grad, w_grad = torch.empty_like(x), torch.zeros_like(w, dtype=torch.float32)
            norm_backward_kernel[(len(x),)](
                x, w, v.contiguous(), x_grad, w_grad, x.shape[1], EPS, through, len(x) - rows, BLOCK
            )
            return x_grad, w_grad.to(w.dtype)

    return Norm.apply


@HALF
@pytest.mark.parametrize(
    ("through", "rows", "accused"), [(1.0, 0, ""), (0.9, 0, "x.grad[0]["), (1.0, 1, "x.grad[1][")]
)
def test_a_norm_is_judged_with_its_weight(
    dtype: torch.dtype, through: float, rows: int, accused: str
) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(6, 11).to(DEVICE, dtype), torch.rand(11).to(DEVICE, dtype) + 1

    def plain(x: Tensor, w: Tensor) -> Tensor:
        return functional.rms_norm(x, x.shape[1:], w, eps=EPS)

    report = vtj.check(rms_norm(through, rows), (x, w), reference=plain)
    assert report.verdict == ("wrong" if accused else "correct"), str(report)
    assert all(one.startswith(accused) for one in report.findings), str(report)


@triton.jit
def loss_kernel(logits_at, target_at, loss_at, width, rows, divide, BLOCK: tl.constexpr):  # noqa: N803
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    here = logits_at + row * width + at
    x = tl.load(here, mask=at < width, other=-float("inf")).to(tl.float32)
    target = tl.load(target_at + row)
    shifted = x - tl.max(x, 0)
    total = tl.sum(tl.exp(shifted), 0)
    chosen = tl.sum(tl.where(at == target, shifted, 0.0), 0)
    tl.store(loss_at + row, (tl.log(total) - chosen) / rows)
    grad = tl.exp(shifted) / total - tl.where(at == target, 1.0, 0.0)
    tl.store(here, grad / divide, mask=at < width)


def cross_entropy(mean: bool, used: bool) -> Callable[..., Tensor]:
    """Return a loss that computes its gradient in its forward pass, in a copy of the logits.

    Without `mean` the gradient is that of a sum; without `used` it leaves out `grad_output`.
    """

    class Loss(torch.autograd.Function):
        @staticmethod
        def forward(ctx, logits, target):
            grad, rows = logits.detach().clone(), len(logits)
            losses = torch.empty(rows, device=logits.device, dtype=torch.float32)
            divide = float(rows if mean else 1)
            loss_kernel[(rows,)](grad, target, losses, logits.shape[1], rows, divide, BLOCK)
            ctx.save_for_backward(grad)
            return losses.sum().to(logits.dtype)

        @staticmethod
        def backward(ctx, v):
            (grad,) = ctx.saved_tensors
            return grad * v if used else grad, None

    return Loss.apply


@HALF
@pytest.mark.parametrize(
    ("mean", "used", "verdict"),
    [(True, True, "correct"), (False, True, "wrong"), (True, False, "wrong")],
)
def test_a_loss_is_judged_that_computes_its_gradient_ahead(
    dtype: torch.dtype, mean: bool, used: bool, verdict: str
) -> None:
    torch.manual_seed(0)
    logits = torch.randn(5, 13).to(DEVICE, dtype)
    target = torch.tensor([0, 3, 12, 7, 7], device=DEVICE)
    f = cross_entropy(mean, used)
    report = vtj.check(f, (logits, target), reference=functional.cross_entropy)
    assert report.verdict == verdict, str(report)
