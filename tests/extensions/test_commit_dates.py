"""A commit changes the date of a page, and of no other, although neither is read again."""

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commit_dates import checked_out, forget, pages_to_write

from tests.extensions.conftest import Build

CONFIG = {
    "extensions": ["myst_nb", "commit_dates"],
    "nb_execution_mode": "off",
    "html_theme": "basic",
    "html_last_updated_fmt": "%Y-%m-%d",
    "git_last_updated_timezone": "UTC",
    "git_untracked_show_sourcelink": True,
    "suppress_warnings": ["git.subprocess_error"],
}
PAGES = {"one": "# One\n", "two": "# Two\n"}


def git(folder: Path, *words: str, date: str = "2020-02-02") -> None:
    who = {"NAME": "a", "EMAIL": "a@example.org", "DATE": f"{date}T12:00:00+00:00"}
    roles = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
    subprocess.run(["git", *words], cwd=folder, env=os.environ | roles, check=True)


def head(folder: Path) -> str:
    words = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(words, capture_output=True, check=True).stdout.decode().strip()


def shown(folder: Path, page: str) -> str:
    return (folder / f"html/{page}.html").read_text(encoding="utf-8")


@pytest.fixture
def committed(tmp_path: Path, build: Build) -> Path:
    """Two pages, committed in 2020 and built."""
    build("commit_dates", config=CONFIG, **PAGES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "docs")
    git(tmp_path, "commit", "-q", "-m", "pages")
    assert build("commit_dates", config=CONFIG, fresh=False, **PAGES) == ""
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_the_first_commit_dates_what_was_built_before(committed: Path, page: str) -> None:
    assert "2020-02-02" in shown(committed, page)


def test_a_commit_of_what_was_built_changes_the_date_of_its_page(
    committed: Path, build: Build
) -> None:
    edited = PAGES | {"one": "# One\n\nMore.\n"}
    assert build("commit_dates", config=CONFIG, fresh=False, **edited) == ""
    assert "2020-02-02" in shown(committed, "one")
    git(committed, "commit", "-q", "-a", "-m", "more", date="2021-03-03")
    (committed / "html/two.html").write_text("as it was")
    assert build("commit_dates", config=CONFIG, fresh=False, **edited) == ""
    assert "2021-03-03" in shown(committed, "one")
    assert "2020-02-02" not in shown(committed, "one")
    assert shown(committed, "two") == "as it was"


def test_a_commit_of_something_else_writes_no_page(committed: Path, build: Build) -> None:
    git(committed, "commit", "-q", "--allow-empty", "-m", "nothing", date="2022-04-04")
    (committed / "html/two.html").write_text("as it was")
    assert build("commit_dates", config=CONFIG, fresh=False, **PAGES) == ""
    assert shown(committed, "two") == "as it was"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    return tmp_path


def application(folder: Path, builder: str = "html", **kept: object) -> Any:
    """A build of a folder, with what its environment has kept of the last one."""
    return SimpleNamespace(
        srcdir=folder, env=SimpleNamespace(**kept), builder=SimpleNamespace(name=builder)
    )


def test_the_commit_that_is_checked_out_is_known(repository: Path) -> None:
    commit = checked_out(application(repository))
    assert commit == head(repository)
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    assert checked_out(application(repository)) == head(repository) != commit


def test_without_a_commit_or_without_git_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert checked_out(application(tmp_path)) is None
    git(tmp_path, "init", "-q")
    assert checked_out(application(tmp_path)) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checked_out(application(tmp_path)) is None
    assert capfd.readouterr() == ("", "")


def test_git_is_asked_again_when_another_commit_is_checked_out(repository: Path) -> None:
    app = application(repository, git_last_updated={"page": "old"})
    forget(app)
    assert app.env.git_last_updated == {"page": None}
    app.env.git_last_updated["page"] = "asked"
    forget(app)
    assert app.env.git_last_updated == {"page": "asked"}
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    forget(app)
    assert app.env.git_last_updated == {"page": None}


def test_each_builder_writes_the_pages_whose_date_it_has_not_written(tmp_path: Path) -> None:
    app = application(tmp_path, git_last_updated={"b": 1, "a": 1, "c": 1})
    other = application(tmp_path, "markdown")
    other.env = app.env
    assert pages_to_write(app, app.env) == pages_to_write(app, app.env) == []
    app.env.git_last_updated.update(b=2, a=2, new=2)
    assert pages_to_write(app, app.env) == ["a", "b", "new"]
    assert pages_to_write(app, app.env) == []
    assert pages_to_write(other, app.env) == []
    app.env.git_last_updated.update(c=3)
    assert pages_to_write(other, app.env) == ["c"]
    assert pages_to_write(app, app.env) == ["c"]
