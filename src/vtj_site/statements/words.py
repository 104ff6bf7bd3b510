"""The words whose choice decides what is checked, and what each of them asks of the cases.

Take a predicate P and the part of the zoo that the sentence speaks of, in which P has an answer:

| meaning | holds if |
|---|---|
| all | P holds in each case |
| none | P holds in no case |
| only | P holds in no case outside of the part, and in some inside |
| unless | P holds in each case outside of the part, and not in each inside |
| some | P holds in some and not in others; of what a caller does: both go through |
| must | each case without P raises, and some with it does not; of what comes: as all |
| cannot | each case with P raises; of what comes: as none |

A verb can be marked too: "adds", "does not fill", or "has" in "has the shape of y". It says the
predicate, or its contrary, of each case; of what a caller does: that torch refuses the rest.
"""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from vtj_site.statements.asking import names, source
from vtj_site.statements.parts import OPPOSITE, PARTS
from vtj_site.statements.predicates import PREDICATES, Predicate

Meaning = Literal["all", "none", "only", "unless", "some", "must", "cannot"]
WORDS: dict[Meaning, tuple[str, ...]] = {
    "all": ("always", "every", "each", "all", "any", "both", "everything", "everywhere",
            "whenever", "the same"),
    "none": ("never", "no", "none", "nothing", "nobody", "nowhere", "neither"),
    "only": ("only", "alone"),
    "unless": ("unless", "except"),
    "some": ("may", "can", "might", "some", "sometimes"),
    "must": ("must", "needs", "has to", "have to"),
    "cannot": ("cannot", "can not"),
}  # fmt: skip
MEANING = {word: meaning for meaning, words in WORDS.items() for word in words}
WEAK = {"each", "any", "both", "some", "needs", "has to", "have to"}
"""May be computed, and may be typed: mostly they only count ("one weight for each element")."""
QUANTIFYING = (
    r"(?<!\bat )\ball(?![- ]ones|-| the same)|\bno(?! (?:longer|more|less|fewer|matter|doubt)\b)"
    r"|(?<!\bhow )(?<!\bas )\boften"
)
"""*All-ones*, *at all*, *all the same*, *no longer*, *how often* and the like do not quantify."""
FREQUENT = {"most", "mostly", "usually", "rarely", "seldom"}
"""With "often" they say how many, and of what nobody counted."""
VOCABULARY = (MEANING.keys() | FREQUENT) - WEAK - {"all", "no"}
"""Refused where they are typed bare in a statement, as are those that are `QUANTIFYING` there."""


AUXILIARY = re.compile(r"\b(?:is|are|was|were|be|has|have|does|do|gets|get|not)\b ?")
"""May be marked before the predicate's own words: "has" in "has the shape of y"."""
CLAUSE = re.compile(r"[;:] |, (?:and|but|so) ")
"""Where a clause ends: "v must have the shape of x, and x.grad has the shape of y" once held."""


OF_A_CALL = ("x", "y", "v", "j")
OF_Y = ("for a real y", "for a complex y", "with one element", "with several elements")
"""Parts whose words say something of `y`."""
PLACES = (
    (r"`([xvJ]|y)\.backward\(", "y"),
    (r"\.backward\(([xyvJ])\)", "v"),
    (r"Jacobian of `([xyvJ])`", "y"),
    (r"with respect to `([xyvJ])`", "x"),
    (r"derivatives of `([xyvJ])`", "y"),
    (r"Jacobian `([xyvJ])`", "J"),
    (r"weight for each element of `([xyvJ])`", "y"),
    (r"in the shape of `([xyvJ])`", "x"),
    (r"`([xyvJ])\.grad`", "x"),
)
"""Whose name stands where in a sentence about a call of the zoo."""


class MarkError(ValueError):
    """A mark cannot be judged: its word, its predicate, its part or its sentence does not fit."""


class Question(NamedTuple):
    """What a word on a page asks: whether something holds, in which part of the zoo."""

    word: str
    meaning: Meaning
    negated: bool  # "not always"
    predicate: Predicate
    contrary: bool  # whether the sentence says the predicate's contrary
    parts: tuple[str, ...]


