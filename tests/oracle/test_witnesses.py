"""Who says what of J: the engines, the differences where they can tell, a person, and `.grad`."""

import torch

import vtj


def test_a_pole_is_not_taken_for_a_kink() -> None:
    report = vtj.check(lambda x: (1 / x).sum(), torch.tensor([0.0]))
    assert report.verdict == "undecided"
    assert report.findings[0] == "y is inf: there is no derivative"
    assert not any("kinks" in finding for finding in report.findings), str(report)
