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
from pathlib import Path
from typing import Any

from tests.docs.reading import as_the_build_does
from tests.mutants import record
from tests.mutants.equivalent import Equivalent, equivalent
from tests.mutants.forks import Fork
from tests.mutants.mutant import Mutant, Outcome
from tests.mutants.targets import Target, targets

LONGEST = 3600.0
PARTS = ("documentation", "library")


def judged(target: Target, chosen: Callable[[], bool]) -> list[Any]:
    """Return what becomes of a target's mutants that are chosen, and how long it took."""
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
                fork = Fork(lambda t=target: judged(t, chosen(t)), LONGEST)
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
    """Whether a target's row is missing or old, or more got through than may.

    Args:
        target: it.
        row: what the record says of it.
    """
    if row is None or row["digest"] != target.digest:
        return True
    planted = sum(counts["planted"] for counts in row["kinds"].values())
    return len(row["through"]) > target.allowed * planted


def sampling(
    every: list[Target], recorded: dict[str, Any], seconds: float, seed: int
) -> Callable[[Target], Callable[[], bool]]:
    """Return who chooses, for a target, the faults to plant: as many as the time is enough for.

    Args:
        every: the targets.
        recorded: the record, which says how long all their faults took.
        seconds: that may be spent.
        seed: of the choice.
    """
    deadline = time.monotonic() + seconds
    needed = sum(recorded[t.part].get(t.name, {}).get("seconds", 0.0) for t in every)
    share = min(1.0, seconds * (os.cpu_count() or 1) / max(needed, 1.0))

    def choose(target: Target) -> Callable[[], bool]:
        draw = random.Random(f"{seed} {target.name}").random
        return lambda: draw() < share and time.monotonic() < deadline

    return choose


def sorted_out(outcomes: list[Outcome], known: Equivalent) -> tuple[Counter[str], list[Mutant]]:
    """Return how many survivors are equivalent for which reason, and those that are faults."""
    survivors = [outcome.mutant for outcome in outcomes if outcome.caught_by is None]
    named = [(mutant, known.reason(mutant)) for mutant in survivors]
    reasons = Counter(reason for _, reason in named if reason)
    return reasons, [mutant for mutant, reason in named if reason is None]


def line(target: Target, outcomes: list[Outcome], reasons: int, alive: int, seconds: float) -> str:
    """Return one line about a target."""
    caught = len(outcomes) - reasons - alive
    return (
        f"{target.name:45} planted {len(outcomes):4}  caught {caught:4}  "
        f"equivalent {reasons:4}  got through {alive:3}  {seconds:6.1f} s"
    )


def main(arguments: list[str]) -> int:
    """Judge the files that are named, or all whose row is missing or old."""
    parser = argparse.ArgumentParser(prog="nox -s mutants --", description=__doc__)
    parser.add_argument("files", nargs="*", help="from the project's root; or what is stale")
    parser.add_argument("--all", action="store_true", help="all files, also those up to date")
    parser.add_argument("--seconds", type=float, default=math.inf, help="a sample; not recorded")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    options = parser.parse_args(arguments)

    every = targets()
    unknown = set(options.files) - {target.name for target in every}
    if unknown:
        parser.error(f"no such file with mutants: {', '.join(sorted(unknown))}")
    written = record.load()
    for part in PARTS:
        for gone in written[part].keys() - {t.name for t in every if t.part == part}:
            del written[part][gone]
    sample = options.seconds < math.inf
    if options.files:
        every = [target for target in every if target.name in options.files]
    elif not (options.all or sample):
        every = [t for t in every if to_judge(t, written[t.part].get(t.name))]

    as_the_build_does()
    known = equivalent()
    written["reasons"] = known.reasons
    failed = False
    chosen = sampling(every, written, options.seconds, options.seed)
    for number, (target, outcomes, seconds) in enumerate(at_once(every, chosen), 1):
        reasons, alive = sorted_out(outcomes, known)
        said = line(target, outcomes, reasons.total(), len(alive), seconds)
        print(f"[{number}/{len(every)}] {said}")
        enough = len(alive) <= target.allowed * len(outcomes)
        failed |= not enough and not (sample and target.allowed)
        for mutant in alive if not enough or options.files else []:
            print(f"  {mutant}")
        sys.stdout.flush()
        if not sample:
            found = record.row(target.digest, outcomes, dict(reasons), alive, seconds)
            written[target.part][target.name] = found
            record.save(written)
    read = () if sample else (target.name for target in every if target.part == PARTS[0])
    unused = known.unused(read)
    for entry in unused:
        print(f"equivalent.yaml names no survivor any more, take it out: {entry}")
    if failed:
        print(
            "Faults were planted and nothing noticed. For each, add a check that does; or, if what "
            f"a reader sees stays right, name it in {Path(__file__).parent.name}/equivalent.yaml."
        )
    return int(failed or bool(unused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
