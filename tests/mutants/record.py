"""What became of the mutants, file by file: written after each, so that a run resumes."""

import json
import os
import platform
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy
import torch

from tests.mutants.mutant import CHECK, LEFT, SHOWN, Mutant, Outcome

FILE = Path(__file__).parents[2] / "src/vtj_site/records/mutants.json"


def load(file: Path = FILE) -> dict[str, Any]:
    """Return the record, or an empty one."""
    if not file.exists():
        return {"documentation": {}, "library": {}, "reasons": {}}
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record


def save(record: dict[str, Any], file: Path = FILE) -> None:
    """Write the record whole or not at all."""
    part = file.with_suffix(".part")
    text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    part.write_text(text, encoding="utf-8")
    os.replace(part, file)


def made() -> dict[str, str]:
    """Return when and with what a row is made."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "torch": torch.__version__.partition("+")[0],
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }


def row(
    digest: str,
    outcomes: Iterable[Outcome],
    reasons: dict[str, int],
    through: Collection[Mutant],
    seconds: float,
) -> dict[str, Any]:
    """Return what the record says of a file.

    Args:
        digest: of what the mutants depend on.
        outcomes: what became of each.
        reasons: how many are equivalent for which reason.
        through: those that nothing caught and that are not equivalent.
        seconds: how long it took.
    """
    kinds: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        counts = kinds.setdefault(outcome.mutant.kind, Counter())
        if outcome.caught_by == LEFT:
            counts[LEFT] += 1
            continue
        if outcome.caught_by is not None:
            found = SHOWN if outcome.caught_by.startswith(SHOWN) else CHECK
        else:
            found = "through" if outcome.mutant in through else "equivalent"
        counts.update(["planted", found])
    return {
        "digest": digest,
        "kinds": {kind: dict(count) for kind, count in kinds.items()},
        "reasons": reasons,
        "through": [str(mutant) for mutant in through],
        "seconds": round(seconds, 1),
        **made(),
    }


def share_through(rows: dict[str, dict[str, Any]]) -> float:
    """Return the share that got through of all that are faults.

    Args:
        rows: of one part of the record.
    """
    counts = sum((Counter(c) for row in rows.values() for c in row["kinds"].values()), Counter())
    return counts["through"] / max(counts["planted"] - counts["equivalent"], 1)
