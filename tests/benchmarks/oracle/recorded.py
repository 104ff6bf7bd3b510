"""The committed recording of the benchmark, and the tables made of it; nothing is timed here."""

import json
from pathlib import Path
from typing import Any

from vtj.table import as_html, as_text

PATH = Path(__file__).with_name("recording.json")


def table(measured: dict[str, dict[str, dict[str, float]]]) -> tuple[list[str], list[list[str]]]:
    """Give a header and a row per tool: its ratios to `vtj.certify`, whose own are milliseconds."""
    tools = dict.fromkeys(tool for row in measured.values() for tool in row)
    rows = [["vtj.certify, ms"]]
    rows[0] += [f"{row['vtj.certify']['milliseconds']:.2g}" for row in measured.values()]
    for tool in tools:
        if tool != "vtj.certify":
            ratios = (row[tool]["ratio"] if tool in row else None for row in measured.values())
            rows.append([tool, *("" if one is None else f"× {_two_digits(one)}" for one in ratios)])
    return ["tool", *measured], rows


def _two_digits(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


class Recording:
    """What `nox -s bench -- --json` wrote: the times, and when, where and with what."""

    def __init__(self, path: Path = PATH) -> None:
        self.data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        return as_text(*table(self.data["cases"]))

    def _repr_html_(self) -> str:
        caption = "Times of vtj.certify, and how often that each tool takes"
        return as_html(*table(self.data["cases"]), caption)

    @property
    def made(self) -> str:
        """When, where and with what."""
        versions = ", ".join(f"{name} {one}" for name, one in self.data["versions"].items())
        return (
            f"{self.data['date']}, {self.data['machine']}; Python {self.data['python']}, {versions}"
        )

    @property
    def report(self) -> float:
        """The milliseconds of a small report."""
        return float(self.data["milliseconds of a small report"])

    def ratio(self, tool: str, case: str) -> float:
        """How often `vtj.certify`'s time a tool takes on the case whose name begins so."""
        row = next(row for name, row in self.data["cases"].items() if name.startswith(case))
        return float(row[tool]["ratio"])

    def most(self, tool: str, over: str) -> float:
        """The largest ratio, over all cases, of one tool's time to another's."""
        rows = self.data["cases"].values()
        return max(float(row[tool]["ratio"] / row[over]["ratio"]) for row in rows)
