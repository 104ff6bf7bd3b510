"""Contraries of the sentences whose words are checked, and what the build says of each.

`python -m tests.mutants.sentences` plants them in all pages, in those that are named, or with
`--some` in one of three, others for each commit, and fails if too few contraries of computed words
are refused; `--record` writes down what the site shows. The
contrary is planted in the page; where the words that it changes stand beside a check as well,
there too, so that a mere comparison of two wordings cannot notice it.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple
from unittest import mock

import torch

from tests.docs.page_cells import PageRole
from tests.docs.reading import Reader
from tests.mutants.__main__ import (
    ONE_IN,
    RECORD,
    in_lines,
    picked_for_this_commit,
    the_commit,
)
from tests.mutants.drawn import Drawn, drawn
from tests.mutants.forks import at_once
from tests.mutants.judging import ROOT
from vtj_site.statements import around, values, words
from vtj_site.statements.asking import PREDICATES, unambiguous
from vtj_site.statements.cells import Cells
from vtj_site.statements.contraries import contraries as contraries_of_word
from vtj_site.statements.contraries import stems, with_s
from vtj_site.statements.costs import BANDS
from vtj_site.statements.facts import facts
from vtj_site.statements.pages import Judge
from vtj_site.statements.parts import PARTS
from vtj_site.statements.sentences import QUOTED

MARK = re.compile(r"\{(?P<role>word|cost|statement)\}`(?P<said>[^`<]*)(?:<(?P<target>[^`>]*)>)?`")
VALUE = re.compile(r"\{eval\}`(?P<said>says\([^`]+\))`")
MARKED = re.compile(r"\{eval\}`(?P<said>says\([^`]+\))`|\{(?P<role>word)\}`[^`]+`")
CODE = re.compile(r"(?:\{[\w:-]+\})?(`+)[^`]+\1|\]\([^)]*\)|\$[^$]+\$")
BEFORE = re.compile(r"[.!?](?:\{statement\}`[^`]*`)?\s+(?=[A-Z`{*\[])| \| |^(?:- |\| )", re.M)
BEHIND = re.compile(r"[.!?](?:\s|\{statement\}|$)| \|")
VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|does|do|did|can|may|must|gets?|gives?)\s+")
"""Behind these a "not" is put in."""
WORD, REST, WORDING = "computed word", "rest of sentence", "held by wording"
COST, TOLD = "word of cost", "word told from values"
NOT, OPPOSITE, NAME = "a not beside the word", "an opposite beside it", "another name beside it"
FIELD = "another noun of the field beside it"
FEW = 2
"""So many contraries of one word are planted: a word may have twenty."""
GOAL = 0.9
"""Of the contraries of words, computed or told from values, so many have to be refused."""
BY_CHANCE = 1.5
"""In a third of the pages so many times as many may get through. Of opposites 8 % do in all pages,
11.1 % did at one commit, and without this one commit of forty would fail by the draw alone."""
CONTRARY: dict[words.Meaning, tuple[str, ...]] = {
    "all": ("never", "cannot"),
    "none": ("always", "may"),
    "only": ("always", "never"),
    "unless": ("always", "only"),
    "some": ("never", "always", "cannot"),
    "must": ("cannot", "may"),
    "cannot": ("must", "may"),
}
ANTONYMS = (
    "adds/overwrites added/overwritten add/overwrite raises/works raise/work right/wrong "
    "before/after first/last second/first row/column rows/columns leaf/non-leaf leaves/non-leaves "
    "real/complex with/without one/several same/other fills/empties filled/empty frees/keeps "
    "freed/kept counted/uncounted larger/smaller more/less shape/dtype accepts/refuses "
    "accepted/refused recorded/untracked forward/backward shares/copies `x`/`y` `v`/`J` "
    "`x.grad`/`y.grad` vᵀ·J/J·u VJP/JVP vector-Jacobian/Jacobian-vector multiplies/divides"
)
PAIRS = dict[str, str]()
for _one, _other in (pair.split("/") for pair in ANTONYMS.split()):
    PAIRS.setdefault(_one, _other)
    PAIRS.setdefault(_other, _one)
SWAPPED = re.compile(
    "|".join(rf"(?<![\w`-]){re.escape(word)}(?![\w`-])" for word in sorted(PAIRS, key=len)[::-1])
)


NOUNS = """
gradient/value gradient/loss gradient/weight gradient/hook value/gradient value/index loss/output
loss/gradient loss/weight input/output output/input output/gradient row/column column/row
forward/backward backward/forward model/optimizer optimizer/model model/loss parameter/buffer
parameter/input buffer/parameter leaf/non-leaf sum/mean mean/sum product/sum view/copy copy/view
shape/dtype shape/values dtype/shape error/warning warning/error tensor/scalar weight/bias
weight/input batch/sample sample/batch element/dimension dimension/element layer/model
process/thread jacobian/hessian jacobian/gradient hessian/jacobian graph/hook hook/graph
function/tensor memory/speed step/loss derivative/value slope/value entry/row
number/tensor matrix/vector vector/matrix argument/result result/argument norm/sum
"""
"""A noun of the field and one that another reader could take it for; both in their plural too."""
OTHERS = dict[str, list[str]]()
for _one, _other in (pair.split("/") for pair in NOUNS.split()):
    OTHERS.setdefault(_one, []).append(_other)


def other_nouns(word: str) -> list[str]:
    """Return the nouns of the field that could stand in the place of one, in its number."""
    if word.lower() in OTHERS:
        return OTHERS[word.lower()]
    one = min(OTHERS.keys() & stems(word), default="") if word.endswith("s") else ""
    return [with_s(each) for each in OTHERS.get(one, ())]


class Contrary(NamedTuple):
    """One contrary in a paragraph of a page."""

    kind: str
    start: int
    before: str
    after: str
    target: str  # what the mark of its sentence points at

    def applied(self, block: str) -> str:
        """Return the paragraph with the contrary in it."""
        return block[: self.start] + self.after + block[self.start + len(self.before) :]


@cache
def judge() -> Judge:
    """Run the zoo, once for all pages."""
    return Judge(facts())


def marked(page: str, mark: re.Pattern[str] = MARK) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a page that have marks, each with where it starts."""
    for block in re.finditer(r"(?:^(?!\s*$).*\n?)+", page, re.MULTILINE):
        if mark.search(block[0]):
            yield block.start(), block[0]


