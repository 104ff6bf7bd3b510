"""Ask every engine, and the person who derived J by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vtj.calling.clock import OutOfTime
from vtj.calling.complex_numbers import complex_array
from vtj.calling.tensors import as_array
from vtj.engines import BY_HAND, ENGINES, FAMILIES, FORWARD, NUMERIC, Family
from vtj.engines.numeric import NOTHING, SAFETY, Slopes
from vtj.oracle.differences import SINGLE, single_unit
from vtj.oracle.findings import culprits
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Vote, Witness, one_per_family, vote
from vtj.outcome import Outcome
from vtj.report import Row


@dataclass(frozen=True)
class Answers:
    """What was said of J, and what a vote makes of it."""

    trial: Trial
    witnesses: tuple[Witness, ...]  # who gave a value, the first of a family speaking for it
    rows: tuple[Row, ...]  # why the others did not
    slopes: Slopes | None = None  # what the differences gave, when they were asked
    cancelling_kinks: Mask | None = None  # where kinks inside `f` cancel, when that was looked for
    explained: Mask | None = None  # where somebody errs for sure, when single entries told that
    late: tuple[str, ...] = ()  # the engines for which no time was left

    @cached_property
    def speakers(self) -> dict[str, Witness]:
        """The first witness of every family."""
        return one_per_family(self.witnesses)

    @property
    def numeric(self) -> Witness | None:
        """The differences, where they were asked."""
        return self.speakers.get(NUMERIC.name)

    @property
    def exact(self) -> list[Witness]:
        """All others."""
        return [one for one in self.witnesses if one.family != NUMERIC.name]

    def with_numeric(self, numeric: Witness, **changed: Any) -> "Answers":
        """Return the answers with other differences, and what else is changed."""
        witnesses = tuple(numeric if one is self.numeric else one for one in self.witnesses)
        return replace(self, witnesses=witnesses, **changed)

    @cached_property
    def result(self) -> Vote:
        """What the families agree on."""
        return vote(self.witnesses, self.trial.relative)

    @cached_property
    def accused(self) -> list[tuple[Family, Mask]]:
        """Who is at fault, and where; a forward formula of torch's own is named elsewhere."""
        against = self.result.against
        found = culprits(against, self.trial.seen_whole(against)[:, None])
        named = FAMILIES if self.trial.custom else {n for n in FAMILIES if n != FORWARD.name}
        return [(one, mask) for one, mask in found if mask.any() and one.name in named]

    @property
    def blamed(self) -> Mask:
        """Where somebody is at fault."""
        masks = [mask for _, mask in self.accused]
        return np.asarray(np.any([np.zeros(self.trial.size, bool), *masks], axis=0))


def ask_engines(trial: Trial, engines: Sequence[str], jacobian: Any) -> Answers:
    """Ask the engines for J, and take in the one derived by hand.

    An engine that raises gets a row with the reason instead.

    Raises:
        ValueError: When the J by hand has the wrong shape; it names both.
    """
    witnesses: list[Witness] = []
    rows: list[Row] = []
    late: list[str] = []
    slopes, place = None, 0
    for engine in (ENGINES[name] for name in engines):
        family = engine.family.name
        try:
            if engine.slopes is not None:
                found = engine.slopes(trial.f, trial.x, trial.eps)
                if found.value.shape != trial.size:
                    raise ValueError(f"y has {len(found.value)} elements, and had {trial.size[0]}")
                slopes, place = found, len(witnesses)
            else:
                value = trial.matrix(engine(trial.f, trial.x))
                witnesses.append(Witness(engine.name, family, value, silent=np.isnan(value)))
        except OutOfTime:
            late.append(engine.name)
        except Exception as error:
            rows.append(Row(engine.name, family, "not applicable", note=first_line(error)))
            rows += jvp_fails(trial, error) if engine.name == FORWARD.name else []
    if jacobian is not None:
        value = trial.matrix(by_hand(trial, jacobian))
        witnesses.append(Witness(BY_HAND.name, BY_HAND.name, value))
    if slopes is not None:
        witnesses.insert(place, differences_witness(trial, slopes, witnesses))
    return Answers(trial, tuple(witnesses), tuple(rows), slopes, late=tuple(late))


