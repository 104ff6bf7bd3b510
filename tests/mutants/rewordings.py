"""The control of the contraries: rewordings that leave a sentence as true as it was.

A check that refused every other wording would refuse each contrary, and know nothing. So harmless
changes are planted as the contraries are, in sentences with computed words, and judged by the same
checks: a word becomes another one of the same meaning, or two clauses trade places. Chance draws
them, a few for each pair of words, the same ones from the same pages.
"""

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import torch

from tests.mutants.__main__ import RECORD, in_lines, the_commit
from tests.mutants.sentences import CODE, MARKED, ROOT, marked, refused, sentence_around
from vtj_site.statements.cells import Cells
from vtj_site.statements.sentences import QUOTED, kind_of

SYNONYM, EXCHANGED = "another word of the same meaning", "two clauses exchanged"
OF_A_PAIR, OF_CLAUSES, SEED = 6, 60, 0
"""So many are drawn for each pair of words, and of all exchanged clauses."""
SAME = """
too/as well|since/because|gives/yields|gets/receives|stays/remains|whole/entire|says/states
again/once more|each/every|needs/requires|is not/isn't|does not/doesn't|do not/don't|large/big
wrong/incorrect|begins/starts|changes/alters|shows/displays|uses/employs
beside/next to|anew/again|last/final|larger/bigger|sum/total|mean/average|before/prior to
without/with no|through/via|computes/calculates|keeps/retains|saves/stores|omit/leave out
omits/leaves out|overwrites/replaces|raises/throws|entry/element|entries/elements
result/outcome|both/the two|dimension/axis|error/exception|here/in this example
"""
NOT_BEHIND = {"again": "large ", "mean": "you ", "last": "at "}
NOT_BEFORE = {
    "each": r"(?!\s+[a-z#])| (?:other|of)\b",
    "before": r"(?! (?:the|a|an|it|each|that|you) )",
    "without": r"(?!\s+[a-z#])|\s+(?:the|a|an|it)\b",
    "omit": " it",
    "saves": " money",
}
"""Beside these a word is another one: "each other", "the layer before"."""
PAIRS = [tuple(pair.split("/")) for line in SAME.split("\n") for pair in line.split("|") if pair]
OPENING = re.compile(
    r"(?P<clause>(?:If|When|Where|Before|After|Without|Inside|Under)\b[^,]+),\s+(?P<rest>[^,]+)$"
)
BEHIND = re.compile(r"(?P<rest>[A-Z#][^,]+?)\s+(?P<clause>(?:if|when)\s[^,]+)$")
APART = re.compile(r"[:;()]|\band\b|\bbut\b|\bso\b")
"""Where more than two clauses stand, which of them belong together is not known here."""


class Reworded(NamedTuple):
    """One harmless change of a paragraph of a page."""

    kind: str
    pair: str
    start: int
    before: str
    after: str

    def applied(self, block: str) -> str:
        """Return the paragraph with it."""
        return block[: self.start] + self.after + block[self.start + len(self.before) :]


def rewordings(block: str) -> Iterator[Reworded]:
    """Yield the rewordings of the sentences of a paragraph that have a computed word."""
    taken = [found.span() for found in [*CODE.finditer(block), *QUOTED.finditer(block)]]
    for start, end in dict.fromkeys(sentence_around(block, m) for m in MARKED.finditer(block)):
        prose = "".join(
            "#" if any(a <= place < b for a, b in taken) else block[place]
            for place in range(start, end)
        )
        for one, other in PAIRS:
            before = f"(?<!{NOT_BEHIND[one]})" if one in NOT_BEHIND else ""
            behind = f"(?!{NOT_BEFORE[one]})" if one in NOT_BEFORE else ""
            for found in re.finditer(rf"(?<![\w-]){before}{one}(?![\w-]){behind}", prose):
                place = start + found.start()
                yield Reworded(SYNONYM, f"{one}/{other}", place, found[0], other)
        if exchanged := with_clauses_exchanged(prose, block[start:end]):
            yield Reworded(EXCHANGED, "", start, block[start:end], exchanged)


def with_clauses_exchanged(prose: str, sentence: str) -> str | None:
    """Return a sentence of two clauses with these exchanged, or None; `prose` is without its code.

    Examples:
        >>> with_clauses_exchanged(*["If it is a leaf, torch keeps it"] * 2)
        'Torch keeps it if it is a leaf'
        >>> with_clauses_exchanged(*["Torch keeps it if it is a leaf"] * 2)
        'If it is a leaf, torch keeps it'
    """
    found = OPENING.match(prose) or BEHIND.match(prose)
    if not found or APART.search(prose) or kind_of(f"{sentence}.") != "statement":
        return None
    clause, rest = (sentence[slice(*found.span(part))] for part in ("clause", "rest"))
    if MARKED.search(clause):
        return None
    if found.re is OPENING:
        return f"{rest[0].upper()}{rest[1:]} {clause[0].lower()}{clause[1:]}"
    return f"{clause[0].upper()}{clause[1:]}, {rest[0].lower()}{rest[1:]}"


def drawn(pages: Sequence[str]) -> Iterator[tuple[str, int, Reworded, str]]:
    """Yield the page, the line, and the paragraph of each that chance draws from these pages."""
    found = dict[tuple[str, str], list[tuple[str, int, Reworded, str]]]()
    for name in pages:
        page = (ROOT / name).read_text(encoding="utf-8")
        for start, block in marked(page, MARKED):
            for one in rewordings(block):
                above = page.count("\n", 0, start)
                found.setdefault((one.kind, one.pair), []).append((name, above, one, block))
    chance = random.Random(SEED)
    for (kind, _), all_of_it in sorted(found.items()):
        most = OF_CLAUSES if kind == EXCHANGED else OF_A_PAIR
        yield from chance.sample(all_of_it, min(most, len(all_of_it)))


def judged(pages: Sequence[str]) -> Iterator[tuple[str, int, Reworded, str | None]]:
    """Yield the page, the line, and what refuses each that chance draws, or None.

    The page as it stands has nothing that is refused.
    """
    cells = {name: Cells((ROOT / name).read_text(encoding="utf-8")) for name in pages}
    for name, above, one, block in drawn(pages):
        line = above + block.count("\n", 0, one.start) + 1
        yield name, line, one, refused(one.applied(block), cells[name], above)


def main(arguments: list[str]) -> int:
    """Judge the rewordings that chance draws from all pages."""
    parser = argparse.ArgumentParser(prog="tests.mutants.rewordings", description=main.__doc__)
    parser.add_argument("--record", action="store_true", help="write what the site shows of it")
    options = parser.parse_args(arguments)
    kinds = defaultdict[str, Counter[str]](Counter)
    every = sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md"))
    for name, line, one, said in judged(every):
        kinds[one.kind].update(["planted", "refused" if said else "through"])
        if said:
            change = f"{one.before!r} became {one.after!r}"
            print(f"{name}:{line}: {one.kind}: refused: {change}: {said.splitlines()[0]}")
    print(*(f"{kind}: {dict(found)}" for kind, found in kinds.items()), sep="\n")
    if options.record:
        written = json.loads(RECORD.read_text(encoding="utf-8"))
        run = {"date": datetime.now(UTC).date().isoformat(), "commit": the_commit()}
        run |= {"torch": torch.__version__}
        written["rewordings"] = run | {"kinds": {kind: kinds[kind] for kind in sorted(kinds)}}
        RECORD.write_text(in_lines(written, depth=3) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
