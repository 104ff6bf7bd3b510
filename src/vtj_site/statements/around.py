"""The words around a computed one: what else they say has to be asked too.

`` With `keep` the last state is {eval}`says("larger", kept)` `` says more than its word tells. So
in such a sentence, outside of what is computed and of code:

- a negation ("not", "without", …) stands for a name that is asked and has that word in it, such as
  `without_graph`, and there are as many of these names as negations;
- a word with an opposite ("last", "column", "after", …) stands in a name that is asked, or is
  written as code writes it: "the first" as `[0]`;
- what it names in code, and the page's cells have made, is a name that is asked;
- no name stands in code twice: where one is mistaken for another, that one mostly does.

The second and the third look at what is asked in their own clause, if something is. A word that is
asked of the zoo of cases is held to all but the third, and a "not" before its predicate is asked.

So whoever puts in a "not", takes one out, turns such a word around, or names another variable
has to change what is asked, and that is computed.
"""

import ast
import re
from collections.abc import Iterator, Set
from itertools import pairwise

from vtj_site.statements.parts import PARTS
from vtj_site.statements.predicates import PREDICATES
from vtj_site.statements.sentences import QUOTED, Sentence
from vtj_site.statements.words import plain

NEGATION = re.compile(
    r"\b(?:not|no|none|nothing|nobody|nowhere|never|neither|nor|without|cannot|\w+n't)\b"
    r"|\b(?:un|im)able\b",
    re.I,
)
NEGATING = {"not", "no", "never", "without", "nothing", "neither"}
"""What a name that is asked may have in it for one of these."""
OPPOSITES = (
    "first/last/second row/column rows/columns before/after larger/smaller more/less/fewer "
    "higher/lower leaf/non-leaf right/wrong real/complex input/output "
    "inputs/outputs positive/negative refuses/accepts "
    "refused/accepted frees/retains freed/retained raises/works"
)
OPPOSED = {word for pair in OPPOSITES.split() for word in pair.split("/")}
WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(OPPOSED, key=len)[::-1])})(?![\w-])", re.I)
WRITTEN = {
    "first": r"\[:?0(?![.\d])|, 0\]|\(0\)", "second": r"\[1(?![.\d])|, 1\]|\(1\)",
    "last": r"\[-1(?![.\d])|, -1\]|-1:",
    "row": r"\[(?:0|1|-1)\]|rows|len\(J|J\[", "rows": r"row|len\(",
    "column": r"\[:, |columns?|shape\[1\]", "columns": r"\[:, |columns?|shape\[1\]",
    "leaf": r"leaf|leaves", "complex": r"\d*j\b", "larger": ">", "smaller": "<",
    "wrong": r"\bcheck\(|report", "right": r"correct",
    "input": r"\b(?:x|samples|images?|inputs?)\b", "inputs": r"\b(?:x|samples|images?|input)\b",
    "output": r"\b(?:y|out|model|logits|outputs?|J)\b", "outputs": r"\b(?:y|out|model|J|output)\b",
}  # fmt: skip
"""How code says such a word where no name does."""
PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.grad)?")
OF_GRAD = re.compile(r"gradient|\.grad\b")
CLAUSE = re.compile(r"[;:,] ")
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"^:\w+: .*\n", re.MULTILINE)
NAMED = re.compile(r"(?<![\w.\"])[A-Za-z_]\w*(?![\w\"]|=[^=])")
"""The names in code, but for attributes, the names of arguments and a word in quotation marks."""


def opposites(word: str) -> list[str]:
    """Return the words that are the opposite of one.

    Examples:
        >>> opposites("Last")
        ['first', 'second']
    """
    (row,) = (row for row in OPPOSITES.split() if word.lower() in row.split("/"))
    return [each for each in row.split("/") if each != word.lower()]


def names(expression: str) -> set[str]:
    """Return the variables of an expression.

    Examples:
        >>> sorted(names("w.grad, without_hook(x)"))
        ['w', 'without_hook', 'x']
    """
    tree = ast.parse(f"said({expression})")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"said"}


def made(page: str) -> set[str]:
    r"""Return the names that a page's cells make, but those that they import, and in classes.

    Examples:
        >>> sorted(made("```{code-cell} python\n:tags: [hide]\nx = 1\ndef f(z): w = 1\n```\n"))
        ['f', 'w', 'x', 'z']
    """
    found = set[str]()
    for cell in CELL.findall(page):
        try:
            waiting: list[ast.AST] = [ast.parse(OPTION.sub("", cell))]
        except SyntaxError:  # the build says so where the cell runs
            continue
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            if not isinstance(node, ast.ClassDef):
                waiting += ast.iter_child_nodes(node)
    return found


def hidden(said: Sentence) -> str:
    """Return a sentence with blanks in the place of code, of quotations and of what is computed."""
    text = list(said.text)
    spans = [*said.code, *((mark.start, mark.end) for mark in (*said.marks, *said.told))]
    for start, end in [*spans, *(found.span() for found in QUOTED.finditer(said.text))]:
        text[start:end] = " " * (end - start)
    return "".join(text)


def said(sentence: Sentence, variables: Set[str] = frozenset()) -> str:
    """Say all that is wrong with what stands around the computed words of a sentence, or "".

    `variables` are the names that the cells of its page make.
    """
    return "; ".join(complaints(sentence, variables))


