"""A cell that is meant to fail declares the exact error; anything else fails the build.

A page writes both options, and the build compares the whole text::

    ```{code-cell} python
    :tags: [raises-exception]
    :raises: "RuntimeError: grad can be implicitly created only for scalar outputs"

    y.backward()
    ```

Where a later torch words it otherwise, ``:raises_since: {"2.15.0": "Type: message"}`` says so, and
the text compared is that of the torch that runs. Where in C++ a warning comes from is left out: it
changes with each build of torch, and no reader looks for it.

MyST-NB alone lets a cell with this tag pass when it raises nothing, or something else. The
published page shows the compared text in place of the traceback, whose paths belong to the machine
that built it.
"""

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from docutils import nodes
from packaging.version import Version

from gates.page import Cell, Complaint, Page

_PLACE = re.compile(r" \(Triggered internally at [^\s()]+:\d+\.\)")


def complaints(page: Page) -> Iterator[Complaint]:
    """Say of each cell what is wrong with its declared or missing error."""
    for cell in page.cells:
        if cell.reached and (message := complaint(cell)):
            yield cell.line, message


def complaint(cell: Cell) -> str | None:
    """Say what is wrong with a cell's declared or missing error, or nothing."""
    tagged = "raises-exception" in cell.options.get("tags", [])
    declared = declared_error(cell.options)
    if not tagged and declared is None:
        return None
    if not tagged:
        return "a cell with `:raises:` also needs `:tags: [raises-exception]`"
    if declared is None:
        return 'a cell tagged raises-exception must declare `:raises: "Type: message"`'
    found = raised(cell)
    if found is None:
        return f"the cell was to raise\n    {declared}\nbut raised nothing"
    if found != declared:
        return f"the cell was to raise\n    {declared}\nbut raised\n    {found}"
    return None


def raised(cell: Cell) -> str | None:
    """Return `Type: message` of the error a cell ended in, or None."""
    errors = (output for output in cell.outputs if output.output_type == "error")
    return next((without_place(f"{error.ename}: {error.evalue}") for error in errors), None)


def declared_error(options: Mapping[str, Any], release: str | None = None) -> str | None:
    """Return the error that a cell declares for a release of torch, by default the installed one.

    Examples:
        >>> options = {"raises": "E: a", "raises_since": {"2.15.0": "E: b", "2.16.0": "E: c"}}
        >>> [declared_error(options, each) for each in ("2.14.1", "2.15.0a0", "2.15.1", "2.16.0")]
        ['E: a', 'E: b', 'E: b', 'E: c']
    """
    if "raises" not in options:
        return None
    runs = Version(release or version("torch")).release  # a pre-release speaks as its release
    wordings = {Version("0"): options["raises"]}
    wordings |= {Version(since): text for since, text in options.get("raises_since", {}).items()}
    return str(wordings[max(since for since in wordings if since.release <= runs)])


def without_place(text: str) -> str:
    """Return an error's text without the place in torch's C++ sources that a warning names.

    Examples:
        >>> without_place("UserWarning: no (Triggered internally at /build/csrc/engine.cpp:1307.)")
        'UserWarning: no'
    """
    return _PLACE.sub("", text)


def show_compared(page: Page) -> None:
    """Put the compared text in place of each traceback."""
    errors = {cell.index: raised(cell) for cell in page.cells}
    for container in list(page.doctree.findall(nodes.container)):
        text = errors.get(container.get("cell_index"))
        for block in list(container.findall(nodes.literal_block)):
            if text and "traceback" in block["classes"]:
                block.replace_self(nodes.literal_block(text, text, language="none"))
