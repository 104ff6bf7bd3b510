"""The times of a whole run, read from its log."""

import re
from pathlib import Path

import pytest
import sessions

RUN = "nox -s docs\nnox -s lint\nnox -s mutants -- --some\n"
LOG = """nox > Running session docs
nox > Session docs was successful in 2 minutes.
nox > Session lint was successful in a second.
nox > Session mutants was successful in 3 minutes.
"""


def test_each_session_is_named_as_the_run_asks_it() -> None:
    assert sessions.times(LOG, RUN) == {
        "nox -s docs": "2 minutes",
        "nox -s lint": "a second",
        "nox -s mutants -- --some": "3 minutes",
    }


def test_the_log_of_a_run_that_stopped_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LOG)
    before = sessions.RECORD.read_bytes()
    with pytest.raises(SystemExit, match=re.escape("says of no end of nox -s publish")):
        sessions.main(str(log))
    assert sessions.RECORD.read_bytes() == before
