"""The list of lies is whole: every kind is told, and nothing can reject without its lie."""

import ast
from collections.abc import Iterator
from pathlib import Path

import gates
from gates import self_contained

from tests.broken.lies import told_in_tests, told_on_pages

EXTENSIONS = Path(__file__).parents[2] / "conf/extensions"
KINDS = {
    "wrong_output_in_a_docstring",
    "wrong_output_in_a_doctest_of_a_page",
    "wrong_formula",
    "wrong_jacobian_by_hand",
    "wrong_picture",
    "wrong_claim",
    "dead_link",
    "dead_anchor",
    "unknown_api_name",
    "page_in_no_toctree",
    "example_without_page",
    "page_without_example",
    "builder_without_a_docstring_example",
    "timeout",
    "output_left_from_an_older_library",
    "output_left_from_an_older_torch",
}
"""What has to be told although no check of ours asks for it: others reject it, or tests do."""
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


RULES = {f"gates.{rule.__name__.rpartition('.')[2]}" for rule in (*gates.RULES, self_contained)}
"""The gates: each warns by what gates/__init__.py does for all of them."""
CHECKS = checks(EXTENSIONS) - {"gates.look", "gates.look_at_files"} | RULES


def test_every_kind_of_lie_is_told() -> None:
    assert KINDS - TOLD.keys() == set()


def test_nothing_rejects_without_its_lie() -> None:
    assert set() == CHECKS - REJECTING, "put a page that each refuses into tests/broken/pages"


def test_no_lie_names_a_check_that_is_not_there() -> None:
    ours = {file.stem for file in [*EXTENSIONS.glob("*.py"), *EXTENSIONS.glob("*/")]}
    assert {by for by in REJECTING if by.split(".")[0] in ours} - CHECKS == set()


def test_a_check_without_its_lie_is_named(tmp_path: Path) -> None:
    (tmp_path / "new_gate.py").write_text("def audit(x):\n    if x:\n        raise ValueError(x)\n")
    (tmp_path / "package").mkdir()
    part = "def look(self):\n    def inside():\n        self.logger.warning('no')\n"
    (tmp_path / "package/part.py").write_text(f"{part}\ndef other():\n    logger.error('no')\n")
    again = "def again(x):\n    try:\n        x()\n    except ValueError:\n        raise\n"
    (tmp_path / "no_gate.py").write_text(again)
    found = checks(tmp_path) - REJECTING
    assert found == {"new_gate.audit", "package.inside", "package.other"}
