"""What torch answers to the recorded questions, held against the release that the site is of.

`python -m tests.canary.questions` prints a finding a line, as JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.canary.findings import Finding, of_texts
from vtj_site.outcomes.since import answers
from vtj_site.records.history import NOT_ASKED
from vtj_site.records.releases import recorded

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


def main() -> None:
    """Print what differs."""
    rows = {row["torch"]: row["outcomes"] for row in recorded()}
    for finding in of_answers(rows[release_of_the_site()], answers()):
        print(json.dumps(finding, ensure_ascii=False))


if __name__ == "__main__":
    main()
