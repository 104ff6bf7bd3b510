"""Mutants that are no faults: each named with the line it is planted in, and why."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tests.mutants.mutant import Mutant

REFUSED = "refused"
"""The reason that holds for what survives in a cell that ends in the error that it declares."""
FILE = Path(__file__).with_suffix(".yaml")


class Equivalent:
    """The reasons, and the lines that each holds for.

    Args:
        data: `reasons`, by name; `patterns`, by reason; `files`: for each, `[reason, line]` or
            `[reason, line, kind]` or `[reason, line, kind, after]`.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.reasons: dict[str, str] = data["reasons"]
        self._patterns = {name: re.compile(text) for name, text in data["patterns"].items()}
        self._files: dict[str, list[list[str]]] = data["files"]
        self._used: set[tuple[str, int]] = set()

    def reason(self, mutant: Mutant) -> str | None:
        """Return why a mutant is no fault, by name; None where nobody says so."""
        for place, (reason, line, *kind) in enumerate(self._files.get(mutant.file, [])):
            if line == mutant.text and kind == [mutant.kind, mutant.after][: len(kind)]:
                self._used.add((mutant.file, place))
                return reason
        if mutant.refused and mutant.kind != "error":
            return REFUSED
        if mutant.kind == "library":  # what a page merely tries, the library decides by
            return None
        for reason, pattern in self._patterns.items():
            if any(mutant.before in found.groups() for found in pattern.finditer(mutant.text)):
                return reason
        return None

    def unused(self, files: Iterable[str]) -> list[str]:
        """Return the entries that no survivor has asked for.

        Args:
            files: all of whose mutants have been judged.
        """
        return [
            f"{file}: {entry}"
            for file in files
            for place, entry in enumerate(self._files.get(file, []))
            if (file, place) not in self._used
        ]


def equivalent() -> Equivalent:
    """Return what `equivalent.yaml` says."""
    return Equivalent(yaml.safe_load(FILE.read_text(encoding="utf-8")))
