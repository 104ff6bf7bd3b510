"""The comparison with Jupyter kernels finds what differs, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.myst_nb_fork.conftest import Project, cell

KERNELS = Path(__file__).parents[2] / "tests/benchmarks/docs_build/kernels.py"
PLANTED = "type(get_ipython().kernel).__name__"  # which differs


def compared(project: Project) -> subprocess.CompletedProcess[str]:
    """What the comparison says of a project."""
    project.write()
    places = [project.source, project.source, project.folder / "compared"]
    return subprocess.run([sys.executable, KERNELS, *places], capture_output=True, text=True)


def test_pages_that_show_the_same_pass(project: Project) -> None:
    project.page(
        "same",
        cell("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\nobject"),
        cell("import warnings\nwarnings.warn('careful')\n1 / 0", ":tags: [raises-exception]\n\n"),
        cell("x = = 1", ":tags: [raises-exception]\n\n"),
        "The sum is {eval}`1 + 1`.\n\n",
        cell("x = 1"),
        cell("assert x", ":tags: [remove-cell]\n\n"),
    )
    done = compared(project)
    assert done.stdout.splitlines() == ["1 pages, 5 cells: no differences"]
    assert done.returncode == 0


def test_what_differs_is_named(project: Project) -> None:
    project.page("same", cell("1"))
    project.page("result", cell("1"), cell(PLANTED))
    project.page("stream", cell(f"print('a')\nprint({PLANTED})"))
    project.page("hidden", cell(f"print({PLANTED})", ":tags: [remove-output]\n\n"), cell("2"))
    project.page("address", cell("object()"))
    project.page("sentence", cell("1"), f"Here is {{eval}}`{PLANTED}`.\n")
    done = compared(project)
    named = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert named == [
        "address: cell 2, line 9, differs",
        "hidden: cell 2, line 9, differs",
        "result: cell 3, line 13, differs",
        "stream: cell 2, line 9, differs",
        "address.html: the published page differs",
        "result.html: the published page differs",
        "sentence.html: the published page differs",
        "6 pages, 8 cells: 7 differences",
    ]
    assert "SimpleNamespace" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("fault", ["1 / 0", "import os\nos._exit(1)"])
def test_a_build_that_fails_is_no_comparison(project: Project, fault: str) -> None:
    project.page("fails", cell(fault), cell("2"))
    project.config["nb_execution_raise_on_error"] = True
    done = compared(project)
    assert "the build with kernels and executor has failed" in done.stdout
    assert f"{project.source}/fails.md" in done.stdout
    assert done.returncode == 1
