"""A plain function that `f` stands for, in float64, and how far a right `f` may be from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from vtj.calling.repeatable import repeatable
from vtj.calling.tensors import Function, as_tuple, fresh_leaves, like, values
from vtj.calling.waiting import waited
from vtj.oracle.directions import POWER, Directions
from vtj.oracle.doubts import open_question, settle
from vtj.oracle.findings import Finding
from vtj.oracle.pairs import probe
from vtj.oracle.passes import Passes
from vtj.oracle.rounded import rounded
from vtj.oracle.tolerance import RELATIVE
from vtj.oracle.trial import ForwardRun, Trial, first_run
from vtj.oracle.voting import Array
from vtj.oracle.witnesses import first_line


@dataclass
class Reference:
    """One plain function, run in float64 where `f` was run, and as if rounded as `f` is."""

    name: str  # the argument that it came as
    trial: Trial  # of the plain function
    run: ForwardRun  # its run at `x` itself
    of: Trial  # of `f`
    weights: tuple[Array, ...]  # gradient arguments
    exact: tuple[Array, ...] = ()  # `y`, and `x.grad` for each of them
    drawn: list[tuple[Array, ...]] = field(default_factory=list)  # the same, rounded at random

    def __post_init__(self) -> None:
        self.exact = self._values(self.trial.parts)

    def draw(self, count: int) -> None:
        """Have this many runs that are rounded at random."""
        while len(self.drawn) < count:
            with rounded(self.of.eps, seed=len(self.drawn)) as mode:
                at = tuple(
                    # more digits than f computes with: it rounds them
                    mode.moved(part, mode.eps) if torch.finfo(x.dtype).eps < mode.eps else part
                    for part, x in zip(self.trial.parts, self.of.parts, strict=True)
                )
                self.drawn.append(self._values(at))

    def _values(self, at: Sequence[Tensor]) -> tuple[Array, ...]:
        leaves = fresh_leaves(tuple(at))
        outputs = as_tuple(self.trial.f(*leaves), "y")
        seen = [i for i, part in enumerate(outputs) if part.requires_grad]
        made = [values(outputs)]
        for weights in self.weights:
            v = as_tuple(self.trial.weights(weights))
            grads: Sequence[Tensor | None] = [None] * len(leaves)
            if seen:
                grads = torch.autograd.grad(
                    [outputs[i] for i in seen],
                    leaves,
                    [v[i] for i in seen],
                    retain_graph=True,
                    allow_unused=True,
                )
            made.append(self.trial.gradient(tuple(waited(grads))))
        return tuple(made)

    def doubts(self) -> Iterator[Finding]:
        """Yield why its own gradient is no witness, where differences of it do not say the same."""
        asked = probe(Passes(self.trial), self.run, None, 1)
        if asked.differences is None:
            yield Finding(f"{self.name}: its own backward fails: nothing to compare", "undecided")
            return
        case = settle(Directions(asked), POWER)
        if case.accused.finding:
            told = "its own gradient is not its slope, as differences see it"
            yield Finding(f"{self.name}: {told}: nothing to compare", "undecided")
        elif open_question(case, POWER):
            told = "its values are too rough to vouch for its own gradient"
            yield Finding(f"{self.name}: {told}", "undecided")


def reference(name: str, g: Function, of: Trial, weights: Sequence[Array]) -> Reference:
    """Run a plain function in float64 at the point at which `f` was run.

    Raises:
        TypeError: When it cannot be called, or raises in float64; it says what.
        ValueError: When it returns another shape than `f`; it names both.
    """
    same = repeatable(g, of.seed)
    x = like(tuple(part.double() for part in of.parts), of.x)
    try:
        trial, run = first_run(same, x, seed=of.seed, as_given=True)
    except Exception as error:
        told = first_line(error)
        raise TypeError(f"{name} raised {told}; expected a function of x in float64") from error
    forms = [tuple(t.y_shapes) if t.y_tuple else t.y_shapes[0] for t in (trial, of)]
    if forms[0] != forms[1]:
        raise ValueError(f"{name} returns shape {forms[0]}; expected that of f, {forms[1]}")
    return Reference(name, trial, run, of, tuple(weights))


def earned(trial: Trial) -> float:
    """Return how far `f` may be from a reference, relative to the element, beside its roundings.

    In half precision that is one unit in the last place: a kernel rounds what it returns.
    """
    half = trial.dtype in (torch.float16, torch.bfloat16)
    return trial.stated or (trial.eps if half else RELATIVE[trial.dtype])
