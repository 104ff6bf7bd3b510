"""Tensors that are no plain arrays, and functions that return them: no traceback from inside."""

import traceback
from collections import namedtuple
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg
import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.masked import masked_tensor

import vtj
from tests.zoo.bug import custom

pytestmark = pytest.mark.filterwarnings(
    "ignore:The PyTorch API of MaskedTensors",
    "ignore:Sparse .* tensor support is in beta",
    "ignore:torch.quantize_per_tensor",
    "ignore:The PyTorch API of nested tensors",
)
Pair = namedtuple("Pair", ["a", "b"])
LIBRARY = Path(vtj.__file__).parent


class Tagged(torch.Tensor):
    """A tensor subclass."""


def _fake() -> Tensor:
    with FakeTensorMode():
        return torch.ones(2)


def _inference() -> Tensor:
    with torch.inference_mode():
        return torch.ones(2)


def _odd() -> dict[str, Any]:
    plain = torch.tensor([1.0, 2.0])
    parts = [torch.ones(2), torch.ones(3)]
    return {
        "float32": plain,
        "float64": plain.double(),
        "float16": plain.half(),
        "bfloat16": plain.bfloat16(),
        "float8": plain.to(torch.float8_e4m3fn),
        "complex": plain.to(torch.complex64),
        "conjugate": plain.to(torch.complex64).conj(),
        "int": torch.tensor([1, 2]),
        "bool": torch.tensor([True, False]),
        "0-d": torch.tensor(1.0),
        "empty": torch.empty(0),
        "two empty rows": torch.zeros(2, 0),
        "expanded": torch.ones(1).expand(3),
        "sparse": torch.eye(2).to_sparse(),
        "sparse, float64": torch.eye(2).double().to_sparse(),
        "sparse rows": torch.eye(2).to_sparse_csr(),
        "meta": torch.ones(2, device="meta"),
        "quantized": torch.quantize_per_tensor(plain, 0.1, 0, torch.qint8),
        "nested": torch.nested.nested_tensor(parts),
        "jagged": torch.nested.nested_tensor(parts, layout=torch.jagged),
        "mkldnn": plain.to_mkldnn(),
        "subclass": plain.as_subclass(Tagged),
        "parameter": nn.Parameter(plain.clone()),
        "inference": _inference(),
        "nan": torch.tensor([torch.nan, 1.0]),
        "inf": torch.tensor([torch.inf, 1.0]),
        "overlapping": torch.arange(4.0).as_strided((3, 2), (1, 1)),
        "channels last": torch.rand(1, 2, 2, 2).to(memory_format=torch.channels_last),
        "masked": masked_tensor(plain, plain > 1),
        "fake": _fake(),
        "leaf": plain.clone().requires_grad_(),
        "not a leaf": plain.clone().requires_grad_() * 2,
        "columns": torch.eye(2).to_sparse_csc(),
        "blocks": torch.eye(2).to_sparse_bsr((1, 1)),
        "denormal": torch.tensor([5e-324, 1.0], dtype=torch.float64),
        "named tuple": Pair(plain, plain),
        "list of tensors": [plain, plain],
        "tuple with None": (plain, None),
        "nested tuple": ((plain,), plain),
        "dict of tensors": {"x": plain},
        "generator": (part for part in parts),
        "huge and tiny": torch.tensor([1e300, 1e-300], dtype=torch.float64),
        "tuple": (plain, plain.double()),
        "array": np.ones(2),
        "dates": np.zeros(2, "M8[s]"),
        "list": [1.0, 2.0],
        "dict": {},
        "str": "ab",
        "float": 1.5,
        "None": None,
    }


