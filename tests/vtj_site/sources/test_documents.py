"""The claims against the documents themselves, wherever these are at hand."""

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from vtj_site.sources.claim import TITLES, Document
from vtj_site.sources.ledger import claims

SOURCES = Path(__file__).parents[4] / "shared" / "sources"
FILES: dict[Document, tuple[str, str]] = {  # the file, and the SHA-256 of the text that was read
    "blog": (
        "000_7f5cefe894348ac4.txt",
        "c3e9e3c5cf96a146d83501d60979965cc1f82d1adc5fca540ca6aa5b0eedf914",
    ),
    "forum": (
        "001_da20ec33a7564e0c.txt",
        "290191b49b00fe9161b2cbf8eb756368f638dd42890d90f7ad27b4ce3764a9aa",
    ),
    "by-examples": (
        "002_31a7beb0cde28df1.txt",
        "bde2b1dc00b76377b90cee142c992526f9ae3e153635c03a7498d35988619c03",
    ),
}
Lines = list[str]


def at_hand() -> dict[Document, Lines]:
    """Return the lines of each document that is beside the repository; in CI all three are."""
    found = {
        document: (SOURCES / name).read_text(encoding="utf-8").split("\n")
        for document, (name, _) in FILES.items()
        if (SOURCES / name).exists()
    }
    assert found.keys() == FILES.keys() or "CI" not in os.environ
    return found


def test_the_documents_are_those_that_were_read() -> None:
    assert FILES.keys() == TITLES.keys()
    for document, lines in at_hand().items():
        found = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        assert found == FILES[document][1]


def test_no_claim_misquotes_its_line() -> None:
    for document, lines in at_hand().items():
        for claim in claims(document):
            assert claim.words in lines[claim.line - 1], claim.id


def code(lines: Lines, first: int, last: int) -> str:
    return "\n".join(lines[first - 1 : last])


def run(source: str) -> tuple[str, dict[str, Any]]:
    """Run a source's own text; return what it printed and the names it made."""
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "<source>", "exec"), names)
    return printed.getvalue(), names


def loop(lines: Lines, first: int, last: int) -> None:
    imports = code(lines, 21, 24)
    with pytest.raises(IndentationError, match="expected an indented block after 'for'"):
        run(f"{imports}\n{code(lines, first, last)}")
    body = code(lines, last - 1, last).replace("y.", "    y.").replace("print", "    print")
    printed, _ = run(f"{imports}\n{code(lines, first, last - 2)}\n{body}")
    assert printed.splitlines() == lines[last + 3 : last + 7]


def first_loop(lines: Lines) -> None:
    loop(lines, 336, 341)


def second_loop(lines: Lines) -> None:
    loop(lines, 403, 408)


def no_code_between_question_and_error(lines: Lines) -> None:
    assert lines[11:13] == ["", ""]
    assert lines[13].startswith("It will cause")


def nothing_is_called(lines: Lines) -> None:
    printed, names = run(code(lines, 45, 53))
    assert printed == ""
    assert names["x"].grad is None
    names["out"].backward(names["gradient"])
    torch.testing.assert_close(names["x"].grad, torch.tensor([[10.0] * 3, [26.0] * 3]))


def no_address(lines: Lines) -> None:
    assert not re.search(r"https?:|www\.|\.(com|org|io)\b", "\n".join(lines))


def the_same_number_thrice(lines: Lines) -> None:
    assert [n for n, line in enumerate(lines, 1) if line.startswith("  1. ")] == [20, 25, 29]


def formulas_missing(lines: Lines) -> None:
    assert lines[256] == lines[258] == ""
    assert not any("=" in line for line in lines[254:260])


BREAKS: dict[str, Callable[[Lines], None]] = {
    "forum-02": no_code_between_question_and_error,
    "forum-21": nothing_is_called,
    "forum-38": no_address,
    "forum-39": the_same_number_thrice,
    "by-examples-p18": first_loop,
    "by-examples-p20": formulas_missing,
    "by-examples-p22": no_address,
    **{f"by-examples-{n}": first_loop for n in range(54, 58)},
    **{f"by-examples-{n}": second_loop for n in range(69, 73)},
}


def test_what_is_broken_as_printed_is_seen_to_break() -> None:
    documents = at_hand()
    broken = {c.id: d for d in TITLES for c in claims(d) if c.declared == "broken as printed"}
    assert broken.keys() == BREAKS.keys()
    for name, document in broken.items():
        if document in documents:
            BREAKS[name](documents[document])