def contraries(block: str) -> Iterator[Contrary]:
    """Yield the contraries of the marked sentences of a paragraph, one at a time."""
    for mark in MARK.finditer(block):
        target = mark["target"] or ""
        if mark["role"] == "cost":
            yield from contraries_of_cost(mark)
        if mark["role"] == "word" and mark["said"].strip().lower() not in words.MEANING:
            yield from contraries_of_verb(mark)
        elif mark["role"] == "word":
            if block[: mark.start()].lower().endswith("not "):
                yield Contrary(
                    WORD, mark.start() - 4, block[mark.start() - 4 : mark.start()], "", target
                )
                continue
            said = mark["said"].strip()
            others = CONTRARY[words.MEANING[said.lower()]]
            for other in others:
                yield Contrary(WORD, mark.start("said"), mark["said"], f"{other} ", target)
            yield Contrary(WORD, mark.start(), mark[0], others[0], target)
            yield Contrary(WORD, mark.end(), "", " not", target)
            yield Contrary(WORD, mark.start(), "", "not ", target)
        for place in SWAPPED.finditer(block, *sentence_around(block, mark)):
            if not any(
                m.start() < place.end() and place.start() < m.end() for m in MARK.finditer(block)
            ):
                kind = kind_of(target, place[0]) if mark["role"] == "word" else REST
                if mark["role"] == "statement":
                    kind, target = WORDING, mark["said"]
                yield Contrary(kind, place.start(), place[0], PAIRS[place[0]], target)


