import itertools
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

import vtj
from vtj.report import Report


class Writes(Function):
    """Its backward overwrites v."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, v: Tensor) -> Tensor:
        return v.mul_(2)


class Changes(Function):
    """Its backward gives another gradient each time."""

    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, v: Tensor) -> Tensor:
        Changes.calls += 1
        return v * (2 + Changes.calls)


def report(f: Any) -> Report:
    return vtj.check(f, torch.tensor([1.0, 2.0]))


def test_what_explains_all_the_rest_is_told_first_and_nothing_twice() -> None:
    for function, told in [(Writes, "writes into v"), (Changes, "not repeatable")]:
        found = report(function.apply)
        assert (found.verdict, found.culprit) == ("wrong", "backward")
        assert told in found.findings[0]
        assert len(set(found.findings)) == len(found.findings)


def test_a_function_that_is_wrong_itself_is_not_also_called_wrong_backward() -> None:
    counted = itertools.count()
    found = report(lambda x: x * next(counted))
    assert found.culprit == "f"
    assert len(found.findings) == 1
