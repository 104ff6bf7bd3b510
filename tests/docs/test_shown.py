"""What a page shows is what a person approved, wherever no check on the page says it is right."""

from pathlib import Path

import pytest
import torch

from tests.docs import shown
from tests.docs.reading import LONGEST, Reader, as_text, kept, with_python_s_warnings
from tests.mutants.forks import in_fork

PAGES = shown.pages()


def complaint(page: Path) -> str | None:
    """Read a page in a fork, as the build does."""
    with_python_s_warnings()
    torch.set_warn_always(True)  # a test before this one may have met what is said once a process
    reader = Reader(page)
    return reader.complaint_from(0) or shown.difference(page, reader.shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_shows_what_was_approved(page: Path) -> None:
    assert in_fork(lambda: complaint(page)) is None


def test_no_approved_page_has_gone() -> None:
    assert list(shown.without_page()) == []


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shown, "DOCS", tmp_path)
    monkeypatch.setattr(shown, "FOLDER", tmp_path / "shown")
    file = tmp_path / "page.md"
    file.write_text("```{code-cell} python\nprint('a')\n2.5\n```\n", encoding="utf-8")
    return file


def test_another_output_names_page_cell_both_texts_and_what_to_do(page: Path) -> None:
    shown.write(page)
    assert shown.file_of(page).read_text(encoding="utf-8") == "=== cell 1\na\n2.5\n"
    assert shown.difference(page, {"cell 1": "a\n2.5"}) is None
    said = shown.difference(page, {"cell 1": "a\n3.5"})
    assert said == (
        "page.md, cell 1 shows\na\n3.5\napproved was\na\n2.5\n"
        "If the page is right, run nox -s shown, read the difference and commit it."
    )


def test_what_nobody_approved_and_what_is_shown_no_more_are_named(page: Path) -> None:
    assert "approved was\nnothing" in str(shown.difference(page, {"cell 1": "a"}))
    shown.write(page)
    assert str(shown.difference(page, {})).startswith("page.md, cell 1 shows\nnothing\n")
    page.write_text("```{code-cell} python\nx = 1\n```\n", encoding="utf-8")
    shown.write(page)
    assert not shown.file_of(page).exists()


CHECKED = {
    "an assert of what is shown": "x = 2\nassert x == 1 + 1\nx",
    "NumPy's assert": "import numpy as np\nx = 2\nnp.testing.assert_equal(x, 2)\nx",
    "torch's word": "import torch\nx = torch.ones(1)\nassert torch.equal(x, x)\nx",
    "what no reader sees": ":tags: [remove-output]\n2",
    "what is confirmed": "class One:\n    def confirm(self):\n        return 2\nOne().confirm()",
}
UNCHECKED = {
    "an assert of something else": "x = 2\ny = 1\nassert y == 1\nx",
    "an assert that it differs": "x = 2\nassert not x == 3\nx",
    "an assert of a part of it": "x = (2, 3)\nassert x[0] == 2\nx",
    "something printed besides": "x = 2\nprint(x)\nassert x == 2\nx",
    "a sentence": "x = 2\n```\n{eval}`x`\n```{code-cell} python\nx = 3",
}


@pytest.mark.parametrize("code", [*CHECKED, *UNCHECKED])
def test_only_what_no_check_confirms_is_approved(page: Path, code: str) -> None:
    page.write_text(f"```{{code-cell}} python\n{(CHECKED | UNCHECKED)[code]}\n```\n", "utf-8")
    shown.write(page)
    assert bool(shown.approved(page)) is (code in UNCHECKED)


def test_other_last_digits_leave_the_file_as_it_is(page: Path) -> None:
    file = shown.file_of(page)
    file.parent.mkdir()
    file.write_text("=== cell 1\na\n2.5\n\n", encoding="utf-8")
    shown.write(page)
    assert file.read_text(encoding="utf-8").endswith("2.5\n\n")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("assert 1 == 2", "AssertionError"),
        ("import sys\nprint('look', file=sys.stderr)", "look"),  # a fault, as in the build
    ],
)
def test_a_page_that_complains_is_not_approved(page: Path, code: str, said: str) -> None:
    page.write_text(f"```{{code-cell}} python\n{code}\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=rf"page\.md: {said}"):
        shown.write(page)
    assert not shown.file_of(page).exists()


@pytest.mark.parametrize(
    ("was", "now", "agree"),
    [
        ("tensor(2.)", "tensor(2.)", True),
        ("0.3333333", "0.3333334", True),
        ("0.33", "0.34", False),
        ("2", "3", False),
        ("x 1.5", "y 1.5", False),
        ("150", "150.0", False),
    ],
)
def test_only_last_digits_may_differ(was: str, now: str, agree: bool) -> None:
    assert shown.same(was, now) is agree


def test_a_long_output_is_kept_as_its_digest() -> None:
    text = "\n".join(map(str, range(LONGEST + 1)))
    assert kept(text).startswith("41 lines, SHA-256 ")
    assert kept(text) != kept(text.replace("7", "8"))


def test_a_table_is_read_row_by_row_and_a_picture_by_its_description() -> None:
    class Shown:
        def __init__(self, html: str) -> None:
            self.html = html

        def __repr__(self) -> str:
            return "described"

        def _repr_html_(self) -> str:
            return self.html

    table = Shown("<table><tr><td>a</td><td>1</td></tr>\n<tr><td>b</td></tr></table>")
    assert as_text(table) == "a 1\nb\n"
    picture, moved = as_text(Shown("<svg x='1'/>")), as_text(Shown("<svg x='2'/>"))
    assert picture.startswith("described\ndrawn: SHA-256 ")
    assert picture != moved


def test_a_file_without_page_is_found(page: Path) -> None:
    shown.write(page)
    page.rename(page.with_name("other.md"))
    assert list(shown.without_page()) == [shown.FOLDER / "page.txt"]
