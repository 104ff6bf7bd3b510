"""Lies in the library, the examples or the settings: a test or the build rejects each, by name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from devices.explorer.functions import explored, expression
from errors import search
from mathematics import font
from reading import fixes, folds
from sphinx.errors import ConfigError, ThemeError

from tests.docs.test_gate import PAGE, Site

ROOT = Path(__file__).parents[2]
BUILDER = '''
from vtj import Example
from vtj.examples.scalar_output import square


def lonely() -> Example:
    """Return an example that nobody shows."""
    return square()
'''


def copied(folder: Path, *parts: str) -> Path:
    """Copy files and folders of the repository."""
    for part in ("pyproject.toml", "src", *parts):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / part, folder / part)
    return folder


def plant(file: Path, before: str, after: str) -> None:
    """Change one piece of text, which must occur once."""
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, after), encoding="utf-8")


def said_by_tests(folder: Path, *arguments: str) -> str:
    """Run tests in a copy, see them fail, and return what was said."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no"]
    ran = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return ran.stdout


def test_wrong_output_in_a_docstring(tmp_path: Path) -> None:
    """Rejected by nox -s doctest."""
    copied(tmp_path)
    example = ">>> import torch\n>>> torch.tensor([4.0]) + 0\ntensor([5.])\n"
    (tmp_path / "src/vtj/lie.py").write_text(f'"""Add.\n\n{example}"""\n')
    said = said_by_tests(tmp_path, "src/vtj/lie.py")
    assert "src/vtj/lie.py:4: DocTestFailure" in said
    assert re.search(r"Expected:\n +tensor\(\[5\.\]\)\nGot:\n +tensor\(\[4\.\]\)", said)


def test_wrong_output_in_a_doctest_of_a_page(tmp_path: Path) -> None:
    """Rejected by nox -s doctest."""
    copied(tmp_path)
    page = tmp_path / "docs/page.md"
    page.parent.mkdir()
    page.write_text("# Page\n\n```pycon\n>>> import vtj\n>>> len(vtj.ENGINES) < 0\nTrue\n\n```\n")
    said = said_by_tests(tmp_path, "--doctest-glob=*.md", "docs")
    assert "docs/page.md:5: DocTestFailure" in said
    assert re.search(r"Expected:\n +True\nGot:\n +False", said)


def test_wrong_picture(tmp_path: Path) -> None:
    """Rejected by tests/show/test_heat.py."""
    copied(tmp_path, "tests/show/test_heat.py", "tests/show/drawn.py")
    plant(
        tmp_path / "src/vtj/show/heat.py",
        "drawing.text(at + wide / 2, y + 20, text)",
        'drawing.text(at + wide / 2, y + 20, text.replace("24", "42"))',
    )
    said = said_by_tests(tmp_path, "tests/show/test_heat.py")
    assert "'42' != '24'" in said
    assert re.search(r"tests/show/test_heat\.py:\d+: AssertionError", said)


@pytest.fixture
def names(tmp_path: Path) -> Path:
    """What the test of names compares, in a copy."""
    return copied(tmp_path, "docs/tutorials", "tests/docs/test_names.py", "tests/examples")


def test_example_without_page(names: Path) -> None:
    """Rejected by tests/docs/test_names.py."""
    (names / "src/vtj/examples/lonely.py").write_text(BUILDER)
    said = said_by_tests(names, "tests/docs/test_names.py", "-k", "every_idea")
    assert "docs/tutorials has no place for: lonely (of src/vtj/examples)" in said


def test_page_without_example(names: Path) -> None:
    """Rejected by tests/docs/test_names.py."""
    (names / "docs/tutorials/lonely.md").write_text("# Lonely\n")
    said = said_by_tests(names, "tests/docs/test_names.py", "-k", "every_idea")
    assert "src/vtj/examples has no place for: lonely (of docs/tutorials)" in said


def test_builder_without_a_docstring_example(names: Path) -> None:
    """Rejected by tests/docs/test_names.py."""
    (names / "src/vtj/examples/lonely.py").write_text(BUILDER)
    said = said_by_tests(names, "tests/docs/test_names.py", "-k", "docstring and lonely")
    assert "no example in the docstring of: lonely (of lonely)" in said


def test_theme_that_has_changed() -> None:
    """Rejected by reading.fixed_layout."""
    with pytest.raises(ThemeError, match=r"how-to/errors: expected 1 × <aside .* and found 0"):
        fixes.fixed_layout("<html></html>", "how-to/errors")


def test_section_to_fold_that_is_not_there() -> None:
    """Rejected by reading.folded."""
    with pytest.raises(ConfigError, match=r"faq has no section 'no-such-\*'"):
        folds.folded("<p>text</p>", ["no-such-*"], "faq")


def test_function_that_is_too_large_to_explore() -> None:
    """Rejected by explorer.explored."""
    large = "vtj.examples.matrices:matrix_product"
    with pytest.raises(ValueError, match=rf"{large}: the explorer shows a vector x .* has shape"):
        explored("title", large)


def test_function_of_several_statements_to_explore() -> None:
    """Rejected by explorer.expression."""
    with pytest.raises(ValueError, match=r"plant: the explorer shows functions of x that only ret"):
        expression(plant)


def test_font_without_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rejected by mathematics._source."""
    monkeypatch.setattr(font, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="comes with ziamath, which is not installed"):
        font._source()


def test_page_that_is_to_end_the_build(tmp_path: Path) -> None:
    """Rejected by myst_nb_fork._run_cell."""
    site = Site(tmp_path, PAGE)
    site.change(PAGE, "torch.tensor([1.0, 2.0]", "torch.tensor([1.0, 2.0")
    site.change("conf/conf.py", "raise_on_error = False", "raise_on_error = True")
    code, printed = site.build()
    assert code == 2
    assert re.search(
        r"three_outputs\.md:23: WARNING: SyntaxError: closing parenthesis '\)'", printed
    )
    assert re.search(r"ExecutionError: .*three_outputs\.md", printed)


def test_search_index_in_another_form(tmp_path: Path) -> None:
    """Rejected by errors.write."""
    (tmp_path / "searchindex.js").write_text("var index = {}")
    application = SimpleNamespace(outdir=tmp_path, env=SimpleNamespace())
    with pytest.raises(ValueError, match=r"searchindex\.js starts with 'var index = {}'"):
        search.write(application, None)  # type: ignore[arg-type]
