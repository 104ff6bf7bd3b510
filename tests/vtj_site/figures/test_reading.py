"""Every picture is read back from its SVG: a true one passes, and a lie in it is refused."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.mutants.pictures import faults
from vtj.show import graph, heat_map
from vtj_site.figures import (
    PictureError,
    accumulation,
    cost,
    curves,
    maps,
    pairs,
    passes,
    read_back,
    scale_figure,
    side_by_side,
)
from vtj_site.figures.reading import complaint
from vtj_site.figures.reading.compared import same
from vtj_site.records.timeline import timeline_of

X, V = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -10.0])
J = torch.tensor([[2.0, 0.0], [1 / 3, -4.0]])
SUMS = torch.tensor([[2.0, 0.0], [-1.0, 0.5]])
QUESTIONS = ("vector gradient for a scalar y = x**2", "y (3,), gradient bool (3,)")


def two_ways(x: torch.Tensor) -> torch.Tensor:
    return x[0] * x[1] + x[0]


def both(x: torch.Tensor) -> torch.Tensor:
    hidden = torch.stack([x[0] * x[1], x[0] / 3])
    return hidden[0] * hidden.sum()


class Cube(torch.autograd.Function):
    """Its backward forgot a square."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return 3 * ctx.saved_tensors[0] * grads[0]


def tenfold(x: torch.Tensor) -> Any:
    cubed = Cube.apply(x)
    return 10 * cubed


WRONG = {
    "f": tenfold,
    "x": X,
    "v": V,
    "names": {"cubed": Cube.apply(X.clone().requires_grad_())},
    "wrong": {"cubed": 10 * V * 3 * X},
}
IMAGE = torch.tensor([[0.0, 1.0, 2.0, 0.0]] * 4)
FOUND = {"saliency": IMAGE.T / 7, "Grad-CAM": torch.tensor([[0.0, 1 / 3], [2.0, 1.0]])}
MAPS = {"all": J, "the diagonal alone": torch.diag(J.diag())}
SCORES = torch.tensor([-2.0, -1.0, 0.0, 2.0])
SLOPES = {"squared": 2 * SCORES, "absolute": SCORES.sign(), "none": 0 * SCORES + 1e-9}
YS, VS = torch.eye(3).split(1), (2 * torch.eye(3)).split(1)
FIRST = [(kind, t) for y in YS for kind, t in (("forward", 7 * y), ("sent", y))]
SECOND = [(kind, t) for v in VS for kind, t in (("backward", None), ("sent", v))]
EVENTS = (
    [*FIRST, *(("backward", v) for v in VS)],
    [*(("forward", y) for y in YS), *SECOND],
)
NAMES = ("front", "back")
BOTH = {"f": both, "x": X, "names": {"hidden": torch.stack([X[0] * X[1], X[0] / 3])}}

PICTURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "heat map": (heat_map(lambda x: J.to(x.dtype) @ x, X, V), {"J": J, "v": V, "grad": V @ J}),
    "zeros": (heat_map(lambda x: 0 * x, X, V), {"J": 0 * J, "v": V, "grad": 0 * X}),
    "shapes": (
        side_by_side(lambda x: J.to(x.dtype) @ x, X, V),
        {"J": J, "v": V, "grad": X},
    ),
    "calls": (accumulation([*SUMS]), {"sums": SUMS.numpy()}),
    "nothing added": (accumulation([torch.zeros(1)]), {"sums": [[0.0]]}),
    "cost": (
        cost(lambda x: (x**2).sum(), torch.ones(5)),
        {"forward": 6, "backward": 15, "along": 22, "outputs": 1, "inputs": 5},
    ),
    "build": (scale_figure("", "Time of a cold build", "s"), {}),
    "graph": (graph(two_ways, X), {"f": two_ways, "x": X}),
    "steps": (graph(both, X), BOTH),
    "wrong": (graph(tenfold, X, V), WRONG),
    "maps": (maps(IMAGE, FOUND), {"image": IMAGE, "found": FOUND}),
    "pairs": (pairs(MAPS), {"found": MAPS}),
    "curves": (curves("score", SCORES, SLOPES), {"over": "score", "x": SCORES, "found": SLOPES}),
    "passes": (passes(EVENTS, NAMES), {"names": NAMES, "y": YS, "v": VS}),
    "timeline": (timeline_of(QUESTIONS), {"questions": QUESTIONS}),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_true_picture_is_handed_on(name: str) -> None:
    picture, true = PICTURES[name]
    assert read_back(picture, **true) is picture


