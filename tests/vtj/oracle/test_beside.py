"""`f` beside a plain function in float64: kernels in half precision, and surrogates that are meant.

Kernels are ours, in torch, of two kinds: every step rounded to the dtype, or the end alone.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import vtj
from tests.zoo.bug import custom

VERIFY = [vtj.check, vtj.certify]
HALF = [torch.bfloat16, torch.float16]


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attend."""
    return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    """Normalize by the root mean square."""
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight


PLAIN: dict[str, tuple[Callable[..., Tensor], list[tuple[int, ...]]]] = {
    "attention": (attention, [(8, 16)] * 3),
    "torch's attention": (functional.scaled_dot_product_attention, [(1, 2, 8, 16)] * 3),
    "rms norm": (rms_norm, [(8, 64), (64,)]),
    "product": (torch.matmul, [(16, 256), (256, 8)]),
    "gate": (lambda a, b: functional.silu(a) * b, [(64,), (64,)]),
    "softmax": (lambda x: x.softmax(-1), [(8, 32)]),
}


def kernel(plain: Callable[..., Tensor], *, inside: bool, y: float = 1.0, grad: float = 1.0) -> Any:
    """Return a kernel of this, that works in float32 `inside` or not, off by two factors."""

    def computed(*x: Tensor) -> Tensor:
        parts = [part.float() for part in x] if inside else x
        return plain(*parts).to(x[0].dtype)

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Any:
        x = [part.detach().requires_grad_() for part in saved]
        with torch.enable_grad():
            first, *others = torch.autograd.grad(computed(*x), x, v)
        return (grad * first, *others) if others else grad * first

    return custom(lambda *x: y * computed(*x), backward)


def drawn(name: str, dtype: torch.dtype, seed: int) -> Any:
    """Return inputs for one of the plain functions."""
    generator = torch.Generator().manual_seed(seed)
    parts = tuple(torch.randn(s, generator=generator).to(dtype) for s in PLAIN[name][1])
    return parts if len(parts) > 1 else parts[0]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("inside", [True, False], ids=["rounded at the end", "at every step"])
@pytest.mark.parametrize("dtype", [*HALF, torch.float32], ids=str)
@pytest.mark.parametrize("name", PLAIN)
def test_a_right_kernel_is_correct_and_one_5_percent_off_wrong(
    name: str, dtype: torch.dtype, inside: bool, seed: int
) -> None:
    plain, x = PLAIN[name][0], drawn(name, dtype, seed)
    for by, verdict, culprit in (
        ({}, "correct", None),
        ({"grad": 1.05}, "wrong", "backward"),
        ({"y": 0.95}, "wrong", "f"),
    ):
        f = kernel(plain, inside=inside, **by)
        report = vtj.check(f, x, reference=plain, seed=seed)
        assert (report.verdict, report.culprit) == (verdict, culprit), str(report)


def composed_silu(spoiled: Callable[[Tensor], Any] = lambda grad: None) -> Any:
    """Return a silu whose backward is made of operations that round each, and is spoiled."""

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        (x,) = saved
        s = x.sigmoid()
        grad = v * s * (1 + x * (1 - s))
        spoiled(grad)
        return grad

    return custom(functional.silu, backward)


@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_a_silu_whose_every_operation_rounds(dtype: torch.dtype) -> None:
    """Near -1.28 its terms cancel, and few digits are left of a right gradient."""

    def element(grad: Tensor) -> None:
        grad[grad.abs().argmax()] *= 1.1

    for seed in range(6):
        x = torch.randn(64, generator=torch.Generator().manual_seed(seed)).to(dtype)
        report = vtj.check(composed_silu(), x, reference=functional.silu)
        assert report, str(report)
        for wrong in (lambda grad: grad.mul_(1.05), lambda grad: grad[8:].mul_(1.05), element):
            f = composed_silu(wrong)
            assert vtj.check(f, x, reference=functional.silu).verdict == "wrong"


