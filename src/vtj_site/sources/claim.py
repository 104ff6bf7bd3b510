"""One thing that a source says or prints, with a way to run it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from vtj_site.sources.verdict import Evidence, Verdict, decide

Document = Literal["blog", "forum", "by-examples"]

TITLES: dict[Document, str] = {
    "blog": "Pytorch, what are the gradient arguments",
    "forum": "'gradient' argument in out.backward(gradient)",
    "by-examples": (
        "The “gradient” argument in Pytorch’s “backward” function — explained by examples"
    ),
}


class VerdictError(AssertionError):
    """A claim's declared verdict is not the one that running it leads to."""


@dataclass(frozen=True)
class Rerun:
    """What running a claim again showed."""

    claim: Claim
    evidence: Evidence
    verdict: Verdict

    @property
    def today(self) -> str:
        """What the claim prints or does today, as text."""
        return self.evidence.text


@dataclass(frozen=True)
class Claim:
    """One line or sentence of a source document.

    Args:
        id: document and number, for example "by-examples-53"; the anchor of its row.
        document: which source it stands in.
        line: its line in that document, counted from 1.
        words: as few words of that line as identify the claim, exactly as they stand there.
        declared: the verdict that running it must lead to.
        reason: one sentence that says why.
        run: runs it again, in code of ours, and returns what it showed.

    Examples:
        >>> from vtj_site.sources.verdict import Printed
        >>> claim = Claim("blog-01", "blog", 1, "2 0", "cosmetic", "The form changed.",
        ...               lambda: Printed("tensor([2., 0.])"))
        >>> claim.examine().today
        'tensor([2., 0.])'
    """

    id: str
    document: Document
    line: int
    words: str
    declared: Verdict
    reason: str
    run: Callable[[], Evidence]

    def examine(self) -> Rerun:
        """Run the claim again and hold the declared verdict against the one found.

        Raises:
            VerdictError: if they differ; the message names the claim and shows both.
        """
        evidence = self.run()
        found = decide(self.words, evidence)
        if found != self.declared:
            raise VerdictError(
                f"{self.id} ({self.document}, line {self.line}) is declared {self.declared!r} but "
                f"running it leads to {found!r}: the source says {self.words!r}, "
                f"today: {evidence.text!r}"
            )
        return Rerun(self, evidence, found)


class Source:
    """The claims of one document, in the order of their declaration.

    Examples:
        >>> from vtj_site.sources.verdict import Held
        >>> source = Source("blog")
        >>> @source.claim("01", 1, "2 + 2 = 4", "reproduces")
        ... def adds_up():
        ...     'It adds up.'
        ...     return Held({"integers": 2 + 2 == 4})
        >>> [(claim.id, claim.reason) for claim in source.claims]
        [('blog-01', 'It adds up.')]
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.claims: list[Claim] = []

    def claim(
        self, number: str, line: int, words: str, declared: Verdict
    ) -> Callable[[Callable[[], Evidence]], Callable[[], Evidence]]:
        """Declare the claim that the decorated function runs again; its docstring says why."""

        def declare(run: Callable[[], Evidence]) -> Callable[[], Evidence]:
            self.claims.append(
                Claim(
                    id=f"{self.document}-{number}",
                    document=self.document,
                    line=line,
                    words=words,
                    declared=declared,
                    reason=run.__doc__ or "",
                    run=run,
                )
            )
            return run

        return declare
