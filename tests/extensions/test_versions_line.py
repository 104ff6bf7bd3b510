from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from versions_line import add_line

Build = Callable[..., str]
STILL = {"nb_execution_mode": "off"}  # no cells here
TEMPLATES = Path(__file__).parents[2] / "conf" / "templates"


PYTHON = ".".join(map(str, sys.version_info[:3]))
LINE = f"Outputs computed by torch {version('torch')}, NumPy {np.__version__}, Python {PYTHON}."


def test_the_line_names_what_ran() -> None:
    assert torch.__version__.startswith(version("torch"))  # one built for CUDA adds its version
    context: dict[str, Any] = {"title": "Page"}
    add_line(None, "page", "page.html", context, None)  # type: ignore[arg-type]
    assert context == {"title": "Page", "versions_line": LINE}


def test_every_page_ends_with_the_versions_that_ran(build: Build, tmp_path: Path) -> None:
    settings = {"html_theme": "furo", "templates_path": [str(TEMPLATES)], **STILL}
    build("versions_line", config=settings, page="# Title\n\nText.\n")
    for name in ("index", "page", "genindex", "search"):
        page = (tmp_path / "html" / f"{name}.html").read_text(encoding="utf-8")
        footer = page[page.index("<footer>") : page.index("</footer>")]
        assert f'<p class="versions-line">{LINE}' in footer, name
