"""What the site says of itself, word for word, each with what must be so for it to be said."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.page_cells import CELL, OPTION, cells_of
from tests.docs.test_faq import ALL as QUESTIONS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
HOW_TO = [page for page in PAGES if page.parent.name == "how-to" and page.stem != "index"]
TUTORIALS = [page for page in PAGES if page.parent.name == "tutorials" and page.stem != "index"]
MESSAGE = re.compile(r"```\{error-message\}\n(?!:until)(.*?)\n```", re.DOTALL)


def sections(page: Path) -> Iterator[list[str]]:
    """Yield the code of each section of a tutorial that ends with the oracle, cell by cell.

    A cell with the tag site-only is no reader's.
    """
    for text in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        code = [OPTION.sub("", cell) for cell in CELL.findall(text) if "site-only" not in cell]
        if ".confirm(" in "".join(code):
            yield code


def takes_four_steps(code: list[str]) -> bool:
    """Whether a section runs torch, shows formulas and multiplies in NumPy before it confirms."""
    return all(any(step in cell for cell in code) for step in ("backward(", "formula(", "np."))


def every_cell_runs() -> bool:
    """No cell is skipped, on no page."""
    tags = [cell.options.get("tags", []) for page in PAGES for cell in cells_of(page)]
    return len(tags) > 500 and not any("skip-execution" in each for each in tags)


def every_answer_ends_in_an_assert() -> bool:
    """The last statement of its last cell asserts; a loop may stand around it."""
    last = [ast.parse(question.cells[-1].code).body[-1] for question in QUESTIONS]
    return all(
        re.match(r"\s*assert |\S+\.assert_", ast.unparse(each).splitlines()[-1]) for each in last
    )


def every_message_is_declared() -> bool:
    """Its text, with anything for what varies, is the one that a cell of its page declares."""
    for page in HOW_TO:
        declared = [str(cell.options.get("raises")) for cell in cells_of(page)]
        declared += [
            text.value.replace("('", ": ", 1)  # the repr of a warning, which a cell compares
            for cell in cells_of(page)
            if "assert " in cell.code
            for text in ast.walk(ast.parse(cell.code))
            if isinstance(text, ast.Constant) and isinstance(text.value, str)
        ]
        for pattern in MESSAGE.findall(page.read_text(encoding="utf-8")):
            words = ".*".join(re.escape(part.strip()) for part in pattern.split("{…}"))
            words = re.sub(r"^(?:\w+\\\.)+(?=\w+:)", "", words)  # a cell names the class alone
            if not any(re.match(words, " ".join(text.split())) for text in declared):
                raise AssertionError(f"{page}: no cell raises {pattern}")
    return True


def guides_end_with_pitfalls() -> bool:
    """All but the lists of what goes wrong, which have nothing else; or a cell is refused."""
    lists = ("errors", "rarer-errors", "traps", "gradcheck-fails")
    guides = [page for page in HOW_TO if page.stem not in lists]
    texts = [page.read_text(encoding="utf-8") for page in guides]
    signs = ("\n## Pitfalls\n", "raises-exception", "report.findings")
    return len(texts) > 10 and all(any(sign in text for sign in signs) for text in texts)


def most_sections_take_four_steps() -> bool:
    """More than half of them, and of the pages."""
    taken = [[takes_four_steps(code) for code in sections(page)] for page in TUTORIALS]
    each = [took for of_page in taken for took in of_page]
    return 2 * sum(each) > len(each) and 2 * sum(map(any, taken)) > len(taken)


def every_line_of_the_sheet_is_run() -> bool:
    """No table of the page is typed, and each row of one is run and compared."""
    page = DOCS / "reference" / "cheat-sheet.md"
    typed = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    calls = [
        call
        for cell in cells_of(page)
        for call in ast.walk(ast.parse(cell.code))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Table"
    ]
    rows = [row for call in calls for row in call.args[1:] if isinstance(row, ast.Tuple)]
    run = [re.search(r"\b(confirmed|refused)\(", ast.unparse(row)) for row in rows]
    return "\n|" not in typed and len(run) > 20 and all(run)


SAID: dict[str, dict[str, Callable[[], bool]]] = {
    "index": {
        "Every cell on this site ran when it was built": every_cell_runs,
        "This page ran when the site was built.": every_cell_runs,
    },
    "faq": {
        "The last cell of each answer ends in an `assert` that ran when this page was built.": (
            every_answer_ends_in_an_assert
        ),
    },
    "how-to/errors": {
        "This page raises each message and compares it letter by letter": (
            every_message_is_declared
        ),
    },
    "how-to/rarer-errors": {
        "This page raises more messages, compared letter by letter": every_message_is_declared,
    },
    "how-to/index": {
        "Each opens with code that ran.": every_cell_runs,
        "show what goes wrong": guides_end_with_pitfalls,
    },
    "tutorials/three_outputs": {"as most tutorials here do": most_sections_take_four_steps},
    "reference/outcomes": {
        "tried when this page was built: the gradient": every_cell_runs,
        "Each combination was tried when this page was built": every_cell_runs,
    },
    "reference/cheat-sheet": {
        "This page runs each line of code below and compares what it gives or raises.": (
            every_line_of_the_sheet_is_run
        ),
    },
    "explanation/how-this-site-is-built": {
        "How this site is built: every cell runs": every_cell_runs,
        "Run `nox -s docs` to build the site and run each cell on each page.": every_cell_runs,
    },
}
OF_ITSELF = re.compile(
    r"(?:every|each|most) (?:answer|message|line|section|page|tutorial|cell)s?\b|most take"
    r"|ran when|was built",
    re.IGNORECASE,
)
HELD_ELSEWHERE = {  # or by nothing, and why
    "(This page was built without a GPU": "it is not known where a page will be built",
    "A cell below each answer": "tests/docs/test_wrong_answers.py",
    "## Every page": "a heading",
}


def prose(page: str) -> str:
    """Return what a page says, its cells left out and its lines joined."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return " ".join(re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE).split())


ROWS = [(page, words, held) for page, said in SAID.items() for words, held in said.items()]


@pytest.mark.parametrize(("page", "words", "held"), ROWS, ids=[words for _, words, _ in ROWS])
def test_what_the_site_says_of_itself_is_so(
    page: str, words: str, held: Callable[[], bool]
) -> None:
    assert words in prose(page)
    assert held()


def test_nothing_else_is_said_of_it() -> None:
    for page in PAGES:
        text = prose(page.relative_to(DOCS).with_suffix("").as_posix())
        for words in [*(words for _, words, _ in ROWS), *HELD_ELSEWHERE]:
            text = text.replace(words, " ")
        assert OF_ITSELF.search(text) is None, (page, OF_ITSELF.search(text))
