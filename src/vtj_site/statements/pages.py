"""A page's marks judged: what each says, whether it holds, and what on the page nothing checks."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from vtj_site.statements import around, costs, values
from vtj_site.statements.asking import names
from vtj_site.statements.bound import complaint
from vtj_site.statements.cells import Cells
from vtj_site.statements.facts import Facts
from vtj_site.statements.judging import Answer, Table
from vtj_site.statements.sentences import Mark, Sentence, sentences
from vtj_site.statements.words import MarkError, Question, known, question, spoken_of


@dataclass(frozen=True)
class Judged:
    """A mark of a page with what it rests on, in words."""

    line: int
    word: str  # "" where the sentence is held by its wording
    sentence: str
    wrong: str  # what the build refuses it for; "" if it holds
    count: str  # how many cases, of which kinds
    nearest: str  # the nearest miss, as a reader can run it
    code: str  # what decides
    asked: str = ""  # what each case was asked, in words


class Checked(NamedTuple):
    """What a page's sentences come to."""

    judged: list[Judged]
    unchecked: list[Sentence]  # statements of which nothing checks a word, or the whole


class Judge:
    """Judges the pages of a site by one set of facts."""

    def __init__(self, facts: Facts) -> None:
        self._table, self.bound = Table(facts.records), facts.bound

    def page(self, markdown: str, cells: Cells | None = None, above: int = 0) -> Checked:
        """Judge all marks of a page, in order; of a part of one, with the cells of the whole."""
        found = list(sentences(markdown))
        judged = [self.mark(mark, said) for said in found for mark in said.marks]
        cells = cells or Cells(markdown)
        judged += [mark for said in found for mark in told(said, cells, above)]
        return Checked(judged, [said for said in found if said.unchecked])

    def mark(self, mark: Mark, said: Sentence) -> Judged:
        """Judge one mark of a sentence."""
        if mark.role == "statement":
            return self._bound(mark, said)
        if mark.role == "cost":
            return timed(mark, said)
        try:
            asked = question(mark.word, mark.target, said.text, mark.start, mark.end)
            answer = self._table.answer(asked)
        except MarkError as error:
            return Judged(mark.line, mark.word, said.text, str(error), "", "", "")
        part = ", ".join(asked.parts) or "anywhere in the zoo"
        cases = f"{answer.cases:,} cases ({part})"
        wrong = ""
        if not answer.holds:
            true = {0: "none", answer.cases: "all"}.get(answer.true, f"{answer.true:,}")
            wrong = f"{mark.word!r} does not hold here: {said.text}\n"
            wrong += f"{cases}, {true} of which fulfill it"
            if answer.counter:
                wrong += f"; one that speaks against it:\n{answer.counter.case.code}"
                wrong += f"\n# {answer.counter.error}" if answer.counter.error else ""
        elif mark == said.marks[0] and not said.told:
            wrong = around.said(said)
        count = cases + shown(asked, answer)
        count += ". {} operations, {} kinds of tensor, {} kinds of call".format(*answer.kinds)
        nearest = answer.nearest.case.code if answer.nearest else ""
        code = inspect.getsource(asked.predicate.ask)
        code = code[code.index("def ") :]
        told, _, _ = (inspect.getdoc(asked.predicate.ask) or "").partition("\n\n")
        return Judged(mark.line, mark.word, said.text, wrong, count, nearest, code, told)

    def _bound(self, mark: Mark, said: Sentence) -> Judged:
        wrong = complaint(mark.target, said.text, self.bound)
        code = self.bound[mark.target].code if mark.target in self.bound else ""
        return Judged(mark.line, "", said.text, wrong, "Held by its wording", "", code)


def shown(asked: Question, answer: Answer) -> str:
    """Say what the cases show, and why that is what the sentence says.

    A "may" needs cases of both kinds, and a "must" needs that torch refuses what does otherwise:
    told as "in the rest not", what bears a sentence out read as if it spoke against it.
    """
    rest = answer.cases - answer.true
    so = f": in {answer.true:,} it is so"
    if asked.negated:
        return f"{so}, in {rest:,} not, so “not {asked.word}” is right"
    if asked.predicate.attempt and asked.meaning == "some":
        return f": {answer.true:,} do so and {rest:,} do not, and torch accepts some of both"
    if asked.meaning == "some":
        return f"{so} and in {rest:,} not, and “{asked.word}” says both"
    if asked.meaning == "only":
        return f"{so}, and in none outside of them"
    if asked.meaning == "unless":
        return f"{so}, and in each outside of them"
    if asked.predicate.attempt and asked.meaning == "must":
        return f": {answer.true:,} do so; {rest:,} do not, and torch refuses each of these"
    if asked.predicate.attempt and asked.meaning == "cannot":
        return f": {answer.true:,} try it, and torch refuses each of these"
    return ", and none speaks against it"


def told(said: Sentence, cells: Cells | None = None, above: int = 0) -> Iterator[Judged]:
    """Judge the sentence around words that are told from values; the page's run judges these.

    Of `x`, `y`, `v` and `J` it may name those whose values are asked: `vT` is `v` in NumPy. Of
    what the page's cells have made likewise; see `around` for this and for the other words.
    """
    if not said.told:
        return
    beside = around.said(said, cells, above)
    looked_at = names(" ".join(mark.target for mark in said.told).replace("vT", "v"))
    for mark in said.told:
        wrong = ""
        if values.negated(said.text, mark.start, mark.end):
            wrong = f"a 'not' stands beside {mark.word!r}, and the values are not asked for it"
        elif blind := spoken_of(said.text) - looked_at:
            wrong = f"the sentence speaks of {known(sorted(blind))}: {mark.target} is not that"
        elif beside:
            wrong, beside = beside, ""
        yield Judged(mark.line, mark.word, said.text, wrong, "Told from values", "", mark.target)


def timed(mark: Mark, said: Sentence) -> Judged:
    """Judge a word of cost by the recorded times."""
    try:
        around = said.text[: mark.start], said.text[mark.end :]
        rows, against = costs.rows(mark.word, mark.target, *around)
    except MarkError as error:
        return Judged(mark.line, mark.word, said.text, str(error), "", "", "")
    ways = f"{rows[0].first}\n# against\n{rows[0].second}"
    wrong = ""
    if against:
        lines = "\n".join([ways, *map(str, against)])
        wrong = f"{mark.word!r} does not hold here: {said.text}\n{lines}"
    count = "CPU time, recorded once: this page times nothing"
    code = "\n".join([ways, *map(str, rows)])
    return Judged(mark.line, mark.word, said.text, wrong, count, "", code)
