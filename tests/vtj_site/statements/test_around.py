"""What stands around a computed word: whatever turns it around is refused."""

import pytest

from vtj_site.statements import around
from vtj_site.statements.sentences import sentences

TOLD = '{eval}`says("larger", %s)`'


def said(text: str, *variables: str) -> str:
    (sentence,) = sentences(text)
    return around.said(sentence, {*variables})


@pytest.mark.parametrize(
    ("text", "asked", "wrong"),
    [
        ("The state is {} than it was.", "kept, 1", ""),
        ("The state is {}, and torch does not say so.", "kept, 1", "'not' stands in the sentence"),
        ("Without a hook the state is {}.", "without_hook, 1", ""),
        ("With a hook the state is {}.", "without_hook, 1", "without_hook in what is asked"),
        ("Without a hook it is not {} still.", "without_hook, 1", "'Without', 'not' stands"),
        ("The last row is {} than that.", "J[-1], 1", ""),
        ("The first row is {} than that.", "J[-1], 1", "'first' has an opposite"),
        ("The last column is {} than that.", "J[-1], 1", "'column' has an opposite"),
        ("After the step it is {} than that.", "after_step, 1", ""),
        ("Before the step it is {} than that.", "after_step, 1", "'before' has an opposite"),
        ("The value is {} than `soft` is.", "hard, soft", ""),
        ("The value is {} than `stale` is.", "hard, soft", "the sentence names 'stale'"),
        ("The value is {} than `print` is.", "hard, soft", ""),
        ("The value of `v` is {} than that.", "vT, 1", ""),
        ("`w` is {} than `w.grad` is.", "w, w.grad", ""),
        ("It is {} with `soft=True` than that.", "hard, 1", ""),
        ("“It is not so”: it is {} than that.", "hard, 1", ""),
    ],
)
def test_what_stands_beside_a_told_word(text: str, asked: str, wrong: str) -> None:
    found = said(text.format(TOLD % asked), "hard", "soft", "stale", "v", "w")
    assert wrong in found
    assert bool(found) == bool(wrong)


def test_each_clause_has_its_own_names_and_opposites() -> None:
    text = "The first is {}, and `b` is {} than `c`."
    asked = TOLD % "x[0], 1", TOLD % "b, c"
    assert said(text.format(*asked), "a", "b", "c") == ""
    assert "'first'" in said(text.format(*asked[::-1]), "a", "b", "c")


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
        ("`backward` {word}`adds <adds; of backward>` to the last one.", "'last' has an opposite"),
        ("After a write `backward` {word}`may <adds; of backward, after a write>` add.", ""),
        ("It {word}`adds <no such thing>` to it, not so.", "'not' stands"),
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
    assert around.made(page) == {"x", "i", "Square", "f", "z", "rest", "given", "inner"}
