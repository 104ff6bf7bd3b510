"""Time two ways to one gradient over sizes: what the pages say of costs is asked of these rows.

`nox -s bench-costs` records them. The two run by turns, in one thread, and their CPU time counts,
as with the oracle's peers; the first runs a second time in each round, and its ratio to itself
shows how far a ratio is to be believed. The code that is recorded is the code that was run.
"""

import argparse
import json
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import torch

from .oracle.ratios import made_with, rounds


class Comparison(NamedTuple):
    """Two ways, what runs before both (with `n`, the size), and the sizes."""

    unit: str
    sizes: tuple[int, ...]
    before: str
    first: str
    second: str


DECADES = tuple(10**power for power in range(1, 8))
LAYERS = """from torch.nn import Linear, Sequential, Tanh
model = Sequential(*[kind for _ in range(8) for kind in (Linear(256, 256), Tanh())])
x = torch.randn(n, 256, requires_grad=True)
plain = model(x).sum()"""
COMPARISONS = {
    "sum against ones": Comparison(
        "elements",
        DECADES,
        "x = torch.ones(n, requires_grad=True)\ny = x**2",
        "x.grad = None; y.sum().backward(retain_graph=True)",
        "x.grad = None; y.backward(torch.ones_like(y), retain_graph=True)",
    ),
    "row by row against jacrev": Comparison(
        "rows",
        (1, *DECADES[:2]),
        "W, x = torch.randn(n, 100), torch.randn(100, requires_grad=True)\n"
        "def f(x): return torch.tanh(W @ x)\n"
        "def row(one): return torch.autograd.grad(one, x, retain_graph=True)[0]",
        "torch.stack([row(one) for one in f(x)])",
        "torch.func.jacrev(f)(x)",
    ),
    "jacrev against jacfwd": Comparison(
        "inputs",
        (1, *DECADES[:4]),
        "W, x = torch.randn(100, n), torch.randn(n)\n"
        "def f(x): return torch.tanh(W @ x).sum()",
        "torch.func.jacrev(f)(x)",
        "torch.func.jacfwd(f)(x)",
    ),
    "backward against forward": Comparison(
        "samples",
        (1, *DECADES[:3]),
        LAYERS,
        "model.zero_grad(); plain.backward(retain_graph=True)",
        "model(x).sum()",
    ),
    "checkpoint against plain": Comparison(
        "samples",
        (1, *DECADES[:3]),
        f"{LAYERS}\nfrom torch.utils.checkpoint import checkpoint_sequential as in_parts",
        "in_parts(model, 4, x, use_reentrant=False).sum().backward()",
        "model(x).sum().backward()",
    ),
}  # fmt: skip


def timed(comparison: Comparison) -> dict[str, Any]:
    """Time a comparison at each of its sizes."""
    rows = []
    for size in comparison.sizes:
        torch.manual_seed(0)
        known: dict[str, Any] = {"torch": torch, "n": size}
        exec(comparison.before, known)
        ways = {"first": comparison.first, "second": comparison.second, "again": comparison.first}
        run = {turn: compile(way, "<timed>", "exec") for turn, way in ways.items()}
        times = rounds({turn: partial(exec, way, known) for turn, way in run.items()})
        row: dict[str, Any] = {"size": size}
        row["milliseconds"] = [float(f"{median(times[turn]):.4g}") for turn in ("first", "second")]
        for name, other in (("ratio", "second"), ("again", "again")):
            ratios = (a / b for a, b in zip(times["first"], times[other], strict=True))
            row[name] = float(f"{median(ratios):.3g}")
        rows.append(row)
        print(f"{comparison.first} / {comparison.second}: {row}", flush=True)
    return {**comparison._asdict(), "rows": rows}


def main() -> None:
    """Time every comparison, and write the recording."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, help="where to write the recording")
    path = parser.parse_args().path
    torch.set_num_threads(1)
    recording = {**made_with(), "comparisons": {n: timed(one) for n, one in COMPARISONS.items()}}
    path.write_text(json.dumps(recording, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