def gelu(x: Tensor) -> Tensor:
    """Compose it of the error function, of which no digit is left near -3."""
    return x * 0.5 * (1 + torch.erf(x / 2**0.5))


def gelu_tanh(x: Tensor) -> Tensor:
    """Compose it of a tanh."""
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


def mish(x: Tensor) -> Tensor:
    """Compose it of a softplus that adds 1."""
    return x * torch.tanh(torch.log(1 + torch.exp(x)))


COMPOSED: list[tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = [
    (gelu, functional.gelu),
    (gelu_tanh, lambda x: functional.gelu(x, approximate="tanh")),
    (mish, functional.mish),
]


@pytest.mark.parametrize("dtype", HALF, ids=str)
@pytest.mark.parametrize(("plain", "reference"), COMPOSED, ids=lambda one: one.__name__)
def test_an_activation_whose_every_operation_rounds(
    plain: Callable[[Tensor], Tensor], reference: Callable[[Tensor], Tensor], dtype: torch.dtype
) -> None:
    """Its terms cancel, in y too: by torch's own, which rounds once, nobody sees that."""

    def spoiled(change: Callable[[Tensor], Any]) -> Any:
        def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
            x = saved[0].detach().requires_grad_()
            with torch.enable_grad():
                (grad,) = torch.autograd.grad(plain(x), x, v)
            change(grad)
            return grad

        return custom(plain, backward)

    def element(grad: Tensor) -> None:
        grad[grad.abs().argmax()] *= 1.1

    for seed in range(3):
        x = torch.randn(64, generator=torch.Generator().manual_seed(seed)).to(dtype)
        for f in (plain, spoiled(lambda grad: None)):
            report = vtj.check(f, x, reference=reference)
            assert report, str(report)
        for wrong in (
            lambda grad: grad.mul_(1.05),
            lambda grad: grad[:16].mul_(1.1),
            lambda grad: grad[7].neg_(),
            element,
        ):
            report = vtj.check(spoiled(wrong), x, reference=reference)
            assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)
        once = custom(plain, lambda x, v: v * plain(x[0]) / x[0])  # a term is missing
        assert vtj.check(once, x, reference=reference).verdict == "wrong"


def test_a_steep_sine_excuses_no_gradient_that_is_twice_as_large() -> None:
    """A last digit of x in bfloat16 turns its wave by more than once around."""
    f = custom(lambda x: (300 * x).sin(), lambda x, v: 600 * v * (300 * x[0]).cos())
    for seed in range(6):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(16, generator=generator, dtype=torch.float64).bfloat16()
        report = vtj.check(f, x, reference=lambda x: (300 * x).sin())
        assert report.verdict == "wrong", str(report)


@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_a_single_wrong_element_is_named(dtype: torch.dtype) -> None:
    x = torch.tensor([0.5, 1.5, -2.0], dtype=dtype)

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        grad = v * saved[0].cos()
        grad[1] *= 1.25
        return grad

    report = vtj.check(custom(torch.sin, backward), x, torch.ones_like(x), reference=torch.sin)
    assert report.culprit == "backward"
    assert report.findings[0].startswith("x.grad[1]: backward 0.088")
    assert "reference 0.0707372: the backward is wrong (" in report.findings[0]
    assert report.findings[0].endswith("1 of 3 elements)")


def test_no_name_of_a_row_decides_who_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong for a v of both signs alone is the backward's, whatever its row is called."""
    monkeypatch.setattr("vtj.oracle.beside.LINEAR", "y")
    f = custom(lambda x: x * 1, lambda x, v: v.abs())
    report = vtj.check(f, X, torch.ones(3), reference=lambda x: x)
    assert [row.result for row in report.rows if row.what == "y"] == ["agrees", "differs"]
    assert (report.verdict, report.culprit) == ("wrong", "backward")


def straight_through(x: Tensor) -> Tensor:
    """Round, with the gradient of what is not rounded."""
    return x + (x.round() - x).detach()


