"""A combination that is tried, and what a call led to."""

import pytest

from vtj_site.trials import Trial, Tried, attempt, trials


def test_what_did_not_raise_has_the_text_of_its_result() -> None:
    assert attempt(lambda: 2) == Tried(raised="", text="2")


@pytest.mark.parametrize(
    "frames",
    [
        "\nframe #0: somewhere + 0x1 (0x2)",
        "\nException raised from here (most recent call first):\nframe #0: somewhere",
    ],
)
def test_frames_are_cut_off_from_what_was_raised(frames: str) -> None:
    def fail() -> None:
        raise ValueError(f"what happened\nand why{frames}")

    assert attempt(fail) == Tried(raised="ValueError", text="what happened\nand why")


def test_a_trial_says_what_it_tries() -> None:
    assert str(Trial((3,), "float32", (4,), True)) == "y (3,), gradient float32 (4,)"
    assert str(Trial((), "omitted", None, False)) == (
        "y (), gradient omitted, x does not require grad"
    )


def test_no_two_trials_are_called_the_same() -> None:
    names = [str(trial) for trial in trials()]
    assert len(set(names)) == len(names) == 204
