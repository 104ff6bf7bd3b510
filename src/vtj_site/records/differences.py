"""What changed between neighboring releases of the record of gradients, in groups."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from vtj_site.outcomes.gradients import by_element, capability
from vtj_site.outcomes.operations import GROUPS
from vtj_site.records.changes import RECORDED, Key, Row, numbers, same, unpacked
from vtj_site.records.releases import adjacent

LEAVES = ("x", "z")
COTANGENTS = {
    "ones": "torch.ones_like(y)",
    "1, 2, 3, …": "torch.arange(1.0, y.numel() + 1).reshape(y.shape).to(y.dtype)",
    "zeros": "torch.zeros_like(y)",
}
# The processor decides these, in one release of torch: a singular matrix has no one answer, and
# LAPACK's rounding, which goes by the vectors it is given, picks one or refuses; `histc` words the
# sign of nan. Found by asking everything under MKL_CBWR and ATEN_CPU_CAPABILITY of each kind.
BY_PROCESSOR = {
    *((code, "singular") for code in ("x.pinverse()", "torch.linalg.cond(x)", "x.cholesky()")),
    ("torch.linalg.cholesky(x)", "singular"),
    *(("torch.linalg.cholesky(x,upper=True)", point) for point in ("singular", "defective")),
    *(("x.histc()", point) for point in ("nan", "two nan")),
    ("x.norm('nuc')", "equal rows"),
}
MISSING = re.compile(r"AttributeError: |TypeError: .*unexpected keyword")

# What an error's words name and another error of the same kind does not: a dtype, in any of its
# spellings since torch 1.0; what stands in quotation marks; a kernel or a function; a number.
NAMED = re.compile(
    r"""(?:torch\.)?\b(?:BFloat16|Half|Float|Double|Long|Byte|Complex\w*)(?:Tensor)?\b
    | (['"]) [\w. /]* \1
    | \b (?!\w*Error\b) [\w.]*_\w* | \b [\w.]+ (?=\(\)) | (?<=Error:\ ) [\w.]+ (?=:\ )
    | \[[^]]*\] | -?\b\d[\d.]*(?:e[-+]?\d+)?\b""",
    re.VERBOSE,
)


class Place(NamedTuple):
    """Where an operation changed: the values of its leaves, and the gradient of one of them."""

    leaf: str
    point: str  # its name; for an operation that goes element by element, empty
    values: tuple[str, ...]  # of the leaves, as lists
    before: str
    since: str

    def __str__(self) -> str:
        at = ", ".join(f"{leaf} = {each}" for leaf, each in zip(LEAVES, self.values, strict=False))
        at = f"{self.point}: {at}" if self.point else at
        before, since = self.before or "None", self.since or "None"
        return f"{at}: {self.leaf}.grad {before} → {since}"


class Change(NamedTuple):
    """One operation, or several alike, between two releases that were recorded one after the other.

    `kind` is "gradient", "taken", "refused", "new" or "wording"; `before` and `since` are the
    releases, and `texts` what they said where that is no gradient.
    """

    kind: str
    codes: tuple[str, ...]
    before: str
    since: str
    dtypes: tuple[str, ...]
    keys: tuple[Key, ...]
    places: tuple[Place, ...] = ()
    texts: tuple[str, str] = ("", "")

    @property
    def anchor(self) -> str:
        """The id of its row: its first question and the release, whatever other rows there are."""
        group, code, *asked = self.keys[0]
        words = [code] if self.kind == "gradient" else [code, *asked]
        text = " ".join([*words, self.since]).lower().replace("-", " minus ")
        text = re.sub(r"[^a-z0-9_]+", "-", text)  # x.norm(-inf) and x.norm(inf) differ by it
        start = "changed" if self.kind == "gradient" else self.kind
        return f"{start}-{group.replace(' ', '-')}-{text.strip('-')}"


@cache
def recorded() -> Mapping[str, Row]:
    """Return the recorded rows by release, oldest first."""
    return unpacked(json.loads(RECORDED.read_text(encoding="utf-8")))


def typed(code: str) -> str:
    """Return the code of an operation as a user types it.

    Examples:
        >>> typed("x.clamp(t(0.0),inf)")
        'x.clamp(torch.tensor(0.0), inf)'
        >>> typed("x@x.t()")
        'x @ x.t()'
    """
    return re.sub(r"(?<![.\w])t\(", "torch.tensor(", ast.unparse(ast.parse(code)))


def neighbors(series: str = "") -> list[tuple[str, str]]:
    """Return each recorded release after the one before it; of a series, as "1", if it is named."""
    of_series = f"{series}." if series else ""
    return [pair for pair in pairwise(recorded()) if pair[1].startswith(of_series)]


def changes(kind: str, series: str = "") -> list[Change]:
    """Return the changes of a kind, oldest release first; those of a series if it is named."""
    return [
        change for pair in neighbors(series) for change in between(*pair) if change.kind == kind
    ]


def row_of(words: str, code: str) -> str:
    """Return the id of the row that says since when an operation leaves another gradient.

    Raises:
        ValueError: if the words do not name the release of its last recorded change, or the two
            around it where releases in between were not run.

    Examples:
        >>> row_of("since torch 2.14.0", "x.clamp(0,1)")
        'changed-one-number-x-clamp-0-1-2-14-0'
        >>> row_of("between torch 2.8.0 and 2.10.0", "torch.atan2(x,z)")
        'changed-two-numbers-torch-atan2-x-z-2-10-0'
    """
    found = [change for change in changes("gradient") if code in change.codes]
    spans = [
        f"since torch {each.since}"
        if adjacent(each.before, each.since)
        else f"between torch {each.before} and {each.since}"
        for each in found
    ]
    if [words.lower()] != spans[-1:]:
        raise ValueError(
            f"{words!r} is not since when {code!r} leaves another gradient: expected the last of "
            f"its recorded changes: {'; '.join(spans) or 'none'}"
        )
    return found[-1].anchor


@cache
def between(before: str, after: str) -> tuple[Change, ...]:
    """Return what changed from one recorded release to another.

    Gradients are a change for each operation. What was taken or refused, came new or was worded
    otherwise is one change for all operations that say the same but for names and numbers.
    """
    old, new = recorded()[before].answers, recorded()[after].answers
    groups: dict[tuple[str, ...], list[Key]] = {}
    for key, text in old.items():
        if same(text, new[key], key.dtype):
            continue
        kind, alike = kind_of(text, new[key]), (pattern(text), pattern(new[key]))
        if kind == "gradient" and (key.code, key.point) in BY_PROCESSOR:
            continue
        if kind == "gradient":
            alike = (key.group, key.code)
        elif kind == "new":
            alike = ("", "")
        elif alike[0] == alike[1]:
            continue  # the name of a kernel, say
        groups.setdefault((kind, *alike), []).append(key)
    return tuple(_change(kind, keys, before, after) for (kind, *_), keys in groups.items())


def kind_of(before: str, since: str) -> str:
    """Return which kind of change leads from one answer to another.

    Examples:
        >>> kind_of("1 1", "0 1"), kind_of("1 1", "RuntimeError: no")
        ('gradient', 'refused')
    """
    had, has = numbers(before) is not None, numbers(since) is not None
    if had:
        return "gradient" if has else "refused"
    if MISSING.match(before) and not MISSING.match(since):
        return "new"
    return "taken" if has else "wording"


def pattern(text: str) -> str:
    """Return what errors of one kind have in common: their words without names and numbers.

    Examples:
        >>> pattern("RuntimeError: 'erf_cpu' not implemented for 'Half'")
        'RuntimeError: … not implemented for …'
        >>> pattern("0 1 1")
        ''
    """
    if numbers(text) is not None:
        return ""
    return re.sub(r"…(?:[ ,]*…)+", "…", NAMED.sub("…", " ".join(text.split())))


def _change(kind: str, keys: list[Key], before: str, after: str) -> Change:
    old, new = recorded()[before].answers, recorded()[after].answers
    codes = tuple(dict.fromkeys(key.code for key in keys))
    dtypes = tuple(dict.fromkeys(key.dtype for key in keys))
    if kind != "gradient":
        texts = (_common([old[key] for key in keys]), _common([new[key] for key in keys]))
        if len(codes) == 1 or kind == "new":
            texts = (old[keys[0]] or "no element", new[keys[0]] or "no element")
        return Change(kind, codes, before, after, dtypes, tuple(keys), texts=texts)
    chosen = [key for key in keys if (key.dtype, key.v) == (keys[0].dtype, keys[0].v)]
    places = [place for key in chosen for place in _places(key, old[key], new[key])]
    return Change(kind, codes, before, after, dtypes, tuple(chosen), tuple(places))


def _common(texts: list[str]) -> str:
    """Return what several operations said, as one text."""
    alike = len(set(texts)) == 1 and numbers(texts[0]) is None
    return texts[0] if alike else pattern(texts[0]) or "a gradient"


def _places(key: Key, before: str, since: str) -> list[Place]:
    """Return where two gradients differ, the elements alike together if each answers alone."""
    group = GROUPS[key.group]
    points = group.points[key.point]
    pairs = zip(before.split(" / "), since.split(" / "), strict=False)
    named = [(leaf, *pair) for leaf, pair in zip(LEAVES, pairs, strict=False)]
    if not group.elementwise:
        values = tuple(map(_literal, points))
        return [
            Place(leaf, key.point, values, old, new)
            for leaf, old, new in named
            if not same(old, new, key.dtype)
        ]
    alike: dict[tuple[str, str, str], list[int]] = {}
    for leaf, olds, news in named:
        for index, (old, new) in enumerate(zip(olds.split(), news.split(), strict=True)):
            if not same(old, new, key.dtype):
                alike.setdefault((leaf, old, new), []).append(index)
    return [
        Place(leaf, "", tuple(_literal([p[index] for index in where]) for p in points), old, new)
        for (leaf, old, new), where in alike.items()
    ]


def _literal(values: object) -> str:
    """Return numbers as Python reads them; inf and nan are names."""
    return str(values)


def script(change: Change) -> str:
    """Return a program that prints the gradients of the first place where an operation changed."""
    key, place = change.keys[0], change.places[0]
    code = typed(key.code)
    dtype = "" if key.dtype == "float32" else f", dtype=torch.{key.dtype}"
    if dtype:
        code = re.sub(r"torch\.tensor\(([^()]*)\)", rf"torch.tensor(\1{dtype})", code)
    leaves = dict(zip(LEAVES, place.values, strict=False))
    used = " ".join([code, *leaves.values()])
    lines = ["import torch"]
    if "F." in code:
        lines.append("import torch.nn.functional as F")
    names = [name for name in ("inf", "nan") if re.search(rf"\b{name}\b", used)]
    if names:
        lines.append(f"from math import {', '.join(names)}")
    lines += [
        f"{leaf} = torch.tensor({values}{dtype}, requires_grad=True)"
        for leaf, values in leaves.items()
    ]
    lines += [f"y = {code}", f"y.backward({COTANGENTS[key.v]})"]
    return "\n".join([*lines, *(f"print({leaf}.grad)" for leaf in leaves)])


def differences(answers: Mapping[Key, str], release: str) -> list[str]:
    """Return where answers are not those recorded of a release, one line each.

    What differs by the processor's vectors alone is no change: see `by_element`, `BY_PROCESSOR`.
    """
    row, origin = recorded()[release].answers, recorded()[release].origin
    other_processor = origin["capability"] != capability()
    return [
        f"{typed(key.code)} at {key.point}, {key.dtype}, v = {key.v}: "
        f"recorded {row.get(key, 'nothing')!r}, now {text!r}"
        for key, text in answers.items()
        if key not in row
        or not (
            same(row[key], text, key.dtype)
            or (other_processor and _of_other_vectors(key, row[key], text))
            or (key.code, key.point) in BY_PROCESSOR
        )
    ]


def _of_other_vectors(key: Key, before: str, since: str) -> bool:
    """Whether an element that differs gives both answers: each where it runs through other code."""
    was, now = numbers(before), numbers(since)
    if not GROUPS[key.group].elementwise or not was or not now or len(was) != len(now):
        return False
    ways = [by_element(key, copies) for copies in (1, 128)]
    return all(
        same(old, new, key.dtype)
        or all(any(same(each, way[index][leaf], key.dtype) for way in ways) for each in (old, new))
        for leaf, (olds, news) in enumerate(
            zip(before.split(" / "), since.split(" / "), strict=True)
        )
        for index, (old, new) in enumerate(zip(olds.split(), news.split(), strict=True))
    )


def died(release: str) -> list[Key]:
    """Return what a release's process died of, which cannot be asked within another program."""
    return [
        key
        for key, text in recorded()[release].answers.items()
        if text.startswith("the process died")
    ]


def unchanged() -> int:
    """Return how many operations left one gradient a point on all releases that gave any."""
    every, changed = set(), set()
    for key in next(iter(recorded().values())).answers:
        every.add((key.group, key.code))
        if (key.code, key.point) in BY_PROCESSOR:
            continue
        texts = [row.answers[key] for row in recorded().values()]
        given = [text for text in dict.fromkeys(texts) if numbers(text) is not None]
        if not all(same(given[0], text, key.dtype) for text in given[1:]):
            changed.add((key.group, key.code))
    return len(every - changed)


def warnings_changed(before: str, after: str) -> Iterable[tuple[str, str, list[str]]]:
    """Return the warnings that came or went between two releases, and the operations that warn."""
    old, new = recorded()[before].warnings, recorded()[after].warnings
    for message in sorted({*old, *new}):
        if (message in old) != (message in new):
            came = "came" if message in new else "went"
            yield came, message, new.get(message, old.get(message, []))
