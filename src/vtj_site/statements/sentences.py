"""The sentences of a page: which are statements, which words in them are computed, which are not.

A *statement* says something of torch, of `vtj` or of a source. What is none:

- a question;
- an instruction: its first word is one of `ORDERS`, or the first after an opening clause that ends
  in a comma ("To see it, run …"), and is no participle ("Read into …") and not told ("Note that");
- a definition: its subject is set in *emphasis*, and "is", "are" or "means" follows, or it is the
  first sentence of an entry of a glossary;
- a signpost: its subject is this page or a part of it ("The table below …", "Here is …"), or it is
  a link, and the few words before that ("More: …"), which ask ("Why it adds: …") or have no verb;
  "Here `v` is a list:" says what the example does, and is a statement, as is what a row has;
- a heading, of a page, of a table's column or of its row where that column has none, a piece of
  fewer than three words, where code is one, a piece without a verb in a table, and what stands in
  quotation marks, which somebody else said. But only "Yes." or "No.", or "Yes, both.", answers
  a question, and is a statement.

An order and "the table below" are free in their own clause. Where a later one says something
("Pass it, and torch adds it"), after a colon too, or an order says why ("Clone, since torch writes
into it", "Call `f`, which writes"), the whole sentence is a statement; code alone ("Clear it:
`x.grad = None`") says how.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers.mdit import create_md_parser

from vtj_site.statements import costs
from vtj_site.statements.values import SAYS
from vtj_site.statements.words import QUANTIFYING, VOCABULARY

EXTENSIONS = {"amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"}
"""As `myst_enable_extensions` of conf.py."""
NO_PROSE = re.compile(
    r"\{(code-cell|code-block|toctree|math|raw|figure|image|include|listed-pages|doctest|glue"
    r"|auto\w+|error-message|py:\w+|eval-rst|error-box|explorer|rubric)\}|(?!\{)"
)
ORDERS = re.compile(
    r"(?:"
    r"add|ask|assert|assign|average|avoid|begin|bind|bring|build|call|carry|change|check|choose|"
    r"clear|click|clip|clone|collect|combine|compare|compile|compute|convert|copy|count|cut|"
    r"decide|delete|detach|differentiate|divide|do|don't|drag|draw|drop|end|estimate|expect|"
    r"find|fix|flatten|flip|follow|forget|forgive|freeze|give|go|hand|hold|hook|imagine|"
    r"import|install|join|keep|learn|leave|let|listen|log|look|make|map|mark|measure|move|"
    r"multiply|name|note|omit|open|paint|pass|paste|pick|prefer|print|put|raise|read|record|"
    r"reduce|register|remember|remove|repeat|replace|return|round|run|save|say|see|send|set|share|"
    r"shift|show|skip|solve|split|stack|start|step|stop|store|sum|swap|take|tell|test|think|"
    r"train|transpose|treat|try|turn|type|unpack|unscale|use|wait|watch|weight|wrap|write"
    r")$",
    re.IGNORECASE,
)
OPENING = re.compile(
    r"(?:(?:so|instead|yes|no),?\s+)?"
    r"(?:(?:to|if|where|when|for|before|after|with|in|inside|on|of|as|under|down|then|so|otherwise)"
    r"\b[^,]*,\s*(?:`[^`]*`,\s*)?)",
    re.I,
)
"""A clause before an order, and the code that names what it speaks of."""
FIRST = re.compile(
    r"(?:(?:so|then|else|and|or|but|instead|first|now|please|rather|yes|no),?\s+)*(?P<first>[\w']+)",
    re.I,
)
PART = re.compile(r"(?:`[^`]*`|as|at|by|for|from|in|of|on|to|with)(?![\w`])", re.I)
"""Begins a piece behind a colon that says how or where: "in a mask"."""
DEFINITION = re.compile(r"^(?:an?|the)?\s*\*[^*]+\*[^.:]{0,40}?\b(?:is|are|means?|says)\b", re.I)
NO_ORDER = re.compile(
    r"(?:check|expect|find|forget|imagine|learn|note|read|remember|see|show|tell|think) that\b(?!,)"
    r"|(?:read|put|set|cut|let) (?:into|from|by)\b",
    re.I,
)
REASON = re.compile(
    r"\b(?:since|because)\b(?!\W*$)"
    r"|, (?:(?:after|by|for|from|in|of|through|to|with) )?(?:which|whose)\b"
)
"""Begins what an order says of why it is given: "Clone it, since a write …", "…, which writes"."""
SIGNPOST = re.compile(
    r"^(?:(?:this|the|these|below|above)\b"
    r"(?: (?!(?:in|of|on|from|with|has|have|is|are)\b)[\w-]+){0,3}? "
    r"(?:pages?|sections?|tables?|figures?|cells?|tutorials?|guides?|lists?|boxes)\b"
    r"|here (?:is|are)\b)",
    re.I,
)
LINK = re.compile(r"^(?:(?:more|next|back to)\b[^:]{0,24}:|see\b)", re.I)
ASKING = re.compile(r"(?:what|why|how|when|where|which|whether|who|to)\b", re.I)
VERB = re.compile(
    r"is|are|was|were|has|have|had|does|did|can|may|will|becomes?|fills?|goes|happens?|works?"
)
"""With `ORDERS`, and these with an "s", what may be a verb: a label with one may say something."""
FEW = 10
"""So many words a label may have: "Derivatives with respect to *parameters*, sample by sample"."""
ANSWER = re.compile(r"(?:Yes|No)(?:, \w+)?[.:!]")
"""The whole answer to a question: whoever turns it around says something else."""
LATER = re.compile(r"[;:] |, (?:and|but|so)(?! that) ")
"""Where a later clause begins; "so that" says what an order is for."""
END = re.compile(r"(?<=[.!?])[)*_\"”]*\s+(?=[\"“(*_`\w{\[])")
SPAN = re.compile(r"`[^`]*`")
CLAIM = re.compile(
    r"\b(?:is|are|was|were|(?:ha|doe)s|had|have|do|did|can|may|must|will|would|should|needs?|goes|went|came|comes?|"
    r"gives?|gave|gets?|got|makes?|made|takes?|took|keeps?|kept|leaves|adds?|stands?|stays?|counts?|"
    r"passes|returns?|runs?|ran|calls|sees|saw|hands|computes?|changes?|writes?|wrote|depends?|"
    r"multipl\w+|records?|finds?|sends?|drops?|compares|holds?|listens|trains|cuts?|rises|names|"
    r"wants|follows?|subtracts|averages|lets|mix|lies|shows|grows|arrives?|arrived|divides?|ends|"
    r"starts|means|works|asks?|draws?|reads|looks|copies|hides?|notices|becomes|differs?|agrees?|"
    r"happens|serves?|forgets?|points?|overwrote|doubles?|silences|knows|fits?|helps?|tells?|"
    r"walks?|repeats?|built|cancels?|moves?|turns?|feeds|used|estimates|contradicts?)\b"
)
"""What makes a clause say something."""
CODE = re.compile(r"`[^`]*`\W*$")
QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"")
BARE = re.compile(
    rf"\b(?:{'|'.join(sorted(VOCABULARY, key=len, reverse=True))})\b|(?:{QUANTIFYING})\b"
    rf"|{costs.BARE}",
    re.I,
)


class Mark(NamedTuple):
    """A role in a sentence: its name, its word, what it points at, its place in the text."""

    role: str  # "word", "cost", "statement" or "eval"
    word: str
    target: str
    line: int
    start: int
    end: int


@dataclass
class Sentence:
    """One sentence of a page: its text as a reader reads it, code between backticks."""

    text: str
    line: int
    kind: str  # "statement", "question", "quotation", "instruction", "definition" or "signpost"
    marks: list[Mark] = field(default_factory=list)
    values: int = 0  # how many numbers, releases and quotations in it are computed
    told: list[Mark] = field(default_factory=list)  # words told from the values of the page's cells
    code: list[tuple[int, int]] = field(default_factory=list)
    named: list[tuple[int, str]] = field(default_factory=list)  # typed code, and where it starts

    @property
    def bare(self) -> list[str]:
        """The words of the vocabulary that are typed in a statement, and not computed."""
        if self.kind != "statement" or any(mark.role == "statement" for mark in self.marks):
            return []
        taken = [*self.code, *((mark.start, mark.end) for mark in (*self.marks, *self.told))]
        taken += [found.span() for found in QUOTED.finditer(self.text)]
        return [
            found[0]
            for found in BARE.finditer(self.text)
            if not any(start <= found.start() < end for start, end in taken)
        ]

    @property
    def unchecked(self) -> str:
        """What of a statement nothing checks: its bare words, or the whole; "" if there is none.

        Example:
            >>> [one.unchecked for one in sentences("It adds. It adds `v`. It never adds `v`.")]
            ["'It adds `v`.'", "'never'"]
        """
        if self.bare:
            return ", ".join(map(repr, self.bare))
        return repr(self.text) if how_checked(self) == UNMARKED else ""


UNMARKED = "without any mark"
HOW = (
    "with a computed word",
    "with a word told from values",
    "with a word of cost",
    "held by wording",
    "with an unchecked word",
    "with a computed value",
    UNMARKED,
)
"""How a statement is checked; the first that fits counts."""


def how_checked(sentence: Sentence) -> str:
    """Return the one of `HOW` that a statement is, and "" for what is no statement."""
    if sentence.kind != "statement":
        return ""
    roles = {mark.role for mark in sentence.marks}
    found = (
        "word" in roles,
        bool(sentence.told),
        "cost" in roles,
        "statement" in roles,
        bool(sentence.bare),
        sentence.values > 0,
        True,
    )
    return HOW[found.index(True)]


def counted(page: Iterable[Sentence]) -> dict[str, int]:
    """Return how many statements of a page are checked in which way."""
    found = [how_checked(sentence) for sentence in page]
    return {how: found.count(how) for how in HOW}


def kind_of(text: str) -> str:
    """Say what a sentence is; see the module's first lines.

    Examples:
        >>> [kind_of(said) for said in ("Pass v.", "If y is real, leave v out.", "Is it so?")]
        ['instruction', 'instruction', 'question']
        >>> [kind_of(said) for said in ("A *leaf* is no result.", "The table has all.")]
        ['definition', 'signpost']
        >>> [kind_of(said) for said in ("Here are both.", "Here `v` is a list:", "More is not.")]
        ['signpost', 'statement', 'statement']
        >>> [kind_of(said) for said in ("The rows add up.", "Here is `v`, which counts.")]
        ['statement', 'statement']
        >>> kind_of("If y is real, `v` may be left out.")
        'statement'
    """
    if re.search(r"\?[)*_\"”]*$", text):
        return "question"
    if len(QUOTED.sub("", text).split()) == 0:
        return "quotation"
    if DEFINITION.match(text):
        return "definition"
    if LINK.match(text):
        return "signpost"
    clause, *later = LATER.split(text)
    if any(says(said) for said in later):
        return "statement"
    if SIGNPOST.match(text):
        return "statement" if REASON.search(SPAN.sub("`", text)) else "signpost"
    return "instruction" if ordered(clause) else "statement"


def says(clause: str) -> bool:
    """Whether a later clause of a sentence says something: it is no order, code or place.

    Examples:
        >>> [says(clause) for clause in ("it adds up", "read `x.grad`", "in scores, or a mask")]
        [True, False, False]
    """
    if len(CODE.sub("`", clause).split()) <= 2 or ordered(clause):
        return False
    return bool(CLAIM.search(SPAN.sub("`", clause)) or not PART.match(clause))


def has_verb(text: str) -> bool:
    """Whether a piece in a table says something: it has a verb.

    Examples:
        >>> [has_verb(text) for text in ("rows of the identity", "`2 * x` saves its factor")]
        [False, True]
    """
    words = re.findall(r"[\w'-]+", SPAN.sub("`", text).lower())
    verb = any(word.endswith("s") and ORDERS.match(word.removesuffix("s")) for word in words)
    return bool(verb or CLAIM.search(text))


def leads(text: str, links: Iterable[tuple[int, int]]) -> bool:
    """Whether a sentence is a label and a link: behind a colon, or all of it.

    Examples:
        >>> leads("Why it adds: accumulation.", [(13, 25)])
        True
        >>> leads("It adds: accumulation.", [(9, 21)])
        False
    """
    hidden = list(text)
    for start, end in links:
        hidden[start:end] = "#" * (end - start)
    behind = re.search(r"(?:^|: )#+(?:(?:, | and |, and | or )#+)*[.:]?$", "".join(hidden))
    if not behind:
        return False
    label = text[: behind.start()] or text
    words = [word.lower() for word in re.findall(r"[\w'-]+", label)]
    verb = re.search(r"` (?:\w+ )?\w+s\b", label) or any(
        VERB.fullmatch(word)
        or ORDERS.match(word)
        or (place and ORDERS.match(word.removesuffix("s")))  # "Hooks on tensors" has no verb
        for place, word in enumerate(words)
    )
    return bool(ASKING.match(label)) or (not verb and len(words) <= FEW)


def ordered(clause: str) -> bool:
    """Whether a clause tells the reader to do something, and no more.

    Examples:
        >>> [ordered(clause) for clause in ("Clone `v`", "Clone `v`, since torch keeps it")]
        [True, False]
    """
    opening = OPENING.match(clause)
    for start in (0, opening.end() if opening else 0):
        first = FIRST.match(clause, start)
        if first and ORDERS.match(first["first"]):
            told = NO_ORDER.match(clause, first.start("first"))
            return not (told or REASON.search(SPAN.sub("`", clause)))
    return False


@cache
def parser() -> Any:
    """Return the parser of MyST, as the site configures it."""
    return create_md_parser(MdParserConfig(enable_extensions=EXTENSIONS), DocutilsRenderer)


def sentences(markdown: str) -> Iterator[Sentence]:
    r"""Yield the sentences of a page, in reading order; headings and front matter left out.

    Examples:
        >>> [one.text for one in sentences("See [why?](a.md) and how. [Why?](b.md) It adds up.")]
        ['See why? and how.', 'It adds up.']
        >>> page = "# No\n\nIt {word}`never <overwrites>` overwrites it. Is *all* well?"
        >>> [(one.line, one.text, one.kind) for one in sentences(page)]
        [(3, 'It never overwrites it.', 'statement'), (3, 'Is *all* well?', 'question')]
    """
    yield from _in(markdown, 0)


def _in(markdown: str, offset: int, glossary: bool = False) -> Iterator[Sentence]:
    heading, cell, column, names_rows = False, False, 0, False
    tokens: list[Token] = parser().parse(markdown, {})
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            heading = token.type == "heading_open"
        elif token.type == "tr_open":
            column = 0
        elif token.type in ("th_open", "td_open"):
            column += 1
            heading = token.type == "th_open" or (column == 1 and names_rows)
            cell = True
        elif token.type in ("th_close", "td_close"):
            heading = cell = False
        elif token.type == "inline" and heading and column == 1 and not token.content:
            names_rows = True
        elif token.type == "table_close":
            names_rows = False
        elif token.type == "inline" and not heading:
            found = list(_of(token, offset))
            if found and glossary:
                found[0].kind = "definition"
            if cell:
                found = [one for one in found if one.marks or one.told or has_verb(one.text)]
            yield from found
        elif token.type in ("fence", "colon_fence") and not NO_PROSE.match(token.info.strip()):
            inside, skipped = _body(token.content)
            defines = token.info.startswith("{glossary}")
            yield from _in(inside, offset + _line(token) + 1 + skipped, defines)


def _body(content: str) -> tuple[str, int]:
    """Return what stands in a directive, and how many lines of options stand before it."""
    lines = content.splitlines(keepends=True)
    skipped = 0
    while skipped < len(lines) and re.match(r":[\w-]+:|\s*$", lines[skipped]):
        skipped += 1
    return "".join(lines[skipped:]), skipped


def _line(token: Token) -> int:
    return token.map[0] if token.map else 0


def _of(token: Token, offset: int) -> Iterator[Sentence]:
    text, line = "", offset + _line(token) + 1
    marks, code, starts = list[Mark](), list[tuple[int, int]](), [(0, line)]
    values, links, told = list[int](), list[tuple[int, int]](), list[Mark]()
    typed = list[tuple[int, str]]()
    for child in token.children or []:
        start = len(text)
        says = SAYS.match(child.content) if child.type == "myst_role" else None
        if says:
            text += says["word"]
            told.append(Mark("eval", says["word"], says["of"], line, start, len(text)))
            continue
        if child.type == "myst_role" and child.meta["name"] in ("eval", "recorded", "quoted"):
            values.append(start)
        if child.type == "softbreak":
            text, line = text + " ", line + 1
            starts.append((len(text), line))
        elif child.type == "text":
            text += child.content
        elif child.type == "myst_role" and child.meta["name"] in ("word", "cost", "statement"):
            word, target = taken_apart(child.content)
            role = child.meta["name"]
            text += word if role != "statement" else ""
            marks.append(Mark(role, word, target, line, start, len(text)))
        elif child.type == "myst_role" and child.meta["name"] != "eval":
            word, target = taken_apart(child.content)
            said = word or target
            text += f"“{said}”" if child.meta["name"] == "quoted" else said
        elif child.type in ("code_inline", "math_inline", "myst_role"):
            text += f"`{child.content}`"
            code.append((start, len(text)))
            if child.type == "code_inline":
                typed.append((start, child.content))
        elif child.type in ("em_open", "em_close"):
            text += "*"
        elif child.type == "link_open":
            links.append((start, start))
        elif child.type == "link_close":
            links[-1] = (links[-1][0], len(text))
    titles = {end for _, end in links}  # one that asks ends no sentence that goes on behind it
    ends = [
        end.start()
        for end in END.finditer(text)
        if not _within(end.start(), code)
        and not (end.start() in titles and text[end.end() : end.end() + 1].islower())
    ]
    begin = 0
    for end in [*ends, len(text)]:
        said = text[begin:end]
        answers = ANSWER.fullmatch(said.strip())
        if answers or len(SPAN.sub("`", said).split()) > 2:
            shift = begin + len(said) - len(said.lstrip())
            inside = [(a - shift, b - shift) for a, b in links if begin <= a < end]
            yield Sentence(
                said.strip(),
                [line for start, line in starts if start <= shift][-1],
                "signpost"
                if not answers and leads(said.strip(), inside)
                else kind_of(said.strip()),
                _between(begin, end, shift, marks),
                sum(begin <= place < end for place in values),
                _between(begin, end, shift, told),
                [(a - shift, b - shift) for a, b in code if begin <= a < end],
                [(start - shift, content) for start, content in typed if begin <= start < end],
            )
        begin = end


def _between(begin: int, end: int, shift: int, marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks of a sentence, with their places in it; one without a word ends it."""
    return [
        mark._replace(start=mark.start - shift, end=mark.end - shift)
        for mark in marks
        if (begin <= mark.start < end if mark.word else begin < mark.start <= end)
    ]


def _within(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def taken_apart(content: str) -> tuple[str, str]:
    """Return the word and the target of a role's text.

    Examples:
        >>> taken_apart("never <overwrites; of a leaf>")
        ('never', 'overwrites; of a leaf')
    """
    found = re.fullmatch(r"(?P<word>[^<]*?)\s*<(?P<target>[^>]*)>", content.strip(), re.DOTALL)
    return (found["word"], " ".join(found["target"].split())) if found else ("", content.strip())
