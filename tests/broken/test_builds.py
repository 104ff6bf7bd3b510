"""Lies of one build to the next: what an older library or torch has left is not published."""

import re
from pathlib import Path

from tests.docs.test_gate import EXAMPLE, PAGE, Site

ANOTHER_TORCH = """
import torch

backward = torch.Tensor.backward

def doubled(self, gradient=None, **as_the_library_calls_it):
    backward(self, gradient if as_the_library_calls_it else 2 * gradient, **as_the_library_calls_it)

torch.Tensor.backward = doubled
"""


def test_output_left_from_an_older_library(tmp_path: Path) -> None:
    """Rejected by myst_nb_fork.tell."""
    site = Site(tmp_path, PAGE)
    assert site.build()[0] == 0
    site.change(EXAMPLE, "6 * x[0]", "5 * x[0]")
    for _ in range(2):  # also of one that failed
        code, printed = site.build()
        assert code == 1, printed
        assert "dy[0]/dx[0]: by hand 5, backward 6, forward 6, numeric 6" in printed
        assert "three_outputs.md:" in printed


def test_output_left_from_an_older_torch(tmp_path: Path) -> None:
    """Rejected by myst_nb_fork.tell."""
    site = Site(tmp_path, PAGE)
    older = tmp_path / "src/torch_of_before-1.0.dist-info"
    older.mkdir()
    assert site.build()[0] == 0
    older.rename(older.with_name("torch_of_before-1.1.dist-info"))
    (tmp_path / "src/sitecustomize.py").write_text(ANOTHER_TORCH)
    for _ in range(2):  # also of one that failed
        code, printed = site.build()
        assert code == 1, printed
        assert re.search(r"three_outputs\.md:\d+: WARNING: JacobianMismatch", printed)
        assert "x.grad[0]: the page 52, by hand 26, backward 26" in printed
