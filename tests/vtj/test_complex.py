"""Complex numbers: compared by their real and imaginary parts, and the mistakes people make there.

What is expected follows from torch's convention: `x.grad` holds the slopes of the loss by the real
and by the imaginary part, so of a holomorphic f it is v times the conjugate of the derivative.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vtj

Z = torch.tensor([1 + 2j, 0.5 - 1j, -3 + 0.25j], dtype=torch.complex128)
BOTH = pytest.mark.parametrize("verify", [vtj.check, vtj.certify])


def cubed(backward: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return z³ with a backward of v and its derivative, 3 z²."""

    class Cubed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, z: Tensor) -> Tensor:
            ctx.save_for_backward(z)
            return z**3

        @staticmethod
        def backward(ctx: Any, *v: Any) -> Any:
            (z,) = ctx.saved_tensors
            return backward(v[0], 3 * z**2)

    return Cubed.apply


RIGHT: dict[str, tuple[Callable[..., Any], Any]] = {
    "holomorphic": (lambda z: z**3, Z),
    "not holomorphic": (lambda z: z.conj() * z + z.angle(), Z),
    "real of complex": (lambda z: z.abs().sum(), Z),
    "complex of real": (torch.fft.rfft, Z.real),
    "no dimension": (torch.exp, Z[0]),
    "complex64": (lambda z: z**3, Z.to(torch.complex64)),
    "a lazy conjugate": (lambda z: 2 * z, Z.conj()),
    "a transposed view": (torch.linalg.inv, (torch.eye(3) + torch.outer(Z, Z)).mT),
    "parts of both kinds": (lambda z: {"abs": z[0].abs(), "all": [z[0] * z[1]]}, ([Z, Z.real],)),
    "a custom Function": (cubed(lambda v, slope: v * slope.conj()), Z),
}


@BOTH
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_correct(verify: Any, name: str) -> None:
    report = verify(*RIGHT[name])
    assert report, str(report)
    assert "by real and imaginary parts" in str(report)


CONJUGATE = "the conjugate of what it should be"
WRONG: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], str]] = {
    "not conjugated": (lambda v, slope: v * slope, "v times the derivative, where torch expects v"),
    "conjugated as a whole": (lambda v, slope: v.conj() * slope, CONJUGATE),
    "half": (lambda v, slope: v * slope.conj() / 2, "the factor 0.5"),
    "the real part alone": (lambda v, slope: (v * slope.conj()).real + 0j, "a missing term"),
}


@BOTH
@pytest.mark.parametrize("size", [3, 40], ids=["small", "large"])
@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_and_so_is_the_part_of_a_number(
    verify: Any, size: int, name: str
) -> None:
    backward, told = WRONG[name]
    z = torch.randn(size, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))
    report = verify(cubed(backward), z)
    assert (report.verdict, report.culprit) == ("wrong", "backward")
    (finding,) = report.findings
    assert told in finding
    assert ".real" in finding or ".imag" in finding


def test_the_gradient_argument_is_complex_where_y_is() -> None:
    v = torch.tensor([1.0, 1j, 2 - 1j], dtype=torch.complex128)
    report = vtj.check(lambda z: z**3, Z, v)
    grad = v * (3 * Z**2).conj()
    assert vtj.compare(report, "by hand", grad=grad, product=grad.numpy(), y=Z**3)
    other = vtj.compare(report, "the page", grad=grad.conj())
    assert other.verdict == "wrong"
    assert other.findings[0].startswith("x.grad[0].imag: the page")
    assert CONJUGATE in other.findings[0]


@BOTH
def test_a_jacobian_by_hand_is_the_complex_derivative_or_that_of_all_pairs(verify: Any) -> None:
    def given(J: Any) -> Any:  # noqa: N803 - J is the term
        how = {"jacobian": J} if verify is vtj.check else {"J": J}
        return verify(lambda z: z**3, Z, **how)

    slope = np.diag(3 * Z.numpy() ** 2)
    pairs = np.zeros((3, 2, 3, 2))
    pairs[:, 0, :, 0] = pairs[:, 1, :, 1] = slope.real
    pairs[:, 1, :, 0], pairs[:, 0, :, 1] = slope.imag, -slope.imag
    for right in (slope, torch.from_numpy(slope), lambda z: np.diag(3 * z**2), pairs):
        assert given(right)
    assert (given(slope.conj()).culprit, given(slope.T.real + 0j).culprit) == ("jacobian",) * 2
    assert CONJUGATE in given(slope.conj()).findings[0]
    with pytest.raises(ValueError, match=r"= \(3, 2, 3, 2\), where a complex number is a pair"):
        given(np.eye(3))


def test_a_kernel_in_complex64_beside_a_plain_function() -> None:
    z = Z.to(torch.complex64)
    right = vtj.check(lambda z: z * z * z, z, reference=lambda z: z**3)
    assert right, str(right)
    assert not vtj.check(lambda z: z * z * z * (1 + 1e-3j), z, reference=lambda z: z**3)
    turned = torch.randn(200, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
    # the imaginary part is what two large products leave: it is rounded as they are
    report = vtj.check(
        lambda z: z * (z.conj() + 1e-3j), turned, reference=lambda z: z * z.conj() + 1e-3j * z
    )
    assert report, str(report)


class Scaled(nn.Module):
    """A module of one complex parameter and a complex buffer."""

    shift: Tensor

    def __init__(self, f: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.weight = nn.Parameter(Z.to(torch.complex64))
        self.register_buffer("shift", Z.flip(0).to(torch.complex64))
        self.f = f

    def forward(self, x: Tensor) -> Tensor:
        return (self.f(self.weight) * x + self.shift).abs()


@BOTH
def test_a_modules_complex_parameters_are_looked_at(verify: Any) -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    report = verify(Scaled(lambda w: w**3), x)
    assert report, str(report)
    assert "float64" in str(report)
    wrong = verify(Scaled(cubed(lambda v, slope: v * slope)), x)
    assert (wrong.verdict, "weight[" in wrong.findings[0]) == ("wrong", True)


def test_an_output_declared_to_have_no_gradient_is_held() -> None:
    class WithMask(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, z: Tensor) -> Any:
            phase = z / z.abs()
            ctx.mark_non_differentiable(phase)
            return 2 * z, phase

        @staticmethod
        def backward(ctx: Any, *v: Any) -> Any:
            return 2 * v[0]

    report = vtj.check(WithMask.apply, Z)
    assert report, str(report)
    assert "declared to have no gradient" in str(report)


def test_rounding_to_complex64_inside_is_told() -> None:
    report = vtj.check(lambda z: (z.to(torch.complex64) ** 3).to(torch.complex128), Z)
    assert "f works in float32" in str(report)
