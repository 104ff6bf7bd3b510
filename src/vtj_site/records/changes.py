"""What backward left for each operation, release by release: the record, packed and unpacked.

The standard library is all this needs, since `nox -s changes` runs it where no torch is installed.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

RECORDED = Path(__file__).with_name("changes.json")
SCHEMA = 1

# Relative and absolute, as torch.testing.assert_close allows by default, so that last digits are no
# change. Halves get 4 eps: scaled_dot_product_attention and corrcoef add up several roundings.
TOLERANCE = {
    "float16": (4e-3, 4e-3),
    "bfloat16": (3.2e-2, 3.2e-2),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
ORIGIN = ("torch", "python", "wheel", "sha256", "date", "capability")


class Key(NamedTuple):
    """A question: an operation of a group, a point, and the dtype and v that backward is given."""

    group: str
    code: str
    point: str
    dtype: str
    v: str


class Row(NamedTuple):
    """What one release answered, in full."""

    origin: dict[str, str]  # by the words of ORIGIN
    answers: dict[Key, str]
    calls: dict[str, str]  # of the table of outcomes
    warnings: dict[str, list[str]]  # the code that gave each

    @property
    def digest(self) -> str:
        """The SHA-256 of every answer."""
        every = [sorted(map(list, self.answers.items())), sorted(self.calls.items())]
        return hashlib.sha256(json.dumps([*every, self.warnings]).encode()).hexdigest()


def row(origin: dict[str, Any], asked: dict[str, Any]) -> Row:
    """Make a row of what `vtj_site.outcomes.alone` printed."""
    answers = {Key(*each[:5]): each[5] for each in asked["answers"]}
    warnings: dict[str, set[str]] = {}
    for _, code, *_, messages in asked["answers"]:
        for message in messages:
            warnings.setdefault(message, set()).add(code)
    return Row(
        {**origin, "capability": asked["capability"]},
        answers,
        asked["calls"],
        {message: sorted(codes) for message, codes in sorted(warnings.items())},
    )


def numbers(text: str) -> list[complex | None] | None:
    """Return the numbers of an answer, None between leaves; None for an error.

    Examples:
        >>> numbers("1 inf / 1-2j"), numbers("RuntimeError: no")
        ([(1+0j), (inf+0j), None, (1-2j)], None)
    """
    try:
        return [None if word == "/" else complex(word) for word in text.split()]
    except ValueError:
        return None


def same(one: str, other: str, dtype: str) -> bool:
    """Whether two answers are the same to a user: numbers within the dtype's tolerance.

    Examples:
        >>> same("0.33333333 nan", "0.33333334 nan", "float32"), same("1", "0", "float32")
        (True, False)
    """
    if one == other:
        return True
    first, second = numbers(one), numbers(other)
    if first is None or second is None or len(first) != len(second):
        return False
    return all(_close(*pair, *TOLERANCE[dtype]) for pair in zip(first, second, strict=True))


def _close(one: complex | None, other: complex | None, relative: float, absolute: float) -> bool:
    if one is None or other is None:
        return one is other
    parts = ((one.real, other.real), (one.imag, other.imag))
    size = max(abs(one), abs(other))
    # A part of a complex number may be small beside the other, whose rounding it then carries.
    within = absolute + relative * size if math.isfinite(size) else absolute
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= within for a, b in parts
    )


def packed(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the record of rows, oldest first: the newest in full, of others what differs.

    Each is compared with what the record says of the next newer one, so that small differences
    cannot add up. `questions` says what an operation's answers stand for, by their order. A number
    among them stands for an error of `errors`, and null for the same answer as the one before.

    Raises:
        ValueError: if the rows were not asked the same questions.
    """
    newest, *older = reversed(list(rows))
    errors: dict[str, int] = {}
    newer, releases = newest, [_release(newest, _full(newest, errors), newest.calls)]
    for each in older:
        if each.answers.keys() != newer.answers.keys():
            raise ValueError(
                f"torch {each.origin['torch']} was asked {len(each.answers)} questions, torch "
                f"{newer.origin['torch']} {len(newer.answers)}; expected the same: record it again"
            )
        kept = {
            key: newer.answers[key] if same(text, newer.answers[key], key.dtype) else text
            for key, text in each.answers.items()
        }
        each = each._replace(answers=kept)
        calls = {call: text for call, text in each.calls.items() if newer.calls[call] != text}
        releases.append(_release(each, _differing(each, newer, errors), calls))
        newer = each
    questions: dict[str, list[str]] = {}
    for key in newest.answers:
        asked = questions.setdefault(key.group, [])
        if _how(key) not in asked:
            asked.append(_how(key))
    content = {"questions": questions, "errors": list(errors), "releases": releases[::-1]}
    return {"schema": SCHEMA, **content}


