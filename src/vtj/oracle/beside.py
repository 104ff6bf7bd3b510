"""The report on `f` beside a plain function that says what its value or its gradient should be."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._pytree import tree_leaves

from vtj.calling.outputs import may_have_a_gradient
from vtj.calling.repeatable import repeatable
from vtj.calling.tensors import Function, Tensors, as_tuple, fresh_leaves, like, shaped_like, values
from vtj.calling.waiting import waited
from vtj.engines import BACKWARD
from vtj.engines.numeric import CLOSE, SAFETY
from vtj.oracle.behavior import (
    LINEAR,
    Judged,
    gradient_left,
    judge_f,
    judge_passes,
    observe,
    raises,
    signed,
    unchecked,
)
from vtj.oracle.directions import POWER
from vtj.oracle.doubts import open_question, settle
from vtj.oracle.findings import Finding, accusation, concluded, numbers
from vtj.oracle.further import judge_further
from vtj.oracle.pairs import at_first_sight, probe
from vtj.oracle.passes import Passes
from vtj.oracle.patterns import pattern
from vtj.oracle.question import Question
from vtj.oracle.rounded import rounded
from vtj.oracle.tolerance import RELATIVE, VISIBLE, excess
from vtj.oracle.trial import ForwardRun, Trial, first_run
from vtj.oracle.twice import Twice, twice
from vtj.oracle.voting import Array, finite, unnamed
from vtj.oracle.witnesses import failure, first_line
from vtj.outcome import Outcome
from vtj.report import Report, Row

# How often the reference is run with roundings drawn at random: with 4 alone an element of a right
# bfloat16 attention is now and then called wrong. Before an accusation it is run MANY times in the
# dtype of f too: with 4 a right gelu(x @ w) is wrong for 3 of 40 x.
FEW, MANY = 4, 16
# How large an error of a whole value must show before anything is correct, if more than `VISIBLE`:
# in units in the last place of f, and at most. Of a right batch norm in float16, an error of 0.005
# of a bias' gradient shows: with four units it was undecided. One of 5 % has to show in bfloat16.
UNITS, AT_MOST = 10, 0.05
WRITTEN = 6  # tensors of which that is written out; a network has hundreds
# A part of each element of x. By a few units in the last place of float32, 1 + erf(x) would stay on
# the same step of those that are left of it near -5: a right gelu(x @ w) that adds up in another
# order (in tests/) would be wrong for 9 of 40 x.
CLOSE_BY = 2.0**-6

Made = TypeVar("Made")


@dataclass(frozen=True)
class Whole:
    """One tensor of `f` beside the reference's, as a whole."""

    name: str
    by: float  # which part of itself it is too large by
    lost: float  # how much of that roundings drawn at random make
    passes: float  # how much of that passes

    def power(self, limit: float) -> float:
        """Return how large an error of all elements shows.

        What is near hides none but by its roundings, which `MANY` draws know. Without that a
        logsumexp of rows of 4096 in bfloat16 (in tests/), which adds up in float32, would be
        undecided: torch's own rounds its y, and is off by 3 % with it.
        """
        hidden = abs(self.by) + self.lost
        return hidden if hidden <= limit < self.passes else self.passes


@dataclass(frozen=True)
class Beside:
    """One value of `f` beside the reference's."""

    of_y: bool  # else of a gradient
    right: Array
    allowed: Array  # how far each element may be off
    apart: Array  # how far it is, in units of that
    wholes: list[Whole]  # per tensor

    @property
    def worst(self) -> float:
        """The largest distance, of an element or of a whole."""
        wholes = (abs(whole.by) / whole.passes for whole in self.wholes)
        return max(float(self.apart.max(initial=0)), *wholes, 0.0)


