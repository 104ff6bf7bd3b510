"""Tensors that are no plain arrays, and functions that return them: no traceback from inside."""

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vtj


class Tagged(torch.Tensor):
    """A tensor subclass."""


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
        "huge and tiny": torch.tensor([1e300, 1e-300], dtype=torch.float64),
        "tuple": (plain, plain.double()),
        "array": np.ones(2),
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
    "raises": lambda *x: 1 / 0,
    "module": nn.Linear(2, 2),
    "not a function": "f",
}
JACOBIANS: list[Any] = [
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
MEANT = ("expected", "must have", "must begin", "complex is not supported", "use certify")
MEANT += ("Inference tensors",)  # torch's own word on mixing them with what requires grad


def _unmeant(call: Callable[[], Any]) -> str:
    """Give the place inside vtj where it failed without intent, or nothing."""
    try:
        call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        *_, last = (frame for frame in frames if "/vtj/" in frame.filename)
        by_f = last.filename.endswith("repeatable.py")
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
        for v in odd.values():
            assert _unmeant(lambda x=x, v=v: vtj.backward(FUNCTIONS[name], x, v)) == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_check_and_certify_refuse_what_they_cannot_judge(name: str) -> None:
    odd, f = _odd(), FUNCTIONS[name]
    for x in odd.values():
        for weights in WEIGHTS:
            assert _unmeant(lambda x=x, v=odd[weights]: vtj.check(f, x, v)) == ""
        assert _unmeant(lambda x=x: vtj.certify(f, x)) == ""
        for method in vtj.ENGINES:
            assert _unmeant(lambda x=x, method=method: vtj.jacobian(f, x, method)) == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["sin", "sum", "itself", "detached", "nan"])
def test_every_kind_of_jacobian(name: str) -> None:
    odd, f = _odd(), FUNCTIONS[name]
    for x in (odd["float32"], odd["float64"], odd["tuple"]):
        for J in JACOBIANS:  # noqa: N806
            assert _unmeant(lambda x=x, J=J: vtj.check(f, x, jacobian=J)) == ""  # noqa: N803
            assert _unmeant(lambda x=x, J=J: vtj.certify(f, x, J)) == ""  # noqa: N803


@pytest.mark.filterwarnings("ignore")
def test_contract_takes_or_refuses() -> None:
    odd = _odd()
    for v in odd.values():
        for J in odd.values():  # noqa: N806
            assert _unmeant(lambda v=v, J=J: vtj.contract(v, J)) == ""  # noqa: N803


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ("sparse", r"x has layout torch.sparse_coo; expected torch.strided \(to_dense\)"),
        ("meta", "x is on device meta, without values; expected a device that holds them"),
        ("jagged", "x is a nested tensor; expected one of a single shape"),
        ("float8", "x has dtype torch.float8_e4m3fn; expected one of float64, float32"),
        ("complex", "complex is not supported"),
    ],
)
def test_the_refusal_names_what_came(x: str, message: str) -> None:
    for verify in (vtj.check, vtj.certify):
        with pytest.raises(TypeError, match=message):
            verify(torch.sin, _odd()[x])


def test_a_sparse_v_is_compared_with_itself() -> None:
    v = torch.eye(2).to_sparse()
    outcome = vtj.backward(lambda x: x * 2, torch.ones(2, 2), v)
    assert not outcome.v_changed
    assert not vtj.backward(lambda x: x * 2, torch.ones(2, device="meta")).x_changed
