"""The verdict in a constant number of passes: what it takes and finds, how little it misses."""

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom, matrix, vector

X = torch.linspace(0.5, 2, 1000, dtype=torch.float64)


def f(x: Tensor) -> Tensor:
    """Elementwise, so that J is diagonal."""
    return torch.sin(x) * x


def diagonal(x: Tensor = X) -> Any:
    """Give the diagonal of J, by hand."""
    a = x.numpy()
    return np.cos(a) * a + np.sin(a)


class Diagonal:
    """An operator with nothing but what `certify` asks for."""

    def __init__(self, entries: Any) -> None:
        self.entries, self.shape = entries, (len(entries), len(entries))

    def __matmul__(self, u: Any) -> Any:
        return self.entries * u

    def __rmatmul__(self, v: Any) -> Any:
        return v * self.entries


KINDS: dict[str, Any] = {
    "array": np.diag,
    "tensor": lambda d: torch.diag(torch.from_numpy(d)),
    "function": lambda d: lambda x: np.diag(d),
    "sparse array": lambda d: scipy.sparse.diags_array(d).tocsr(),
    "sparse tensor": lambda d: torch.diag(torch.from_numpy(d)).to_sparse(),
    "linear operator": lambda d: scipy.sparse.linalg.aslinearoperator(scipy.sparse.diags_array(d)),
    "operator": Diagonal,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_jacobian_and_a_wrong_entry_of_it_is_located(kind: str) -> None:
    report = vtj.certify(f, X, KINDS[kind](diagonal()))
    assert report.verdict == "correct", str(report)
    wrong = diagonal()
    wrong[123] *= 1.001
    report = vtj.certify(f, X, KINDS[kind](wrong))
    assert (report.verdict, report.culprit) == ("wrong", "jacobian"), str(report)
    assert report.findings[0].startswith("dy[123]/dx[123]: by hand ")
    assert "the hand-derived J is wrong" in report.findings[0]


def test_a_relative_error_of_1e_8_in_one_entry_of_a_million_is_found() -> None:
    generator = np.random.default_rng(0)
    found = 0
    for seed in range(30):
        wrong, at = diagonal(), int(generator.integers(1000))
        wrong[at] *= 1 + 1e-8
        report = vtj.certify(f, X, Diagonal(wrong), seed=seed)
        found += report.culprit == "jacobian" and f"dy[{at}]/dx[{at}]" in report.findings[0]
    assert found >= 29


def saw(x: Tensor) -> Tensor:
    """A square with teeth so small that no difference sees past them."""
    return x**2 + 1e-3 * torch.frac(1e15 * torch.sin(x))


def test_a_forward_pass_decides_where_differences_are_too_rough() -> None:
    right = custom(saw, lambda x, g: 2 * x[0] * g, lambda x, u: 2 * x[0] * u)
    wrong = custom(saw, lambda x, g: 3 * x[0] * g, lambda x, u: 2 * x[0] * u)
    report = vtj.certify(right, X[:3])
    assert report.verdict == "correct", str(report)
    assert any("forward" in row.what for row in report.rows)
    assert (
        vtj.certify(wrong, X[:3])
        .findings[0]
        .endswith("nobody to decide between them; compare it with a plain function (reference=)")
    )


def rows(report: vtj.Report) -> list[tuple[str, str, str]]:
    """Give what was compared, with whom, and what came of it."""
    return [(row.what, row.family, row.result) for row in report.rows]


HELD = [(what, "", "holds") for what in ("v unchanged", "y repeatable", "x unchanged")]
POWER = ("power", "", "note")


def test_the_report_with_a_jacobian_and_without() -> None:
    report = vtj.certify(f, X[:5], np.diag(diagonal(X[:5])), probes=1)
    assert re.fullmatch(r"J \(5, 5\) in float64, 1 probes, \d+ calls of f", report.title)
    assert rows(report) == [
        ("J·u by hand = differences", "numeric", "agrees"),
        ("x.grad = vᵀ·J by hand", "backward", "agrees"),
        *HELD,
        POWER,
    ]
    report = vtj.certify(f, X[:5], probes=3)
    assert re.fullmatch(r"J \(5, 5\) in float64, 3 probes, \d+ calls of f", report.title)
    number = "⟨x.grad, u⟩ = ⟨v, J·u⟩ by differences"
    assert rows(report) == [(number, "numeric", "agrees"), *HELD, POWER]
    assert 0 < report.rows[0].error < 1


@pytest.mark.parametrize("given", [None, np.diag(diagonal())])
def test_the_seed_fixes_the_report(given: Any) -> None:
    first, again, other = (vtj.certify(f, X, given, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("g", "x", "finding"),
    [
        (lambda x: x**3, [1e200, 1.0], "y[0] is inf: there is no derivative"),
        (
            lambda x: torch.where(x > 0, x.sqrt(), 0),
            [1, 0, 0],
            "x.grad[1] is nan: nothing to compare",
        ),
        (
            lambda x: torch.stack([x[0], x[1] + torch.sin(1e15 * x.detach()[1])]),
            [0.5, 0.6],
            "y[1]: the differences are too rough to tell: a detached path would not show",
        ),
    ],
    ids=[
        "overflow",
        "a root's slope at 0, in what is not taken",
        "a wave autograd passes by",
    ],
)
def test_what_cannot_be_compared_is_undecided(g: Any, x: list[float], finding: str) -> None:
    report = vtj.certify(g, torch.tensor(x, dtype=torch.float64))
    assert (report.verdict, report.findings) == ("undecided", (finding,))


def test_a_gradient_that_is_no_number_for_some_v() -> None:
    def backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return torch.where(g < 0, torch.nan, 2 * x[0] * g)

    told = [vtj.certify(custom(lambda x: x**2, backward), X[:1], seed=s) for s in range(16)]
    assert {one.findings for one in told} == {(), ("x.grad[0] is nan: nothing to compare",)}
    assert max(_calls(one) for one in told) < 10


@pytest.mark.parametrize(
    ("g", "x", "J"),
    [
        (torch.sum, torch.empty(0), None),
        (torch.square, torch.empty(2, 0), None),
        (lambda x: x[:0], torch.ones(2), None),
        (lambda x: x[:0], torch.ones(2), np.zeros((0, 2))),
    ],
    ids=["no x", "neither", "no y", "no y, by hand"],
)
def test_a_j_without_entries_is_not_found(g: Any, x: Tensor, J: Any) -> None:  # noqa: N803
    empty, remedy = ("y", "of which y has some") if x.numel() else ("x", "with elements")
    told = f"J has no entries, as {empty} has no elements: nothing was compared"
    for report in (vtj.certify(g, x, J), vtj.check(g, x, jacobian=J)):
        assert report.verdict == "undecided"
        assert report.findings == (f"{told}; hand in an x {remedy}",)
        assert "found in" not in str(report)
    assert vtj.check(g, x, reference=g).findings == report.findings


def test_a_backward_that_raises_for_an_empty_x_is_wrong() -> None:
    def backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        return g * x[0].amax()

    f = custom(lambda x: x * 2, backward)
    for verify in (vtj.check, vtj.certify):
        assert verify(f, torch.empty(0)).findings[0].startswith("x.grad: backward raises")


def test_a_constant() -> None:
    report = vtj.certify(lambda x: torch.ones(2), X[:3])
    assert (report.verdict, report.rows[0].error) == ("correct", 0)


@pytest.mark.parametrize(
    ("g", "x", "J"),
    [
        (
            lambda x: torch.nn.functional.layer_norm(1 / x, (2,)).sum(),
            torch.tensor([-2e-3, 3.0]).double(),
            None,
        ),
        (lambda x: x.softmax(0).sum(), X, None),
        (lambda x: x.softmax(0).sum(), X, np.zeros((1, 1000))),
    ],
    ids=["layer norm", "softmax", "softmax, by hand"],
)
def test_a_gradient_of_rounding_alone_is_no_mistake(g: Any, x: Tensor, J: Any) -> None:  # noqa: N803
    """Sums that cancel: J·1 is zero but for rounding, and x.grad is rounding alone."""
    assert vtj.certify(g, x, J)


def test_sums_that_cancel_take_no_further_passes() -> None:
    """They are compared by their terms; of 400 columns some cancel for most v."""
    weights = matrix(4000, 400)
    for seed in range(4):
        report = vtj.certify(
            lambda x: (weights.flip(0) @ x).flip(0), vector(400), weights.numpy(), seed=seed
        )
        assert report
        assert _calls(report) < 25


def test_a_fast_wave_is_not_taken_for_noise() -> None:
    def wave(x: Tensor) -> Tensor:
        return x**2 + 1e-3 * torch.sin(1e9 * x)

    assert vtj.certify(wave, X[:3])
    assert vtj.check(wave, X[:3])


def test_a_backward_that_refuses_one_hot_v() -> None:
    def picky(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
        if g.count_nonzero() == 1:
            raise RuntimeError("not this one")
        return 2 * x[0] * g

    wrong = np.diag(2 * X[:4].numpy())
    wrong[2, 2] += 1
    report = vtj.certify(custom(lambda x: x**2, picky), X[:4], wrong)
    assert report.culprit == "jacobian"
    assert report.findings[0].startswith("dy[2]/dx[2]: by hand 2.006")


def test_tuples_in_and_out() -> None:
    x = (vector(3), vector(2))

    def g(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return a.sum() * b, a**2

    a, b = (part.numpy() for part in x)
    J = (  # noqa: N806
        (np.outer(b, np.ones(3)), a.sum() * np.eye(2)),
        (2 * np.diag(a), np.zeros((3, 2))),
    )
    assert vtj.certify(g, x, J)
    assert vtj.certify(g, x)
    J[1][1][2, 1] = 5
    assert vtj.certify(g, x, J).findings[0].startswith("dy[1][2]/dx[1][1]: by hand 5, backward 0")


def _calls(report: vtj.Report) -> int:
    match = re.search(r"(\d+) calls of f", report.title)
    assert match
    return int(match[1])


def test_the_number_of_calls_does_not_grow() -> None:
    counts = [_calls(vtj.certify(f, torch.linspace(0.5, 2, n).double())) for n in (10, 100_000)]
    assert counts[0] == counts[1] < 25


def test_backward_that_raises() -> None:
    report = vtj.certify(custom(lambda x: x**2, lambda x, g: g.sum()), X)
    assert report.culprit == "backward"
    assert len(report.findings) == 1
    assert report.findings[0].startswith("x.grad: backward raises RuntimeError: ")
    assert rows(report) == [("x.grad", "backward", "fails"), *HELD]
    assert _calls(report) < 10


def test_rough_differences_alone_do_not_decide() -> None:
    """A function that is only exact to a few digits, without a forward derivative."""
    rough = custom(saw, lambda x, g: 2 * x[0] * g)
    report = vtj.certify(rough, X[:3])
    assert report.verdict == "undecided", str(report)
    assert "the differences are too rough to tell" in report.findings[0]
    assert report.findings[0].endswith("; compare it with a plain function (reference=)")
    assert vtj.check(rough, X[:3]).verdict == "undecided"


SMALL = 1e-3 * X[:8]


def _powers(report: vtj.Report) -> dict[str, float]:
    """Give how small an error is seen, by what was compared."""
    start = "a single entry that is off by more than this is seen: "
    assert report.rows[-1].note.startswith(start)
    told = report.rows[-1].note.removeprefix(start).split("), ")
    return {what.rstrip(")"): float(size) for size, what in (one.split(" (") for one in told)}


def test_the_power_of_each_comparison() -> None:
    """However small x is."""
    d = diagonal(SMALL)
    powers = _powers(vtj.certify(f, SMALL, np.diag(d)))
    assert list(powers) == ["J·u by hand = differences", "x.grad = vᵀ·J by hand"]
    for seed in range(5):
        for what, power in powers.items():
            wrong = np.diag(d)
            wrong[seed, seed + 1] += 10 * power
            report = vtj.certify(f, SMALL, wrong, seed=seed)
            assert next(row.result for row in report.rows if row.what == what) == "differs"
        wrong[seed, seed + 1] = min(powers.values()) / 1e3
        assert vtj.certify(f, SMALL, wrong, seed=seed)


def test_the_power_without_a_jacobian() -> None:
    ((what, power),) = _powers(vtj.certify(f, SMALL)).items()
    assert what == "⟨x.grad, u⟩ = ⟨v, J·u⟩ by differences"

    def off_by(error: float) -> Any:
        def backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
            grad = g * (torch.cos(x[0]) * x[0] + torch.sin(x[0]))
            grad[2] += error * g[5]
            return grad

        return custom(f, backward)

    for seed in range(5):
        assert vtj.certify(off_by(10 * power), SMALL, seed=seed).culprit == "backward"
        assert vtj.certify(off_by(power / 1e3), SMALL, seed=seed)


@pytest.mark.parametrize("probes", [1, 2, 3])
def test_an_f_that_changes_is_seen_with_any_number_of_probes(probes: int) -> None:
    calls: list[Tensor] = []

    def restless(x: Tensor) -> Tensor:
        calls.append(x)
        return x**2 + len(calls)

    report = vtj.certify(restless, X, probes=probes)
    assert "y[0]: f gives another value at every call" in report.findings
    assert report.culprit == "f"


def test_differences_too_rough_only_at_a_second_look_call_for_a_forward_pass() -> None:
    """A step of float32 at a million is a sixteenth: what differences see is mostly rounding."""
    x = torch.tensor([0.5, 2.0], dtype=torch.float64)
    report = vtj.certify(lambda x: (x.float() + 1e6).double(), x)
    assert (report.verdict, report.findings) == ("correct", ())
    assert rows(report)[:2] == [
        ("J·u forward = differences", "numeric", "agrees"),
        ("⟨x.grad, u⟩ = ⟨v, J·u⟩ forward", "forward", "agrees"),
    ]


OFF = custom(torch.clone, lambda x, g: 1.001 * g)
"""The identity, with a backward that is off by a thousandth."""


class Around(torch.nn.Module):
    """A module whose gradient is a thousandth off: that of its input, or all of it."""

    def __init__(self, inner: torch.nn.Module, of_input: bool) -> None:
        super().__init__()
        self.inner, self.of_input = inner, of_input

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(OFF(x)) if self.of_input else OFF(self.inner(x))


@pytest.mark.parametrize("seed", range(10))
def test_a_float32_module_is_judged_in_float64_or_not_at_all(seed: int) -> None:
    """A function that only calls it keeps it in float32, where its power is a multiple of J."""
    torch.manual_seed(seed)
    layer, x = torch.nn.TransformerEncoderLayer(16, 2, 32).eval(), torch.randn(2, 5, 16)
    assert vtj.certify(layer, x)
    report = vtj.certify(Around(layer, of_input=False), x)
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)
    layer.requires_grad_(False)
    report = vtj.certify(Around(layer, of_input=True), x)
    assert (report.verdict, report.culprit) == ("wrong", "backward"), str(report)
    for f in (lambda x: layer(x), lambda x: layer(OFF(x))):
        report = vtj.certify(f, x)
        assert report.verdict == "undecided"
        told, _, cure = report.findings[0].partition("f works in float32; ")
        assert "in an entry of J would not show, and no element of x.grad is larger than" in told
        other = "compare it with a plain function (reference=)"
        assert cure == f"try float64 (of a module: hand in itself, or f.double()), or {other}"
    assert vtj.certify(layer, x)


def test_where_float64_was_handed_in_and_refused_its_error_is_told() -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32).eval().requires_grad_(False)
    report = vtj.certify(lambda x: layer(x), torch.randn(2, 5, 16, dtype=torch.float64))
    assert report.verdict == "undecided"
    told = report.findings[0].partition("f works in float32, and raises in float64 ")[2]
    assert told.startswith("RuntimeError: mat1 and mat2 must have the same dtype")
    assert told.endswith("; compare it with a plain function (reference=)")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("with_jvp", [False, True])
@pytest.mark.parametrize(
    ("part", "verdict"), [(0, "correct"), (1e-6, "correct"), (9e-4, "correct"), (1.2e-3, "wrong")]
)
def test_a_stated_tolerance_is_that_of_each_entry(
    verify: Any, with_jvp: bool, part: float, verdict: str
) -> None:
    """In the sum along a direction errors of both signs cancel; each entry tells."""

    def cosine(x: tuple[Tensor], by: Tensor) -> Tensor:
        return by * x[0].cos() * (1 + part)

    sine = custom(torch.sin, cosine, cosine if with_jvp else None)
    report = verify(sine, vector(5), relative=1e-3)
    assert report.verdict == verdict, str(report)


def test_where_entries_are_too_many_a_stated_tolerance_may_stay_open() -> None:
    near = custom(torch.sin, lambda x, g: 1.0009 * g * x[0].cos())
    report = vtj.certify(near, X, relative=1e-3)
    assert report.verdict == "undecided"
    far = custom(torch.sin, lambda x, g: 1.0012 * g * x[0].cos())
    assert vtj.certify(far, X, relative=1e-3).culprit == "backward"
    assert vtj.certify(torch.sin, X, relative=1e-3)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("n", [1, 4])
def test_a_jvp_that_is_right_along_positive_tangents_alone_is_wrong(verify: Any, n: int) -> None:
    f = custom(torch.sin, lambda x, g: g * x[0].cos(), lambda x, u: u[0].abs() * x[0].cos())
    assert verify(f, torch.linspace(0.5, 1, n, dtype=torch.float64)).culprit == "forward"
