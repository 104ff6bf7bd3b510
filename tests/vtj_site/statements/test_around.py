"""What stands around a computed word: whatever turns it around is refused."""

import pytest

from vtj_site.statements import around
from vtj_site.statements.cells import Cells
from vtj_site.statements.contraries import ASKED, ROWS, asked_as, contraries
from vtj_site.statements.sentences import sentences

CELL = "```{{code-cell}} python\n{}\n```\n"
TOLD = '{eval}`says("larger", %s)`'


def said(text: str, *code: str) -> str:
    (sentence,) = sentences(text)
    return around.said(sentence, Cells("".join(map(CELL.format, code))), above=99)


@pytest.mark.parametrize(
    ("text", "asked", "wrong"),
    [
        ("The state is {} than it was.", "kept, 1", ""),
        ("The state is {}, and torch does not say so.", "kept, 1", "'not' stands in the sentence"),
        ("Without a hook the state is {}.", "without_hook, 1", ""),
        ("With a hook the state is {}.", "without_hook, 1", "without_hook in what is asked"),
        ("Without a hook it is not {} still.", "without_hook, 1", "'Without', 'not' stands"),
        ("The last row is {} than that.", "J[-1], 1", ""),
        ("The first row is {} than that.", "J[-1], 1", "'first' has a contrary"),
        ("The last column is {} than that.", "J[-1], 1", "'column' has a contrary"),
        ("After the step it is {} than that.", "after_step, 1", ""),
        ("Before the step it is {} than that.", "after_step, 1", "'Before' has a contrary"),
        ("The step keeps it {} than that.", "x, 1", ""),
        ("The step drops it {} than that.", "x, 1", "'drops' has a contrary"),
        ("The step that drops it is {} than that.", "dropped, 1", ""),
        ("It is {} than in the watched step.", "x, 1", ""),
        ("It is {} than in the unwatched step.", "x, 1", "'unwatched' has a contrary"),
        ("The first is {} than that.", "of_last - x[0], 1", "'first' has a contrary"),
        ("The first is {} than the last.", "of_last - x[0], 1", ""),
        ("Of three, it is {} than that.", "x - 3.0, 1", ""),
        ("Of four, it is {} than that.", "x - 3.0, 1", "'four' has a contrary"),
        ("If you said “four”, the last: it is {} than that.", "x, 1", ""),
        ("The result is {} than `soft` is.", "hard, soft", ""),
        ("The result is {} than `stale` is.", "hard, soft", "the sentence names 'stale'"),
        ("The result is {} than `print` is.", "hard, soft", "the sentence names 'print'"),
        ("The result is {} under `no_grad`.", "hard, soft", ""),
        ("The result is {} under `enable_grad`.", "hard, soft", "the sentence names 'enable_grad'"),
        ("`soft` is {} than `hard` is.", "hard, soft", "'soft' stands before 'hard'"),
        ("That of `double` is {}.", "of(float), of(double)", "'double' stands before 'larger'"),
        ("That of `float` is {}.", "of(float), of(double)", ""),
        ("The result of `v` is {} than that.", "vT, 1", ""),
        ("The step is the whole of it, so it is {} than that.", "x, 1", "'The step is the whole"),
        ("When the step is the whole of it, it is {} than that.", "x, 1", ""),
        ("Take the step, and it is {} than that.", "x, 1", ""),
        ("It is {} than that: the step is the whole of it.", "x, 1", "says something by itself"),
        ("It is {} than that, and the step is all of it.", "x, 1", "says something by itself"),
        ("It is {} than that: take the step as the whole of it.", "x, 1", ""),
        ("The gradient is {} for `w.data`.", "w.grad, 1", "another part of 'w'"),
        ("The weight is {} for `w.data`.", "w.data, 1", ""),
        ("With `w.detach()` it is {}.", "w.detach(), 1", ""),
        ("With `w.clone()` it is {}.", "w.detach(), 1", "another part of 'w'"),
        ("In `eval()`, it is {} than that.", "of_eval, 1", ""),
        ("In `train()`, it is {} than that.", "of_eval, 1", "and what is asked eval"),
        ("Of `BatchNorm1d` it is {}.", "nn.BatchNorm1d(1), nn.BatchNorm2d(1)", ""),
        ("The sum times that is {}.", "a.sum() * b, 1", ""),
        ("The sum divided by that is {}.", "a.sum() * b, 1", "'divided' has a contrary"),
        ("The gradient is {} for `w.data`.", "w.data, 1", "'gradient' has a contrary"),
        ("With a forward pass, it is {} than that.", "of_backward, 1", "'forward' has a contrary"),
        ("`w` is {} than `w.grad` is.", "w, w.grad", ""),
        ("`backward` leaves `w.grad` {} than that.", "w.grad, 1", ""),
        ("Where it differs from zero, it is {}.", "np.count_nonzero(J), 1", ""),
        ("Where it differs from zero, it is {}.", "J.size, 1", "'zero' has a contrary"),
        ("Here Aᵀ·u is {} than that.", "A.T @ u, 1", ""),
        ("Here A·u is {} than that.", "A.T @ u, 1", "what is asked has A.T alone"),
        ("Here `A` by u is {} than that.", "A.T @ u, 1", "what is asked has A.T alone"),
        ("Here Aᵀ·u is {} than that.", "A @ u, 1", "what is asked has no A.T"),
        ("“It is not so”: it is {} than that.", "hard, 1", ""),
        ("It is {} than that, since the other way is shorter.", "hard, 1", "'since the other"),
        ("It is {} than that, so the step makes it grow.", "hard, 1", "'so the step makes"),
        ("It is {} than that, so that the step makes it grow.", "hard, 1", ""),
        ("It is {} than that, since.", "hard, 1", ""),
        ("The view is {} than that.", "hard, 1", "'view' has a contrary"),
        ("The view is {} than that.", "hard.view(2), 1", ""),
        ("The copy is {} than that.", "hard.view(2), 1", "'copy' has a contrary"),
        ("From `w` it is {} than the gradient.", "w, 1", "'gradient' has a contrary"),
        ("With `twice=True` it is {} than that.", "step(twice=True), 1", ""),
        ("With `twice=False` it is {} than that.", "step(twice=True), 1", "has True there"),
        ("With two steps it is {} than with three.", "step(2), step(3)", ""),
        ("With three steps it is {} than with two.", "step(2), step(3)", "'three' stands before"),
        ("In training it is {} than that.", "norm.train(), 1", ""),
        ("In evaluation it is {} than that.", "norm.train(), 1", "'evaluation' has a contrary"),
        ("It is {} than that, towards it.", "hard, 1", "'towards' has a contrary"),
    ],
)
def test_what_stands_beside_a_told_word(text: str, asked: str, wrong: str) -> None:
    code = "with torch.no_grad():\n    soft = 1\nhard = stale = v = 2\n"
    code += "w = torch.ones(2, requires_grad=True)"
    found = said(text.format(TOLD % asked), code)
    assert wrong in found
    assert bool(found) == bool(wrong)


