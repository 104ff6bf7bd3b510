from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

Build = Callable[..., str]
STILL = {"nb_execution_mode": "off"}  # no cells here
TEMPLATES = Path(__file__).parents[2] / "conf" / "templates"


def test_every_page_ends_with_the_versions_that_ran(build: Build, tmp_path: Path) -> None:
    settings = {"html_theme": "furo", "templates_path": [str(TEMPLATES)], **STILL}
    build("versions_line", config=settings, page="# Title\n\nText.\n")
    python = ".".join(map(str, sys.version_info[:3]))
    ran = f"torch {torch.__version__}, NumPy {np.__version__}, Python {python}"
    line = f"Outputs computed by {ran}."
    for name in ("index", "page", "genindex", "search"):
        page = (tmp_path / "html" / f"{name}.html").read_text(encoding="utf-8")
        footer = page[page.index("<footer>") : page.index("</footer>")]
        assert f'<p class="versions-line">{line}' in footer, name
