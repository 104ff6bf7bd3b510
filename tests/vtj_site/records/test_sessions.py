"""What the checks cost: sessions that exist, each with its time or with why there is none."""

import re

from vtj_site.records import mutants, sessions
from vtj_site.records.extent import ROOT


def test_each_recorded_session_exists() -> None:
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    for what, _, _ in sessions.costs():
        if found := re.match(r"nox -s ([\w-]+)", what):
            assert f"def {found[1].replace('-', '_')}(" in noxfile, what


def test_a_time_that_no_record_holds_is_said_to_be_missing() -> None:
    rows = {what: (took, source) for what, took, source in sessions.costs()}
    minutes = mutants.recorded()["documentation"]["minutes"]
    took, source = rows["nox -s mutants: faults, the times of the files added up"]
    assert took == f"{minutes} minutes"
    assert mutants.recorded()["documentation"]["commit"] in source
    assert rows["nox -s mutmut, for the modules of a release"][0] == "not recorded"
    assert "nox -s tests" in sessions.table_of_costs().html
