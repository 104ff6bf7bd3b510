"""A Sphinx project of a few pages, built in this process: what a gate says of them."""

import io
import locale
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
SETTINGS = {
    "myst_enable_extensions": ["dollarmath", "colon_fence"],
    "nb_execution_mode": "inline",
    "nb_execution_in_temp": True,
    "nb_eval_name_regex": "^.+$",
}
Build = Callable[..., str]


@contextmanager
def seven_bits() -> Iterator[None]:
    """Set a locale in which a file that is opened without an encoding takes ASCII alone."""
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        yield
    finally:
        locale.setlocale(locale.LC_CTYPE, before)


def built(
    folder: Path,
    pages: dict[str, str],
    settings: dict[str, Any],
    *,
    fresh: bool = True,
    builder: str = "html",
) -> str:
    """Build pages into a folder, in a locale of seven bits; return the warnings."""
    source = folder / "docs"
    listing = "\n".join(pages)
    texts = {"index": f"# All pages\n\n```{{toctree}}\n{listing}\n```\n", **pages}
    for name, text in texts.items():
        file = source / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    folders = (source, None, folder / builder, folder / "doctrees")
    warnings = io.StringIO()
    with seven_bits(), patch_docutils(), docutils_namespace():
        app = Sphinx(
            *folders,
            builder,
            confoverrides=SETTINGS | settings,
            status=None,
            warning=warnings,
            freshenv=fresh,
        )
        app.build(force_all=fresh)
    return re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue())


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build pages, given as name=text, with an extension; return the warnings it logged.

    With `fresh=False` a build goes on from the one before it, as Sphinx's incremental builds do.
    The builder `dummy` reads the pages and writes nothing.
    """

    def run(
        extension: str,
        *,
        config: dict[str, Any] | None = None,
        fresh: bool = True,
        builder: str = "html",
        **pages: str,
    ) -> str:
        texts = {name: FRONT_MATTER + text for name, text in pages.items()}
        settings = {"extensions": ["myst_nb_fork", "myst_nb", extension], **(config or {})}
        return built(tmp_path, texts, settings, fresh=fresh, builder=builder)

    return run