def unpacked(record: dict[str, Any]) -> dict[str, Row]:
    """Return the rows of a record by release, oldest first.

    Raises:
        ValueError: if a row is not what its digest says, or the schema is another.
    """
    if record["schema"] != SCHEMA:
        raise ValueError(f"the record has schema {record['schema']}; expected {SCHEMA}")
    rows: list[Row] = []
    answers: dict[Key, str] = {}
    calls: dict[str, str] = {}
    for found in reversed(record["releases"]):
        answers = {**answers, **_answers(found["gradients"], record)}
        calls = {**calls, **found["calls"]}
        origin = {name: found[name] for name in ORIGIN}
        each = Row(origin, answers, calls, found["warnings"])
        if each.digest != found["digest"]:
            raise ValueError(
                f"torch {found['torch']}: the answers have digest {each.digest}, "
                f"recorded was {found['digest']}"
            )
        rows.append(each)
    return {each.origin["torch"]: each for each in reversed(rows)}


def in_lines(content: Any, level: int = 0) -> str:
    """Return JSON with a line for each entry down to an operation, and what it answered in one.

    Examples:
        >>> print(in_lines({"a": [{"b": {"c": {"d": [1, 2]}}}]}))
        {
         "a": [
          {
           "b": {
            "c": {
             "d": [1, 2]
            }
           }
          }
         ]
        }
    """
    if level == 5 or not content or not isinstance(content, dict | list):
        return json.dumps(content, ensure_ascii=False)
    start, end = "\n" + " " * (level + 1), "\n" + " " * level
    inside = (
        [
            f"{json.dumps(name, ensure_ascii=False)}: {in_lines(each, level + 1)}"
            for name, each in content.items()
        ]
        if isinstance(content, dict)
        else [in_lines(each, level + 1) for each in content]
    )
    left, right = "{}" if isinstance(content, dict) else "[]"
    return left + start + ("," + start).join(inside) + end + right


def _how(key: Key) -> str:
    return f"{key.point}; {key.dtype}; {key.v}"


def _release(row: Row, gradients: dict[str, Any], calls: dict[str, str]) -> dict[str, Any]:
    return {
        **row.origin,
        "digest": row.digest,
        "calls": calls,
        "warnings": row.warnings,
        "gradients": gradients,
    }


def _stored(text: str, errors: dict[str, int]) -> str | int:
    """Return gradients as they are, and for an error its number."""
    return text if numbers(text) is not None else errors.setdefault(text, len(errors))


def _full(row: Row, errors: dict[str, int]) -> dict[str, Any]:
    """Nest the answers by group and code, one after the other."""
    tree: dict[str, dict[str, list[str | int | None]]] = {}
    last = ""
    for key, text in row.answers.items():
        answers = tree.setdefault(key.group, {}).setdefault(key.code, [])
        answers.append(None if answers and text == last else _stored(text, errors))
        last = text
    return tree


def _differing(row: Row, newer: Row, errors: dict[str, int]) -> dict[str, Any]:
    """Nest what differs, by the number of the question; one text where all answers are the same."""
    every: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for key, text in row.answers.items():
        differs = newer.answers[key] != text
        every.setdefault((key.group, key.code), []).append((text, differs))
    tree: dict[str, Any] = {}
    for (group, code), answers in every.items():
        texts = {text for text, _ in answers}
        numbered = {
            str(number): _stored(text, errors)
            for number, (text, differs) in enumerate(answers)
            if differs
        }
        if numbered:
            all_alike = _stored(answers[0][0], errors) if len(texts) == 1 else numbered
            tree.setdefault(group, {})[code] = all_alike
    return tree


def _answers(tree: dict[str, Any], record: dict[str, Any]) -> dict[Key, str]:
    """Return the answers of a tree that `_full` or `_differing` made."""
    found = {}
    for group, codes in tree.items():
        for code, said in codes.items():
            keys = [Key(group, code, *how.split("; ")) for how in record["questions"][group]]
            numbered: Iterable[tuple[int, str | int | None]]
            if isinstance(said, dict):
                numbered = [(int(number), text) for number, text in said.items()]
            else:
                numbered = enumerate(said if isinstance(said, list) else [said] * len(keys))
            text = ""
            for number, stored in numbered:
                if stored is not None:
                    text = record["errors"][stored] if isinstance(stored, int) else stored
                found[keys[number]] = text
    return found
