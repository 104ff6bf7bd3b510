"""``{error-box}``: paste an error message, get the place on the site that explains it.

The pages are the data. ``{error-message}`` shows a message where it is explained and registers it
with the section it stands in; ``{…}`` stands for what varies. The box finds it again in the
reader's browser, from disk too; without JavaScript it is a list of links.

Every other error that a page raises leads to the section that shows it. What plain torch raises as
well (`elsewhere`) no page can explain for sure, and the box does not say so.
"""

import json
import re
from collections.abc import Callable
from html import escape
from typing import Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from errors import elsewhere
from vtj_site.records.releases import worded

VARIES = "{…}"
SCRIPT = "error-messages.js"
_NUMBERS = re.compile(r"\[[\d, ]*\]|(?<![\w.])\d+(?:\.\d+)?(?![\w])|0x[0-9a-f]+")
"""What differs from one reader's error to the next: shapes, counts, addresses."""
FEWEST = 3
"""Words of a message that a page raises and none explains: `KeyError: 'x'` would fit anything."""
_START = re.compile(r".{1,160}(?![^{]*\}|\S)", re.DOTALL)
"""As much of a message as the box compares: the ends of long ones differ from release to release,
and are what is cut off where a message is told. The in-place one has its second hole at 120."""
_KIND = re.compile(r"^[\w.]*(?:Error|Warning|Exception): ")


class Message(NamedTuple):
    """A message and the section that explains it."""

    pattern: str  # with {…} for each part that varies
    title: str
    docname: str
    anchor: str  # the section's label, or its id


class error_box(nodes.General, nodes.Element):  # noqa: N801 - docutils finds visitors by this name
    """The box's place on a page, until all pages are read."""


class ErrorMessageDirective(SphinxDirective):
    """Shows a message and registers it with its section."""

    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "until": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """Return the message as a literal block and, of an old one, the recorded releases."""
        self.assert_has_content()
        pattern = "\n".join(self.content)
        shown = pattern.replace(VARIES, "…")
        block = nodes.literal_block(shown, shown, language="text", classes=["error-message"])
        block["error_pattern"] = " ".join(pattern.split())
        self.set_source_info(block)
        if "until" not in self.options:
            return [block]
        releases = worded(pattern)
        if releases[-1:] != [self.options["until"]]:
            last = releases[-1] if releases else "no release"
            raise self.error(f"recorded last on {last}, not on torch {self.options['until']}")
        said = f"Recorded on torch {releases[0]}"
        said += f" through {releases[-1]}." if len(releases) > 1 else "."
        line = nodes.paragraph("", said, classes=["error-versions"], recorded=True)
        self.set_source_info(line)
        return [block, line]


class ErrorBoxDirective(SphinxDirective):
    """Puts the box on a page."""

    def run(self) -> list[nodes.Node]:
        """Return the box's place, and have the page bring the box's script."""
        self.env.metadata[self.env.docname]["error_box"] = True
        return [error_box()]


def messages(env: BuildEnvironment) -> list[Message]:
    """Return every message that a page of the site explains, page by page in order."""
    return [
        message
        for docname in sorted(env.metadata)
        for message in env.metadata[docname].get("error_messages", [])
    ]


def shown(env: BuildEnvironment) -> list[Message]:
    """Return the messages that pages raise and none explains, each where it comes first."""
    explained = [message.pattern for message in messages(env)]
    found: dict[str, Message] = {}
    for docname in sorted(env.metadata):
        for message in env.metadata[docname].get("raised_messages", []):
            if len(_KIND.sub("", message.pattern).split()) < FEWEST:
                continue
            if not any(fits(pattern, message.pattern) for pattern in explained):
                pattern = _NUMBERS.sub(VARIES, message.pattern)
                found.setdefault(pattern, message._replace(pattern=pattern))
    return list(found.values())


def fits(pattern: str, text: str) -> bool:
    """Say whether a message is one that a pattern stands for, whatever varies in both.

    Example:
        >>> fits("RuntimeError: got {…} tensors", "got 2 tensors and 1 gradients")
        True
    """
    pieces = (" ".join(piece.split()) for piece in _KIND.sub("", pattern).split(VARIES))
    return re.search(".*".join(map(re.escape, pieces)), " ".join(text.split())) is not None


def register(app: Sphinx, doctree: nodes.document) -> None:
    """Note the messages of a page that was just read, where Sphinx keeps what it knows of it."""
    app.env.metadata[app.env.docname]["raised_messages"] = [
        Message(
            " ".join(block.astext().partition(" (Triggered internally")[0].split()),
            section[0].astext(),
            app.env.docname,
            section["ids"][0],
        )
        for block in doctree.findall(nodes.literal_block)
        if "traceback" in block["classes"] and (section := section_of(block))
    ]
    app.env.metadata[app.env.docname]["error_messages"] = [
        # A label, where there is one, comes before the id that the title gives.
        Message(block["error_pattern"], section[0].astext(), app.env.docname, section["ids"][0])
        for block in doctree.findall(nodes.literal_block)
        if "error_pattern" in block and (section := section_of(block))
    ]


def section_of(node: nodes.Node) -> nodes.section | None:
    """Return the section that a node stands in, or None."""
    while node.parent is not None and not isinstance(node, nodes.section):
        node = node.parent
    return node if isinstance(node, nodes.section) else None


def fill_boxes(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace a box's place by the element, which holds links for readers without JavaScript."""
    for place in list(doctree.findall(error_box)):
        sections = dict.fromkeys(
            (_address(app.builder, message, docname), message.title)
            for message in messages(app.env)
        )
        links = "".join(
            f'<li><a href="{escape(url)}">{escape(title)}</a></li>' for url, title in sections
        )
        element = f"<vtj-error-box><noscript><ul>{links}</ul></noscript></vtj-error-box>"
        place.replace_self(nodes.raw("", element, format="html"))


def write_messages(app: Sphinx, builder: Builder) -> None:
    """Write the messages beside the site's other scripts, if a page has a box."""
    if builder.format == "html" and any("error_box" in page for page in app.env.metadata.values()):
        sections: dict[tuple[str, str, bool], list[Any]] = {}
        for is_shown, known in ((False, messages(app.env)), (True, shown(app.env))):
            for message in known:
                start = _START.match(message.pattern)
                assert start is not None
                lines = [
                    [line, told]
                    for line, told in elsewhere.raised().items()
                    if fits(start[0], told)
                ]
                section = _address(builder, message), message.title, is_shown
                sections.setdefault(section, []).append([start[0], lines])
        static = app.outdir / "_static"
        static.mkdir(exist_ok=True)
        entries = [[*section, *known] for section, known in sections.items()]
        data = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
        (static / SCRIPT).write_text(f"window.VTJ_ERRORS = {data};\n", encoding="utf-8")


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Load the scripts on the pages with a box."""
    if "error_box" in app.env.metadata.get(pagename, {}):
        app.add_js_file(SCRIPT, defer="defer")
        app.add_js_file("error-box.js", defer="defer")


def connect(app: Sphinx) -> None:
    """Register both directives."""
    app.add_directive("error-message", ErrorMessageDirective)
    app.add_directive("error-box", ErrorBoxDirective)
    app.add_node(error_box)
    app.connect("doctree-read", register)
    app.connect("doctree-resolved", fill_boxes)
    app.connect("write-started", write_messages)
    app.connect("html-page-context", add_scripts)


def _address(builder: Builder, message: Message, docname: str | None = None) -> str:
    to = message.docname
    page = builder.get_relative_uri(docname, to) if docname else builder.get_target_uri(to)
    return f"{page}#{message.anchor}"