FUNCTIONS: dict[str, Any] = {
    "sin": torch.sin,
    "sum": torch.sum,
    "itself": lambda *x: x,
    "first": lambda *x: x[0],
    "detached": lambda *x: x[0].detach(),
    "list": lambda *x: [x[0]],
    "dict": lambda *x: {"y": x[0]},
    "None": lambda *x: None,
    "nothing": lambda *x: (),
    "generator": lambda *x: (part for part in x),
    "array": lambda *x: x[0].detach().numpy(),
    "nan": lambda *x: x[0] * torch.nan,
    "inf": lambda *x: x[0] / 0,
    "complex": lambda *x: x[0].to(torch.complex64),
    "int": lambda *x: x[0].long(),
    "sparse": lambda *x: (x[0] ** 2).to_sparse(),
    "dense": lambda *x: x[0].to_dense() ** 2,
    "meta": lambda *x: x[0].to("meta"),
    "nested": lambda *x: torch.nested.nested_tensor([torch.ones(2)]),
    "view": lambda *x: x[0].view(-1),
    "itself, twice": lambda *x: (x[0], x[0]),
    "a named tuple": lambda *x: Pair(x[0], 2 * x[0]),
    "None among them": lambda *x: (x[0], None),
    "int among them": lambda *x: (x[0], x[0].long()),
    "detached among them": lambda *x: (2 * x[0], x[0].detach()),
    "constant among them": lambda *x: (2 * x[0], torch.ones(2)),
    "a constant": lambda *x: torch.ones(2),
    "in place": lambda *x: x[0].mul_(2),
    "without grad": torch.no_grad()(lambda *x: 2 * x[0]),
    "in inference mode": torch.inference_mode()(lambda *x: 2 * x[0]),
    "masked": lambda *x: masked_tensor(x[0], x[0] > 1),
    "float8": lambda *x: x[0].to(torch.float8_e5m2),
    "a number": lambda *x: 1.0,
    "sorted": lambda *x: x[0].sort(),
    "beyond its end": lambda *x: x[0][5],
    "cut off": lambda *x: x[0].requires_grad_(False),
    "its gradient": lambda *x: x[0].grad,
    "empty": lambda *x: torch.empty(0),
    "expanded": lambda *x: x[0].sum().expand(3),
    "overlapping": lambda *x: (2 * x[0]).as_strided((1, 2), (1, 1)),
    "of a sign": lambda *x: torch.sgn(x[0]),
    "of another size beside x": lambda *x: x[0][x[0] > 1],
    "raises": lambda *x: 1 / 0,
    "module": nn.Linear(2, 2),
    "not a function": "f",
}


class NoLeft:
    """An operator with J @ u alone."""

    shape = (2, 2)

    def __matmul__(self, u: Any) -> Any:
        return u


class Longer(NoLeft):
    """An operator whose products have another shape than its own."""

    def __matmul__(self, u: Any) -> Any:
        return np.ones(5)

    __rmatmul__ = __matmul__


def _jacobians() -> list[Any]:
    return [
        NoLeft(),
        Longer(),
        np.matrix(np.eye(2)),
        np.eye(2, dtype=int),
        np.eye(2, dtype=object),
        np.eye(2, dtype=">f8"),
        np.eye(2, dtype=np.longdouble),
        np.eye(2, dtype=np.float16),
        np.eye(2) + 0j,
        np.zeros((2, 2), "M8[s]"),
        np.full((2, 2), np.nan),
        torch.eye(2).to_sparse_csc(),
        (torch.eye(2) + 0j).to_sparse(),
        scipy.sparse.eye_array(2, dtype=complex).tocsr(),
        scipy.sparse.eye_array(2).tocsr(),
        scipy.sparse.linalg.aslinearoperator(np.eye(2)),
        [torch.ones(2), torch.ones(2)],
        (row for row in np.eye(2)),
        {1, 2},
        np.eye(2),
        torch.eye(2),
        torch.eye(2).to_sparse(),
        torch.eye(2, device="meta"),
        torch.eye(2, dtype=torch.complex64),
        [[1.0, 0.0], [0.0, 1.0]],
        lambda *x: np.eye(2),
        lambda *x: None,
        "J",
        3,
    ]


WEIGHTS = ["None", "float32", "sparse", "meta", "complex", "list", "jagged", "tuple", "nan"]
# What f may see through float64 copies; every other x is refused before f is called, or is another
# form of these, so that a few functions are enough to try it with.
VALUES = ["float32", "float16", "0-d", "empty", "two empty rows", "nan", "denormal", "tuple"]
WITH_EVERYTHING = ("sin", "itself", "dense", "view", "in place", "module", "detached among them")
MEANT = ("expected", "must have", "must begin", "complex is not supported", "use certify")
MEANT += ("Inference tensors",)  # torch's own word on mixing them with what requires grad
MEANT += ("Batching rule not implemented",)  # torch 2.15's word on an empty x, from its vmap


