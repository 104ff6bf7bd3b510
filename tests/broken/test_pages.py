"""Every lie that a page can tell fails the build, which names the page, the line and the reason."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.broken.lies import PAGES, Lie, told_on_pages

ROOT = Path(__file__).parents[2]
LIES = told_on_pages()
NOT_LISTED = "page_in_no_toctree"
TRUE = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
---

# True

```{code-cell} python
grad = 26
```

The gradient is {eval}`grad`.
"""
ENTRY = re.compile(r"^(?=(?:/|WARNING|ERROR|CRITICAL)\S*)", re.MULTILINE)
PLACE = re.compile(r"^(?P<path>/[^:\n]*)(?::(?P<line>\d+))?:+ (?:WARNING|ERROR|CRITICAL): ")


@dataclass(frozen=True)
class Warned:
    """One warning: its page, without suffix, its line if it names one, and its text."""

    page: str
    line: int | None
    text: str


@dataclass(frozen=True)
class Twin:
    """The broken site, built: the exit code and what was said."""

    code: int
    warnings: list[Warned]
    printed: str


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    """Build all lies in one site, with one true page among them, as `nox -s docs` builds."""
    docs = tmp_path_factory.mktemp("twin") / "docs"
    shutil.copytree(PAGES, docs)
    (docs / "true.md").write_text(TRUE, encoding="utf-8")
    listed = [lie.name for lie in LIES if lie.name != NOT_LISTED]
    listing = "\n".join(["true", *listed])
    (docs / "index.md").write_text(f"# Home\n\n```{{toctree}}\n{listing}\n```\n", encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going"]
    command += ["-c", str(ROOT / "conf"), str(docs), str(docs.parent / "html")]
    ran = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr)
    return Twin(ran.returncode, list(warnings(printed, docs)), printed)


def warnings(printed: str, docs: Path) -> Iterator[Warned]:
    """Take what was printed apart."""
    for entry in ENTRY.split(printed):
        if place := PLACE.match(entry):
            page = Path(place["path"]).relative_to(docs).with_suffix("").as_posix()
            yield Warned(page, int(place["line"]) if place["line"] else None, entry)
        elif entry.startswith("WARNING"):
            yield Warned("", None, entry)


def answers(warning: Warned, lie: Lie) -> bool:
    """Whether a warning is the one that a lie has to meet with."""
    where = warning.page == lie.name if warning.page else f"{lie.name}." in warning.text
    line = lie.line is None or warning.line == lie.line
    return where and line and all(part in warning.text for part in lie.says)


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.name)
def test_a_lie_is_rejected_where_it_stands(twin: Twin, lie: Lie) -> None:
    about = [warning for warning in twin.warnings if warning.page == lie.name] or twin.warnings
    assert any(answers(warning, lie) for warning in twin.warnings), about


def test_the_build_fails_and_the_true_page_is_not_accused(twin: Twin) -> None:
    assert twin.code == 1
    assert [warning.text for warning in twin.warnings if warning.page in ("true", "index")] == []