@dataclass
class Reference:
    """One plain function, run in float64 where `f` was run, and as if rounded as `f` is."""

    name: str  # the argument that it came as
    trial: Trial  # of the plain function
    run: ForwardRun  # its run at `x` itself
    of: Trial  # of `f`
    weights: Sequence[Array]  # gradient arguments
    exact: tuple[Array, ...] = ()  # `y`, and `x.grad` for each of them
    drawn: list[tuple[Array, ...]] = field(default_factory=list)  # the same, rounded at random

    def __post_init__(self) -> None:
        self.exact = self._values(self.trial.parts)

    def beside(self, mine: Array, place: int) -> Beside:
        """Compare `y` or a gradient, that `place` of `exact`: each element, and each whole tensor.

        Roundings are lost in a whole: what all elements are off by shows there, where one alone may
        be.
        """
        for count in (FEW, MANY):
            while len(self.drawn) < count:
                self._draw()
            found = self._beside(mine, place)
            if found.worst <= 1 and all(one.passes <= shown(self.of) for one in found.wholes):
                return found
        return (
            found
            if found.worst <= 1
            else self._beside(mine, place, [*self.lost[place], *self.own[place]])
        )

    def _beside(self, mine: Array, place: int, more: Sequence[Array] = ()) -> Beside:
        right, relative, info = self.exact[place], earned(self.of), torch.finfo(self.of.dtype)
        digits = float(torch.finfo(torch.float64).eps / info.eps)
        moved = np.nan_to_num(np.stack([*(one[place] - right for one in self.drawn), *more]))
        scale, wholes = abs(right), []
        names, shaped = (
            (self.of.x_names("x.grad"), self.of.parts) if place else (self.of.y_names, self.of.y)
        )
        stops = np.cumsum([part.numel() for part in shaped])[:-1]
        parts = [np.split(one, stops, axis=-1) for one in (mine, right, moved, scale)]
        for name, came, due, drawn, sizes in zip(names, *parts, strict=True):
            square = float(due @ due)
            # what float64 leaves of a zero, as of the gradient of a bias before a batch norm, has
            # no part to be off by; of an f in float64 nobody has more digits to tell
            noise = SAFETY * digits * abs(drawn).max(initial=0) if digits < 1 else 0.0
            zero = abs(due).max(initial=0) <= noise
            if 0 < square < np.inf and not zero and np.isfinite(came).all():
                lost = float(abs(drawn @ due).max()) / square
                by = float((came - due) @ due) / square
                wholes.append(Whole(name, by, lost, relative + SAFETY * lost))
                if self.of.stated:  # else no approximation would pass where it crosses zero
                    np.maximum(sizes, np.sqrt(square / due.size), out=sizes)
        smallest = float(info.tiny * info.eps)  # what underflows is off by as much
        allowed = relative * scale + SAFETY * abs(moved).max(axis=0, initial=0) + smallest
        apart = np.where(abs(right) > info.max, 0.0, excess(mine, right, allowed))
        return Beside(place == 0, right, allowed, apart, wholes)

    def _draw(self) -> None:
        """Have one more run that is rounded at random."""
        self.drawn.append(self._rounded(self._values, len(self.drawn)))

    def _rounded(self, run: Callable[[tuple[Tensor, ...]], Made], seed: int) -> Made:
        """Return what a run at `x` gives that is rounded at random."""
        with rounded(self.of.eps, seed) as mode:
            at = tuple(
                # more digits than f computes with: it rounds them
                mode.moved(part) if torch.finfo(x.dtype).eps < self.of.eps else part
                for part, x in zip(self.trial.parts, self.of.parts, strict=True)
            )
            return run(at)

    @cached_property
    def lost(self) -> list[list[Array]]:
        """How far the plain function is off in the dtype of `f`, at `x` and close by.

        So for `y` and each gradient. A single operation may round inside, where `drawn` does not
        see it: in float32 a gelu is 0 at -6 and below, as no digit of 1 + erf(x) is left there.
        """
        found: list[list[Array]] = [[] for _ in self.exact]
        generator = torch.Generator().manual_seed(self.of.seed)
        with suppress(Exception):  # some operations are in float32 and float64 alone
            for k in range(MANY):
                at = tuple(_moved(part, generator) if k else part for part in self.of.parts)
                came = self._values(at)
                due = self._values(tuple(part.double() for part in at)) if k else self.exact
                for one, other, lost, limit in zip(came, due, found, self.most, strict=True):
                    lost.append(np.where(abs(one - other) <= limit, one - other, 0.0))
        return found

    @cached_property
    def own(self) -> list[list[Array]]:
        """How far `f` is off by the roundings of its own operations, drawn once more.

        A kernel that composes y or its backward rounds each of them, and where these cancel, as in
        the 1 + erf(x) of a gelu near -3, nothing else says how many digits are left. Without it a
        right gelu or mish (in tests/) would be wrong in half precision for most x of 64 elements.
        """
        return self._own(create_graph=False)

    @cached_property
    def own_with_graph(self) -> list[list[Array]]:
        """The same under ``create_graph=True``, where a backward is made of others that round."""
        return self._own(create_graph=True)

    def _own(self, *, create_graph: bool) -> list[list[Array]]:
        found: list[list[Array]] = [[] for _ in self.exact]
        run = partial(self._values, self.of.parts, self.of.f, create_graph=create_graph)
        with suppress(Exception):  # not all that f may do runs under a mode
            right = run()
            for seed in range(MANY):
                with rounded(None, seed):
                    came = run()
                for one, due, off, limit in zip(came, right, found, self.most, strict=True):
                    # what was drawn is up to twice a rounding; with no limit a sine of 300 x in
                    # bfloat16 (in tests/), whose backward is twice as large, would be undecided
                    off.append(np.clip((one - due) / 2, -limit, limit))
        return found

    @cached_property
    def most(self) -> list[float]:
        """How much of `y` and of each gradient may be rounding.

        Without it a sine that is wrong in bfloat16 alone (in tests/) would be correct beside
        itself.
        """
        begins = (values(self.trial.parts), *self.weights)  # of `y`, and of each `x.grad`
        return [
            earned(self.of) * max(finite(one).max(initial=0) for one in pair)
            for pair in zip(self.exact, begins, strict=True)
        ]

    def _values(
        self, at: tuple[Tensor, ...], f: Function | None = None, *, create_graph: bool = False
    ) -> tuple[Array, ...]:
        leaves = fresh_leaves(at)
        outputs = as_tuple((f or self.trial.f)(*leaves), "y")
        seen = [i for i, part in enumerate(outputs) if part.requires_grad]
        made = [values(outputs)]
        for weights in self.weights:
            v = shaped_like(weights, outputs)
            grads: Sequence[Tensor | None] = [None] * len(leaves)
            if seen:
                grads = torch.autograd.grad(
                    [outputs[i] for i in seen],
                    leaves,
                    [v[i] for i in seen],
                    retain_graph=True,
                    create_graph=create_graph,
                    allow_unused=True,
                )
            made.append(self.trial.gradient(tuple(waited(grads))))
        return tuple(made)

    def second_order(self, mine: Twice) -> Iterator[Row]:
        """Yield a row for each part in which the double backward of `f` is another, for sure.

        That of the plain function may be silently wrong itself: differences must say the same.
        """
        if self.of.stated:  # it says nothing of slopes: with a tanh for an erf, a gelu has others
            return
        run = partial(self._twice, mine.u)
        if (right := run(self.trial.parts)) is None:
            return
        gaps = abs(mine.by_graph - right.by_graph)
        allowed = shown(self.of) * np.maximum(abs(mine.by_graph), abs(right.by_graph))
        if not (gaps > allowed).any():
            return
        drawn = [self._rounded(run, seed) for seed in range(MANY)]
        lost = [abs(one.by_graph - right.by_graph) if one else np.full(2, np.inf) for one in drawn]
        off = np.isfinite(gaps) & (gaps > allowed + SAFETY * np.max(lost, axis=0))
        if off.any() and not self.declared:
            slopes = right.slopes(CLOSE * Passes(self.trial).reach(mine.u))
            off &= abs(slopes - right.by_graph) <= gaps / SAFETY
        for k in map(int, np.flatnonzero(off)):
            yield mine.row(k, right.by_graph[k], f"that of the {self.name}")

    def _twice(self, u: Array, at: tuple[Tensor, ...]) -> Twice | None:
        leaves = fresh_leaves(at)
        with sdpa_kernel(SDPBackend.MATH):  # torch's other kernels have no double backward
            return twice(self.trial, ForwardRun(leaves, self.trial.f(*leaves)), self.weights[0], u)

    @property
    def declared(self) -> bool:
        """Whether what autograd gives for it is meant, whatever its slope is.

        A custom Function may be what is checked, and is believed nowhere.
        """
        return self.name == "surrogate" and not self.trial.custom

    def doubted(self) -> Row | Finding | None:
        """Return why its own gradient is no witness, where differences say something else.

        Where it is declared to be meant, a row says then that they differ.
        """
        asked = probe(Passes(self.trial), self.run, None, 1)
        if asked.differences is None:
            told = "its own backward fails: nothing to compare"
        elif (case := settle(at_first_sight(asked), POWER)).finding:
            told = "its own gradient is not its slope, as differences see it"
            if self.declared:
                return Row(self.name, "", "note", note=f"{told}: taken as it is")
            told += ": nothing to compare"
        elif open_question(case, POWER) and not self.declared:
            told = "its values are too rough to vouch for its own gradient"
        else:
            return None
        return Finding(f"{self.name}: {told}", "undecided")


