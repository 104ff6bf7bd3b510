"""A page shows the date of its last commit, also if that commit is new and the page is not.

The extension that asks git for the dates asks once for each reading of a page, and an incremental
build does not read a page again because it was committed.
"""

from __future__ import annotations

import subprocess

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata


def forget(app: Sphinx) -> None:
    """Have git asked for the date of every page again if another commit is checked out.

    Args:
        app: the Sphinx application.
    """
    env, commit = app.env, checked_out(app)
    if commit != getattr(env, "commit_of_dates", None):
        dates = env.git_last_updated  # type: ignore[attr-defined]
        dates.update(dict.fromkeys(dates))
    env.commit_of_dates = commit  # type: ignore[attr-defined]


def checked_out(app: Sphinx) -> str | None:
    """Return the commit that the pages are of, or nothing where git knows of none."""
    command = ["git", "-C", str(app.srcdir), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None  # no git, or no repository


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages whose date is not the one that this builder has written.

    Args:
        app: the Sphinx application.
        env: the build environment, which keeps the dates of the last build.
    """
    now = dict(env.git_last_updated)  # type: ignore[attr-defined]
    if not hasattr(env, "commit_dates"):
        env.commit_dates = {}  # type: ignore[attr-defined]
    before = env.commit_dates.get(app.builder.name, now)  # type: ignore[attr-defined]
    env.commit_dates[app.builder.name] = now  # type: ignore[attr-defined]
    return sorted(page for page in now if now[page] != before.get(page))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look for a new commit, and at the dates, after the extension that asks git for them."""
    app.setup_extension("sphinx_last_updated_by_git")
    app.connect("builder-inited", forget)
    app.connect("env-updated", pages_to_write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
