"""What torch answers to the recorded questions, held against the release that the site is of.

`python -m tests.canary.questions` prints a finding a line, as JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.canary.findings import Finding, of_texts
from vtj_site.outcomes import alone
from vtj_site.outcomes.operations import GROUPS
from vtj_site.outcomes.since import answers
from vtj_site.records import differences
from vtj_site.records.changes import Key, numbers, row, same
from vtj_site.records.history import NOT_ASKED
from vtj_site.records.releases import recorded

POINTS = 3
"""As many of those where an operation has changed as are named."""
CONSTRAINTS = Path(__file__).parents[2] / "conf" / "constraints.txt"


def release_of_the_site() -> str:
    """Return the release of torch whose outputs are approved and recorded."""
    (pinned,) = re.findall(r"^torch==(\S+)", CONSTRAINTS.read_text("utf-8"), re.MULTILINE)
    return str(pinned)


def of_answers(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Finding]:
    """Yield each question whose answer is another one.

    Examples:
        >>> [*of_answers({"a": "1", "b": "2"}, {"a": "1", "b": "3"})]
        [Finding(kind='answer', place='b', was='2', now='3')]
    """
    for question in was:
        before, after = was[question], now.get(question, NOT_ASKED)
        if before != after:
            yield of_texts(question, before, after)


def of_gradients(was: Mapping[Key, str], now: Mapping[Key, str]) -> Iterator[Finding]:
    """Yield each operation that is otherwise, with the first points where it is.

    Examples:
        >>> key = Key("one complex number", "x.abs()", "x", "complex64", "ones")
        >>> [finding] = of_gradients({key: "0 1 -1 1j"}, {key: "0 1 -1 2j"})
        >>> finding[1:]
        ('x.abs(), complex64, v: ones, at x = 1j', '1j', '2j')
    """
    told: set[tuple[str, str]] = set()
    for key, before in was.items():
        after, operation = now.get(key, NOT_ASKED), (key.group, key.code)
        if operation in told or same(before, after, key.dtype):
            continue
        told.add(operation)
        alone = GROUPS[key.group].elementwise
        point = key.point if alone else f"{key.group}, {key.point}"
        place = f"{differences.typed(key.code)}, {key.dtype}, v: {key.v}, at {point}"
        if alone and None not in (numbers(before), numbers(after)):
            one, other = before.split(), after.split()
            pairs = enumerate(zip(one, other, strict=True))
            at = [n for n, pair in pairs if not same(*pair, key.dtype)][:POINTS]
            leaves = GROUPS[key.group].points[key.point]
            points = (" ".join(str(leaf[n % len(leaf)]) for leaf in leaves) for n in at)
            place += " = " + ", ".join(dict.fromkeys(points))
            before, after = (" ".join(each[n] for n in at) for each in (one, other))
        yield of_texts(place, before, after)


def main() -> None:
    """Print what differs."""
    site = release_of_the_site()
    rows = {row["torch"]: row["outcomes"] for row in recorded()}
    was = differences.recorded()[site]
    now = row({}, {"answers": alone.answers(), "calls": alone.calls(), "capability": ""})
    found = [
        *of_answers(rows[site], answers()),
        *of_answers(was.calls, now.calls),
        *of_gradients(was.answers, now.answers),
    ]
    print()  # LAPACK prints too, and may not end its line
    for finding in found:
        print(json.dumps(finding, ensure_ascii=False))


if __name__ == "__main__":
    main()
