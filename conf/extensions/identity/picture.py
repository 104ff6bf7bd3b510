"""The front page's picture: each weight on its row of J, what that makes, and the sum."""

from vtj.show.measured import Measured, number
from vtj.show.svg import Drawing, Figure

CELL, HIGH, GAP, TOP = 52.0, 28.0, 10.0, 30.0
DOT, WEIGHT_ENDS, ROWS = 17.0, 82.0, 100.0
"""Where the dots stand, the weights end and the rows begin, from the left."""


def picture(seen: Measured) -> Figure:
    """Draw v, J and the weighted rows; a part's step is when it comes in, where things move.

    Raises:
        ValueError: if x or y is not a vector.
    """
    if seen.x.ndim != 1 or seen.y.ndim != 1:
        raise ValueError(
            f"the picture shows vectors x and y; x has shape {seen.x.shape}, y {seen.y.shape}"
        )
    wide = CELL * seen.x.size
    made = ROWS + wide + 44
    end = TOP + seen.y.size * (HIGH + GAP)
    drawing = Drawing(made + wide + 4, end + HIGH + 6)
    for x, words in (
        ((DOT + WEIGHT_ENDS) / 2, "v"),
        (ROWS + wide / 2, "rows of J"),
        (made + wide / 2, "v times row"),
    ):
        drawing.text(x, TOP - 12, words, color="accent" if words == "v" else "plain")
    largest = max(abs(seen.J).max(), 1e-300)
    for i, (weight, row) in enumerate(zip(seen.v, seen.J, strict=True)):
        y = TOP + i * (HIGH + GAP)
        middle = y + HIGH / 2
        comes, makes = {"since": 2 * i + 1}, {"since": 2 * i + 2}
        radius = 5.0 + 4.0 * i
        drawing.box(
            DOT - radius, middle - radius, 2 * radius, 2 * radius,
            color="accent", shade=2.5, corner=radius, steps=comes,
        )  # fmt: skip
        says = f"{number(weight)} ×"
        drawing.text(
            WEIGHT_ENDS, middle + 5, says, anchor="end", color="accent", strong=True, steps=comes
        )
        drawing.text(made - 20, middle + 5, "=", steps=makes)
        for j, slope in enumerate(row):
            color = "negative" if slope < 0 else "positive"
            at = ROWS + j * CELL
            drawing.box(at, y, CELL - 4, HIGH, color=color, shade=abs(slope) / largest)
            drawing.text(at + CELL / 2 - 2, middle + 5, number(slope))
            words = number(weight * slope)
            drawing.text(made + j * CELL + CELL / 2, middle + 5, words, steps=makes)
    low, high = end - GAP + 3, TOP - 3
    for side, inward in ((ROWS - 5, 5), (ROWS + wide + 1, -5)):  # brackets
        drawing.line([(side + inward, high), (side, high), (side, low), (side + inward, low)])
    total = {"since": 2 * seen.y.size + 1}
    drawing.line([(made, end), (made + wide, end)], steps=total)
    drawing.text(made - 8, end + 22, "x.grad", anchor="end", strong=True, steps=total)
    for j, slope in enumerate(seen.grad):
        x = made + j * CELL + CELL / 2
        drawing.text(x, end + 22, number(slope), color="accent", strong=True, steps=total)
    terms = " + ".join(
        f"{number(weight)} × ({', '.join(map(number, row))})"
        for weight, row in zip(seen.v, seen.J, strict=True)
    )
    sums = ", ".join(map(number, seen.grad))
    return drawing.figure("v weights the rows of J", f"{terms} = x.grad ({sums}).")
