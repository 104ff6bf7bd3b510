"""The words around a computed one: what else they say has to be asked too.

`` With `keep` the last state is {eval}`says("larger", kept)` `` says more than its word tells. So
in such a sentence, outside of what is computed and of code:

- a negation ("not", "without", …) stands for a name that is asked and has that word in it, such as
  `without_graph`, and there are as many of these names as negations;
- a word with a contrary ("last", "column", "drops", …: see `contraries`) stands in a name that is
  asked, or is written as code writes it: "the first" as `[0]`; or it stands in the code that made
  what is asked, and no contrary of it does; a noun of the field ("gradient") in the line that first
  made that;
- a matrix that it names transposed, Aᵀ, is asked as `A.T`, and none that it does not;
- what it names in code stands in what is asked, if the page's cells have made it, or in the code
  that led to that; code of more than a name, `a - b`, stands there as it is;
- what it says runs or raises, `gradcheck`, is called there, where another call is asked beside it;
- a word with "un" before it, or without, stands so in what is asked;
- a class that it names (`Normal`), or a function, is asked, where another one of its family is that
  it does not name;
- a mode that it names, `no_grad` or `eval()`, is asked, where another one is; `forward` or
  `backward` is, where what is asked names the other one, or the code that led to it defines that;
- an option that it names, `detect=True`, has that value in what is asked, if it has one there;
  True, False or a number stands there, or in the code that led to that; a dtype does, if another
  one does; of a product of matrices, `J @ J.T`, the factors stand in what is asked in the same
  order;
- two of these, or two numbers, stand in the order in which they are asked;
- what is asked in one clause and said in another has not changed places with what is said there;
- before a word that compares ("larger", "twice", "the first row") stands something of the first
  value that is asked, if something of the second one does;
- behind the last word that is asked stands no clause that says something: no reason, no conclusion
  and nothing more (", since …", ": it …", ", and …"), unless it tells the reader what to do;
- a word in a name that is asked has no contrary in the sentence while it is not said itself;
- a formula with ∂ has a sign, + or −, that stands in what is asked, and the minus of that;
- no name stands in code twice: where one is mistaken for another, that one mostly does.

What is looked at is what is asked in their own clause, if something is. A word that is asked of the
zoo of cases is held to the first, the second and the last, and a "not" before its predicate is
asked.

So whoever puts in a "not", takes one out, turns such a word around, or names another variable
has to change what is asked, and that is computed.
"""

import ast
import re
from collections.abc import Iterator, Set
from contextlib import suppress
from functools import cache
from itertools import combinations, pairwise

from vtj_site.statements.cells import Cells
from vtj_site.statements.contraries import FIELD, NUMBERS, WRITTEN, alike, asked_as, rivals, stems
from vtj_site.statements.parts import PARTS
from vtj_site.statements.predicates import PREDICATES
from vtj_site.statements.sentences import CLAIM, QUOTED, Mark, Sentence, ordered
from vtj_site.statements.values import CALLS, HAS, ORDER, PLACES, SUMS, TIMES
from vtj_site.statements.words import plain

