"""The comparison with Jupyter kernels finds what differs, and nothing else."""

import subprocess
import sys
from pathlib import Path

from tests.myst_nb_fork.conftest import Project, cell

KERNELS = Path(__file__).parents[2] / "tests/benchmarks/docs_build/kernels.py"
PLANTED = "type(get_ipython().kernel).__name__"  # which differs


def compared(project: Project) -> subprocess.CompletedProcess[str]:
    """What the comparison says of a project."""
    project.write()
    places = [project.source, project.source, project.folder / "compared"]
    return subprocess.run([sys.executable, KERNELS, *places], capture_output=True, text=True)


def test_what_differs_is_named_and_nothing_else(project: Project) -> None:
    project.page(
        "same",
        cell("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\nobject"),
        cell("import warnings\nwarnings.warn('careful')\n1 / 0", ":tags: [raises-exception]\n\n"),
        cell("x = = 1", ":tags: [raises-exception]\n\n"),
        "The sum is {eval}`1 + 1`.\n\n",
        cell("assert sys", ":tags: [remove-cell]\n\n"),
    )
    project.page(
        "differs",
        cell(PLANTED),
        cell(f"print('a')\nprint({PLANTED})"),
        cell(f"print({PLANTED})", ":tags: [remove-output]\n\n"),
        cell("object()"),
    )
    project.page("sentence", cell("1"), f"Here is {{eval}}`{PLANTED}`.\n")
    done = compared(project)
    named = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert named == [
        "differs: cell 2, line 9, differs",
        "differs: cell 3, line 13, differs",
        "differs: cell 4, line 18, differs",
        "differs: cell 5, line 24, differs",
        "differs.html: the published page differs",
        "sentence.html: the published page differs",
        "3 pages, 9 cells: 6 differences",
    ]
    assert "SimpleNamespace" in done.stdout
    assert done.returncode == 1


def test_a_build_that_fails_is_no_comparison(project: Project) -> None:
    project.page("fails", cell("import os\nos._exit(1)"), cell("2"))
    project.config["nb_execution_raise_on_error"] = True
    done = compared(project)
    assert "the build with kernels and executor has failed" in done.stdout
    assert f"{project.source}/fails.md" in done.stdout
    assert done.returncode == 1
