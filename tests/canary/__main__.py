"""`nox -s canary`: run everything with what is installed, and say what is no longer true."""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from tests.canary.findings import Finding
from tests.canary.logs import of_build, of_end, of_noise, of_tests, passed
from tests.canary.questions import CONSTRAINTS, release_of_the_site
from tests.canary.report import Report

ROOT = CONSTRAINTS.parents[1]
STRICT = ["-n", "-W", "--keep-going", "-c", "conf"]
PYTEST = ["-q", "--tb=line", "-W", "default", "-p", "no:cacheprovider", "-n", "logical"]
STEPS = {
    "build": ["conf/build.py", "{folder}/site", "docs", *STRICT],
    "pages": ["-m", "tests.canary.pages"],
    "questions": ["-m", "tests.canary.questions"],
    "tests": ["-m", "pytest", *PYTEST, "src/vtj", "tests/vtj"],
}
ASKED = ("pages", "questions")
COLOR = re.compile(r"\x1b\[[0-9;]*m")


def run(folder: Path) -> None:
    """Run every step; keep what each prints in the folder, without the paths of this machine."""
    status: dict[str, int] = {}
    for name, words in STEPS.items():
        print(f"canary: {name} …", end=" ", flush=True)
        start = time.monotonic()
        command = [sys.executable, *(word.format(folder=folder) for word in words)]
        with (folder / f"{name}.txt").open("w", encoding="utf-8") as log:
            status[name] = subprocess.run(
                command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, check=False
            ).returncode
        tidy(folder / f"{name}.txt")
        print(f"{time.monotonic() - start:.0f} s", flush=True)
    said = folder / "site" / "unfinished" / "warnings.txt"
    (folder / "messages.txt").write_text(said.read_text("utf-8") if said.exists() else "", "utf-8")
    tidy(folder / "messages.txt")
    (folder / "facts.json").write_text(json.dumps(facts(status), indent=1), encoding="utf-8")


def tidy(file: Path) -> None:
    """Leave out of a log what belongs to this machine."""
    text = COLOR.sub("", file.read_text(encoding="utf-8", errors="replace"))
    text = re.sub(r"[^\s'\"(]*/(?=site-packages/)", "", text.replace(f"{ROOT}/", ""))
    file.write_text(text, encoding="utf-8")


def facts(status: Mapping[str, int]) -> dict[str, Any]:
    """Return with what the steps ran, where that differs from the site's, and how each ended."""
    pinned = re.findall(r"^(\S+)==(\S+)", CONSTRAINTS.read_text("utf-8"), re.MULTILINE)
    names = {each.metadata["Name"] for each in distributions()}
    here = {re.sub("[_.]", "-", name).lower(): version(name) for name in names}
    others = []
    for name, pin in pinned:
        installed = here.get(re.sub("[_.]", "-", name).lower(), pin)
        if installed != pin and name != "torch":
            others.append(f"{name} {installed}")
    return {
        "torch": version("torch"),
        "python": platform.python_version(),
        "site": release_of_the_site(),
        "others": others,
        "status": dict(status),
    }


def read(folder: Path) -> Report:
    """Make the report of a run from what it has left in its folder."""
    found = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    logs = {name: (folder / f"{name}.txt").read_text(encoding="utf-8") for name in STEPS}
    messages = (folder / "messages.txt").read_text(encoding="utf-8")
    rows = [row for name in ASKED for row in logs[name].splitlines()]
    told = [Finding(*json.loads(row)) for row in rows if row.startswith('["')]
    known = {finding.place.partition(":")[0] for finding in told}
    status = found["status"]
    findings = [
        *told,
        *of_build(logs["build"], messages, status["build"], known),
        *of_tests(logs["tests"]),
        *of_noise(logs["build"] + logs["tests"]),
    ]
    findings += [of_end(f"the {name}", logs[name]) for name in ASKED if status[name]]
    log = folder / "log.txt"
    named = log.relative_to(ROOT) if log.is_relative_to(ROOT) else log
    return Report(head(found, logs["tests"]), findings, str(named))


def head(found: Mapping[str, Any], tests: str) -> list[str]:
    """Say with what it ran, beside what the site is of, and how far it came."""
    refused, others = found["status"]["build"], ", ".join(found["others"])
    return [
        f"torch {found['torch']}, Python {found['python']}; the site is of torch {found['site']}.",
        f"Other versions than in conf/constraints.txt: {others or 'none'}.",
        f"The site {'does not build' if refused else 'builds'} with these. Tests of the library: "
        f"{passed(tests)}.",
    ]


def main(arguments: list[str] | None = None) -> None:
    """Run, report, and end with the exit status, or with 0 where a file is to hold it."""
    parser = argparse.ArgumentParser(prog="nox -s canary --", description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "canary")
    parser.add_argument("--status", type=Path, help="a file for the exit status, which is then 0")
    given = parser.parse_args(arguments)
    folder = given.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(folder)
    report = read(folder)
    logs = [f"===== {name}\n{(folder / name).read_text('utf-8')}" for name in LOGS]
    (folder / "log.txt").write_text("\n".join([report.whole(), *logs]), encoding="utf-8")
    (folder / "report.txt").write_text(f"{report}\n", encoding="utf-8")
    print(f"\n{report}")
    if given.status is None:
        sys.exit(report.status)
    given.status.write_text(str(report.status), encoding="utf-8")


LOGS = ("facts.json", "messages.txt", *(f"{name}.txt" for name in STEPS))

if __name__ == "__main__":
    main()
