"""Bad input ends in a clear error or row, and nothing of the caller's is changed by it."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vtj

X = torch.tensor([1.0, 2.0], dtype=torch.float64)


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


class Twice(torch.autograd.Function):
    """Nobody gets to call it."""


HOLDING_ONE = "expected a torch.Tensor, or a tuple, list or dict that holds one, of a floating"
check, certify, sin = vtj.check, vtj.certify, torch.sin
ERRORS: dict[type[Exception], dict[str, Callable[[], Any]]] = {
    TypeError: {
        "f is int; expected a function of tensors": lambda: check(3, X),
        "f is NoneType; expected a function": lambda: vtj.backward(None, X),
        "f is the class Linear; expected a module made of it, as Linear(...)": lambda: check(
            nn.Linear, X
        ),
        "f is the class Twice; expected its Twice.apply": lambda: certify(Twice, X),
        # made without the warning that torch gives
        "f is an instance of Twice; expected its Twice.apply": lambda: check(
            Twice.__new__(Twice), X
        ),
        "reference is an instance of Twice; expected": lambda: certify(
            sin, X, reference=Twice.__new__(Twice)
        ),
        "f is the class Twice; expected": lambda: vtj.backward(Twice, X),
        "reference is the class Twice; expected": lambda: check(sin, X, reference=Twice),
        f"x is list; {HOLDING_ONE}": lambda: check(sin, [1.0]),
        f"x is dict; {HOLDING_ONE}": lambda: certify(sin, {"a": 1.0}),
        "engines is 'reverse'; expected a list of names, as ['reverse']": lambda: check(
            sin, X, engines="reverse"
        ),
        "reference returned NoneType; expected floating tensors": lambda: check(
            sin, X, reference=lambda x: None
        ),
        "surrogate returned torch.int64; expected floating tensors": lambda: certify(
            sin, X, surrogate=lambda x: x.long()
        ),
        "engines is 3; expected a list of names, as ['reverse']": lambda: check(sin, X, engines=3),
        "J is str; expected an array of real numbers": lambda: check(sin, X, jacobian="a"),
        "J is list; expected an array of real numbers": lambda: certify(sin, X, [[1.0], [2.0, 3]]),
        "J is NoneType; expected an array of real numbers": lambda: certify(sin, X, lambda x: None),
        "J has dtype complex128; expected an array of real numbers": lambda: certify(
            sin, X, 1j * np.eye(2)
        ),
        "vᵀ·J is dict; expected an array of real numbers": lambda: vtj.compare(
            check(sin, X), "me", product={"x": X}
        ),
        "report is str; expected one of check's": lambda: vtj.compare("correct", "me", y=X),
        "the J by hand raised TypeError: diag(): argument": lambda: check(
            sin, X, jacobian=lambda x: torch.diag(x)
        ),
        "; expected a function of NumPy arrays, 2 of them": lambda: certify(
            torch.mul, (X, X), lambda a, b: torch.diag(a)
        ),
        "x is float; expected a torch.Tensor": lambda: vtj.backward(sin, 1.0),
        "x[1] is ndarray; expected a torch.Tensor": lambda: check(sin, (X, np.ones(2))),
        "kwargs['out'] is ndarray; expected a torch.Tensor": lambda: check(
            sin, X, kwargs={"out": np.ones(2)}
        ),
        "x['a'][1] has layout torch.sparse_coo; expected torch.strided": lambda: certify(
            sin, {"a": [X, torch.eye(2, dtype=torch.complex64).to_sparse()]}
        ),
        "x has dtype torch.complex64; complex is not supported": lambda: vtj.jacobian(
            sin, torch.ones(2, dtype=torch.complex64)
        ),
        "kwargs is list; expected a dict of keyword arguments": lambda: check(sin, X, kwargs=[]),
        "kwargs has the key 1; expected names of keyword arguments": lambda: check(
            sin, X, kwargs={1: 2}
        ),
        "x[0] has dtype torch.int64; expected": lambda: check(sin, (torch.tensor([1]),)),
        "x has dtype torch.int64; expected a floating": lambda: check(sin, torch.tensor([1, 2])),
        "x has dtype torch.int64; ": lambda: vtj.jacobian(sin, torch.tensor([1])),
        "y = f(x) is int; expected a torch.Tensor": lambda: check(lambda x: 3, X),
        "y = f(x) is NoneType": lambda: check(lambda x: None, X),
        f"y = f(x) is list; {HOLDING_ONE}": lambda: check(lambda x: [1.0], X),
        "y = f(x) is dict": lambda: check(lambda x: {"y": "x"}, X),
        "y = f(x)[1] is int": lambda: check(lambda x: (x.argmax(), 1), X),
        "y['b'] has layout torch.sparse_coo": lambda: check(
            lambda x: {"a": x, "b": torch.eye(2, dtype=torch.complex64).to_sparse()}, X
        ),
        "v has dtype torch.complex64 and y holds real numbers; expected a v": lambda: check(
            sin, X, torch.ones(2, dtype=torch.complex64)
        ),
        "v has dtype torch.float32 and y holds complex numbers; expected a v": lambda: check(
            lambda x: 1j * x, X, torch.ones(2)
        ),
        "y has dtype torch.int64": lambda: check(lambda x: x.argmax(), X),
        "v is list; expected a torch.Tensor": lambda: check(sin, X, [1.0, 2.0]),
        "v[1] is int; expected a torch.Tensor": lambda: check(sin, X, (X, 3)),
        "v has layout torch.sparse_coo": lambda: check(sin, X, torch.eye(2).to_sparse()),
    },
    ValueError: {
        "x is an empty tuple": lambda: check(sin, ()),
        "v has shape (3,) and y (2,); v must have y's shape": lambda: check(sin, X, torch.ones(3)),
        "v has 1 of 2 elements that are nan or infinite; expected finite numbers": lambda: check(
            sin, X, torch.tensor([1.0, torch.nan])
        ),
        "v has 2 of 2 elements that are nan or infinite": lambda: check(
            lambda x: (x, 1j * x), X, (X, torch.tensor([torch.inf, 1j * torch.nan]))
        ),
        "v is a tuple of 1; expected one tensor, as y is": lambda: check(sin, X, (X,)),
        "weight has no values yet; call the module once": lambda: check(nn.LazyLinear(2), X),
        "v is one tensor; expected a tuple of 2, as y is": lambda: check(lambda x: (x, x), X, X),
        "J has shape (2, 3); expected (*y.shape, *x.shape) = (2, 2)": lambda: check(
            sin, X, jacobian=np.zeros((2, 3))
        ),
        "J is ndarray; expected a tuple with one part per input, 2 of them": lambda: check(
            lambda a, b: a * b, (X, X), jacobian=np.eye(2)
        ),
        "J is 1 parts; expected a tuple with one part per output, 2 of them": lambda: check(
            lambda x: (x, x), X, jacobian=(np.eye(2),)
        ),
        "J has shape (3, 2); expected": lambda: certify(sin, X, np.zeros((3, 2))),
        "J has shape (3, 3); expected (y.numel(), x.numel()) = (2, 2)": lambda: certify(
            sin, X, torch.eye(3).to_sparse()
        ),
        "engine 'backwards' is unknown; expected some of reverse, jacrev": lambda: check(
            sin, X, engines=["reverse", "backwards"]
        ),
        "engines is empty; expected some of reverse, jacrev, ": lambda: check(sin, X, engines=[]),
        "method is 'by hand'; expected": lambda: vtj.jacobian(sin, X, "by hand"),
        "order is 3; expected 1 or 2": lambda: check(sin, X, order=3),
        "seed is None; expected an int from 0 to 2**32 - 1": lambda: check(sin, X, seed=None),
        "seed is -1; expected an int": lambda: certify(sin, X, seed=-1),
        "seed is True; expected an int": lambda: check(sin, X, seed=True),
        "probes is 0; expected an int from 1 on": lambda: certify(sin, X, probes=0),
        "probes is -1; expected an int from 1 on": lambda: certify(sin, X, probes=-1),
        "probes is '2'; expected an int from 1 on": lambda: certify(sin, X, probes="2"),
        "probes is 1.5; expected an int from 1 on": lambda: certify(sin, X, probes=1.5),
        "probes is True; expected an int from 1 on": lambda: certify(sin, X, probes=True),
        "relative is '1e-3'; expected a number between 0 and 1": lambda: check(
            sin, X, relative="1e-3"
        ),
        "seconds is '1'; expected a number above 0, or None": lambda: certify(sin, X, seconds="1"),
        "y is Tensor; expected a tuple of 1": lambda: vtj.compare(
            check(lambda x: (x,), X), "me", y=X
        ),
        "x.grad is float; expected a tuple of 2": lambda: vtj.compare(
            check(torch.mul, (X, X)), "me", grad=1.0
        ),
    },
    MemoryError: {
        "200000 x 200000 entries, 320 GB in float64; use certify": lambda: check(
            sin, torch.zeros(200_000), engines=["reverse"]
        ),
        "; use certify": lambda: vtj.jacobian(sin, torch.zeros(200_000)),
    },
}


@pytest.mark.parametrize(
    ("error", "message"), [(error, said) for error, calls in ERRORS.items() for said in calls]
)
def test_bad_input(error: type[Exception], message: str) -> None:
    with untouched(X), pytest.raises(error, match=re.escape(message)):
        ERRORS[error][message]()


def test_an_error_of_f_reaches_the_caller_unchanged() -> None:
    def f(x: Tensor) -> Tensor:
        raise KeyError("mine")

    with untouched(X), pytest.raises(KeyError, match="mine"):
        vtj.check(f, X)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_list_for_several_arguments(verify: Any) -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument") as raised:
        verify(lambda a, b: a * b, [X, X])
    assert raised.value.__notes__ == [
        "x is a list, which f gets as one argument; for several, hand in a tuple."
    ]
    assert verify(lambda parts: parts[0] * parts[1], [X, X])


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (torch.log, [1.0, -1.0]),
        (torch.sin, [1.0, torch.nan]),
        (torch.sin, [1.0, torch.inf]),
        (lambda x: x**3, [1e200, 1.0]),
    ],
    ids=["nan from f", "nan", "inf", "overflow"],
)
def test_values_that_are_no_numbers_are_not_decided(f: Any, x: list[float]) -> None:
    for verify in (vtj.check, vtj.certify):
        assert verify(f, torch.tensor(x, dtype=torch.float64)).verdict == "undecided"


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
