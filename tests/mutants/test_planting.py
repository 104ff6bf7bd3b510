"""What each planter plants; one that plants nothing is no planter."""

from collections.abc import Callable, Iterator

import pytest
import torch

from tests.mutants import planting
from tests.mutants.derived import planted
from tests.mutants.pictures import faults
from tests.mutants.planting import Change, claimed, numbers, ones, retained, rows, signs
from vtj.engines.symbolic.errors import NotSymbolic
from vtj.show import formula
from vtj.show.svg import Drawing

CLAIM = '@source.claim("01", 5, "the value 1", "reproduces")\ndef claim(): ...\n'
ROW = 'PRINTED = ((41, "x: tensor(1.)"),)'


@pytest.mark.parametrize(
    ("planter", "text", "faults"),
    [
        (numbers, "x[0] = 3 * y", ["x[0] = 4 * y", "x[1] = 3 * y"]),
        (numbers, "# ∂ 1\ny = '∂' * 1.5", ["# ∂ 1\ny = '∂' * 2.5"]),
        (numbers, "f(True, '1', 2j)", ["f(True, '1', (1+2j))"]),
        (signs, "a + b - c", ["a + b + c", "a - b - c"]),
        (signs, "y = -x", ["y = x"]),
        (signs, "y += 1", ["y -= 1"]),
        (
            rows,
            "J = [[1, 2], [3, 4]]",
            ["J = [[3, 4], [1, 2]]", "J = [[2, 1], [3, 4]]", "J = [[1, 2], [4, 3]]"],
        ),
        (rows, "v = [1, 1, 2]", ["v = [1, 2, 1]"]),
        (rows, "v = [1, 1]", []),
        (ones, "v = torch.tensor([1.0, 10.0])", ["v = torch.ones_like(torch.tensor([1.0, 10.0]))"]),
        (ones, "vT = np.array([1, 10])", ["vT = np.ones_like(np.array([1, 10]))"]),
        (ones, "y.backward(gradient=v)", ["y.backward(gradient=torch.ones_like(v))"]),
        (ones, "y.backward(torch.tensor([1.0, 1.0]))", []),
        (ones, "torch.autograd.backward([y], [v])", []),
        (retained, "y.backward(v, retain_graph=True)", ["y.backward(v)"]),
        (retained, "y.backward(create_graph=True)", ["y.backward()"]),
        (claimed, CLAIM, [CLAIM.replace("value 1", "value 2")]),
        (claimed, ROW, [ROW.replace("(1.)", "(2.)")]),
        (claimed, '((1, "J:"), (0.5, "no"))', ['((1, "J_"), (0.5, "no"))']),
    ],
)
def test_plants_one_fault_at_a_time(
    planter: Callable[[str], Iterator[Change]], text: str, faults: list[str]
) -> None:
    assert sorted(change.applied(text) for change in planter(text)) == sorted(faults)


def test_changes_each_token_of_an_expression_in_a_sentence() -> None:
    text = 'f"{4 * entries / 2**40:,.0f}" + count("blog")'
    assert [change.applied(text) for change in planting.inline(text, ["count", "entries"])] == [
        text.replace("4 *", "5 *"),
        text.replace("* entries", "/ entries"),
        text.replace("entries", "count"),
        text.replace("/ 2", "* 2"),
        text.replace("2**", "3**"),
        text.replace("**", "*"),
        text.replace("40", "41"),
        text.replace(".0f", ".1f"),
        text.replace("+", "-"),
        text.replace("count", "entries"),
        text.replace('"blog"', '"blog_"'),
    ]
    assert planting.names_in(text) == {"count", "entries"}


def test_changes_a_letter_of_a_declared_error() -> None:
    (change,) = planting.declared({"raises": "TypeError: no"})
    assert change.applied("TypeError: no") == "TypeEr_or: no"
    assert list(planting.declared({"tags": []})) == []


@pytest.mark.parametrize("where", ["y", "J"])
def test_a_formula_with_another_coefficient_is_refused(where: str) -> None:
    with planted(where, 0) as seen, pytest.raises(NotSymbolic):
        formula(lambda x: 3 * x**2, torch.tensor([1.0, 2.0]))
    assert next(seen) == 1


def test_each_thing_in_a_picture_is_changed_in_every_way() -> None:
    drawing = Drawing(10, 10)
    drawing.text(1, 2, "a 9")
    drawing.line([(0, 1), (2, 3.5)])
    html = drawing.figure("Title", "").html
    kinds = ("moved", "otherwise in size", "in other words", "in another color", "left out")
    planted = dict(faults(html))
    assert [what.split(" ", 2)[2] for what in planted if what.startswith("text")] == [*kinds]
    assert planted["title 2 in other words"] == html.replace("Title", "Ti_le")
    assert planted["text 4 moved"] == html.replace('x="1"', 'x="11"')
    assert planted["text 4 otherwise in size"] == html.replace('y="2"', 'y="12"')
    assert planted["text 4 in other words"] == html.replace("a 9", "a 0")
    assert "fill: var(--vtj-positive" in planted["text 4 in another color"]
    assert "a 9" not in planted["text 4 left out"]
    assert planted["path 5 moved"] == html.replace("M0 1", "M1 1")
    assert planted["path 5 otherwise in size"] == html.replace("2 3.5", "2 4.5")
