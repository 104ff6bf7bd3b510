"""A digit in prose or TeX that no run produced fails the build.

Numbers in a sentence come from `` {eval}`expression` ``; formulas come from a cell. What may be
typed is listed in ALLOWED and is no result: dates, labels, versions of what is not torch. Versions
of torch and references to other texts come from the roles of `recorded`. Inline code may quote the
page's own cells: what stands between the backticks must occur in one, or in an error it declares.
"""

import re
from collections.abc import Iterable, Iterator

from docutils import nodes
from sphinx import addnodes

from gates.page import Complaint, Page, line_of

ALLOWED = [
    r"\b(?:NumPy|Python|Sphinx|CC BY) \d+(?:\.\d+)*\b",  # a version as named: Python 3.11
    r"\b\d{4}-\d{2}-\d{2}\b",  # a date: 2026-11-21
    r"\b[0-3]-[dD]\b",  # the term of the field: a 0-d tensor
    r"\b[A-Za-z_]+[A-Za-z_.]*\d[\w]*\b",  # a name that ends in a digit: float64, conv2d
]
TEX_INDEX = r"_(?:\d|\{\d+\})"  # a label: x_1, J_{21}
GENERATED = (
    addnodes.desc,
    addnodes.toctree,
    nodes.comment,
    nodes.raw,
    nodes.substitution_definition,
)


def complaints(page: Page) -> Iterator[Complaint]:
    """Name every typed number of a page."""
    texts = [text for cell in page.cells for text in (cell.source, cell.options.get("raises", ""))]
    sources = [" ".join(text.split()) for text in texts]
    for node in written(page.doctree):
        if number := typed_number(node, sources):
            yield (
                line_of(node) or 1,  # a description stands before the page
                f"{number!r} is typed: let the build compute it with {{eval}}`…`, quote a cell of "
                "the page, or what is recorded with {recorded}`…` or {quoted}`…`",
            )


def remaining(text: str, patterns: Iterable[str]) -> str | None:
    """Return the word around the first digit that no pattern covers, or None."""
    for pattern in patterns:
        text = re.sub(pattern, " ", text)
    return next((word for word in text.split() if any(map(str.isdigit, word))), None)


def written(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the pieces of text that an author typed: what ran or is generated is left out."""
    for child in node.children:
        if isinstance(child, GENERATED) or (
            isinstance(child, nodes.Element) and ("nb_element" in child or "recorded" in child)
        ):
            continue
        if isinstance(
            child, nodes.Text | nodes.literal | nodes.math | nodes.math_block | nodes.meta
        ):
            yield child
        elif isinstance(child, nodes.literal_block):
            if ">>>" not in child.astext():  # a doctest is run and compared by `nox -s doctest`
                yield child
        else:
            yield from written(child)


def typed_number(node: nodes.Node, sources: list[str]) -> str | None:
    """Return the typed number that a piece of text holds, or None."""
    # A description, which search engines show, is no text of the page: no role can compute in it.
    text = node["content"] if isinstance(node, nodes.meta) else node.astext()
    if isinstance(node, nodes.math | nodes.math_block):
        return remaining(text, [TEX_INDEX])
    if isinstance(node, nodes.literal | nodes.literal_block):
        quoted = " ".join(text.split())
        if any(quoted in source for source in sources):
            return None
    return remaining(text, ALLOWED)
