"""Every bug of the zoo is caught, with its diagnosis; the score is what the site publishes."""

import pytest
import torch

import vtj
from tests.zoo.bug import Bug, custom, vector
from tests.zoo.score import BUGS, Counts, Score, Scores, report, score


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_bug_is_caught_with_its_diagnosis(bug: Bug) -> None:
    told = report(bug)
    assert told.verdict == "wrong", str(told)
    assert told.culprit == bug.culprit, str(told)
    assert any(bug.says in finding for finding in told.findings), str(told)


def test_the_score_counts_everything_once_and_leaves_the_random_state_alone() -> None:
    before = torch.get_rng_state()
    scores = score()
    assert torch.equal(torch.get_rng_state(), before)
    assert [one.name for one in scores] == [bug.name for bug in BUGS]
    assert len(scores) >= 30
    assert all(one.caught and one.diagnosed for one in scores)
    slow = sum(one.slow is True for one in scores)
    fast = sum(one.fast is True for one in scores)
    asked = sum(one.slow is not None for one in scores)
    assert asked < len(scores)
    assert slow < asked
    assert fast < asked


def test_the_table_says_who_missed_what() -> None:
    scores = Scores([Score("by hand", "a | b", True, True, None, False, "dy[0]: <wrong>")])
    assert str(scores).splitlines()[1].split() == [
        *["a", "|", "b", "caught", "cannot", "be", "asked", "missed", "dy[0]:", "<wrong>"]
    ]
    html = scores._repr_html_()
    assert "<td>caught</td><td>cannot be asked</td><td>missed</td>" in html
    assert "&lt;wrong&gt;" in html
    assert (scores.caught("caught"), scores.caught("fast"), scores.asked) == (1, 0, 0)


def test_the_counts_say_what_cannot_be_asked() -> None:
    scores = Scores(
        [
            Score("by hand", "a", True, True, None, None, ""),
            Score("wrong values", "b", True, True, True, False, ""),
            Score("wrong values", "c", False, True, True, False, ""),
        ]
    )
    text, html = str(Counts(scores)), Counts(scores)._repr_html_()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[1] == "wrong values 1 of 2 2 of 2 0 of 2"
    assert lines[4] == "by hand 1 of 1 cannot be asked cannot be asked"
    assert "<td>1 of 2</td><td>2 of 2</td><td>0 of 2</td>" in html


def test_a_bug_that_is_none_is_not_diagnosed() -> None:
    """The zoo can fail: with its bug fixed, an entry of it is correct."""
    fixed = Bug(
        "fixed", lambda: custom(lambda x: x**2, lambda x, g: 2 * x[0] * g), vector(4), None, ""
    )
    assert report(fixed).verdict == "correct"


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_certify_never_calls_a_bug_correct_that_it_can_see(bug: Bug) -> None:
    """What it does not look at: repetition, create_graph, order 2, jvp; what is below its power."""
    beyond = (
        "wrong the second time",
        "other under create_graph",
        "wrong double backward",
        "a wrong jvp",
        "J by hand: one entry off by 1e-10",
    )
    if bug.name in beyond:
        return
    told = vtj.certify(bug.make(), bug.x, bug.jacobian)
    assert told.verdict == "wrong", str(told)
    assert told.culprit == bug.culprit, str(told)
