"""What backward leaves for each operation of the table, at each point, with several v and dtypes.

Plain torch in old syntax, and no import from vtj except its neighbors, which `nox -s changes`
copies along to every release back to torch 1.0 (Python 3.7).
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 -- as users type it

from .operations import GROUPS
from .trials import attempt, backward, combinations, counting, run, several

LEAVES = ("x", "z")

# What v is, by dtype. One dtype is asked with all three; the others show where the dtype matters.
ASKED = {
    "float32": ("ones", "1, 2, 3, …", "zeros"),
    "float64": ("1, 2, 3, …",),
    "float16": ("ones",),
    "bfloat16": ("ones",),
    "complex64": ("ones", "zeros"),
    "complex128": ("1, 2, 3, …",),
}
# Digits that are written down: one or two more than the tolerance of the comparison.
DIGITS = {"float16": 5, "bfloat16": 4, "float32": 7, "complex64": 7, "float64": 9, "complex128": 9}

# What no user calls a change: lines of C++ sources, paths of builds, addresses.
NOISE = re.compile(
    r" ?\((?:Triggered internally )?(?:[\w:~<>() ]+ )?at +\S+:\d+\.?\)"
    r"| at \S+\.(?:cpp|h|hpp|cu|c)\"?:\d+|(?<=object) at 0x[0-9a-f]+"
)


class Question(NamedTuple):
    """An operation at a point, and which v of which dtype backward is given."""

    group: str
    code: str
    point: str
    dtype: str
    v: str


def capability() -> str:
    """Return which vectors of the processor torch uses, as AVX2; releases before 2.1 do not say."""
    machine = getattr(torch.backends, "cpu", None)
    return machine.get_cpu_capability() if machine else "not said"


def operations() -> list[tuple[str, str]]:
    """Return each group and code of the table."""
    return [(name, code) for name, group in GROUPS.items() for code in group.codes]


def questions(group: str, code: str) -> Iterator[Question]:
    """What an operation is asked: all v in float32, and halves at the first point of its group.

    A group of complex points is asked in complex dtypes, and the others in real ones.
    """
    is_complex = group == "one complex number"
    for number, point in enumerate(GROUPS[group].points):
        for dtype, gradients in ASKED.items():
            if dtype.startswith("complex") == is_complex and not ("16" in dtype and number):
                for v in gradients:
                    yield Question(group, code, point, dtype, v)


def gradient(asked: Question) -> list[torch.Tensor]:
    """Run an operation and backward, and return what that leaves in the leaves, None left out."""
    return left(asked, GROUPS[asked.group].points[asked.point], partial(cotangent, asked.v))


def by_element(asked: Any, copies: int) -> list[list[str]]:
    """Return the gradients of each element, asked in a tensor that holds it so often.

    Torch runs through a tensor in the processor's vectors and through what is left over in other
    code, which now and then answers otherwise: at -0.0 the slope of `logit` is -inf in the one and
    inf in the other. So which elements are which depends on the processor. One copy is always left
    over, and 128 fill every vector that there is.
    """
    points, digits = GROUPS[asked.group].points[asked.point], DIGITS[asked.dtype]
    found = []
    for index in range(len(points[0])):
        values = tuple([leaf[index]] * copies for leaf in points)

        def v(y: torch.Tensor, index: int = index) -> torch.Tensor:
            every = cotangent(asked.v, y.new_empty(len(points[0])))
            return every[index].expand(y.shape)

        found.append([number(each[0].item(), digits) for each in left(asked, values, v)])
    return found


def left(
    asked: Question, values: tuple[Any, ...], v: Callable[[torch.Tensor], torch.Tensor]
) -> list[torch.Tensor]:
    """Return what the operation leaves at these values of its leaves, for the v of its y."""
    dtype = getattr(torch, asked.dtype)
    leaves = [torch.tensor(value, dtype=dtype).requires_grad_() for value in values]
    names = {
        **dict(zip(LEAVES, leaves)),  # noqa: B905 -- Python 3.7
        **{"torch": torch, "F": F, "inf": math.inf, "nan": math.nan},
        "t": partial(torch.tensor, dtype=dtype),
    }
    torch.manual_seed(0)
    y = eval(asked.code, names)
    backward(y, v(y))
    return [leaf.grad for leaf in leaves if leaf.grad is not None]


def cotangent(kind: str, y: torch.Tensor) -> torch.Tensor:
    """Return the v of this kind for y; the ones are one number expanded, as `sum` passes them."""
    if kind == "ones":
        return torch.ones((), dtype=y.dtype).expand(y.shape)
    if kind == "zeros":
        return torch.zeros(y.shape, dtype=y.dtype)
    return counting(tuple(y.shape)).to(y.dtype)


def written(asked: Any) -> str:
    """Return the gradients as numbers in a row, `/` between leaves, or the error."""

    def numbers() -> str:
        digits = DIGITS[asked.dtype]
        # Copied, for a gradient can be a tensor of zeros without memory, which has no tolist.
        copies = [torch.empty_like(each).copy_(each) for each in gradient(asked)]
        rows = [each.reshape(-1).tolist() for each in copies]
        return " / ".join(" ".join(number(each, digits) for each in row) for row in rows)

    found = attempt(numbers)
    return clean(str(found)) if found.raised else found.text


def number(value: Any, digits: int) -> str:
    """Write a number with so many digits; the parts of a complex one follow each other.

    Examples:
        >>> number(0.1, 5), number(-0.0, 5), number(1 - 2j, 5)
        ('0.1', '0', '1-2j')
    """
    if isinstance(value, complex):
        real, imaginary = number(value.real, digits), number(value.imag, digits)
        return real + ("" if imaginary[0] == "-" else "+") + imaginary + "j"
    return format(value + 0.0, f".{digits}g")  # + 0.0: the sign of a zero is no change


def clean(text: str) -> str:
    """Return a message without what no user calls a change.

    Examples:
        >>> clean("It is bad. (Triggered internally at  ../aten/src/x.cpp:12.)")
        'It is bad.'
        >>> clean('ASSERT FAILED at "/pytorch/x.cpp":12, please report')
        'ASSERT FAILED, please report'
    """
    return NOISE.sub("", text).strip()


def warned(ask: Callable[[], str]) -> tuple[str, list[str]]:
    """Return an answer and the warnings on the way to it, each message once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ask()
    messages = {f"{each.category.__name__}: {clean(str(each.message))}" for each in caught}
    return answer, sorted(messages)


def calls() -> dict[str, str]:
    """Return what every call of the table of outcomes leads to."""
    one = {str(each): str(run(each)) for each in combinations()}
    two = {f"two outputs, gradients {given}": str(each) for given, each in several().items()}
    return {name: clean(answer) for name, answer in {**one, **two}.items()}
