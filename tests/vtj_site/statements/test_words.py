"""What each word asks, and which sentences are refused, with which words."""

import re
from pathlib import Path

import pytest

from vtj_site.statements import asking, bound
from vtj_site.statements.asking import predicate
from vtj_site.statements.bound import MOST, statement
from vtj_site.statements.facts import Facts
from vtj_site.statements.pages import Judge
from vtj_site.statements.sentences import sentences

HOLDS = [
    "`backward` {word}`never <adds; of backward>` overwrites `.grad`: it adds.",
    "`backward` {word}`always <adds; of backward>` adds.",
    "`backward` not {word}`always <frees the graph; of backward>` frees the graph.",
    "`v` {word}`must <v has the shape of y; of backward>` have the shape of `y` in `backward`.",
    "Several elements: `backward` {word}`cannot <omits v; of backward, with several elements>` "
    "omit `v`.",
    "For one element of a real `y`, you {word}`may <omits v; of backward, with one element, "
    "for a real y>` omit `v` in `backward`.",
    "`x.grad` {word}`can <shares memory; with v>` share memory with your `v`.",
    "A `.grad` is a new tensor {word}`unless <keeps the tensor; of backward>` `backward` made it.",
    "A leaf {word}`cannot <writes to x; of a leaf>` be written in place.",
    "`backward` {word}`cannot <adds; of backward>` overwrite `.grad`.",
    "{word}`Only <changes v; a second time>` a second `backward` changes `v`.",
    "`backward` {word}`adds <adds; of backward>` to `.grad`.",
    "`backward` {word}`does not overwrite <adds; of backward>` `.grad`.",
    "`backward` does not {word}`overwrite <adds; of backward>` `.grad`: it adds.",
    "`v` {word}`has <v has the shape of y>` the shape of `y`.",
    "`v` {word}`is not <v is bare numbers>` a number, a list of numbers or a NumPy array.",
    "`backward` computes a {word}`VJP <is the product; of backward>`.",
    "`backward` {word}`returns None <returns the gradient; of backward>`.",
    "If you omit `v`, `backward` {word}`takes a one <is that of ones; of backward, without v>`.",
    "What `backward` leaves {word}`has <has the shape of x; of backward>` the shape of `x`.",
    "`backward` {word}`runs the hooks <runs the hooks; of backward>`.",
    "`torch.func` {word}`skips the hooks <runs the hooks; of torch.func>`.",
    "With it, `backward` {word}`warns of a cycle <warns of a cycle; of backward>`.",
    "What `backward` leaves {word}`is a constant <has a graph unasked; of backward>`.",
]
REFUSED = [
    ("`backward` {word}`always <adds; of backward>` overwrites.", "does not hold", "a.backward"),
    ("`backward` {word}`never <adds; of backward>` adds.", "does not hold", "y.backward(v)"),
    ("`backward` {word}`never <adds; of backward>` overwrites, it replaces.", "twice, and not", ""),
    ("`backward` {word}`always <frees the graph; of backward>` frees.", "does not hold", "y.backw"),
    ("`backward` {word}`may <adds; of backward>` overwrite `.grad`.", "does not hold", "y.backw"),
    ("`backward` {word}`only <raises; of backward>` raises.", "does not hold", "import torch"),
    ("`v` {word}`must <v is a tensor; of backward>` be a tensor for `backward`.", "hold", "[v]"),
    ("`backward` {word}`unless <fills grad; of backward>` fills it.", "does not hold", "torch"),
    ("`backward` {word}`seldom <adds; of backward>` adds.", "'seldom' is no word", "'never'"),
    ("`backward` {word}`takes <adds; of backward>` and adds.", "'takes' is no word", "'adds'"),
    ("`backward` {word}`is <adds; of backward>` such.", "does not say 'adds'", "'added'"),
    ("`backward` {word}`adds <adds; of backward>`, and replaces.", "twice, and not", ""),
    ("`backward` {word}`overwrites <adds; of backward>` it.", "does not hold", "y.backward(v)"),
    ("`backward` not {word}`adds <adds; of backward>`.", "does not hold", "y.backward(v)"),
    ("`backward` {word}`adds <adds; of backward>` not.", "does not hold", "y.backward(v)"),
    ("`backward` {word}`does not add <adds; of backward>`.", "does not hold", "y.backward(v)"),
    ("`v` {word}`does not have <v has the shape of y>` `y`'s shape.", "not hold", "y.backward(v)"),
    ("`v` {word}`has <v has the shape of y>` `x`'s shape.", "does not say 'v has", "y's shape"),
    ("`v` {word}`is <v is bare numbers>` a number, a list of numbers or a NumPy array.",
     "does not hold", "y.backward(v)"),
    ("A complex `v` {word}`cannot <v is complex; for a real y>` not be passed for a real `y`.",
     "a 'not' stands behind the mark", ""),
    ("`backward` computes a {word}`JVP <is the product; of backward>`.", "does not hold", "torch"),
    ("`backward` {word}`never <ads; of backward>` adds.", "no predicate 'ads'", "'adds'"),
    ("`backward` {word}`never <adds; of all>` adds.", "no part 'of all'", "'of backward'"),
    ("`backward` {word}`never <adds; of backward>` drops.", "does not say 'adds'", "'added'"),
    ("`backward` {word}`never <adds; of backward>` drops, and adds.", "does not say 'adds'", ""),
    ("It {word}`never <adds; of backward>` overwrites `.grad`.", "does not say 'of backward'", ""),
    ("A leaf, a non-leaf: it {word}`never <adds; of a leaf>` overwrites.", "'of a non-leaf'", ""),
    ("With one element or several elements you {word}`may <omits v; with one element>` omit `v`.",
     "'with several elements'", ""),
    ("`backward` {word}`may <adds; of backward>` add to `y`.", "speaks of 'y'", ""),
    ("For `v` {word}`must <v has the shape of y>` be another shape.", "not name 'y'", ""),
    ("`v.backward()` {word}`adds <adds; of backward>` it.", "'`v.backward(' names what", ""),
    ("If `v` has one element, {word}`omit it <omits v; with one element>`.", "`v` has one", ""),
    ("`J` {word}`must <v has the shape of y>` have the shape of `y`.", "speaks of 'j'", ""),
    ("A complex `y`, twice, is {word}`always <write is counted; for a complex y, a second time>` "
     "counted.", "only 0 cases", "8 are needed"),
    ("It is so.{statement}`no such`", "no check 'no such'", "count that has changed"),
    ("It is so.{statement}`count that has changed`", "the page says\n    It is so.", "changed,"),
]  # fmt: skip


