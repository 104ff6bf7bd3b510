"""A page loads what it uses, and holds no markup that nothing uses."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Build = Callable[..., str]
SETTINGS = {
    "html_theme": "furo",
    "html_css_files": ["figures.css", "tables.css"],
    "html_js_files": ["filter.js"],
    "extensions": ["myst_nb", "sphinx_design", "sphinx_copybutton", "light_pages"],
    "nb_execution_mode": "off",
}
TABS = """\
# Tabs

::::{tab-set}
:::{tab-item} One
text
:::
::::
"""


def test_a_page_loads_what_it_uses_and_no_more(build: Build, tmp_path: Path) -> None:
    pages = {
        "plain": "# Plain\n\nText.\n",
        "tabs": TABS,
        "card": "# Card\n\n:::{card}\ntext\n:::\n",
        "code": "# Code\n\n```python\nx\n```\n",
        "table": '# Table\n\n<table class="vtj" data-filter="verdict"></table>\n',
        "figure": '# Figure\n\n<figure class="vtj-figure"></figure>\n',
    }
    assert build("light_pages", config=SETTINGS, **pages) == ""
    loaded = {
        name: {
            file
            for file in (
                "mystnb.",
                "sphinx-design.min.css",
                "design-tabs.js",
                "clipboard.min.js",
                "copybutton.js",
                "copybutton.css",
                "doctools.js",
                "furo-extensions.css",
                "figures.css",
                "tables.css",
                "filter.js",
            )
            if f"/{file}" in (tmp_path / "html" / f"{name}.html").read_text("utf-8")
        }
        for name in (*pages, "search")
    }
    design, copy = (
        {"sphinx-design.min.css", "furo-extensions.css"},
        {"clipboard.min.js", "copybutton.js", "copybutton.css"},
    )
    assert loaded == {
        "plain": {"doctools.js"},
        "tabs": {"doctools.js", "design-tabs.js", *design},
        "card": {"doctools.js", *design},
        "code": {"doctools.js", *copy},
        "table": {"doctools.js", "tables.css", "filter.js"},
        "figure": {"doctools.js", "figures.css"},
        "search": {"doctools.js"},
    }


def test_what_another_extension_adds_to_a_page_counts(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(app: object, page: str, template: str, context: dict[str, Any], tree: object) -> None:
        context["body"] = context.get("body", "") + '<details class="fold"></details>'

    other = ModuleType("other")
    other.setup = lambda app: app.connect("html-page-context", add) and {}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other", other)
    more = {"html_js_files": ["fold.js"], "extensions": ["myst_nb", "light_pages", "other"]}
    build("light_pages", config={**SETTINGS, **more, "html_theme": "basic"}, page="# Page\n")
    assert "fold.js" in (tmp_path / "html" / "page.html").read_text("utf-8")


def test_words_of_code_are_not_wrapped_one_by_one(build: Build, tmp_path: Path) -> None:
    build("light_pages", config=SETTINGS, page="# Words\n\nCall `y.backward(v)` <i>now</i>.\n")
    page = (tmp_path / "html" / "page.html").read_text("utf-8")
    assert '<code class="docutils literal notranslate">y.backward(v)</code> <i>now</i>' in page


def test_code_loses_the_spans_that_color_nothing(build: Build, tmp_path: Path) -> None:
    config = {**SETTINGS, "pygments_dark_style": "a11y-high-contrast-dark"}
    build("light_pages", config=config, page="# Code\n\n```python\nx = f(1)\n```\n")
    page = (tmp_path / "html" / "page.html").read_text("utf-8")
    assert 'x <span class="o">=</span> f(<span class="mi">1</span>)' in page
    styles = (tmp_path / "html" / "_static" / "pygments.css").read_text("utf-8")
    plain = re.findall(r"^(.*)\.highlight \{.*color: (#\w+) \}", styles, re.MULTILINE)
    assert len(plain) == 3  # light, chosen dark, the system's dark
    for theme, color in plain:
        for name in "npw":
            assert f"{theme}.highlight .{name} {{ color: {color} }}" in styles
