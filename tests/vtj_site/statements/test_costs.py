"""Words of cost, asked of recorded times; and what was recorded."""

import re
from typing import Any

import pytest

from tests.benchmarks import costs as timing
from tests.benchmarks.oracle import ratios
from vtj_site.records import timings
from vtj_site.statements.pages import timed
from vtj_site.statements.sentences import sentences

RATIOS = {10: 1.5, 100: 1.2, 1000: 1.0, 10000: 0.5, 100000: 0.45, 1000000: 0.4}
ROWS = [
    {"size": size, "milliseconds": [ratio, 1], "ratio": ratio, "again": 1 + 2 * (size == 1000000)}
    for size, ratio in RATIOS.items()
]
SUM = {"unit": "elements", "before": "", "first": "y.sum()", "second": "ones", "rows": ROWS}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The sum is {cost}`slower with 100 elements or fewer <TIMED>`.", ""),
        ("The sum is {cost}`faster with 10,000 elements <TIMED>` than ones.", ""),
        ("The sum takes {cost}`half the time with 10,000 elements <TIMED>`.", ""),
        ("The sum makes {cost}`no difference with 1,000 elements <TIMED>`.", ""),
        (
            "The sum is {cost}`faster <TIMED>`.",
            "\nones\n10 elements: 1.5 ms / 1 ms = 1.5 (to itself 1)",
        ),
        ("The sum is {cost}`faster with 10,000 elements or more <TIMED>`.", "(to itself 3)"),
        ("The sum is {cost}`slower with 1,000 elements or fewer <TIMED>`.", "= 1 ("),
        ("The sum is {cost}`faster with 100 elements <TIMED>`.", "\n100 elements: 1.2 ms / 1 ms"),
        ("The sum is {cost}`no difference with 100 elements or fewer <TIMED>`.", "= 1.2 ("),
        ("Ones are {cost}`slower with 10 elements <TIMED>`.", "expected 'sum' before"),
        ("Not the sum: ones are {cost}`slower with 10 elements <TIMED>`.", "expected 'sum'"),
        ("The sum is not {cost}`slower with 10 elements <TIMED>`.", "stands beside a 'not'"),
        ("The sum is {cost}`slower with 10 elements <TIMED>` not.", "stands beside a 'not'"),
        ("The sum is {cost}`slower with 20 elements <TIMED>`.", "was timed with [10, 100, 1000"),
        ("The sum is {cost}`slower with 10 samples <TIMED>`.", "1000000] elements"),
        ("The sum is {cost}`quicker <TIMED>`.", "'quicker' says nothing of cost that is checked"),
        ("The sum is {cost}`faster <sum>`.", "'sum' was not timed; expected one of ['sum against"),
    ],
)
def test_a_word_of_cost_is_asked_of_the_recorded_times(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timings, "recorded", lambda: {"comparisons": {"sum against ones": SUM}})
    (sentence,) = sentences(text.replace("TIMED", "sum against ones"))
    judged = timed(sentence.marks[0], sentence)
    assert said in judged.wrong
    assert bool(judged.wrong) == bool(said)
    assert said or judged.code.startswith("y.sum()\n# against\nones\n1")


def test_what_is_recorded_is_what_the_benchmark_runs() -> None:
    found: dict[str, Any] = timings.recorded()["comparisons"]
    for name, comparison in timing.COMPARISONS.items():
        rows = found[name].pop("rows")
        assert found[name] == {**comparison._asdict(), "sizes": [*comparison.sizes]}
        assert [row["size"] for row in rows] == [*comparison.sizes]
        found[name]["rows"] = rows
    assert [*found] == [*timing.COMPARISONS]
    assert re.match(r"20\d\d-\d\d-\d\d, .*, Python 3\..*, torch \d", timings.made_with())


def test_the_benchmark_times_both_ways_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratios, "BUDGET", 0)
    few = timing.Comparison("numbers", (3, 40), "x = list(range(n))", "sum(x * 300)", "sum(x)")
    rows = timing.timed(few)["rows"]
    assert [row["size"] for row in rows] == [3, 40]
    assert all(row["ratio"] > 2 > row["again"] and min(row["milliseconds"]) > 0 for row in rows)