NEGATION = re.compile(
    r"\b(?:not|no|none|nothing|nobody|nowhere|never|neither|nor|without|cannot|\w+n't)\b"
    r"|\b(?:un|im)able\b",
    re.I,
)
MODES = (
    {"no_grad": "no_grad", "enable_grad": "enable_grad", "inference_mode": "inference"},
    {"eval()": "eval", "train()": "train"},
)
"""Modes of autograd, those of modules, and what stands for each in a name that is asked."""
PASS = re.compile(r"(?:.*\.)?(forward|backward)(?:\(.*\))?")
"""Code that names one of the two: alone, as an attribute, or called."""
NEGATING = {"not", "no", "never", "without", "nothing", "neither"}
"""What a name that is asked may have in it for one of these."""
WORD = re.compile(r"J·u|vᵀ·J|[A-Za-z][\w'-]*[\w]")
PRODUCT = re.compile(r"\b([A-Z])(?:(ᵀ)|·|`)")
"""A matrix in a formula, or as code; transposed, or not."""
COMPARING = {*ORDER, *PLACES, *SUMS, *(word for word, times in TIMES.items() if times != 1)}
"""Words told from values that are said of the first, and not of the second."""
GUESSED = re.compile(r"If you (?:said|expected|thought)\b[^:]*:")
"""What a reader may have said is nothing that the page says."""
LEADS = re.compile(
    r"[;:] |, (?=(?:and|but|so|since|for|because|which|where|as|though|while|whose)\b)"
)
"""Where a clause ends that says something by itself."""
BEHIND = re.compile(
    r"\W (?:and )?(?:since|because|so)\b(?! (?:that|is|are|does|do|says)\b)"
    r"|[;:] |, (?:and|but|while|though|which|as)\b"
)
"""Where a clause begins that gives a reason, draws a conclusion, or says something more."""
CONDITION = re.compile(
    r"(?:if|when|where|as|to|though|once|while|since|until|with)\b|[A-Z]\w+ing\b", re.I
)
FEW = 4
"""So many words say nothing by themselves: "What it was: …"."""
PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.grad)?")
ATTRIBUTE = re.compile(r"(?!torch\.)([a-z_]\w*)\.(?!grad\b)[a-z]\w*(?:\(\))?")
OPTION = re.compile(r"(\w+)=[\w\"]*")
CHOSEN = re.compile(r"\b(\w+)=(True|False|None|\"\w*\"|-?\d[\d.]*(?:e-?\d+)?)(?!\w)")
"""An option, and a value that is written out."""
DTYPES = {
    "bfloat16": r"bfloat16",
    "float16": r"(?<!b)float16|\bhalf\b",
    "float32": r"float32|\bfloat\(\)|\bsingle\b",
    "float64": r"float64|\bdouble\b",
}
"""How code says them."""
FACTORS = re.compile(r"[\w.]+(?: @ [\w.]+)+")
CALLED = re.compile(r"\b[A-Za-z]\w*(?:[._][a-z]\w*)+_?")
"""A name of three pieces, `torch.autograd.grad` or `clip_grad_norm_`, is that of a function."""
OF_GRAD = re.compile(r"gradient|\.grad\b")
COUNTED = {*NUMBERS.split(), "twenty"} - {"zero", "one"}
CLAUSE = re.compile(r"[;:,] ")
IDLE = frozenset(
    {"a", "after", "and", "as", "at", "both", "by", "for", "from", "in", "is", "it", "its"}
    | {"of", "on", "or", "the", "to", "with"}
)
"""Words that join the others in names: "of" in `of_sum`."""
OURS = {"torch", "vtj", "nn", "F", "self", "True", "False", "None", "x", "y", "v", "J"}
"""Names in code that have no other one beside them, or a rule of their own: `words.spoken_of`."""
CLASS = re.compile(r"(?<![\w\"])[A-Z][A-Za-z\d]*[a-z][A-Za-z\d]*(?!\w)")
NAMED = re.compile(r"(?<![\w.\"])[A-Za-z_]\w*(?![\w\"]|=[^=])")
"""The names in code, but for attributes, the names of arguments and a word in quotation marks."""


def names(expression: str) -> set[str]:
    """Return the variables of an expression.

    Examples:
        >>> sorted(names("w.grad, without_hook(x)"))
        ['w', 'without_hook', 'x']
    """
    tree = ast.parse(f"said({expression})")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"said"}


def hidden(said: Sentence) -> str:
    """Return a sentence with blanks in the place of code, of quotations and of what is computed."""
    text = list(said.text)
    spans = [*said.code, *((mark.start, mark.end) for mark in (*said.marks, *said.told))]
    spans += [found.span() for each in (QUOTED, GUESSED) for found in each.finditer(said.text)]
    for start, end in spans:
        text[start:end] = " " * (end - start)
    return "".join(text)


def said(sentence: Sentence, cells: Cells | None = None, above: int = 0) -> str:
    """Say all that is wrong with what stands around the computed words of a sentence, or "".

    `cells` are those of its page, where so many lines stand above what the sentence was read in.
    """
    return "; ".join(complaints(sentence, cells or Cells(), sentence.line + above))


