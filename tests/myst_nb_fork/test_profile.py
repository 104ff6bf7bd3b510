"""What the pages took is said at the end, and written down if wanted."""

import json

import pytest

from myst_nb_fork.messages import Error, Result, Step
from myst_nb_fork.steps import failure, first_line
from tests.myst_nb_fork.conftest import Project, cell


def test_the_slowest_pages_and_cells_are_named_at_the_end(project: Project) -> None:
    for number in range(3):
        project.page(f"p{number}", cell(f"import time\ntime.sleep({2 * number})"), cell("1"))
    said = project.build().status.partition("the slowest of 3 pages and of 6 cells that ran:\n")[2]
    pages, cells = said.splitlines()[:3], said.splitlines()[3:8]
    assert [line.split()[2:] for line in pages] == [["p2"], ["p1"], ["p0"]]
    assert [line.split()[2] for line in cells[:2]] == ["p2:9", "p1:9"]
    assert float(cells[0].split()[0]) >= 4
    assert "the slowest" not in project.build().status


@pytest.mark.parametrize("way", ["option", "environment"])
def test_the_profile_is_written_as_json(
    project: Project, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    path = project.folder / "new/profile.json"
    project.page(
        "a", cell("import time\ntime.sleep(0.2)"), "{eval}`1`\n\n", cell("1 / 0"), cell("2")
    )
    if way == "option":
        project.build(myst_nb_fork_profile=str(path))
    else:
        monkeypatch.setenv("MYST_NB_FORK_PROFILE", str(path))
        project.build()
    profile = json.loads(path.read_text())
    page = profile["pages"]["a"]
    assert page["failed"] is True
    assert 1 << 24 < page["peak_bytes"] < 1 << 34
    assert 0.2 <= page["cells"][0].pop("seconds") <= page["seconds"] <= profile["seconds"]
    assert page["cells"][0] == {"line": 9, "source": "import time"}
    assert [cell["line"] for cell in page["cells"]] == [9, 16]


def test_the_line_of_a_cell_is_not_known_if_its_code_is_not_there() -> None:
    assert first_line(["```{code-cell}", ":load: file.py", "```"], 1, "x = 1") is None
    assert first_line(["```{code-cell}", "x = 1", "```"], 1, "x = 1") == 2
    assert first_line(["- ```{code-cell}", "  x = 1", "  y"], 1, "x = 1\ny") == 2


def test_a_failure_names_the_line_it_knows() -> None:
    error = Error("E", "why", 9, ("\x1b[31;1mred\x1b[0m",))
    result = Result(error=error)
    somewhere = failure(Step("cell", "a\nb"), result, traceback=False)
    assert somewhere == (None, "E: why\n    b")
    located = failure(Step("cell", "a\nb", line=5), result, traceback=True)
    assert located == (6, "E: why\n    b\nred")
