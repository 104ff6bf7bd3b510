"""Record how long each session of one whole run took, as nox said at its end.

Usage: .ci/run 2>&1 | tee LOG; python conf/history/sessions.py LOG

The record is of the commit that is checked out.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from environment import ROOT, SITE

RECORD = SITE / "records" / "sessions.json"
ENDED = re.compile(r"^nox > Session (?P<name>\S+) was successful in (?P<time>.+)\.$", re.MULTILINE)
ASKED = re.compile(r"nox -s (?P<name>\w+)(?P<how>(?: -- --\w+)?)")


def times(log: str, run: str) -> dict[str, str]:
    """Return the time of each session that a log says has ended, as the script of the run asks it.

    Examples:
        >>> times("nox > Session mutants was successful in 3 minutes.", "nox -s mutants -- --some")
        {'nox -s mutants -- --some': '3 minutes'}
    """
    asked = {found["name"]: found[0] for found in ASKED.finditer(run)}
    return {asked[found["name"]]: found["time"] for found in ENDED.finditer(log)}


def main(log: str) -> None:
    """Write the record; what it says of sessions whose time nobody noted stays."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    found = times(
        Path(log).read_text(encoding="utf-8"), (ROOT / ".ci/run").read_text(encoding="utf-8")
    )
    if missing := sorted(record["sessions"].keys() - found.keys()):
        raise SystemExit(f"{log} says of no end of {', '.join(missing)}; expected a whole .ci/run")
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    record |= {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "cores": os.cpu_count(),
        "sessions": found,
    }
    text = json.dumps(record, indent=2, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
