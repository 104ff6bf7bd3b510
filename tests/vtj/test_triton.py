"""A kernel in Triton beside a plain function: x * sigmoid(x), rounded to half precision at the end.

On CUDA; or in Triton's interpreter, without a GPU, where TRITON_INTERPRET=1 is set. Where there is
neither, it says "not run".
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
    """Return the kernel as a function whose gradient is off by a factor."""

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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "correct"), (1.05, "wrong")])
def test_a_kernel_is_judged_beside_a_plain_function(
    dtype: torch.dtype, factor: float, verdict: str
) -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 8).to(DEVICE, dtype)
    report = vtj.check(silu(factor), x, reference=functional.silu)
    assert report.verdict == verdict, str(report)