def around_the_word(
    block: str, variables: Set[str] = frozenset(), mark: re.Pattern[str] = MARKED
) -> Iterator[Contrary]:
    """Yield the contraries of what stands around computed words, in each of their sentences.

    A "not" is put in at the first gap and the last one and behind each verb, and each negation is
    taken out; a word with an opposite becomes that, and a variable of the page's cells another
    one that the paragraph names.
    """
    marks = list(mark.finditer(block))
    for start, end in dict.fromkeys(sentence_around(block, found) for found in marks):
        taken = [found.span() for found in [*CODE.finditer(block), *QUOTED.finditer(block)]]
        prose = "".join(
            "#" if any(a <= place < b for a, b in taken) else block[place]
            for place in range(start, end)
        )
        gaps = [found.end() for found in re.finditer(r"(?<=[a-z])\s+(?=[a-z])", prose)]
        chosen = {*gaps[:1], *gaps[-1:], *(found.end() for found in VERB.finditer(prose))}
        some = any(
            words.MEANING.get(found[0].split("`")[1].split(" <")[0].lower()) == "some"
            for found in marks
            if start <= found.start() < end and found["role"]
        )
        for gap in sorted(chosen) if not some else ():  # where some do, some do not
            yield Contrary(NOT, start + gap, "", "not ", "")
        for found in around.NEGATION.finditer(prose):
            if found[0].lower() != "cannot":
                with_gap = re.compile(r"\S+\s*").match(prose, found.start())
                assert with_gap
                yield Contrary(NOT, start + found.start(), with_gap[0], "", "")
        for found in around.WORD.finditer(prose):
            for other in contraries_of_word(found[0])[:FEW]:
                yield Contrary(OPPOSITE, start + found.start(), found[0], other, "")
            for other in other_nouns(found[0]):
                yield Contrary(FIELD, start + found.start(), found[0], other, "")
        for code in CODE.finditer(block, start, end):
            for found in around.NAMED.finditer(code[0] if code[0].startswith("`") else ""):
                if found[0] in variables:
                    others = [each for each in sorted(variables) if each != found[0]]
                    for other in [each for each in others if re.search(rf"`{each}\b", block)]:
                        place = code.start() + found.start()
                        yield Contrary(NAME, place, found[0], other, "")


def contraries_of_verb(mark: re.Match[str]) -> Iterator[Contrary]:
    """Yield the contraries of a marked verb: a "not" put in or taken out, and its antonym."""
    said, target, start = mark["said"], mark["target"], mark.start("said")
    if "not " in said:
        yield Contrary(WORD, start + said.index("not "), "not ", "", target)
    else:
        yield Contrary(WORD, start, said, f"not {said}", target)
        yield Contrary(WORD, mark.start(), "", "not ", target)
        yield Contrary(WORD, mark.end(), "", " not", target)
    for place in SWAPPED.finditer(said):
        yield Contrary(WORD, start + place.start(), place[0], PAIRS[place[0]], target)


def contraries_of_cost(mark: re.Match[str]) -> Iterator[Contrary]:
    """Yield the contraries of a word of recorded times: another word, and the other sizes."""
    said, target = mark["said"], mark["target"] or ""
    word, joint, rest = said.partition(" with ")
    other_words = [
        each
        for each in ("faster", "slower", "no difference")
        if BANDS[each] != BANDS.get(word.strip().lower())
    ]
    other = [f"{each}{joint}{rest.rstrip()}" for each in other_words]
    if turned := re.search(r"\b(?:more|fewer)\s*$", rest):
        fewer = "fewer" if turned[0].strip() == "more" else "more"
        other.append(f"{word}{joint}{rest[: turned.start()]}{fewer}")
    for each in other:
        yield Contrary(COST, mark.start("said"), said, f"{each} ", target)
    yield Contrary(COST, mark.start(), mark[0], other_words[0], target)
    yield Contrary(COST, mark.start(), "", "not ", target)


def sentence_around(block: str, mark: re.Match[str]) -> tuple[int, int]:
    """Return where the sentence of a mark starts and ends."""
    above = block[: mark.start()].rstrip(".")
    start = max((end.end() for end in BEFORE.finditer(above)), default=0)
    if mark["role"] == "statement":
        return start, mark.start()
    end = BEHIND.search(block, mark.end())
    return start, end.start() if end else len(block)


def checked(target: str) -> list[str]:
    """Return the words that a mark's predicate and parts are said by."""
    name, _, parts = target.partition(";")
    predicate = PREDICATES[name.strip()]
    found = [*predicate.words, *predicate.contrary]
    for part in filter(None, map(str.strip, parts.split(","))):
        found += PARTS[part].words
    return found


def kind_of(target: str, word: str) -> str:
    """Say whether a word of a sentence is among those that its mark checks."""
    said = [words.plain(each).split() for each in checked(target)]
    return WORD if any(words.plain(word) in each for each in said) else REST


