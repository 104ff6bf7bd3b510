"""What the releases of torch were asked, and what 1.2.0 answered to it."""

from typing import Any

import pytest
import torch

from vtj_site import since, trials
from vtj_site.records.history import recorded
from vtj_site.since import CORE_KINDS, QUESTIONS, answers, seed_the_node_received

UP_TO_1_2_0 = (
    "vector gradient for a scalar y = x**2",
    "vector gradient for a scalar y = sum(x)",
    "what the node of y = x**2 received",
    "torch.Tensor([1]) for a 0-d output",
)


@pytest.mark.parametrize("question", UP_TO_1_2_0)
def test_a_gradient_that_is_summed_to_the_shape_of_y_leads_to_what_1_2_0_answered(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def backward(y: Any, *gradient: Any) -> None:
        y.backward(*(v.sum().reshape(y.shape) for v in gradient))

    monkeypatch.setattr(trials, "backward", backward)
    monkeypatch.setattr(since, "backward", backward)
    (row,) = [row["outcomes"] for row in recorded() if row["torch"] == "1.2.0"]
    assert str(QUESTIONS[question]()) == row[question]


def test_a_fitting_seed_is_what_the_node_receives() -> None:
    assert seed_the_node_received(10.0) == 10


def test_what_the_node_received_stays_as_it_was_then(monkeypatch: pytest.MonkeyPatch) -> None:
    def backward(y: Any, v: Any) -> None:
        y.backward(v)
        v.zero_()

    monkeypatch.setattr(since, "backward", backward)
    assert seed_the_node_received(10.0) == 10


def test_a_second_backward_is_refused_for_what_the_square_saved() -> None:
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        QUESTIONS["a second backward"]()


def test_two_outputs_take_gradients_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(since, "counting", lambda shape: torch.ones(2))
    assert QUESTIONS["a mismatch in the second of two outputs"]() is None


def test_a_view_hands_v_itself_to_x() -> None:
    v: Any = QUESTIONS["v after two backwards through a view"]()
    assert torch.equal(v, torch.tensor([2.0, 4.0]))


def test_the_core_of_the_trials_is_asked() -> None:
    asked = [name for name in answers() if name not in QUESTIONS]
    assert len(asked) == 33
    assert {name.split("gradient ")[1].split(" (")[0] for name in asked} == set(CORE_KINDS)
    for y in ("()", "(1,)", "(3,)"):
        assert [n for n in asked if n.startswith(f"y {y}, gradient float32")] == [
            f"y {y}, gradient float32 {v}" for v in ("()", "(1,)", "(3,)", "(4,)")
        ]