def _unmeant(call: Callable[[], Any]) -> str:
    """Give the place inside vtj where it failed without intent, or nothing."""
    try:
        call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        *_, last = (frame for frame in frames if Path(frame.filename).is_relative_to(LIBRARY))
        # Both call what f calls; the second in torch 2.4, which notes every dtype on the way.
        by_f = last.filename.endswith(("repeatable.py", "release.py"))
        not_symbolic = type(error).__name__ == "NotSymbolic"
        if by_f or not_symbolic or any(word in str(error) for word in MEANT):
            return ""
        return f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}"
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_backward_takes_everything(name: str) -> None:
    """An error of torch or `f` is part of the outcome; only what is no tensor is refused."""
    odd = _odd()
    for x in odd.values():
        for v in odd if name in ("dense", "itself") else ["None", "float32", "tuple"]:
            assert _unmeant(lambda x=x, v=odd[v]: vtj.backward(FUNCTIONS[name], x, v)) == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_check_and_certify_refuse_what_they_cannot_judge(name: str) -> None:
    odd, f = _odd(), FUNCTIONS[name]
    for kind in odd if name in WITH_EVERYTHING else VALUES:
        x = odd[kind]
        assert _unmeant(lambda x=x: vtj.check(f, x)) == ""
        assert _unmeant(lambda x=x: vtj.certify(f, x)) == ""
        for method in vtj.ENGINES if kind in ("float32", "tuple", "empty") else ["numeric"]:
            assert _unmeant(lambda x=x, method=method: vtj.jacobian(f, x, method)) == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["sin", "a named tuple"])
@pytest.mark.parametrize("v", WEIGHTS)
def test_every_kind_of_v(name: str, v: str) -> None:
    odd = _odd()
    for kind in VALUES:
        assert _unmeant(lambda x=odd[kind]: vtj.check(FUNCTIONS[name], x, odd[v])) == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "kind"),
    [("sin", "float32"), ("detached", "float32"), ("itself", "tuple")],
)
def test_every_kind_of_jacobian(name: str, kind: str) -> None:
    f, x = FUNCTIONS[name], _odd()[kind]
    report = vtj.check(f, x)
    for J in _jacobians():  # noqa: N806
        for call in (
            lambda J=J: vtj.check(f, x, jacobian=J),  # noqa: N803
            lambda J=J: vtj.certify(f, x, J),  # noqa: N803
            lambda J=J: vtj.compare(report, "me", jacobian=J),  # noqa: N803
        ):
            assert _unmeant(call) == ""


@pytest.mark.filterwarnings("ignore")
def test_contract_takes_or_refuses() -> None:
    odd = _odd()
    for v in odd.values():
        for J in odd.values():  # noqa: N806
            assert _unmeant(lambda v=v, J=J: vtj.contract(v, J)) == ""  # noqa: N803


def test_an_x_without_values_is_not_called_changed() -> None:
    assert not vtj.backward(lambda x: x * 2, torch.ones(2, device="meta")).x_changed


def test_grad_mode_is_as_before() -> None:
    """A wrapper subclass that fails inside torch's dispatch left grad mode off for good."""
    with pytest.raises(TypeError, match="FakeTensor"):
        vtj.check(torch.sin, _fake())
    assert torch.ones(2, requires_grad=True).sin().requires_grad


def test_the_layout_of_x_keeps_no_engine_away() -> None:
    report = vtj.check(torch.sin, _odd()["channels last"])
    assert report.verdict == "correct"
    assert [row.what for row in report.rows if row.result == "not applicable"] == []


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize(
    ("name", "verdict", "culprit"),
    [
        ("constant among them", "correct", None),
        ("without grad", "wrong", "f"),
        ("of a sign", "correct", None),
    ],
)
def test_what_is_said_of_odd_functions(
    verify: Any, name: str, verdict: str, culprit: str | None
) -> None:
    """A forward pass does not heed no_grad, so that the backward stands alone there."""
    report = verify(FUNCTIONS[name], torch.tensor([1.0, 2.0]))
    assert (report.verdict, report.culprit) == (verdict, culprit), str(report)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("order", [[1, 2], [2, 1]], ids=str)