def reversed_gradient(x: Tensor) -> Tensor:
    """Give x on, and the opposite gradient back."""
    return custom(lambda x: x * 1, lambda x, v: -v)(x)


def spike(x: Tensor) -> Tensor:
    """Fire above 0, with the gradient of a steep sigmoid."""

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        s = (4 * saved[0]).sigmoid()
        return 4 * v * s * (1 - s)

    return custom(lambda x: (x > 0).to(x), backward)(x)


X = torch.tensor([0.25, 2.5, -2.25])


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    ("f", "given", "culprit"),
    [
        (straight_through, {"surrogate": lambda x: x}, ""),
        (straight_through, {"surrogate": lambda x: x, "reference": torch.round}, ""),
        (straight_through, {"surrogate": lambda x: 2 * x}, "backward"),
        (straight_through, {"surrogate": lambda x: x, "reference": torch.floor}, "f"),
        (straight_through, {"reference": torch.round}, "backward"),
        (reversed_gradient, {"surrogate": lambda x: -x}, ""),
        (reversed_gradient, {"surrogate": lambda x: -x, "reference": lambda x: x}, ""),
        (reversed_gradient, {"reference": lambda x: x}, "backward"),
        (spike, {"surrogate": lambda x: (4 * x).sigmoid()}, ""),
        (spike, {"surrogate": lambda x: (5 * x).sigmoid()}, "backward"),
        (lambda x: x.detach(), {"surrogate": lambda x: x}, "backward"),
    ],
    ids=lambda one: getattr(one, "__name__", None) or (" and ".join(one) if one else "right"),
)
def test_a_surrogate_that_is_meant(verify: Any, f: Any, given: Any, culprit: str) -> None:
    report = verify(f, X, **given)
    expected = ("wrong", culprit) if culprit else ("correct", None)
    assert (report.verdict, report.culprit) == expected, str(report)


def test_a_plain_function_whose_own_gradient_is_not_its_slope_is_no_witness() -> None:
    report = vtj.check(straight_through, X + 0.1, reference=straight_through)
    told = "reference: its own gradient is not its slope, as differences see it: nothing to compare"
    assert (report.verdict, report.findings) == ("undecided", (told,))


def quantize(x: Tensor, step: Tensor) -> Tensor:
    """Round to multiples of a step that is learned (LSQ), plainly, by a detached part."""
    q = (x / step).clamp(-4, 3)
    return (q + (q.round() - q).detach()) * step


def lsq(factor: float) -> Any:
    """Return the same as a custom Function, the gradient of the step off by a factor."""

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Any:
        x, step = saved
        q = x / step
        inside = ((q >= -4) & (q <= 3)).to(x)
        of_step = (q.clamp(-4, 3).round() - inside * q) * v
        return inside * v, factor * of_step.sum().reshape(step.shape)

    return custom(lambda x, step: (x / step).clamp(-4, 3).round() * step, backward)


STEPS = torch.tensor([0.4, -1.9, 0.7, 1.3, -0.25]), torch.tensor(0.3)


@pytest.mark.parametrize("verify", VERIFY)
def test_a_surrogate_of_which_a_part_is_detached_is_taken_as_it_is(verify: Any) -> None:
    for given in ({"surrogate": quantize}, {"surrogate": quantize, "reference": quantize}):
        report = verify(lsq(1), STEPS, **given)
        assert report, str(report)
        (row,) = [row for row in report.rows if row.what == "surrogate"]
        assert row.result == "note"
        assert "not its slope, as differences see it: taken as it is" in row.note
        assert verify(lsq(1.05), STEPS, **given).culprit == "backward"
    assert verify(lsq(1), STEPS, reference=quantize).verdict == "undecided"
    report = verify(straight_through, X, surrogate=lambda x: x)
    assert not [row for row in report.rows if row.what == "surrogate"]  # it is its slope
    report = verify(lsq(1.05), STEPS, surrogate=lsq(1.05))
    told = "surrogate: its own gradient is not its slope, as differences see it: nothing to compare"
    assert (report.verdict, report.findings) == ("undecided", (told,))


