"""What `check` and `certify` are asked: a function at a point, run once, and until when."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any

from vtj.calling import without_trace
from vtj.calling.arguments import arguments
from vtj.calling.clock import Clock
from vtj.calling.state import Kept
from vtj.calling.tensors import Function, require_function
from vtj.calling.waiting import BackwardFailed, first_failure_told
from vtj.oracle.trial import ForwardRun, Trial, first_run

A_LIST = "x is a list, which f gets as one argument; for several, hand in a tuple."
RAISED_ONCE = "trying to differentiate twice a function that was marked with @once_differentiable"


@dataclass(frozen=True)
class Question:
    """One function at one point."""

    trial: Trial
    run: ForwardRun  # its first
    kept: Kept
    clock: Clock
    plain: dict[str, Function]  # what says how it should be, by the argument that it came as


@contextmanager
def asked(
    name: str,
    f: Function,
    x: Any,
    kwargs: Mapping[str, Any] | None,
    others: Mapping[str, Any],  # what does not go with plain functions, J by hand first
    plain: Mapping[str, Function | None],
    relative: float | None,
    seconds: float | None,
    seed: Any,  # an int, or it is refused
) -> Iterator[Question]:
    """Run `f` once, and put back afterwards what it changes.

    Raises:
        TypeError: When a plain function cannot be called, or `x` or `y` is not of a floating dtype.
        ValueError: When the tolerance, the time or the seed is none, or J came beside a plain
            function.
        OutOfTime: When time is over; it has the clock.
        BackwardFailed: When a device failed at what a backward asked of it, or `y` comes from a
            backward marked ``@once_differentiable``: ``y.backward()`` raises there, and with
            `inputs=` torch gives zeros instead, which are no answer.

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.autograd.function.once_differentiable.html
    """
    # as NumPy takes it
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**32:
        raise ValueError(f"seed is {seed!r}; expected an int from 0 to 2**32 - 1")
    if relative is not None and not (isinstance(relative, Real) and 0 < relative < 1):
        raise ValueError(f"relative is {relative!r}; expected a number between 0 and 1")
    beside = {which: g for which, g in plain.items() if g is not None}
    for which, g in beside.items():
        require_function(g, which)
    for other, value in others.items():
        if beside and value is not None:
            told = f"{other} came beside {' and '.join(beside)}"
            raise ValueError(f"{told}; expected one or the other")
    jacobian = next(iter(others.values()))
    given = arguments(f, x, kwargs, with_weights=jacobian is None, beside=beside.values())
    of_others = {which: given.of_another(g) for which, g in beside.items()}
    with (
        first_failure_told(),
        without_trace(f, seed, given) as (repeated, kept),
        Clock(repeated, seconds, name) as clock,
        ExitStack() as others_kept,
    ):
        for which, of_another in of_others.items():
            entered = without_trace(beside[which], seed, of_another)
            beside[which], _ = others_kept.enter_context(entered)
        try:
            trial, run = first_run(
                clock, given.x, given=given, relative=relative, as_given=bool(beside), seed=seed
            )
        except TypeError as error:
            if isinstance(x, list) and "positional argument" in str(error):
                error.add_note(A_LIST)
            raise
        if trial.once_differentiable:
            raise BackwardFailed(RuntimeError(RAISED_ONCE), trial.told)
        yield Question(trial, run, kept, clock, beside)
