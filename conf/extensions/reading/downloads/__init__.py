"""Every page that runs can be taken along: as an executed notebook and as a script.

Both are made from what ran when the site was built. They hold plain Markdown, the numbers that the
page computed in its sentences, and no path of the machine that built them. Where a page imports
more than ``pip install torch`` brings, they begin with what it needs.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jupytext  # type: ignore[import-untyped]
import nbformat
from docutils import nodes
from gates.page import place, read
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util import logging

from reading import library
from reading.downloads.plain import FormlessError, plain
from reading.downloads.script import runnable

logger = logging.getLogger(__name__)

EVALUATED = {"output", "text_plain"}
OF_THE_SITE = re.compile(r"^\s*(?:from|import) (?:vtj_site|tests)\b", re.MULTILINE)
CLONE = (
    "Needs a clone of this site's repository, installed from its folder with `pip install -e .`: "
    "it uses parts of the site that are not in the library."
)


def note_values(app: Sphinx, doctree: nodes.document) -> None:
    """Keep what the ``{eval}`` roles of a page gave, in order, if all of its cells ran."""
    docname = app.env.docname
    run = getattr(app.env, "nb_metadata", {}).get(docname, {}).get("exec_data") or {}
    kinds = [cell.cell_type for cell in _executed(app, docname).cells] if run else []
    if run.get("succeeded") and "code" in kinds:
        app.env.metadata[docname]["evaluated"] = [
            inline.astext()
            for inline in doctree.findall(nodes.inline)
            if set(inline["classes"]) >= EVALUATED
        ]


def offer(app: Sphinx, docname: str, context: dict[str, Any]) -> None:
    """Write the notebook and the script of a page that ran; hand their addresses to its template.

    A part of the page that has no form in them is a warning at its line.
    """
    if "evaluated" not in app.env.metadata.get(docname, {}):
        return
    where = f"{library.FOLDER}/{docname}"
    context["downloads"] = {"notebook": f"{where}.ipynb", "script": f"{where}.py"}
    try:
        notebook, script = taken_along(app, docname)
    except FormlessError as error:
        logger.warning("%s", error, location=place(app, docname, error.text), type="downloads")
        return
    for name, text in zip(context["downloads"].values(), (notebook, script), strict=True):
        target = Path(app.outdir, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def taken_along(app: Sphinx, docname: str) -> tuple[str, str]:
    """Return a page's notebook and its script, as text, without cells with the tag site-only.

    Raises:
        FormlessError: if a part of the page has no form in a notebook or in a script.
    """
    executed = _executed(app, docname)
    values = iter(app.env.metadata[docname]["evaluated"])
    cells = [
        _markdown(plain(cell.source, values), f"cell-{number}")
        if cell.cell_type == "markdown"
        else _code(cell, f"cell-{number}")
        for number, cell in enumerate(executed.cells)
        if "site-only" not in cell.metadata.get("tags", [])
    ]
    if rest := list(values):
        reason = f"{len(rest)} values of the page have no place in its notebook: {{glue}} has none"
        raise FormlessError(reason, "{glue}")
    code = (cell.source for cell in cells if cell.cell_type == "code")
    known = app.config.html_baseurl, app.config.html_context.get("source_url", "")
    opening = _markdown(needs(code, *known), "needs")
    closing = _markdown(app.config.html_context["versions_line"], "versions")
    cells = [cell for cell in [opening, *cells, closing] if cell.source]
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


def needs(sources: Iterable[str], address: str, source: str) -> str:
    """Return what a reader needs to run some cells, or nothing if torch and NumPy are enough."""
    code = "\n".join(sources)
    ours = CLONE if OF_THE_SITE.search(code) else library.needed(address)
    if ours != CLONE and not library.IMPORTED.search(code):
        return ""
    return f"{ours} Its source: {source}" if source else ours


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


def _executed(app: Sphinx, docname: str) -> NotebookNode:
    return read(Path(app.env.mystnb_config.output_folder, f"{docname}.ipynb"))  # type: ignore[attr-defined]