UNTRUE: dict[str, tuple[str, dict[str, Any], str]] = {
    "J transposed": ("heat map", {"J": J.T}, "a line of words: the picture says ['1 ×', 'y₁', '2'"),
    "another v": ("heat map", {"v": -V}, "['1 ×', 'y₁', '2', '0'], true is ['-1.0 ×', 'y₁'"),
    "another gradient": (
        "heat map",
        {"grad": X},
        "['vᵀ·J', '≈−1.333', '40'], true is ['vᵀ·J', '1.0'",
    ),
    "one digit in four": (
        "heat map",
        {"J": J + torch.tensor([[0, 0], [1e-4, 0]])},
        "'≈0.3333', '−4'], true is",
    ),
    "J of another shape": ("shapes", {"J": J[:1]}, "'(2, 2)', '(2,)'], true is ['(2,)', '(1, 2)'"),
    "other sums": (
        "calls",
        {"sums": 2 * SUMS},
        "'0 + 2 = 2'], true is ['call 1', 'x₁', '0.0 + 4.0",
    ),
    "fewer operations": ("cost", {"backward": 14}, "vᵀ·J, one reverse pass: 20"),
    "another function": ("graph", {"f": lambda x: x[0] * x[1] + x[1]}, "the words of the boxes"),
    "another v of a graph": ("graph", {"v": torch.tensor(2.0)}, "the words of the boxes"),
    "a variable of another value": ("steps", {"names": {"hidden": X}}, "the words of the boxes"),
    "a wrong backward that nobody declares": (
        "wrong",
        {"wrong": {}},
        "the looks of the boxes: the picture says [('plain', 0), ('bad', 12)",
    ),
    "another wrong number": ("wrong", {"wrong": {"cubed": V}}, "the words of the boxes"),
    "maps in the other order": ("maps", {"found": dict(reversed(FOUND.items()))}, "the words"),
    "a map of other numbers": ("maps", {"found": FOUND | {"saliency": IMAGE}}, "the shades of"),
    "another image": ("maps", {"image": IMAGE.T}, "the shades of the pixels"),
    "pairs with the other sign": ("pairs", {"found": {**MAPS, "all": -J}}, "the colors"),
    "pairs of another size": ("pairs", {"found": {**MAPS, "all": J / 2}}, "the shades"),
    "maps under each other's names": (
        "pairs",
        {"found": dict(zip(MAPS, reversed(MAPS.values()), strict=True))},
        "the shades",
    ),
    "another slope": (
        "curves",
        {"found": SLOPES | {"absolute": SCORES.sign() + torch.tensor([0.0, 0.5, 0.0, 0.0])}},
        "the points of a curve",
    ),
    "a curve too few": ("curves", {"found": {"squared": 2 * SCORES}}, "the description"),
    "other scores": ("curves", {"x": 2 * SCORES}, "the title"),
    "a micro-batch too few": ("passes", {"y": YS[:2], "v": VS[:2]}, "the description"),
    "v of another shape": ("passes", {"v": [*torch.eye(3)]}, "the description"),
    "the processes exchanged": ("passes", {"names": NAMES[::-1]}, "the description"),
    "another question": ("timeline", {"questions": QUESTIONS[::-1]}, "the questions"),
}


@pytest.mark.parametrize("lie", UNTRUE)
def test_a_picture_of_something_else_is_refused_with_both(lie: str) -> None:
    name, other, said = UNTRUE[lie]
    picture, true = PICTURES[name]
    with pytest.raises(PictureError, match=r"the picture says .* true is ") as error:
        read_back(picture, **{**true, **other})
    assert said in str(error.value)