def test_the_double_backward_of_such_a_surrogate_is_meant_too() -> None:
    def given(x: Tensor, w: Tensor) -> Tensor:
        return x * straight_through(w) ** 2

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Any:
        x, w = saved
        return v * straight_through(w) ** 2, 2 * v * x * straight_through(w)

    f = custom(lambda x, w: x * w.round() ** 2, backward)
    report = vtj.check(f, (X, X + 1.2), surrogate=given, order=2)
    assert report, str(report)
    assert told_twice(vtj.check(f, (X, X + 1.2), surrogate=given)) == []
    once = custom(
        lambda x, w: x * w.round() ** 2,
        lambda x, v: backward((x[0].detach(), x[1].detach()), v),
    )
    assert len(told_twice(vtj.check(once, (X, X + 1.2), surrogate=given))) == 1


def test_order_2_compares_the_double_backward_too() -> None:
    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        return v * saved[0].detach().cos()

    once = custom(torch.sin, backward)
    assert vtj.check(once, X, reference=torch.sin)
    assert vtj.check(torch.sin, X, reference=torch.sin, order=2)
    assert (
        vtj.check(once, X, reference=torch.sin, order=2).findings[0].startswith("order 2: x.grad")
    )


def told_twice(report: vtj.Report) -> list[str]:
    """Return what is said of the double backward."""
    return [row.note for row in report.rows if row.what == "double backward"]


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize("dtype", [*HALF, torch.float32, torch.float64], ids=str)
def test_a_double_backward_that_is_silently_wrong_is_told(verify: Any, dtype: torch.dtype) -> None:
    def once(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return g * x[0].detach().cos()

    def without_v(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return g.detach() * x[0].cos()

    x = torch.tensor([1.5], dtype=dtype)
    for backward, due, also in (
        (once, -x.sin() * x**2, ": along"),
        (without_v, x.cos() * x, " in its part through v"),
    ):
        report = verify(custom(lambda x: x.sin(), backward), x, reference=torch.sin)
        assert report, str(report)
        (note,) = told_twice(report)
        assert note.startswith(f"silently wrong{also}")
        came, _, reference = note.partition("one direction ")[2].partition(" by double backward, ")
        assert float(came) == 0
        number, by, _ = reference.partition(" by that of the reference; ")
        assert by
        size = abs(float(number) / float(due))
        assert 0.25 <= size <= 2  # u is from 0.5 to 1 of x, and v is drawn


def differentiable(plain: Callable[..., Tensor], *, inside: bool) -> Any:
    """Return a kernel whose backward is made anew, and can be differentiated."""

    def computed(*x: Tensor) -> Tensor:
        return plain(*(part.float() for part in x) if inside else x).to(x[0])

    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Any:
        x = [part if part.requires_grad else part.requires_grad_() for part in saved]
        with torch.enable_grad():
            first, *others = torch.autograd.grad(computed(*x), x, v, create_graph=True)
        return (first, *others) if others else first

    return custom(computed, backward)


@pytest.mark.parametrize("inside", [True, False], ids=["rounded at the end", "at every step"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("name", ["attention", "softmax"])
def test_of_a_right_double_backward_nothing_is_told(
    name: str, dtype: torch.dtype, inside: bool
) -> None:
    f = differentiable(PLAIN[name][0], inside=inside)
    for seed in range(40):
        report = vtj.certify(f, drawn(name, dtype, seed), reference=PLAIN[name][0], seed=seed)
        assert report, str(report)
        assert told_twice(report) == []


def test_a_plain_function_that_says_nothing_of_a_double_backward() -> None:
    """One that is silently wrong itself, plain or not, and one that is near alone."""

    def cube(x: Tensor) -> Tensor:
        return (x**3).detach() + 3 * x.detach() ** 2 * (x - x.detach())

    right = custom(lambda x: x**3, lambda x, g: 3 * g * x[0] ** 2)
    detached = custom(lambda x: x**3, lambda x, g: 3 * g * x[0].detach() ** 2)
    for plain in (lambda x: x**3, right):
        assert len(told_twice(vtj.check(detached, X, reference=plain))) == 1
    for plain in (cube, detached):
        report = vtj.check(right, X, reference=plain)
        assert report, str(report)
        assert told_twice(report) == []
    tanh = differentiable(lambda x: functional.gelu(x, approximate="tanh"), inside=True)
    report = vtj.check(tanh, torch.linspace(-4, 4, 33), reference=functional.gelu, relative=1e-2)
    assert report, str(report)
    assert told_twice(report) == []


@pytest.mark.parametrize("verify", VERIFY)
def test_the_double_backward_of_a_surrogate_is_what_is_meant(verify: Any) -> None:
    def spike_once(x: Tensor) -> Tensor:
        def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
            s = (4 * saved[0].detach()).sigmoid()
            return 4 * v * s * (1 - s)

        return custom(lambda x: (x > 0).to(x), backward)(x)

    meant = {"surrogate": lambda x: (4 * x).sigmoid(), "reference": lambda x: (x > 0).to(x)}
    assert told_twice(verify(spike, X / 4, **meant)) == []
    (note,) = told_twice(verify(spike_once, X / 4, **meant))
    assert " by that of the surrogate; " in note


def test_two_inputs_of_which_one_is_not_used() -> None:
    report = vtj.check(lambda a, b: 2 * a, (X, X), reference=lambda a, b: 2 * a)
    assert report
    assert not vtj.check(lambda a, b: 2 * a, (X, X), reference=lambda a, b: 2 * a + 1e-3 * b)


def test_a_norm_in_half_precision_that_rounds_once_is_correct() -> None:
    def norm(x: Tensor, w: Tensor, b: Tensor, more: Tensor) -> Tensor:
        return functional.silu(functional.batch_norm(x, None, None, w, b, training=True) + more)

    def kernel(*given: Tensor) -> Tensor:
        return norm(*(part.float() for part in given)).half()

    torch.manual_seed(1)
    drawn = torch.randn(4, 3, 9), 0.5 + torch.rand(3), torch.randn(3), torch.randn(4, 3, 9)
    half = tuple(part.half() for part in drawn)
    assert vtj.check(kernel, half, reference=norm)
    assert vtj.check(lambda *x: 1.02 * kernel(*x), half, reference=norm).verdict == "wrong"


def test_an_error_that_would_not_show_is_no_correct() -> None:
    """Of 1000 ones added in bfloat16, one after the other, little is left."""
    x = torch.linspace(1, 2, 64).bfloat16()

    def cancels(x: Tensor) -> Tensor:
        return (x + 1000) - 1000

    report = vtj.check(lambda x: x * 1, x, reference=cancels)
    assert report.verdict == "undecided"
    assert "of it would not show: rounded to bfloat16" in report.findings[0]


@pytest.mark.parametrize("rows", [1, 4])
def test_a_logsumexp_of_long_rows_in_bfloat16(rows: int) -> None:
    """Its gradient takes y, which is about 9: rounded, it moves all elements of a row by 3 %."""

    def plain(x: Tensor) -> Tensor:
        return x.logsumexp(-1)

    own = set()
    for seed in range(6):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(rows, 4096, generator=generator).bfloat16()
        report = vtj.check(kernel(plain, inside=True), x, reference=plain)
        assert report, str(report)
        (row,) = [row for row in report.rows if row.what == "power"]
        assert float(row.note.rpartition("x.grad ")[2]) <= 0.05
        for grad in (0.94, 1.06):
            assert not vtj.check(kernel(plain, inside=True, grad=grad), x, reference=plain)
        report = vtj.check(plain, x, reference=plain)
        own.add(report.verdict)
        assert report or "hand in x in float32, if f computes in that" in report.findings[0]
    assert own <= {"correct", "undecided"}
    assert vtj.check(plain, x.float(), reference=plain)


def test_the_report_says_how_small_an_error_shows() -> None:
    report = vtj.check(lambda x: 3 * x, X.bfloat16(), reference=lambda x: 3 * x)
    (row,) = [row for row in report.rows if row.what == "power"]
    assert row.note.startswith("seen, if all elements are off by that part of themselves: y 0.02")
    assert [(row.what, row.family, row.result) for row in report.rows[:3]] == [
        ("y", "reference", "agrees"),
        ("x.grad", "reference", "agrees"),
        ("linear in v", "reference", "agrees"),
    ]


@pytest.mark.parametrize("verify", VERIFY)
def test_a_tolerance_that_is_stated(verify: Any) -> None:
    near = kernel(torch.sin, inside=False, grad=1 + 3e-6)
    x = X.double()
    assert verify(near, x).culprit == "backward"
    assert verify(near, x, relative=1e-5)
    assert verify(kernel(torch.sin, inside=False, grad=1 + 3e-4), x, relative=1e-5).culprit
    gelu = functional.gelu

    def tanh(x: Tensor) -> Tensor:
        return gelu(x, approximate="tanh")

    x = torch.linspace(-4, 4, 33)
    assert not verify(tanh, x, reference=gelu)
    assert verify(tanh, x, reference=gelu, relative=1e-2)


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"reference": 3}, TypeError, "reference is int; expected a function"),
        ({"surrogate": lambda x: x[:1]}, ValueError, r"returns shape \(1,\); expected that of f"),
        ({"surrogate": lambda x: (x,)}, ValueError, r"returns shape \(\(3,\),\)"),
        ({"reference": lambda x, y: x}, TypeError, "reference raised TypeError"),
        ({"relative": 0}, ValueError, "relative is 0; expected a number between 0 and 1"),
        ({"relative": 2.0}, ValueError, "relative is 2.0; expected"),
    ],
    ids=["no function", "shape", "tuple", "raises", "zero", "more than one"],
)
def test_what_is_refused(verify: Any, given: Any, error: Any, told: str) -> None:
    with pytest.raises(error, match=told):
        verify(torch.sin, X, **given)


