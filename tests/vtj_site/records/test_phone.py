"""What pages get from Lighthouse, as recorded: the goal, and the table that shows it."""

from statistics import median

from vtj_site.records.phone import least, recorded, table_of_pages


def test_five_kinds_of_pages_reach_the_goal() -> None:
    rows = recorded()["rows"]
    assert len(rows) == 5
    assert {len(row["performance"]) for row in rows} == {5}
    assert least() >= 97
    assert {row[name] for row in rows for name in ("accessibility", "best-practices", "seo")} == {
        100
    }


def test_a_row_has_the_median_and_each_run() -> None:
    (first, *_) = recorded()["rows"]
    runs = first["performance"]
    said = ", ".join(map(str, runs))
    assert str(table_of_pages()).startswith(f"{first['page']}: {median(runs):g}, {said}, ")
    assert f"<td>{said}</td>" in table_of_pages().html
