"""Every lie that a page can tell fails the build, which names the page, the line and the reason."""

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.broken.lies import PAGES, Lie, told_on_pages
from tests.broken.site import PAGE, ROOT, alone, said

LIES = told_on_pages()
TRUE = "tutorials/three_outputs"  # by its own name, to which unchecked.json may allow words
NOT_LISTED = "page_in_no_toctree"
FAULTS = {  # in a real page: the text before and after, and what is said of each value
    "v": ("v = torch.tensor([1.0, 10.0", "v = torch.tensor([1.0, 11.0", "x.grad[0]: the page 28"),
    "y": ("y[2] = 10 * x[1]", "y[2] = 11 * x[1]", "y[2]: the page 22, f 20"),
    "J": ("J = np.array([[6 * a[0]", "J = np.array([[7 * a[0]", "dy[0]/dx[0]: the page 7"),
    "unconfirmed": ("three_outputs().confirm", "print", "does not confirm"),
}
ENTRY = re.compile(r"^(?=(?:/\S*:|WARNING:|ERROR:|CRITICAL:))", re.MULTILINE)
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
    """Build all lies in one site, with a true page among them, as `nox -s docs` builds."""
    docs = tmp_path_factory.mktemp("twin") / "docs"
    shutil.copytree(PAGES, docs)
    (docs / TRUE).with_suffix(".md").write_text(alone(PAGE), encoding="utf-8")
    real = re.sub(r"^\(.*\)=\n", "", alone(PAGE), flags=re.MULTILINE)  # a label is there once
    for name, (before, after, _) in FAULTS.items():
        assert before in real
        lie = real.replace(before, after, 1)
        (docs / f"tutorials/fault_{name}.md").write_text(lie, encoding="utf-8")
    names = [file.relative_to(docs).with_suffix("").as_posix() for file in docs.rglob("*.md")]
    listing = "\n".join(name for name in sorted(names) if name != NOT_LISTED)
    (docs / "index.md").write_text(f"# Home\n\n```{{toctree}}\n{listing}\n```\n", encoding="utf-8")
    command = [sys.executable, "conf/build.py", str(docs.parent / "build"), str(docs), "-q"]
    code, printed = said([*command, "-n", "-W", "--keep-going", "-c", "conf"], ROOT)
    return Twin(code, list(warnings(printed, docs)), printed)


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


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_real_page_is_named_with_its_line(twin: Twin, name: str) -> None:
    about = [warning for warning in twin.warnings if warning.page == f"tutorials/fault_{name}"]
    assert any(warning.line and FAULTS[name][2] in warning.text for warning in about), about


def test_the_build_fails_and_the_true_page_is_not_accused(twin: Twin) -> None:
    assert twin.code == 1
    true = (TRUE, "index")
    assert [warning.text for warning in twin.warnings if warning.page in true] == []
