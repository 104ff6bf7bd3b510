"""Ask a torch every question in another process, since some releases die of a question.

`nox -s changes` runs `python -m asked.alone` in an environment that has nothing but torch.
"""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from typing import Any

import torch

from .gradients import calls, capability, operations, questions, warned, written

SECONDS = 20  # for a question; the slowest takes a hundredth of one


def answers() -> list[list[Any]]:
    """Return for each question the question, its answer and the warnings.

    One process goes on until it dies; the next one starts behind the question it died of.
    """
    asked = [each for operation in operations() for each in questions(*operation)]
    found: list[list[Any]] = []
    while len(found) < len(asked):
        lines, status = child(asked[len(found) :])
        found += [json.loads(line) for line in lines]
        if status:
            found.append([*asked[len(found)], f"the process died of signal {status & 127}", []])
    return found


def child(asked: list[Any]) -> tuple[list[str], int]:
    """Ask in a copy of this process; return the lines it wrote and how it ended."""
    reading, writing = os.pipe()
    number = os.fork()
    if not number:
        os.close(reading)
        with os.fdopen(writing, "w") as pipe:
            for question in asked:
                signal.alarm(SECONDS)
                pipe.write(json.dumps([*question, *warned(partial(written, question))]) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        lines = [line for line in pipe if line.endswith("\n")]
    return lines, os.waitpid(number, 0)[1]


def main() -> None:
    """Print the answers of the torch that is installed, and on what it ran, as JSON."""
    if hasattr(torch, "set_warn_always"):
        torch.set_warn_always(True)
    print(json.dumps({"answers": answers(), "calls": calls(), "capability": capability()}))


if __name__ == "__main__":
    main()
