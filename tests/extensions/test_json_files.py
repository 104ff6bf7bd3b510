"""Data written beside the pages as JSON."""

import json
import platform
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from json_files import data, write
from sphinx.errors import ConfigError

from tests.extensions.conftest import Build

PAGE = "\n# Page\n"
STILL = {"html_theme": "basic", "nb_execution_mode": "off"}


def test_the_data_of_a_function_is_written(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("numbers_to_publish")
    module.square = lambda: {"y": ["x²", 1]}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numbers_to_publish", module)
    config = STILL | {"json_files": {"reference/numbers.json": "numbers_to_publish:square"}}
    assert build("json_files", config=config, page=PAGE) == ""
    text = (tmp_path / "html/reference/numbers.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"y": ["x²", 1]}
    assert text.splitlines() == ["{", ' "y": [', '  "x²",', "  1", " ]", "}"]
    assert text.endswith("}\n")


def test_a_site_may_have_no_such_file(build: Build) -> None:
    assert build("json_files", config=STILL, page=PAGE) == ""


@pytest.mark.parametrize("function", ["no_such_module:f", "json:no_such_function", "json", ":f"])
def test_a_function_that_cannot_be_found_stops_the_build(function: str) -> None:
    with pytest.raises(ConfigError, match=f"{function!r} cannot be called .*'module:function'"):
        data(function)


def test_a_number_that_json_has_not_is_refused(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("numbers_to_publish")
    module.nan = lambda: float("nan")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numbers_to_publish", module)
    with pytest.raises(Exception, match="not JSON compliant"):
        build(
            "json_files",
            config=STILL | {"json_files": {"a.json": "numbers_to_publish:nan"}},
            page=PAGE,
        )


def application(folder: Path, *names: str, format_: str = "html") -> Any:
    """A build that has written its pages and is to write files of the version of Python."""
    return SimpleNamespace(
        builder=SimpleNamespace(format=format_),
        config=SimpleNamespace(json_files=dict.fromkeys(names, "platform:python_version")),
        outdir=folder,
    )


@pytest.mark.parametrize(("format_", "failure"), [("latex", None), ("html", OSError("full"))])
def test_nothing_is_written_for_another_format_or_after_a_failure(
    tmp_path: Path, format_: str, failure: Exception | None
) -> None:
    write(application(tmp_path, "a.json", format_=format_), failure)
    assert list(tmp_path.iterdir()) == []


def test_another_function_writes_other_data(build: Build, tmp_path: Path) -> None:
    for name in ("python_implementation", "python_version"):
        config = STILL | {"json_files": {"page.json": f"platform:{name}"}}
        build("json_files", config=config, fresh=False, page=PAGE)
    assert platform.python_version() in (tmp_path / "html/page.json").read_text()
