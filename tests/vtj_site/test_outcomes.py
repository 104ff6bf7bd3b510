"""What will backward do: every combination, its tables and its data."""

import json
import re
from html import unescape
from typing import Any

import pytest
import torch

from vtj_site.outcomes import Outcomes, SeveralOutcomes, as_json, outcomes, release
from vtj_site.trials import GRADIENT_SHAPES, KINDS, SHAPES, Trial, gradient, several


@pytest.fixture
def data() -> Any:
    return as_json()


def outcome(shape: tuple[int, ...], kind: str, v: tuple[int, ...] | None, grad: bool = True) -> str:
    return str(outcomes()[Trial(shape, kind, v, grad)])


def test_every_combination_is_tried() -> None:
    assert len(SHAPES) == 6
    assert len(outcomes()) == 2 * len(SHAPES) * (3 + len(GRADIENT_SHAPES) + len(KINDS)) == 204
    assert len(several()) == 11


def test_the_shape_must_match() -> None:
    assert outcome((3,), "float32", (3,)) == "tensor([ 2.,  8., 18.])"
    for y_shape in SHAPES:
        for shape in GRADIENT_SHAPES:
            said = outcome(y_shape, "float32", shape)
            assert said.startswith("RuntimeError: Mismatch in shape") == (shape != y_shape)


def test_it_may_be_omitted_for_one_element() -> None:
    omitted = {shape: outcome(shape, "omitted", None) for shape in SHAPES}
    assert omitted[()] == "tensor(2.)"
    assert omitted[1,] == "tensor([2.])"
    assert omitted[1, 1] == "tensor([[2.]])"
    for shape in ((3,), (2, 3), (0,)):
        message = "RuntimeError: grad can be implicitly created only for scalar outputs"
        assert omitted[shape] == message


def test_real_dtypes_are_cast_and_others_refused() -> None:
    assert (
        outcome((3,), "int64", (3,))
        == outcome((3,), "float64", (3,))
        == ("tensor([ 2.,  8., 18.])")
    )
    assert outcome((3,), "bool", (3,)) == "tensor([2., 0., 6.])"
    assert outcome((3,), "complex64", (3,)).startswith("RuntimeError: For complex Tensors")
    assert outcome((3,), "float", None) == "TypeError: 'float' object is not iterable"
    assert outcome((3,), "meta", (3,)).endswith("expected device cpu but got meta")


def test_without_a_graph() -> None:
    message = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    assert outcome((3,), "float32", (3,), grad=False) == message
    assert outcome((3,), "float32", (4,), grad=False).startswith("RuntimeError: Mismatch")


def test_a_list_is_a_list() -> None:
    assert gradient("list", (3,)) == [1.0, 2.0, 3.0]
    assert gradient("float", ()) == 1.0


def test_the_schema_of_the_data_is_stable(data: Any) -> None:
    assert list(data) == ["schema", "torch", "f", "rows", "several"]
    assert data["schema"] == 1
    assert len(data["rows"]) == 204
    for row in data["rows"]:
        assert list(row) == ["y_shape", "gradient", "requires_grad", "grad", "error"]
        assert list(row["gradient"]) == ["kind", "shape"]
        assert isinstance(row["requires_grad"], bool)
        assert_result(row)
    assert list(data["several"]) == ["f", "rows"]
    for row in data["several"]["rows"]:
        assert list(row) == ["gradients", "grad", "error"]
        assert_result(row)
    assert json.loads(json.dumps(data)) == data


def test_the_data_say_what_was_run(data: Any) -> None:
    assert data["torch"] == release()
    assert torch.__version__.startswith(data["torch"])
    assert data["f"] == "y = x**2 at x = 1, 2, 3, …; the gradient is 1, 2, 3, …"
    assert data["several"]["f"] == (
        "y1 = sum(x) has shape (), y2 = x**2 has shape (3,) and at x = [1, 2, 3]"
    )


def assert_result(row: dict[str, Any]) -> None:
    assert (row["grad"] is None) != (row["error"] is None)
    if row["error"] is not None:
        assert list(row["error"]) == ["type", "message"]


IMPLICIT = "grad can be implicitly created only for scalar outputs"
LIST = "gradients can be either Tensors or None, but got float"


@pytest.mark.parametrize(
    ("y_shape", "kind", "shape", "grad", "error"),
    [
        ([2, 3], "omitted", None, None, {"type": "RuntimeError", "message": IMPLICIT}),
        ([3], "float32", [3], "tensor([ 2.,  8., 18.])", None),
        ([], "list", [1], None, {"type": "TypeError", "message": LIST}),
    ],
)
def test_a_row_of_the_data(
    data: Any,
    y_shape: list[int],
    kind: str,
    shape: list[int] | None,
    grad: str | None,
    error: dict[str, str] | None,
) -> None:
    (row,) = [
        row
        for row in data["rows"]
        if row["y_shape"] == y_shape and row["gradient"] == {"kind": kind, "shape": shape}
        if row["requires_grad"]
    ]
    assert (row["grad"], row["error"]) == (grad, error)


