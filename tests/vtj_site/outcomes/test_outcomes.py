"""What will backward do: every combination, its tables and its data, and what releases were asked.

The page of the outcomes shows them all, and what it shows is approved.
"""

import json
import re
from typing import Any

import pytest
import torch

from vtj_site.outcomes import since, trials
from vtj_site.outcomes.since import CORE_KINDS, QUESTIONS, answers
from vtj_site.outcomes.tables import as_json, of_shape, outcomes, release
from vtj_site.outcomes.trials import (
    GRADIENT_SHAPES,
    KINDS,
    SHAPES,
    Combination,
    Tried,
    attempt,
)
from vtj_site.records.releases import recorded

IMPLICIT = "grad can be implicitly created only for scalar outputs"
LIST = "gradients can be either Tensors or None, but got float"


@pytest.mark.parametrize(
    "frames",
    [
        "",
        "\nframe #0: somewhere + 0x1 (0x2)",
        "\nException raised from here (most recent call first):\nframe #0: somewhere",
    ],
)
def test_frames_are_cut_off_from_what_was_raised(frames: str) -> None:
    def fail() -> None:
        raise ValueError(f"what happened\nand why{frames}")

    assert attempt(fail) == Tried(raised="ValueError", text="what happened\nand why")
    assert attempt(lambda: 2) == Tried(raised="", text="2")


def test_every_combination_is_tried_and_named() -> None:
    assert len(outcomes()) == 2 * len(SHAPES) * (3 + len(GRADIENT_SHAPES) + len(KINDS)) == 204
    assert len({str(each) for each in outcomes()}) == 204
    named = Combination((), "omitted", None, False)
    assert str(named) == "y (), gradient omitted, x does not require grad"
    assert str(Combination((3,), "float32", (4,), True)) == "y (3,), gradient float32 (4,)"


@pytest.mark.parametrize(
    ("shape", "kind", "v", "grad", "said"),
    [
        ((3,), "float32", (3,), True, r"tensor\(\[ 2.,  8., 18.\]\)$"),
        ((3,), "float32", (4,), True, "RuntimeError: Mismatch in shape"),
        ((3,), "int64", (3,), True, r"tensor\(\[ 2.,  8., 18.\]\)$"),
        ((3,), "bool", (3,), True, r"tensor\(\[2., 0., 6.\]\)$"),
        ((3,), "complex64", (3,), True, "RuntimeError: For complex Tensors"),
        ((3,), "float", None, True, "TypeError: 'float' object is not iterable$"),
        ((3,), "list", (3,), True, f"TypeError: {LIST}$"),
        ((3,), "meta", (3,), True, ".*expected device cpu but got meta$"),
        ((3,), "float32", (3,), False, "RuntimeError: element 0 of tensors does not require grad"),
        ((3,), "float32", (4,), False, "RuntimeError: Mismatch"),
        ((1, 1), "omitted", None, True, r"tensor\(\[\[2.\]\]\)$"),
        ((0,), "omitted", None, True, f"RuntimeError: {IMPLICIT}$"),
    ],
)
def test_what_a_combination_leads_to(
    shape: tuple[int, ...], kind: str, v: tuple[int, ...] | None, grad: bool, said: str
) -> None:
    assert re.match(said, str(outcomes()[Combination(shape, kind, v, grad)]))


def test_the_data_have_a_schema_and_say_what_was_run() -> None:
    data: Any = as_json()
    assert json.loads(json.dumps(data)) == data
    assert list(data) == ["schema", "torch", "f", "rows", "several"]
    assert (data["schema"], data["torch"]) == (1, release())
    assert torch.__version__.startswith(release())
    assert data["f"] == "y = x**2 at x = 1, 2, 3, …; the gradient is 1, 2, 3, …"
    assert data["several"]["f"] == (
        "y1 = sum(x) has shape (), y2 = x**2 has shape (3,) and at x = [1, 2, 3]"
    )
    assert len(data["rows"]) == 204
    implicit = {"type": "RuntimeError", "message": IMPLICIT}
    for y, kind, v, grad, raised in (
        ([3], "float32", [3], "tensor([ 2.,  8., 18.])", None),
        ([2, 3], "omitted", None, None, implicit),
    ):
        given = {"y_shape": y, "gradient": {"kind": kind, "shape": v}, "requires_grad": True}
        assert {**given, "grad": grad, "error": raised} in data["rows"]
    error = {"type": "RuntimeError", "message": "got 2 tensors and 0 gradients"}
    assert {"gradients": "[]", "grad": None, "error": error} in data["several"]["rows"]


def test_the_rows_of_a_table_have_addresses_and_values() -> None:
    assert 'id="y-2-3-1" data-value="raises"' in of_shape((2, 3)).html
    assert 'id="y-scalar-1" data-value="leaves a gradient"' in of_shape(()).html


def test_a_shape_that_was_not_tried_is_refused() -> None:
    with pytest.raises(ValueError, match=r"y of shape \(5,\) was not tried; expected one of"):
        of_shape((5,))


@pytest.mark.parametrize(
    "question",
    [
        "vector gradient for a scalar y = x**2",
        "vector gradient for a scalar y = sum(x)",
        "what the node of y = x**2 received",
        "torch.Tensor([1]) for a 0-d output",
    ],
)
def test_a_gradient_that_is_summed_to_the_shape_of_y_leads_to_what_1_2_0_answered(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backward(y: Any, *gradient: Any) -> None:
        y.backward(*(v.sum().reshape(y.shape) for v in gradient))

    monkeypatch.setattr(trials, "backward", backward)
    monkeypatch.setattr(since, "backward", backward)
    (row,) = [row["outcomes"] for row in recorded() if row["torch"] == "1.2.0"]
    assert str(QUESTIONS[question]()) == row[question]


def test_the_core_of_the_combinations_is_asked() -> None:
    asked = [name for name in answers() if name not in QUESTIONS]
    assert len(asked) == 33
    assert {name.split("gradient ")[1].split(" (")[0] for name in asked} == set(CORE_KINDS)
    for y in ("()", "(1,)", "(3,)"):
        assert [n for n in asked if n.startswith(f"y {y}, gradient float32")] == [
            f"y {y}, gradient float32 {v}" for v in ("()", "(1,)", "(3,)", "(4,)")
        ]
