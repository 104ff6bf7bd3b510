"""Words whose truth is in the values of the page's own cells: "twice", "zeros", "the first row".

`` `x.grad` is {eval}`says("twice", x.grad, once)` what one call leaves ``: the word is shown, and
chooses what the values have to fulfill, where the page stands. If they do not, the build fails with
the values. This is for what a page's own example shows; a sentence about all cases asks the zoo.

The first value is what the word is said of. What the words ask of it, or of it and a second one:

| words | hold if |
|---|---|
| of `TIMES` | it is so many times the second |
| of `NUMBERS` | each entry is that number; several values may be given |
| of `PLACES` | it is that part of the second |
| of `SUMS` | each entry is that of the second's entries, or of its rows |
| of `ORDER`, `OTHER` | it is larger or smaller, or another of one shape, entry by entry |
| of `HAS` | the second is in it, as words in a text; or it is between two numbers |
| of `CALLS` | it raises an error that says the second, or does not raise; of a list, each call |
| of `KINDS` | it is of that kind |
| of `SIGNS`, `VERDICTS` | its entries have that sign; a report says so |
| of `ANSWERS` | a fact is true or not; or it is the second, or another |
"""

import re
from collections.abc import Callable
from operator import contains, eq, gt, lt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TIMES = {
    "the same": 1, "equal": 1, "equals": 1, "is": 1, "are": 1, "gives": 1, "gets": 1, "holds": 1,
    "half": 1 / 2, "a quarter": 1 / 4, "twice": 2, "three times": 3, "four times": 4,
    "ten times": 10, "a hundred times": 100, "agree": 1, "doubled": 2, "leaves": 1, "stays": 1,
    "unchanged": 1,
    "minus": -1, "the opposite": -1, "with its sign turned": -1,
}  # fmt: skip
NUMBERS = {
    "nothing": 0, "zero": 0, "zeros": 0, "no": 0, "one": 1, "ones": 1, "a one": 1, "once": 1,
    "two": 2, "twos": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
PLACES: dict[str, Callable[[Array], Array]] = {
    "the first row": lambda whole: whole[0],
    "the second row": lambda whole: whole[1],
    "the last row": lambda whole: whole[-1],
    "the first column": lambda whole: whole[:, 0],
    "the second column": lambda whole: whole[:, 1],
    "the last column": lambda whole: whole[:, -1],
    "the diagonal": np.diag,
    "the first": lambda whole: whole[0],
    "the second": lambda whole: whole[1],
    "the last": lambda whole: whole[-1],
    "the transpose": np.transpose,
    "the other one": lambda two: two[::-1],
}
SUMS: dict[str, Callable[[Array], Array]] = {
    "the sum": np.sum,
    "the mean": np.mean,
    "the product": np.prod,
    "the sum of the columns": lambda rows: rows.sum(1),
    "the sum of the rows": lambda rows: rows.sum(0),
}
ORDER = {
    "above": gt, "after": gt, "grows": gt, "higher": gt, "more": gt, "larger": gt, "greater": gt,
    "rises": gt, "steeper": gt,
    "before": lt, "below": lt, "falls": lt, "fewer": lt, "less": lt, "lower": lt, "shrinks": lt,
    "smaller": lt,
}  # fmt: skip


def apart(value: Array, other: Array) -> Any:
    """Whether entries are others, by more than two ways to one number leave them."""
    if "f" in (value.dtype.kind, other.dtype.kind):
        return ~np.isclose(value, other, CLOSE, 0)
    return value != other


OTHER = {"other": apart, "another": apart, "different": apart, "as many": eq, "as much": eq}


def lacks(whole: Any, part: Any) -> bool:
    """Whether a text is without some words, or a list without an entry."""
    return part not in whole


def within(value: Any, ends: tuple[float, float]) -> bool:
    """Whether each entry lies between two numbers."""
    low, high = ends
    return bool(np.all((low <= number(value)) & (number(value) <= high)))


def outside(value: Any, ends: tuple[float, float]) -> bool:
    """Whether each entry lies below or above two numbers."""
    low, high = ends
    return bool(np.all((number(value) < low) | (high < number(value))))


HAS: dict[str, Callable[[Any, Any], bool]] = {
    "has": contains, "names": contains, "says": contains, "shows": contains,
    "lacks": lacks, "omits": lacks,
    "within": within, "outside": outside,
}  # fmt: skip


def refused(call: Any, message: str = "") -> bool:
    """Whether a call raises an error that says a message, or whether an exception does.

    Of a call the message is asked for: a name that is misspelt raises too. Of a list of calls each
    has to raise it.
    """
    if isinstance(call, list):
        return bool(call) and all(refused(each, message) for each in call)
    if isinstance(call, Exception):
        return message in str(call)
    try:
        call()
    except Exception as error:
        return message != "" and message in str(error)
    return False


def runs(call: Callable[[], Any] | list[Callable[[], Any]]) -> bool:
    """Whether a call, or each of a list, returns; its error says why it does not."""
    calls = call if isinstance(call, list) else [call]
    for each in calls:
        each()
    return bool(calls)


CALLS: dict[str, Callable[..., bool]] = {
    "raises": refused,
    "refused": refused,
    "refuses": refused,
    "runs": runs,
}
KINDS: dict[str, Callable[[Any], bool]] = {
    "none": lambda value: value is None,
    "a constant": lambda value: not value.requires_grad,
    "requires a gradient": lambda value: bool(value.requires_grad),
    "a leaf": lambda value: bool(value.is_leaf),
    "a non-leaf": lambda value: not value.is_leaf,
    "a row": lambda value: len(value.shape) == 2 and value.shape[0] == 1 < value.shape[1],
    "a tuple": lambda value: isinstance(value, tuple),
    "complex": lambda value: np.iscomplexobj(number(value)),
    "real": lambda value: not np.iscomplexobj(number(value)),
    "finite": lambda value: bool(np.isfinite(number(value)).all()),
    "infinite": lambda value: bool(np.isinf(number(value)).all()),
    "nan": lambda value: bool(np.isnan(number(value)).all()),
    "diagonal": lambda value: equal(number(value), np.diag(np.diag(number(value)))),
    "symmetric": lambda value: equal(number(value), number(value).T),
    "a column": lambda value: len(value.shape) == 2 and value.shape[1] == 1 < value.shape[0],
}
SIGNS: dict[str, Callable[[Any], bool]] = {
    "negative": lambda value: bool(np.all(number(value) < 0)),
    "positive": lambda value: bool(np.all(number(value) > 0)),
}
VERDICTS: dict[str, Callable[[Any], bool]] = {
    "correct": lambda report: report.verdict == "correct",
    "wrong": lambda report: report.verdict == "wrong",
    "undecided": lambda report: report.verdict == "undecided",
}
ANSWERS = {"Yes": True, "No": False}
"""What answers a question by one word, in these letters: "no" is a number too."""
OF_ONE = {**KINDS, **SIGNS, **VERDICTS}
TABLES: tuple[dict[str, Any], ...] = (
    TIMES, NUMBERS, PLACES, SUMS, ORDER, OTHER, HAS, CALLS, KINDS, SIGNS, VERDICTS, ANSWERS
)  # fmt: skip
WORDS = {word: meaning for table in TABLES for word, meaning in table.items()}
SAYS = re.compile(r'says\("(?P<word>[^"]+)", (?P<of>.+)\)$', re.DOTALL)
CLOSE = 1e-5
"""As far apart as float32 leaves two ways to one number: `torch.testing` allows 1.3e-6 a step."""


def says(word: str, value: Any, *others: Any) -> str:
    """Return a word, if it holds of values; tensors, arrays, numbers and lists are compared alike.

    Raises:
        AssertionError: if it does not hold.
        ValueError: if it is no word that is told from values.

    Examples:
        >>> says("twice", [2.0, 4.0], [1, 2])
        'twice'
        >>> says("the last row", [3, 4], [[1, 2], [3, 4]])
        'the last row'
        >>> says("No", [2.0, 4.0], [2, 5])
        'No'
        >>> says("half", [2.0, 4.0], [1, 2])
        Traceback (most recent call last):
        ...
        AssertionError: 'half' does not hold of [2.0, 4.0] and [1, 2]
    """
    meant = word if word in ANSWERS else word.lower()
    if meant not in WORDS:
        raise ValueError(f"{word!r} is not told from values: expected one of {', '.join(WORDS)}")
    if not holds(meant, value, *others):
        raise AssertionError(
            f"{word!r} does not hold of {' and '.join(map(repr, (value, *others)))}"
        )
    return word


def holds(word: str, value: Any, *others: Any) -> bool:
    """Whether a word holds of values."""
    if word in ANSWERS:
        return answers(ANSWERS[word], value, *others)
    if word in NUMBERS:
        return all(equal(number(each), NUMBERS[word]) for each in (value, *others))
    if word in CALLS:
        return CALLS[word](value, *others)
    if word in OF_ONE:
        return all(OF_ONE[word](each) for each in (value, *others))
    if len(others) != 1:
        raise ValueError(
            f"{word!r} compares two values; expected one more than {value!r}, came {len(others)}"
        )
    (other,) = others
    if word in HAS:
        return HAS[word](value, other)
    mine, against = number(value), number(other)
    if word in TIMES:
        return equal(mine, TIMES[word] * against)
    if word in SUMS:
        return equal(mine, SUMS[word](against))
    if word in PLACES:
        part = PLACES[word](against)
        return equal(mine, part)
    if word in OTHER:
        require_one_shape(mine, against)
    return bool(np.all({**ORDER, **OTHER}[word](mine, against)))


def answers(yes: bool, value: Any, *others: Any) -> bool:
    """Whether a fact is true, or not; with two values, whether they are equal, or others."""
    if not others:
        return equal(number(value), number(yes))
    (other,) = map(number, others)
    mine = number(value)
    require_one_shape(mine, other)
    return equal(mine, other) == yes


def require_one_shape(value: Array, other: Array) -> None:
    """Refuse values that are others by their shape, whatever they hold, but for one number.

    Raises:
        ValueError: if the shapes differ.
    """
    if other.ndim and value.shape != other.shape:
        raise ValueError(f"expected values of one shape, came {value.shape} and {other.shape}")


def number(value: Any) -> Array:
    """Return a value as an array; a TypeError says that it is none of numbers or names."""
    array = np.asarray(value.detach() if hasattr(value, "detach") else value)
    if array.dtype.kind == "O":
        raise TypeError(f"expected numbers, not {value!r}")
    return array


def equal(one: Any, other: Any) -> bool:
    """Whether numbers are as good as equal, and there are some; a single one is repeated.

    Names are compared too, for "the first" of them.
    """
    alike = np.ndim(other) == 0 or np.shape(one) == np.shape(other)
    kinds = {np.asarray(each).dtype.kind for each in (one, other)}
    if "U" in kinds or kinds <= {"i", "u"}:  # any two addresses in memory lie close
        return bool(alike and np.size(one) and np.all(one == other))
    return bool(alike and np.size(one) and np.allclose(one, other, CLOSE, CLOSE))


def negated(text: str, start: int, end: int) -> bool:
    """Whether a "not" stands beside the word from `start` to `end`: no value is asked for that.

    Examples:
        >>> negated("it is not twice", 10, 15), negated("it is twice", 6, 11)
        (True, False)
    """
    before = re.search(r"(?:\b(?:not|no|never)\b|n't)(?: \w+){0,3}\s*$", text[:start])
    return bool(before or re.match(r"\s*not\b", text[end:]))
