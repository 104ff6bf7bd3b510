"""Nothing that a written page would load stands outside the site."""

from pathlib import Path

import pytest
from gates.self_contained import addresses


def of_page(markup: str, folder: Path) -> list[str]:
    file = folder / "page.html"
    file.write_text(f"<p>é</p>{markup}", encoding="utf-8")
    return list(addresses(file))


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
