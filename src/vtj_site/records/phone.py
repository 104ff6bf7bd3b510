"""What Lighthouse gives pages on its slow phone, as `nox -s bench-pages` recorded it."""

import json
from functools import cache
from importlib import resources
from statistics import median
from typing import Any

from vtj_site.markup import Shown, TableRow, code, table

HEAD = ("page", "performance, median", "each run", "accessibility", "best practices", "search")


@cache
def recorded() -> dict[str, Any]:
    """Return the recording: when and with what it was made, and a row a page."""
    file = resources.files("vtj_site.records") / "phone.json"
    recording: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return recording


def least() -> int:
    """Return the lowest of the medians of performance, of 100."""
    return int(min(median(row["performance"]) for row in recorded()["rows"]))


def table_of_pages() -> Shown:
    """Return a row for each kind of page."""
    rows = [
        [
            f"{median(row['performance']):g}",
            ", ".join(map(str, row["performance"])),
            *(str(row[name]) for name in ("accessibility", "best-practices", "seo")),
        ]
        for row in recorded()["rows"]
    ]
    names = [(row["kind"], row["page"]) for row in recorded()["rows"]]
    made = f"Lighthouse {recorded()['lighthouse']} on {recorded()['date']}, of 100"
    html = [
        TableRow([f"{kind}: {code(page)}", *cells])
        for (kind, page), cells in zip(names, rows, strict=True)
    ]
    text = [f"{page}: {', '.join(cells)}" for (_, page), cells in zip(names, rows, strict=True)]
    return Shown("\n".join(text), table(made, HEAD, html))
