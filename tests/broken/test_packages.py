"""Lies in the library or the examples: a test rejects each, by name."""

import re
import shutil
import sys

import pytest

from tests.broken.site import ROOT, said

TESTS = ("tests/vtj/show/test_heat.py", "tests/vtj/test_examples.py")
BUILDER = '''
from dataclasses import replace
from vtj import Example
from vtj.examples.scalar_output import square


def lonely() -> Example:
    """Return an example that nobody shows."""
    return replace(square(), name="lonely")
'''


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Plant all lies in one copy, and run the tests that must fail; what they say."""
    folder = tmp_path_factory.mktemp("copy")
    for part in ("pyproject.toml", "src", "docs/tutorials", *TESTS):
        copied = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        copied(ROOT / part, folder / part)
    example = ">>> import torch\n>>> torch.tensor([4.0]) + 0\ntensor([5.])\n"
    (folder / "src/vtj/lie.py").write_text(f'"""Add.\n\n{example}"""\n')
    page = "# Page\n\n```pycon\n>>> import vtj\n>>> len(vtj.ENGINES) < 0\nTrue\n\n```\n"
    (folder / "docs/page.md").write_text(page)
    heat = folder / "src/vtj/show/heat.py"
    text = heat.read_text(encoding="utf-8")
    assert text.count("y + 20, text)") == 1
    heat.write_text(text.replace("y + 20, text)", 'y + 20, text.replace("24", "42"))'), "utf-8")
    (folder / "src/vtj/examples/lonely.py").write_text(BUILDER)
    (folder / "docs/tutorials/deserted.md").write_text("(deserted)=\n# Deserted\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no"]
    lies = ("src/vtj/lie.py", "docs/page.md", "--doctest-glob=*.md")
    code, printed = said([*command, *lies, *TESTS], folder)
    assert code == 1, printed
    return printed


def test_wrong_output_in_a_docstring(tested: str) -> None:
    """Rejected by nox -s doctest."""
    assert "src/vtj/lie.py:4: DocTestFailure" in tested
    assert re.search(r"Expected:\n +tensor\(\[5\.\]\)\nGot:\n +tensor\(\[4\.\]\)", tested)


def test_wrong_output_in_a_doctest_of_a_page(tested: str) -> None:
    """Rejected by nox -s doctest."""
    assert "docs/page.md:5: DocTestFailure" in tested
    assert re.search(r"Expected:\n +True\nGot:\n +False", tested)


def test_wrong_picture(tested: str) -> None:
    """Rejected by tests/vtj/show/test_heat.py."""
    assert "'42' != '24'" in tested
    assert re.search(r"tests/vtj/show/test_heat\.py:\d+: AssertionError", tested)


def test_example_without_page(tested: str) -> None:
    """Rejected by tests/vtj/test_examples.py."""
    assert "src/vtj/examples/lonely.py builds lonely, which no page shows: write a" in tested


def test_page_without_example(tested: str) -> None:
    """Rejected by tests/vtj/test_examples.py."""
    assert "docs/tutorials/deserted.md has a section (deserted)= without an example" in tested


def test_builder_without_a_docstring_example(tested: str) -> None:
    """Rejected by tests/vtj/test_examples.py."""
    assert "no example in the docstring of lonely" in tested
