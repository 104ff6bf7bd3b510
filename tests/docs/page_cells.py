"""The cells of a page, read without Sphinx."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:(\w+): (.*)\n", re.MULTILINE)
HIDDEN = re.compile(
    r"^```\{code-cell\} python\n:tags: \[remove-(?:cell|input).*?^```\n|\A---\n.*?^---\n",
    re.MULTILINE | re.DOTALL,
)
"""Of a page, what a reader does not see: cells that its words rest on, and its head."""
ROLE = re.compile(r"\{eval\}(`+)(.+?)\1")


@dataclass(frozen=True)
class PageCell:
    """A code cell: its options, its code without the options, and the page's line of the code."""

    options: dict[str, Any]
    code: str
    line: int = field(default=0, compare=False)

    @property
    def shown(self) -> bool:
        """Whether a reader sees the code."""
        return "remove-input" not in self.options.get("tags", [])


@dataclass(frozen=True)
class PageRole:
    """An inline role, whose value stands in a sentence, and its line of the page."""

    expression: str
    line: int = field(default=0, compare=False)


Step = PageCell | PageRole


def steps_of(page: Path) -> list[Step]:
    """Return the code cells and the inline roles of a page, in reading order."""
    text = page.read_text(encoding="utf-8")
    found: list[tuple[int, Step]] = []
    for cell in CELL.finditer(text):
        body = cell[1]
        options = {name: yaml.safe_load(value) for name, value in OPTION.findall(body)}
        code = OPTION.sub("", body)
        line = text.count("\n", 0, cell.start(1) + len(body) - len(code)) + 1
        found.append((cell.start(), PageCell(options, code, line)))
    for role in ROLE.finditer(text):
        found.append((role.start(), PageRole(role[2], text.count("\n", 0, role.start()) + 1)))
    return [step for _, step in sorted(found, key=lambda pair: pair[0])]


def cells_of(page: Path) -> list[PageCell]:
    """Return the code cells of a page."""
    return [step for step in steps_of(page) if isinstance(step, PageCell)]


def changed(cells: list[PageCell], place: int, code: str) -> list[PageCell]:
    """Return the cells with the code of one of them replaced."""
    return [*cells[:place], replace(cells[place], code=code), *cells[place + 1 :]]