def test_the_rows_of_several_outputs(data: Any) -> None:
    rows = {row["gradients"]: row for row in data["several"]["rows"]}
    assert rows["[None, (3,)]"]["grad"] == "tensor([ 3.,  9., 19.])"
    assert rows["[]"]["error"] == {
        "type": "RuntimeError",
        "message": "got 2 tensors and 0 gradients",
    }


WRONG = "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size({}) and "
SEVERAL = {
    "omitted": f"RuntimeError: {IMPLICIT}",
    "[(), (3,)]": "tensor([ 3.,  9., 19.])",
    "[None, (3,)]": "tensor([ 3.,  9., 19.])",
    "[(), None]": f"RuntimeError: {IMPLICIT}",
    "[()]": "RuntimeError: got 2 tensors and 1 gradients",
    "[]": "RuntimeError: got 2 tensors and 0 gradients",
    "[(1,), (3,)]": WRONG.format([1]) + "output[0] has a shape of torch.Size([]).",
    "[(), (4,)]": "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
    "[None, (4,)]": "RuntimeError: Boolean value of Tensor with more than one value is ambiguous",
    "[(3,), (4,)]": WRONG.format([3]) + "output[0] has a shape of torch.Size([]).",
    "(3,)": WRONG.format([3]) + "output[0] has a shape of torch.Size([]).",
}


def test_gradients_of_two_outputs() -> None:
    assert {given: str(tried) for given, tried in several().items()} == SEVERAL


@pytest.mark.parametrize("shape", SHAPES)
def test_a_table_names_each_gradient_once_and_says_what_came_of_it(shape: tuple[int, ...]) -> None:
    rows = re.findall(r"<tr id=.*?</tr>", Outcomes(shape)._repr_html_(), re.DOTALL)
    said = {}
    for row in rows:
        heading, with_graph, without = re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        for given in re.findall(r"<code>(.*?)</code>", heading):
            assert given not in said
            said[given] = (plain(with_graph), plain(without))
    tried = [trial for trial in outcomes() if trial.y_shape == shape and trial.requires_grad]
    assert len(said) == len(tried) == 17
    assert len(rows) <= 9
    for trial in tried:
        given = trial.kind if trial.shape is None else f"{trial.kind} {trial.shape}"
        with_graph, without = said[given]
        of_shape = f"torch.Size({list(trial.shape or ())})"
        assert with_graph.replace("torch.Size([…])", of_shape) == str(outcomes()[trial])
        if without == "the same":
            without = with_graph
        no_graph = str(outcomes()[trial._replace(requires_grad=False)])
        assert without.replace("torch.Size([…])", of_shape) == no_graph


def plain(cell: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", cell))


def test_gradients_that_lead_to_the_same_stand_side_by_side() -> None:
    html = Outcomes((3,))._repr_html_()
    assert "<code>int64 (3,)</code>, <code>float64 (3,)</code></th>" in html
    assert "<td><code>tensor([ 2.,  8., 18.])</code></td>" in html
    assert "<td>the same</td>" in html


def test_the_text_has_a_line_for_each_gradient() -> None:
    lines = str(Outcomes((3,))).splitlines()
    assert len(lines) == 17
    assert lines[0] == f"gradient omitted: RuntimeError: {IMPLICIT}"
    assert lines[4] == "gradient float32 (3,): tensor([ 2.,  8., 18.])"
    assert str(SeveralOutcomes()).splitlines() == [
        f"grad_tensors {given}: {said}" for given, said in SEVERAL.items()
    ]


def test_the_rows_of_a_table_have_addresses_and_values() -> None:
    html = Outcomes((2, 3))._repr_html_()
    assert 'id="y-2-3-1" data-value="raises"' in html
    assert 'data-value="leaves a gradient"' in html
    assert 'id="y-scalar-1" data-value="leaves a gradient"' in Outcomes(())._repr_html_()
    assert repr(Outcomes(())) == str(Outcomes(()))


def test_a_shape_that_was_not_tried_is_refused() -> None:
    with pytest.raises(ValueError, match=r"y of shape \(5,\) was not tried; expected one of"):
        Outcomes((5,))


def test_the_table_of_several_outputs() -> None:
    html = SeveralOutcomes()._repr_html_()
    assert html.count("<tr id=") == 11
    assert '<tr id="several-2"><th scope="row"><code>[(), (3,)]</code></th>' in html
    assert "<td><code>tensor([ 3.,  9., 19.])</code></td></tr>" in html
    assert "Boolean value of Tensor with more than one value is ambiguous" in html
    assert repr(SeveralOutcomes()) == str(SeveralOutcomes())
