"""The order of the tests: what takes long comes first, so that no core waits for it at the end."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent
# Files whose tests share a build of seconds, or wait for one, by the seconds measured on two cores.
# In the middle, two workers could share such a file and build twice; the last tests are small.
FIRST = [
    ROOT / "broken/test_builds.py",  # 40
    ROOT / "broken/test_pages.py",  # 16
    ROOT / "myst_nb_fork/test_books.py",  # 14
    ROOT / "myst_nb_fork/test_kernels_comparison.py",  # 13
    ROOT / "docs/test_reference_gate.py",  # 11
    ROOT / "broken/test_packages.py",  # 9
    ROOT / "myst_nb_fork/test_live_builds.py",  # 9
    ROOT / "vtj/test_distributed.py",  # 8
    ROOT / "vtj/test_random_functions.py",  # 8
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if gone := [path for path in FIRST if not path.exists()]:
        raise pytest.UsageError(f"{__file__}: FIRST names files that are not there: {gone}")
    rank = {path: number for number, path in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(item.path, len(FIRST)))
