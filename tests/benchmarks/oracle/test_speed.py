"""The same calls under pytest-benchmark, for comparing one commit with the next."""

from collections.abc import Callable
from typing import Any

import pytest

from .cases import cases
from .tools import calls

TIMED = [
    pytest.param(call, id=f"{case.name}: {tool}")
    for case in cases()
    for tool, call in calls(case)
    if tool.startswith(("vtj", "gradcheck fast"))
]


@pytest.mark.parametrize("call", TIMED)
def test_speed(benchmark: Any, call: Callable[[], Any]) -> None:
    assert benchmark(call)
