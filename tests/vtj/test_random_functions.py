"""No false alarm over drawn functions, and hardly a wrong entry that slips through.

DRAWN in the environment says how many are drawn: 300 with every change, 2,000 now and then.
"""

import os

import numpy as np
import pytest
import torch

import vtj
from tests.vtj.random_functions import Drawn, drawn
from vtj.oracle.tolerance import RELATIVE, SAFETY

COUNT = int(os.environ.get("DRAWN", "300"))


@pytest.fixture(scope="module")
def seen() -> dict[str, list[tuple[Drawn, vtj.Report]]]:
    reports: dict[str, list[tuple[Drawn, vtj.Report]]] = {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for seed in range(COUNT):
        f = drawn(seed)
        report = vtj.check(f, f.x)
        reports.setdefault(report.verdict, []).append((f, report))
    torch.set_num_threads(threads)
    return reports


def test_no_false_alarm(seen: dict[str, list[tuple[Drawn, vtj.Report]]]) -> None:
    assert sum(len(reports) for reports in seen.values()) == COUNT
    assert [(f, str(report)) for f, report in seen.get("wrong", [])] == []


def test_hardly_anything_is_undecided(seen: dict[str, list[tuple[Drawn, vtj.Report]]]) -> None:
    assert len(seen.get("undecided", [])) <= 0.02 * COUNT


def test_an_entry_off_by_ten_tolerances_is_caught(
    seen: dict[str, list[tuple[Drawn, vtj.Report]]],
) -> None:
    """J by hand is right but for one entry, off by ten times what the rule allows there.

    It is planted into every third function: each takes three times as long to judge as a right one.
    """
    generator = np.random.default_rng(0)
    caught = planted = 0
    tried = seen["correct"][::3]
    for f, report in tried:
        J = next(one for one in report.evidence.jacobian if one.family == "backward")  # noqa: N806
        entries = np.flatnonzero(np.isfinite(J.value) & (J.value != 0))
        if not entries.size:
            continue
        at = generator.choice(entries)
        allowed = RELATIVE[torch.float64] * abs(J.value) + SAFETY * np.broadcast_to(
            J.error, J.value.shape
        )
        wrong = J.value.copy()
        wrong.flat[at] += generator.choice([-10, 10]) * allowed.flat[at]
        shape = f(f.x).shape + f.x.shape
        again = vtj.check(f, f.x, jacobian=wrong.reshape(shape))
        planted += 1
        caught += again.culprit == "jacobian"
    assert planted >= 0.75 * len(tried)
    assert caught >= 0.95 * planted
