"""A marked word on a page: a button that opens what the word rests on, without a script."""

import re
from html import escape

from docutils import nodes
from sphinx.builders import Builder
from sphinx.util.docutils import SphinxRole

from vtj_site.statements.pages import Judged
from vtj_site.statements.sentences import taken_apart

LIST = "reference/statements"


class mark(nodes.inline):  # noqa: N801 -- docutils names nodes so
    """Where a marked word stands, until it has been judged."""


class Word(SphinxRole):
    """`` {word}`never <predicate; parts>` ``: a word that is computed."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Show the word."""
        word, _ = taken_apart(self.text)
        return [mark(self.rawtext, word)], []


class Cost(SphinxRole):
    """`` {cost}`faster with 10 elements <one way against another>` ``: a word of recorded times."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Show the word, with its size: no number that is only typed."""
        word, _ = taken_apart(self.text)
        return [mark(self.rawtext, word, recorded=True)], []


class Statement(SphinxRole):
    """`` {statement}`name` ``: the sentence before it stands word for word beside a check."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Show a sign."""
        return [mark(self.rawtext, "")], []


def show(doctree: nodes.document, docname: str, judged: list[Judged], builder: Builder) -> None:
    """Replace the marks of a page: by buttons in HTML, else by their words.

    What they open stands at the end of the page: a paragraph may hold nothing that folds.
    """
    opened = []
    for node in list(doctree.findall(mark)):
        number = node["number"]
        if builder.format != "html" or builder.name == "markdown" or number >= len(judged):
            node.replace_self(nodes.Text(node.astext()))
            continue
        target = builder.get_relative_uri(docname, LIST)
        node.replace_self(nodes.raw("", button(judged[number], number), format="html"))
        opened.append(box(judged[number], number, f"{target}#{anchor(docname, number)}"))
    if opened:
        doctree += nodes.raw("", "\n".join(opened), format="html")


def anchor(docname: str, number: int) -> str:
    """Return the address of a mark in the list of all."""
    return f"{docname.replace('/', '-')}-{number + 1}"


def button(judged: Judged, number: int) -> str:
    """Return a word as a button."""
    shown = escape(judged.word) or '<span aria-hidden="true">✓</span>'
    label = "" if judged.word else ' aria-label="What this sentence rests on"'
    return (
        f'<button type="button" class="statement" popovertarget="rests-on-{number}"{label}>'
        f"{shown}</button>"
    )


def box(judged: Judged, number: int, target: str) -> str:
    """Return what a word opens: what was asked and of how many cases, its code folded.

    Of a word of cost, the code is the answer: it holds the times.
    """
    shut = (
        f'<button type="button" class="shut" popovertarget="rests-on-{number}" '
        'popovertargetaction="hide" aria-label="Close">✕</button>'
    )
    asked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(judged.asked))
    asked = f"<p>Asked: {asked[0].lower()}{asked[1:]}</p>" if asked else ""
    said = judged.count
    if not judged.word:
        said = (
            "This code ran when the site was built. That it checks the sentence, an author judged"
        )
    recorded = " open" if judged.word and not asked else ""
    code = "".join(
        f"<details{recorded}><summary>{caption}</summary><code>{escape(code)}</code></details>"
        for caption, code in rests_on(judged)
    )
    return (
        f'<div popover class="rests-on" id="rests-on-{number}">{shut}{asked}'
        f"<p>{escape(said)}.</p>{code}"
        f'<a href="{escape(target)}">All statements</a></div>'
    )


def grounds(judged: Judged) -> str:
    """Return what a statement rests on, in the list of all, as HTML."""
    parts = [f'<span class="row">{escape(judged.count)}.</span>']
    for caption, code in rests_on(judged):
        parts.append(f'<span class="row">{caption}:</span><code class="row">{escape(code)}</code>')
    return "".join(parts)


def rests_on(judged: Judged) -> list[tuple[str, str]]:
    """Return the code that a statement rests on, under captions."""
    both = ("The nearest miss", judged.nearest), ("What decides", judged.code)
    return [(caption, code) for caption, code in both if code]
