"""What each further look costs, in calls of f: counted while it is taken, so no clock is needed."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom, matrix, vector
from vtj.oracle import causes, differences, directions, further, judging, reexamination, trial
from vtj.table import as_html, as_text

X = vector(4)
HEADER = ("the look", "calls of f")


def _cosine(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    return g * x[0].cos()


def _softmax(x: Tensor) -> Tensor:
    """Give a softmax whose sum is float32."""
    return (x.exp() / x.exp().sum(-1, keepdim=True).float()).double()


def _softmax_backward(x: tuple[Tensor, ...], g: Tensor) -> Tensor:
    y = _softmax(*x)
    return y * (g - (g * y).sum(-1, keepdim=True))


SINE = custom(torch.sin, _cosine)
SILENT = custom(torch.sin, lambda x, g: g * x[0].detach().cos())
DOUBLED = custom(torch.sin, lambda x, g: 2 * _cosine(x, g))
PRODUCT = custom(lambda a, b: a * b, lambda x, g: (x[1] * g, x[0] * g))
SUM = custom(lambda a, b, c: a * b + c, lambda x, g: (x[1] * g, x[0] * g, g))
BOTH = custom(lambda x: (x.sin(), x.cos()), lambda x, g, h: g * x[0].cos() - h * x[0].sin())
BEFORE_A_LEAP = torch.tensor([-87.00494707718511], dtype=torch.float64)
SMALL = matrix(3, 4, 17)  # one of its elements is 0.0096


class Counter:
    """A function, and how often it was called."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f, self.calls = f, 0

    def __call__(self, *x: Tensor) -> Any:
        self.calls += 1
        return self.f(*x)


@dataclass(frozen=True)
class Look:
    """A further look, and a question in which it is taken: the last time counts."""

    name: str
    f: Callable[..., Any]  # whose calls are counted
    ask: Callable[[Callable[..., Any]], vtj.Report]
    taken_by: tuple[Any, str] | None = None  # the function that takes it; None for all of a report
    told: Callable[..., bool] = lambda *_, **__: (
        True
    )  # of its arguments, whether this look is meant

    def calls(self) -> int:
        """Ask, and return how often the look called `f`."""
        counted = Counter(self.f)
        with self._taken(counted) as taken:
            assert self.ask(counted).verdict != "undecided"
        return taken[-1] if self.taken_by else counted.calls

    @contextmanager
    def _taken(self, counted: Counter) -> Iterator[list[int]]:
        taken: list[int] = []
        module, name = self.taken_by or (self, "calls")
        look = getattr(module, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            before = counted.calls
            found = look(*args, **kwargs)
            found = list(found) if inspect.isgenerator(found) else found
            if self.told(*args, **kwargs):
                taken.append(counted.calls - before)
            return found

        if self.taken_by:
            setattr(module, name, watched)
        try:
            yield taken
        finally:
            if self.taken_by:
                setattr(module, name, look)


def _rounded(x: Tensor) -> Tensor:
    return x.round(decimals=2) + x.sin()


def _straight_through(x: Tensor) -> Tensor:
    return x + (x.round() - x).detach()


def _itself(x: Tensor) -> Tensor:
    return 1 * x


LOOKS = (
    Look(
        "stairs: does f round by itself?",
        _rounded,
        lambda f: vtj.check(f, BEFORE_A_LEAP),
        (trial, "leaping"),
    ),
    Look(
        "a contradicted column of a function that rounds",
        _rounded,
        lambda f: vtj.check(f, BEFORE_A_LEAP),
        (reexamination, "leaps_nearby"),
    ),
    Look(
        "a rough column of a small x, over wider steps",
        custom(_softmax, _softmax_backward),
        lambda f: vtj.check(f, SMALL),
        (differences, "robust_derivative"),
        lambda g, here, first, size, **_: size == 1,
    ),
    Look(
        "each of two inputs alone",
        PRODUCT,
        lambda f: vtj.certify(f, (X, X + 1)),
        (further, "judge_inputs"),
    ),
    Look(
        "each of three inputs alone, and the first as a constant",
        SUM,
        lambda f: vtj.certify(f, (X, X + 1, X + 2)),
        (further, "judge_inputs"),
    ),
    Look(
        "each output alone (certify: none, of a custom Function)",
        BOTH,
        lambda f: vtj.check(f, X),
        (further, "outputs_alone"),
    ),
    Look(
        "a v with gaps, of a custom Function (certify: none)",
        SINE,
        lambda f: vtj.check(f, X),
        (further, "spread"),
    ),
    Look(
        "an expanded v, of a custom Function (certify: none)",
        SINE,
        lambda f: vtj.check(f, X),
        (further, "expanded"),
    ),
    Look(
        "a v with zeros, of a custom Function (certify: none)",
        SINE,
        lambda f: vtj.check(f, X),
        (further, "with_zeros"),
    ),
    Look(
        "another call between, of a custom Function (certify: none)",
        SINE,
        lambda f: vtj.check(f, X),
        (further, "behind_another_call"),
    ),
    Look(
        "double backward of a custom Function (certify: none)",
        SINE,
        lambda f: vtj.check(f, X),
        (judging, "_second_order"),
    ),
    Look(
        "double backward that is silently wrong",
        SILENT,
        lambda f: vtj.check(f, X),
        (judging, "_second_order"),
    ),
    Look(
        "one backward in the dtype that x came in, of a custom Function",
        SINE,
        lambda f: vtj.certify(f, X.float()),
        (directions, "in_own_dtype"),
    ),
    Look(
        "all entries of a J of 4 by 4, to name a mistake",
        DOUBLED,
        lambda f: vtj.certify(f, X),
        (causes, "_of_all_entries"),
    ),
    Look("reference=, of f", SINE, lambda f: vtj.check(f, X, reference=torch.sin)),
    Look("reference=, of the reference", torch.sin, lambda g: vtj.check(SINE, X, reference=g)),
    Look(
        "surrogate=, of f",
        _straight_through,
        lambda f: vtj.check(f, X, surrogate=_itself),
    ),
    Look(
        "surrogate=, of the surrogate",
        _itself,
        lambda g: vtj.check(_straight_through, X, surrogate=g),
    ),
)


class Looks:
    """All looks and what each costs, as a table; they are counted when it is made."""

    def __init__(self) -> None:
        self.calls = {look.name: look.calls() for look in LOOKS}

    def __repr__(self) -> str:
        return as_text(HEADER, self._rows())

    def _repr_html_(self) -> str:
        return as_html(HEADER, self._rows(), "What a further look costs")

    def _rows(self) -> list[tuple[str, str]]:
        return [(name, str(calls)) for name, calls in self.calls.items()]
