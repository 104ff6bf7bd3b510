"""Plant a fault behind a reference page, and see the build fail and name it."""

from pathlib import Path

import pytest

from tests.broken.site import Site

CASES = {
    "a wrong verdict": (
        "docs/reference/sources.md",
        "src/vtj_site/sources/by_examples_printed.py",
        ("COSMETIC = {*(30, 31,", "COSMETIC = {*(29, 30, 31,"),
        "by-examples-29 (by-examples, line 203) is declared 'cosmetic' but running it leads to",
    ),
    "a record that torch no longer bears out": (
        "docs/explanation/history.md",
        "src/vtj_site/since.py",
        ("torch.Tensor([1]))", "torch.tensor(1.0))"),
        "on 'torch.Tensor([1]) for a 0-d output': recorded 'RuntimeError: Mismatch in shape",
    ),
    "a reworded error": (
        "docs/how-to/errors.md",
        "docs/how-to/errors.md",
        (':raises: "RuntimeError: got 2 tensors', ':raises: "RuntimeError: there are 2 tensors'),
        "but raised\n    RuntimeError: got 2 tensors and 1 gradients",
    ),
}


@pytest.mark.parametrize("fault", CASES)
def test_a_planted_fault_fails_the_build_and_is_named(tmp_path: Path, fault: str) -> None:
    page, file, (before, after), message = CASES[fault]
    site = Site(tmp_path, page)
    site.change(file, before, after)
    code, said = site.build()
    assert code != 0
    assert message in said
    assert f"{Path(page).stem}.md:" in said
