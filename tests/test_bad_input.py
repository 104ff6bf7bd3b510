"""Bad input ends in a clear error or row, and nothing of the caller's is changed by it."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import vtj

X = torch.tensor([1.0, 2.0], dtype=torch.float64)
LIBRARY = Path(vtj.__file__).parent


@contextmanager
def untouched(*tensors: Tensor) -> Iterator[None]:
    """Fail when a tensor, its `.grad` or a random state is another afterwards."""
    values = [part.detach().clone() for part in tensors]
    grads = [None if part.grad is None else part.grad.clone() for part in tensors]
    states = (torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist())
    yield
    for part, value, grad in zip(tensors, values, grads, strict=True):
        assert torch.equal(part.detach(), value)
        assert (part.grad is None) == (grad is None)
        assert grad is None or torch.equal(part.grad, grad)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert random.getstate() == states[1]
    assert np.random.get_state()[1].tolist() == states[2]


def _counts() -> Callable[[Tensor], Tensor]:
    calls = 0

    def f(x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return x * calls

    return f


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: vtj.check(3, X), TypeError, "f is int; expected a function of tensors"),
    (lambda: vtj.check(torch.sin, [1.0]), TypeError, "x is list; expected a torch.Tensor"),
    (lambda: vtj.check(torch.sin, ()), ValueError, "x is an empty tuple"),
    (lambda: vtj.check(torch.sin, (X, 2)), TypeError, r"x\[1\] is int; expected a torch.Tensor"),
    (
        lambda: vtj.check(torch.sin, torch.tensor([1, 2])),
        TypeError,
        "x has dtype torch.int64; expected a floating dtype",
    ),
    (lambda: vtj.check(lambda x: 3, X), TypeError, r"y = f\(x\) is int; expected a torch.Tensor"),
    (lambda: vtj.check(lambda x: None, X), TypeError, r"y = f\(x\) is NoneType"),
    (lambda: vtj.check(lambda x: [x], X), TypeError, r"y = f\(x\) is list"),
    (lambda: vtj.check(lambda x: {"y": x}, X), TypeError, r"y = f\(x\) is dict"),
    (lambda: vtj.check(lambda x: (x, 1), X), TypeError, r"y = f\(x\)\[1\] is int"),
    (lambda: vtj.check(lambda x: x.argmax(), X), TypeError, "y has dtype torch.int64"),
    (
        lambda: vtj.check(torch.sin, X, torch.ones(3)),
        ValueError,
        r"v has shape \(3,\) and y \(2,\); v must have y's shape",
    ),
    (lambda: vtj.check(torch.sin, X, [1.0, 2.0]), TypeError, "v is list; expected a torch.Tensor"),
    (
        lambda: vtj.check(torch.sin, X, (torch.ones(2),)),
        ValueError,
        "v is a tuple of 1; expected one tensor, as y is",
    ),
    (
        lambda: vtj.check(lambda x: (x, x), X, torch.ones(2)),
        ValueError,
        "v is one tensor; expected a tuple of 2, as y is",
    ),
    (
        lambda: vtj.check(torch.sin, X, jacobian=np.zeros((2, 3))),
        ValueError,
        r"J has shape \(2, 3\); expected \(\*y.shape, \*x.shape\) = \(2, 2\)",
    ),
    (
        lambda: vtj.check(lambda a, b: a * b, (X, X), jacobian=np.zeros((2, 2))),
        ValueError,
        "J is ndarray; expected a tuple with one part per input, 2 of them",
    ),
    (
        lambda: vtj.check(lambda x: (x, x), X, jacobian=(np.zeros((2, 2)),)),
        ValueError,
        "J is 1 parts; expected a tuple with one part per output, 2 of them",
    ),
    (
        lambda: vtj.check(torch.sin, X, engines=["reverse", "backwards"]),
        ValueError,
        "engine 'backwards' is unknown; expected some of reverse, jacrev",
    ),
    (lambda: vtj.check(torch.sin, X, engines=[]), ValueError, "engines is empty"),
    (lambda: vtj.check(torch.sin, X, order=3), ValueError, "order is 3; expected 1 or 2"),
    (
        lambda: vtj.check(torch.sin, torch.zeros(200_000), engines=["reverse"]),
        MemoryError,
        "200000 x 200000 entries, 320 GB in float64; use certify",
    ),
    (
        lambda: vtj.jacobian(torch.sin, torch.zeros(200_000)),
        MemoryError,
        "200000 x 200000 entries, 320 GB in float64; use certify",
    ),
    (lambda: vtj.jacobian(torch.sin, X, "by hand"), ValueError, "method is 'by hand'; expected"),
    (lambda: vtj.jacobian(torch.sin, torch.tensor([1])), TypeError, "x has dtype torch.int64"),
    (
        lambda: vtj.certify(torch.sin, X, np.zeros((3, 2))),
        ValueError,
        r"J has shape \(3, 2\); expected",
    ),
    (
        lambda: vtj.certify(torch.sin, X, torch.eye(3).to_sparse()),
        ValueError,
        r"J has shape \(3, 3\); expected \(y.numel\(\), x.numel\(\)\) = \(2, 2\)",
    ),
    (lambda: vtj.certify(torch.sin, X, probes=0), ValueError, "probes is 0; expected at least 1"),
    (lambda: vtj.backward(None, X), TypeError, "f is NoneType; expected a function"),
    (lambda: vtj.backward(torch.sin, 1.0), TypeError, "x is float; expected a torch.Tensor"),
]


@pytest.mark.parametrize(("call", "error", "message"), ERRORS, ids=range(len(ERRORS)))
def test_bad_input(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with untouched(X), pytest.raises(error, match=message):
        call()


def test_an_error_of_f_reaches_the_caller_unchanged() -> None:
    def f(x: Tensor) -> Tensor:
        raise KeyError("mine")

    with untouched(X), pytest.raises(KeyError, match="mine"):
        vtj.check(f, X)


@pytest.mark.parametrize("entry", [torch.nan, torch.inf])
def test_values_that_are_no_numbers_are_not_decided(entry: float) -> None:
    report = vtj.check(lambda x: torch.log(x), torch.tensor([1.0, -1.0]))
    assert report.verdict == "undecided"
    assert vtj.check(torch.sin, torch.tensor([1.0, entry])).verdict == "undecided"
    assert vtj.certify(torch.sin, torch.tensor([1.0, entry])).verdict == "undecided"


def test_a_nan_in_the_hand_derived_jacobian_is_wrong_where_the_others_agree() -> None:
    J = np.diag(np.cos(X.numpy()))  # noqa: N806 - J is the term
    J[1, 1] = np.nan
    for report in (vtj.check(torch.sin, X, jacobian=J), vtj.certify(torch.sin, X, J)):
        assert (report.verdict, report.culprit) == ("wrong", "jacobian")
        assert report.findings[0].startswith("dy[1]/dx[1]: by hand nan, backward ")


def test_a_nan_in_the_hand_derived_jacobian_is_not_decided_by_one_other() -> None:
    J = np.full((2, 2), np.nan)  # noqa: N806 - J is the term
    report = vtj.check(torch.sin, X, jacobian=J, engines=["reverse"])
    assert report.verdict == "undecided"
    assert "by hand nan" in report.findings[0]


def test_what_f_keeps_is_seen_when_y_changes() -> None:
    report = vtj.check(_counts(), X)
    assert (report.verdict, report.culprit) == ("wrong", "f")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_caller_is_left_as_it_was(verify: Callable[..., vtj.Report]) -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5)).double()
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]], dtype=torch.float64)
    x.requires_grad_().grad = torch.ones_like(x)
    for parameter in net.parameters():
        parameter.grad = torch.ones_like(parameter)
    buffers = [buffer.clone() for buffer in net.buffers()]

    def f(x: Tensor) -> Tensor:
        random.random(), np.random.random(), torch.rand(1)
        return net(x)

    with untouched(x, *net.parameters()):
        assert verify(f, x).findings[0].startswith("not checked, since x does not hold them: net")
    assert all(torch.equal(a, b) for a, b in zip(net.buffers(), buffers, strict=True))


def test_v_is_left_as_it_was() -> None:
    v = torch.tensor([1.0, 10.0])
    with untouched(v):
        vtj.check(lambda x: 3 * x**2, X, v)
        vtj.backward(lambda x: 3 * x**2, X.float(), v)


def test_gradients_of_what_f_closes_over_survive_reentrant_checkpoint() -> None:
    from torch.utils.checkpoint import checkpoint

    linear = nn.Linear(2, 2).double()
    with untouched(*linear.parameters()):
        report = vtj.check(lambda x: checkpoint(linear, x, use_reentrant=True), X)
    assert [row.note for row in report.rows if row.what == "not checked"] == [
        "linear.weight (2, 2), linear.bias (2,)"
    ]


tensors = st.one_of(
    st.builds(
        lambda shape, dtype: torch.ones(shape, dtype=dtype),
        st.lists(st.integers(0, 2), max_size=2),
        st.sampled_from([torch.float64, torch.float32, torch.float16, torch.bfloat16]),
    ),
    st.sampled_from(
        [torch.tensor([1, 2]), torch.tensor(True), torch.ones(2, dtype=torch.complex128)]
    ),
)
junk = st.one_of(st.none(), st.integers(-1, 3), st.floats(), st.text(max_size=2), tensors)
anything = st.one_of(junk, st.lists(junk, max_size=2), st.tuples(junk), st.tuples(junk, junk))
functions = st.one_of(
    anything,
    st.sampled_from(
        [
            torch.sin,
            torch.sum,
            lambda *x: x,
            lambda *x: x[0].reshape(-1)[:1],
            lambda *x: x[0].detach(),
            lambda x: (x, x.sum()),
            lambda x: x.sort(),
            lambda x: x[5],
            lambda x: x.requires_grad_(False),
            lambda x: x.mul_(2),
            lambda x: x.grad,
            lambda x: torch.ones(3),
            lambda x: x * torch.nan,
            lambda x: x / 0,
            lambda x: torch.empty(0),
        ]
    ),
    anything.map(lambda value: lambda *x: value),
)


@settings(
    max_examples=150,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(functions, anything, anything, anything)
@pytest.mark.filterwarnings("ignore")
def test_no_traceback_from_inside(f: Any, x: Any, v: Any, jacobian: Any) -> None:
    """Whatever comes, the answer is a report, an error vtj means, or one `f` raised itself."""
    for call in (
        lambda: vtj.check(f, x, v, jacobian=jacobian),
        lambda: vtj.certify(f, x, jacobian),
        lambda: vtj.backward(f, x, v),
        lambda: vtj.vjp(f, x, v),
        lambda: vtj.jacobian(f, x, "numeric"),
    ):
        unexpected = _unexpected(call)
        assert unexpected is None, f"{type(unexpected).__name__}: {unexpected}"


def _unexpected(call: Callable[[], Any]) -> Exception | None:
    try:
        call()
    except Exception as error:
        return None if _meant(error) else error
    return None


def _meant(error: Exception) -> bool:
    """Say whether vtj raised this with intent, or `f` or torch did."""
    trace = error.__traceback__
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    where = trace.tb_frame.f_code.co_filename
    if not Path(where).is_relative_to(LIBRARY):
        return "/numpy/" not in where
    if where.endswith("tensors.py") and "can require gradients" in str(error):
        return True
    return any(
        word in str(error)
        for word in ("expected", "must have", "complex is not supported", "use certify")
    )
