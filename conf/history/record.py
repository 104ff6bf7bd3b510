"""Ask old releases of torch what `vtj_site.outcomes.since` asks, and record what they answer.

Usage: python conf/history/record.py [VERSION ...]

Without versions, every release of the list that has no row yet is asked; a version that is named
is asked again. Each runs in its own throw-away environment on the oldest Python (3.7 or later)
that has a wheel for it. The standard library and pip are all this needs. The file is written after
each release, so an interrupted run goes on where it stopped; the row of a release that cannot be
run on this machine stays as it is.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SITE = ROOT / "src" / "vtj_site"
RECORDED = SITE / "records" / "history.json"
CONSTRAINTS = ROOT / "conf" / "constraints.txt"

OLD_RELEASES = (
    *("1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.3.0", "1.3.1", "1.4.0", "1.5.0", "1.5.1", "1.6.0"),
    *("1.7.0", "1.7.1", "1.8.1", "1.9.1", "1.10.2", "1.11.0", "1.12.1", "1.13.1", "2.0.1"),
    *("2.2.2", "2.4.1", "2.6.0", "2.8.0", "2.10.0", "2.12.1"),
)
OLDEST_MINOR = 7  # of Python 3
ASK = "import json; from asked.since import answers; print(json.dumps(answers()))"
SECONDS = {"download": 3000, "install": 3000, "ask": 300}


class CouldNotRunError(Exception):
    """This machine cannot run the release; the message says which step failed and how."""


def releases() -> list[str]:
    """Return the old releases and the one that the site is built with."""
    pinned = re.search(r"^torch==([0-9.]+)", CONSTRAINTS.read_text(), re.MULTILINE)
    if pinned is None:
        raise ValueError(f"{CONSTRAINTS} pins no torch: expected a line torch==VERSION")
    return [*OLD_RELEASES, pinned[1]]


def interpreters() -> list[str]:
    """Return one interpreter for each Python 3.7 or later on this machine, oldest first."""
    found = {sys.version_info.minor: sys.executable}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for path in sorted(pyenv.glob("3.*/bin/python")):
        found.setdefault(int(path.parts[-3].split(".")[1]), str(path))
    for minor in range(OLDEST_MINOR, sys.version_info.minor + 3):
        if command_path := shutil.which(f"python3.{minor}"):
            found.setdefault(minor, command_path)
    return [found[minor] for minor in sorted(found) if minor >= OLDEST_MINOR]


def command(step: str, *words: str | Path, cwd: Path | None = None) -> str:
    """Run one step in its time limit and return what it printed."""
    try:
        return subprocess.check_output(
            words, text=True, stderr=subprocess.PIPE, timeout=SECONDS[step], cwd=cwd
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip() or "no message").splitlines()[-1]
        raise CouldNotRunError(f"{step}: {last}") from error
    except subprocess.TimeoutExpired as error:
        raise CouldNotRunError(f"{step}: not done in {SECONDS[step]} s") from error


def download(version: str, folder: Path) -> tuple[str, Path]:
    """Fetch the wheel for the oldest Python that has one; return that Python and the wheel."""
    options = ("--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", folder)
    reasons = []
    for python in interpreters():
        try:
            command("download", python, "-m", "pip", "download", f"torch=={version}", *options)
            return python, next(folder.glob("torch-*.whl"))
        except CouldNotRunError as reason:
            reasons.append(f"{python}: {reason}")
    raise CouldNotRunError("\n    ".join(reasons))


def row(version: str, scratch: Path) -> dict[str, object]:
    """Run one release in `scratch` and return its row."""
    print(f"  downloading torch {version}", flush=True)
    python, wheel = download(version, scratch)

    print(f"  installing {wheel.name} ({wheel.stat().st_size / 1e6:.0f} MB)", flush=True)
    command("install", python, "-m", "venv", scratch / "venv")
    inside = scratch / "venv" / "bin" / "python"
    command("install", inside, "-m", "pip", "install", "--no-cache-dir", wheel, "numpy<2")

    print("  asking", flush=True)
    return {
        "torch": version,
        "python": command("ask", inside, "--version").split()[1],
        "wheel": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "outcomes": ask(inside, scratch),
    }


def ask(python: str | Path, scratch: Path) -> dict[str, str]:
    """Return what a torch answers; only the two modules that ask it are at hand, and no vtj."""
    package = scratch / "asked"
    package.mkdir()
    (package / "__init__.py").touch()
    for module in ("trials.py", "since.py"):
        shutil.copy(SITE / "outcomes" / module, package)
    return dict(json.loads(command("ask", python, "-W", "ignore", "-c", ASK, cwd=scratch)))


def load() -> dict[str, dict[str, object]]:
    """Return the recorded rows by version."""
    text = RECORDED.read_text(encoding="utf-8") if RECORDED.exists() else '{"releases": []}'
    return {row["torch"]: row for row in json.loads(text)["releases"]}


def save(rows: dict[str, dict[str, object]]) -> None:
    """Write the rows in the order of their versions, in one step."""
    order = sorted(rows, key=lambda version: [int(part) for part in version.split(".")])
    content = {"schema": 1, "releases": [rows[version] for version in order]}
    partial = RECORDED.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(RECORDED)


def main(asked: list[str]) -> None:
    """Record the releases that are asked for, or all that have no row yet."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped; what was recorded is kept"))
    rows = load()
    wanted = asked or [version for version in releases() if version not in rows]
    for number, version in enumerate(wanted, start=1):
        print(f"torch {version} ({number} of {len(wanted)})", flush=True)
        with tempfile.TemporaryDirectory(prefix="vtj-history-") as scratch:
            try:
                rows[version] = row(version, Path(scratch))
            except CouldNotRunError as reason:
                print(f"  not run, its row stays as it was: {reason}", flush=True)
                continue
        save(rows)
        print(f"  recorded in {RECORDED.relative_to(ROOT)}", flush=True)
    print(f"{len(rows)} releases recorded: {', '.join(rows)}")


if __name__ == "__main__":
    main(sys.argv[1:])