def test_a_plain_function_and_engines_or_a_jacobian_do_not_go_together() -> None:
    for given in ({"engines": ["numeric"]}, {"jacobian": torch.eye(3)}):
        with pytest.raises(ValueError, match=f"{next(iter(given))} came beside reference"):
            vtj.check(torch.sin, X, reference=torch.sin, **given)
    with pytest.raises(ValueError, match="J came beside surrogate"):
        vtj.certify(torch.sin, X, torch.eye(3), surrogate=torch.sin)


@pytest.mark.parametrize("taken", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("verify", VERIFY)
def test_a_kernel_of_one_dtype_is_handed_that(verify: Any, taken: torch.dtype) -> None:
    def picky(x: Tensor) -> Tensor:
        if x.dtype != taken:
            raise RuntimeError(f"expected {taken}")
        return 3 * x

    assert verify(picky, X.double(), reference=lambda x: 3 * x)
    assert verify(picky, X.double()).verdict != "wrong"
    with pytest.raises(ZeroDivisionError):
        verify(lambda x: 1 / 0, X.double())


@pytest.mark.parametrize("verify", VERIFY)
def test_a_kernel_of_bfloat16_alone_takes_an_x_in_float32(verify: Any) -> None:
    def picky(x: Tensor) -> Tensor:
        if x.dtype != torch.bfloat16:
            raise RuntimeError("expected bfloat16")
        return 3 * x

    assert verify(picky, X.float(), reference=lambda x: 3 * x)


def test_nothing_of_the_caller_is_changed() -> None:
    x = X.clone().requires_grad_()
    state = torch.random.get_rng_state()
    vtj.check(torch.sin, x, reference=lambda x: x.sin() + 0 * torch.rand(3))
    assert x.grad is None
    assert torch.equal(torch.random.get_rng_state(), state)


TORCHS: dict[str, Callable[..., Tensor]] = {
    "gelu": functional.gelu,
    "gelu, tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "mish": functional.mish,
    "softmax": lambda x: x.softmax(-1),
    "log_softmax": lambda x: x.log_softmax(-1),
    "sigmoid": torch.sigmoid,
    "erfc": torch.erfc,
}


@pytest.mark.parametrize("dtype", [*HALF, torch.float32], ids=str)
@pytest.mark.parametrize("name", TORCHS)
def test_torchs_own_function_beside_itself_is_correct_far_from_zero(
    name: str, dtype: torch.dtype
) -> None:
    """Digits are lost in the tail, in float16 to numbers that it does not hold."""
    x = (8 * torch.randn(10, 100, generator=torch.Generator().manual_seed(0))).to(dtype)
    report = vtj.check(TORCHS[name], x, reference=TORCHS[name])
    assert report, str(report)


@pytest.mark.parametrize("verify", VERIFY)
def test_a_gelu_in_its_tail(verify: Any) -> None:
    x, gelu = torch.tensor([1.0, -6.0]), functional.gelu
    assert verify(gelu, x, reference=gelu)
    alone = verify(gelu, x[1:], reference=gelu)
    assert alone.verdict == "undecided"  # nothing of y is left to compare
    assert alone.findings[0].startswith("y: an error of 6 of it would not show")
    assert verify(lambda x: gelu(x) * (x > -3), x - 4, reference=gelu).verdict == "wrong"


@pytest.mark.parametrize("dtype", [*HALF, torch.float32], ids=str)
@pytest.mark.parametrize("seed", [2, 4, 9, 13])  # of the first two elements differ by a step
def test_a_gelu_of_a_product_that_is_added_up_in_another_order(
    seed: int, dtype: torch.dtype
) -> None:
    def plain(x: Tensor, w: Tensor) -> Tensor:
        return functional.gelu(x @ w)

    def kernel(x: Tensor, w: Tensor) -> Tensor:
        blocks = zip(x.float().split(4, 1), w.float().split(4), strict=True)
        return functional.gelu(sum(a @ b for a, b in blocks)).to(dtype)

    generator = torch.Generator().manual_seed(seed)
    at = tuple(torch.randn(16, 16, generator=generator).to(dtype) for _ in range(2))
    report = vtj.check(kernel, at, reference=plain)
    assert report, str(report)
    assert vtj.check(lambda *x: 1.05 * kernel(*x), at, reference=plain).verdict == "wrong"


def test_a_kernel_that_is_wrong_in_one_dtype_alone_is_wrong_beside_itself() -> None:
    def backward(saved: tuple[Tensor, ...], v: Tensor) -> Tensor:
        grad = v * saved[0].cos()
        if grad.dtype == torch.bfloat16:
            grad[3] *= 1.25
        return grad

    x = torch.linspace(-1, 1, 300).bfloat16()
    f = custom(torch.sin, backward)
    assert vtj.check(f, x)
    report = vtj.check(f, x, reference=f)
    assert report.findings[0].startswith("x.grad[3]: backward")
    assert report.verdict == "wrong"


def test_a_plain_function_that_does_not_run_in_the_dtype_of_f_is_no_measure() -> None:
    def plain(x: Tensor) -> Tensor:
        if x.dtype != torch.float64:
            raise NotImplementedError("in float64 alone")
        return functional.gelu(x)

    x = torch.tensor([1.0, -6.0])
    assert vtj.check(functional.gelu, x, reference=plain).verdict == "wrong"
    assert vtj.check(functional.gelu, x.abs(), reference=plain)
