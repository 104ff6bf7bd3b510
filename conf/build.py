"""Build the site whole or not at all: `python conf/build.py build docs -n -W …`.

Each build starts from nothing in `build/unfinished`. If it succeeds, its site takes the place of
`build/html`. If not, `build/html` stays as it is, the logs that messages name stay in
`build/unfinished`, and the last lines say what failed, one line each.

Two renames publish a folder, since Python has none that exchanges two: a process that is killed in
the instant between leaves the old site as `build/unfinished/html-before`, until the next build.
"""

import argparse
import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

PARTS = ("html", "doctrees")
"""What is published: the site, and what other builders read instead of running it again."""
MESSAGE = re.compile(r"^(?:(?P<place>/[^\n]*?):+ )?(?:WARNING|ERROR|CRITICAL): ", re.MULTILINE)
TRACEBACK = re.compile(r"\n-{9,}\n.*", re.DOTALL)  # as IPython begins one
WIDTH = 300
"""Characters of one line of the list: a value by each family, and the conclusion, fit in."""


def main(arguments: list[str] | None = None) -> int:
    """Build, and publish if that succeeded; return the exit status of sphinx-build."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("target", type=Path, help="the folder that holds or is to hold html")
    parser.add_argument("source", type=Path, help="the folder of the pages")
    given, options = parser.parse_known_args(arguments)
    use_time_of_commit(given.source)
    given.target.mkdir(parents=True, exist_ok=True)
    lock = os.open(given.target, os.O_RDONLY)  # until this process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"Another build into {given.target} is running.")
    folder = given.target.resolve() / "unfinished"
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    html, doctrees, said = (str(folder / part) for part in (*PARTS, "warnings.txt"))
    command = ["-b", "html", *options, "-d", doctrees, "-w", said, str(given.source), html]
    status: int = sphinx_build(command)
    if status == 0:
        for part in PARTS:
            if (given.target / part).exists():
                (given.target / part).rename(folder / f"{part}-before")
            (folder / part).rename(given.target / part)
        shutil.rmtree(folder)
        print(f"The front page is {given.target / 'html' / 'index.html'}")
    else:
        print(*conclusion(Path(said), status), sep="\n", file=sys.stderr)
        print(f"Not published: {given.target / 'html'} is as it was.", file=sys.stderr)
    return status


def use_time_of_commit(source: Path) -> None:
    """Have whatever asks for the time of the build get that of the last commit, if there is one."""
    command = ["git", "-C", str(source), "log", "-1", "--format=%ct"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return  # no git, or no repository
    os.environ.setdefault("SOURCE_DATE_EPOCH", answer)


def conclusion(said: Path, status: int) -> list[str]:
    """Return the last lines of a build that failed: what failed, one line each."""
    text = said.read_text(encoding="utf-8") if said.exists() else ""
    _, *parts = MESSAGE.split(text)  # place and message in turn
    found = []
    for place, message in zip(parts[::2], parts[1::2], strict=True):
        line = " ".join(TRACEBACK.sub("", message).split())
        line = line if len(line) <= WIDTH else f"{line[:WIDTH]}…"
        found.append(f"{os.path.relpath(place)}: {line}" if place else line)
    listed = list(dict.fromkeys(found))
    if status != 1:
        listed.append("The build stopped before its end: why stands above this list.")
    return ["", *listed, f"{len(listed)} failed; the whole messages are in {said}"]


if __name__ == "__main__":
    sys.exit(main())
