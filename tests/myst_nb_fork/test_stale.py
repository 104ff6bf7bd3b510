"""A page is stale if it failed, or if a file that it used is not what it was."""

import os
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from myst_nb_fork import stale
from myst_nb_fork.files import FilesUsed
from myst_nb_fork.record import PageRecord


@pytest.mark.parametrize(
    ("failed", "files", "whole", "now", "again"),
    [
        (False, {"a": "1"}, False, {"a": "1", "b": "2"}, False),
        (True, {"a": "1"}, False, {"a": "1"}, True),
        (False, {"a": "1"}, False, {"a": "2"}, True),
        (False, {"a": "1", "b": "2"}, False, {"b": "2"}, True),
        (False, {}, False, {"b": "2"}, False),
        (False, {"a": "1"}, True, {"a": "1"}, False),
        (False, {"a": "1"}, True, {"a": "1", "b": "2"}, True),
        (False, {"a": "1"}, True, {}, True),
    ],
)
def test_what_runs_again(
    failed: bool, files: dict[str, str], whole: bool, now: dict[str, str], again: bool
) -> None:
    record = PageRecord(failed, 1.0, 0, (), files, whole)
    other = PageRecord(False, 1.0, 0, (), {}, False)
    assert stale.outdated({"page": record, "other": other}, now) == ({"page"} if again else set())


def test_digests_are_of_what_is_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    for name, text in {"b.py": "1", "a.py": "2", "deep/er/c.py": "1", "d.txt": "1"}.items():
        (tmp_path / name).write_text(text)
    found = stale.digests(["**/*.py", "d.*", "deep", "none*"], tmp_path)
    names = ["a.py", "b.py", "d.txt", "deep/er/c.py"]
    assert list(found) == [os.path.realpath(tmp_path / name) for name in names]
    a, *others = found.values()
    assert a not in others
    assert set(others) == {"6b86b273ff34fce1"}  # of SHA-256 of "1", the first 16 digits
    assert stale.digests([], tmp_path) == {}


def test_a_version_of_anything_that_can_be_imported_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path), "", str(tmp_path / "none")])
    monkeypatch.setattr("platform.python_version", lambda: "3.99.1")
    monkeypatch.chdir(tmp_path)
    seen = [stale.installed()]
    assert seen == ["7f3c0aacbcd577cf"]
    for name in ("a-1.0.dist-info", "b-1.0.dist-info"):
        (tmp_path / name).mkdir()
        seen.append(stale.installed())
    (tmp_path / "other").mkdir()
    assert stale.installed() == seen[-1]
    monkeypatch.setattr("platform.python_version", lambda: "3.99.2")
    seen.append(stale.installed())
    assert len(set(seen)) == 4
    assert seen[-1] == "c1179f1516a70160"
    monkeypatch.setattr("sys.path", [str(tmp_path), str(tmp_path)])
    assert stale.installed() == seen[-1]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three files, by their real paths."""
    names = [os.path.realpath(tmp_path / name) for name in ("a.py", "b.py", "c.py")]
    for name in names:
        Path(name).touch()
    return names


def test_files_opened_before_the_page_count_for_it(files: list[str]) -> None:
    used, watched = FilesUsed(), frozenset(files)
    used.note("open", (files[0], "r", 0))
    used.settle()
    used.note("open", (files[1], "r", 0))
    assert used.among(watched) == {*files[:2]}
    assert used.among(frozenset(files[2:])) == set()
    used.settle()
    assert used.among(watched) == {files[1]}


def test_a_file_has_many_names(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(files[0]).parent
    (folder / "link.py").symlink_to(files[0])
    (folder / "linked").symlink_to(folder)
    monkeypatch.chdir(folder)
    for name in (folder / "link.py", "linked/b.py", os.fsencode(cache_from_source("c.py"))):
        used = FilesUsed()
        used.note("open", (name, "r", 0))
        assert len(used.among(frozenset(files))) == 1


@pytest.mark.parametrize(
    ("event", "starts"),
    [
        *((f"os.{name}", True) for name in ("exec", "fork", "forkpty", "posix_spawn", "system")),
        ("subprocess.Popen", True),
        ("open", False),
        ("import", False),
    ],
)
def test_processes_that_a_page_starts_are_noted(event: str, starts: bool) -> None:
    used = FilesUsed()
    used.note(event, ("x", "r", 0))
    assert used.started_processes is starts
    used.begin()
    assert used.started_processes is False
