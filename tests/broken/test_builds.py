"""Lies of one build to the next: what an older library or torch has left is not published."""

import re
from pathlib import Path

import pytest

from tests.broken.site import EXAMPLE, PAGE, Site, alone

ANOTHER_TORCH = """
import torch

backward = torch.Tensor.backward

def doubled(self, gradient=None, **as_the_library_calls_it):
    backward(self, gradient if as_the_library_calls_it else 2 * gradient, **as_the_library_calls_it)

torch.Tensor.backward = doubled
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A site that was built as it should be."""
    made = Site(tmp_path_factory.mktemp("site"), PAGE)
    code, printed = made.build()
    assert code == 0, printed
    return made


def refused(site: Site, finding: str) -> str:
    """Build, and see a finding refused, listed at the end, and nothing else published instead."""
    html = site.folder / "build/html/tutorials/three_outputs.html"
    before = html.read_bytes()
    code, printed = site.build()
    assert code == 1, printed
    assert html.read_bytes() == before
    assert re.search(rf"three_outputs\.md:\d+: WARNING: .*\n?.*{re.escape(finding)}", printed)
    *lines, failed, _ = printed.splitlines()
    listed = rf"{PAGE}:\d+: JacobianMismatch: .*{re.escape(finding)}"
    assert any(re.match(listed, line) for line in lines)
    said = Path(re.sub(r"^\d+ failed; the whole messages are in ", "", failed))
    assert finding in said.read_text(encoding="utf-8")
    return printed


def test_output_left_from_an_older_library(site: Site) -> None:
    """Rejected by myst_nb_fork.tell."""
    site.change(EXAMPLE, "6 * x[0]", "5 * x[0]")
    printed = refused(site, "dy[0]/dx[0]: by hand 5, backward 6, forward 6, numeric 6")
    assert "the hand-derived J is wrong" in printed
    site.change(EXAMPLE, "5 * x[0]", "6 * x[0]")


def test_output_left_from_an_older_torch(site: Site) -> None:
    """Rejected by myst_nb_fork.tell."""
    (site.folder / "src/sitecustomize.py").write_text(ANOTHER_TORCH)
    refused(site, "x.grad[0]: the page 52, by hand 26, backward 26")


def test_page_that_is_to_end_the_build(site: Site) -> None:
    """Rejected by myst_nb_fork._run_cell."""
    site.change(PAGE, "torch.tensor([1.0, 2.0]", "torch.tensor([1.0, 2.0")
    site.change("conf/conf.py", "raise_on_error = False", "raise_on_error = True")
    code, printed = site.build()
    assert code == 2
    line = alone(PAGE).partition("torch.tensor(")[0].count("\n") + 1
    assert re.search(rf"three_outputs\.md:{line}: WARNING: SyntaxError: closing paren", printed)
    assert re.search(r"ExecutionError: .*three_outputs\.md", printed)
    assert "The build stopped before its end: why stands above this list." in printed