def test_each_clause_has_its_own_names_and_opposites() -> None:
    text = "The first is {}, and `b` is {} than `c`."
    asked = TOLD % "x[0], 1", TOLD % "b, c"
    assert said(text.format(*asked), "a = b = c = 1") == ""
    assert "'first'" in said(text.format(*asked[::-1]), "a = b = c = 1")


def test_a_condition_is_held_to_the_clause_beside_it() -> None:
    behind, elsewhere = TOLD % "after_step, 1", TOLD % "x, 1"
    assert said(f"After the step, it is {behind}, and here it is {elsewhere}.") == ""
    wrong = said(f"After the step, it is {elsewhere}, and here it is {behind}.")
    assert wrong.startswith("'After' has a contrary")


@pytest.mark.parametrize(
    ("right", "wrong", "asked", "code", "found"),
    [
        (
            "With `sin` it is {}, and with `cos` {}.",
            "With `cos` it is {}, and with `sin` {}.",
            ("p, 1", "q, 1"),
            "p = sin(2)\nq = cos(2)",
            "the sentence names 'cos'",
        ),
        (
            "Through `w.data`, it is {}.",
            "Through `w.size`, it is {}.",
            ("p, 1",),
            "size = 1\np = w.data",
            "the sentence names 'size'",
        ),
        (
            "With `eps=1e-3`, it is {}.",
            "With `eps=1e-9`, it is {}.",
            ("p, 1",),
            "p = f(2, eps=1e-3)",
            "has 1e-3 there",
        ),
        (
            "With `keep=True`, it is {}.",
            "With `keep=False`, it is {}.",
            ("p, 1",),
            "def f(x, keep=False):\n    return x\np = f(2, keep=True)",
            "has True there",
        ),
        ("`p` {} `q`.", "`r` {} `q`.", ("p, q",), "p = q = r = 1", "the sentence names 'r'"),
    ],
    ids=["its own clause", "an attribute", "a number", "a default", "code alone"],
)
def test_code_has_to_have_led_to_what_its_clause_asks(
    right: str, wrong: str, asked: tuple[str, ...], code: str, found: str
) -> None:
    told = [TOLD % each for each in asked]
    assert said(right.format(*told), code) == ""
    assert found in said(wrong.format(*told), code)


