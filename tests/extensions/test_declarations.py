"""What each extension tells Sphinx of itself."""

from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

EXTENSIONS = Path(__file__).parents[2] / "conf/extensions"
FILES = [file for file in EXTENSIONS.glob("*.py") if "\ndef setup(" in file.read_text("utf-8")]
PACKAGES = [file for file in EXTENSIONS.glob("*/__init__.py") if "setup" in file.read_text("utf-8")]
NAMES = sorted([*(file.name for file in FILES), *(file.parent.name for file in PACKAGES)])
KEPT = {"env_version"}
"""What Sphinx keeps of an extension's metadata and gives no other name."""


@pytest.mark.parametrize("name", NAMES)
def test_pages_may_be_read_and_written_side_by_side(name: str, tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Home\n")
    module = name.removesuffix(".py")
    settings = {"extensions": ["myst_nb", module]}
    with patch_docutils(), docutils_namespace():
        app = Sphinx(
            tmp_path,
            None,
            tmp_path / "html",
            tmp_path / "doctrees",
            "dummy",
            confoverrides=settings,
            status=None,
            warning=None,
        )
        app.build()  # so that what an extension has started ends
    extension = app.extensions[module]
    assert extension.parallel_read_safe is True
    assert extension.parallel_write_safe is True
    assert extension.metadata.keys() <= KEPT
