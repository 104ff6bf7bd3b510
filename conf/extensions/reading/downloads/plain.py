"""MyST Markdown as the plain Markdown of a notebook, which Jupyter shows without any extension."""

import re
from collections.abc import Callable, Iterator

_OPEN = re.compile(r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w-]+)\}[ ]*(?P<title>.*)$")
_CODE = re.compile(r"^(?P<fence>`{3,}|~{3,})(?!\{)")
_OPTION = re.compile(r"^:[\w-]+:")
_LABEL = re.compile(r"^\([\w:. -]+\)=$")
_EVAL = re.compile(r"\{eval\}`([^`]+)`")
_SIGN = re.compile(r"\{statement\}`[^`]+`")  # of a check, to which the site alone leads
_QUOTED = re.compile(r"\{quoted\}`([^`<]+?) <([^`>]*)>`")
_ROLE = re.compile(r"\{[\w:-]+\}`(?:([^`<]+?) *<[^`>]*>|([^`]+))`")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)\s]*\)")


class FormlessError(ValueError):
    """A part of a page, which begins with `text` there, has no form in what can be taken along."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(f"downloads: {reason}")
        self.text = text


def plain(myst: str, values: Iterator[str]) -> str:
    r"""Return a Markdown cell without labels, roles, directives and links within the site.

    ``values`` are what its ``{eval}`` roles gave, and those of the cells after it.

    Raises:
        FormlessError: if ``values`` ends too early, or at a directive that has no plain form.

    Example:
        >>> plain("(here)=\n## The sum\n\nIt is {eval}`a + b`.", iter(["3"]))
        '## The sum\n\nIt is 3.'
    """
    return "\n".join(_lines(myst.splitlines(), values)).strip()


def _lines(lines: list[str], values: Iterator[str]) -> Iterator[str]:
    position = 0
    while position < len(lines):
        line = lines[position]
        opened, code = _OPEN.match(line), _CODE.match(line)
        if opened or code:
            fence = (opened or code)["fence"]  # type: ignore[index]
            end = _end(lines, position + 1, fence)
            if opened:
                body = lines[position + 1 : end]
                yield from _directive(opened["name"], opened["title"], body, values)
            else:
                yield from lines[position : end + 1]
            position = end
        elif not _LABEL.match(line):
            yield _inline(line, values)
        position += 1


def _end(lines: list[str], start: int, fence: str) -> int:
    for position in range(start, len(lines)):
        if lines[position].rstrip() == fence:
            return position
    return len(lines)


def _directive(name: str, title: str, body: list[str], values: Iterator[str]) -> Iterator[str]:
    if name not in _FORMS:
        reason = f"the directive {{{name}}} has no plain form in a notebook"
        raise FormlessError(reason, f"{{{name}}}")
    while body and (_OPTION.match(body[0]) or not body[0].strip()):
        body = body[1:]
    yield from _FORMS[name](_inline(title, values), list(_lines(body, values)))


def _inline(line: str, values: Iterator[str]) -> str:
    def value(role: re.Match[str]) -> str:
        for found in values:
            return found
        raise FormlessError(f"no value is known for {role[0]}", role[0])

    line = _EVAL.sub(value, _SIGN.sub("", line))
    line = _QUOTED.sub(r"“\1” (\2)", line)
    line = _ROLE.sub(lambda role: role[1] or role[2], line)
    return _LINK.sub(r"\1", line)


def _box(title: str, body: list[str]) -> Iterator[str]:
    yield f"> **{title}**"
    yield from (f"> {line}".rstrip() for line in ["", *body])


_FORMS: dict[str, Callable[[str, list[str]], Iterator[str]]] = {
    "admonition": _box,
    "count-of-statements": lambda title, body: iter(["*On the site, a table stands here.*"]),
    "error-message": lambda title, body: iter(["```text", *body, "```"]),
    "landscape": lambda title, body: iter(["*On the site, you can turn v here.*"]),
    "painter": lambda title, body: iter(["*On the site, you can paint v here.*"]),
    "shapes": lambda title, body: iter(["*On the site, you can write your shapes here.*"]),
    "explorer": lambda title, body: iter(["*On the site, the explorer stands here.*"]),
    "grid": lambda title, body: iter(body),
    "grid-item-card": lambda title, body: iter([f"- **{title}**: {' '.join(body)}"]),
    "rubric": lambda title, body: iter([f"**{title}**"]),
    **{
        kind: lambda title, body, kind=kind: _box(title or kind.capitalize(), body)  # type: ignore[misc]
        for kind in ("note", "tip", "warning", "important", "dropdown", "seealso")
    },
    **dict.fromkeys(
        ("contents", "error-box", "eval-rst", "motif", "toctree"), lambda title, body: iter(())
    ),
}
