"""Lies of one build to the next: what an older library or torch has left is not published."""

from pathlib import Path

from tests.docs.test_gate import EXAMPLE, PAGE, Site


def test_output_left_from_an_older_library(tmp_path: Path) -> None:
    """Rejected by page_executor."""
    site = Site(tmp_path, PAGE)
    assert site.build()[0] == 0
    site.change(EXAMPLE, "6 * x[0]", "5 * x[0]")
    for _ in range(2):  # also of one that failed
        code, printed = site.build()
        assert code == 1
        assert "dy[0]/dx[0]: by hand 5, backward 6, forward 6, numeric 6" in printed
        assert "three_outputs.md:" in printed


def test_output_left_from_an_older_torch(tmp_path: Path) -> None:
    """Rejected by page_executor."""
    site = Site(tmp_path, PAGE)
    older = tmp_path / "src/torch_of_before-1.0.dist-info"
    older.mkdir()
    assert "three_outputs: ran in" in site.build()[1]
    older.rename(older.with_name("torch_of_before-1.1.dist-info"))
    assert "three_outputs: ran in" in site.build()[1]
