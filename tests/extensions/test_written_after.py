"""A file is made again unless it is newer than what it is made from."""

import os
from pathlib import Path

import pytest
from written_after import written_after


@pytest.mark.parametrize(
    ("file", "origin", "after"),
    [(2, 1, True), (1, 1, False), (1, 2, False), (1, None, False), (None, 1, False)],
)
def test_only_a_newer_file_was_written_after(
    file: int | None, origin: int | None, after: bool, tmp_path: Path
) -> None:
    for name, nanoseconds in (("file", file), ("origin", origin)):
        if nanoseconds is not None:
            (tmp_path / name).write_text(name)
            os.utime(tmp_path / name, ns=(0, nanoseconds))
    assert written_after(tmp_path / "file", tmp_path / "origin") is after