def question(word: str, target: str, text: str, start: int, end: int) -> Question:
    """Read the question in a sentence whose marked word stands from `start` to `end`.

    Raises:
        MarkError: if the word, the predicate or a part is not known, or if the sentence does not
            say the predicate and the parts by one of their words.
    """
    name, _, said = (piece.strip() for piece in target.partition(";"))
    parts = tuple(filter(None, (part.strip() for part in said.split(","))))
    if name not in PREDICATES:
        raise MarkError(f"there is no predicate {name!r}: it may be {known(PREDICATES)}")
    if unknown := [part for part in parts if part not in PARTS]:
        raise MarkError(f"there is no part {unknown[0]!r}: it may be {known(PARTS)}")
    predicate = PREDICATES[name]
    meaning = MEANING.get(" ".join(word.lower().split()))
    before, after = plain(text[:start]), plain(text[end:])
    for part in parts:
        spoken(part, f"{before} {after}", predicate)
    negated = False
    if meaning is None:
        meaning = "must" if predicate.attempt else "all"
        contrary = polarity_of_verb(predicate, plain(word), before, after)
    else:
        negated = bool(re.search(r"\bnot\s*$", before))
        if meaning == "some" and (can_not := re.match(r"\s*not\b", after)):
            meaning, after = "cannot", after[can_not.end() :]
        contrary = polarity(predicate, meaning, before, after)
    looked_at = names(source(predicate.ask))
    for part in parts:
        looked_at |= names(part) | set(PARTS[part].holds.__code__.co_names)
    if blind := spoken_of(text) - looked_at:
        raise MarkError(
            f"the sentence speaks of {known(sorted(blind))}, and neither {predicate.name!r} nor a "
            "part of the zoo looks there"
        )
    missing = (names(f"{predicate.name} {parts}") & {*OF_A_CALL}) - spoken_of(text)
    if missing and spoken_of(text) and not re.search(r"\b(?:it|gradient)\b", plain(text)):
        raise MarkError(f"the sentence asks {predicate.name!r}, and does not name {known(missing)}")
    if strange := misplaced(text, parts, predicate):
        raise MarkError(f"{strange!r} names what does not belong there")
    return Question(word, meaning, negated, predicate, contrary, parts)


def misplaced(text: str, parts: Iterable[str], predicate: Predicate) -> str:
    """Return what else than `y` a sentence says to be real or complex, or to have elements.

    Or what stands in a place of the call, or of the Jacobian, that belongs to another name.

    Examples:
        >>> omits = PREDICATES["omits v"]
        >>> misplaced("If `v` has one element, you may omit `v`.", ["with one element"], omits)
        '`v` has one element'
        >>> misplaced("If `y` has one element, you may omit `v`.", ["with one element"], omits)
        ''
    """
    text = " ".join(text.replace("*", "").split())
    for said, right in PLACES:
        for found in re.finditer(said, text):
            if found[1] not in (right, *names(predicate.name) & {"y"}):
                return found[0]
    for words in sorted((*predicate.words, *predicate.contrary), key=len, reverse=True):
        said = re.sub(r"\b([xyv])\b", r"`?\1`?", re.escape(words))
        text = re.sub(rf"(?<!\w){said}(?!\w)", "#", text)
    for part in parts:
        for word in PARTS[part].words if part in OF_Y else ():
            named = rf"`(\w+)` (?:(?!and\b)\w+ ){{0,2}}{word}\b|\b{word} (?:in |of )?`(\w+)`"
            for found in re.finditer(named, text):
                if (found[1] or found[2]).lower() in {*OF_A_CALL} - {"y"}:
                    return found[0]
    return ""


def spoken_of(text: str) -> set[str]:
    """Return which of x, y, v and J a sentence names in code; code with a call in it is free.

    `x.grad` is free too, as what a call leaves.
    """
    code = " ".join(
        span for span in re.findall(r"`[^`]*`", text) if "(" not in span and span != "`x.grad`"
    )
    return {name for name in names(code) if len(name) == 1}


