"""Every message and every trap has its section; none vanishes silently."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "how-to"
LISTS = ("errors", "rarer-errors", "traps")
TEXT = "".join((FOLDER / f"{page}.md").read_text(encoding="utf-8") for page in LISTS)

SECTIONS = re.split(r"^\((?=error-|trap-)", TEXT, flags=re.MULTILINE)[1:]
ERRORS = [section for section in SECTIONS if section.startswith("error-")]
TRAPS = [section for section in SECTIONS if section.startswith("trap-")]
GRADCHECK = re.split(
    r"^\((?=gradcheck-)",
    (FOLDER / "gradcheck-fails.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)[1:]
OLD = re.findall(r"```\{error-message\}\n:until: (\S+)\n(.*)\n```", TEXT)


def test_the_number_of_errors_traps_and_old_wordings() -> None:
    assert (len(ERRORS), len(TRAPS), len(OLD)) == (74, 10, 10)


@pytest.mark.parametrize("section", ERRORS, ids=lambda section: section.partition(")")[0])
def test_an_error_has_its_message_its_cell_and_a_fix(section: str) -> None:
    assert "```{error-message}" in section
    cells = re.findall(r"```\{code-cell\}.*?```", section, re.DOTALL)
    kinds = ["raises" in cell for cell in cells if "site-only" not in cell]  # that is no reader's
    assert kinds[0]
    assert not kinds[-1]


@pytest.mark.parametrize("section", GRADCHECK, ids=lambda section: section.partition(")")[0])
def test_a_failure_of_gradcheck_ends_in_what_vtj_says(section: str) -> None:
    cells = re.findall(r"```\{code-cell\}.*?```", section, re.DOTALL)
    assert any("gradcheck(" in cell for cell in cells)
    assert ":raises:" not in cells[-1]
    assert "vtj.check(" in "".join(cells)


@pytest.mark.parametrize("section", TRAPS, ids=lambda section: section.partition(")")[0])
def test_a_trap_is_shown_and_avoided(section: str) -> None:
    assert section.count("```{code-cell}") == 2


@pytest.mark.parametrize("section", TRAPS, ids=lambda section: section.partition(")")[0])
def test_a_trap_is_found_from_the_page_of_errors(section: str) -> None:
    label = section.partition(")")[0]
    listed = (FOLDER / "errors.md").read_text(encoding="utf-8")
    assert re.search(rf'<span id="{label}"></span>.*\]\(traps\.md#{label}\)', listed)
