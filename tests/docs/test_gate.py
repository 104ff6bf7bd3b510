"""Plant a fault in a copy of a page or of the library, and see the build fail and name it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = "docs/tutorials/three_outputs.md"
EXAMPLE = "src/vtj/examples/three_outputs.py"
LINK = re.compile(r"\{term\}`([^`<]+)[^`]*`|\[([^\]\n]+)\]\((?!http)[^)\n]+\)")


class Site:
    """A copy of the site with one page, built by the command of `nox -s docs`."""

    def __init__(self, folder: Path, page: str) -> None:
        self.folder = folder
        for part in ("conf", "src"):
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.pyc"))
        (folder / page).parent.mkdir(parents=True)
        # Alone in its site, the page has nowhere to link to.
        text = LINK.sub(r"\1\2", (ROOT / page).read_text(encoding="utf-8"))
        (folder / page).write_text(text, encoding="utf-8")
        name = page.removeprefix("docs/").removesuffix(".md")
        (folder / "docs/index.md").write_text(f"# Home\n\n```{{toctree}}\n{name}\n```\n")

    def change(self, path: str, before: str, after: str) -> None:
        """Change one piece of text, which must occur."""
        file = self.folder / path
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after, 1), encoding="utf-8")

    def build(self, target: str = "build") -> tuple[int, str]:
        """Return the exit code and everything that was printed."""
        command = [sys.executable, "-m", "sphinx", "-n", "-W", "--keep-going", "-c", "conf"]
        command += ["-d", f"{target}/doctrees", "-b", "html", "docs", f"{target}/html"]
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src")}
        ran = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        return ran.returncode, re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout + ran.stderr)


def test_a_wrong_jacobian_by_hand_names_page_entry_and_values(tmp_path: Path) -> None:
    site = Site(tmp_path, PAGE)
    site.change(EXAMPLE, "6 * x[0]", "5 * x[0]")
    code, said = site.build()
    assert code == 1
    assert re.search(r"three_outputs\.md:\d+: WARNING: JacobianMismatch", said)
    assert "dy[0]/dx[0]: by hand 5, backward 6, forward 6, numeric 6" in said
    assert "the hand-derived J is wrong" in said


FAULTS = [
    ("v = torch.tensor([1.0, 10.0", "v = torch.tensor([1.0, 11.0", "x.grad[0]: the page 28"),
    ("y[2] = 10 * x[1]", "y[2] = 11 * x[1]", "y[2]: the page 22, f 20"),
    ("J = np.array([[6 * a[0]", "J = np.array([[7 * a[0]", "dy[0]/dx[0]: the page 7"),
    ("vT = np.array([1, 10, 100])", "vT = np.array([1, 10, 101])", "(vᵀ·J)[1]: the page 1250"),
    ("x.grad\n```", "y.sum().backward()\n```", "Trying to backward through the graph a second"),
    ("`v` weights the rows", "Its 2 columns, weighted", "'2' is typed"),
    ("for each\nelement of $x$", "for each\nelement of $2 x$", "'2' is typed"),
    ("three_outputs().confirm", "print", "does not confirm"),
]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str]:
    """Build one site with a copy of the page for each fault, and one without."""
    site = Site(tmp_path_factory.mktemp("faulty"), PAGE)
    text = (site.folder / PAGE).read_text(encoding="utf-8")
    for number, (before, after, _) in enumerate(FAULTS):
        copy = f"docs/tutorials/fault_{number}.md"
        (site.folder / copy).write_text(text, encoding="utf-8")
        site.change(copy, before, after)
    toctree = "```{toctree}\n:glob:\ntutorials/*\n```"
    (site.folder / "docs/index.md").write_text(f"# Home\n\n{toctree}\n", encoding="utf-8")
    return site.build()


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_a_wrong_page_fails_with_its_line(faulty: tuple[int, str], number: int) -> None:
    code, printed = faulty
    said = re.escape(FAULTS[number][2])
    assert code == 1
    assert re.search(rf"fault_{number}\.md:\d+: WARNING: (?:(?!WARNING)[\s\S])*{said}", printed)


def test_the_page_without_a_fault_passes(faulty: tuple[int, str]) -> None:
    accused = re.findall(r"three_outputs\.md:\d+: WARNING: .*", faulty[1])
    assert [text for text in accused if "duplicate label" not in text.lower()] == []
