"""Every question has an anchor, a short answer, an assert that can fail and a link to more."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.page_cells import HIDDEN, PageCell, cells_of, changed
from tests.docs.reading import Reader
from tests.mutants import planting

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("faq*.md"))
QUESTIONS = 100
SECTION = re.compile(r"^(?:\((?P<label>[\w-]+)\)=\n)?### (?P<title>.+)\n", re.MULTILINE)
pytestmark = pytest.mark.filterwarnings(  # torch about itself, on the first forward derivative
    r"ignore:`torch\.jit\.script` is deprecated:DeprecationWarning"
)
MORE = re.compile(r"^More: (\[[^\]]+\]\([^)]+\)(?:, )?)+\.$", re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """One section of a page; its cells run after the page's first, which all share."""

    label: str | None
    title: str
    text: str
    cells: list[PageCell]
    page: Path
    shared: PageCell


def questions(page: Path) -> list[Question]:
    text = page.read_text(encoding="utf-8")
    heads = list(SECTION.finditer(text))
    ends = [re.compile(r"^(?:\([\w-]+\)=|## )", re.MULTILINE).search(text, h.end()) for h in heads]
    found, (shared, *cells) = [], cells_of(page)
    for head, end in zip(heads, ends, strict=True):
        body = text[head.end() : end.start() if end else None]
        own = [cell for cell in cells if cell.code in body]
        found.append(Question(head["label"], head["title"], body, own, page, shared))
    return found


def complaint(question: Question) -> str | None:
    """Say what an answer lacks, or nothing."""
    answer = HIDDEN.sub("", question.text).partition("```")[0]
    sentences = re.findall(r"[.?!](?=\s|$)", re.sub(r"`[^`]*`", "", answer))
    if not (question.label or "").startswith("faq-"):
        return "has no anchor"
    if not 1 <= len(sentences) <= 2:
        return f"is answered in {len(sentences)} sentences"
    if not MORE.search(question.text):
        return "has no link that tells more"
    failed = Reader(question.page, [question.shared, *question.cells]).complaint_from(0)
    return failed and f"fails: {failed}"


def catches_a_change(question: Question) -> bool:
    """Say whether any other number in the cell, or in J by hand, makes an assert fail."""
    cells = [question.shared, *question.cells]
    for place, cell in enumerate(cells):
        for change in planting.numbers(cell.code):
            faulty = changed(cells, place, change.applied(cell.code))
            said = Reader(question.page, faulty).complaint_from(0)
            if said is not None and said.startswith("AssertionError"):
                return True
    return False


ALL = [question for page in PAGES for question in questions(page)]


def test_there_are_as_many_as_users_asked() -> None:
    labels = [question.label for question in ALL]
    assert len(labels) == len(set(labels)) == QUESTIONS


@pytest.mark.parametrize("question", ALL, ids=lambda question: str(question.label))
def test_every_answer_is_complete(question: Question) -> None:
    assert complaint(question) is None


@pytest.mark.parametrize("question", ALL, ids=lambda question: str(question.label))
def test_every_answer_can_be_found_wrong(question: Question) -> None:
    assert catches_a_change(question)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("(faq-two)=\n", "", "has no anchor"),
        ("More: [there](there.md).", "", "has no link that tells more"),
        ("== 2", "== 3", "fails: AssertionError: "),
        ("Two.", "Two. " * 3, "is answered in 3 sentences"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, before: str, after: str, said: str) -> None:
    text = (
        "```{code-cell} python\nimport torch\n```\n\n## Sums\n\n(faq-two)=\n### How much is it?\n"
        "\nTwo.\n\n```{code-cell} python\nassert 1 + 1 == 2\n```\n\nMore: [there](there.md).\n"
    )
    page = tmp_path / "faq.md"
    page.write_text(text, encoding="utf-8")
    (question,) = questions(page)
    assert complaint(question) is None
    assert catches_a_change(question)
    page.write_text(text.replace(before, after), encoding="utf-8")
    assert complaint(questions(page)[0]) == said


@pytest.mark.parametrize(
    "code", ["assert 2 == 2 or True", "1 + 1", "if False:\n    assert 1 + 1 == 2"]
)
def test_an_answer_without_an_assert_that_can_fail_is_found(tmp_path: Path, code: str) -> None:
    page = tmp_path / "faq.md"
    cell = "```{{code-cell}} python\n{}\n```\n".format
    page.write_text(cell("import torch") + "(faq-two)=\n### Two?\n" + cell(code))
    assert not catches_a_change(questions(page)[0])
