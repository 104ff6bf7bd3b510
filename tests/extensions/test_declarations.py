"""What each extension tells Sphinx of itself, and that the order of all stands in one place."""

from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

EXTENSIONS = Path(__file__).parents[2] / "conf/extensions"
KEPT = {"env_version"}
"""What Sphinx keeps of an extension's metadata and gives no other name."""
ORDER = "reading/__init__.py"
"""The one file that gives its handlers a priority: what is done to a page, from first to last."""


def holding(text: str, folder: Path) -> list[str]:
    """Return the files of a folder that hold a text."""
    files = sorted(folder.rglob("*.py"))
    held = [file for file in files if text in file.read_text(encoding="utf-8")]
    return [file.relative_to(folder).as_posix() for file in held]


ROOMS = [Path(file).parent for file in holding("\ndef setup(", EXTENSIONS)]
NAMES = [".".join(room.parts) for room in ROOMS]


@pytest.mark.parametrize("name", NAMES)
def test_pages_may_be_read_and_written_side_by_side(name: str, tmp_path: Path) -> None:
    (tmp_path / "index.md").touch()
    folders = (tmp_path, None, tmp_path / "html", tmp_path / "doctrees")
    settings = {"extensions": ["myst_nb", name]}
    with patch_docutils(), docutils_namespace():
        app = Sphinx(*folders, "dummy", confoverrides=settings, status=None, warning=None)
    extension = app.extensions[name]
    assert extension.parallel_read_safe is True
    assert extension.parallel_write_safe is True
    assert extension.metadata.keys() <= KEPT


def test_an_order_stands_in_one_place() -> None:
    assert holding("priority=", EXTENSIONS) == [ORDER]


def test_another_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text('app.connect("doctree-read", look, priority=1)\n')
    (tmp_path / "none.py").write_text('app.connect("doctree-read", look)\n')
    assert holding("priority=", tmp_path) == ["new.py"]
