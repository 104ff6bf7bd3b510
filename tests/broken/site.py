"""A copy of the site with one page, in which a test plants a fault."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STRICT = ["-n", "-W", "--keep-going", "-c", "conf"]
PAGE = "docs/tutorials/three_outputs.md"
EXAMPLE = "src/vtj/examples/three_outputs.py"
LINK = re.compile(r"\{term\}`([^`<]+)[^`]*`|\[([^\]\n]+)\]\((?!http)[^)\n]+\)")


LABEL = re.compile(r"^\((.+)\)=$", re.MULTILINE)


def alone(page: str) -> str:
    """Return the text of a page as it can stand in a site without the others.

    It links to itself, if it has a label: with no link, a signpost would be a statement.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    label = LABEL.search(text)
    if label is None:
        return LINK.sub(r"\1\2", text)
    return LINK.sub(lambda found: found[1] or f"[{found[2]}](#{label[1]})", text)


class Site:
    """A copy of the site with one page, built by the command of `nox -s docs`."""

    def __init__(self, folder: Path, page: str) -> None:
        self.folder = folder
        for part in ("conf", "src"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
        for part in ("pyproject.toml", "README.md", "LICENSE"):  # what the wheel is made of
            shutil.copy(ROOT / part, folder)
        (folder / page).parent.mkdir(parents=True)
        (folder / page).write_text(alone(page), encoding="utf-8")
        name = page.removeprefix("docs/").removesuffix(".md")
        (folder / "docs/index.md").write_text(f"# Home\n\n```{{toctree}}\n{name}\n```\n")

    def change(self, path: str, before: str, after: str) -> None:
        """Change one piece of text, which must occur."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after, 1), encoding="utf-8")

    def build(self) -> tuple[int, str]:
        """Return the exit code and everything that was printed."""
        command = [sys.executable, "conf/build.py", "build", "docs", *STRICT]
        return said(command, self.folder)


def said(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in a folder, with the library there; its exit code and what it printed."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ran.returncode, re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)
