"""Every picture has words."""

import pytest
from docutils import nodes
from docutils.utils import new_document
from labeled_pictures import cell_of, unlabeled

from tests.extensions.conftest import Build

STILL = {"nb_execution_mode": "off"}
RAW = "\n# Page\n\n```{{raw}} html\n{}\n```\n"
DATA = "data:image/png;base64,AAAA"
CELL = """
# Page

Text.

```{{code-cell}} python
from IPython.display import HTML
HTML({!r})
```
"""


def of(markup: str) -> list[str]:
    """Return the pictures without words of a page that holds some markup."""
    page = new_document("page")
    page += nodes.raw("", markup, format="html")
    return [found for node, found in unlabeled(page) if node is page[0]]


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ('<img src="a.png">', ['<img src="a.png">']),
        ('<img src="a.png" alt="">', ['<img src="a.png" alt="">']),
        ("<IMG SRC='a.png' ALT=' '>", ["<IMG SRC='a.png' ALT=' '>"]),
        ('<svg width="3"><text>6</text></svg>', ['<svg width="3"><text>6</text></svg>']),
        ('<svg aria-label=" ">\n</svg>', ['<svg aria-label=" ">\n</svg>']),
        (
            '<svg><title>a drawing</title></svg><svg><path d="M0"/></svg>',
            ['<svg><path d="M0"/></svg>'],
        ),
        ("<img><svg></svg><img>", ["<img>", "<img>", "<svg></svg>"]),
    ],
)
def test_a_picture_without_words_is_found(markup: str, found: list[str]) -> None:
    assert of(markup) == found


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="a.png" alt="a graph">',
        '<svg width="3" role="img" aria-label="J"><text>6</text></svg>',
        "<svg><title>J</title></svg>",
        '<svg class="icon" aria-hidden="true"><path d="M0"/></svg>',
    ],
)
def test_a_picture_with_words_passes(markup: str) -> None:
    assert of(markup) == []


def test_a_picture_in_a_piece_of_code_is_none() -> None:
    page = new_document("page")
    page += nodes.literal_block("", "<svg></svg><img>")
    assert list(unlabeled(page)) == []


def test_the_cell_of_a_picture_is_the_one_around_it() -> None:
    cell, output, picture = nodes.container(cell_index="3"), nodes.container(), nodes.Text("")
    output += picture
    assert cell_of(picture) is None
    cell += output
    assert cell_of(picture) == cell_of(cell) == 3


def test_what_is_said_shows_the_beginning_of_the_picture(build: Build) -> None:
    markup = f'<img src="{"a" * 70}.png">'
    warnings = build("labeled_pictures", config=STILL, builder="dummy", page=RAW.format(markup))
    assert warnings.endswith(
        "page.md:8: WARNING: a picture has no words: give it alt, aria-label or <title>: "
        f"{markup[:60]} [labeled_pictures]\n"
    )


@pytest.mark.parametrize(
    ("image", "count"),
    [
        (f"![]({DATA})", 1),
        (f"![ ]({DATA})", 1),
        (f"```{{image}} {DATA}\n```", 1),
        (f"![a graph]({DATA})", 0),
        (f"```{{image}} {DATA}\n:alt: a graph\n```", 0),
    ],
)
def test_an_image_of_markdown_needs_its_words_too(build: Build, image: str, count: int) -> None:
    page = f"\n# Page\n\n{image}\n"
    warnings = build("labeled_pictures", config=STILL, builder="dummy", page=page)
    said = (
        f"page.md:8: WARNING: a picture has no words: give it alt, aria-label or <title>: {DATA} "
    )
    assert warnings.count(said) == warnings.count("WARNING") == count


@pytest.mark.parametrize(("markup", "count"), [("<svg></svg>", 1), ("<svg><title>J</title>", 0)])
def test_what_a_cell_shows_is_named_with_the_line_of_the_cell(
    build: Build, markup: str, count: int
) -> None:
    warnings = build("labeled_pictures", builder="dummy", page=CELL.format(markup))
    assert warnings.count("page.md:10: WARNING: a picture has no words") == count
    assert warnings.count("WARNING") == count
