"""`nox -s mutants`: plant every fault, one at a time, and see each caught."""

import argparse
import math
import os
import random
import select
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.docs.reading import as_the_build_does
from tests.mutants import library, record
from tests.mutants.equivalent import Equivalent, equivalent
from tests.mutants.forks import Fork
from tests.mutants.mutant import LEFT, Mutant, Outcome
from tests.mutants.targets import Target, targets

LONGEST = 3600.0
ALLOWED = {"documentation": 0.0, "library": 0.05}
"""The share that may get through, by the part of the record."""


def judged(target: Target, chosen: Callable[[], bool]) -> list[Any]:
    """Return what becomes of a target's mutants that are chosen."""
    return list(target.judge(chosen))


def at_once(
    every: list[Target], chosen: Callable[[Target], Callable[[], bool]]
) -> Iterator[tuple[Target, list[Outcome], float]]:
    """Judge targets side by side, each in a fork; yield each when it is done."""
    waiting = list(every)
    running: dict[Fork, tuple[Target, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                target = waiting.pop(0)
                fork = Fork(partial(judged, target, chosen(target)), LONGEST)
                running[fork] = (target, time.monotonic())
            for fork in select.select(list(running), [], [])[0]:
                target, started = running.pop(fork)
                answer = fork.answer()
                if isinstance(answer, str):
                    raise ChildProcessError(f"{target.name}: {answer}")
                outcomes = [Outcome(Mutant(*mutant), caught) for mutant, caught in answer]
                yield target, outcomes, time.monotonic() - started
    finally:
        for fork in running:
            fork.end()


def to_judge(target: Target, row: dict[str, Any] | None) -> bool:
    """Whether a target's row is missing or old, or something got through to the reader.

    Args:
        target: it.
        row: what the record says of it.
    """
    if row is None or row["digest"] != target.digest:
        return True
    return target.part == "documentation" and bool(row["through"])


def sampling(
    every: list[Target], recorded: dict[str, Any], seconds: float, seed: int
) -> Callable[[Target], Callable[[], bool]]:
    """Return who chooses, for a target, the faults to plant: as many as the time is enough for.

    Each part of the record has its own share of the time, from its first target on.

    Args:
        every: the targets.
        recorded: the record, which says how long all their faults took.
        seconds: that may be spent.
        seed: of the choice.
    """
    needed = Counter[str]()
    for target in every:
        row = recorded[target.part].get(target.name, {"seconds": 1.0})
        needed[target.part] += row["seconds"]
    share = min(1.0, seconds * (os.cpu_count() or 1) / max(needed.total(), 1.0))
    ends: dict[str, float] = {}

    def choose(target: Target) -> Callable[[], bool]:
        own = seconds * needed[target.part] / needed.total()
        end = ends.setdefault(target.part, time.monotonic() + own)
        draw = random.Random(f"{seed} {target.name}").random
        return lambda: draw() < share and time.monotonic() < end

    return choose


def sorted_out(outcomes: list[Outcome], known: Equivalent) -> tuple[Counter[str], list[Mutant]]:
    """Return how many survivors are equivalent for which reason, and those that are faults."""
    for outcome in outcomes:
        if outcome.caught_by == LEFT:
            known.reason(outcome.mutant)  # its excuse may be needed by the next draw
    survivors = [outcome.mutant for outcome in outcomes if outcome.caught_by is None]
    named = [(mutant, known.reason(mutant)) for mutant in survivors]
    reasons = Counter(reason for _, reason in named if reason)
    return reasons, [mutant for mutant, reason in named if reason is None]


def line(target: Target, outcomes: list[Outcome], reasons: int, alive: int, seconds: float) -> str:
    """Return one line about a target."""
    planted = sum(outcome.caught_by != LEFT for outcome in outcomes)
    caught = planted - reasons - alive
    return (
        f"{target.name:45} planted {planted:4}  caught {caught:4}  "
        f"equivalent {reasons:4}  got through {alive:3}  {seconds:6.1f} s"
    )


class Run:
    """Judges targets, shows a line for each, and keeps the record.

    Args:
        written: the record.
        chooser: says for a target which of its faults are planted.
        recorded: whether the record is written.
    """

    def __init__(
        self,
        written: dict[str, Any],
        chooser: Callable[[Target], Callable[[], bool]],
        recorded: bool,
    ) -> None:
        self._written, self._chooser, self._recorded = written, chooser, recorded
        self.known = equivalent()
        self.planted, self.through = Counter[str](), Counter[str]()

    def judge(self, every: list[Target]) -> None:
        """Judge targets, and write a row for each as soon as it is done."""
        self._written["reasons"] = self.known.reasons
        for number, (target, outcomes, seconds) in enumerate(at_once(every, self._chooser), 1):
            reasons, alive = sorted_out(outcomes, self.known)
            said = line(target, outcomes, reasons.total(), len(alive), seconds)
            print("\n  ".join([f"[{number}/{len(every)}] {said}", *map(str, alive)]), flush=True)
            planted = sum(outcome.caught_by != LEFT for outcome in outcomes)
            self.planted[target.part] += planted - reasons.total()
            self.through[target.part] += len(alive)
            if self._recorded:
                found = record.row(target.digest, outcomes, dict(reasons), alive, seconds)
                self._written[target.part][target.name] = found
                record.save(self._written)

    def failed(self) -> bool:
        """Whether more got through than may."""
        if self._recorded:
            return any(record.share_through(self._written[p]) > a for p, a in ALLOWED.items())
        # In a sample the share varies: by three standard deviations it must be exceeded.
        spread = {part: 3 * math.sqrt(a * self.planted[part]) for part, a in ALLOWED.items()}
        return any(self.through[p] > a * self.planted[p] + spread[p] for p, a in ALLOWED.items())


def main(arguments: list[str]) -> int:
    """Judge the files that are named, or all whose row is missing or old."""
    parser = argparse.ArgumentParser(prog="nox -s mutants --", description=__doc__)
    parser.add_argument("files", nargs="*", help="from the project's root; or what is stale")
    parser.add_argument("--all", action="store_true", help="all files, also those up to date")
    parser.add_argument("--seconds", type=float, default=math.inf, help="a sample; not recorded")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args(arguments)

    every = [*targets(), *library.targets()]
    unknown = set(options.files) - {target.name for target in every}
    if unknown:
        parser.error(f"no such file with mutants: {', '.join(sorted(unknown))}")
    written = record.load()
    for part in ALLOWED:
        for gone in written[part].keys() - {t.name for t in every if t.part == part}:
            del written[part][gone]
    sample = options.seconds < math.inf
    if options.files:
        every = [target for target in every if target.name in options.files]
    elif not (options.all or sample):
        every = [t for t in every if to_judge(t, written[t.part].get(t.name))]

    as_the_build_does()
    chooser = sampling(every, written, options.seconds, options.seed)
    run = Run(written, chooser, recorded=not sample)
    pages, modules = ([t for t in every if t.part == part] for part in ALLOWED)
    run.judge(pages)
    if modules:
        library.warmed_up(modules, run.judge)
    unused = [] if sample else run.known.unused(target.name for target in every)
    for entry in unused:
        print(f"equivalent.yaml names no survivor any more, take it out: {entry}")
    if run.failed():
        print(
            "Faults were planted and nothing noticed. For each, add a check that does; or, if what "
            f"a reader sees stays right, name it in {Path(__file__).parent.name}/equivalent.yaml."
        )
    return int(run.failed() or bool(unused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
