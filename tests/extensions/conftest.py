"""A Sphinx project of a few pages, built in this process: what a gate says of them."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

FRONT_MATTER = """\
---
file_format: mystnb
kernelspec: {name: python3, language: python, display_name: Python 3}
---
"""
Build = Callable[..., str]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build pages, given as name=text, with an extension; return the warnings it logged."""

    def run(extension: str, *, config: dict[str, Any] | None = None, **pages: str) -> str:
        source = tmp_path / "docs"
        source.mkdir(exist_ok=True)
        for name, text in pages.items():
            (source / f"{name}.md").write_text(FRONT_MATTER + text, encoding="utf-8")
        listing = "\n".join(pages)
        (source / "index.md").write_text(f"# All pages\n\n```{{toctree}}\n{listing}\n```\n")
        settings = {
            "extensions": ["myst_nb", extension],
            "myst_enable_extensions": ["dollarmath", "colon_fence"],
            "nb_execution_mode": "inline",
            "nb_execution_in_temp": True,
            "nb_eval_name_regex": "^.+$",
            **(config or {}),
        }
        warnings = io.StringIO()
        with patch_docutils(), docutils_namespace():
            Sphinx(
                source,
                None,
                tmp_path / "html",
                tmp_path / "doctrees",
                "html",
                confoverrides=settings,
                status=None,
                warning=warnings,
                freshenv=True,
            ).build(True)
        return re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue())

    return run
