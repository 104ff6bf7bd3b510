"""All claims of the three documents, and one table of them for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from html import escape

from vtj_site.markup import Row, code, table
from vtj_site.sources.blog import blog
from vtj_site.sources.by_examples_extra import by_examples
from vtj_site.sources.by_examples_printed import claims as printed_claims
from vtj_site.sources.claim import TITLES, Claim, Document, Finding
from vtj_site.sources.forum_replies import forum
from vtj_site.sources.verdict import VERDICTS, Printed, Verdict

HEADINGS = ("Claim", "Line", "The source", "Today", "Verdict", "Why")


def claims(document: Document) -> list[Claim]:
    """Return the claims of one document.

    Args:
        document: "blog", "forum" or "by-examples".

    Examples:
        >>> [len(claims(document)) for document in ("blog", "forum", "by-examples")]
        [21, 39, 104]
    """
    by_document = {
        "blog": [*blog.claims],
        "forum": [*forum.claims],
        "by-examples": [*by_examples.claims, *printed_claims()],
    }
    return by_document[document]


@cache
def findings(document: Document) -> tuple[Finding, ...]:
    """Run every claim of a document again, in the order of its lines.

    Args:
        document: "blog", "forum" or "by-examples".

    Raises:
        VerdictError: if a claim's declared verdict is not the one found.
    """
    return tuple(claim.examine() for claim in sorted(claims(document), key=lambda c: c.line))


def count(document: Document, verdict: Verdict) -> int:
    """Return how many claims of a document have this verdict.

    Args:
        document: "blog", "forum" or "by-examples".
        verdict: one of `VERDICTS`.

    Examples:
        >>> count("by-examples", "no longer holds")
        4
    """
    return Counter(finding.verdict for finding in findings(document))[verdict]


@dataclass(frozen=True)
class Ledger:
    """One document's claims as a table: a row each, with an anchor, ready to be filtered.

    Args:
        document: "blog", "forum" or "by-examples".

    Examples:
        >>> print(str(Ledger("blog")).splitlines()[0])
        blog-10 (line 5): imprecise
    """

    document: Document

    def __str__(self) -> str:
        return "\n".join(
            f"{finding.claim.id} (line {finding.claim.line}): {finding.verdict}"
            for finding in findings(self.document)
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [_row(finding) for finding in findings(self.document)]
        return table(TITLES[self.document], HEADINGS, rows, filtered_by="verdict")


@dataclass(frozen=True)
class Verdicts:
    """How many claims of each document have which verdict, as a table.

    Examples:
        >>> print(str(Verdicts()).splitlines()[0])
        blog: 10 reproduces, 5 cosmetic, 6 imprecise
    """

    def __str__(self) -> str:
        return "\n".join(
            f"{document}: "
            + ", ".join(f"{n} {verdict}" for verdict in VERDICTS if (n := count(document, verdict)))
            for document in TITLES
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            Row([escape(title), *(str(count(document, verdict)) for verdict in VERDICTS)])
            for document, title in TITLES.items()
        ]
        return table("Claims of each document, by verdict", ["Document", *VERDICTS], rows)


def _row(finding: Finding) -> Row:
    claim = finding.claim
    cells = (
        f'<a href="#{claim.id}">{claim.id.removeprefix(claim.document + "-")}</a>',
        str(claim.line),
        code(claim.words),
        code(finding.today) if isinstance(finding.evidence, Printed) else escape(finding.today),
        finding.verdict,
        escape(claim.reason),
    )
    return Row(cells, claim.id, finding.verdict)