def complaints(said: Sentence, cells: Cells, line: int) -> Iterator[str]:
    """Say what a sentence with computed words says beside them, and nobody asks."""
    asked = " , ".join(mark.target for mark in said.told)
    try:
        named = {name for mark in said.told for name in names(mark.target)}
    except SyntaxError as error:
        yield f"{asked}: {error.msg}"
        return
    text, phrases = hidden(said), phrases_of(said)
    if said.told and not WORD.search(text) and not said.named:  # `Yes.`: nothing is around it
        return
    found = [each[0] for each in NEGATION.finditer(text) if not judged(said, each, phrases)]
    negating = [name for name in sorted(named) if negates(name)]
    if len(found) != len(negating):
        yield (
            f"{', '.join(map(repr, found)) or 'no negation'} stands in the sentence, and "
            f"{', '.join(negating) or 'no name with one'} in what is asked: put it into the word, "
            "or ask for it by a name that has it, or say less"
        )
    of_zoo = pieces_of(" ".join([*phrases, *(mark.target for mark in said.marks)]))
    spoken = pieces_of(said.text)
    for each in WORD.finditer(text):
        of_clause = asked_beside(said, each.start())
        forms, others = stems(each[0]), rivals(each[0])
        word = each[0].lower()  # "padded" of `of_unpadded_mean`
        turned = word.removeprefix("un") if word.startswith("un") else f"un{word}"
        asked_for = {*re.findall(r"[a-z]+", of_clause.lower())}
        if turned in asked_for and word not in asked_for and word not in of_zoo:
            yield f"{each[0]!r} stands in the sentence, and {turned!r} in what is asked"
        if forms & of_zoo or not (others or asked_as(each[0])):
            continue
        pieces, made = pieces_of(of_clause), pieces_of(cells.behind(of_clause, line, 1))
        against = [group for group in others if {*group} & pieces and not {*group} & spoken]
        if not asked_as(each[0]):
            own = forms & {*WRITTEN}
            against += [g for g in others if own and written_in(of_clause, {*g})]
            refused = bool(against) and not (alike(each[0]) & pieces or written_in(of_clause, own))
        else:
            same = {asked_as(each[0]), *alike(each[0])}
            asks = bool(same & pieces) or written_in(of_clause, same)
            if same & FIELD and not each[0].endswith(("ed", "ing")):  # "weighted" is no weight
                led_to = born_as(cells.born(of_clause, line), same)
            else:
                led_to = bool(forms & made) and not any({*group} & made for group in others)
            refused = bool(against) or not (asks or led_to)
        if refused:
            yield (
                f"{each[0]!r} has a contrary, and what is asked does not name it: put it into the "
                "word, or ask for it by a name that has it, or say less"
            )
    yield from transposed(said)
    yield from other_options(said, cells, line)
    yield from other_products(said)
    yield from in_place_of(said)
    yield from other_functions(said, cells, line)
    yield from other_modes(said)
    yield from other_code(said, cells, line)
    yield from other_methods(said, cells, line)
    plain_names = [code for _, code in said.named if PLAIN.fullmatch(code)]
    for code in sorted({code for code in plain_names if plain_names.count(code) > 1}):
        yield f"the sentence names {code!r} twice: is one of them something else?"
    if not said.told:
        yield from unasked_options(said, of_zoo)
        return
    yield from changed_places(said, text)
    yield from against_names(said, named)
    yield from other_signs(said, text)
    if said_before := leading(said, text):
        yield f"{said_before!r} says something by itself, and nothing is asked there: say less"
    if more := trailing(said, text):
        yield f"{more!r} says something by itself, and nothing is asked there or behind it"
    for mark in said.told:
        yield from out_of_order(said, mark, text)
        yield from of_another(said, mark, text)
    behind = f"{asked}\n{cells.behind(asked, line)}"
    shown = " ".join(mark.target for mark in said.told if mark.word.lower() in HAS)
    yield from other_dtypes(said.text, shown if dtypes(shown) else behind)
    for start, code in said.named:
        of_clause = asked_beside(said, start)
        behind = f"{of_clause}\n{cells.behind(of_clause, line)}"
        of_code = OURS | pieces_of(behind) | {*re.findall(r"\w+", behind)}
        of_code |= {"backward", "grad"} if OF_GRAD.search(behind) else set()
        for name in dict.fromkeys(NAMED.findall(code)):
            of_grad = OF_GRAD.search(said.text)
            if name in cells.names and not asks_of(of_clause, name, code, of_grad):
                yield (
                    f"the sentence names {name!r}, which the page's cells have made, and what is "
                    f"asked there does not: {of_clause}"
                )
        if any(mark.word in CALLS and mark.target in of_clause for mark in said.told):
            elsewhere = {*re.findall(r"\w+", asked)} - {*re.findall(r"\w+", of_clause)}
            for name in sorted(elsewhere & {*re.findall(r"\w+", code)} - cells.names - OURS):
                yield f"the sentence names {name!r}, and what runs there is {of_clause}"
        of = ATTRIBUTE.fullmatch(code)
        above = f"{asked} {said.text[:start]} {behind if code.endswith('()') else ''}"
        another = of and re.search(rf"(?<!\w){of[1]}\.", asked)
        if of and another and code.removesuffix("()") not in above:
            yield f"the sentence names {code!r}, and what is asked another part of {of[1]!r}"
        for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", code)):
            alone = re.search(rf"(?<![\w.]){name}\b", code)  # and not as an attribute: `.data`
            if name not in (of_code | cells.names if alone else of_code):
                yield (
                    f"the sentence names {name!r}, and neither what is asked nor the code that "
                    f"made it does: {of_clause}"
                )


