"""Words that are told from the values of a page's cells."""

from typing import Any

import numpy as np
import pytest
import torch

from vtj.report import Report
from vtj_site.statements.pages import told
from vtj_site.statements.sentences import sentences
from vtj_site.statements.values import says

J = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
LEAF = torch.ones(2, requires_grad=True)
VALUES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "a quarter": ((J / 4, J), (J, J / 4)),
    "with its sign turned": ((-J, J.numpy()), (J, J)),
    "the same": (([1, 2], torch.tensor([1.0, 2.0])), ([1, 2], [1])),
    "equals": ((1 << 47, 1 << 47), (1 << 47, (1 << 47) + 64)),  # as addresses in memory are
    "zeros": ((torch.zeros(2), 0 * J), ([0, 1],)),
    "ones": ((LEAF,), ([],)),
    "two": ((J.ndim, LEAF.ndim + 1), (J.ndim, LEAF.ndim)),
    "the last row": ((J[2], J), (J[0], J)),
    "the second column": ((J[:, 1], J), (J[1], J)),
    "the diagonal": (([1, 4], J[:2]), ([1, 1], J[:2])),
    "the transpose": ((J.T, J), (J, J)),
    "the sum": (([6, 6], np.array([1, 2, 3])), ([6, 5], [1, 2, 3])),
    "the sum of the rows": ((J.sum(0), J), (J.sum(1), J)),
    "the sum of the columns": ((J.sum(1), J), (J.sum(0), J)),
    "the last": (("second", ["first", "second"]), ("first", ["first", "second"])),
    "unchanged": ((J, J.clone()), (J + 1, J)),
    "larger": ((J, 0), (J, 1)),
    "falls": ((2, 3), (3, 3)),
    "fewer": ((2, 3), (3, 3)),
    "different": ((J, 9), (J, 4)),
    "raises": ((ValueError("no"),), (LEAF,)),
    "refuses": ((LEAF.backward, "only for scalar outputs"), (LEAF.sum().backward, "scalar")),
    "refused": ((LEAF.backward, "only for scalar outputs"), (LEAF.backward, "Mismatch in shape")),
    "a constant": ((J,), (LEAF,)),
    "requires a gradient": ((2 * LEAF,), (J,)),
    "a tuple": (((1, 2),), ([1, 2],)),
    "complex": ((1j * J,), (J,)),
    "real": ((J,), (1j * J,)),
    "finite": ((J,), (J / 0,)),
    "infinite": ((J / 0,), (J,)),
    "NaN": ((0 * J / 0,), (J / 0,)),
    "diagonal": ((torch.eye(2),), (J[:2],)),
    "symmetric": ((torch.ones(2, 2),), (J[:2],)),
    "None": ((None,), (LEAF,)),
    "a leaf": ((LEAF,), (2 * LEAF,)),
    "a row": ((J[:1],), (J[:, :1],)),
    "as many": ((J.numel(), 6), (J.numel(), 5)),
    "names": (("the backward is wrong", "backward"), ("the J is wrong", "backward")),
    "lacks": (([1, 2], 3), ([1, 2], 2)),
    "within": ((J, (1, 6)), (J, (1, 5))),
    "outside": ((J, (8, 9)), (J, (6, 7))),
    "undecided": ((Report("", (), "undecided"),), (Report("", (), "wrong"),)),
    "negative": ((-J,), (J - 2,)),
    "Yes": ((J, J.numpy()), (J, -J)),
    "No": ((J, -J), (J, J.numpy())),
}


@pytest.mark.parametrize("word", VALUES)
def test_a_word_holds_of_values_or_is_refused_with_them(word: str) -> None:
    fit, other = VALUES[word]
    assert says(word, *fit) == word
    with pytest.raises(AssertionError, match=f"'{word}' does not hold of "):
        says(word, *other)


def test_a_call_is_refused_in_words_that_are_named() -> None:
    assert says("runs", LEAF.sum().backward) == "runs"
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        says("runs", LEAF.backward)
    with pytest.raises(AssertionError, match="'refused' does not hold"):
        says("refused", LEAF.backward)


def test_of_a_list_of_calls_each_is_asked() -> None:
    refused, runs = LEAF.backward, LEAF.sum().backward
    assert says("refused", [refused, refused], "only for scalar outputs") == "refused"
    for calls in ([refused, runs], [runs, refused], []):
        with pytest.raises(AssertionError, match="'refused' does not hold"):
            says("refused", calls, "only for scalar outputs")
    assert says("runs", [LEAF.sum().backward, LEAF.prod().backward]) == "runs"
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        says("runs", [LEAF.sum().backward, refused])
    with pytest.raises(AssertionError, match="'runs' does not hold"):
        says("runs", [])


def test_another_is_no_other_shape() -> None:
    with pytest.raises(ValueError, match=r"expected values of one shape, came \(2,\) and \(1,\)"):
        says("another", [1, 2], [3])


def test_no_is_said_of_nothing_but_no() -> None:
    assert says("No", False) == "No"
    with pytest.raises(AssertionError, match="'No' does not hold of 2"):
        says("No", 2)
    with pytest.raises(ValueError, match=r"expected values of one shape, came \(3, 2\) and \(2,\)"):
        says("No", J, J[0])


def test_what_is_no_number_is_not_another_one() -> None:
    with pytest.raises(TypeError, match="expected numbers, not <built-in function len>"):
        says("another", len, 3)


def test_a_word_that_no_value_tells_is_refused() -> None:
    with pytest.raises(ValueError, match="'thrice' is not told from values: expected one of"):
        says("thrice", 3, 1)


def test_a_word_that_compares_wants_two_values() -> None:
    with pytest.raises(ValueError, match="'twice' compares two values; expected one more than 4"):
        says("twice", 4)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('`x.grad` is {eval}`says("twice", x.grad, once)` that.', ""),
        ('`v` is {eval}`says("zeros", vT)`, so it is.', ""),
        ('`x.grad` is not {eval}`says("twice", x.grad, once)` that.', "a 'not' stands beside"),
        ('It is not quite {eval}`says("twice", x.grad, once)` that.', "a 'not' stands beside"),
        ('It is {eval}`says("twice", x.grad, once)` not.', "a 'not' stands beside 'twice'"),
        ('`J` is {eval}`says("twice", x.grad, once)` that.', "speaks of 'j': x.grad, once is not"),
    ],
)
def test_the_sentence_around_a_word_of_values(text: str, wrong: str) -> None:
    (sentence,) = sentences(text)
    (judged,) = told(sentence)
    assert wrong in judged.wrong
    assert bool(judged.wrong) == bool(wrong)
    assert sentence.text.count("`says") == 0
