"""`python -m vtj_site.statements PAGE …` says of pages what the build would, in some seconds."""

import sys
from pathlib import Path

from vtj_site.statements.facts import facts
from vtj_site.statements.pages import Judge


def main(pages: list[str]) -> int:
    """Say of each mark whether it holds, and what nothing checks; return whether all hold."""
    judge, failed = Judge(facts()), False
    for page in pages:
        judged, unchecked = judge.page(Path(page).read_text(encoding="utf-8"))
        for mark in judged:
            failed |= bool(mark.wrong)
            print(f"{page}:{mark.line}: {mark.wrong or f'holds: {mark.sentence}'}")
            print(f"    {mark.count}")
        for sentence in unchecked:
            failed = True
            print(f"{page}:{sentence.line}: nothing checks {sentence.unchecked}")
        print(f"{page}: {len(judged)} marks, {len(unchecked)} statements with unchecked words")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
