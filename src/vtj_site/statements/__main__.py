"""`python -m vtj_site.statements PAGE …` says of pages what the build would, in some seconds."""

import sys
from pathlib import Path

from vtj_site.statements.facts import facts
from vtj_site.statements.pages import Judge


def main(pages: list[str]) -> int:
    """Say of each mark whether it holds, and which words are bare; return whether all hold."""
    judge, failed = Judge(facts()), False
    for page in pages:
        judged, bare = judge.page(Path(page).read_text(encoding="utf-8"))
        for mark in judged:
            failed |= bool(mark.wrong)
            print(f"{page}:{mark.line}: {mark.wrong or f'holds: {mark.sentence}'}")
            print(f"    {mark.count}")
        for sentence in bare:
            print(f"{page}:{sentence.line}: bare: {', '.join(sentence.bare)}: {sentence.text}")
        print(f"{page}: {len(judged)} marks, {len(bare)} statements with bare words")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
