"""The list of lies: one page or one test for each, named for it.

What no page can tell stands in a test of this folder, or beside the tests of what rejects it: its
docstring says so.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

PAGES = Path(__file__).parent / "pages"
TESTS = [Path(__file__).with_name(f"test_{kind}.py") for kind in ("packages", "builds")]
ELSEWHERE = sorted((PAGES.parents[1] / "extensions").rglob("test_*.py"))
HEADER = re.compile(r"^% rejected by: (.*)\n% at: ?(.*)\n% says: (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Lie:
    """A page that must be rejected.

    What rejects it are names with commas between; where an extension does, it is the function in
    it, after the name of the module or package.
    """

    name: str  # its path, without suffix
    by: str
    line: int | None  # has to be named; None where the whole page is meant
    says: tuple[str, ...]  # the pieces of the message


def told_on_pages() -> list[Lie]:
    """Read every page's own words on who has to reject it, where, and with which words."""
    lies = []
    for page in sorted(PAGES.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        header = HEADER.search(text)
        if header is None:
            raise ValueError(
                f"{page} does not say what has to reject it: expected three lines, "
                "`% rejected by: gates.NAME`, `% at: LINE` and `% says: WORDS / MORE WORDS`"
            )
        by, at, says = header.groups()
        body = text.splitlines()
        start = text[: header.end()].count("\n")
        found = [number for number, line in enumerate(body, 1) if number > start and line == at]
        name = page.relative_to(PAGES).with_suffix("").as_posix()
        lies.append(Lie(name, by, found[-1] if at else None, tuple(says.split(" / "))))
    return lies


def told_in_tests() -> dict[str, str]:
    """Return the lies that no page can tell, by the test that tells each, and what rejects it."""
    found = {}
    for file in [*TESTS, *ELSEWHERE]:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                words = " ".join((ast.get_docstring(node) or "").split())
                says = re.match(r"Rejected by (.*)\.$", words)
                name = node.name.removeprefix("test_")
                if says and name in found:  # one of the two would count for nothing
                    raise ValueError(f"{file.name}: expected one test {name!r} that rejects")
                if says:
                    found[name] = says[1]
                elif file in TESTS:
                    raise ValueError(f"{file}: {node.name} does not say what has to reject it")
    return found