@pytest.mark.parametrize("sentence", HOLDS)
def test_a_true_sentence_holds(judge: Judge, sentence: str) -> None:
    (mark,) = judge.page(sentence).judged
    assert mark.wrong == ""
    assert "cases" in mark.count
    assert "def " in mark.code


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (0, "254 cases (of backward), and none speaks against it. 50"),
        (1, "254 cases (of backward), and none speaks against it. 50"),
        (2, r"cases (of backward): in \d,\d+ it is so, in \d,\d+ not, so “not "),
        (3, r": \d,\d+ do so; \d+ do not, and torch refuses each of these."),
        (4, r"(of backward, with several elements): \d+ try it, and torch refuses each of these."),
        (6, r"cases (with v): in \d+ it is so and in \d,\d+ not, and “"),
        (7, r"it is so, and in each outside of them."),
        (10, r"it is so, and in none outside of them."),
        (11, "254 cases (of backward), and none speaks against it. 50"),
        (14, r": \d,\d+ do so; \d+ do not, and torch refuses each of these."),
    ],
)
def test_what_the_cases_show_is_said_by_meaning(judge: Judge, sentence: int, said: str) -> None:
    (mark,) = judge.page(HOLDS[sentence]).judged
    pattern = said.replace("(", r"\(").replace(")", r"\)")
    assert re.search(pattern, mark.count), mark.count


def test_each_check_holds_a_sentence_of_a_page(found: Facts) -> None:
    pages = Path(__file__).parents[3].glob("docs/**/*.md")
    used = {
        mark.target
        for page in pages
        for sentence in sentences(page.read_text(encoding="utf-8"))
        for mark in sentence.marks
        if mark.role == "statement"
    }
    assert used == found.bound.keys()


@pytest.mark.parametrize(("sentence", "why", "more"), REFUSED)
def test_a_wrong_sentence_is_refused(judge: Judge, sentence: str, why: str, more: str) -> None:
    (mark,) = judge.page(f"# Title\n\n{sentence}").judged
    assert why in mark.wrong
    assert more.replace("a.", "y.") in mark.wrong
    assert mark.line == 3


def test_the_nearest_miss_lies_outside_of_the_part(judge: Judge) -> None:
    (mark,) = judge.page(HOLDS[0]).judged
    assert mark.nearest.endswith("x.grad = given")


def test_a_check_that_fails_is_told(found: Facts) -> None:
    name, text = "count that has changed", found.bound["count that has changed"].words
    failed = found.bound[name]._replace(failed="AssertionError: no")
    (mark,) = Judge(Facts([], {name: failed})).page(f"{text}{{statement}}`{name}`").judged
    assert mark.wrong == f"the check {name!r} failed: AssertionError: no"


def test_a_check_that_raises_is_no_end_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def right() -> None: ...

    def wrong() -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(bound, "CHECKS", {})
    statement("one", "It is so.")(right)
    statement("other", "It is so, too.")(wrong)
    assert [each.failed for each in bound.run().values()] == ["", "ZeroDivisionError: no"]
    with pytest.raises(ValueError, match="two statements have the name 'one'"):
        statement("one", "It is not so.")(right)


def test_few_statements_are_held_by_wording(found: Facts) -> None:
    assert len(found.bound) <= MOST


def test_a_predicate_that_tells_nothing_is_refused(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(record: object) -> bool:
        return True

    same = asking.PREDICATES["adds"]._replace(name="same", ask=ask)
    monkeypatch.setitem(asking.PREDICATES, "adds", same)
    (mark,) = judge.page(HOLDS[1]).judged
    assert mark.wrong == "'same' tells nothing: no two cases differ in it"


@pytest.mark.parametrize(
    ("words", "contrary", "why"),
    [
        (("overwrites",), (), "'overwrites' says two things: adds, said"),
        (("a", "b"), ("b",), "'b' says two things: said, said"),
        (("the shape of y",), (), r"'the shape of y': said does not look at \['shape', 'y'\]"),
    ],
)
def test_words_that_could_mislead_are_refused(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], contrary: tuple[str, ...], why: str
) -> None:
    monkeypatch.setattr(asking, "PREDICATES", {"adds": asking.PREDICATES["adds"]})

    def said(record: object) -> bool:
        """Whether `y` has the shape."""
        return True

    with pytest.raises(ValueError, match=why):
        predicate(*words, contrary=contrary)(said)
