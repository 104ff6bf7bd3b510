"""One thing that a source says or prints, with a way to run it again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from vtj_site.sources.verdict import Cases, Evidence, Held, Verdict, decide

Document = Literal["blog", "forum", "by-examples"]

TITLES: dict[Document, str] = {
    "blog": "Pytorch, what are the gradient arguments",
    "forum": "'gradient' argument in out.backward(gradient)",
    "by-examples": (
        "The “gradient” argument in Pytorch’s “backward” function — explained by examples"
    ),
}
NAMES: dict[Document, str] = {
    "blog": "The blog post",
    "forum": "The forum thread",
    "by-examples": "The post by examples",
}
Run = TypeVar("Run", bound=Callable[[], Evidence | Cases])


class VerdictError(AssertionError):
    """A claim's declared verdict is not the one that running it leads to."""


class Rerun(NamedTuple):
    """What running a claim again showed."""

    claim: "Claim"
    evidence: Evidence
    verdict: Verdict


@dataclass(frozen=True)
class Claim:
    """One line or sentence of a source document."""

    id: str  # the document and a number, as "by-examples-53"; the anchor of its row
    document: Document
    line: int  # counted from 1
    words: str  # as few of that line as identify the claim, exactly as they stand there
    declared: Verdict
    reason: str  # one sentence: why that is the verdict
    run: Callable[[], Evidence | Cases]

    def examine(self) -> Rerun:
        """Run the claim again; raise `VerdictError` if that leads to another verdict."""
        shown = self.run()
        evidence = Held(shown) if isinstance(shown, Mapping) else shown
        found = decide(self.words, evidence)
        if found != self.declared:
            raise VerdictError(
                f"{self.id} ({self.document}, line {self.line}) is declared {self.declared!r} but "
                f"running it leads to {found!r}: the source says {self.words!r}, "
                f"today: {evidence.text!r}"
            )
        return Rerun(self, evidence, found)


class Source:
    """The claims of one document, in the order of their declaration."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.claims: list[Claim] = []

    def claim(self, number: str, line: int, words: str, declared: Verdict) -> Callable[[Run], Run]:
        """Declare the claim that the decorated function runs again; its docstring says why."""

        def declare(run: Run) -> Run:
            name, why = f"{self.document}-{number}", run.__doc__ or ""
            self.claims.append(Claim(name, self.document, line, words, declared, why, run))
            return run

        return declare
