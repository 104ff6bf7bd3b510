"""Run the library's tests and doctests on several releases of torch, and record what passed.

Usage: python conf/history/torches.py [--here | VERSION[:PYTHON] ...]

2.15.0:3.13 is torch 2.15.0 on Python 3.13; where none is named, it is the one that runs this.
--here takes the environment that runs this, as it is: that of a machine with a GPU, say.
Without versions: the lowest that pyproject.toml allows, with its lowest NumPy, some between, and
the newest that pip finds; but none that the record has for the library as it is now. Each gets an
environment of its own, removed afterwards. The file is written after each, so an interrupted run
goes on where it stopped. Exit status 1 says that a test failed.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from environment import (
    CONSTRAINTS,
    ROOT,
    SITE,
    CouldNotRunError,
    command,
    interpreters,
    order,
    record,
    write,
)

RECORDED = SITE / "records" / "torches.json"
BETWEEN = ("2.6.0", "2.9.1", "2.12.1")
LIBRARY = ("src/vtj", "tests/vtj")
TESTED = (*LIBRARY, "tests/zoo")  # what the recorded commit stands for
# What the library's tests import: formulas are tried on the renderer of the pages.
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "scipy", "sphinx", "dukpy", "fonttools")
QUIETLY = {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
Rows = dict[str, dict[str, Any]]  # by version of torch and of Python, as 2.15.0:3.13
VERSIONS = """
import json, platform, numpy, torch
print(json.dumps({
    "torch": torch.__version__.partition("+")[0],
    "numpy": numpy.__version__,
    "python": platform.python_version(),
    "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU",
}))
"""


def lowest(package: str) -> str:
    """Return the lowest version that pyproject.toml allows, with three numbers."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf'^  "{package}>=([0-9.]+)"', text, re.MULTILINE)
    if found is None:
        raise ValueError(f"pyproject.toml has no lower bound: expected a line {package}>=VERSION")
    return ".".join([*found[1].split("."), "0"][:3])


def newest() -> str:
    """Return the newest release that pip finds for this Python."""
    only = ("--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:")
    said = command("download", sys.executable, "-m", "pip", "install", *only, "torch")
    found = re.search(r"Would install torch-([0-9.]+)", said)
    if found is None:
        raise CouldNotRunError(f"download: pip finds no torch: {said}")
    return found[1]


def git(*words: str) -> str:
    """Return what git says of the checkout."""
    return subprocess.check_output(("git", *words), cwd=ROOT, text=True).strip()


def commit() -> str:
    """Return the last commit of the library and its tests; nothing of them may be uncommitted."""
    if changed := git("status", "--porcelain", "--", *TESTED):
        raise CouldNotRunError(f"the record names a commit: commit these first\n{changed}")
    return git("log", "-1", "--format=%h", "--", *TESTED)


def full(version: str) -> str:
    """Return a version with that of Python, which is this one where none is named."""
    return version if ":" in version else f"{version}:3.{sys.version_info.minor}"


def row(version: str, scratch: Path) -> dict[str, Any]:
    """Install one release in `scratch`, run the tests there and return its row."""
    release, _, series = version.partition(":")
    found = interpreters().get(int(series.partition(".")[2]))
    if found is None:
        raise CouldNotRunError(f"install: no Python {series} is here, or none of pyenv")
    print(f"  installing torch {release} on Python {series}", flush=True)
    return ran(installed(release, found, scratch), scratch)


def ran(python: Path, scratch: Path) -> dict[str, Any]:
    """Run the tests in an environment and return its row."""
    return {
        **json.loads(command("ask", python, "-c", VERSIONS)),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        **outcomes(python, scratch / "report.xml"),
    }


def installed(version: str, base: str, scratch: Path) -> Path:
    """Make an environment with one release and what the tests need; return its Python."""
    command("install", base, "-m", "venv", scratch / "venv")
    python = scratch / "venv" / "bin" / "python"
    pins = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    tools = [pin for pin in pins if pin.partition("==")[0].lower() in TOOLS]
    # The last patch of the lowest NumPy: SciPy asks for it.
    series = lowest("numpy").rpartition(".")[0]
    numpy = f"numpy=={series}.*" if version == lowest("torch") else "numpy"
    packages = (f"torch=={version}", numpy, *tools, "-e", str(ROOT))
    command("install", python, "-m", "pip", "install", "--no-cache-dir", *packages)
    return python


def outcomes(python: Path, report: Path) -> dict[str, int]:
    """Run the library's tests and doctests, which show their progress, and count the outcomes."""
    once = ("-q", "-p", "no:cacheprovider", "-n", "logical", "--dist", "worksteal")
    words = (python, "-m", "pytest", *once, f"--junitxml={report}", *LIBRARY)
    if subprocess.run(words, cwd=ROOT, env={**os.environ, **QUIETLY}, check=False).returncode > 1:
        raise CouldNotRunError("test: pytest itself did not come to an end")
    return counted(report.read_text(encoding="utf-8"))


def counted(report: str) -> dict[str, int]:
    """Return how many tests passed, failed and were skipped, by pytest's report."""
    suite = ElementTree.fromstring(report).find("testsuite")
    if suite is None:
        raise ValueError(f"pytest's report has no testsuite: {report[:80]}")
    of = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    failed = of["failures"] + of["errors"]
    passed = of["tests"] - failed - of["skipped"]
    return {"passed": passed, "failed": failed, "skipped": of["skipped"]}


def load() -> Rows:
    """Return the recorded rows by version."""
    text = RECORDED.read_text(encoding="utf-8") if RECORDED.exists() else '{"releases": []}'
    rows = json.loads(text)["releases"]
    return {version_of(row): row for row in rows}


def version_of(row: dict[str, Any]) -> str:
    """Return the release and the Python of a row, as they are named."""
    return f"{row['torch']}:{row['python'].rpartition('.')[0]}"


def save(rows: Rows) -> None:
    """Write the rows."""
    content = {"schema": 1, "releases": list(rows.values())}
    write(RECORDED, json.dumps(content, indent=1) + "\n")


def run_here() -> None:
    """Run the tests in the environment that runs this, and record it."""
    with tempfile.TemporaryDirectory() as scratch:
        found = ran(Path(sys.executable), Path(scratch))
    rows = {**load(), version_of(found): found}
    save(dict(sorted(rows.items(), key=lambda one: order(one[0]))))


def main(named: list[str]) -> int:
    """Run the releases that are named, or those that the record lacks; 1 where a test failed."""
    now, rows = commit(), load()
    if named == ["--here"]:
        run_here()
        return failures()
    every = dict.fromkeys(map(full, named or (lowest("torch"), *BETWEEN, newest())))
    wanted = [each for each in every if named or rows.get(each, {}).get("commit") != now]
    if wanted:
        record(wanted, load, row, save)
    return failures()


def failures() -> int:
    """Say where tests failed; 1 if they did."""
    failed = {each: found["failed"] for each, found in load().items() if found["failed"]}
    print("\n".join(f"torch {each}: {count} failed" for each, count in failed.items()))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
