"""The tutorials: formulas use their cells' names, guesses and errors are met, the way goes on."""

import re
from pathlib import Path

import pytest

from vtj.show.formulas import Formula

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for page in sorted((DOCS / "tutorials").glob("*.md")) if page.stem != "index"]
SECTION = re.compile(r"^(?=\([\w-]+\)=\n##+ )", re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"^from vtj\.examples\..*\n(?:.*\n)*?(vtj\.formula\(.*\))$", re.MULTILINE)


def of_other_names(section: str) -> list[str]:
    """Return which names of a section's formulas its cells do not give to y and to a leaf."""
    wrong = []
    cells = CELL.findall(section)
    code = "\n".join(cell for cell in cells if "vtj.formula(" not in cell)
    for asked in filter(None, map(FORMULA.search, cells)):
        shown = formula(asked[0])
        left = str(shown).partition(" = ")[0]
        if not re.search(rf"\b{left}\.backward\(|autograd\.grad\({left}\b", code):
            wrong.append(f"{asked[1]} writes {left} = …, and no cell goes back from {left}")
        wrong += [
            f"{asked[1]} writes {name}, and no cell makes a leaf {name}"
            for name in shown.symbolic.names
            if not re.search(rf"^ *{name} = .*requires_grad", code, re.MULTILINE)
        ]
    return wrong


def formula(code: str) -> Formula:
    lines = code.splitlines()
    names: dict[str, object] = {}
    exec("\n".join(["import vtj", *lines[:-1]]), names)
    found = eval(lines[-1], names)
    assert isinstance(found, Formula)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_formula_keeps_the_names_of_its_cells(page: Path) -> None:
    sections = SECTION.split(page.read_text(encoding="utf-8"))
    assert [wrong for section in sections for wrong in of_other_names(section)] == []


def test_another_name_is_found() -> None:
    cells = """```{code-cell} python
w = torch.tensor(1.0, requires_grad=True)
loss = w**2
loss.backward()
```
```{code-cell} python
from vtj.examples.scalar_output import square
vtj.formula(square().f, square().x)
```
"""
    asked = "vtj.formula(square().f, square().x)"
    assert of_other_names(cells) == [
        f"{asked} writes y = …, and no cell goes back from y",
        f"{asked} writes x, and no cell makes a leaf x",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_question_meets_a_wrong_guess_by_name(page: Path) -> None:
    sections = SECTION.split(page.read_text(encoding="utf-8"))
    questions = [section for section in sections if section.startswith("(predict-")]
    assert questions
    unmet = [section.splitlines()[1] for section in questions if "If you " not in section]
    assert unmet == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_way_on_is_in_no_folded_question(page: Path) -> None:
    last = page.read_text(encoding="utf-8").split("\n## ")[-1]
    assert last.startswith("Next\n")
    assert re.search(r"\]\([\w./-]+\.md", last)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_an_error_leads_to_its_entry(page: Path) -> None:
    sections = SECTION.split(page.read_text(encoding="utf-8"))
    raising = [section for section in sections if "[raises-exception]" in section]
    stuck = [section.splitlines()[1] for section in raising if "errors.md#error-" not in section]
    assert stuck == []
