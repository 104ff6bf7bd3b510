"""Every bug of the zoo is caught, with its diagnosis; the score is what the site publishes."""

import re

import pytest
import torch

import vtj
from tests.zoo.bug import Bug, custom, vector
from tests.zoo.score import BUGS, Counts, Score, Scores, report, score

# What certify does not look at (order 2), or is below its power.
BEYOND_CERTIFY = (
    "wrong double backward",
    "an intermediate saved",
    "J by hand: one entry off by 1e-10",
)


def test_every_bug_is_caught_with_its_diagnosis_and_the_random_state_left_alone() -> None:
    before = torch.get_rng_state()
    scores = score()
    assert torch.equal(torch.get_rng_state(), before)
    assert [one.name for one in scores] == [bug.name for bug in BUGS]
    assert len(scores) >= 30
    assert [one for one in scores if not (one.caught and one.diagnosed)] == []
    assert scores.asked < len(scores)
    assert 0 < scores.caught("fast") < scores.asked
    assert 0 < scores.caught("slow") < scores.asked


def test_what_a_tool_missed_and_what_cannot_be_asked_is_told() -> None:
    scores = Scores(
        [
            Score("by hand", "a | b", True, True, None, None, "dy[0]: <wrong>"),
            Score("wrong values", "b", True, True, True, False, ""),
            Score("wrong values", "c", False, True, True, False, ""),
        ]
    )
    told = [" ".join(line.split()) for line in str(scores).splitlines()]
    assert told[1:3] == [
        "a | b caught cannot be asked cannot be asked dy[0]: <wrong>",
        "b caught caught missed",
    ]
    html = scores._repr_html_()
    assert "<td>caught</td><td>cannot be asked</td><td>cannot be asked</td>" in html
    assert "&lt;wrong&gt;" in html
    assert (scores.caught("caught"), scores.caught("fast"), scores.asked) == (2, 0, 2)
    counts = Counts(scores)
    lines = [" ".join(line.split()) for line in str(counts).splitlines()]
    assert lines[1] == "wrong values 1 of 2 2 of 2 0 of 2"
    assert lines[4] == "by hand 1 of 1 cannot be asked cannot be asked"
    assert "<td>1 of 2</td><td>2 of 2</td><td>0 of 2</td>" in counts._repr_html_()


def test_a_bug_that_is_none_is_not_diagnosed() -> None:
    """The zoo can fail: with its bug fixed, an entry of it is correct."""
    right = custom(lambda x: x**2, lambda x, g: 2 * x[0] * g)
    assert report(Bug("fixed", lambda: right, vector(4), None, "")).verdict == "correct"


SEEN_BY_CERTIFY = pytest.mark.parametrize(
    "bug", [bug for bug in BUGS if bug.name not in BEYOND_CERTIFY], ids=lambda bug: bug.name
)


@SEEN_BY_CERTIFY
def test_certify_never_calls_a_bug_correct_that_it_can_see(bug: Bug) -> None:
    told = vtj.certify(bug.make(), bug.x, bug.jacobian)
    assert (told.verdict, told.culprit) == ("wrong", bug.culprit), str(told)


COUNT = re.compile(r"(, | \()(at least )?\d+ of \d+ entries")
# certify counts "at least" where J is large, and no entries where x.grad is one and the same
NOT_COUNTED = (
    "the gradient of one input transposed",
    "a module's weight gradient transposed",
    "ignores g",
)


@SEEN_BY_CERTIFY
def test_certify_names_a_mistake_and_counts_its_entries_as_check_does(bug: Bug) -> None:
    """The entry, or element of x.grad, that is told as an example may be another."""
    by_check, by_certify = (
        concluded(told.findings[0])
        for told in (report(bug), vtj.certify(bug.make(), bug.x, bug.jacobian))
    )
    if bug.name in NOT_COUNTED:
        by_check, by_certify = (COUNT.sub("", told) for told in (by_check, by_certify))
    assert by_certify == by_check


def concluded(finding: str) -> str:
    """Leave out of a finding where it is, and the numbers there."""
    told = re.search(r"(the|a second|another|autograd|f|backward)( [a-z]\w+)+.*", finding)
    assert told, finding
    return re.sub(r": \S+ in place of \S+$", "", told[0])
