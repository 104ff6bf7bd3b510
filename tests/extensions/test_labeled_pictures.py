"""Every picture has words."""

import pytest

from tests.extensions.conftest import Build

STILL = {"nb_execution_mode": "off"}
RAW = "\n# Page\n\n```{{raw}} html\n{}\n```\n"


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="a.png">',
        '<img src="a.png" alt="">',
        '<svg width="3"><text>6</text></svg>',
        '<svg aria-label=" "></svg>',
        '<svg><title>a drawing</title></svg><svg><path d="M0"/></svg>',
    ],
)
def test_a_picture_without_words_is_named_with_its_line(build: Build, markup: str) -> None:
    warnings = build("labeled_pictures", config=STILL, page=RAW.format(markup))
    assert "page.md:8: WARNING: a picture has no words" in warnings
    assert warnings.count("WARNING") == 1


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="a.png" alt="a graph">',
        '<svg width="3" role="img" aria-label="J"><text>6</text></svg>',
        "<svg><title>J</title></svg>",
        '<svg class="icon" aria-hidden="true"><path d="M0"/></svg>',
    ],
)
def test_a_picture_with_words_passes(build: Build, markup: str) -> None:
    assert build("labeled_pictures", config=STILL, page=RAW.format(markup)) == ""


@pytest.mark.parametrize(("alt", "count"), [("", 1), ("a graph", 0)])
def test_an_image_of_markdown_needs_its_words_too(build: Build, alt: str, count: int) -> None:
    page = f"\n# Page\n\n![{alt}](data:image/png;base64,AAAA)\n"
    warnings = build("labeled_pictures", config=STILL, page=page)
    assert warnings.count("page.md:8: WARNING: a picture has no words") == count