def test_another_size_at_every_call_accuses_f(verify: Any, order: list[int]) -> None:
    """How often f is called before, and so which size is refused, depends on the release."""
    sizes = cycle(order)
    report = verify(lambda x: x[: next(sizes)], torch.tensor([1.0, 2.0]))
    assert (report.verdict, report.culprit) == ("wrong", "f"), str(report)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_sparse_gradient_is_compared(verify: Any) -> None:
    x = torch.tensor([1.0, 2.0])
    assert verify(lambda x: 3 * x.gather(0, torch.tensor([1]), sparse_grad=True), x)


def imaginary(z: Tensor) -> Tensor:
    """Give a real view whose values torch has not negated yet, which NumPy does not take."""
    return torch.view_as_complex(z).conj().imag


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_view_that_is_negated_when_it_is_read_is_compared(verify: Any) -> None:
    z = torch.tensor([[1.0, 2.0], [3.0, -4.0]], dtype=torch.float64)
    x = imaginary(z)
    assert x.is_neg()
    assert verify(imaginary, z)
    assert verify(torch.sin, x)
    assert verify(lambda x, scale: scale * x, z, kwargs={"scale": x})
    for factor, verdict in ((2, "correct"), (3, "wrong")):
        seen = custom(
            lambda x: 2 * x, lambda _, v, by=factor: imaginary(torch.stack([v, -by * v], -1))
        )
        assert verify(seen, z).verdict == verdict
    assert vtj.contract(x, np.eye(2)).tolist() == x.tolist() == [-2, 4]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_the_grad_mode_of_the_caller_changes_nothing(verify: Any, mode: Any) -> None:
    with mode():
        assert verify(torch.sin, torch.tensor([1.0, 2.0]))
        assert vtj.jacobian(torch.sin, torch.tensor([0.0])).tolist() == [[1.0]]
        assert not torch.is_grad_enabled()


@pytest.mark.parametrize("name", ["a constant", "constant among them", "in inference mode"])
def test_the_second_order_of_what_is_not_connected(name: str) -> None:
    x = torch.tensor([1.0, 2.0])
    first, second = (vtj.check(FUNCTIONS[name], x, order=order) for order in (1, 2))
    assert (second.verdict, second.culprit) == (first.verdict, first.culprit)
    assert any(row.what.startswith("order 2") for row in second.rows)


def likely(p: Tensor, label: Tensor) -> Tensor:
    return nn.functional.binary_cross_entropy(p, label)


class TwiceInside(torch.autograd.Function):
    """A logarithm that takes numbers between 0 and 1 alone, with twice its slope."""

    @staticmethod
    def forward(ctx: Any, p: Tensor) -> Tensor:
        if not ((p >= 0) & (p <= 1)).all():
            raise ValueError("p lies outside of 0 and 1")
        ctx.save_for_backward(p)
        return p.log()

    @staticmethod
    def backward(ctx: Any, *v: Any) -> Any:
        (p,) = ctx.saved_tensors
        return v[0] * 2 / p


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("p", [[0.2, 0.6], [0.3, 0.999]])
def test_a_step_into_what_f_refuses_is_no_error(verify: Any, p: list[float]) -> None:
    inside = torch.tensor(p, dtype=torch.float64)
    report = verify(likely, (inside, inside.flip(0)))
    assert report, report
    numeric = [row for row in report.rows if row.family == "numeric"]
    assert [row.result for row in numeric] == ["agrees"], report
    assert verify(TwiceInside.apply, inside).culprit == "backward"


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_labels_on_the_bound_leave_the_verdict_open(verify: Any) -> None:
    labels = torch.tensor([0.0, 1.0], dtype=torch.float64)
    report = verify(likely, (torch.tensor([0.2, 0.6]), labels))
    assert report.verdict == "undecided", report
    assert verify(lambda p: likely(p, labels), torch.tensor([0.2, 0.6]))