def test_a_word_may_stand_in_the_code_that_made_what_is_asked() -> None:
    text = "The sum is {} than that.".format(TOLD % "x, 1")
    assert said(text, "x = y.sum()") == ""
    assert "'sum' has a contrary" in said(text, "x = y.prod()")
    assert "'sum' has a contrary" in said(text, "x = y.sum() / y.mean()")


def test_a_noun_of_the_field_may_stand_in_the_line_that_made_what_is_asked() -> None:
    text = "The {} is {} than that."
    gradient, loss = (text.format(noun, TOLD % "x, 1") for noun in ("gradient", "loss"))
    assert said(gradient, "x = torch.autograd.grad(loss, w)[0]") == ""
    assert "'loss' has a contrary" in said(loss, "x = torch.autograd.grad(loss, w)[0]")
    assert said(loss, "x = mse_loss(y, t)\nx.backward()") == ""
    assert "'gradient' has a contrary" in said(gradient, "x = f(2)\nx.backward()")


def test_no_word_that_may_stand_unasked_is_asked_elsewhere() -> None:
    for free, asked in ROWS:
        assert not {*free} & {word for group in asked for word in group}
    assert all(asked_as(word) for word in ASKED)
    assert {"loses", "drops"} <= {*contraries("keeps")}
    assert contraries("tutorial") == []


def test_what_is_asked_has_to_be_an_expression() -> None:
    assert "invalid syntax" in said("It is {} than that.".format(TOLD % "x y"))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("`backward` {word}`never <adds; of backward>` overwrites it.", ""),
        ("Not {word}`every <adds; of backward>` `backward` adds.", ""),
        ("`backward` {word}`may <adds; of backward>` not add to it.", ""),
        ("A leaf that no `backward` saw {word}`may <adds; of a leaf>` add to it.", "'no' stands"),
        ("`backward` {word}`adds <adds; of backward>`, and does not free it.", "'not' stands"),
        ("`backward` {word}`adds <adds; of backward>` to the last one.", "'last' has a contrary"),
        ("After a write `backward` {word}`may <adds; of backward, after a write>` add.", ""),
        ("It {word}`adds <no such thing>` to it, not so.", "'not' stands"),
        (
            "With `retain_graph=True`, `backward` {word}`adds <adds; of backward>`.",
            "'retain_graph=True'",
        ),
    ],
)
def test_what_stands_beside_a_word_of_the_zoo(text: str, wrong: str) -> None:
    assert wrong in said(text)
    assert bool(said(text)) == bool(wrong)


def test_the_names_of_a_page_are_those_that_its_cells_make() -> None:
    page = """
```{code-cell} python
:tags: [remove-cell]
import torch

x: int = 1
for i in range(2):
    class Square:
        forward = None

def f(z, *rest, given=1):
    inner = z
```

```{code-cell} python
this is no Python
```
"""
    assert Cells(page).names == {"x", "i", "Square", "f", "z", "rest", "given", "inner"}


def test_nothing_stands_around_a_bare_answer() -> None:
    assert said('{eval}`says("Yes", with_hook, without_hook)`.') == ""
