"""The gates see a page's cells as they ran, each in its section and on its line."""

import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from executed_page import Page, Section, executed_page, headings
from sphinx.application import Sphinx

from tests.extensions.conftest import Build

STILL = {"nb_execution_mode": "off"}
PAGE = """
```{code-cell} python
before = "é"
```

# Page

Text.

## First

```{code-cell} python
:tags: [raises-exception]
print("a")
```

```python
# no heading
```

### Within

```{code-cell} python
b
```

```{code-cell} python
c
```

## Empty
"""
Seen = Callable[..., dict[str, Page | None]]


@pytest.fixture
def seen(build: Build, monkeypatch: pytest.MonkeyPatch) -> Seen:
    """Build pages; return what a gate sees of each."""

    def run(config: dict[str, str], **texts: str) -> dict[str, Page | None]:
        pages: dict[str, Page | None] = {}

        def see(app: Sphinx, doctree: object) -> None:
            pages[app.env.docname] = executed_page(app.env, app.env.docname)

        gate = ModuleType("gate")
        gate.setup = lambda app: app.connect("doctree-read", see) and {}  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "gate", gate)
        assert build("gate", config=config, builder="dummy", **texts) == ""
        return pages

    return run


def test_each_cell_stands_in_its_section(seen: Seen) -> None:
    page = seen(STILL, page=PAGE)["page"]
    assert page is not None
    found = [(s.title, s.line, [(c.source, c.line) for c in s.cells]) for s in page.sections]
    assert found == [
        ("", 1, [('before = "é"', 6)]),
        ("Page", 10, []),
        ("First", 14, [('print("a")', 16)]),
        ("Within", 25, [("b", 27), ("c", 31)]),
        ("Empty", 35, []),
    ]
    assert [cell.index for cell in page.cells] == [0, 2, 4, 5]
    assert [cell.options.get("tags") for cell in page.cells][:2] == [None, ["raises-exception"]]
    assert all(cell.outputs == [] for cell in page.cells)


def test_what_a_cell_showed_is_seen(seen: Seen) -> None:
    page = seen({}, page="\n# Page\n\n```{code-cell} python\n1 + 1\n```\n")["page"]
    assert page is not None
    (cell,) = page.cells
    assert cell.outputs[0].data["text/plain"] == "2"


def test_a_page_without_cells_is_no_executed_page(seen: Seen) -> None:
    assert seen(STILL, page="# Page\n")["index"] is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("# a", [("a", 1)]),
        ("text\n\n####   b  c  \n", [("b  c", 3)]),
        ("####### seven\n#none\ntext # no", []),
        ("```\n# a\n```\n# b", [("b", 4)]),
        ("~~~\n# a\n```\n# b\n~~~\n# c", [("c", 6)]),
        ("````\n```\n# a\n````\n# b", [("b", 5)]),
        (":::\n# a\n:::::\n# b", [("b", 4)]),
        ("  ```{note}\n# a\ntext ```\n# b\n  ```\n# c\n```\n# d\n```\n# e", [("c", 6), ("e", 10)]),
        ("```\n# never closed", []),
    ],
)
def test_a_heading_stands_outside_every_fence(text: str, found: list[tuple[str, int]]) -> None:
    assert list(headings(text)) == [Section(title, line) for title, line in found]