def against_names(said: Sentence, named: Set[str]) -> Iterator[str]:
    """Say which words of names that are asked a sentence does not say, but a contrary of them.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'With %s, it is {eval}`says("zero", slope_when_detached)`.'
        >>> (right,) = sentences(asked % "`v` detached")
        >>> (wrong,) = sentences(asked % "`v` attached")
        >>> [*against_names(right, {"slope_when_detached"})]
        []
        >>> [*against_names(wrong, {"slope_when_detached"})]
        ["'attached' stands in the sentence, and slope_when_detached in what is asked"]
    """
    spoken = {form: word for word in re.findall(r"[A-Za-z]+", said.text) for form in stems(word)}
    for name in sorted(named):
        for piece in re.findall(r"[a-z]{4,}", name.lower()) if "_" in name else ():
            others = {each for group in rivals(piece) for each in group}
            # a number may stand in the name of a function: `three_outputs`
            if not alike(piece) & {*spoken} and "two" not in others:
                for word in sorted({spoken[each] for each in others & {*spoken}}):
                    yield f"{word!r} stands in the sentence, and {name} in what is asked"


def other_signs(said: Sentence, text: str) -> Iterator[str]:
    """Say which signs of a formula in a sentence what is asked lacks, and a minus that it has.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'A·J %s ∂F/∂x is {eval}`says("zero", A @ J + of_x)`.'
        >>> (right,), (wrong,) = sentences(asked % "+"), sentences(asked % "−")
        >>> [*other_signs(right, hidden(right))]
        []
        >>> [*other_signs(wrong, hidden(wrong))]
        ['the formula has −, and what is asked none']
    """
    if "∂" not in text:
        return
    asked = " , ".join(mark.target for mark in said.told)
    operators = {type(node) for node in ast.walk(ast.parse(f"said({asked})"))}
    for sign, types in (("+", {ast.Add}), ("−", {ast.Sub, ast.USub})):
        if sign in text and not types & operators:
            yield f"the formula has {sign}, and what is asked none"
    if ast.USub in operators and not re.search("−|minus", said.text):
        yield "the formula has no −, and what is asked one"


def transposed(said: Sentence) -> Iterator[str]:
    """Say which matrices a sentence names transposed, or not, and what is asked has otherwise."""
    for place in PRODUCT.finditer(said.text):
        name, turned = place[1], bool(place[2])
        of_clause = asked_beside(said, place.start())
        ways = {way for way in (True, False) if written_as(of_clause, name, turned=way)}
        if turned and True not in ways:
            yield f"the sentence names '{name}ᵀ', and what is asked has no {name}.T"
        if ways == {True} and not turned:
            yield f"the sentence names {name!r}, and what is asked has {name}.T alone"


def written_as(expression: str, name: str, *, turned: bool) -> bool:
    """Whether an expression has a matrix transposed, or as it is."""
    how = r"\.(?:m?T\b|t\(\))" if turned else r"\b(?!\.(?:m?T\b|t\(\)))"
    return bool(re.search(rf"(?<![\w.]){name}{how}", expression))


