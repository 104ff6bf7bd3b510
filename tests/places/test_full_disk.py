"""A disk that is really full leaves the site as it was, and the next build needs no hand."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_whole_builds import Site, succeeds
from tests.places.conftest import mounted


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site on a small disk of its own."""
    made = Site(tmp_path)
    made.target.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=8m", "none", made.target):
        made.write("first")
        assert made.build() == (0, "")
        yield made


@pytest.mark.parametrize("free", [0, 20_000, 200_000, 400_000])
def test_a_full_disk_changes_nothing(site: Site, free: int) -> None:
    before = site.published()
    ballast = site.target / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(site.target).free - free))
    site.write("a second text")
    code, said = site.build()
    assert code != 0
    assert "No space left on device" in said
    assert site.published() == before
    ballast.unlink()
    assert succeeds(site, "third") != before