def reference(name: str, g: Function, of: Trial, weights: Sequence[Array]) -> Reference:
    """Run a plain function in float64 at the point at which `f` was run.

    Raises:
        TypeError: When it cannot be called, or raises in float64; it says what.
        ValueError: When it returns another shape than `f`; it names both.
    """
    x = like(tuple(part.double() for part in of.parts), of.x)
    returned: list[Any] = []

    def seen(*parts: Tensor) -> Any:
        y = g(*parts)
        returned[:] = [y]
        return y

    try:
        trial, run = first_run(repeatable(seen, of.seed), x, seed=of.seed, as_given=True)
    except Exception as error:
        if returned and not any(map(may_have_a_gradient, tree_leaves(returned))):
            (y,) = returned
            kind = y.dtype if isinstance(y, Tensor) else type(y).__name__
            told = f"{name} returned {kind}; expected floating tensors, as f returns them"
            raise TypeError(told) from error
        told = first_line(error)
        raise TypeError(f"{name} raised {told}; expected a function of x in float64") from error
    forms = [tuple(t.y_shapes) if t.y_tuple else t.y_shapes[0] for t in (trial, of)]
    if forms[0] != forms[1]:
        raise ValueError(f"{name} returns shape {forms[0]}; expected that of f, {forms[1]}")
    return Reference(name, trial, run, of, weights)