def jvp_fails(trial: Trial, raised: Exception | None) -> list[Row]:
    """Return a row where a forward pass raises, though a custom Function has a `jvp` of its own.

    What torch has not implemented is no mistake of that.
    """
    if raised is None or not trial.own_jvp or isinstance(raised, NotImplementedError):
        return []
    told = f"forward mode raises {first_line(raised)}"
    note = f"{told}; mend the jvp of the custom Function, or take it out"
    return [Row("jvp", FORWARD.name, "note", note=note)]


def by_hand(trial: Trial, jacobian: Any) -> Any:
    """Return the J derived by hand at the trial's `x`, calling it when it is a function.

    Raises:
        TypeError: When it raises; it says what, and that it was given NumPy arrays.
    """
    if hasattr(jacobian, "shape") or not callable(jacobian):  # SciPy's operators can be called too
        return jacobian
    both = zip(trial.parts, trial.x_pairs, strict=True)
    arrays = [complex_array(part) if pair else as_array(part) for part, pair in both]
    try:
        return jacobian(*arrays)
    except Exception as error:
        told = f"the J by hand raised {first_line(error)}"
        expected = f"expected a function of NumPy arrays, {len(arrays)} of them"
        raise TypeError(f"{told}; {expected}") from error


def differences_witness(trial: Trial, slopes: Slopes, exact: Sequence[Witness]) -> Witness:
    """Return differences as a witness to J, silent where their error is too wide to tell."""
    here = trial.y_vector[:, None]
    largest = np.nanmax(abs(slopes.value), axis=1, initial=0.0, keepdims=True)
    for one in exact:  # else the straight-through x + (x.floor() - x).detach() is correct at 0.75
        largest = np.where((slopes.value == 0) & (here == 0), abs(one.value), largest)
    error, silent = error_and_silence(slopes, largest, here)
    value = np.where(silent, np.nan, slopes.value)
    return Witness(NUMERIC.name, NUMERIC.name, value, error, silent=silent)


def error_and_silence(slopes: Slopes, size: Array, here: Array) -> tuple[Array, Mask]:
    """Return how far differences may be off, and where that is too far for them to have a vote.

    At a kink the error reaches from the slope on the left to the slope on the right. Where `y` is
    not finite they are silent too: beside a pole as 1/x at 0 they see a kink, and no derivative.
    `size` is the largest slope to compare with: in the row of J, or the slope itself.
    """
    error = slopes.error + abs(slopes.jump) / 2 / SAFETY
    # Three digits of a slope: of x + 1e-3 sin(1e12 x), a right function, differences have fewer,
    # and would call it wrong. A slope of zero has no digits: nine of y stand in for them, and five
    # where y may come from float32. Else a right tanh in float32 (in tests/) is undecided at 8.7.
    flat = (slopes.value == 0) & (single_unit(here) > 0)
    none = np.where(flat, SAFETY * SINGLE, NOTHING) * abs(here)
    enough = np.where(size > SAFETY * error, 1e-3 * size, none)
    silent = ~((SAFETY * error <= enough) | (slopes.jump != 0)) | ~np.isfinite(here)
    return error, silent


def first_line(error: Exception) -> str:
    r"""Return an error as one line: its type and the first sentence of its message."""
    message = str(error).strip()
    if not message:
        return type(error).__name__
    sentence = message.splitlines()[0].split(". ")[0]
    return f"{type(error).__name__}: {sentence if len(sentence) <= 120 else sentence[:117] + '...'}"


def failure(outcome: Outcome) -> Exception | None:
    """Return what backward raised, for another reason than that `y` is not connected to `x`."""
    error = outcome.error
    unconnected = isinstance(error, RuntimeError) and "does not require grad" in str(error)
    return None if unconnected else error
