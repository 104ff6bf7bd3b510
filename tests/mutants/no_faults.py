"""Planted changes that are no faults: each named in `no_faults.yaml` with its line, and why."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tests.mutants.judging import Fault

REFUSED = "refused"
"""The reason that holds for what survives in a cell that ends in the error that it declares."""
FILE = Path(__file__).with_suffix(".yaml")


class NoFaults:
    """The reasons, and the lines that each holds for: for all kinds of faults, or those named."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.reasons: dict[str, str] = data["reasons"]
        self.patterns = {name: re.compile(text) for name, text in data["patterns"].items()}
        self.files: dict[str, list[list[str]]] = data["files"]
        self._needed: set[tuple[str, int]] = set()

    @classmethod
    def read(cls) -> "NoFaults":
        """Return what the file says."""
        return cls(yaml.safe_load(FILE.read_text(encoding="utf-8")))

    def reason(self, fault: Fault) -> str | None:
        """Return the name of the reason why a change that nothing caught is no fault, or None."""
        if (number := self.entry(fault)) is not None:
            self._needed.add((fault.file, number))
            return self.files[fault.file][number][0]
        if fault.refused and fault.kind != "error":
            return REFUSED
        for reason, pattern in self.patterns.items():
            if any(fault.before in found.groups() for found in pattern.finditer(fault.text)):
                return reason
        return None

    def entry(self, fault: Fault) -> int | None:
        """Return the place of the first entry of its file that names a change, or None."""
        for number, (_, line, *kinds) in enumerate(self.files.get(fault.file, [])):
            if line == fault.text and (fault.kind in kinds or not kinds):
                return number
        return None

    def needless(self, files: Iterable[str]) -> list[str]:
        """Return the entries that nothing which was planted in these files has needed."""
        return [
            f"{file}: {entry}"
            for file in files
            for number, entry in enumerate(self.files.get(file, []))
            if (file, number) not in self._needed
        ]
