"""The recorded answers of old releases of torch, and the one of today held against its record."""

from collections.abc import Iterable

from vtj_site.markup import Shown, TableRow, code, table
from vtj_site.outcomes.since import answers
from vtj_site.outcomes.tables import release
from vtj_site.records.releases import NOT_ASKED, Span, questions, recorded, spans

PUBLISHED = "2.13.0"  # the newest release when rows got addresses


class RecordError(AssertionError):
    """The torch that runs does not answer as its recorded row says."""


def changed() -> list[str]:
    """Return the questions whose answer is not the same in all recorded releases."""
    return [question for question in questions() if len(spans(question)) > 1]


def hold_today_against_the_record() -> str:
    """Ask the torch that runs every question again; RecordError where its row says otherwise."""
    rows = {row["torch"]: row["outcomes"] for row in recorded()}
    if release() not in rows:
        raise RecordError(f"torch {release()} has no recorded row: run nox -s history")
    row, today = rows[release()], answers()
    for question in {**row, **today}:
        was, now = row.get(question, NOT_ASKED), today.get(question, NOT_ASKED)
        if was != now:
            raise RecordError(f"torch {release()} on {question!r}: recorded {was!r}, today {now!r}")
    return f"{len(today)} answers of torch {release()} agree with its record"


def table_of_answers(questions: Iterable[str]) -> Shown:
    """Return the full answers to some questions, a row for each span with the same one."""
    lines, rows = [], []
    for question in questions:
        lines += [question, *(f"  {span}: {span.answer}" for span in spans(question))]
        first, *more = [(_named(span), code(span.answer)) for span in spans(question)]
        rows.append(TableRow((code(question), *first), heads=1 + len(more)))
        rows += [TableRow(cells, heads=0) for cells in more]
    head = ("question", "recorded on", "answer")
    return Shown("\n".join(lines), table("Recorded answers, oldest release first", head, rows))


def _named(span: Span) -> str:
    """Return the releases of a span; a row's address is made of those that it was published with.

    A newer release lengthens the last span, and a link that somebody kept still leads to its row.
    """
    newest = [row["torch"] for row in recorded()].index(PUBLISHED)
    old = [row["torch"] for row in recorded()[: newest + 1] if row["torch"] in span.releases]
    if not old or old[-1] == span.last:
        return f"torch {span}"
    return f'<data value="torch {span._replace(releases=tuple(old))}">torch {span}</data>'


def table_of_environments() -> Shown:
    """Return where each recorded row comes from, as a table."""
    line = "torch {torch}: Python {python}, {wheel}, {date}"
    text = [line.format_map(row) for row in recorded()]
    rows = [
        TableRow((r["torch"], r["python"], r["date"], code(r["wheel"]), code(r["sha256"])))
        for r in recorded()
    ]
    head = ("torch", "Python", "recorded on", "wheel", "its SHA-256")
    caption = "Where the recorded answers come from"
    return Shown("\n".join(text), table(caption, head, rows))
