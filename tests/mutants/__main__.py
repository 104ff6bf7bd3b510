"""`nox -s mutants`: plant every fault in the documentation, one at a time, and see each caught."""

import argparse
import json
import platform
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy
import torch

from tests.docs.reading import as_the_build_does
from tests.mutants import judging
from tests.mutants.forks import at_once
from tests.mutants.judging import CHECK, SHOWN, Fault, Outcome
from tests.mutants.no_faults import NoFaults
from vtj_site.records.extent import digest

RECORD = judging.ROOT / "src/vtj_site/records/mutants.json"
# Of a hundred files, and of the faults in one: all take 44 minutes on two cores, and everything
# that CI runs is to take less. Whole files took four minutes more: one page alone has 924 faults.
# Of these, what `no_faults.yaml` names is left out: it gets through, so that each runs the rest of
# its page, which takes 10 seconds in `reference/graph.md`, and 94 are named there.
SOME = 12
ONE_IN = 3
WHAT_TO_DO = (
    "Faults were planted and nothing noticed. For each, add a check that does; or, if what a "
    f"reader sees stays right, name it in {Path(__file__).parent.name}/no_faults.yaml."
)


def counted(outcomes: list[Outcome], reasons: list[str | None]) -> dict[str, Counter[str]]:
    """Return for each kind of fault how many were planted, and what became of them."""
    kinds: dict[str, Counter[str]] = {}
    for (fault, caught), reason in zip(outcomes, reasons, strict=True):
        if caught:
            found = SHOWN if caught.startswith(SHOWN) else CHECK
        else:
            found = "no fault" if reason else "through"
        kinds.setdefault(fault.kind, Counter()).update(["planted", found])
    return kinds


