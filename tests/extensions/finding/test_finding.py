"""What the search can lead to: the sections of a page, and the data that the browser ranks."""

import ast
import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from finding import ASKED, LETTERS, SYNONYMS, write, write_data
from finding.sections import sections
from sphinx.errors import ExtensionError

from tests.extensions.conftest import built

NESTED = """
<p>Outside of the article.</p>
<article><section id="page"><h1>Page<a class="headerlink">¶</a></h1>
<p>One <b>bold</b> word.<br>And more.</p>
<section id="part"><span id="old-name"></span><details><summary><h2>Part</h2></summary>
<p>Folded.</p></details></section>
<p>After the part.</p></section></article>
"""
KINDS = """
<article><section id="page"><h1>Page</h1>
<div class="cell_input"><pre>y.backward(<span>v</span>)</pre></div>
<div class="traceback"><pre>RuntimeError: no</pre></div>
<math><mi>x</mi></math><svg><title>A graph</title></svg><button>Copy</button>
<div class="toctree-wrapper"><ul><li>Another page</li></ul></div>
<p>More: <a>another section</a>, <a>a third one</a>.</p>
<p>It <button class="statement">never</button><span class="rests-on">9 cases</span> does.</p>
<table><tr><td>left</td><td>right</td></tr></table></section></article>
"""
TERMS = """
<article><section id="words"><h1>Words</h1><dl>
<dt id="term-vjp">VJP<a class="headerlink">¶</a></dt><dd><p>A product.</p></dd>
<dt id="term-leaf">leaf</dt><dd><p>A tensor.</p><dl><dt>no term</dt><dd>It belongs.</dd></dl></dd>
</dl><p>After all.</p></section></article>
"""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(
            NESTED,
            [
                ("page", ["Page"], ["One bold word. And more.", "After the part."]),
                ("part", ["Page", "Part"], ["Folded."]),
            ],
            id="a section in another, folded",
        ),
        pytest.param(
            KINDS,
            [("page", ["Page"], ["It never does.", "left", "right"])],
            id="what is no sentence",
        ),
        pytest.param(
            TERMS,
            [
                ("words", ["Words"], ["After all."]),
                ("term-vjp", ["Words", "VJP"], ["A product."]),
                ("term-leaf", ["Words", "leaf"], ["A tensor.", "no term", "It belongs."]),
            ],
            id="terms",
        ),
        pytest.param("<section id='a'><h1>A</h1></section>", [], id="no article"),
        pytest.param("<article></p><h1>No section</h1></article>", [], id="a stray end"),
    ],
)
def test_each_part_of_a_page_is_found_on_its_own(
    html: str, expected: list[tuple[str, list[str], list[str]]]
) -> None:
    found = sections(html)
    assert [(one.anchor, one.titles, one.text) for one in found] == expected


def test_every_address_of_a_section_is_known() -> None:
    assert [one.ids for one in sections(NESTED)] == [["page"], ["part", "old-name"]]


def test_code_and_messages_are_told_from_sentences() -> None:
    [found] = sections(KINDS)
    assert found.code == ["y.backward(v)"]
    assert found.messages == ["RuntimeError: no"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("finding")
    settings = {
        "extensions": ["myst_nb", "finding"],
        "html_theme": "furo",
        "nb_execution_mode": "off",
        "finding_weights": {"deep/*": 0.5, "*#next": 0.1},
    }
    pages = {
        "deep/page": "# Page\n\nAbout v.\n\n## Next\n\nMore.\n\n## Empty\n",
        "flat": "# Flat\n",
    }
    assert built(made, pages, settings) == ""
    return made / "html"


def data(site: Path) -> dict[str, Any]:
    script = (site / "_static" / "search-data.js").read_text(encoding="utf-8")
    letters: str = ast.literal_eval(
        script.removeprefix("window.VTJ_SECTIONS = ").removesuffix(";\n")
    )
    packed = b""
    for group in (letters[i : i + 7] for i in range(0, len(letters), 7)):
        number = 0
        for letter in group:
            number = number * len(LETTERS) + LETTERS.index(letter)
        packed += number.to_bytes(len(group) - 1)
    found: dict[str, Any] = json.loads(gzip.decompress(packed))
    return found


def test_the_data_hold_each_section_with_its_weight(site: Path) -> None:
    """One without a word of its own is left out, unless a page has no other."""
    held = data(site)["sections"]
    found = dict(zip(held["url"], zip(held["weight"], held["text"], strict=True), strict=True))
    assert found.pop("index.html#all-pages")[0] == 1
    assert found == {
        "deep/page.html#page": (0.5, ["About v."]),
        "deep/page.html#next": (0.05, ["More."]),
        "flat.html#flat": (1, []),
    }
    titles = dict(zip(held["url"], held["titles"], strict=True))
    assert titles["deep/page.html#next"] == [1, "Next"], "one title as the section before"


def test_the_search_has_its_page_and_sphinx_builds_no_index(site: Path) -> None:
    assert (site / "search.html").is_file()
    assert not (site / "searchindex.js").exists()
    assert "EnglishStemmer" in (site / "_static" / "stemmer.js").read_text(encoding="utf-8")


def test_a_section_that_is_gone_is_named(tmp_path: Path) -> None:
    """Rejected by finding.write_data."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "faq.html").write_text("<article><section id='a'><h1>A</h1></section></article>")
    with pytest.raises(ExtensionError, match=r"^asked\.json: no section faq\.html#faq-"):
        write_data(tmp_path, ["faq.html"], {})


def test_nothing_is_written_after_a_failure(tmp_path: Path) -> None:
    app: Any = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    write(app, OSError("full"))
    assert list(tmp_path.iterdir()) == []


def test_no_name_stands_in_two_groups() -> None:
    """It would call everything in both the same."""
    names = [name for group in json.loads(SYNONYMS.read_text("utf-8")) for name in group]
    assert sorted(names) == sorted(set(names))


def test_no_comma_cuts_a_question() -> None:
    """Commas stand between the questions: one inside of brackets would cut them."""
    asked: dict[str, str] = json.loads(ASKED.read_text("utf-8"))
    cut = [
        question
        for questions in asked.values()
        for question in questions.split(",")
        if any(question.count(left) != question.count(right) for left, right in ("()", "[]"))
    ]
    assert cut == []
