"""A commit changes the date of a page, and of no other, although neither is read again."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.extensions.conftest import Build

CONFIG = {
    "extensions": ["myst_nb", "commit_dates"],
    "nb_execution_mode": "off",
    "html_theme": "alabaster",
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
