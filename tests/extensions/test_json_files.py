"""Data written beside the pages as JSON."""

import itertools
import json
import os
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


def test_data_are_written_when_their_page_is_newer_and_wherever_it_is(tmp_path: Path) -> None:
    app = application(tmp_path, "old.json", "deep/er/none.json", "a/new.json")
    (tmp_path / "a").mkdir()
    for name, time in (("old.html", 1), ("old.json", 2), ("a/new.json", 3), ("a/new.html", 4)):
        (tmp_path / name).write_text("as it was")
        os.utime(tmp_path / name, (time, time))
    write(app, None)
    version = f'"{platform.python_version()}"\n'
    assert (tmp_path / "old.json").read_text() == "as it was"
    assert (tmp_path / "a/new.json").read_text() == version
    assert (tmp_path / "deep/er/none.json").read_text() == version


def test_data_are_written_again_when_their_page_is(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("numbers_to_publish")
    module.count = itertools.count().__next__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numbers_to_publish", module)
    config = STILL | {"json_files": {"page.json": "numbers_to_publish:count"}}
    file = tmp_path / "html/page.json"
    build("json_files", config=config, page=PAGE)
    assert file.read_text() == "0\n"
    build("json_files", config=config, fresh=False, page=PAGE)
    assert file.read_text() == "0\n"
    build("json_files", config=config, fresh=False, page=f"{PAGE}\nText.\n")
    assert file.read_text() == "1\n"


def test_another_function_writes_other_data(build: Build, tmp_path: Path) -> None:
    for name in ("python_implementation", "python_version"):
        config = STILL | {"json_files": {"page.json": f"platform:{name}"}}
        build("json_files", config=config, fresh=False, page=PAGE)
    assert platform.python_version() in (tmp_path / "html/page.json").read_text()
