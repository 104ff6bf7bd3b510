"""All claims of the three documents, and one table of them for each."""

from collections import Counter
from functools import cache
from html import escape

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.sources.blog import blog
from vtj_site.sources.by_examples_extra import by_examples
from vtj_site.sources.by_examples_printed import claims as printed_claims
from vtj_site.sources.claim import NAMES, TITLES, Claim, Document, Rerun
from vtj_site.sources.forum_replies import forum
from vtj_site.sources.verdict import VERDICTS, Printed, Verdict

HEADINGS = ("Claim", "Line", "The source", "Today", "Verdict", "Why")


def claims(document: Document) -> list[Claim]:
    """Return the claims of one document."""
    by_document = {
        "blog": [*blog.claims],
        "forum": [*forum.claims],
        "by-examples": [*by_examples.claims, *printed_claims()],
    }
    return by_document[document]


@cache
def rerun(document: Document) -> tuple[Rerun, ...]:
    """Run every claim of a document again, in the order of its lines; see `Claim.examine`."""
    return tuple(claim.examine() for claim in sorted(claims(document), key=lambda c: c.line))


def count(document: Document, verdict: Verdict) -> int:
    """Return how many claims of a document have this verdict."""
    return Counter(found.verdict for found in rerun(document))[verdict]


def table_of(document: Document) -> Shown:
    """Return one document's claims as a table: a row each, with an anchor, ready to be filtered."""
    found = rerun(document)
    text = "\n".join(f"{r.claim.id} (line {r.claim.line}): {r.verdict}" for r in found)
    return Shown(text, table(TITLES[document], HEADINGS, map(_row, found), filtered_by="verdict"))


def table_of_verdicts() -> Shown:
    """Return how many claims of each document have which verdict, as a table."""
    counts = {document: [count(document, verdict) for verdict in VERDICTS] for document in TITLES}
    text = "\n".join(
        f"{document}: "
        + ", ".join(f"{n} {verdict}" for n, verdict in zip(found, VERDICTS, strict=True) if n)
        for document, found in counts.items()
    )
    rows = [TableRow([_named(document), *map(str, found)]) for document, found in counts.items()]
    caption = "Claims of each document, by verdict"
    return Shown(text, table(caption, ["Document", *VERDICTS], rows))


def _named(document: Document) -> str:
    """Return a document as its section is headed, and its title, which the row's address says."""
    title = escape(TITLES[document])
    link = f'<a href="#claims-{document}">{NAMES[document]}</a>'
    return f'<data value="{title}">{link}, “{title}”</data>'


def _row(found: Rerun) -> TableRow:
    claim, today = found.claim, found.evidence.text
    cells = (
        f'<a href="#{claim.id}">{claim.id.removeprefix(claim.document + "-")}</a>',
        str(claim.line),
        code(claim.words),
        code(today) if isinstance(found.evidence, Printed) else escape(today),
        found.verdict,
        escape(claim.reason),
    )
    return TableRow(cells, claim.id, found.verdict)
