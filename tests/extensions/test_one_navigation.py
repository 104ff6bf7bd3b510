"""The navigation that is made once is, on every page, the one that Furo makes for it."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import one_navigation
import pytest
from one_navigation import Navigation, make, navigations, put, spare

from tests.extensions.conftest import Build

CONFIG: dict[str, Any] = {"html_theme": "furo", "nb_execution_mode": "off"}
LIST = "```{toctree}\n:caption: Some\n%s\n```\n"
HIDDEN = "```{toctree}\n:hidden:\n:maxdepth: 1\n%s\n```\n"
PAGES = {
    "first": "# The *first* `page` & more\n\n## A section\n\nText.\n",
    "late": "Words come first.\n\n# Late\n\n# Later\n",
    "again": "# Again\n\n````{only} html\n" + LIST % "twice\nTwice <twice>" + "````\n",
    "part": "# A part\n\n" + LIST % "part/one\npart/two\nAway <https://example.org/>",
    "aside": "# Aside\n\n" + HIDDEN % "part/hidden",
}
NESTED = {
    "twice": "# Twice\n",
    "part/one": "# One\n\n" + LIST % "deep",
    "part/two": "# Two\n",
    "part/deep": "# Deep\n",
    "part/hidden": "# Hidden\n\n" + LIST % "below",
    "part/below": "# Below\n",
    "alone": "# Alone\n",
}


def test_every_page_is_what_furo_makes_of_it(build: Build, tmp_path: Path) -> None:
    (tmp_path / "docs" / "part").mkdir(parents=True)
    for name, text in NESTED.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    build("rare_collections", config=CONFIG, **PAGES)
    html = tmp_path / "html"
    furo = shutil.copytree(html, tmp_path / "furo")
    build("one_navigation", config=CONFIG, **PAGES)
    assert len(navigations) == 1
    compared = sorted(path.relative_to(html) for path in html.rglob("*.html"))
    assert len(compared) == len(PAGES | NESTED) + len(["index", "search", "genindex"])
    for path in compared:
        assert (html / path).read_text() == (furo / path).read_text(), path
    deep = (html / "part" / "deep.html").read_text()
    assert deep.count("current-page") == 1
    assert deep.count('checked=""') == 2


def test_a_page_that_stands_in_it_twice_is_left_to_furo() -> None:
    link = '<li class="toctree-l1"><a class="reference internal" href="a.html">A</a></li>'
    assert Navigation(f"<ul>{link}{link}</ul>").on("a.html") is None
    assert Navigation(f"<ul>{link}</ul>").on("sub/b.html") == (
        f"<ul>{link}</ul>".replace("a.html", "../a.html")
    )


def test_a_page_that_stands_in_it_once_is_marked() -> None:
    link = '<li class="toctree-l1"><a class="reference internal" href="a.html">A</a></li>'
    assert Navigation(f"<ul>{link}</ul>").on("a.html") == (
        '<ul class="current"><li class="toctree-l1 current current-page">'
        '<a class="current reference internal" href="#">A</a></li></ul>'
    )


def test_furo_makes_nothing_and_the_template_may_still_make_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app: Any = SimpleNamespace(builder=SimpleNamespace(get_target_uri=lambda page: f"{page}.html"))
    monkeypatch.setattr(one_navigation, "navigations", [Navigation("<ul></ul>")])
    context: dict[str, Any] = {"toctree": (own := lambda **options: "all")}
    spare(app, "page", "page.html", context, None)
    assert context["toctree"](collapse=False) == ""
    put(app, "page", "page.html", context, None)
    assert context == {"toctree": own, "furo_navigation_tree": "<ul></ul>"}


def test_another_theme_keeps_its_own(build: Build, tmp_path: Path) -> None:
    build("one_navigation", config={"nb_execution_mode": "off"}, page="# A page\n")
    assert navigations == []
    assert (
        '<a class="reference internal" href="page.html">A page</a>'
        in (tmp_path / "html" / "index.html").read_text()
    )


def test_another_builder_has_none() -> None:
    builder: Any = SimpleNamespace()
    make(builder, builder)
    assert navigations == []
    context: dict[str, Any] = {}
    put(builder, "page", "page.html", context, None)
    assert context == {}
