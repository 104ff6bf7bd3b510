"""Small parts whose rare branches no whole function reaches."""

import numpy as np
import pytest
import torch
from torch import nn

import vtj
from vtj.calling.repeatable import repeatable
from vtj.calling.state import state_kept
from vtj.oracle.blocks import as_array
from vtj.oracle.findings import Finding, overall, said
from vtj.oracle.witnesses import Witness, first_line


def test_an_error_without_a_message_is_named_by_its_type() -> None:
    assert first_line(KeyError()) == "KeyError"
    assert first_line(ValueError("a" * 200)) == f"ValueError: {'a' * 117}..."


@pytest.mark.parametrize("value", ["text", [[1], [2, 3]], torch.ones(1, dtype=torch.complex64)])
def test_an_array_of_something_else(value: object) -> None:
    with pytest.raises(TypeError, match="came where an array of real numbers was expected"):
        as_array(value)


def test_the_generators_of_gpus_are_seeded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeds.append)
    repeatable(lambda: None, 7)()
    assert seeds == [7]


def test_state_of_two_modules_with_the_same_names() -> None:
    first, second = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    with state_kept(lambda x: second(first(x))) as kept:
        second(first(torch.tensor([[1.0, 2.0], [3.0, 5.0]])))
        assert len(kept.changed) == 6
    for norm in (first, second):
        assert norm.running_mean.tolist() == [0.0, 0.0]


def test_a_buffer_that_did_not_change_is_not_named() -> None:
    norm, frozen = nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval()
    with state_kept(lambda x: norm(frozen(x))) as kept:
        norm(frozen(torch.tensor([[1.0, 2.0], [3.0, 5.0]])))
        assert len(kept.changed) == 3


def test_gradients_of_closed_over_leaves_are_put_back() -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.grad = torch.full((2,), 5.0)
    with state_kept(lambda x: x * weight):
        assert weight.grad is None
        (weight * 2).sum().backward()
    assert weight.grad.tolist() == [5.0, 5.0]


def test_verdict_and_culprit_of_findings() -> None:
    assert overall([]) == ("correct", None)
    assert overall([Finding("", "undecided")]) == ("undecided", None)
    assert overall([Finding(""), Finding("", culprit="f")]) == ("wrong", "f")


def test_differences_that_say_nothing_are_not_quoted() -> None:
    silent = Witness("numeric", "numeric", np.array([np.nan]))
    assert said([silent], 0) == "differences too rough to tell"
    spoken = Witness("reverse", "backward", np.array([3.0]))
    assert said([silent, spoken], 0) == "backward 3"


def test_digits_are_added_until_values_differ() -> None:
    report = vtj.check(lambda x: 3 * x, torch.tensor([1.0]), jacobian=np.array([[3 + 1e-11]]))
    assert report.findings[0].startswith("dy[0]/dx[0]: by hand 3.00000000001, backward 3")
