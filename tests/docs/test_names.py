"""One idea, one name, three places; one builder, one section, one test."""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import vtj.examples
from vtj import Example, Refusal, Sequence

ROOT = Path(__file__).parents[2]
IDEAS = [module.name for module in pkgutil.iter_modules(vtj.examples.__path__)]
NOUNS = (Example, Refusal, Sequence)


def builders(idea: str) -> set[str]:
    module = import_module(f"vtj.examples.{idea}")
    return {
        name
        for name, found in inspect.getmembers(module, inspect.isfunction)
        if found.__module__ == module.__name__
        and not inspect.signature(found).parameters
        and inspect.signature(found).return_annotation in NOUNS
    }


def pages() -> set[str]:
    return {path.stem for path in (ROOT / "docs/tutorials").glob("*.md")} - {"index"}


def with_tests() -> set[str]:
    return {path.stem.removeprefix("test_") for path in (ROOT / "tests/examples").glob("test_*.py")}


def missing(idea: str, here: set[str], there: set[str], where: str) -> str:
    return f"{where} has no place for: {', '.join(sorted(here - there))} (of {idea})"


def test_every_idea_has_its_page_and_its_tests() -> None:
    ideas = set(IDEAS)
    assert ideas <= pages(), missing("src/vtj/examples", ideas, pages(), "docs/tutorials")
    assert pages() <= ideas, missing("docs/tutorials", pages(), ideas, "src/vtj/examples")
    assert ideas <= with_tests(), missing("src/vtj/examples", ideas, with_tests(), "tests/examples")
    assert with_tests() <= ideas, missing("tests/examples", with_tests(), ideas, "src/vtj/examples")


@pytest.mark.parametrize("idea", IDEAS)
def test_every_builder_has_its_section_and_its_test(idea: str) -> None:
    page = (ROOT / f"docs/tutorials/{idea}.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^\((\w+)\)=$", page, re.MULTILINE))
    confirmed = set(re.findall(r"^(\w+)\(\)\.confirm\(", page, re.MULTILINE))
    functions = inspect.getmembers(import_module(f"tests.examples.test_{idea}"), inspect.isfunction)
    names = {name.removeprefix("test_") for name, _ in functions if name.startswith("test_")}
    built = builders(idea)
    assert sections == built, missing(idea, built, sections, f"docs/tutorials/{idea}.md")
    assert confirmed == built, missing(idea, built, confirmed, f"{idea}.md, confirm(),")
    assert built <= names, missing(idea, built, names, f"tests/examples/test_{idea}.py")


@pytest.mark.parametrize("idea", IDEAS)
def test_every_builder_is_named_as_its_example_and_builds_afresh(idea: str) -> None:
    module = import_module(f"vtj.examples.{idea}")
    for name in builders(idea):
        first, second = getattr(module, name)(), getattr(module, name)()
        assert first.name == name
        assert all(a is not b for a, b in zip(tensors(first), tensors(second), strict=True))


@pytest.mark.parametrize("idea", IDEAS)
def test_every_builder_has_an_example_in_its_docstring(idea: str) -> None:
    module = import_module(f"vtj.examples.{idea}")
    docs = {name: getattr(module, name).__doc__ or "" for name in builders(idea)}
    without = ", ".join(sorted(name for name, text in docs.items() if ">>> " not in text))
    assert not without, f"no example in the docstring of: {without} (of {idea})"


def tensors(case: Example | Refusal | Sequence) -> list[object]:
    x = case.x if isinstance(case.x, tuple) else (case.x,)
    v = getattr(case, "v", None)
    return [*x, *([] if v is None else [v])]


def test_a_forgotten_place_is_named() -> None:
    assert missing("softmax", {"a", "b"}, {"a"}, "docs/tutorials") == (
        "docs/tutorials has no place for: b (of softmax)"
    )
