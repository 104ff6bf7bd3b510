"""Data that a page shows, written beside it as JSON.

conf.py names the page and the function that returns its data::

    page_data = {"reference/outcomes": "vtj_site.outcomes.tables:as_json"}
"""

import json
from importlib import import_module
from pathlib import Path

from sphinx.application import Sphinx


def write(app: Sphinx, pagename: str) -> None:
    """Write the data of a page that is being written, if it has any."""
    if address := app.config.page_data.get(pagename):
        module, _, function = address.partition(":")
        found = getattr(import_module(module), function)()
        text = json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)
        path = Path(app.outdir, f"{pagename}.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
