"""The contraries that are planted in a sentence, and what refuses them."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants import sentences
from tests.mutants.drawn import Drawn
from tests.mutants.sentences import (
    COST,
    FIELD,
    NAME,
    NOT,
    OPPOSITE,
    REST,
    WORD,
    WORDING,
    around_the_word,
    caught,
    contraries,
    main,
    outcomes,
    refused,
    too_many,
)
from vtj_site.statements.cells import Cells

PAGE = """# Page

`backward` {word}`never <adds; of backward>` overwrites `x.grad`. The first is last.

Not {word}`every <frees the graph; of backward>` `backward` frees it.
"""
BOUND = "the count has changed, `backward` raises.{statement}`count that has changed`"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sentences, "ROOT", tmp_path)
    monkeypatch.setattr(sentences, "RECORD", tmp_path / "record.json")
    (tmp_path / "record.json").write_text("{}", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_which_contraries_are_planted_in_a_sentence(site: Path) -> None:
    planted = [(line, c.kind, c.before, c.after) for c, line, _ in outcomes("docs/page.md")]
    mark = "{word}`never <adds; of backward>`"
    assert planted == [
        (3, WORD, "never ", "always "),
        (3, WORD, "never ", "may "),
        (3, WORD, mark, "always"),
        (3, WORD, "", " not"),
        (3, WORD, "", "not "),
        (3, WORD, "overwrites", "adds"),
        (3, REST, "`x.grad`", "`y.grad`"),
        (5, WORD, "Not ", ""),
        (3, OPPOSITE, "overwrites", "adds"),
        (3, OPPOSITE, "overwrites", "divides"),
        (5, NOT, "", "not "),
        (5, NOT, "Not ", ""),
        (5, OPPOSITE, "frees", "retains"),
    ]


def test_what_is_planted_around_a_computed_word() -> None:
    cells = Cells("```{code-cell}\nx = without_step = w = of_nobody = 1\n```\n")
    block = (
        'Without a step it is {eval}`says("larger", without_step, x[-1])` than the last one of '
        "`x`, [as here](not-a-word). Do not do so for `w`.\n"
    )
    planted = [(one.kind, one.applied(block)) for one in around_the_word(block, cells.names)]
    assert [kind for kind, _ in planted] == [NOT] * 4 + [FIELD] + [OPPOSITE] * 3 + [NAME]
    texts = (text for _, text in planted)
    put_in, behind_is, at_the_end, taken_out, noun, *opposites, named = texts
    assert put_in == block.replace("Without a", "Without not a")
    assert behind_is == block.replace("it is {eval}", "it is not {eval}")
    assert at_the_end == block.replace("[as here]", "[as not here]")
    assert taken_out == block.removeprefix("Without ")
    assert noun == block.replace("step", "loss", 1)
    others = ("first", "second")
    assert opposites == [block.replace("last", each) for each in others] + [
        block.replace("one", "several")
    ]
    assert named == block.replace("`x`", "`w`")
    assert refused(block, cells) is None
    assert all(refused(text, cells) for kind, text in planted if kind != FIELD)


def test_where_some_do_and_some_do_not_a_not_is_no_contrary() -> None:
    block = "`backward` {word}`may <adds; of backward>` add it to the last one."
    kinds = [one.kind for one in around_the_word(block, set())]
    assert kinds == [OPPOSITE] * 5


def test_what_refuses_each(site: Path) -> None:
    words = [(c, said) for c, _, said in outcomes("docs/page.md") if c.kind != OPPOSITE]
    found = {(c.before, c.after): said for c, said in words}
    through = [change for change, said in found.items() if said is None]
    assert through == []
    assert "y.backward(v)" in str(found["never ", "always "])
    assert "says two things" in str(
        found["overwrites", "adds"]
    )  # in the page, and beside the check


@pytest.mark.parametrize(
    ("sentence", "planted"),
    [
        (
            "`backward` {word}`adds <adds; of backward>` it.",
            ["not adds ", "not ", " not", "overwrites"],
        ),
        ("`backward` {word}`does not replace <adds; of backward>` it.", [""]),
        ("`v` {word}`has <v has the shape of y>` `y`'s shape.", ["not has ", "not ", " not"]),
        (
            "`backward` gives a {word}`VJP <is the product; of backward>`.",
            ["not VJP ", "not ", " not", "JVP"],
        ),
    ],
)
def test_the_contraries_of_a_verb_are_refused(sentence: str, planted: list[str]) -> None:
    found = [one for one in contraries(sentence) if one.kind == WORD]
    assert [one.after for one in found][: len(planted)] == planted
    assert sentences.refused(sentence) is None
    assert all(caught(one, sentence) for one in found)


def test_a_statement_that_is_held_by_its_wording_is_no_match_for_both() -> None:
    text = f"When an operation needed what it saved and {BOUND}"
    (contrary,) = contraries(text)
    assert (contrary.kind, contrary.before, contrary.after) == (WORDING, "raises", "works")
    assert caught(contrary, text) is None


def test_the_contraries_of_a_word_of_cost_are_refused() -> None:
    text = "The sum is {cost}`slower with 10 elements or fewer <sum against ones>` than ones."
    planted = list(contraries(text))
    assert [one.after.strip() for one in planted if one.kind == COST] == [
        "faster with 10 elements or fewer",
        "no difference with 10 elements or fewer",
        "slower with 10 elements or more",
        "faster",
        "not",
    ]
    assert all(caught(one, text) for one in planted if one.kind == COST)


def test_the_contraries_of_words_that_are_told_from_values(site: Path) -> None:
    page = site / "docs/told.md"
    page.write_text(
        "```{code-cell} python\nfrom vtj_site.statements.values import says\nx = [2, 4]\n```\n\n"
        'It is {eval}`says("twice", x, [1, 2])` that.\n',
        encoding="utf-8",
    )
    found = {(c.before, c.after): said for c, _, said in sentences.told_from_values("docs/told.md")}
    assert "'half' does not hold of [2, 4] and [1, 2]" in str(found["twice", "half"])
    assert "a 'not' stands beside 'twice'" in str(found["", "not "])
    assert all(found.values())
    assert len(found) > 5


def test_what_readers_drew_is_planted_in_the_page_and_in_what_its_cells_tell(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A "twice" that another word of its table takes the place of is only wrong when it runs."""
    (site / "docs/told.md").write_text(
        "```{code-cell} python\nfrom vtj_site.statements.values import says\nx = [2, 4]\n```\n\n"
        'For this pair, it is {eval}`says("twice", x, [1, 2])` that.\n',
        encoding="utf-8",
    )
    page = "docs/told.md"
    all_drawn = [
        Drawn(page, '"twice"', '"half"', refused=True),
        Drawn(page, "For this pair", "For the first pair", refused=True),
        Drawn(page, "For this pair", "By this pair", refused=False),
        Drawn(page, "what was there once", "what is there no more", refused=True),
        Drawn("docs/page.md", "never <", "always <", refused=True),
    ]
    monkeypatch.setattr(sentences, "drawn", lambda: iter(all_drawn))
    found = [(one.after, bool(said)) for one, said in sentences.of_readers(page)]
    assert found == [('"half"', True), ("For the first pair", True), ("By this pair", False)]
    assert main(["--record"]) == 0
    written = json.loads((site / "record.json").read_text(encoding="utf-8"))["sentences"]
    assert written["readers"] == {
        "drawn": 5, "refused at first": 4, "still there": 4, "refused": 3, "through": 1
    }  # fmt: skip


def test_too_many_that_get_through_fail_the_command(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--record"]) == 0
    written = json.loads((site / "record.json").read_text(encoding="utf-8"))["sentences"]
    assert written["kinds"][WORD]["planted"] == 7
    monkeypatch.setattr(sentences, "caught", lambda *_: None)
    assert main(["docs/page.md"]) == 1
    assert "docs/page.md:3: computed word: got through: 'never '" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--record", "docs/page.md"])


def test_chance_alone_fails_no_draw_of_pages() -> None:
    """At one commit so many of a third of the pages got through, where 8 % do of all."""
    by_chance = {OPPOSITE: Counter(planted=2659, through=295)}
    assert not too_many(by_chance, some=True)
    assert too_many(by_chance, some=False)
    assert too_many({OPPOSITE: Counter(planted=2659, through=400)}, some=True)
