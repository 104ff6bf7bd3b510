"""Every page that runs can be taken along: as an executed notebook and as a script.

Both are made from what ran when the site was built. They hold plain Markdown, the numbers that the
page computed in its sentences, and no path of the machine that built them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from docutils import nodes
from gates.page import place, read
from nbformat import NotebookNode
from sphinx.util import logging

from downloads.plain import FormlessError, plain
from downloads.script import runnable

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)

FOLDER = "downloads"
EVALUATED = {"output", "text_plain"}


def note_values(app: Sphinx, doctree: nodes.document) -> None:
    """Keep what the ``{eval}`` roles of a page gave, in order, if any of its cells ran."""
    executed = _notebook(app, app.env.docname)
    metadata = app.env.metadata[app.env.docname]
    if "kernelspec" in metadata and executed.exists() and ran(executed):
        metadata["evaluated"] = [
            inline.astext()
            for inline in doctree.findall(nodes.inline)
            if set(inline["classes"]) >= EVALUATED
        ]


def ran(notebook: Path) -> bool:
    """Say whether a notebook holds a cell that ran."""
    return any(cell.get("execution_count") for cell in read(notebook).cells)


def add_links(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Hand the template the addresses of a page's notebook and script."""
    if _executed(app, pagename):
        context["downloads"] = {
            "notebook": f"{FOLDER}/{pagename}.ipynb",
            "script": f"{FOLDER}/{pagename}.py",
        }


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the notebook and the script of every page that ran."""
    if exception or app.builder.format != "html":
        return
    for docname in sorted(app.env.found_docs):
        if not _executed(app, docname):
            continue
        target = Path(app.outdir, FOLDER, docname)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            notebook, script = taken_along(app, docname)
        except FormlessError as error:
            where = place(app, docname, error.text)
            logger.warning("%s", error, location=where, type="downloads")
            continue
        target.with_suffix(".ipynb").write_text(notebook, encoding="utf-8")
        unfinished = target.with_suffix(".unfinished")
        unfinished.write_text(script, encoding="utf-8")
        unfinished.replace(target.with_suffix(".py"))  # in one step: it is looked for above


def taken_along(app: Sphinx, docname: str) -> tuple[str, str]:
    """Return a page's notebook and its script, as text.

    Raises:
        FormlessError: if a part of the page has no form in a notebook or in a script.
    """
    import jupytext  # type: ignore[import-untyped]  # not above: it takes long, mostly in vain

    executed = read(_notebook(app, docname))
    values = iter(app.env.metadata[docname]["evaluated"])
    cells = [
        _markdown(plain(cell.source, values), f"cell-{number}")
        if cell.cell_type == "markdown"
        else _code(cell, f"cell-{number}")
        for number, cell in enumerate(executed.cells)
    ]
    if rest := list(values):
        reason = f"{len(rest)} values of the page have no place in its notebook: {{glue}} has none"
        raise FormlessError(reason, "{glue}")
    closing = _markdown(app.config.html_context["versions_line"], "versions")
    cells = [cell for cell in [*cells, closing] if cell.source]
    kept = {"kernelspec", "language_info"} & executed.metadata.keys()
    metadata = {key: executed.metadata[key] for key in sorted(kept)}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)  # type: ignore[no-untyped-call]
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    for cell in cells:
        if cell.cell_type == "code":
            cell.source = runnable(cell)
    notebook.metadata = {"jupytext": {"notebook_metadata_filter": "-all"}}
    script: str = jupytext.writes(notebook, fmt="py:percent")
    return f"{text}\n", script


def _markdown(source: str, name: str) -> NotebookNode:
    cell = {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}
    made: NotebookNode = nbformat.from_dict(cell)  # type: ignore[no-untyped-call]
    return made


def _code(cell: NotebookNode, name: str) -> NotebookNode:
    made: NotebookNode = nbformat.from_dict({**cell, "id": name, "metadata": {}})  # type: ignore[no-untyped-call]
    for output in made.outputs:
        if output.output_type == "error":  # its traceback names files of this machine
            output.traceback = [f"{output.ename}: {output.evalue}"]
    return made


def _executed(app: Sphinx, docname: str) -> bool:
    return "evaluated" in app.env.metadata.get(docname, {})


def _notebook(app: Sphinx, docname: str) -> Path:
    folder: str = app.env.mystnb_config.output_folder  # type: ignore[attr-defined]
    return Path(folder, f"{docname}.ipynb")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make the downloads and hand the page template their addresses."""
    app.connect("doctree-read", note_values)
    app.connect("html-page-context", add_links)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
