"""What an earlier build wrote of a page that is gone, or said of one that failed, goes too.

Sphinx and MyST-NB leave such files in place, where a reader would take them for a part of the site.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from glob import escape
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

PLACES = ("", "_sources", "downloads")
"""The folders of the output that hold files named after pages."""
REPORTS = "reports"  # MyST-NB's, of pages that failed; they run again, and so are reported again


def clean(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Delete the files of removed pages, and all reports; have no further page read."""
    executed = Path(env.mystnb_config.output_folder)  # type: ignore[attr-defined]
    shutil.rmtree(app.outdir / REPORTS, ignore_errors=True)
    for docname in removed:
        for folder in (executed, *(app.outdir / place for place in PLACES)):
            for file in folder.glob(f"{escape(docname)}.*"):
                if not of_another(file.relative_to(folder).as_posix(), docname, env.found_docs):
                    file.unlink()
    return []


def of_another(file: str, docname: str, living: Iterable[str]) -> bool:
    """Say whether a file belongs to a page whose name begins with that of another and a dot.

    Args:
        file: its path, below the folder of such files.
        docname: the other page.
        living: the pages that there are.
    """
    longer = (name for name in living if name.startswith(f"{docname}."))
    return any(file.startswith(f"{name}.") for name in longer)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look for removed pages whenever Sphinx does."""
    app.connect("env-get-outdated", clean)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
