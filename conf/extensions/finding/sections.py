"""The sections of a finished page: what a search can lead to, and what stands in each.

A heading, a fold, an entry of a glossary and a described object is a section of its own. It holds
what stands under it and not in a section further in. Read from the HTML that readers get, since
only there every extension has done its work, and an address is what a link can reach.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

UNREAD = {"math", "svg", "script", "style", "noscript", "button", "vtj-error-box", "vtj-shapes"}
"""Elements without sentences: a formula, a picture, what only a script or a click brings."""
UNREAD_CLASSES = {"headerlink", "toctree-wrapper", "elsewhere", "rests-on", "get-library"}
"""A link to its own heading, other pages' titles, sections that stand on another page now, what a
computed word rests on, how to install."""
ELSEWHERE = "More: "
"""So begins a line of links: the titles of other sections, which answer no question here."""
BLOCKS = {"p", "li", "tr", "pre", "dt", "dd", "td", "th", "div", "figcaption", "summary", "section"}
"""Elements that begin and end a block: a sentence does not go on behind them."""
EMPTY = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


@dataclass
class Section:
    """A place on a page that a link can lead to."""

    anchor: str  # its id
    titles: list[str]  # those of the sections around it, from the page's on, and its own
    ids: list[str] = field(default_factory=list)  # every id that leads into it, its own first
    text: list[str] = field(default_factory=list)  # blocks of prose
    messages: list[str] = field(default_factory=list)  # of errors, shown or raised
    code: list[str] = field(default_factory=list)  # what cells hold and print


def sections(html: str) -> list[Section]:
    """Return the sections of a page, in order; of a page without an article, none.

    Example:
        >>> page = "<article><section id='a'><h1>A</h1><p>One <b>word</b>.</p></section></article>"
        >>> [found] = sections(page)
        >>> found.titles, found.text
        (['A'], ['One word.'])
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Section] = []
        self.inside: list[tuple[Section, int]] = []  # with the depth at which each ends
        self.open: list[tuple[str, set[str]]] = []  # elements, with their classes
        self.words: list[str] = []  # of the block that is being read

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in EMPTY:
            self.words.append(" ")
            return
        given = {name: value or "" for name, value in attrs}
        if tag in BLOCKS or tag in HEADINGS:
            self.end_block()
        self.open.append((tag, set(given.get("class", "").split())))
        if name := given.get("id"):
            begins = tag == "section" or (tag == "dt" and name.startswith(("term-", "vtj")))
            if begins and any(kind == "article" for kind, _ in self.open):
                titles = [*self.inside[-1][0].titles] if self.inside else []
                self.inside.append((Section(name, [*titles, ""]), len(self.open)))
                self.found.append(self.inside[-1][0])
            if self.inside:
                self.inside[-1][0].ids.append(name)

    def handle_endtag(self, tag: str) -> None:
        if all(kind != tag for kind, _ in self.open):
            return
        if tag in BLOCKS or tag in HEADINGS:
            self.end_block()
        while self.open.pop()[0] != tag:  # an element that needs no end of its own
            pass
        # A term's section goes on, behind the term, to the end of what explains it.
        while self.inside and (
            len(self.open) < self.inside[-1][1] - (tag != "section" and tag != "dd")
        ):
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if self.inside and not self.unread():
            self.words.append(data)

    def unread(self) -> bool:
        return any(
            (tag in UNREAD and "statement" not in classes)  # a computed word is a button
            or classes & UNREAD_CLASSES
            # A report of the oracle: the same rows in every example, which took, of the sentences
            # of a section that are searched, the place of those behind them.
            or (tag == "details" and "vtj" in classes)
            for tag, classes in self.open
        )

    def end_block(self) -> None:
        """Give the block that ends here to its section."""
        block, self.words = "".join(self.words), []
        plain = " ".join(block.split())
        if not plain or not self.inside or plain.startswith(ELSEWHERE):
            return
        section = self.inside[-1][0]
        tag = self.open[-1][0]
        within = {name for _, classes in self.open for name in classes}
        if tag in HEADINGS or (tag == "dt" and not section.titles[-1]):
            section.titles[-1] = re.sub(r"\[source\]$", "", plain)
        elif tag == "pre" and within & {"error-message", "traceback"}:
            section.messages.append(plain)
        elif tag == "pre":
            section.code.append(plain)
        else:
            section.text.append(plain)
