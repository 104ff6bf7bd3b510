"""What a run of ours showed about a claim, and the verdict that follows from it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Verdict = Literal["reproduces", "cosmetic", "no longer holds", "imprecise", "broken as printed"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Cases = Mapping[str, bool]
"""What a claim's function may return in place of `Held(cases)`."""

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?!\w)")


@dataclass(frozen=True)
class Printed:
    """The text that stands today where the source printed a line."""

    text: str


@dataclass(frozen=True)
class Held:
    """A statement tried case by case: where it holds, where it does not, and what was shown."""

    cases: Cases
    shown: str = ""

    @property
    def text(self) -> str:
        """The cases in words, those that hold first, then what was shown."""
        parts = []
        for value, answer in ((True, "yes: "), (False, "no: ")):
            if names := [name for name, held in self.cases.items() if held is value]:
                parts.append(answer + "; ".join(names))
        return ". ".join([*parts, self.shown] if self.shown else parts)


@dataclass(frozen=True)
class Renamed:
    """A statement that holds in other words: what it is called today, and whether it is the same.

    `text` is today's name or form, `same` whether running both gave the same.
    """

    text: str
    same: bool


@dataclass(frozen=True)
class Broken:
    """Something that does not run, or is missing, as the page prints it.

    `how` says how it breaks, `fixed` what its fixed form shows.
    """

    how: str
    fixed: Printed | Held

    @property
    def text(self) -> str:
        """How it breaks, then what the fixed form shows."""
        return f"{self.how}. Fixed: {self.fixed.text}"


Evidence = Printed | Held | Renamed | Broken


def compare(printed: str, today: str) -> Verdict:
    """Compare two printed texts: exactly, then up to white space, then by their numbers."""
    if printed == today:
        return "reproduces"
    if "".join(printed.split()) == "".join(today.split()):
        return "cosmetic"
    was, now = ([float(n) for n in _NUMBER.findall(text)] for text in (printed, today))
    return "cosmetic" if was and was == now else "no longer holds"


def decide(words: str, evidence: Evidence) -> Verdict:
    """Return the verdict on a claim in these words that the evidence leads to.

    A printed line is compared with today's (`compare`). A statement that holds in every case tried
    reproduces, one that holds in some is imprecise, one that holds in none no longer holds. What
    only changed its name is cosmetic. What breaks as printed is that, provided that its fixed
    form bears the claim out. A statement without a case to judge it by is a ValueError.
    """
    if isinstance(evidence, Printed):
        return compare(words, evidence.text)
    if isinstance(evidence, Held):
        if not evidence.cases:
            raise ValueError(f"no case was tried for {words!r}: expected at least one")
        if all(evidence.cases.values()):
            return "reproduces"
        return "imprecise" if any(evidence.cases.values()) else "no longer holds"
    if isinstance(evidence, Renamed):
        return "cosmetic" if evidence.same else "no longer holds"
    borne_out = decide(words, evidence.fixed) in ("reproduces", "cosmetic")
    return "broken as printed" if borne_out else "no longer holds"
