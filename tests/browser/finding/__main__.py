"""How well the search of a built site answers: `python -m tests.browser.finding [FILE.yaml …]`.

Each file holds queries and the sections that answer them, as first.yaml beside this file does.
"""

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ROOT, chromium_path
from tests.browser.finding.scoring import Place, asked, places, table

QUERIES = Path(__file__).with_name("first.yaml")


def main() -> None:
    """Print every query that does not find its section first, and the shares of those that do."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="*", default=[QUERIES])
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "html")
    given = parser.parse_args()
    found: list[Place] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        page = browser.new_page()
        for file in given.files:
            found += places(page, given.site.resolve(), asked(file))
        browser.close()
    print(table(found))


if __name__ == "__main__":
    main()
