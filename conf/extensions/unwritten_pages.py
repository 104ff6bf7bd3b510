"""Write what was read and is not written: a build was killed, or had another format.

Sphinx notes that it has read a page before it writes it, and then looks for changes of its source
alone. So the output of an older library would stay in place where a build was killed while it
wrote, or where one of another format did the reading.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages whose output may be cut short, or is older than what was read.

    Args:
        app: the Sphinx application.
        env: the build environment, which keeps when it has read each page, in microseconds.
    """
    if app.builder.format != "html":  # of no other is a page kept from one build to the next
        return []
    unfinished = mark(app)
    cut_short = unfinished.exists()
    unfinished.touch()
    pages = sorted(env.all_docs)
    return [page for page in pages if cut_short or written(app, page) < env.all_docs[page]]


def written(app: Sphinx, page: str) -> int:
    """Return when a page was written, in microseconds; 0 if it was not.

    Args:
        app: the Sphinx application.
        page: its name.
    """
    output = Path(app.builder.get_output_path(page))  # type: ignore[attr-defined]
    return output.stat().st_mtime_ns // 1000 if output.exists() else 0


def mark(app: Sphinx) -> Path:
    """Return the file that is there while a builder writes, and after one that did not end."""
    return app.doctreedir / f"{app.builder.name}.unfinished"


def conclude(app: Sphinx, error: Exception | None) -> None:
    """Take the mark away, unless something ended the build early."""
    if error is None:
        mark(app).unlink(missing_ok=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look for such pages once the others are read."""
    app.connect("env-updated", pages_to_write)
    app.connect("build-finished", conclude, priority=999)  # until then others write too
    return {"parallel_read_safe": True, "parallel_write_safe": True}
