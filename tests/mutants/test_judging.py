"""A page's and a module's mutants are judged; what survives is named with its line."""

import os
import time
from pathlib import Path

import pytest

from tests.docs import shown
from tests.mutants import pages
from tests.mutants.forks import Fork, in_fork
from tests.mutants.mutant import Outcome

PAGE = """# Title

```{code-cell} python
x = 3
y = x * 2
assert y == 6
```

So it is {eval}`y`.

```{code-cell} python
z = 5
z
```

```{code-cell} python
unused = 7
```
"""


def everything() -> bool:
    return True


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "page.md"
    file.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(shown, "DOCS", tmp_path)
    monkeypatch.setattr(shown, "FOLDER", tmp_path / "shown")
    shown.write(file)
    return file


def judged(page: Path) -> list[Outcome]:
    return list(pages.judge(page, "docs/page.md", everything))


def test_what_catches_each_fault_is_told(page: Path) -> None:
    found = {
        (outcome.mutant.line, outcome.mutant.before): outcome.caught_by and outcome.caught_by[:5]
        for outcome in judged(page)
    }
    assert found == {
        (4, "3"): "check",
        (5, "2"): "check",
        (6, "6"): "check",
        (12, "5"): "shown",
        (17, "7"): None,
    }


def test_a_survivor_is_named_with_file_line_and_change(page: Path) -> None:
    (survivor,) = [outcome.mutant for outcome in judged(page) if outcome.caught_by is None]
    assert str(survivor) == "docs/page.md:17: number: '7' became '8' in 'unused = 7'"


def test_a_page_that_is_wrong_before_any_fault_is_not_judged(page: Path) -> None:
    page.write_text(PAGE.replace("== 6", "== 7"), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"docs/page.md:4: without a fault, it says check"):
        judged(page)


def test_a_sentence_that_says_something_else_is_caught(page: Path) -> None:
    page.write_text(PAGE.replace("{eval}`y`", "{eval}`y - 0`"), encoding="utf-8")
    inline = [o.caught_by for o in judged(page) if o.mutant.kind == "inline"]
    assert inline[0] is None
    assert str(inline[1]).startswith("shown: page.md, sentence 1 shows\n5\napproved was\n6")


def test_a_fork_leaves_nothing_and_answers_late_dead_or_not_at_all() -> None:
    assert in_fork(lambda: {"sum": 1 + 1}) == {"sum": 2}
    assert in_fork(lambda: os._exit(3)) == "ended the process"
    assert in_fork(lambda: time.sleep(60), seconds=0.2) == "took longer than 0.2 seconds"
    with pytest.raises(ChildProcessError, match="ZeroDivisionError"):
        in_fork(lambda: 1 / 0)
    Fork(lambda: time.sleep(60)).end()
