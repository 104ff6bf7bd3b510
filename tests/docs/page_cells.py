"""The cells of a page, run one after the other as a reader would, without Sphinx."""

import contextlib
import io
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:(\w+): (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class PageCell:
    """A code cell: its options and its code, without the options."""

    options: dict[str, Any]
    code: str

    @property
    def shown(self) -> bool:
        """Whether a reader sees the code."""
        return "remove-input" not in self.options.get("tags", [])


def cells_of(page: Path) -> list[PageCell]:
    """Return the code cells of a page."""
    found = []
    for body in CELL.findall(page.read_text(encoding="utf-8")):
        options = {name: yaml.safe_load(value) for name, value in OPTION.findall(body)}
        found.append(PageCell(options, OPTION.sub("", body)))
    return found


def run(cells: list[PageCell]) -> str | None:
    """Run the cells in a fresh namespace; return what stopped them, or None."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            declared = cell.options.get("raises")
            try:
                exec(compile(cell.code, "<cell>", "exec"), namespace)
            except Exception as error:
                came = f"{type(error).__name__}: {error}"
                if came != declared:
                    return came
                sys.last_value = error
            else:
                if declared is not None:
                    return f"nothing raised, declared {declared}"
    return None


def changed(cells: list[PageCell], place: int, code: str) -> list[PageCell]:
    """Return the cells with the code of one of them replaced."""
    return [*cells[:place], replace(cells[place], code=code), *cells[place + 1 :]]
