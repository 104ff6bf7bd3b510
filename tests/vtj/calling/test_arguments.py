"""What stands beside `x` is given on to `f`: targets, indices, masks, numbers, words."""

from collections import namedtuple
from typing import Any

import pytest
import torch
from torch.nn import functional

import vtj
from tests.zoo.bug import custom

X = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.5]])
ROWS = torch.tensor([1, 0, 1])
CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "a target": (functional.cross_entropy, (X, torch.tensor([2, 0]))),
    "indices before the weight": (functional.embedding, (ROWS, X)),
    "a mask": (torch.masked_fill, (X, X > 0, 2.0)),
    "a dimension and a flag": (torch.logsumexp, (X, 1, True)),
    "None and words": (functional.kl_div, (X, X.softmax(1), None, None, "sum")),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("name", CASES)
def test_they_are_held(verify: Any, name: str) -> None:
    f, x = CASES[name]
    assert verify(f, x)
    assert verify(f, x, reference=f)


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_a_wrong_entry_is_named_by_its_place_among_the_arguments(verify: Any) -> None:
    doubled = custom(lambda a: a * 1, lambda saved, g: 2 * g)
    report = verify(lambda rows, weight: doubled(weight)[rows], (ROWS, X))
    assert report.culprit == "backward"
    assert "dx[1][" in report.findings[0]


def test_the_second_order_and_a_jacobian_by_hand() -> None:
    x = (X[0].double(), 2)
    assert vtj.check(torch.pow, x, order=2)
    assert vtj.check(torch.pow, x, jacobian=(2 * torch.diag(x[0]),))


Pair = namedtuple("Pair", ["a", "b"])
CUBED = custom(lambda a: a**3, lambda saved, g: 2 * saved[0] ** 2 * g)
"""A cube with the factor 2 in its backward, in place of 3."""
FORMS: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "a dict": (lambda x: CUBED(x["b"]) * x["a"], {"a": X, "b": X}, {}, "x['b']"),
    "a list": (lambda x: CUBED(x[1]) * x[0], [X, X], {}, "x[1]"),
    "a list among others": (lambda x, n: CUBED(x[0]) * n, ([X], 2), {}, "x[0][0]"),
    "a named tuple": (lambda x, y: CUBED(x.b) * x.a * y, (Pair(X, X), X), {}, "x[0].b"),
    "a keyword": (lambda x, *, n, w: CUBED(w) * x**n, X, {"n": 2, "w": X}, "kwargs['w']"),
    "keywords alone": (
        lambda *, w, rows: CUBED(w)[rows],
        (),
        {"w": X, "rows": ROWS},
        "kwargs['w']",
    ),
    "a list of keywords": (lambda x, ws: x * CUBED(ws[0]), X, {"ws": [X]}, "kwargs['ws'][0]"),
}


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
@pytest.mark.parametrize("form", FORMS)
def test_an_argument_is_called_as_the_caller_wrote_it(verify: Any, form: str) -> None:
    f, x, kwargs, name = FORMS[form]
    report = verify(f, x, kwargs=kwargs)
    assert report.culprit == "backward", str(report)
    assert f"/d{name}[" in report.findings[0]


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_keywords_reach_f_and_its_reference(verify: Any) -> None:
    kwargs = {"dim": 0, "descending": True}
    assert verify(torch.sort, X, kwargs=kwargs)
    assert verify(torch.cumsum, X, kwargs={"dim": 1}, reference=torch.cumsum)
    assert verify(torch.cumsum, X, kwargs={"dim": 1}, surrogate=lambda x, dim: x.cumsum(dim))


def test_keywords_reach_a_function_too_large_for_j() -> None:
    report = vtj.check(torch.cumsum, torch.linspace(1, 2, 200), kwargs={"dim": 0})
    assert report
    assert "calls of f" in report.title


@pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
def test_what_is_handed_on_as_it_is_is_left_as_it_was(verify: Any) -> None:
    rows = ROWS.clone()
    settings = {"rows": rows, "how": print}

    def f(x: torch.Tensor, settings: dict[str, Any]) -> torch.Tensor:
        return x[settings["rows"].sub_(0)] if settings["how"] is print else x

    assert verify(f, (X, settings))
    assert settings["rows"] is rows
