from __future__ import annotations

from pathlib import Path

import pytest
from self_contained import report, requests

from tests.extensions.conftest import FRONT_MATTER, Build

AT = FRONT_MATTER.count("\n") + 4
STILL = {"nb_execution_mode": "off"}  # no cells here


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example/a.js"></script>',
        '<script src="//cdn.example/a.js"></script>',
        '<img src=https://cdn.example/a.png alt="">',
        '<img srcset="https://cdn.example/a.png 2x" alt="">',
        '<link rel="stylesheet" href="https://cdn.example/a.css">',
        '<link href="https://cdn.example" rel="dns-prefetch preconnect">',
        '<iframe src="http://cdn.example/"></iframe>',
        '<object data="https://cdn.example/a.svg"></object>',
        '<video poster="https://cdn.example/a.png"></video>',
        '<svg><image href="https://cdn.example/a.png"/></svg>',
        '<svg><use xlink:href="https://cdn.example/a.svg#b"/></svg>',
        "<style>@import 'https://cdn.example/a.css';</style>",
        '<p style="background: url(https://cdn.example/a.png)">text</p>',
    ],
)
def test_what_a_page_would_load_from_outside_fails_the_build(
    markup: str, build: Build, tmp_path: Path
) -> None:
    warnings = build(
        "self_contained", config=STILL, page=f"# Title\n\n```{{raw}} html\n{markup}\n```\n"
    )
    assert warnings.count("[self_contained]") == 1
    assert "page.html would load " in warnings
    assert f"page.md:{AT}: WARNING" in warnings
    assert "cdn.example" in warnings


@pytest.mark.parametrize(
    "markup",
    [
        '<a href="https://example.org">a link is followed by choice</a>',
        '<link rel="canonical" href="https://example.org/page">',
        '<img src="data:image/png;base64,AAAA" alt="">',
        '<img src="_static/a.png" alt="">',
        "<p>https://example.org/a.js in text</p>",
        '<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg>',
    ],
)
def test_links_and_the_sites_own_files_are_no_requests(markup: str, build: Build) -> None:
    page = f"# Title\n\n```{{raw}} html\n{markup}\n```\n"
    assert "self_contained" not in build("self_contained", config=STILL, page=page)


def test_a_style_sheet_is_looked_at_too(tmp_path: Path) -> None:
    sheet = tmp_path / "a.css"
    sheet.write_text('@font-face { src: url("https://cdn.example/a.woff2") } p { color: red }')
    assert list(requests(sheet)) == ["https://cdn.example/a.woff2"]


def test_after_a_failure_nothing_is_added_to_it() -> None:
    class Failed:
        pass

    report(Failed(), RuntimeError("the build failed"))  # type: ignore[arg-type]


def test_an_incremental_build_looks_at_what_was_written_and_at_what_was_faulty(
    build: Build, tmp_path: Path
) -> None:
    raw = "# Title\n\n```{raw} html\n%s\n```\n"
    faulty = '<img src="https://cdn.example/a.png" alt="">'
    pages = {"good": raw % "<p>text</p>", "bad": raw % faulty}
    assert "bad.html would load" in build("self_contained", config=STILL, **pages)
    again = build("self_contained", config=STILL, fresh=False, **pages)
    assert again.count("[self_contained]") == 1
    assert "bad.html would load" in again
    pages = {"good": raw % faulty, "bad": raw % "<p>text</p>"}
    mended = build("self_contained", config=STILL, fresh=False, **pages)
    assert mended.count("[self_contained]") == 1
    assert "good.html would load" in mended
    html = tmp_path / "html"
    state = html.with_name("doctrees") / "self_contained.json"
    assert str(html / "bad.html") in state.read_text(encoding="utf-8")
    assert str(html / "good.html") not in state.read_text(encoding="utf-8")
