"""The list of lies is whole: every kind is told, and nothing can reject without its lie."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.broken import lies
from tests.broken.lies import told_in_tests, told_on_pages

EXTENSIONS = Path(__file__).parents[2] / "conf/extensions"
KINDS = {
    "wrong number in prose": "wrong_number_in_prose",
    "wrong printed output in a doctest": "wrong_output_in_a_docstring",
    "wrong printed output in a doctest of a page": "wrong_output_in_a_doctest_of_a_page",
    "wrong error text": "wrong_error_text",
    "an error cell that no longer raises": "error_that_is_not_raised",
    "a cell that raises something else": "another_error",
    "a stray torch warning": "stray_warning",
    "a wrong formula": "wrong_formula",
    "a wrong coefficient in a formula": "wrong_number_in_formula",
    "a wrong hand-derived J": "wrong_jacobian_by_hand",
    "a wrong picture": "wrong_picture",
    "a claim whose declared verdict is not the found one": "wrong_claim",
    "a dead internal link": "dead_link",
    "a dead anchor": "dead_anchor",
    "an unknown API reference": "unknown_api_name",
    "a page in no toctree": "page_in_no_toctree",
    "an example without page": "example_without_page",
    "a page without example": "page_without_example",
    "a builder without docstring example": "builder_without_a_docstring_example",
    "an execution timeout": "timeout",
    "output left from an older library": "output_left_from_an_older_library",
    "output left from an older torch": "output_left_from_an_older_torch",
    "an external request": "external_request",
    "an unlabeled picture": "unlabeled_picture",
    "a character missing from the math font": "character_without_glyph",
    "bad TeX": "bad_tex",
}
"""What issue 7 of this project wants to be told, and under which name it is."""
TOLD = {lie.name.rpartition("/")[2]: lie.by for lie in told_on_pages()} | told_in_tests()
REJECTING = {by for told in TOLD.values() for by in told.split(", ")}


def rejections(file: Path) -> Iterator[str]:
    """Yield the functions of an extension that warn or raise, in themselves."""
    functions: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    for function in functions:
        inside = list(ast.iter_child_nodes(function))
        for node in inside:
            if isinstance(node, ast.FunctionDef):
                functions.append(node)
            else:
                inside.extend(ast.iter_child_nodes(node))
            if rejects(node):
                yield getattr(function, "name", "")


def rejects(node: ast.AST) -> bool:
    """Whether a piece of code logs a warning or raises an error."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Name(id="logger") | ast.Attribute(attr="logger"),
                attr="warning" | "error",
            )
        ):
            return True
        case ast.Raise(exc=ast.Call()):
            return True
    return False


def checks(extensions: Path) -> set[str]:
    """Return what can reject: functions, each after its module or the package that holds it."""
    modules, packages = extensions.glob("*.py"), extensions.glob("*/**/*.py")
    found = {f"{file.stem}.{function}" for file in modules for function in rejections(file)}
    return found | {
        f"{file.parent.name}.{function}" for file in packages for function in rejections(file)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_lie_is_told(kind: str) -> None:
    assert KINDS[kind] in TOLD


def test_nothing_rejects_without_its_lie() -> None:
    assert checks(EXTENSIONS) - REJECTING == set()


def test_no_lie_names_a_check_that_is_not_there() -> None:
    ours = {file.stem for file in [*EXTENSIONS.glob("*.py"), *EXTENSIONS.glob("*/")]}
    assert {by for by in REJECTING if by.split(".")[0] in ours} - checks(EXTENSIONS) == set()


def test_a_check_without_its_lie_is_named(tmp_path: Path) -> None:
    (tmp_path / "new_gate.py").write_text("def audit(x):\n    if x:\n        raise ValueError(x)\n")
    (tmp_path / "package").mkdir()
    part = "def look(self):\n    def inside():\n        self.logger.warning('no')\n"
    (tmp_path / "package/part.py").write_text(f"{part}\ndef other():\n    logger.error('no')\n")
    again = "def again(x):\n    try:\n        x()\n    except ValueError:\n        raise\n"
    (tmp_path / "no_gate.py").write_text(again)
    found = checks(tmp_path) - REJECTING
    assert found == {"new_gate.audit", "package.inside", "package.other"}


def test_a_page_that_does_not_say_what_rejects_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.md").write_text("# Page\n")
    monkeypatch.setattr(lies, "PAGES", tmp_path)
    with pytest.raises(ValueError, match=r"page\.md does not say what has to reject it"):
        lies.told_on_pages()
