"""How one verdict comes about: what was doubted, and what was done about it."""

from collections.abc import Iterator
from html import escape
from typing import Any

import vtj
from vtj.oracle import directions, reexamination
from vtj.oracle.doubts import Doubt, steps
from vtj.oracle.judging import DEFAULT
from vtj.oracle.pairs import at_first_sight, probe
from vtj.oracle.passes import Passes
from vtj.oracle.question import asked
from vtj.oracle.witnesses import ask_engines
from vtj.show.svg import Drawing, Figure, width_of
from vtj_site.markup import Shown, TableRow, code, table

DOUBTS: dict[str, tuple[Doubt[Any], ...]] = {
    "check": reexamination.DOUBTS,
    "certify": directions.DOUBTS,
}
HIGH, GAP, INSIDE = 30.0, 44.0, 14.0
FIRST = {"check": "Compute J by each engine", "certify": "Run passes along random directions"}


def loop(question: str, f: Any, x: Any) -> Figure:
    """Draw the loop of `vtj.check` or `vtj.certify` for one function, from top to bottom.

    Example:
        >>> import torch
        >>> loop("check", lambda x: x**2, torch.ones(2))
        How check decides. Compute J by each engine. No doubt is left, so correct.
    """
    taken = list(_doubts_and_remedies(question, f, x))
    verdict = str(getattr(vtj, question)(f, x).verdict)
    last = "Nothing more to ask" if verdict == "undecided" else "No doubt is left"
    boxes = [FIRST[question], *(remedy for _, remedy in taken), verdict]
    between = [*(doubt for doubt, _ in taken), last]
    wide = max(map(width_of, [*boxes, *between])) + 2 * INSIDE
    drawing = Drawing(wide + 4, len(boxes) * HIGH + len(between) * GAP + 4)
    for number, text in enumerate(boxes):
        top, is_last = 2 + number * (HIGH + GAP), number == len(boxes) - 1
        drawing.box(2, top, wide, HIGH, shade=0.5 if is_last else 0.0)
        drawing.text(2 + wide / 2, top + 20, text, strong=is_last)
        if not is_last:
            start, end = top + HIGH, top + HIGH + GAP
            drawing.line([(2 + INSIDE, start), (2 + INSIDE, end)])
            drawing.line([(INSIDE - 2, end - 7), (2 + INSIDE, end), (INSIDE + 6, end - 7)])
            drawing.text(2 * INSIDE, start + 27, between[number], anchor="start")
    told = [f"{doubt}, so {box}." for doubt, box in zip(between, boxes[1:], strict=True)]
    return drawing.figure(f"How {question} decides", " ".join([f"{boxes[0]}.", *told]))


def doubts() -> Shown:
    """Show what either may doubt, and what settles that, in order.

    Example:
        >>> print(doubts())  # doctest: +ELLIPSIS
        check
          one way is contradicted, the vote is split, ...
          a value is nan: nothing can be done
        certify
          a small mistake would not show: run a forward pass
          two values differ: compare for each v by itself; run backward once more; ...
          a small mistake still would not show: take wider steps; fit a polynomial to many steps
          a detached path would not show: measure the noise of f
    """
    lines, rows = [], []
    for question, every in DOUBTS.items():
        lines.append(question)
        together: dict[tuple[str, ...], list[str]] = {}
        for doubt in every:
            remedies = tuple(remedy.name for remedy in doubt.remedies)
            together.setdefault(remedies or ("nothing can be done",), []).append(doubt.name)
        for number, (remedies, names) in enumerate(together.items()):
            lines.append(f"  {', '.join(names)}: {'; '.join(remedies)}")
            cells = ["<br>".join(map(escape, part)) for part in (names, remedies)]
            head = [] if number else [code(question)]
            rows.append(TableRow([*head, *cells], heads=0 if number else len(together)))
    html = table("Doubts and remedies", ("", "one of these doubts", "remedies, in order"), rows)
    return Shown("\n".join(lines), html)


def _doubts_and_remedies(question: str, f: Any, x: Any) -> Iterator[tuple[str, str]]:
    """Yield each doubt with the remedy that was taken for it."""
    of = "jacobian" if question == "check" else "J"
    with asked(question, f, x, None, {of: None}, {}, None, None, 0) as one:
        if question == "check":
            case: Any = ask_engines(one.trial, DEFAULT, None)
        else:
            case = at_first_sight(probe(Passes(one.trial), one.run, None, 2))
        before = ""
        for step in steps(case, DOUBTS[question]):
            name = step.doubt.name
            yield f"{'Still' if name == before else 'Doubt'}: {name}", step.remedy.name
            before = name
