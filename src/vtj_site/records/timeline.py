"""The recorded answers drawn along the releases, as a picture that follows the theme."""

from collections.abc import Sequence
from html import escape

from vtj_site.markup import Shown
from vtj_site.records.releases import Span, recorded, spans

STEP, LEFT, ROW, TOP = 25, 4, 58, 56  # as wide as a column of text, with 29 releases
CHARACTER = 6.7


def timeline_of(questions: Sequence[str]) -> Shown:
    """Draw the answers to some questions, a bar for each span of releases that gave the same one.

    A full bar is a gradient, a dashed one an error; its text is what was recorded, the values of a
    tensor and an error's type alone.

    Examples:
        >>> timeline_of(["y (), gradient float64 ()"])
        y (), gradient float64 ()
          1.0.0 … 1.2.0: RuntimeError
          1.3.0 … 2.15.0: tensor(2.)
    """
    lines = []
    for question in questions:
        lines += [question, *(f"  {span}: {short(span)}" for span in spans(question))]
    text = "\n".join(lines)
    releases = [row["torch"] for row in recorded()]
    width, height = 2 * LEFT + STEP * len(releases), TOP + ROW * len(questions)
    ticks = "".join(
        f'<text transform="translate({LEFT + STEP * n + 6} {TOP - 8}) rotate(-60)">{name}</text>'
        for n, name in enumerate(releases)
    )
    rows = "".join(_row(each, releases, TOP + ROW * n, width) for n, each in enumerate(questions))
    html = (
        f'<div class="vtj-figure"><svg class="timeline" role="img" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" fill="currentColor" '
        f'font-size="11" font-family="var(--font-stack--monospace, monospace)">'
        f"<title>{escape(text)}</title>{ticks}{rows}</svg></div>"
    )
    return Shown(text, html)


def short(span: Span) -> str:
    """Return an answer that fits into a bar: the text of a gradient, or the type of an error."""
    name = span.answer.split(":")[0]
    return name if name.endswith("Error") else " ".join(span.answer.split())


def _row(question: str, releases: list[str], top: int, width: int) -> str:
    bars = "".join(_bar(span, releases.index(span.first), top + 20) for span in spans(question))
    # At the end, where today is: on a phone, the picture is seen from there.
    place = f'x="{width - LEFT}" y="{top + 13}" text-anchor="end"'
    return f'<text {place} font-weight="bold">{escape(question)}</text>{bars}'


def _bar(span: Span, start: int, top: int) -> str:
    x, width = LEFT + STEP * start + 1, STEP * len(span.releases) - 2
    look = (
        'fill="none" stroke="currentColor" stroke-dasharray="4 3"'
        if short(span).endswith("Error")
        else 'fill-opacity="0.18" stroke="currentColor"'
    )
    value = short(span).removeprefix("tensor(").removesuffix(")")
    text = escape(value) if len(value) * CHARACTER < width else ""
    return (
        f"<g><title>{escape(f'torch {span}: {span.answer}')}</title>"
        f'<rect x="{x}" y="{top}" width="{width}" height="22" rx="3" {look}/>'
        f'<text x="{x + width - 3}" y="{top + 15}" text-anchor="end">{text}</text></g>'
    )
