"""The whole zoo against vtj, and against gradcheck, slow and fast: who notices what."""

from typing import NamedTuple

import torch
from torch.autograd import gradcheck, gradgradcheck

import vtj
from vtj.table import as_html, as_text

from . import backwards, behaviors, functions, jacobians, published
from .bug import Bug

KINDS = {
    "wrong values": backwards.BUGS,
    "wrong behavior": behaviors.BUGS,
    "seen in part": functions.BUGS,
    "by hand": jacobians.BUGS,
    "published": published.BUGS,
}
BUGS = [bug for bugs in KINDS.values() for bug in bugs]


class Score(NamedTuple):
    """Who caught one bug; None where a tool cannot be asked (gradcheck takes no J by hand)."""

    kind: str
    name: str
    caught: bool
    diagnosed: bool
    slow: bool | None
    fast: bool | None
    finding: str
    lesson: str = ""


class Scores(tuple[Score, ...]):
    """The scores of bugs, as a table."""

    __slots__ = ()
    header = ("the mistake", "vtj", "gradcheck", "gradcheck, fast", "what vtj says")

    def __repr__(self) -> str:
        return as_text(self.header, self._rows())

    def _repr_html_(self) -> str:
        return as_html(self.header, self._rows(), "Who notices which mistake")

    def _rows(self) -> list[tuple[str, ...]]:
        words = {True: "caught", False: "missed", None: "cannot be asked"}
        return [
            (one.name, words[one.caught], words[one.slow], words[one.fast], one.finding)
            for one in self
        ]

    def of(self, kind: str) -> "Scores":
        """Those of one kind."""
        return Scores(one for one in self if one.kind == kind)

    def caught(self, tool: str) -> int:
        """How many bugs a tool notices: ``"caught"`` (vtj), ``"slow"`` or ``"fast"``."""
        return sum(getattr(one, tool) is True for one in self)

    @property
    def asked(self) -> int:
        """How many of them gradcheck can be asked about."""
        return sum(one.slow is not None for one in self)


class Lessons(Scores):
    """The scores of bugs, and what would have shown each to its author."""

    __slots__ = ()
    header = (*Scores.header, "what shows it")

    def _rows(self) -> list[tuple[str, ...]]:
        return [(*row, one.lesson) for row, one in zip(super()._rows(), self, strict=True)]


class Counts(Scores):
    """How many mistakes of each kind every tool notices, as a table."""

    __slots__ = ()
    header = ("the mistakes", "vtj", "gradcheck", "gradcheck, fast")

    def _repr_html_(self) -> str:
        return as_html(self.header, self._rows(), "How many mistakes each tool notices")

    def _rows(self) -> list[tuple[str, ...]]:
        rows = []
        for kind in KINDS:
            those = self.of(kind)
            counts = [f"{those.caught(tool)} of {those.asked}" for tool in ("slow", "fast")]
            by_gradcheck = counts if those.asked else ["cannot be asked"] * 2
            rows.append((kind, f"{those.caught('caught')} of {len(those)}", *by_gradcheck))
        return rows


def report(bug: Bug) -> vtj.Report:
    """Give vtj's report: `check`, which hands on to `certify` where J is large."""
    return vtj.check(bug.make(), bug.x, jacobian=bug.jacobian, order=bug.order)


def gradcheck_catches(bug: Bug, *, fast: bool) -> bool | None:
    """Say whether gradcheck (gradgradcheck for order 2) notices, with its own defaults."""
    if bug.jacobian is not None:
        return None
    parts = bug.x if isinstance(bug.x, tuple) else (bug.x,)
    leaves = tuple(part.detach().clone().requires_grad_() for part in parts)
    test = gradcheck if bug.order == 1 else gradgradcheck
    torch.manual_seed(0)
    try:
        return not test(bug.make(), leaves, fast_mode=fast)
    except Exception:  # a hook or a backward that breaks under gradcheck's probing is noticed too
        return True


def score() -> Scores:
    """Run every bug past the three tools."""
    scores = []
    with torch.random.fork_rng():
        for kind, bug in ((kind, bug) for kind, bugs in KINDS.items() for bug in bugs):
            told = report(bug)
            said = any(bug.says in one for one in told.findings)
            scores.append(
                Score(
                    kind=kind,
                    name=bug.name,
                    caught=told.verdict == "wrong",
                    diagnosed=said and told.culprit == bug.culprit,
                    slow=gradcheck_catches(bug, fast=False),
                    fast=gradcheck_catches(bug, fast=True),
                    finding=next(iter(told.findings), ""),
                    lesson=bug.lesson,
                )
            )
    return Scores(scores)