def caught(
    contrary: Contrary, block: str, cells: Cells | None = None, above: int = 0
) -> str | None:
    """Return what refuses a contrary in the page, and with its words changed beside the check."""
    said = refused(contrary.applied(block), cells, above)
    if said is None or contrary.kind in (COST, REST):
        return said
    with beside_the_check(contrary) as planted:
        return refused(contrary.applied(block), cells, above) if planted else said


@contextmanager
def beside_the_check(contrary: Contrary) -> Iterator[bool]:
    """Plant a contrary in the words of its check too, if it stands there."""
    if contrary.kind == WORDING:
        bound = judge().bound[contrary.target]
        other = bound.words.replace(contrary.before, contrary.after, 1)
        changed = {contrary.target: bound._replace(words=other)}
        with mock.patch.dict(judge().bound, changed):
            yield True
        return
    name = contrary.target.partition(";")[0].strip()
    predicate = PREDICATES[name]
    pattern = rf"(?<![\w-]){re.escape(words.plain(contrary.before))}(?![\w-])"
    if not re.fullmatch(r"[`\w.-]+", contrary.before):
        yield False
        return
    swapped, lost = (
        [re.sub(pattern, words.plain(contrary.after), words.plain(each)) for each in given]
        for given in (predicate.words, predicate.contrary)
    )
    said = predicate._replace(words=tuple(swapped), contrary=tuple(lost))
    with mock.patch.dict(PREDICATES, {name: said}):
        yield True


def refused(block: str, cells: Cells | None = None, above: int = 0) -> str | None:
    """Return what the build would say of a paragraph of a page with these cells, or None."""
    try:
        unambiguous()
        judged, bare = judge().page(block, cells, above)
    except ValueError as error:
        return str(error)
    wrong = [mark.wrong for mark in judged if mark.wrong]
    return next(iter([*wrong, *(f"bare: {sentence.text}" for sentence in bare)]), None)


def outcomes(name: str) -> Iterator[tuple[Contrary, int, str | None]]:
    """Yield each contrary of a page, its line, and what refuses it."""
    page = (ROOT / name).read_text(encoding="utf-8")
    cells = Cells(page)
    for start, block in marked(page):
        above = page.count("\n", 0, start)
        for contrary in contraries(block):
            line = above + block.count("\n", 0, contrary.start) + 1
            yield contrary, line, caught(contrary, block, cells, above)
    for start, block in marked(page, MARKED):
        above = page.count("\n", 0, start)
        for contrary in around_the_word(block, cells.names):
            line = above + block.count("\n", 0, contrary.start) + 1
            yield contrary, line, refused(contrary.applied(block), cells, above)


def told_from_values(name: str) -> Iterator[tuple[Contrary, int, str | None]]:
    """Yield the contraries of a page's words that are told from values, where the page stands."""
    page = (ROOT / name).read_text(encoding="utf-8")
    cells = Cells(page)
    for begin, block in marked(page, VALUE):
        above = page.count("\n", 0, begin)
        for mark in VALUE.finditer(block):
            line = above + block.count("\n", 0, mark.start()) + 1
            for start, after in ((mark.start(), "not "), (mark.end(), " not")):
                contrary = Contrary(TOLD, start, "", after, "")
                yield contrary, line, refused(contrary.applied(block), cells, above)
    if not VALUE.search(page):
        return
    reader = Reader(ROOT / name)
    for place, step in enumerate(list(reader.steps)):
        if isinstance(step, PageRole) and (said := values.SAYS.match(step.expression)):
            for other in other_words(said["word"]):
                contrary = Contrary(TOLD, said.start("word"), said["word"], other, "")
                reader.steps[place] = replace(step, expression=contrary.applied(step.expression))
                yield contrary, step.line, reader.complaint_from(place, place + 1)
            reader.steps[place] = step
        wrong = reader.complaint_from(place, place + 1)
        assert wrong is None, f"{name}:{step.line}: {wrong}"


def other_words(word: str) -> list[str]:
    """Return four words of a word's table that mean something else, and each another thing."""
    word = word.lower()
    for table in values.TABLES:
        if word in table:
            others = {meaning: each for each, meaning in table.items() if meaning != table[word]}
            return list(others.values())[:4]
    return []


