"""Messages become a notebook's outputs, and a display may be changed by a later cell."""

from typing import Any

import pytest

from myst_nb_fork.outputs import Outputs

Message = tuple[str, dict[str, Any]]


def stream(text: str) -> Message:
    return "stream", {"name": "stdout", "text": text}


def display(text: str, name: str | None = None, kind: str = "display_data") -> Message:
    transient = {} if name is None else {"display_id": name}
    return kind, {"data": {"text/plain": text}, "metadata": {}, "transient": transient}


CLEAR, LATER = ("clear_output", {"wait": False}), ("clear_output", {"wait": True})
UPDATE = "update_display_data"


def texts(outputs: list[Any]) -> list[str]:
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


def test_an_output_has_what_the_message_has_and_no_more() -> None:
    got = Outputs().of([stream("a"), display("b", "there"), ("error", {"ename": "E"})])
    assert got == [
        {"output_type": "stream", "name": "stdout", "text": "a"},
        {"output_type": "display_data", "data": {"text/plain": "b"}, "metadata": {}},
        {"output_type": "error", "ename": "E"},
    ]
    assert got[1].data["text/plain"] == "b"  # as nbformat has it


@pytest.mark.parametrize(
    ("messages", "left"),
    [
        ([stream("a"), CLEAR], []),
        ([stream("a"), CLEAR, stream("b")], ["b"]),
        ([stream("a"), LATER], ["a"]),
        ([stream("a"), LATER, stream("b"), stream("c")], ["b", "c"]),
        ([stream("a"), LATER, CLEAR, stream("b")], ["b"]),
        ([stream("a"), LATER, display("x", "other", UPDATE)], ["a"]),
        ([stream("a"), LATER, display("x", "other", UPDATE), stream("b")], ["b"]),
    ],
)
def test_what_is_cleared_is_gone_at_once_or_when_something_comes(
    messages: list[Message], left: list[str]
) -> None:
    assert texts(Outputs().of(messages)) == left


def test_a_display_is_updated_wherever_it_was_shown() -> None:
    outputs = Outputs()
    first = outputs.of([display("1", "x"), display("2", "y"), display("3")])
    second = outputs.of([display("4", "x"), display("5", "y", UPDATE), stream("s")])
    assert texts(first) == ["4", "5", "3"]
    assert texts(second) == ["4", "s"]
    assert outputs.of([display("6", "x", UPDATE), display("7", "none", UPDATE)]) == []
    assert texts(first) == ["6", "5", "3"]
    assert texts(second) == ["6", "s"]
    assert [output["output_type"] for output in first] == ["display_data"] * 3
