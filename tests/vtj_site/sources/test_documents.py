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
NO_ROW: dict[Document, dict[str, set[int]]] = {  # why the other lines of a document have none
    "blog": {
        "heading": {1, 3, 11, 41, 48, 69},
        "code": {15, 16, 18, 19, 21, 23, *range(26, 30), 31, 32, 34, 35, 37, 39},
        "header of a printed tensor": {44, 51, 58, 67},
        "repeats blog-18": {62},
    },
    "forum": {
        "heading, or a button": {1, 41, 79, 94, 109},
        "question, or thanks": {3, 7, 9, 14, 43, 75, 77, 88, 92, 101, 103},
        "definition, or a supposition": {26, 83, 89, 96},
        "code": {27, 45, 46, 49},
        "header of a printed tensor": {68},
        "repeats forum-01": {74},
        "repeats forum-25": {57},
        "repeats forum-26": {61},
        "repeats forum-27": {65},
    },
    "by-examples": {
        "heading": {1, 26, 68, 101, 142, 174, 218, 254, 310, 314, 383, 452},
        "says what comes": {
            *(3, 5, 9, 11, 13, 17, 19, 30, 39, 45, 47, 53, 63, 80, 95, 103, 112, 118, 120, 126),
            *(137, 153, 167, 176, 186, 194, 201, 213, 220, 230, 246, 256, 260, 273, 279, 281, 283),
            *(292, 305, 318, 328, 343, 352, 354, 363, 378, 395, 410, 419, 428, 443, 448),
        },
        "code": {
            *(*range(21, 25), *range(32, 36), 37, 51, 60, *range(72, 79), *range(88, 94), 105, 106),
            *(*range(108, 111), *range(122, 125), *range(133, 136), *range(146, 152)),
            *(*range(160, 166), *range(178, 185), *range(196, 200), *range(209, 212)),
            *(*range(222, 229), *range(238, 245), 262, 263, *range(265, 272), 285, 288, 289, 290),
            *(*range(301, 304), *range(320, 327), *range(336, 340), 341, *range(356, 362)),
            *(*range(374, 377), *range(387, 394), *range(403, 409), *range(421, 427)),
            *range(439, 442),
        },
        "says of printed lines that they agree": {86, 158, 236, 372, 437},
        "repeats by-examples-p03": {131},
        "repeats by-examples-p09": {144},
        "repeats by-examples-p10": {299},
        "repeats by-examples-p15": {385},
        "repeats by-examples-p16": {401},
        "repeats by-examples-p17": {417},
    },
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


def test_every_line_has_a_row_or_a_reason_to_have_none() -> None:
    names = {claim.id for document in TITLES for claim in claims(document)}
    reasons = {reason for of_document in NO_ROW.values() for reason in of_document}
    assert {reason.removeprefix("repeats ") for reason in reasons if "repeats" in reason} <= names
    for document, lines in at_hand().items():
        said = {claim.line for claim in claims(document)}
        without = [number for numbers in NO_ROW[document].values() for number in numbers]
        assert sorted({*without} | said) == [n for n, line in enumerate(lines, 1) if line.strip()]
        assert len(without) == len({*without} - said)


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
