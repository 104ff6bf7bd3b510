"""Data written beside the pages as JSON."""

import itertools
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from json_files import data, write
from sphinx.errors import ConfigError

from tests.extensions.conftest import Build

PAGE = "\n# Page\n"


def test_the_data_of_a_function_is_written(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("numbers_to_publish")
    module.square = lambda: {"y": ["x²", 1]}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numbers_to_publish", module)
    config = {"json_files": {"reference/numbers.json": "numbers_to_publish:square"}}
    assert build("json_files", config=config, page=PAGE) == ""
    text = (tmp_path / "html/reference/numbers.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"y": ["x²", 1]}
    assert "x²" in text


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
        build("json_files", config={"json_files": {"a.json": "numbers_to_publish:nan"}}, page=PAGE)


@pytest.mark.parametrize(("format_", "failure"), [("latex", None), ("html", OSError("full"))])
def test_nothing_is_written_for_another_format_or_after_a_failure(
    tmp_path: Path, format_: str, failure: Exception | None
) -> None:
    app = SimpleNamespace(
        builder=SimpleNamespace(format=format_),
        config=SimpleNamespace(json_files={"a.json": "platform:python_version"}),
        outdir=tmp_path,
    )
    write(app, failure)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_data_are_written_again_when_their_page_is(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("numbers_to_publish")
    module.count = itertools.count().__next__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numbers_to_publish", module)
    config = {"json_files": {"page.json": "numbers_to_publish:count"}}
    file = tmp_path / "html/page.json"
    build("json_files", config=config, page=PAGE)
    assert file.read_text() == "0\n"
    build("json_files", config=config, fresh=False, page=PAGE)
    assert file.read_text() == "0\n"
    build("json_files", config=config, fresh=False, page=f"{PAGE}\nText.\n")
    assert file.read_text() == "1\n"
    file.unlink()
    build("json_files", config=config, fresh=False, page=f"{PAGE}\nText.\n")
    assert file.read_text() == "2\n"