def _moved(part: Tensor, generator: torch.Generator) -> Tensor:
    """Return a tensor of the same dtype whose elements are moved by up to this part."""
    drawn = torch.rand(part.shape, generator=generator, dtype=torch.float64).to(part.device)
    return (part.double() * (1 + CLOSE_BY * (2 * drawn - 1))).to(part.dtype)


def earned(trial: Trial) -> float:
    """Return how far `f` may be from a reference, relative to the element, beside its roundings.

    In half precision that is one unit in the last place: a kernel rounds what it returns.
    """
    half = trial.dtype in (torch.float16, torch.bfloat16)
    return trial.stated or (trial.eps if half else RELATIVE[trial.dtype])


def shown(trial: Trial) -> float:
    """Return how large an error of a whole must show in the dtype of `f`, as a part of it."""
    return max(VISIBLE, min(UNITS * trial.eps, AT_MOST), 2 * earned(trial))


def report_beside(
    question: Question, v: Tensors | None, *, with_second_order: bool = True
) -> Report:
    """Return the report on one function at one point, in the dtype that it was given.

    Of its plain functions a reference gives `y`, and `x.grad` if nothing else does; a surrogate
    gives `x.grad`.
    """
    trial, kept, named = question.trial, question.kept, question.plain
    held = np.repeat(
        [i in trial.held for i in range(len(trial.y))], [part.numel() for part in trial.y]
    )
    weights = [np.where(held, 0.0, trial.weighing(one)) for one in (v, signed(trial))]
    asked = {name: reference(name, g, trial, weights) for name, g in named.items()}
    seen = observe(trial, v)
    of_grad = asked.get("surrogate") or asked["reference"]
    judged = list(_values(trial, asked.get("reference"), of_grad, (seen.first, seen.signed)))
    grad = gradient_left(trial, seen.first)
    judged += judge_passes(trial, seen, abs(of_grad.exact[1]), _of_graph(of_grad, grad, seen.graph))
    if grad is not None:
        right = unnamed(grad, 0.0, abs(of_grad.exact[1]))
        inputs = trial.custom or not trial.parameters  # of a network that is hundreds of passes
        judged += judge_further(trial, seen.weights, right, inputs=inputs)
    stated = replace(trial, stated=earned(trial))
    judged += judge_f(stated, (seen.first, seen.again, seen.signed), kept)
    first = sorted(judged, key=lambda one: not one.explains_all)
    found = [one.finding for one in first if one.finding]
    found.sort(key=lambda one: not one.culprit)
    notes, open_questions = unchecked(trial, kept, "check", named)
    found += open_questions
    if not any(one.verdict == "wrong" for one in found):
        doubted = of_grad.doubted()  # of a reference beside a surrogate, y alone is compared
        notes += [doubted] if isinstance(doubted, Row) else []
        found += [doubted] if isinstance(doubted, Finding) else []
    if trial.looked_into and with_second_order and not found:
        u = values(trial.at(trial.direction()))  # as f is handed it
        mine = twice(trial, question.run, weights[0], u)
        notes += of_grad.second_order(mine) if mine else []
    return concluded(
        f"{trial.told} in {trial.precision}, beside {' and '.join(named)} in float64",
        (*(one.row for one in judged), *notes),
        found,
    )


