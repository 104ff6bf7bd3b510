"""The graph that backward walks."""

import gzip
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

import vtj
from vtj.examples.relay import both_stages
from vtj.show import graph
from vtj_site.figures.reading.drawn import Box, Drawn, Label, drawn

X = torch.tensor([1.0, 2.0])
ONE, TWO = torch.tensor(1.0), torch.tensor(2.0)


class WrongForTen(torch.autograd.Function):
    """Right for all weights but 10."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 2 * grads[0] + (grads[0] == 10)


def test_shows_values_gradients_and_what_is_kept_and_sent() -> None:
    figure = graph(lambda x: (3 * x).sum(), X, torch.tensor(10.0))
    assert figure.title == "Values forward, gradients back"
    assert figure.description == (
        "x: value [1, 2], gradient [30, 30]. mul: value [3, 6], gradient [10, 10], keeps 3. "
        "y: sum: value 9, gradient 10."
    )
    seen = drawn(figure)
    assert seen.words == [
        "[10, 10]", "[30, 30]", "v = 10",
        "x", "= [1, 2]", "↑ [30, 30]",
        "mul", "= [3, 6]", "↑ [10, 10]", "keeps 3",
        "y: sum", "= 9", "↑ 10",
        "= value, ↑ gradient that arrives",
    ]  # fmt: skip
    assert seen.told == [
        [
            "Forward: x = [1, 2] goes down to y = 9, "
            "and each operation keeps what it needs to go back."
        ],
        ["y.backward(v): v = 10 arrives at y."],
        ["y: sum gets 10 and sends [10, 10] to mul.", "10 × [1, 1] = [10, 10] → mul"],
        [
            "mul gets [10, 10] and sends [30, 30] to x.",
            "[10, 10] × [3, 3] = [30, 30] → x",
            "Then it frees 3.",
        ],
        ["x gets [30, 30] and backward adds it to x.grad."],
    ]


def test_where_ways_meet_what_they_bring_is_added_in_the_order_in_which_it_comes() -> None:
    def met(x: Tensor) -> Tensor:
        middle = x.sum()
        return middle * middle + middle

    told = drawn(graph(met, X)).told
    assert told[4] == [
        "middle: sum gets 7, the sum of 3 parts, and sends [7, 7] to x.",
        "1 + 3 + 3 = 7",
        "7 × [1, 1] = [7, 7] → x",
        "Cut f here, and 7 is the v for middle.backward(v).",
    ]


def test_each_part_shows_from_its_step_to_the_step_that_adds_it() -> None:
    seen = drawn(graph(lambda x: (3 * x).sum(), X))
    shown = {label.words: label.steps for label in seen.labels}
    assert shown["v = 1"] == (("at", 1), ("since", 1))
    assert shown["[3, 3]"] == (("at", 3), ("since", 3), ("until", 4))
    assert shown["↑ 1"] == (("since", 1),)
    assert shown["↑ [3, 3]"] == (("since", 4),)
    assert shown["keeps 3"] == (("until", 3),)
    assert [box.steps for box in seen.boxes] == [(("at", 4),), (("at", 3),), (("at", 2),)]


def test_a_notebook_gets_script_and_style_with_it() -> None:
    figure = graph(lambda x: 2 * x, X, X)
    more = figure._repr_html_().removeprefix(figure.html)
    assert more.startswith("<style>")
    assert more.endswith("</script>")
    assert "customElements.define(" in more
    assert len(gzip.compress(more.encode())) < 12_000


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (torch.tensor(0.5), "0.5"),
        (torch.tensor(5705182.0), "5705182"),
        (torch.tensor([1 / 3, -0.1]), "[≈0.3333, −0.1]"),
        (torch.tensor(1 / 3, dtype=torch.bfloat16), "≈0.334"),
        (torch.tensor([0.5]), "[0.5]"),
        (torch.tensor([1.0, -2.0, 3.0]), "[1, −2, 3]"),
        (torch.ones(4), "shape (4,)"),
        (torch.ones(1, 2), "shape (1, 2)"),
    ],
)
def test_writes_out_up_to_three_values(x: Tensor, shown: str) -> None:
    figure = graph(lambda x: 1 * x, x, torch.ones_like(x))
    assert figure.description.startswith(f"x: value {shown}, gradient ")


class Node(NamedTuple):
    """A box, and what is written in it."""

    box: Box
    labels: list[Label]


def nodes(seen: Drawn) -> list[Node]:
    """Read the boxes."""
    return [
        Node(box, [a for a in seen.labels if box.left < a.place[0] < box.right
                   and box.top < a.place[1] < box.bottom])
        for box in seen.boxes
    ]  # fmt: skip


DRAWN = [
    pytest.param(lambda x: (3 * x).sum(), X, id="a chain"),
    pytest.param(lambda x: x.sin() * x, TWO, id="past one"),
    pytest.param(lambda x: x.sin().cos().tanh() * x, TWO, id="past three"),
    pytest.param(lambda x: x.sin() + x.cos() + x.tanh(), TWO, id="three ways"),
    pytest.param(lambda x: x.sigmoid() * (x - 1).exp() * x.log1p() * 1e-5 * x, X, id="four ways"),
    pytest.param(lambda a, b: a * b + a.cos(), (ONE, TWO), id="two inputs"),
    pytest.param(lambda a, b: a * b + b.cos(), (ONE, TWO), id="the other one"),
]


def seen_of(f: Any, x: Any) -> Drawn:
    y = f(*x) if isinstance(x, tuple) else f(x)
    return drawn(graph(f, x, torch.ones_like(y)))


@pytest.mark.parametrize(("f", "x"), DRAWN)
def test_words_stand_in_their_box(f: Any, x: Any) -> None:
    for box, labels in nodes(seen_of(f, x)):
        kinds = [label.words.partition(" ")[0] for label in labels[1:]]
        assert kinds == ["=", "↑", "keeps"][: len(kinds)]
        assert all(box.left < label.left and label.right < box.right for label in labels)


@pytest.mark.parametrize(("f", "x"), DRAWN)
def test_ways_cross_neither_a_box_nor_each_other(f: Any, x: Any) -> None:
    seen = seen_of(f, x)
    between: dict[float, list[tuple[float, float]]] = {}
    for way in seen.lines:
        for (x1, y1), (x2, y2) in pairwise(way.points):
            beside = [box for box in seen.boxes if box.top == y1]
            if beside:
                assert (x1, y2) == (x2, beside[0].bottom), "straight down past the boxes of a row"
                assert not any(box.left <= x1 <= box.right for box in beside)
            else:
                between.setdefault(y1, []).append((x1, x2))
    for steps in between.values():
        for (a1, a2), (b1, b2) in combinations(steps, 2):
            assert (a1 < b1) == (a2 < b2)


def test_numbers_on_ways_do_not_cover_each_other() -> None:
    seen = seen_of(both_stages().f, X)
    sent = [label for label in seen.labels if len(label.steps) == 3]
    assert len(sent) == len(seen.lines) - 1
    for one, other in combinations(sent, 2):
        apart = one.right <= other.left or other.right <= one.left
        assert apart or abs(one.place[1] - other.place[1]) >= 14, (one, other)


def test_what_backward_does_not_visit_has_its_name_alone() -> None:
    figure = graph(torch.nn.Linear(2, 1), X, torch.ones(1))
    assert "bias: not visited." in figure.description
    assert "bias" in drawn(figure).words


@pytest.mark.parametrize(
    ("f", "v", "error", "match"),
    [
        (lambda x: x * x.detach(), X, vtj.JacobianMismatch, "wrong"),
        (
            lambda x: sum(x.cos() for _ in range(12)),
            X,
            ValueError,
            "the graph has 25 nodes; the figure shows up to 24",
        ),
    ],
)
def test_draws_nothing_that_is_not_confirmed(f: Any, v: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        graph(f, X, v)


class Halved(torch.autograd.Function):
    """Twice x + power * a; its backward has lost the power, and half of x."""

    @staticmethod
    def forward(x: Tensor, power: int, a: Tensor) -> Tensor:
        return 2 * x + power * a

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0], None, grads[0]


def after(x: Tensor) -> Tensor:
    late = Halved.apply(3 * x, 1, x)
    return 5 * late


def forgotten(a: Tensor, b: Tensor) -> Any:
    return Halved.apply(2 * a, 3, b)


@pytest.mark.parametrize(
    ("f", "x", "v", "name", "sends", "line"),
    [
        pytest.param(
            WrongForTen.apply, X, 10 * X, "y: wrong for ten", "[21, 40], wrong, right: [20, 40]",
            "Wrong: [10, 20] × [2, 2] = [20, 40] → x, but it sends [21, 40].", id="alone",
        ),
        pytest.param(
            after, X, X, "late: halved", "[5, 10], wrong, right: [10, 20]",
            "Wrong: [5, 10] × [2, 2] = [10, 20] → mul, but it sends [5, 10].", id="in the middle",
        ),
        pytest.param(
            forgotten, (ONE, TWO), ONE, "y: halved",
            "1, wrong, right: 2, sends 1, wrong, right: 3",
            "Wrong: 1 × 3 = 3 → x[1], but it sends 1.", id="two ways",
        ),
    ],
)  # fmt: skip
def test_a_wrong_backward_is_shown_at_its_node_with_what_is_right(
    f: Any, x: Any, v: Tensor, name: str, sends: str, line: str
) -> None:
    figure = graph(f, x, v)
    assert figure.title == f"Values forward, gradients back: wrong at {name}"
    assert f"sends {sends}." in figure.description.replace(", keeps 5", "")
    seen = drawn(figure)
    told = [step for step in seen.told if any(said.startswith("Wrong") for said in step)]
    assert len(told) == 1
    assert line in told[0]
    assert [box.color for box in seen.boxes].count("bad") == 1


def test_a_calculation_in_two_dtypes_is_told() -> None:
    told = drawn(graph(lambda x: x.double() * 2, X, torch.ones(2, dtype=torch.float64))).told
    assert told[3][1] == "[2, 2] × [1, 1] = [2, 2] → x"


def test_draws_up_to_24_nodes() -> None:
    figure = graph(lambda x: 2 * sum(x.cos() for _ in range(11)), X, torch.ones(2))
    assert len(drawn(figure).boxes) == 24
