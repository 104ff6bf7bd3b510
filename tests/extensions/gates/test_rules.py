"""What each rule says of a page: one site holds them all, and is built once."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.extensions.conftest import FRONT_MATTER
from tests.extensions.conftest import built as build

CONFIG = {
    "extensions": ["myst_nb_fork", "myst_nb", "gates", "recorded"],
    "nb_merge_streams": True,
    "nb_output_stderr": "show",
    "html_theme": "basic",
    "confirmed_sections_pages": ["confirmed*"],
    "confirmed_sections_oracle": "decimal",
}
DATA = "data:image/png;base64,AAAA"
TAGGED = ":tags: [raises-exception]\n"
NO = ':raises: "ValueError: no"\n'
HEAD = f"{FRONT_MATTER}\n# Page\n\n"
CONFIRM = "\nclass Case:\n    def confirm(self, **values): pass\n    def backward(self): pass\n"


def cell(code: str, options: str = "") -> str:
    """A cell of a page."""
    return f"```{{code-cell}} python\n{options}\n{code}\n```\n\n"


def shown(markup: str) -> str:
    """A cell that shows HTML."""
    return cell(f"from IPython.display import HTML\nHTML({markup!r})")


def raw(markup: str) -> str:
    """HTML on a page."""
    return f"```{{raw}} html\n{markup}\n```\n"


def typed(number: str) -> str:
    """What is said of a typed number."""
    cure = "quote a cell of the page, or what is recorded with {recorded}`…` or {quoted}`…`"
    return f"{number!r} is typed: let the build compute it with {{eval}}`…`, {cure}"


def wordless(markup: str) -> str:
    """What is said of a picture."""
    return f"a picture has no words: give it alt, aria-label or <title>: {markup}"


DRAWING = """
from IPython.display import HTML
def read_back(drawing): return drawing
drawing = HTML('<div class="vtj-figure"><svg><title>J</title></svg></div>')
drawing"""
NOT_READ = "a drawing is not read back: end the cell with read_back(drawing, …)"
QUOTED = cell("x = [1, 10]\ny = (\n    20)")
PAGES: dict[str, tuple[str, list[tuple[int, str]]]] = {
    # A cell that is meant to fail declares the exact error.
    "declared_error": (cell("raise ValueError('no')", TAGGED + NO), []),
    "error_that_does_not_come": (
        cell("1", TAGGED + NO),
        [(1, "the cell was to raise\n    ValueError: no\nbut raised nothing")],
    ),
    "another_error": (
        cell("raise ValueError('yes')", TAGGED + NO),
        [(1, "the cell was to raise\n    ValueError: no\nbut raised\n    ValueError: yes")],
    ),
    "error_that_a_later_torch_words_otherwise": (
        cell(
            "raise ValueError('new')",
            f'{TAGGED}{NO}:raises_since: {{"2.0.0": "ValueError: new"}}\n',
        )
        + cell(
            "raise ValueError('no')", f'{TAGGED}{NO}:raises_since: {{"2.0.0": "ValueError: new"}}\n'
        ),
        [(9, "the cell was to raise\n    ValueError: new\nbut raised\n    ValueError: no")],
    ),
    "place_in_sources_that_changes_with_each_build": (
        cell(
            "raise ValueError('no (Triggered internally at /csrc/engine.cpp:1307.)')", TAGGED + NO
        ),
        [],
    ),
    "undeclared_error": (
        cell("raise ValueError('no')", TAGGED),
        [(1, 'a cell tagged raises-exception must declare `:raises: "Type: message"`')],
    ),
    "error_without_tag": (
        cell("1") + cell("1", NO),
        [(6, "a cell with `:raises:` also needs `:tags: [raises-exception]`")],
    ),
    "page_that_stops_before_the_error": (cell("1 / 0") + cell("1", TAGGED + NO), []),
    "page_that_dies_before_the_error": (
        cell("import os; os._exit(3)") + cell("1", TAGGED + NO),
        [],
    ),
    "error_that_is_skipped": (
        cell("raise ValueError('no')", f":tags: [raises-exception, skip-execution]\n{NO}"),
        [(1, "the cell was to raise\n    ValueError: no\nbut raised nothing")],
    ),
    "hidden_error": (
        cell("raise ValueError('no')", f":tags: [raises-exception, remove-output]\n{NO}")
        + cell("raise ValueError('seen')", TAGGED + NO.replace("no", "seen")),
        [],
    ),
    # What a cell writes to its error stream.
    "stray_warning": (
        cell("import sys, warnings\nwarnings.warn('old', stacklevel=1)")
        + cell("print('out')\nprint('more', file=sys.stderr)\nprint('again', file=sys.stderr)"),
        [
            (
                1,
                "the cell was to warn of nothing\nbut wrote\n    cell_1.py:2: UserWarning: old\n"
                "      warnings.warn('old', stacklevel=1)",
            ),
            (7, "the cell was to warn of nothing\nbut wrote\n    more\n    again"),
        ],
    ),
    "declared_warning": (
        cell("import sys\nprint('more', file=sys.stderr)", ":mystnb: {output_stderr: show}\n"),
        [],
    ),
    "another_option_of_a_warning": (
        cell(
            "import sys\nprint('more', file=sys.stderr)", ":mystnb: {number_source_lines: true}\n"
        ),
        [(1, "the cell was to warn of nothing\nbut wrote\n    more")],
    ),
    # Digits.
    "numbers_that_may_stand": (
        QUOTED
        + cell("raise ValueError('1 is not 2')", f"{TAGGED}:raises: 'ValueError: 1 is not 2'\n")
        + "\n\n".join(
            (
                "Quoted: `[1, 10]`, `y = ( 20)` and `x =  [1, 10]`. Computed: {eval}`x[1]`.",
                "`ValueError: 1 is not 2`: Python 3.11, NumPy 2.4.6, 2026-11-21, a 0-d tensor.",
                "{recorded}`since torch 1.3.0 <torch.Tensor([1]) for a 0-d output>`",
                "{quoted}`expected shape [] but got [1] <Zeleni9/pytorch-wgan#1>`",
                "float64 and conv2d. Labels $x_1$ and $J_{21}$.",
                "$$\ny = x_1\n$$",
                "```python\n>>> 1 + 1\n2\n```",
                "```python\nx = [1, 10]\n```",
                "```{only} html\nNo number.\n```",
                "```{raw} html\n26\n```",
                "% 26 is a comment",
            )
        ),
        [],
    ),
    **{
        f"typed_number_{place}": (f"{QUOTED}{text}\n", [(7 + line, typed(number))])
        for place, (text, line, number) in enumerate(
            [
                ("The gradient is 26.", 1, "26."),
                ("conv2d of 4", 1, "4"),
                ("Since torch 2.13", 1, "2.13"),
                ("Since 1.3.0 only.", 1, "1.3.0"),
                ("See pytorch#17893.", 1, "pytorch#17893."),
                ("Of `x = [1, 10]`\nthe gradient is `[27]`.", 1, "[27]"),
                ("Squared: x².", 1, "x²."),
                ("Inline $6 x_1$.", 1, "6"),
                ("An index $x_1$ and a result $x_{21}3$.", 1, "3"),
                ("A formula, not a quotation $10$.", 1, "10"),
                ("In prose [1, 10] is no quotation.", 1, "[1,"),
                ("$$\ny = 3 x_1\n$$", 1, "3"),
                ("```python\ny = 4\n```", 1, "4"),
                ("- a\n- b is 5", 2, "5"),
                ("| a | b |\n|---|---|\n| 8 | x |", 1, "8"),
            ]
        )
    },
    # Pictures.
    "pictures_with_words": (
        f"![a graph]({DATA})\n\n```{{image}} {DATA}\n:alt: a graph\n```\n\n"
        + raw(
            "<img src='a.png' alt='a graph'><svg width='3' role='img' aria-label='J'></svg>"
            "<svg><title>J</title></svg><svg class='icon' aria-hidden='true'></svg>"
        )
        + "\n`<svg></svg><img>`\n\n"
        + shown("<svg aria-labelledby='J'></svg>"),
        [],
    ),
    **{
        f"picture_without_words_{place}": (f"Text.\n\n{markup}\n", [(3, wordless(said))])
        for place, (markup, said) in enumerate(
            [
                (f"![]({DATA})", DATA),
                (f"![ ]({DATA})", DATA),
                (f"```{{image}} {DATA}\n```", DATA),
                (raw('<img src="a.png" alt="">'), '<img src="a.png" alt="">'),
                (raw("<IMG SRC='a.png' ALT=' '>"), "<IMG SRC='a.png' ALT=' '>"),
                (raw('<svg aria-label=" ">\n</svg>'), '<svg aria-label=" ">\n</svg>'),
                (raw("<svg><title>J</title></svg><svg><a/></svg>"), "<svg><a/></svg>"),
                (raw("<svg><title> </title></svg>"), "<svg><title> </title></svg>"),
                (raw(f'<img src="{"a" * 70}.png">'), f'<img src="{"a" * 50}'),
                (shown("<svg></svg>"), "<svg></svg>"),
            ]
        )
    },
    "two_pictures_without_words": (
        raw("<svg></svg><img>"),
        [(1, wordless("<img>")), (1, wordless("<svg></svg>"))],
    ),
    # Drawings.
    "drawing_that_nothing_reads_back": (cell(DRAWING), [(1, NOT_READ)]),
    "drawing_that_another_section_reads_back": (
        f"{cell(DRAWING)}## Another\n\n{cell('assert read_back(drawing)')}",
        [(1, NOT_READ)],
    ),
    "another_drawing_than_is_read_back": (
        cell(DRAWING) + cell("other = drawing\nassert read_back(other)"),
        [(1, NOT_READ)],
    ),
    "drawings_that_are_read_back": (
        cell(DRAWING) + cell("assert read_back(drawing)") + cell("read_back(drawing)"),
        [],
    ),
    # Sections that run a case.
    "confirmed": (
        f"{cell(CONFIRM)}## The case\n\n{cell('Case().backward()')}{cell('y = 1')}"
        f"{cell('Case().confirm(y=y)')}{cell('y', ':tags: [site-only]')}## No case\n\n{cell('y')}",
        [],
    ),
    "confirmed_not": (
        f"{cell(CONFIRM)}## The case\n\n{cell('Case().backward()')}"
        f"{cell('import decimal; e = 1')}{cell('Case().confirm(y=e)')}",
        [(10, "the section 'The case' confirms y=e, but none of its earlier cells binds e")],
    ),
    "another_page_need_not": (cell(CONFIRM) + cell("Case().backward()"), []),
    # What a page would load.
    "request": (
        "% //cdn.example/a.js\n\n" + raw('<script src="//cdn.example/a.js"></script>'),
        [(4, "request.html would load //cdn.example/a.js, which is outside the site")],
    ),
}
RULES = {  # by a word of what is said
    "the cell was to warn": "stray_warnings",
    "is typed": "typed_numbers",
    "a picture has": "labeled_pictures",
    "a drawing is not": "pictures_read_back",
    "the section": "confirmed_sections",
    "would load": "self_contained",
}
WARNING = re.compile(
    r"^\S*/(?P<page>\w+)\.md:(?P<line>\d+): WARNING: (?P<text>(?:(?!WARNING)[\s\S])*?)"
    r" \[gates\.(?P<rule>\w+)\]$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Built:
    """The site: what each page was accused of, all that was said, and the folder of its HTML."""

    said: dict[str, list[tuple[int, str, str]]]
    told: str
    html: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build all pages."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {name: f"{HEAD}{text}" for name, (text, _) in PAGES.items()}
    pages["plain"] = (
        "---\nmyst: {html_meta: {description: Since torch 1.3.0}}\n---\n"
        "# Plain\n\nThe gradient is `[26]`.\n"
    )
    (folder / "static").mkdir()
    for name in ("a.js", "b.css", "c.svg"):
        outside = (
            f'<image href="//cdn.example/{name}"/><style>@import "//cdn.example/{name}"</style>'
        )
        (folder / "static" / name).write_text(outside, encoding="utf-8")
    text = build(folder, pages, CONFIG | {"html_static_path": [str(folder / "static")]})
    said: dict[str, list[tuple[int, str, str]]] = {}
    for found in WARNING.finditer(text):
        line = int(found["line"]) - HEAD.count("\n")
        said.setdefault(found["page"], []).append((line, found["text"], found["rule"]))
    return Built(said, text, folder / "html")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accused_of_its_fault_alone_and_on_its_line(built: Built, name: str) -> None:
    expected = [
        (line, text, next((r for word, r in RULES.items() if word in text), "expected_errors"))
        for line, text in PAGES[name][1]
    ]
    assert sorted(built.said.get(name, [])) == sorted(expected)


def test_a_page_without_cells_is_looked_at_too_and_its_description(built: Built) -> None:
    assert [(line + HEAD.count("\n"), text) for line, text, _ in built.said["plain"]] == [
        (1, typed("1.3.0")),
        (6, typed("[26]")),
    ]


@pytest.mark.parametrize(
    ("page", "text"), [("declared_error", "ValueError: no"), ("hidden_error", "ValueError: seen")]
)
def test_the_compared_text_is_shown_in_place_of_the_traceback(
    built: Built, page: str, text: str
) -> None:
    html = (built.html / f"{page}.html").read_text(encoding="utf-8")
    assert re.findall(r'<div class="output (.*?)">.*?<span></span>(.*?)\n</p', html) == [
        ("traceback highlight-none notranslate", text)
    ]


def test_style_sheets_and_drawings_are_looked_at_too(built: Built) -> None:
    assert re.findall(r"^WARNING: (.*) \[gates", built.told, re.MULTILINE) == [
        f"_static/{name} would load //cdn.example/{name}, which is outside the site"
        for name in ("b.css", "c.svg", "c.svg")
    ]