def _values(
    trial: Trial, of_y: Reference | None, of_grad: Reference, outcomes: Sequence[Outcome]
) -> Iterator[Judged]:
    """Judge `y` and `x.grad` beside what they should be, and say how small an error shows."""
    compared: list[Beside] = []
    if of_y is not None:
        compared.append(of_y.beside(trial.y_vector, 0))
        yield _judged(trial, "y", trial.y_vector, compared[-1], of_y.name)
    for place, (what, outcome) in enumerate(zip(("x.grad", LINEAR), outcomes, strict=True), 1):
        if error := failure(outcome):
            yield raises(what, error)
            return
        mine = trial.gradient(outcome.grad)
        compared.append(of_grad.beside(mine, place))
        judged = _judged(trial, what, mine, compared[-1], of_grad.name)
        # what is wrong for one v is wrong for the other: it is said once
        yield judged if place == 1 or compared[-2].worst <= 1 else Judged(judged.row)
    wholes = [whole for one in compared[:-1] for whole in one.wholes]
    if wholes:
        yield _power(trial, [(one.name, one.power(shown(trial))) for one in wholes])


def _of_graph(of_grad: Reference, grad: Array | None, graph: Array | str) -> Array:
    """Return how far a gradient under ``create_graph=True`` may be off by rounding."""
    right = of_grad.exact[1]
    off: Array = 2 * of_grad.beside(right, 1).allowed / SAFETY
    if grad is None or isinstance(graph, str) or (abs(graph - grad) <= off).all():
        return off
    # that of silu in half precision is made of others then, each of which rounds
    for lost in of_grad.own_with_graph[1]:
        np.maximum(off, abs(lost), out=off)
    return off


def _judged(trial: Trial, what: str, mine: Array, found: Beside, who: str) -> Judged:
    row = Row(what, who, "differs" if found.worst > 1 else "agrees", found.worst)
    if found.worst <= 1:
        return Judged(row)
    name: Callable[[int], str]
    if found.of_y:
        culprit, conclusion, name = "f", "f gives another value", trial.y_name
    else:
        culprit, conclusion = BACKWARD.culprit, BACKWARD.conclusion
        name = partial(trial.x_name, "x.grad")
    differs = found.apart > 1
    if differs.any():
        at = int(np.argmax(found.apart))
        pair = float(mine[at]), float(found.right[at])
        came, due = numbers(pair, apart=pair)
        told = f"{name(at)}: {culprit} {came}, {who} {due}"
        inputs = () if found.of_y else trial.inputs
        named = pattern(mine, found.right, differs, found.allowed / 4, inputs)
        count = f"{differs.sum()} of {differs.size} elements" if differs.size > 1 else ""
        return Judged(row, accusation(told, conclusion, culprit, named, count))
    whole = max(found.wholes, key=lambda one: abs(one.by) / one.passes)
    told = f"{whole.name}: as a whole {1 + whole.by:.4g} times what {who} says"
    return Judged(row, accusation(told, conclusion, culprit))


def _power(trial: Trial, powers: Sequence[tuple[str, float]]) -> Judged:
    told = ", ".join(f"{name} {passes:.1g}" for name, passes in powers[:WRITTEN])
    if more := powers[WRITTEN:]:
        told += f", {len(more)} more {max(passes for _, passes in more):.1g} at most"
    note = f"seen, if all elements are off by that part of themselves: {told}"
    row = Row("power", "", "note", note=note)
    name, weakest = max(powers, key=lambda one: one[1])
    if weakest <= shown(trial):
        return Judged(row)
    told = f"{name}: an error of {weakest:.1g} of it would not show: rounded to {trial.precision},"
    told += " the plain function is off by as much itself; "
    if trial.dtype != torch.float64:
        finer = "float64" if trial.dtype == torch.float32 else "float32"
        told += f"hand in x in {finer}, if f computes in that, or "
    told += "try another x"
    return Judged(row, Finding(told, "undecided"))