def other_options(said: Sentence, cells: Cells, line: int) -> Iterator[str]:
    r"""Say which options a sentence names with a value, where what is asked has another one.

    For True and False the code that led to it is looked at where it has none, and has to have one.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'With `%s`, it is {eval}`says("one", after_retain_graph)`.'
        >>> (right,) = sentences(asked % "retain_graph=True")
        >>> (wrong,) = sentences(asked % "retain_graph=False")
        >>> code = "after_retain_graph = memory_of(loss.backward(retain_graph=True))"
        >>> cells = Cells("```{code-cell} python\n" + code + "\n```\n")
        >>> [*other_options(right, cells, 9)], [*other_options(wrong, cells, 9)]
        ([], ["the sentence names 'retain_graph=False', and what is asked has True there"])
    """
    for start, code in said.named:
        for option in CHOSEN.finditer(code):
            of_clause = asked_beside(said, start)
            flag = option[2] in {"True", "False"} or option[2][0].isdigit()
            values = chosen(of_clause, option[1])
            if flag and not values:
                values = chosen(cells.behind(of_clause, line), option[1])
            if values and option[2] not in values:
                asked = ", ".join(sorted(values))
                yield f"the sentence names {option[0]!r}, and what is asked has {asked} there"
            elif flag and not values and said.told:
                yield (
                    f"the sentence names {option[0]!r}, and neither what is asked nor the code "
                    f"that made it does: {of_clause}"
                )


def chosen(code: str, option: str) -> set[str]:
    """Return the values that code chooses for an option."""
    code = re.sub(r"^ *def .*:$", "", code, flags=re.M)
    return {each[2] for each in CHOSEN.finditer(code) if each[1] == option}


def other_products(said: Sentence) -> Iterator[str]:
    """Say which products of matrices a sentence names where the same ones are asked otherwise.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'It {eval}`says("is", of_J, J @ J.T)` `%s`.'
        >>> (right,), (wrong,) = sentences(asked % "J @ J.T"), sentences(asked % "J.T @ J")
        >>> [*other_products(right)], [*other_products(wrong)]
        ([], ["the sentence names 'J.T @ J', and what is asked 'J @ J.T'"])
    """
    for start, code in said.named:
        of_clause = asked_beside(said, start)
        if code in of_clause or not FACTORS.fullmatch(code):
            continue
        for asked in (found[0] for found in FACTORS.finditer(of_clause)):
            if factors(code) == factors(asked):
                yield f"the sentence names {code!r}, and what is asked {asked!r}"


def factors(product: str) -> list[str]:
    """Return the names in a product, in the order of the alphabet."""
    return sorted(re.findall(r"[A-Za-z_]\w*", product))


def dtypes(code: str) -> list[str]:
    """Return the dtypes that code names."""
    return [name for name, pattern in DTYPES.items() if re.search(pattern, code)]


def other_dtypes(text: str, behind: str) -> Iterator[str]:
    """Say which dtypes a sentence names where the code behind it has others alone.

    Examples:
        >>> [*other_dtypes("It is in float16.", "gap(x.half(), x)")]
        []
        >>> [*other_dtypes("It is in float16.", "gap(x.bfloat16(), x)")]
        ["the sentence names 'float16', and what is asked bfloat16"]
    """
    made = dtypes(behind)
    for name in DTYPES.keys() - {*made}:
        if made and re.search(rf"(?<!\w){name}\b", text):
            yield f"the sentence names {name!r}, and what is asked {', '.join(made)}"


def in_place_of(said: Sentence) -> Iterator[str]:
    """Say which classes a sentence names where what is asked has others, not named.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = '`%s` has {eval}`says("no", Categorical.has_rsample)` `rsample`.'
        >>> (right,), (wrong,) = sentences(asked % "Categorical"), sentences(asked % "Normal")
        >>> [*in_place_of(right)], [*in_place_of(wrong)]
        ([], ["the sentence names 'Normal', and what is asked Categorical"])
    """
    spoken = spoken_in(said.text)
    for start, code in said.named:
        asked = asked_beside(said, start)
        others = {each for each in {*CLASS.findall(asked)} - OURS if not stems(each) & spoken}
        named = {*CLASS.findall(code)} - OURS
        for name in sorted(each for each in named if not stems(each) & spoken_in(asked)):
            if others:
                yield f"the sentence names {name!r}, and what is asked {', '.join(sorted(others))}"


