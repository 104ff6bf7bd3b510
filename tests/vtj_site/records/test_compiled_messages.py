"""What the list says of torch's compiled part is what that part says: raised, or in a library."""

import re
import warnings
from collections.abc import Callable
from functools import cache
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pytest
import torch
from errors.box import VARIES, fits
from torch.autograd.forward_ad import dual_level, make_dual
from torch.autograd.functional import hessian

from tests.vtj_site.records.test_messages import DOCS, WHAT_TO_DO
from vtj_site.records.messages import COMPILED, judged, provoked, release

LIBRARIES = [
    file
    for part in ("torch_python", "c10", "torch_cpu")  # the largest last: few need it
    for file in sorted((Path(torch.__file__).parent / "lib").glob(f"*{part}.*"))
]
RAISED = [
    raised.replace(r"\n", " ")
    for page in sorted(DOCS.rglob("*.md"))
    for raised in re.findall(r'^:raises: "(.*)"', page.read_text(encoding="utf-8"), re.MULTILINE)
]
OF_DEVICES = "hardware"
"""The reason of messages whose library a torch for CPUs does not have."""
SAID = [
    message
    for name, messages in judged()[COMPILED].items()
    if name != OF_DEVICES
    for message in messages
]


def one_method(method: str, function: Callable[..., object]) -> type[torch.autograd.Function]:
    """Return a Function that has one method, for a line that provokes."""
    return type("OneMethod", (torch.autograd.Function,), {method: staticmethod(function)})


@cache
def told(line: str) -> str:
    """Return what torch raises when a line of Python runs."""
    given = {
        "torch": torch,
        "hessian": hessian,
        "dual_level": dual_level,
        "make_dual": make_dual,
        "Function": one_method,
        "x": torch.ones(2, requires_grad=True),
        "zeros": torch.zeros(2),
        "turn": torch.tensor([[0.0, 1.0], [-1.0, 0.0]], requires_grad=True),
    }
    with warnings.catch_warnings(action="ignore"):  # index_reduce warns that it may change
        try:
            exec(line, given)
        except RuntimeError as error:  # NotImplementedError too
            return str(error)
    raise AssertionError(f"{line} raised nothing; expected an error")


def in_a_library(message: str) -> bool:
    """Say whether the longest piece of a message without a hole stands in one of torch's files."""
    longest = max((piece.strip() for piece in message.split(VARIES)), key=len).encode()
    for library in LIBRARIES:
        with library.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as text:
            if text.find(longest) >= 0:
                return True
    return False


def gone(message: str) -> str | None:
    """Say that torch has a message no longer, or nothing."""
    if any(fits(message, text) for text in RAISED):  # each build compares these letter by letter
        return None
    if in_a_library(message) or any(fits(message, told(line)) for line in provoked()):
        return None
    return f"torch no longer says {message!r}: take it out of the list, or add what provokes it"


def not_judged(line: str) -> str | None:
    """Say that what a line provokes is not in the list, or nothing."""
    text = told(line)
    if any(fits(message, text) for message in chain(*judged()[COMPILED].values())):
        return None
    return f"{line} is told {text!r}, which is not judged: {WHAT_TO_DO}"


def is_the_judged() -> bool:
    return torch.__version__.partition("+")[0] == release()


@pytest.mark.parametrize("message", SAID)
def test_torch_has_each_message_of_the_list(message: str) -> None:
    """Of the torch that was judged; with another one it is printed."""
    found = gone(message)
    print(found)
    assert found is None or not is_the_judged()


@pytest.mark.parametrize("line", provoked())
def test_what_a_line_provokes_is_in_the_list(line: str) -> None:
    """Of the torch that was judged; with another one it is printed."""
    found = not_judged(line)
    print(found)
    assert found is None or not is_the_judged()


def test_a_message_that_torch_does_not_have_is_told() -> None:
    assert gone("a gradient {…} that torch has no words for") == (
        "torch no longer says 'a gradient {…} that torch has no words for': "
        "take it out of the list, or add what provokes it"
    )


def test_what_is_provoked_and_not_judged_is_told_with_what_to_do() -> None:
    assert not_judged("torch.ones(2).reshape(3)") == (
        "torch.ones(2).reshape(3) is told \"shape '[3]' is invalid for input of size 2\", "
        f"which is not judged: {WHAT_TO_DO}"
    )


def test_a_line_that_raises_nothing_is_refused() -> None:
    with pytest.raises(AssertionError, match=re.escape("x + 1 raised nothing; expected an error")):
        told("x + 1")
