"""A planted difference between two builds is found, and named with its file and line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reproducible.same_bytes import first_difference, later

PAGE = "<p>first</p>\n<p>the gradient is {} here</p>\n"


def written(folder: Path, text: str) -> Path:
    (folder / "more").mkdir(parents=True)
    (folder / "more/page.html").write_text(text, encoding="utf-8")
    (folder / "same.html").write_text("<p>the same</p>", encoding="utf-8")
    return folder


def test_the_first_line_that_differs_is_named_with_both_texts(tmp_path: Path) -> None:
    one = written(tmp_path / "one", PAGE.format(26))
    assert first_difference(one, written(tmp_path / "two", PAGE.format(26))) is None
    assert first_difference(one, written(tmp_path / "three", PAGE.format(27))) == (
        "more/page.html:2: '<p>the gradient is 26 here</p>'\n"
        "    and '<p>the gradient is 27 here</p>'"
    )
    short, long = written(tmp_path / "four", "a"), written(tmp_path / "five", "a\nb")
    assert first_difference(short, long) == "more/page.html:2: ''\n    and 'b'"


@pytest.mark.parametrize("first", [True, False])
def test_a_file_more_is_a_difference(tmp_path: Path, first: bool) -> None:
    one, two = written(tmp_path / "one", "a"), written(tmp_path / "two", "a")
    (one if first else two).joinpath("new.js").touch()
    has, lacks = (one, two) if first else (two, one)
    assert first_difference(one, two) == f"new.js: in {has}, not in {lacks}"


def test_folders_without_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file in"):
        first_difference(tmp_path / "one", tmp_path / "two")


def test_the_later_build_is_in_another_year(tmp_path: Path) -> None:
    path = str(later(tmp_path / "later"))
    command = [sys.executable, "-c", "import time; print(time.time())"]
    times = [
        float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
        for environment in (os.environ, os.environ | {"PYTHONPATH": path})
    ]
    assert times[1] - times[0] == pytest.approx(400 * 86400, abs=60)