def record(rows: dict[str, Any], judged: dict[str, Any], every: list[str]) -> None:
    """Write down what became of the faults of some files; all else stays as it is.

    `judged` says how long each file took, and for how many of its faults each reason held. The
    rows of the others are kept: ask `stale` first.
    """
    written = json.loads(RECORD.read_text(encoding="utf-8"))
    before, known = written.get("documentation", {}), NoFaults.read()
    for name in set(every) - set(rows):
        rows[name], judged[name] = before["files"][name], before["judged"][name]
    why = sum((Counter(one["reasons"]) for one in judged.values()), Counter[str]())
    written["documentation"] = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": the_commit(),
        **versions(),
        "minutes": round(sum(one["seconds"] for one in judged.values()) / 60),
        "reasons": {name: [text, why[name]] for name, text in sorted(known.reasons.items())},
        "digests": {name: digest(name) for name in sorted(rows)},
        "judged": {name: judged[name] for name in sorted(rows)},
        "files": {name: rows[name] for name in sorted(rows)},
    }
    RECORD.write_text(in_lines(written, depth=3) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Return the versions that what became of a fault may depend on."""
    return {
        "torch": torch.__version__.partition("+")[0],
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }


def stale(others: Iterable[str]) -> str:
    """Say which of these files is not as it was recorded, "" if all are."""
    before = json.loads(RECORD.read_text(encoding="utf-8")).get("documentation", {})
    for name in others:
        if name not in before.get("judged", {}) or before["digests"][name] != digest(name):
            return f"{name} has changed since the record: name it too"
        if not versions().items() <= before.items():
            return f"{name} was judged with other versions: record all files"
    return ""


def the_commit() -> str:
    """Return the commit that is checked out, and whether files differ from it."""
    return _git("describe", "--always", "--dirty")


def in_lines(value: Any, depth: int) -> str:
    """Return JSON with a line for each key of objects down to a depth, so that rows can be read."""
    if depth == 0 or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    keys = (f"{json.dumps(key)}: {in_lines(value[key], depth - 1)}" for key in value)
    return "{\n" + ",\n".join(keys) + "\n}"


def of_this_commit(every: list[str]) -> list[str]:
    """Return `SOME` files, those first that changed within a day of the last commit.

    Chance picks among these, and then among the others, anew for each commit.
    """
    day = timedelta(days=1)
    since = datetime.fromisoformat(_git("log", "-1", "--format=%cI")) - day
    changed = set(_git("log", f"--since={since.isoformat()}", "--name-only", "--format=").split())
    commit = _git("rev-parse", "HEAD")
    drawn = sorted(
        every, key=lambda name: (name not in changed, crc32(f"{commit} {name}".encode()))
    )
    return [name for name in every if name in drawn[:SOME]]


def picked_for_this_commit(one: Fault | str) -> bool:
    """Say whether chance picks a fault, or a page by its name, for this commit."""
    return crc32(f"{_commit()} {one}".encode()) % ONE_IN == 0


@cache
def _commit() -> str:
    return _git("rev-parse", "HEAD")


def longest_first(names: Iterable[str]) -> list[str]:
    """Return files in the order of the seconds that they took when they were recorded.

    One of them takes 21 of the 44 minutes: begun last, it would run on alone.
    """
    documentation = json.loads(RECORD.read_text(encoding="utf-8")).get("documentation", {})
    judged = documentation.get("judged", {})
    return sorted(names, key=lambda name: -judged.get(name, {"seconds": 0})["seconds"])


def _git(*command: str) -> str:
    run = subprocess.run(["git", *command], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def main(arguments: list[str]) -> int:
    """Judge the files that are named, or all; return whether something got through."""
    parser = argparse.ArgumentParser(prog="nox -s mutants --", description=__doc__)
    parser.add_argument("files", nargs="*", help="from the project's root; by default all")
    parser.add_argument(
        "--record",
        action="store_true",
        help="write what the site shows of it; the others must be recorded as they are now",
    )
    parser.add_argument(
        "--some",
        action="store_true",
        help=f"one fault of {ONE_IN} in {SOME} files, those of the last day first",
    )
    options = parser.parse_args(arguments)
    every = judging.files()
    if unknown := set(options.files) - set(every):
        parser.error(f"{', '.join(sorted(unknown))}: no fault can be planted there; see `files`")
    if options.record and options.some:
        parser.error("--record needs whole files; none may be drawn")
    names = options.files or (of_this_commit(every) if options.some else every)
    if options.record and (said := stale(sorted(set(every) - set(names)))):
        parser.error(said)

    as_the_build_does()
    known, total, spent = NoFaults.read(), Counter[str](), 0.0
    rows, judged = dict[str, Any](), dict[str, Any]()

    def chosen(fault: Fault) -> bool:
        return not options.some or (picked_for_this_commit(fault) and known.entry(fault) is None)

    def judge(name: str) -> list[Outcome]:
        return list(judging.judge(name, chosen))

    for name, outcomes, seconds in at_once(judge, longest_first(names)):
        reasons = [None if caught else known.reason(fault) for fault, caught in outcomes]
        rows[name] = counted(outcomes, reasons)
        counts = sum(rows[name].values(), Counter[str]())
        judged[name] = {"seconds": round(seconds), "reasons": Counter(filter(None, reasons))}
        total.update(counts)
        spent += seconds
        said = ", ".join(f"{what} {count}" for what, count in counts.items())
        print(f"[{len(rows)}/{len(names)}] {name}: {said}; {seconds:.1f} s", flush=True)
        for (fault, caught), reason in zip(outcomes, reasons, strict=True):
            if caught is None and reason is None:
                print(f"  got through: {fault}", flush=True)
    print(f"all: {', '.join(f'{what} {count}' for what, count in total.items())}; {spent:.0f} s")
    needless = [] if options.some else known.needless(names)
    for entry in needless:
        print(f"no_faults.yaml names what nothing needs any more, take it out: {entry}")
    if total["through"]:
        print(WHAT_TO_DO)
    if options.record:
        record(rows, judged, every)
    return int(bool(total["through"] or needless))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
