"""How large the site is, and where its source is: read from the checkout that it is built from."""

import os
import re
from functools import cache
from pathlib import Path
from zlib import crc32

from vtj_site.markup import Shown, TableRow, code, table

ROOT = Path(__file__).parents[3]
CELL = re.compile(r"^```\{code-cell\}", re.MULTILINE)
ADDRESSES = ("SOURCE_URL", "READTHEDOCS_GIT_CLONE_URL")
"""Variables of the environment that may tell a build where its source is public."""
PARTS = {
    "docs": "the pages",
    "src/vtj": "the library, with its oracle and its engines",
    "src/vtj_site": "records, claims of sources, figures, and what judges the words",
    "src/vtj_site/statements": "of these: what judges the words",
    "src/myst_nb_fork": "runs the cells; a package of its own",
    "conf/extensions": "what the build adds to Sphinx",
    "conf/extensions/gates": "of these: what refuses a page",
    "tests": "the tests",
    "tests/mutants": "of these: what plants faults, contraries and rewordings",
}
"""The folders of the source, with what is in them."""


def source() -> str:
    """Say where the source of the site is, if this build was told."""
    address = next(filter(None, map(os.environ.get, ADDRESSES)), "")
    return address or "this build was not told its address, so ask whoever gave you these pages"


@cache
def cells_of_pages() -> dict[str, int]:
    """Return how many code cells each page has that has one, by its path."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    counted = {page: len(CELL.findall(page.read_text(encoding="utf-8"))) for page in pages}
    return {page.relative_to(ROOT).as_posix(): count for page, count in counted.items() if count}


def digest(name: str) -> str:
    """Return a digest of a file of the checkout, given its path; "" if there is none."""
    file = ROOT / name
    return f"{crc32(file.read_bytes()):08x}" if file.exists() else ""


def lines(folder: str) -> int:
    """Return how many lines the pages or the modules in a folder have."""
    files = (ROOT / folder).rglob("*.md" if folder == "docs" else "*.py")
    return sum(file.read_bytes().count(b"\n") for file in files)


def table_of_parts() -> Shown:
    """Return how many lines each part of the source has."""
    text = [f"{folder}, {what}: {lines(folder):,} lines" for folder, what in PARTS.items()]
    rows = [TableRow((code(name), what, f"{lines(name):,}")) for name, what in PARTS.items()]
    head = ("folder", "what it holds", "lines of Markdown or Python")
    return Shown("\n".join(text), table("The parts of the source", head, rows))
