"""What `f` returns: floating tensors in lists, dicts and tuples are compared, and the rest told."""

import re
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import vtj
from tests.zoo.bug import custom

X = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.5]])
Pair = namedtuple("Pair", ["a", "b"])
DOUBLED = custom(lambda a: a * 1, lambda saved, g: 2 * g)
"""The identity, with a backward that is off by a factor of two."""
FORMS: dict[str, tuple[Any, str]] = {
    "a list": (lambda x: [x, DOUBLED(x)], "y[1]"),
    "a dict": (lambda x: {"right": x, "wrong": DOUBLED(x)}, "y['wrong']"),
    "a tuple in a tuple": (lambda x: (x, (x, DOUBLED(x))), "y[1][1]"),
    "a named tuple in a list": (lambda x: [Pair(x, DOUBLED(x))], "y[0].b"),
    "integers first": (lambda x: (x.argmax(), DOUBLED(x)), "y[1]"),
    "a number first": (lambda x: (3.0, None, DOUBLED(x)), "y[2]"),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_output_is_called_by_its_place(verify: Any, form: str) -> None:
    f, name = FORMS[form]
    report = verify(f, X)
    assert report.culprit == "backward", str(report)
    assert report.findings[0].startswith(f"d{name}[")


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_outputs_that_may_have_no_gradient_are_told(verify: Any) -> None:
    report = verify(lambda x: {"best": x.max(dim=1), "hits": (x > 0).sum()}, X)
    assert report, str(report)
    (told,) = (row.note for row in report.rows if row.what == "not compared")
    assert told == "y['best'][1] (torch.int64), y['hits'] (torch.int64): not of a floating dtype"


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_recurrent_network_is_one_call(verify: Any) -> None:
    torch.manual_seed(0)
    report = verify(nn.GRU(2, 1), torch.randn(2, 2))
    assert report, str(report)


def test_v_has_the_form_of_y() -> None:
    def f(x: Tensor) -> dict[str, Any]:
        return {"a": x.sum(), "b": [x[0], x.argmax()]}

    v = {"a": torch.tensor(2.0), "b": [torch.ones(3), None]}
    assert vtj.check(f, X, v)
    assert vtj.check(f, X, (torch.tensor(2.0), torch.ones(3)))
    with pytest.raises(ValueError, match="v is a tuple of 1; expected a tuple of 2, as y is"):
        vtj.check(f, X, (torch.ones(3),))


class OfKeys(OrderedDict[str, Any]):
    """A dict, of which torch's trees know the exact class alone."""


HOLDERS: dict[str, Callable[[], type]] = {
    "a dataclass": lambda: make_dataclass("Output", ["logits", "hits"]),
    "a dict": lambda: type("Output", (OfKeys,), {}),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("of", HOLDERS)
@pytest.mark.parametrize("inside", [False, True], ids=["y itself", "in a list"])
def test_a_class_that_is_not_registered_is_told_how_to_be(
    verify: Any, of: str, inside: bool
) -> None:
    Output = HOLDERS[of]()  # noqa: N806 - a class

    def f(x: Tensor) -> Any:
        y = Output(logits=DOUBLED(x), hits=x.argmax())
        return [y] if inside else y

    where = "y = f(x)[0]" if inside else "y = f(x)"
    told = f"{where} is Output (logits, hits), of a class that torch.utils._pytree does not know; "
    with pytest.raises(TypeError, match=re.escape(told)) as raised:
        verify(f, X)
    exec(str(raised.value).partition("register it: ")[2])
    assert verify(f, X).culprit == "backward"


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("of", HOLDERS)
@pytest.mark.parametrize("form", [None, tuple, list], ids=["itself", "in a tuple", "in a list"])
def test_so_it_is_told_of_x(verify: Any, of: str, form: Any) -> None:
    Batch = HOLDERS[of]()  # noqa: N806 - a class
    batch = Batch(logits=X, hits=3)
    x = form([batch]) if form else batch

    def f(x: Any) -> Tensor:
        batch = x[0] if form is list else x
        y: Tensor = DOUBLED(batch["logits"] if isinstance(batch, dict) else batch.logits)
        return y

    where = "x[0]" if form else "x"
    told = f"{where} is Output (logits, hits), of a class that torch.utils._pytree does not know; "
    with pytest.raises(TypeError, match=re.escape(told)) as raised:
        verify(f, x)
    exec(str(raised.value).partition("register it: ")[2], {"torch": torch, "Output": Batch})
    assert verify(f, x).culprit == "backward"


def test_one_without_tensors_is_refused_as_any_other() -> None:
    with pytest.raises(TypeError, match=r"x is Output; expected a torch\.Tensor, or "):
        vtj.check(torch.sin, HOLDERS["a dict"]()(logits=3.0))