def other_functions(said: Sentence, cells: Cells, line: int) -> Iterator[str]:
    """Say which functions a sentence names where what is asked has another one of their family.

    Its name has one other piece, as in `torch.autograd.grad` for `torch.autograd.backward`; or what
    is asked has that piece, as `by_norm` has of `clip_grad_norm_`.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'It {eval}`says("has", source, "torch.func.vjp(f)")` `torch.func.%s`.'
        >>> (right,), (wrong,) = sentences(asked % "vjp"), sentences(asked % "jvp")
        >>> [*other_functions(right, Cells(), 1)], [*other_functions(wrong, Cells(), 1)]
        ([], ["the sentence names 'torch.func.jvp', and what is asked torch.func.vjp"])
    """
    for start, code in said.named:
        of_clause = asked_beside(said, start)
        behind, pieces = cells.behind(of_clause, line), {*re.findall(r"[a-z]+", of_clause.lower())}
        mine = CALLED.match(code)
        if not mine or mine[0] in of_clause:
            continue
        found = CALLED.findall(f"{of_clause}\n{behind}")
        for other in dict.fromkeys(name for full in found for name in (full, full.split(".")[-1])):
            one, apart = other_piece(mine[0], other)
            asked = other in of_clause or (apart in pieces and one not in pieces)
            if apart and asked and other not in said.text:
                yield f"the sentence names {mine[0]!r}, and what is asked {other}"


def other_modes(said: Sentence) -> Iterator[str]:
    """Say which modes a sentence names where what is asked names another one.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'Under `%s`, it is {eval}`says("zero", found_under_inference)`.'
        >>> (right,), (wrong,) = sentences(asked % "inference_mode"), sentences(asked % "no_grad")
        >>> [*other_modes(right)], [*other_modes(wrong)]
        ([], ["the sentence names 'no_grad', and what is asked inference"])
    """
    for start, code in said.named:
        of_clause = asked_beside(said, start)
        for modes in MODES:
            asked = [piece for piece in modes.values() if piece in of_clause]
            for mode, piece in modes.items():
                if mode in code and asked and piece not in asked:
                    yield f"the sentence names {mode!r}, and what is asked {' and '.join(asked)}"


def other_code(said: Sentence, cells: Cells, line: int) -> Iterator[str]:
    r"""Say which code of a sentence, of more than a name, neither is asked nor has led to that.

    What it names may be asked all the same: `a + b` where `a - b` is.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'It {eval}`says("is", w.grad, a - b)` `%s`.'
        >>> (right,), (wrong,) = sentences(asked % "a - b"), sentences(asked % "a + b")
        >>> cells = Cells("```{code-cell} python\na, b = f()\n```\n")
        >>> [*other_code(right, cells, 9)], [*other_code(wrong, cells, 9)]
        ([], ["the sentence says 'a + b', and neither what is asked nor the code behind it does"])
    """
    guessed = [range(*found.span()) for found in GUESSED.finditer(said.text)]
    for start, code in said.named if said.told else ():
        with suppress(SyntaxError):
            tree = ast.parse(code, mode="eval")
            of_cells = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & cells.names
            of_clause = asked_beside(said, start)
            behind = in_tokens(f"{of_clause} {cells.behind(of_clause, line)}")
            a_name = re.fullmatch(r"\w+(?:\.grad)?", code) or any(start in each for each in guessed)
            if of_cells and not a_name and in_tokens(code.removesuffix("()")) not in behind:
                yield (
                    f"the sentence says {code!r}, and neither what is asked nor the code behind "
                    "it does"
                )


def in_tokens(code: str) -> str:
    """Return code with one blank between its tokens, before them and behind them."""
    return f" {' '.join(re.findall(r'[A-Za-z_0-9]+|[^A-Za-z_0-9 ]', ' '.join(code.split())))} "


def other_methods(said: Sentence, cells: Cells, line: int) -> Iterator[str]:
    r"""Say where a sentence names `forward` or `backward`, and what is asked could be of the other.

    It could if it does not name the one, and names the other, or code that led to it defines that.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> asked = 'It calls `Own.%s` {eval}`says("once", %s)`.'
        >>> (right,), (wrong,) = (
        ...     sentences(asked % ("backward", each)) for each in ("calls_of_backward", "calls")
        ... )
        >>> code = "def backward(v): ...\ncalls = calls_of_backward = count(backward, forward)"
        >>> code += "\ndef forward(x): ..."
        >>> cells = Cells("```{code-cell} python\n" + code + "\n```\n")
        >>> [*other_methods(right, cells, 9)], [*other_methods(wrong, cells, 9)]
        ([], ["the sentence names 'backward', and what is asked could be of forward: calls"])
    """
    for start, code in said.named if said.told else ():
        if named := PASS.fullmatch(code):
            of_clause = asked_beside(said, start)
            other = {"forward": "backward", "backward": "forward"}[named[1]]
            pieces, behind = pieces_of(of_clause), cells.behind(of_clause, line)
            could_be = other in pieces or re.search(rf"\bdef {other}\b", behind)
            if could_be and named[1] not in pieces:
                yield (
                    f"the sentence names {named[1]!r}, and what is asked could be of {other}: "
                    f"{of_clause}"
                )