def polarity(predicate: Predicate, meaning: Meaning, before: str, after: str) -> bool:
    """Whether a sentence says the contrary of a predicate: by its words, or with "not".

    What else it says of the predicate, it says without a word: so it must agree with an *always*,
    and be the contrary of a *never*.
    """
    above, below = occurrences(predicate, before)[::-1], occurrences(predicate, after)
    found = [*below, *above]
    clause = CLAUSE.split(before)[-1], CLAUSE.split(after)[0]
    if re.match(r" not\b", after) and not occurrences(predicate, clause[1]):
        raise MarkError(f"a 'not' stands behind the mark, and {predicate.name!r} before it")
    if not any(occurrences(predicate, piece) for piece in clause):
        raise MarkError(
            f"the sentence does not say {predicate.name!r}: it may say {known(predicate.words)}"
            + (f", or the contrary: {known(predicate.contrary)}" if predicate.contrary else "")
        )
    first, *others = found
    if (meaning == "all" and (not first) in others) or (meaning == "none" and first in others):
        raise MarkError(f"the sentence says {predicate.name!r} twice, and not alike")
    return first


def polarity_of_verb(predicate: Predicate, verb: str, before: str, after: str) -> bool:
    """Whether a marked verb, with what follows it, says the contrary of a predicate."""
    said = {*map(plain, (*predicate.words, *predicate.contrary))}
    rest = AUXILIARY.sub("", verb)
    verbs = verb, verb.replace("not ", ""), rest
    if rest and not any(f"{each} ".startswith(f"{one} ") for each in said for one in verbs):
        raise MarkError(
            f"{verb!r} is no word that is computed: it may be {known(MEANING)}, or a verb that "
            f"says {predicate.name!r}: {known((*predicate.words, *predicate.contrary))}"
        )
    if occurrences(predicate, verb) and re.match(r" not\b", after):
        verb, after = f"not {verb}", after.removeprefix(" not")
    if not occurrences(predicate, CLAUSE.split(f"{verb}{after}")[0]):
        raise MarkError(
            f"from {verb!r} on the sentence does not say {predicate.name!r}: it may say "
            f"{known(predicate.words)}"
        )
    first, *others = occurrences(predicate, f"{before}{verb}{after}")
    if (not first) in others:
        raise MarkError(f"the sentence says {predicate.name!r} twice, and not alike")
    return first


def occurrences(predicate: Predicate, text: str) -> list[bool]:
    """Return for each place that says a predicate, in order, whether it says the contrary."""
    found = dict[int, tuple[int, bool, str]]()
    for words, contrary in ((predicate.words, False), (predicate.contrary, True)):
        for word in words:
            for place in re.finditer(rf"(?<!\w){re.escape(plain(word))}(?!\w)", text):
                longest = found.get(place.start(), (0, False, ""))
                found[place.start()] = max(longest, (len(word), contrary, text[: place.start()]))
    return [
        contrary != bool(re.search(r"(?:\bnot|n't|\bno longer)(?: \w+){0,3} $", before))
        for _, (_, contrary, before) in sorted(found.items())
    ]


def spoken(part: str, text: str, predicate: Predicate) -> None:
    """Raise MarkError unless a sentence says a part, and does not say another one in its words."""
    said = longest_parts(text)
    if part not in said:
        others = f", but {', '.join(map(repr, said))}" if said else ""
        raise MarkError(
            f"the sentence does not say {part!r}{others}: it may say {known(PARTS[part].words)}"
        )
    for words in sorted((*predicate.words, *predicate.contrary), key=len, reverse=True):
        text = text.replace(plain(words), "#")
    if (opposite := OPPOSITE.get(part)) in longest_parts(text):
        raise MarkError(f"the mark says {part!r}, and the sentence {opposite!r} too")


def longest_parts(text: str) -> list[str]:
    """Return the parts that a text says; "non-leaf" does not say "leaf"."""
    found = []
    words = [(word, name) for name, part in PARTS.items() for word in part.words]
    for word, name in sorted(words, key=lambda pair: -len(pair[0])):
        pattern = rf"(?<![\w-]){re.escape(plain(word))}(?![\w])"
        if re.search(pattern, text):
            found.append(name)
            text = re.sub(pattern, "#", text)
    return list(dict.fromkeys(found))


def plain(text: str) -> str:
    """Return a text without marks of code and emphasis, in small letters."""
    return " ".join(re.sub(r"[`*]", "", text).lower().split(" "))


def known(names: Iterable[str]) -> str:
    """Return names in quotation marks, for a message."""
    return ", ".join(repr(name) for name in names)
