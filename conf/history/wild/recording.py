"""The record: counts of all that was asked, and every sample that not everybody calls right."""

from __future__ import annotations

import datetime
import json
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy
import torch
from environment import ROOT, SITE, CouldNotRunError, write

from wild.asking import WAYS
from wild.running import DEPENDS_ON, LATE, Entry
from wild.samples import ELEMENTS, KINDS, PER_ENTRY

RECORDED = {"cpu": SITE / "records" / "wild.json", "cuda": SITE / "records" / "wild_cuda.json"}
GOOD = {"correct", "pass"}


def commit() -> str:
    """Return the last commit of what the answers depend on; nothing of it may be uncommitted."""
    if changed := _git("status", "--porcelain", "--", *DEPENDS_ON):
        raise CouldNotRunError(f"the record names a commit: commit these first\n{changed}")
    return _git("log", "-1", "--format=%h", "--", *DEPENDS_ON)


def _git(*words: str) -> str:
    return subprocess.check_output(("git", *words), cwd=ROOT, text=True).strip()


def record(entries: Sequence[Entry], device: str, minutes: float, commit: str) -> dict[str, Any]:
    """Return what the site keeps of the answers."""
    return {
        "schema": 1,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit,
        "device": "CPU" if device == "cpu" else torch.cuda.get_device_name(device),
        "torch": torch.__version__.partition("+")[0],
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "minutes": round(minutes),
        "late after": LATE,
        "samples of an entry": PER_ENTRY,
        "elements at most": ELEMENTS,
        "kinds": {kind: _counts([one for one in entries if one["kind"] == kind]) for kind in KINDS},
        "listed": [*listed(entries)],
    }


def listed(entries: Iterable[Entry]) -> Iterable[dict[str, Any]]:
    """Yield the samples on which somebody says something else than *correct* or *pass*."""
    for one in entries:
        for number, sample in enumerate(one["samples"]):
            if {sample[way]["said"] for way in WAYS} - GOOD:
                yield {"kind": one["kind"], "name": one["name"], "sample": number, **sample}


def _counts(entries: Sequence[Entry]) -> dict[str, Any]:
    samples = [sample for one in entries for sample in one["samples"]]
    return {
        "entries": sum(bool(one["samples"]) for one in entries),
        "without a sample": [one["name"] for one in entries if not one["samples"]],
        "samples": len(samples),
        "ways": {way: _of_a_way([sample[way] for sample in samples]) for way in WAYS},
    }


def _of_a_way(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "said": dict(sorted(Counter(one["said"] for one in answers).items())),
        "calls": _spread([one["calls"] for one in answers]),
        "seconds": _spread([one["seconds"] for one in answers]),
    }


def _spread(values: Sequence[float | None]) -> dict[str, float]:
    known = [value for value in values if value is not None]
    if not known:
        return {}
    return {"sum": round(sum(known), 1), "median": round(median(known), 5), "most": max(known)}


def save(content: dict[str, Any], path: Path) -> None:
    """Write the record, a line for each sample that is listed."""
    plain = {key: value for key, value in content.items() if key != "listed"}
    lines = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in content["listed"])
    text = json.dumps(plain, indent=1, ensure_ascii=False).removesuffix("\n}")
    write(path, f'{text},\n "listed": [\n  {lines}\n ]\n}}\n')
