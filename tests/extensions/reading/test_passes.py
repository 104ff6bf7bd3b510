"""Each pass over a page's HTML: what comes in, what goes out."""

import pytest
from reading import fixes, folds, permalinks
from sphinx.errors import ThemeError


def row(name: str) -> str:
    return f'<a class="headerlink" href="#{name}" title="Link to this row">¶</a>'


TABLE = "<table class='a'><thead><tr><th>h</th></tr></thead>\n<tbody>{}</tbody></table>"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "<tr><td>one</td><td>two</td></tr>",
            f'<tr id="table-1-one"><td>one{row("table-1-one")}</td><td>two</td></tr>',
            id="its first cell",
        ),
        pytest.param(
            '<tr class="even">\n<th scope="row"><p>Two <em>words</em></p>\n</th></tr>',
            '<tr class="even" id="table-1-two-words"><th scope="row"><p>Two <em>words</em>'
            f"{row('table-1-two-words')}</p>\n</th></tr>",
            id="the link stands in the paragraph",
        ),
        pytest.param(
            "<tr><td><i>a</i><i>b</i> &lt; c</td></tr>",
            f'<tr id="table-1-a-b-c"><td><i>a</i><i>b</i> &lt; c{row("table-1-a-b-c")}</td></tr>',
            id="markup parts words",
        ),
        pytest.param(
            '<tr><td><data value="torch 1 … 2">torch 1 … 3</data></td></tr>',
            '<tr id="table-1-torch-1-2"><td><data value="torch 1 … 2">torch 1 … 3</data>'
            f"{row('table-1-torch-1-2')}</td></tr>",
            id="an address of its own",
        ),
        pytest.param(
            "<tr><td>&amp;</td></tr><tr><td></td></tr><tr><td></td></tr>",
            f'<tr id="table-1-row"><td>&amp;{row("table-1-row")}</td></tr>'
            f'<tr id="table-1-row-2"><td>{row("table-1-row-2")}</td></tr>'
            f'<tr id="table-1-row-3"><td>{row("table-1-row-3")}</td></tr>',
            id="no words",
        ),
    ],
)
def test_a_row_is_named_after_its_first_cell(before: str, after: str) -> None:
    assert permalinks.linked(TABLE.format(before)) == TABLE.format(after)


def test_a_last_section_without_subsections_keeps_the_others_apart() -> None:
    first = '<section id="first">\n<h2>1</h2>\n<section id="a">\n<h3>A</h3></section></section>'
    last = '<section id="last">\n<h2>2</h2></section>'
    assert '<details class="fold"><summary><h3>A</h3>' in folds.folded(first + last, ["a"], "page")


@pytest.mark.parametrize("pattern", ["absent-*", "outer"])
def test_a_pattern_that_folds_nothing_is_refused(
    pattern: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Rejected by reading.folded."""
    inner = '<section id="inner">\n<h3>inner</h3>\n</section>'
    body = f'<section id="outer">\n<h2>outer</h2>\n{inner}\n</section>'
    with caplog.at_level("WARNING"):
        assert folds.folded(body, [pattern], "page") == body
    (said,) = caplog.messages
    assert f"no section here is labeled ({pattern})= " in said
    assert "; there are inner" in said


WHOLE = "\n".join(fix.old for fix in fixes.IN_THE_LAYOUT)


@pytest.mark.parametrize("fix", fixes.IN_THE_LAYOUT)
def test_a_layout_that_has_changed_is_refused(fix: fixes.Fix) -> None:
    """Rejected by reading.fixed_layout."""
    assert fix.new in fixes.fixed_layout(WHOLE, "page")
    for layout, count in ((WHOLE.replace(fix.old, ""), 0), (WHOLE + fix.old, 2)):
        with pytest.raises(ThemeError, match=rf"how-to/errors: expected 1 × <.* and found {count}"):
            fixes.fixed_layout(layout, "how-to/errors")


@pytest.mark.parametrize("fix", fixes.IN_A_BODY)
def test_a_body_is_fixed_wherever_it_has_to_be(fix: fixes.Fix) -> None:
    assert fixes.fixed(f"a{fix.old}b{fix.old}c") == f"a{fix.new}b{fix.new}c"
