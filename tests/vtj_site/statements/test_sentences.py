"""What is a statement, and which of its words are bare; how many are left on each page."""

import json
from pathlib import Path

import pytest

from vtj_site.statements.sentences import HOW, counted, kind_of, sentences

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("`backward` adds to `.grad`.", "statement"),
        ("You may omit `v`.", "statement"),
        ("If `y` is real, `v` may be left out.", "statement"),
        ("Every site says so.", "statement"),
        ("Pass `v`.", "instruction"),
        ("So use only the last one.", "instruction"),
        ("To see it, run every cell.", "instruction"),
        ("Why is it never filled?", "question"),
        ("A *leaf* is a tensor that no operation made.", "definition"),
        ("The table below has all of them.", "signpost"),
        ("More: never again.", "signpost"),
        ("Pass `v`, so that it can be weighted.", "instruction"),
        ("Pass `v`, and torch adds the product.", "statement"),
        ("Leave it; `v` is one then.", "statement"),
        ("The table below has two: `v` is one of them.", "statement"),
        ("Add them; pass the sum along.", "instruction"),
        ("Clear it: `x.grad = None`.", "instruction"),
        ("Omit it, or reduce `y`.", "instruction"),
        ("Say that it does, before it is used:", "instruction"),
        ("“only leaves have a `.grad`”", "quotation"),
        ("It is “never” so.", "statement"),
        ("Note that `v` is one.", "statement"),
        ("Read into a tensor, an image is a leaf.", "statement"),
    ],
)
def test_what_a_sentence_is(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("- [Why it is freed](a.md).", "signpost"),
        ("Why a graph is freed: [the life of a graph](a.md).", "signpost"),
        ("Second derivatives elsewhere: [Hessians](a.md), [penalties](b.md).", "signpost"),
        ("Hooks on tensors: [change `v` on its way](a.md#there).", "signpost"),
        ("It happens with a view of `v`: [a table](a.md).", "statement"),
        ("`backward` overwrites it: [accumulation](a.md).", "statement"),
        ("Why it adds: [a sum](a.md) is kept.", "statement"),
        ("| said |\n|---|\n| [`2 * x` saves its factor](a.md) |", "statement"),
    ],
)
def test_a_label_and_its_links_say_nothing(text: str, kind: str) -> None:
    assert [said.kind for said in sentences(text)] == [kind]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("It never adds, and Always may.", ["never", "Always", "may"]),
        ("It {word}`never <adds>` adds.", []),
        ("It {word}`never <adds>` adds only once.", ["only"]),
        ("It never adds.{statement}`so`", []),
        ("It says “never” and `all` of it.", []),
        ("All-ones weights are not at all so, no longer.", []),
        ("All the weights have no sign.", ["All", "no"]),
        ("Never.", []),
        ("Never `x @ w + b`.", []),
        ("## It is never so\n\nIt is so.", []),
        ("Pass all of it.", []),
        (":::{tip} Never\nIt is never\nso.\n:::", ["never"]),
        ("```{code-cell} python\nIt is never so.\n```", []),
        ("```{glossary}\nleaf\n: It is never so. It is always so.\n```", ["always"]),
        ("| a | b |\n|---|---|\n| it is never so | no |", ["never"]),
        ("| it is never so | b |\n|---|---|\n| a | b |", []),
        ("| | b |\n|---|---|\n| what is never so | it never is |", ["never"]),
        ("It is [never](there.md) *so*.", ["never"]),
        ("Pass it, and it is never wrong.", ["never"]),
        ("It is usually so, and often not.", ["usually", "often"]),
        ("Say how often it is, as often as not.", []),
    ],
)
def test_which_words_are_bare(text: str, bare: list[str]) -> None:
    assert [word for sentence in sentences(text) for word in sentence.bare] == bare


@pytest.mark.parametrize(
    ("text", "unchecked"),
    [
        ("Is it so?\n\nYes. Pass `v`.", ["'Yes.'"]),
        ("Is it so? No.", ["'No'"]),
        ("Does it run? Yes:", ["'Yes:'"]),
        ("Yes, both. Pass it.", ["'Yes, both.'"]),
        ("[Yes.](a.md) Pass it.", ["'Yes.'"]),
        ('{eval}`says("No", 1, 2)`. Pass `v`.', [""]),
        ('{eval}`says("Yes", without_v, with_v)`, both. Pass `v`.', [""]),
    ],
)
def test_a_bare_answer_is_a_statement(text: str, unchecked: list[str]) -> None:
    statements = [said for said in sentences(text) if said.kind == "statement"]
    assert [said.unchecked for said in statements] == unchecked


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("It {word}`never <adds>` adds {eval}`1` of it.{statement}`so`", "with a computed word"),
        ("The sum is {cost}`slower <sum against ones>`.", "with a word of cost"),
        ("It is never so.{statement}`so`", "held by wording"),
        ("It is never {eval}`1` of it.", "with an unchecked word"),
        ("There are {eval}`1 + 1` of them.", "with a computed value"),
        ('There are {eval}`says("two", 1 + 1)` of {eval}`2`.', "with a word told from values"),
        ("They say {quoted}`so it is <them>`.", "with a computed value"),
        ("It is {recorded}`since torch 1.3.0 <it>` so.", "with a computed value"),
        ("It adds `1 + 1` to it.", "without any mark"),
    ],
)
def test_how_a_statement_is_checked(text: str, how: str) -> None:
    found = counted(sentences(f"{text} Is it so? Pass it on."))
    assert [each for each in HOW if found[each]] == [how]
    assert sum(found.values()) == 1


def test_each_sentence_has_its_line() -> None:
    text = "# T\n\nOne is one.\nTwo is two and\nThree. Four is four.\n\n"
    page = f"{text}:::{{tip}}\n:class: x\n\nFive is five.\n:::"
    assert [(said.line, said.text) for said in sentences(page)] == [
        (3, "One is one."),
        (4, "Two is two and Three."),
        (5, "Four is four."),
        (10, "Five is five."),
    ]


def test_unchecked_json_allows_no_more_than_there_are() -> None:
    allowed = json.loads((ROOT / "conf/unchecked.json").read_text(encoding="utf-8"))
    there = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        found = sentences(page.read_text(encoding="utf-8"))
        if unchecked := sum(bool(said.unchecked) for said in found):
            there[name] = unchecked
    assert allowed == there, "write the lower numbers into conf/unchecked.json"
