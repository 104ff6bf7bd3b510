"""Each call of `f` and each backward waits for its device, whose error is told where it belongs.

The device is a stand-in: what it is asked to wait for is written down, and where it fails is said.
"""

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

import vtj
from tests.zoo.bug import custom
from vtj.calling import waiting

VERIFY = pytest.mark.parametrize("verify", [vtj.check, vtj.certify])
X = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
BROKEN = "CUDA error: device-side assert triggered"


class Device:
    """Writes down what is asked; fails at a call, and at all that wait for it after that.

    `at_once` it says so in that call already, and in each after it.
    """

    def __init__(self, fails_at: str = "", after: int = 0, at_once: bool = False) -> None:
        self.events: list[str] = []
        self.fails_at, self.after, self.at_once, self.broken = fails_at, after, at_once, False

    def ask(self, what: str) -> None:
        self.events.append(what)
        self.broken |= what == self.fails_at and self.events.count(what) > self.after
        if self.at_once and self.broken:
            raise RuntimeError(BROKEN)

    def synchronize(self, _: torch.device) -> None:
        self.events.append("wait")
        if self.broken:
            raise RuntimeError(BROKEN)


def square(device: Device) -> Any:
    """Give a square that asks the device for itself, and for its backward and its jvp."""

    def forward(x: Tensor) -> Tensor:
        device.ask("f")
        return x**2

    def backward(x: tuple[Tensor], g: Tensor) -> Tensor:
        device.ask("backward")
        return 2 * x[0] * g

    return custom(forward, backward, lambda x, u: 2 * x[0] * u)


@pytest.fixture
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device(*getattr(request, "param", ()))
    tensors = lambda made: [part for part in tree_leaves(made) if isinstance(part, Tensor)]  # noqa: E731
    monkeypatch.setattr(waiting, "_devices_of", lambda made: {one.device for one in tensors(made)})
    monkeypatch.setattr(torch.cuda, "synchronize", made.synchronize)
    return made


@VERIFY
def test_whatever_is_asked_of_a_device_is_waited_for(verify: Any, device: Device) -> None:
    assert verify(square(device), X)
    asked = [one for one in device.events if one != "wait"]
    assert {"f", "backward"} == set(asked)
    for one, after in pairwise([*device.events, "the end"]):
        assert one == "wait" or after == "wait", device.events


@VERIFY
@pytest.mark.parametrize(
    "device",
    [("backward", k, at_once) for k in range(4) for at_once in (False, True)],
    indirect=True,
    ids=str,
)
def test_an_error_in_backward_is_told_under_its_row(verify: Any, device: Device) -> None:
    """Whatever is asked after that fails too, and accuses nobody."""
    report = verify(square(device), X)
    assert report.findings == (f"x.grad: backward raises RuntimeError: {BROKEN}",)
    assert [(row.what, row.result) for row in report.rows] == [("x.grad", "fails")]
    assert (report.verdict, report.culprit) == ("wrong", "backward")


@VERIFY
@pytest.mark.parametrize(
    "device",
    [("f", k, at_once) for k in range(4) for at_once in (False, True)],
    indirect=True,
    ids=str,
)
def test_an_error_in_f_is_raised_as_it_is(verify: Any, device: Device) -> None:
    with pytest.raises(RuntimeError, match=BROKEN) as raised:
        verify(square(device), X)
    assert raised.value.__notes__ == [waiting.BESIDE]


def test_after_an_error_the_next_function_is_judged_by_itself(device: Device) -> None:
    device.fails_at = "backward"
    assert not vtj.certify(square(device), X)
    device.fails_at, device.broken = "", False
    assert vtj.certify(square(device), X)


def test_an_outcome_holds_the_error(device: Device) -> None:
    device.fails_at = "backward"
    outcome = vtj.backward(square(device), X, torch.ones(3))
    assert str(outcome.error) == BROKEN
    device.fails_at, device.broken = "f", False
    outcome = vtj.backward(square(device), X, torch.ones(3))
    assert (outcome.y, str(outcome.error)) == (None, BROKEN)


def test_a_tensor_of_the_cpu_is_waited_for_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "synchronize", pytest.fail)
    assert vtj.check(torch.sin, X)