def told(name: str, before: str, after: str) -> str | None:
    """Return what a page's run says where the words told from its values are those of another."""
    reader = Reader(ROOT / name)
    asked = [[mark["said"] for mark in VALUE.finditer(text)] for text in (before, after)]
    changed = dict(pair for pair in zip(*asked, strict=True) if pair[0] != pair[1])
    for place, step in enumerate(list(reader.steps)):
        if isinstance(step, PageRole) and step.expression in changed:
            reader.steps[place] = replace(step, expression=changed[step.expression])
    return reader.complaint_from(0) if changed else None


def of_readers(name: str) -> list[tuple[Drawn, str | None]]:
    """Return what refuses each contrary that a reader drew, if its words still are on the page."""
    markdown = (ROOT / name).read_text(encoding="utf-8")
    found = list[tuple[Drawn, str | None]]()
    for one in drawn():
        if one.page == name and (planted := one.planted(markdown)):
            found.append((one, refused(planted) or told(name, markdown, planted)))
    return found


def of_page(name: str) -> list[tuple[Contrary, int, str | None]]:
    """Return all contraries of a page, their lines, and what refuses each."""
    return [*outcomes(name), *told_from_values(name)]


def too_many(kinds: Mapping[str, Counter[str]], *, some: bool) -> bool:
    """Return whether too many contraries of a kind that is held got through."""
    # names are told and not held: two of a paragraph often have the same said of them
    held = [kinds[of] for of in (WORD, TOLD, NOT, OPPOSITE) if of in kinds]
    most = (1 - GOAL) * (BY_CHANCE if some else 1)
    return any(found["through"] > most * found["planted"] for found in held)


def main(arguments: list[str]) -> int:
    """Plant all contraries; return whether too many of computed words got through."""
    parser = argparse.ArgumentParser(prog="tests.mutants.sentences", description=main.__doc__)
    parser.add_argument("pages", nargs="*", help="from the project's root; by default all")
    parser.add_argument("--record", action="store_true", help="write what the site shows of it")
    parser.add_argument("--some", action="store_true", help=f"one page of {ONE_IN}")
    options = parser.parse_args(arguments)
    every = sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md"))
    if options.record and (options.pages or options.some):
        parser.error("--record needs all pages; none may be named or drawn")
    some = filter(picked_for_this_commit, every) if options.some else every
    kinds = defaultdict[str, Counter[str]](Counter)
    judge()  # once, for all forks
    # Each page in a fork: what a process says once, as torch does of create_graph, each page has to
    # hear.
    spent = 0.0
    for name, found_there, seconds in at_once(of_page, options.pages or [*some]):
        spent += seconds
        for contrary, line, said in found_there:
            found = "with a case" if said and "import torch" in said else "refused"
            kinds[contrary.kind].update(["planted", found if said else "through"])
            if not said:
                change = f"{contrary.before!r} became {contrary.after!r}"
                print(f"{name}:{line}: {contrary.kind}: got through: {change}")
    print(*(f"{kind}: {dict(found)}" for kind, found in kinds.items()), sep="\n")
    failed = too_many(kinds, some=options.some)
    if options.pages or options.some:  # what readers drew is told for all pages, and not held
        return int(failed)
    readers = Counter[str]()
    for one in drawn():
        readers.update(["drawn", *(["refused at first"] if one.refused else [])])
    of_some = sorted({one.page for one in drawn()} & {*every})
    for name, planted, _ in at_once(of_readers, of_some):
        for one, said in planted:
            readers.update(["still there", "refused" if said else "through"])
            if not said:
                print(f"{name}: a reader's: got through: {one.before!r} became {one.after!r}")
    print(f"drawn by readers: {dict(readers)}")
    if options.record:
        written = json.loads(RECORD.read_text(encoding="utf-8"))
        run = {"date": datetime.now(UTC).date().isoformat(), "commit": the_commit()}
        run |= {"torch": torch.__version__, "minutes": round(spent / 60)}
        written["sentences"] = run | {"kinds": {kind: kinds[kind] for kind in sorted(kinds)}}
        written["sentences"]["readers"] = readers
        RECORD.write_text(in_lines(written, depth=3) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