def complaints(said: Sentence, variables: Set[str] = frozenset()) -> Iterator[str]:
    """Say what a sentence with computed words says beside them, and nobody asks."""
    asked = " , ".join(mark.target for mark in said.told)
    try:
        named = {name for mark in said.told for name in names(mark.target)}
    except SyntaxError as error:
        yield f"{asked}: {error.msg}"
        return
    text, phrases = hidden(said), phrases_of(said)
    found = [each[0] for each in NEGATION.finditer(text) if not judged(said, each, phrases)]
    negating = [name for name in sorted(named) if negates(name)]
    if len(found) != len(negating):
        yield (
            f"{', '.join(map(repr, found)) or 'no negation'} stands in the sentence, and "
            f"{', '.join(negating) or 'no name with one'} in what is asked: put it into the word, "
            "or ask for it by a name that has it, or say less"
        )
    for each in WORD.finditer(text):
        word, of_clause = each[0].lower(), asked_beside(said, each.start())
        of_zoo = " ".join([*phrases, *(mark.target for mark in said.marks)]).split(" ")
        if word not in {*pieces_of(of_clause), *of_zoo} and not re.search(
            WRITTEN.get(word, "(?!)"), of_clause
        ):
            yield (
                f"{word!r} has an opposite, and what is asked does not name it: put it into the "
                "word, or ask for it by a name that has it, or say less"
            )
    plain_names = [code for _, code in said.named if PLAIN.fullmatch(code)]
    for code in sorted({code for code in plain_names if plain_names.count(code) > 1}):
        yield f"the sentence names {code!r} twice: is one of them something else?"
    if not said.told:
        return
    for start, code in said.named:
        of_clause = asked_beside(said, start)
        for name in dict.fromkeys(NAMED.findall(code)):
            if name in variables and not asks_of(of_clause, name, code, OF_GRAD.search(said.text)):
                yield (
                    f"the sentence names {name!r}, which the page's cells have made, and what is "
                    f"asked there does not: {of_clause}"
                )


def asks_of(expression: str, name: str, code: str, of_grad: object) -> bool:
    """Whether an expression names what a sentence does, whole or in a piece of another name.

    `x.grad` is another thing than `x` where nobody speaks of a gradient; `vT` is `v` in NumPy.

    Examples:
        >>> asks_of("x.grad, 2", "x", "x.grad", None), asks_of("x.grad, 2", "x", "x", None)
        (True, False)
    """
    grad = rf"(?<![\w.]){name}\.grad\b"
    if re.fullmatch(r"\w+", code) and not of_grad:
        expression = re.sub(grad, " ", expression)
    elif re.fullmatch(r"\w+\.grad", code) and re.search(r"(?<!autograd)\.grad\b", expression):
        return bool(re.search(grad, expression))
    whole = {*re.findall(r"[A-Za-z_]\w*", expression)}
    whole |= {"v"} if "vT" in whole else set()
    return name in whole | pieces_of(expression) | {*re.findall(r"[A-Za-z]+", expression)}


def negates(name: str) -> bool:
    """Whether a name has a negation in it.

    Examples:
        >>> negates("without_hook"), negates("under_no_grad"), negates("noted")
        (True, False, False)
    """
    return bool(NEGATING & {*name.lower().replace("no_grad", "").split("_")})


def clauses(said: Sentence) -> list[range]:
    """Return the places of a sentence's clauses: they end in a comma, a semicolon or a colon."""
    ends = [0, *(found.end() for found in CLAUSE.finditer(said.text)), len(said.text) + 1]
    return [range(start, end) for start, end in pairwise(ends)]


def asked_beside(said: Sentence, place: int) -> str:
    """Return what the told words ask in the clause of a place; in one without, all that is asked.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> role = '{eval}`says("one", %s)`'
        >>> (two,) = sentences(f"The first is {role % 'a[0]'}, the last {role % 'a[-1]'} again.")
        >>> asked_beside(two, 4), asked_beside(two, len(two.text) - 8)
        ('a[0]', 'a[-1]')
    """
    here = next(clause for clause in clauses(said) if place in clause)
    near = [mark.target for mark in said.told if mark.start in here]
    return " , ".join(near or [mark.target for mark in said.told])


def pieces_of(expression: str) -> set[str]:
    """Return the words that names and texts in an expression are made of."""
    return {*re.findall(r"[a-z]+", expression.lower())}


def phrases_of(said: Sentence) -> dict[str, bool]:
    """Return what says the predicates that a sentence's words ask, and the parts of the zoo.

    True stands for those of a predicate: a "not" before these is asked.
    """
    found = dict[str, bool]()
    for mark in said.marks:
        name, _, parts = mark.target.partition(";")
        if mark.role == "word" and (asked := PREDICATES.get(name.strip())):
            for part in map(str.strip, parts.split(",")):
                words = PARTS[part].words if part in PARTS else ()
                found = dict.fromkeys(map(plain, words), False) | found
            found |= dict.fromkeys(map(plain, (*asked.words, *asked.contrary)), True)
    return found


def judged(said: Sentence, negation: re.Match[str], phrases: dict[str, bool]) -> bool:
    """Whether a negation is part of the question that a word asks of the zoo.

    It stands beside the word ("not always"), before what says the predicate, or inside of that.
    """
    start, end = negation.span()
    for mark in said.marks:
        between = said.text[end : mark.start] if end <= mark.start else said.text[mark.end : start]
        if mark.role == "word" and not between.strip():
            return True
    next_word = min((mark.start for mark in said.marks if mark.start >= end), default=None)
    text, behind = plain(said.text), plain(said.text[start:next_word])
    start = len(plain(said.text[:start]))
    return any(
        (predicate and re.match(rf"\S+(?: \w+){{0,3}} {re.escape(phrase)}(?!\w)", behind))
        or any(of.start() <= start < of.end() for of in re.finditer(re.escape(phrase), text))
        for phrase, predicate in phrases.items()
    )