LIES: dict[str, tuple[str, str, str, str]] = {
    "another title": ("heat map", "J, its rows", "J, its columns", "no picture has the title"),
    "no brackets": ("heat map", "<path ", "<line ", "a part of the picture is missing"),
    "a tint of another sign": ("heat map", "--vtj-negative", "--vtj-positive", "the tints"),
    "a color that is v's": ("shapes", "fill: currentColor", "fill: var(--vtj-accent, #b45309)",
                            "the colors of ['v', 'J', 'x.grad']"),
    "a way to another box": ("graph", "L110 215", "L10 215", "the boxes at the ends"),
    "a wrong number in a box": ("steps", "↑ [≈4.333, 2]", "↑ [≈4.333, 3]", "the words of"),
    "a wrong sign in a box": ("steps", "= ≈0.3333<", "= ≈−0.3333<", "the words of the boxes"),
    "a rounded number without its sign": ("steps", "= ≈2.333", "= 2.333", "the words of the boxes"),
    "a wrong number on a way": ("steps", ">[2, 2]<", ">[2, 3]<", "the ways to the boxes"),
    "another v at y": ("steps", "v = 1<", "v = 2<", "v: the picture says v = 2"),
    "a wrong factor in a step": ("steps", "2 × [1, 1] = [2, 2]", "2 × [1, 2] = [2, 2]", "a step"),
    "a wrong part of a sum": ("steps", "[2, 2] + ", "[2, 1] + ", "a step: the picture says"),
    "freed in another step": ("steps", "Then it frees x[0] = 1 and x[1] = 2.", "", "a step"),
    "a step that comes too early": ("steps", 'data-at="2"', 'data-at="3"', "the steps of"),
    "a number that stays too long": ("steps", 'data-until="5"', 'data-until="6"', "the steps of"),
    "what is right, wrong": ("wrong", "right: [30, ", "right: [31, ", "the words of the boxes"),
    "a wrong factor that is right": ("wrong", "× [3, 12] =", "× [3, 13] =", "a step"),
    "another node to blame": ("wrong", "wrong at cubed: cube", "wrong at y: mul", "the title"),
    "a bar that is too long": ("cost", 'width="320"', 'width="340"', "the bars: the picture says"),
    "a curve that is not dashed": ("curves", ' stroke-dasharray="5 4"', "", "how the curves look"),
    "a pair of another color": ("pairs", "--vtj-positive", "--vtj-accent", "the colors"),
    "an arrow to the sender": ("passes", "M54 83 L166 83", "M166 83 L54 83", "from whom to whom"),
    "a v as dark as y": ("passes", 'accent, #b45309)" t', 'bad, #b3261e)" t', "colors"),
    "a bar one release longer": ("timeline", 'width="98"', 'width="123"', "a bar from its first"),
    "an error that is not dashed": ("timeline", ' stroke-dasharray="4 3"', "", "a dashed bar for"),
    "another answer": ("timeline", "tensor(2222.)</title>", "tensor(2222)</title>", "what a bar"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_in_the_drawing_is_refused(lie: str) -> None:
    name, before, after, said = LIES[lie]
    picture, true = PICTURES[name]
    assert before in picture.html
    told = complaint(replace(picture, html=picture.html.replace(before, after)), **true)
    assert told is not None
    assert said in told


def test_bars_that_all_stand_one_release_further_are_refused() -> None:
    picture, true = PICTURES["timeline"]
    html = picture.html
    for x in (5, 173):
        html = html.replace(f'rect x="{x}"', f'rect x="{x + 42}"')
        html = html.replace(f'text x="{x + 5}"', f'text x="{x + 47}"')
    assert "from its first release to its last" in str(
        complaint(replace(picture, html=html), **true)
    )


@pytest.mark.parametrize(
    "name",
    [
        "heat map",
        "shapes",
        "calls",
        "cost",
        "build",
        "maps",
        "pairs",
        "curves",
        "passes",
        "timeline",
    ],
)
def test_nine_in_ten_planted_faults_are_refused(name: str) -> None:
    picture, true = PICTURES[name]
    refused = [
        complaint(replace(picture, html=html), **true) is not None
        for _, html in faults(picture.html)
    ]
    assert sum(refused) >= 0.9 * len(refused)


def test_of_faults_in_a_graph_and_its_steps_hardly_one_goes_through() -> None:
    picture, true = PICTURES["steps"]
    planted = list(faults(picture.html))[::9]  # each takes a tenth of a second
    through = [
        what for what, html in planted if complaint(replace(picture, html=html), **true) is None
    ]
    assert len(planted) > 50
    assert len(through) <= 1, through


@pytest.mark.parametrize(
    ("said", "true", "is_same"),
    [
        ("−1.5 × (3, 0)", "-1.5 × (3.0, -0.0)", True),
        ("≈0.3333", "0.33333333", True),
        ("0.3333", "0.33333333", False),
        ("≈0.3334", "0.33333333", False),
        ("≈0.5", "0.5", False),
        ("0.1", str(float(torch.tensor(0.1))), True),
        ("12345", "12345.0", True),
        ("12346", "12345.0", False),
        ("12345.6", "12345.6", True),
        ("≈12350", "12345.67", True),
        ("x₁", "x₂", False),
        ([1.0, 2.1], (1.0, 2.0), True),
        ([1.0, 2.2], (1.0, 2.0), False),
        ([1.0], (1.0, 2.0), False),
    ],
)
def test_words_agree_to_four_digits_and_places_to_a_tenth(
    said: Any, true: Any, is_same: bool
) -> None:
    assert same(said, true) is is_same