def other_piece(name: str, other: str) -> tuple[str, str]:
    """Return the one piece in which two names of functions differ, or nothing.

    Examples:
        >>> other_piece("clip_grad_norm_", "clip_grad_value_"), other_piece("a.b", "a.b.c")
        (('norm', 'value'), ('', ''))
    """
    both = [re.split(r"[._]", each) for each in (name, other)]
    differing = [pair for pair in zip(*both, strict=False) if pair[0] != pair[1]]
    alike = both[0][0] == both[1][0] and len(both[0]) == len(both[1]) > 2
    return differing[0] if alike and len(differing) == 1 else ("", "")


def unasked_options(said: Sentence, asked: Set[str]) -> Iterator[str]:
    """Say which options of a call a sentence names, where its words of the zoo ask for none."""
    for _, code in said.named:
        option = OPTION.fullmatch(code)
        if option and not pieces_of(option[1]) <= asked:
            yield f"the sentence names {code!r}, and what is asked does not"


def written_in(expression: str, words: Set[str]) -> bool:
    """Whether an expression says one of these words as code does."""
    return any(re.search(WRITTEN[word], expression) for word in words & {*WRITTEN})


def born_as(made: str, words: Set[str]) -> bool:
    """Whether the code that made something says one of these nouns; a derivative is no other one.

    Examples:
        >>> born_as("g = torch.autograd.grad(loss, w)", {"gradient"})
        True
        >>> born_as("g = torch.autograd.grad(loss, w)", {"loss"})
        False
        >>> born_as("H = torch.func.hessian(loss)(w)", {"hessian"})
        True
    """
    named = bool(words & pieces_of(made)) or written_in(made, words)
    derivatives = {"gradient", "hessian"}
    return named and (bool(words & derivatives) or not written_in(made, derivatives))


def leading(said: Sentence, text: str) -> str:
    """Return a clause that stands before all that is asked, and says something by itself."""
    first, start = min(mark.start for mark in (*said.told, *said.marks)), 0
    for end in LEADS.finditer(text, 0, first):
        clause = text[start : end.start()]
        alone = len(said.text[start : end.start()].split()) > FEW and not CONDITION.match(
            said.text[start:]
        )
        if alone and CLAIM.search(clause) and not ordered(said.text[start : end.start()]):
            return said.text[start : end.start()]
        start = end.end()
    return ""


def trailing(said: Sentence, text: str) -> str:
    """Return a clause that stands behind all that is asked, and says something by itself.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> role = '{eval}`says("one", x)`'
        >>> bare, asked = sentences(
        ...     f"It is {role}, since the matrix is its own inverse. "
        ...     f"It is {role}, since the product is {role} as well."
        ... )
        >>> trailing(bare, hidden(bare)), trailing(asked, hidden(asked))
        ('since the matrix is its own inverse.', '')
    """
    last = max(mark.end for mark in (*said.told, *said.marks))
    for found in BEHIND.finditer(text, last):
        clause = said.text[found.start() + 2 :]
        says_something = len(clause.split()) > FEW and CLAIM.search(text, found.end())
        if says_something and not ordered(clause):
            return clause
    return ""


def out_of_order(said: Sentence, mark: Mark, text: str) -> Iterator[str]:
    """Say which words and names of a clause stand in what is asked there in another order."""
    here = next(clause for clause in clauses(said) if mark.start in clause)
    placed = list[tuple[int, int, str]]()
    for start, code in said.named:
        if start in here and PLAIN.fullmatch(code):
            whole = rf"(?<![\w.]){re.escape(code)}(?![\w(])"
            found = [each.start() for each in re.finditer(whole, mark.target)]
            placed += [(start, found[0], code)] if len(found) == 1 else []
    for word in WORD.finditer(text):
        if word.start() in here and len(word[0]) > 3:
            pieces = re.finditer(r"[a-z]+", mark.target.lower())
            found = [each.start() for each in pieces if stems(each[0]) & stems(word[0])]
            placed += [(word.start(), found[0], word[0])] if len(found) == 1 else []
    counted = list[tuple[int, int, str]]()
    for word in WORD.finditer(text):
        reached = word.start() in here or len(said.told) == 1
        if reached and word[0].lower() in COUNTED:
            found = [each.start() for each in re.finditer(WRITTEN[word[0].lower()], mark.target)]
            counted += [(word.start(), found[0], word[0])] if len(found) == 1 else []
    for (_, one, first), (_, other, second) in [
        *pairwise(sorted(placed)),
        *pairwise(sorted(counted)),
    ]:
        if one > other:
            yield f"{first!r} stands before {second!r}, and what is asked has them otherwise"


