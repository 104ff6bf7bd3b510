"""Nothing that a written page would load stands outside the site."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import self_contained
from self_contained import report, requests

STILL = {"html_theme": "basic", "nb_execution_mode": "off"}  # no cells here


def of_page(markup: str, folder: Path) -> list[str]:
    file = folder / "page.html"
    file.write_text(f"<p>é</p>{markup}", encoding="utf-8")
    return list(requests(file))


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example/a"></script>',
        '<SCRIPT SRC="HTTPS://cdn.example/a"></SCRIPT>',
        '<script async src="//cdn.example/a"></script>',
        '<img src=https://cdn.example/a alt="">',
        '<img src=" https://cdn.example/a" alt="">',
        '<img srcset="https://cdn.example/a 2x" alt="">',
        '<img src="a.png" srcset="a.png 1x,https://cdn.example/a 2x" alt="">',
        '<link rel="preload" as="image" imagesrcset="a.png, https://cdn.example/a 2x">',
        '<link rel="stylesheet" href="https://cdn.example/a">',
        '<link rel="alternate StyleSheet" href="https://cdn.example/a">',
        '<link href="https://cdn.example/a" rel="dns-prefetch preconnect">',
        '<iframe src="http://cdn.example/a"></iframe>',
        '<object data="https://cdn.example/a"></object>',
        '<video poster="https://cdn.example/a"></video>',
        '<table background="https://cdn.example/a"></table>',
        '<svg><image href="https://cdn.example/a"/></svg>',
        '<image src="https://cdn.example/a">',  # as browsers see it, an img
        '<svg><image xlink:href="https://cdn.example/a"/></svg>',
        '<svg><use href="https://cdn.example/a"/></svg>',
        '<svg><use xlink:href="https://cdn.example/a"/></svg>',
        "<style>@import 'https://cdn.example/a';</style>",
        '<p style="background: url(https://cdn.example/a)">text</p>',
    ],
)
def test_what_a_page_would_load_from_outside_is_found(markup: str, tmp_path: Path) -> None:
    (address,) = of_page(markup, tmp_path)
    assert address.strip().lower().removeprefix("http").lstrip("s:") == "//cdn.example/a"


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="https://example.org">a link is followed by choice</a>',
        '<a rel="stylesheet" href="https://example.org">by choice</a>',
        '<link rel="canonical" href="https://example.org/page">',
        '<link href="https://example.org/page">',
        '<link rel="stylesheet">',
        '<img src="data:image/png;base64,AAAA" alt="">',
        '<img srcset="data:image/png;base64,//AA 2x, a.png" alt="">',
        '<img src="a, //cdn.example/a" alt="">',
        '<img src="_static/a.png" alt="https://example.org">',
        "<p>https://example.org/a.js in text</p>",
        '<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg>',
    ],
)
def test_links_and_the_sites_own_files_are_no_requests(markup: str, tmp_path: Path) -> None:
    assert of_page(markup, tmp_path) == []


def test_every_request_of_a_page_is_found(tmp_path: Path) -> None:
    markup = (
        '<img src="https://a/" srcset="https://b/ 1x, c.png 2x, //d/ 3x" alt="">'
        '<link rel="icon" href="https://e/"><style>p { background: url("https://f/") }</style>'
    )
    found = ["https://f/", "https://a/", "https://b/", "//d/", "https://e/"]  # of styles first
    assert of_page(markup, tmp_path) == found


def test_a_style_sheet_is_looked_at_too(tmp_path: Path) -> None:
    sheet = tmp_path / "a.css"
    text = """@font-face { src: url("https://cdn.example/a.woff2") } p { color: red }
    /* <img src="https://cdn.example/no.png"> */"""
    sheet.write_text(text)
    assert list(requests(sheet)) == ["https://cdn.example/a.woff2"]


def site(folder: Path, format_: str = "html") -> Any:
    """A build that has written a script, a style sheet, a drawing and a page, all with requests."""
    outside = '<image href="//cdn.example/%s"/><style>@import "//cdn.example/%s"</style>'
    for name in ("a.js", "b.css", "c.svg", "more/d.html"):
        (folder / "html" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "html" / name).write_text(outside % (name, name))
    (folder / "more").mkdir()
    address = "//cdn.example/more/d.html"
    (folder / "more/d.md").write_text(f"# A page\n\n% {address}\n\nLoads {address}.\n")
    env = SimpleNamespace(found_docs={"more/d"}, doc2path=lambda name: folder / f"{name}.md")
    return SimpleNamespace(
        builder=SimpleNamespace(format=format_),
        outdir=folder / "html",
        doctreedir=folder,
        env=env,
    )


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is logged."""
    said: list[str] = []

    def warning(text: str, *values: object, location: object, type: str) -> None:
        said.append(f"{location}: {text % values} [{type}]")

    monkeypatch.setattr(self_contained, "logger", SimpleNamespace(warning=warning))
    return said


def test_pages_drawings_and_style_sheets_are_looked_at(tmp_path: Path, told: list[str]) -> None:
    report(site(tmp_path), None)
    page = ("more/d", 5)
    assert told == [
        f"{at}: {name} would load //cdn.example/{name}, which is outside the site [self_contained]"
        for at, name in (
            (None, "b.css"),
            *[(None, "c.svg")] * 2,
            *[(page, "more/d.html")] * 2,
        )
    ]


@pytest.mark.parametrize(("format_", "failure"), [("html", OSError("full")), ("latex", None)])
def test_nothing_is_said_after_a_failure_or_of_another_format(
    format_: str, failure: Exception | None, tmp_path: Path, told: list[str]
) -> None:
    report(site(tmp_path, format_), failure)
    assert told == []
