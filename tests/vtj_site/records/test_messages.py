"""Every message of torch's around gradients is explained on the site, or has a reason why not."""

import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
import torch
from errors.box import VARIES

from vtj_site.records.messages import (
    COMPILED,
    LIKE,
    SOURCES,
    judged,
    messages_in,
    reasons,
    release,
    written,
)

DOCS = Path(__file__).parents[3] / "docs"
WHAT_TO_DO = (
    "write an entry on docs/how-to/errors.md or rarer-errors.md, and put the message under the "
    "entry's anchor in src/vtj_site/records/messages.yaml; or put it there under a reason"
)


def differences(source: str) -> list[str]:
    """Say what the list and a file of the installed torch do not share."""
    known = set(chain.from_iterable(judged().get(source, {}).values()))
    found = set(written(source))
    new = [f"torch says {text!r}, which is not judged: {WHAT_TO_DO}" for text in found - known]
    gone = [f"torch no longer says {text!r}: take it out of the list" for text in known - found]
    return sorted([*new, *gone])


@pytest.mark.parametrize("source", SOURCES)
def test_each_message_of_torch_is_judged(source: str) -> None:
    """Of the torch that was judged; with another one the differences are printed."""
    found = differences(source)
    print(*found, sep="\n")
    assert not found or torch.__version__.partition("+")[0] != release()


def test_a_message_that_is_not_judged_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = "autograd/anomaly_mode.py"
    (message,) = written(source)
    monkeypatch.setitem(judged(), source, {"plain": ["an old message"]})
    assert differences(source) == [
        "torch no longer says 'an old message': take it out of the list",
        f"torch says {message!r}, which is not judged: {WHAT_TO_DO}",
    ]


def test_the_list_has_no_other_files_and_each_message_once() -> None:
    assert set(judged()) <= {*SOURCES, COMPILED}
    for parts in judged().values():
        messages = list(chain.from_iterable(parts.values()))
        assert len(messages) == len(set(messages))


def test_a_judgement_is_an_entry_or_a_reason() -> None:
    names = {name for parts in judged().values() for name in parts}
    assert {name for name in names if not name.startswith(LIKE) and "#" not in name} | {
        LIKE.strip()
    } == set(reasons())


@cache
def sections() -> dict[str, list[str]]:
    """Return the messages that each section of the site explains or raises, by its address."""
    found = {}
    for page in DOCS.rglob("*.md"):
        address = page.relative_to(DOCS).with_suffix(".html").as_posix()
        text = page.read_text(encoding="utf-8")
        for part in re.split(r"\n(?=\([\w-]+\)=\n#)|(?<!\)=)\n(?=#{1,4} )", text):
            if head := re.match(r"\s*(?:\(([\w-]+)\)=\n)?#+ (.*)", part):
                slug = re.sub(r"[^a-z0-9]+", "-", (head[1] or head[2]).lower()).strip("-")
                listed = re.findall(r"```\{error-message\}\n(.*?)\n```", part, re.DOTALL)
                raised = re.findall(r"^:raises: (.*)", part, re.MULTILINE)
                found[f"{address}#{slug}"] = [" ".join(said.split()) for said in listed + raised]
    return found


EXPLAINED = [
    (name, message)
    for parts in judged().values()
    for name, messages in parts.items()
    if "#" in name
    for message in messages
]


@pytest.mark.parametrize(("name", "message"), EXPLAINED, ids=[message for _, message in EXPLAINED])
def test_an_entry_shows_the_message_that_it_explains(name: str, message: str) -> None:
    address = name.removeprefix(LIKE)
    assert address in sections()
    assert name.startswith(LIKE) or any(said(message, text) for text in sections()[address])


def said(message: str, text: str) -> bool:
    """Say whether a message with holes, cut as the list cuts it, is a text with or without."""

    def pattern(cut: str) -> str:
        return ".*".join(re.escape(piece.strip()) for piece in cut.split(VARIES))

    whole = re.sub(r"\{[^{}…]*$", "", message)
    shown = re.sub(r"^(:until: \S+ )?\W?[\w.]*(Error|Warning): ", "", text)[: len(message)]
    return bool(re.search(pattern(whole), text) or re.search(pattern(shown), message))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('raise ValueError("two  words")', ["two words"]),
        ('raise ValueError("a " f"tensor of {x!r}")', ["a tensor of {…}"]),
        ('raise ValueError("a tensor of " + str(x))', ["a tensor of {…}"]),
        ('raise ValueError("a tensor of %s" % x)', ["a tensor of {…}"]),
        ('raise ValueError("a tensor of {:d}".format(x))', ["a tensor of {…}"]),
        ('def f():\n    said = "a tensor"\n    raise ValueError(said)', ["a tensor"]),
        ('warnings.warn("a tensor", FutureWarning, stacklevel=2)', ["a tensor"]),
        ('self._log_and_throw(ValueError, "a tensor")', ["a tensor"]),
        ('@deprecated("a tensor")\ndef f(): ...', ["a tensor"]),
        ('raise torch.autograd.GradcheckError("a tensor")', ["a tensor"]),
        ("raise ValueError(x)", []),
        ('print("a tensor")', []),
    ],
)
def test_messages_are_found_however_they_are_made(text: str, found: list[str]) -> None:
    assert messages_in(text) == found


def test_of_a_large_file_the_functions_that_are_asked_for_count() -> None:
    text = "class A:\n def hook(self): f(Error('a hook'))\n def size(self): f(Error('a size'))"
    assert messages_in(text, "hook|grad") == ["a hook"]
