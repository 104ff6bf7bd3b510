"""What is asked on a device is computed there: each test runs on the CPU, and on CUDA if there is.

Where there is none, its half says "not run".
"""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import vtj
from tests.zoo.bug import custom

VERIFY = pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
HALF = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
FACTORS = pytest.mark.parametrize(("factor", "verdict"), [(1.0, "correct"), (1.05, "wrong")])


@pytest.fixture(params=["cpu", "cuda"])
def device(request: pytest.FixtureRequest) -> torch.device:
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("not run: there is no CUDA device")
    return torch.device(request.param)


def only_on(device: torch.device, f: Any) -> Any:
    """Return `f`, which refuses tensors of another device."""

    def asked(*x: Tensor) -> Any:
        found = {part.device.type for part in x}
        assert found == {device.type}, f"moved to {found}"
        return f(*x)

    return asked


def drawn(*shape: int, device: torch.device, dtype: torch.dtype = torch.float64) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(device, dtype)


@VERIFY
def test_a_right_function_is_correct_where_it_is(verify: Any, device: torch.device) -> None:
    weight = drawn(5, 3, device=device)
    x = drawn(3, device=device).requires_grad_()
    x.grad = torch.ones_like(x)
    report = verify(only_on(device, lambda x: torch.softmax(weight @ x, 0)), x)
    assert report, str(report)
    assert x.grad.tolist() == [1, 1, 1]
    assert x.device.type == device.type


@VERIFY
def test_a_wrong_entry_is_found_where_it_is(verify: Any, device: torch.device) -> None:
    f = custom(lambda x: x**2, lambda saved, v: 2 * saved[0] * v * torch.ones_like(v).cumsum(0))
    report = verify(only_on(device, f), drawn(3, device=device))
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)


@VERIFY
def test_a_module_is_checked_with_its_weights(verify: Any, device: torch.device) -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).to(device)
    before = {name: one.clone() for name, one in module.state_dict().items()}
    assert verify(module, drawn(3, device=device, dtype=torch.float32))
    for name, one in module.state_dict().items():
        assert (one.device.type, one.dtype) == (device.type, torch.float32)
        torch.testing.assert_close(one, before[name], rtol=0, atol=0)


@VERIFY
def test_dropout_is_one_function_and_the_random_state_stays(
    verify: Any, device: torch.device
) -> None:
    torch.manual_seed(1)
    expected = torch.rand(4, device=device)
    torch.manual_seed(1)
    assert verify(lambda x: functional.dropout(x, 0.5), drawn(6, device=device))
    assert torch.rand(4, device=device).tolist() == expected.tolist()


@HALF
@FACTORS
def test_a_kernel_in_half_precision_is_judged_beside_a_plain_function(
    dtype: torch.dtype, factor: float, verdict: str, device: torch.device
) -> None:
    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        s = torch.sigmoid(saved[0].float())
        return (factor * v.float() * s * (1 + saved[0].float() * (1 - s))).to(v.dtype)

    f = custom(lambda x: functional.silu(x.float()).to(x.dtype), backward)
    x = drawn(4, 8, device=device, dtype=dtype)
    report = vtj.check(only_on(device, f), x, reference=only_on(device, functional.silu))
    assert report.verdict == verdict, str(report)


@HALF
@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "correct"), (1.1, "wrong")])
def test_torchs_fastest_attention_is_judged_beside_a_plain_one(
    dtype: torch.dtype, scale: float, verdict: str, device: torch.device
) -> None:
    """Of query, key and value; on CUDA it is the kernel that never writes the weights down."""

    class Attention(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *x: Tensor) -> Tensor:
            ctx.save_for_backward(*x)
            return functional.scaled_dot_product_attention(*x)

        @staticmethod
        def backward(ctx: Any, v: Tensor) -> Any:  # type: ignore[override]
            x = [part.detach().requires_grad_() for part in ctx.saved_tensors]
            with torch.enable_grad():
                y = functional.scaled_dot_product_attention(*x)
            grads = torch.autograd.grad(y, x, v)
            return grads[0], grads[1] * scale, grads[2]

    def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, -1) @ value

    x = drawn(3, 1, 2, 6, 8, device=device, dtype=dtype).unbind()
    f: Any = Attention.apply
    report = vtj.check(only_on(device, f), (*x,), reference=only_on(device, plain))
    assert report.verdict == verdict, str(report)
    assert all(one.startswith("x.grad[1]") for one in report.findings), str(report)


@VERIFY
def test_a_recurrent_module_is_checked_with_its_weights(verify: Any, device: torch.device) -> None:
    """On CUDA its forward and backward pass are one call each of a library of kernels."""
    torch.manual_seed(0)
    module = nn.LSTM(3, 4).to(device)
    report = verify(module, drawn(5, 2, 3, device=device, dtype=torch.float32))
    assert report, str(report)


# an index that is too large stops a CUDA device for good, so that this runs in a process of its own
ASSERTS = """
import torch, vtj

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 2 * x[torch.tensor([0, 1, 7], device=x.device)] * v

print(vtj.{verify}(Square.apply, torch.ones(3, device="cuda", dtype=torch.float64)))
"""


@pytest.mark.parametrize("verify", ["check", "certify"])
@pytest.mark.parametrize("device", ["cuda"], indirect=True)
def test_an_error_that_a_device_reports_late_is_told_under_its_row(
    verify: str, device: torch.device
) -> None:
    script = [sys.executable, "-c", ASSERTS.format(verify=verify)]
    ran = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.splitlines()
    assert told[0] == "wrong (backward): nothing to compare"
    assert told[1].startswith("x.grad: backward raises ")
    assert "CUDA error: device-side assert triggered" in told[1]
    assert [line.split()[:3] for line in told[3:]] == [["x.grad", "backward", "fails"]]
