"""Ask everything, on every core, and go on where an earlier run was stopped."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import random
import threading
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import torch
from environment import ROOT

from wild.asking import WAYS, ask
from wild.samples import KINDS, Sample, entries, samples
from wild.worker import LateError, Worker

LATE = 20  # seconds for one answer
TO_DRAW = 120  # seconds for the samples of one entry
FEW, SEED = 40, 0  # how many entries are asked where none are named, and which
FAILED = "CUDA error"  # a device that so failed fails at all that its process asks after that
DEPENDS_ON = ("src/vtj", "conf/history/wild")  # answers of other code are none of this
Entry = dict[str, Any]  # `kind`, `name` and `samples`: what each way answered


def answer(device: str, kind: str, name: str = "", number: int = -1, way: str = "") -> Any:
    """Return the names of a kind, the shapes of an entry's samples, or one answer on one."""
    torch.set_num_threads(1)  # of small tensors, and other workers have the other cores
    if not name:
        return entries(kind, device)
    drawn = _drawn(kind, name, device)
    return [one.shapes() for one in drawn] if number < 0 else ask(drawn[number], way)


@lru_cache(maxsize=1)
def _drawn(kind: str, name: str, device: str) -> list[Sample]:
    return samples(kind, name, device)


def entry(worker: Worker, kind: str, name: str) -> Entry:
    """Ask all of one operator or module."""
    found: list[dict[str, Any]] = []
    for number, shapes in enumerate(worker.ask(kind, name, seconds=TO_DRAW)):
        found.append({"x": shapes})
        for way in WAYS:
            try:
                said = worker.ask(kind, name, number, way, seconds=LATE)
            except LateError as late:
                said = {"said": "late", "calls": None, "seconds": None, "text": str(late)}
            found[-1][way] = said
            if FAILED in said["text"]:
                worker.stop()
    return {"kind": kind, "name": name, "samples": found}


def all_entries(device: str, names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return the kind and name of everything there is, or of what is named."""
    worker = Worker(partial(answer, device), KINDS[0])
    try:
        every = [(kind, name) for kind in KINDS for name in worker.ask(kind, seconds=TO_DRAW)]
    finally:
        worker.stop()
    known = {name for _, name in every}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(
            f"torch's databases have no {', '.join(unknown)}; expected, for example, sin"
        )
    return [one for one in every if not names or one[1] in names]


def few(every: Sequence[tuple[str, str]], count: int = FEW) -> list[tuple[str, str]]:
    """Return some entries, which chance has picked, the same at every call."""
    return random.Random(SEED).sample(every, count)


def run(wanted: Sequence[tuple[str, str]], device: str, workers: int) -> Iterator[Entry]:
    """Yield the entries as they come, from that many processes."""
    waiting: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    for one in wanted:
        waiting.put(one)
    came: queue.SimpleQueue[Entry | BaseException] = queue.SimpleQueue()
    stopped = threading.Event()

    def work() -> None:
        worker = Worker(partial(answer, device), KINDS[0])
        try:
            while not stopped.is_set():
                came.put(entry(worker, *waiting.get_nowait()))
        except queue.Empty:
            pass
        except BaseException as error:  # it is raised where the entries are waited for
            came.put(error)
        finally:
            worker.stop()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        for _ in wanted:
            found = came.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        stopped.set()


def resumed(
    wanted: Sequence[tuple[str, str]], device: str, workers: int, kept: Path
) -> tuple[dict[tuple[str, str], Entry], float]:
    """Ask what the file does not have yet, add it there, and return all with the minutes of all."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    have = {}
    if kept.exists():
        lines = kept.read_text(encoding="utf-8").splitlines()
        have = {(one["kind"], one["name"]): one for one in map(json.loads, lines)}
    missing = [one for one in wanted if one not in have]
    if len(missing) < len(wanted):
        print(f"{len(wanted) - len(missing)} of {len(wanted)} are there already: {kept}")
    start = last = time.monotonic()
    with kept.open("a", encoding="utf-8") as file:
        for number, one in enumerate(run(missing, device, workers), start=1):
            now = time.monotonic()
            # kept with the answer: a run that goes on took what those before it did, and its own
            one, last = {**one, "minutes": (now - last) / 60}, now
            file.write(json.dumps(one) + "\n")
            file.flush()
            have[one["kind"], one["name"]] = one
            for line in told(one):
                print(line)
            if number % 20 == 0 or number == len(missing):
                print(f"{number} of {len(missing)}, {(now - start) / 60:.1f} min", flush=True)
    return {one: have[one] for one in wanted}, sum(have[one]["minutes"] for one in wanted)


def told(one: Entry) -> Iterator[str]:
    """Yield a line for each sample on which somebody says something else than *correct*."""
    for number, sample in enumerate(one["samples"]):
        said = [sample[way]["said"] for way in WAYS]
        if {*said} - {"correct", "pass"}:
            words = ", ".join(f"{way} {word}" for way, word in zip(WAYS, said, strict=True))
            yield f"  {one['kind']} {one['name']} [{number}]: {words}"


def kept_for_this_code(device: str) -> Path:
    """Return the file of answers of the code as it is now, of this torch and on a device."""
    digest = hashlib.sha256((torch.__version__ + device).encode())
    for folder in DEPENDS_ON:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return ROOT / "build" / "wild" / f"{digest.hexdigest()[:12]}.jsonl"


def cores() -> int:
    """Return how many processes can run at once."""
    return len(os.sched_getaffinity(0))
