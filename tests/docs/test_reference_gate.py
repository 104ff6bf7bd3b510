"""Plant faults behind the reference pages, and see the build fail and name each."""

import re
from pathlib import Path

import pytest

from tests.broken.site import Site, alone

CASES = {
    "a wrong verdict": (
        "docs/reference/sources.md",
        "src/vtj_site/sources/by_examples_printed.py",
        ('(203, "J:")', '(203, "J:", "cosmetic")'),
        "by-examples-29 (by-examples, line 203) is declared 'cosmetic' but running it leads to",
    ),
    "a record that torch no longer bears out": (
        "docs/explanation/history.md",
        "src/vtj_site/outcomes/since.py",
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


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str]:
    """Build one site with all the pages and all the faults."""
    pages = [Path(page) for page, *_ in CASES.values()]
    site = Site(tmp_path_factory.mktemp("faulty"), str(pages[0]))
    for page in pages[1:]:
        (site.folder / page).parent.mkdir(parents=True, exist_ok=True)
        (site.folder / page).write_text(alone(str(page)), encoding="utf-8")
    toctree = "```{toctree}\n:glob:\n*/*\n```"
    (site.folder / "docs/index.md").write_text(f"# Home\n\n{toctree}\n", encoding="utf-8")
    for _, file, (before, after), _ in CASES.values():
        site.change(file, before, after)
    return site.build()


@pytest.mark.parametrize("fault", CASES)
def test_a_planted_fault_fails_the_build_and_is_named(built: tuple[int, str], fault: str) -> None:
    page, *_, message = CASES[fault]
    code, said = built
    assert code != 0
    told = rf"{Path(page).stem}\.md:\d+: WARNING: (?:(?!WARNING)[\s\S])*{re.escape(message)}"
    assert re.search(told, said)