def changed_places(said: Sentence, text: str) -> Iterator[str]:
    """Say which words of two clauses are each asked for in the other one alone.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> one, two = '{eval}`says("one", of_sum)`', '{eval}`says("two", of_loss)`'
        >>> (right,) = sentences(f"It is {one} for the sum, {two} for a loss.")
        >>> (wrong,) = sentences(f"It is {one} for a loss, {two} for the sum.")
        >>> [*changed_places(right, hidden(right))], [*changed_places(wrong, hidden(wrong))]
        ([], ["'loss' stands beside of_sum, and 'sum' beside of_loss"])
    """
    found = []
    for clause in clauses(said):
        asked = " , ".join(mark.target for mark in said.told if mark.start in clause)
        words = WORD.finditer(text, clause.start, min(clause.stop, len(text)))
        if asked:
            found.append((asked, {word[0]: stems(word[0]) - IDLE for word in words}))
    for (one, first), (other, second) in combinations(found, 2):
        of_one, of_other = pieces_of(one), pieces_of(other)
        away = [word for word, forms in first.items() if forms & of_other - of_one]
        come = [word for word, forms in second.items() if forms & of_one - of_other]
        if away and come:
            yield f"{away[0]!r} stands beside {one}, and {come[0]!r} beside {other}"


def of_another(said: Sentence, mark: Mark, text: str) -> Iterator[str]:
    """Say what stands before a word that compares and is of the second value alone."""
    values = ast.parse(f"said({mark.target})", mode="eval").body
    assert isinstance(values, ast.Call)
    if mark.word.lower() not in COMPARING or len(values.args) != 2:
        return
    first, second = (spoken_in(ast.unparse(each)) for each in values.args)
    before = range(next(each for each in clauses(said) if mark.start in each).start, mark.start)
    spoken = {word[0]: stems(word[0]) for word in WORD.finditer(text) if word.start() in before}
    code = " ".join(code for start, code in said.named if start in before)
    spoken |= {name: frozenset({name}) for name in NAMED.findall(code)}
    if not any(forms & first - second for forms in spoken.values()):
        for word, forms in spoken.items():
            if forms & second - first:
                yield (
                    f"{word!r} stands before {mark.word!r}, which is said of "
                    f"{ast.unparse(values.args[0])}"
                )


def spoken_in(expression: str) -> frozenset[str]:
    """Return the names in an expression, and the words that they are made of."""
    words = {*re.findall(r"\w+", expression)}
    return pieces_of(expression) | words | {*map(str.lower, words)}


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
    """Return what the told words ask in the clause of a place; in one without, in those beside it.

    Examples:
        >>> from vtj_site.statements.sentences import sentences
        >>> role = '{eval}`says("one", %s)`'
        >>> (two,) = sentences(f"The first is {role % 'a[0]'}, the last {role % 'a[-1]'} again.")
        >>> asked_beside(two, 4), asked_beside(two, len(two.text) - 8)
        ('a[0]', 'a[-1]')
    """
    ends = clauses(said)
    here = next(number for number, clause in enumerate(ends) if place in clause)
    asked = [[mark.target for mark in said.told if mark.start in clause] for clause in ends]
    above = next(filter(None, reversed(asked[:here])), [])
    below = next(filter(None, asked[here:]), [])
    return " , ".join(asked[here] or [*above, *below])


@cache
def pieces_of(expression: str) -> frozenset[str]:
    """Return the words that names and texts in an expression are made of, and their stems."""
    words = re.findall(r"non-leaf|j·u|vᵀ·j|[a-z]+", expression.lower().replace(".values()", ""))
    return frozenset(stem for word in words for stem in stems(word))


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
