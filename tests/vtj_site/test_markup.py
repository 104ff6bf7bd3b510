from vtj_site.markup import Row, code, table


def test_what_torch_prints_is_escaped() -> None:
    assert code('<a> & "b"') == "<code>&lt;a&gt; &amp; &quot;b&quot;</code>"


def test_a_filtered_table_names_what_its_rows_are_chosen_by() -> None:
    html = table("a & b", ["x"], [Row(["1"], "one", "odd")], filtered_by="parity")
    assert '<table class="vtj docutils" data-filter="parity">' in html
    assert '<tr id="one" data-value="odd"><th scope="row">1</th></tr>' in html
    assert "<caption>a &amp; b</caption>" in html


def test_a_heading_may_head_several_rows() -> None:
    assert Row(["h", "1"], heads=2).html() == (
        '<tr><th scope="row" rowspan="2">h</th><td>1</td></tr>'
    )
    assert Row(["2"], heads=0).html() == "<tr><td>2</td></tr>"
