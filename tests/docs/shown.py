"""What each page showed when a person last read it through, where nothing on the page checks it.

A check on a page says that a value is right. Where there is none, these files say what a reader
saw, so that no output changes unnoticed. `nox -s shown` writes them; read the difference before you
commit it.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.docs.page_cells import steps_of
from tests.docs.reading import Reader, as_the_build_does

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = Path(__file__).with_name("shown")
RELATIVE = 1e-3
HEAD = re.compile(r"^=== (\w+ \d+)\n", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d*)?(?:e[-+]?\d+)?(?!\w)")
RECORDED = "explanation/how-this-site-is-checked.md"
"""It only shows a record, which changes with each run that is recorded."""
NOTHING = "nothing"
WHAT_TO_DO = "If the page is right, run nox -s shown, read the difference and commit it."


def pages() -> list[Path]:
    """Return every page of the site that has cells, but for the one that shows a record."""
    every = sorted(DOCS.rglob("*.md"))
    return [page for page in every if steps_of(page) and page != DOCS / RECORDED]


def file_of(page: Path) -> Path:
    """Return the file that says what a page shows."""
    return FOLDER / page.relative_to(DOCS).with_suffix(".txt")


def approved(page: Path) -> dict[str, str]:
    """Return what each step of a page showed when its file was written; {} without a file."""
    file = file_of(page)
    parts = HEAD.split(file.read_text(encoding="utf-8"))[1:] if file.exists() else []
    return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def same(was: str, now: str) -> bool:
    """Say whether two outputs agree, numbers up to last digits, which a processor may change."""
    if was == now:
        return True
    if NUMBER.sub("#", was) != NUMBER.sub("#", now):
        return False
    pairs = zip(NUMBER.findall(was), NUMBER.findall(now), strict=True)
    return all(
        a == b
        or (len(a) == len(b) and "." in a and abs(float(a) - float(b)) <= RELATIVE * abs(float(a)))
        for a, b in pairs
    )


def difference(
    page: Path, shown: Mapping[str, str], was: Mapping[str, str] | None = None
) -> str | None:
    """Say what a page shows otherwise than was approved (by default in its file), or nothing."""
    was = approved(page) if was is None else was
    for name in [*shown, *(name for name in was if name not in shown)]:
        before, now = was.get(name, NOTHING), shown.get(name, NOTHING)
        if not same(before, now):
            return f"{page.name}, {name} shows\n{now}\napproved was\n{before}\n{WHAT_TO_DO}"
    return None


def write(page: Path) -> None:
    """Write down what a page shows now; an AssertionError if it complains."""
    reader = Reader(page)
    said = reader.complaint_from(0)
    assert said is None, f"{page.name}: {said}"
    was = approved(page)
    if reader.shown.keys() == was.keys() and difference(page, reader.shown) is None:
        return  # other last digits are no other output
    file = file_of(page)
    file.unlink(missing_ok=True)
    if reader.shown:
        file.parent.mkdir(parents=True, exist_ok=True)
        parts = [f"=== {name}\n{text}\n" for name, text in reader.shown.items()]
        file.write_text("".join(parts), encoding="utf-8")


def without_page() -> Iterator[Path]:
    """Yield the files whose page has gone."""
    expected = {file_of(page) for page in pages()}
    return (file for file in sorted(FOLDER.rglob("*.txt")) if file not in expected)


def main() -> None:
    """Write the files of all pages, each in a process of its own."""
    as_the_build_does()
    failed = 0
    for page in pages():
        pid = os.fork()
        if pid == 0:
            try:
                write(page)
            except AssertionError as error:
                print(error, file=sys.stderr)
                os._exit(1)
            os._exit(0)
        failed |= os.waitpid(pid, 0)[1]
    for file in without_page():
        file.unlink()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
