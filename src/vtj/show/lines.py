"""Equations that show themselves as mathematics in a notebook and as text in a terminal."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Equation:
    """One equation.

    Attributes:
        left: The TeX to the left of the equals sign.
        right: The TeX to its right.
        text: The equation for a terminal.
    """

    left: str
    right: str
    text: str


@dataclass(frozen=True)
class Lines:
    """Equations beneath each other, with a note on where they hold.

    Attributes:
        equations: At least one.
        note: TeX of the conditions under which they hold, or nothing.
        note_text: The same for a terminal.

    Example:
        >>> lines = Lines((Equation("y", "x^2", "y = x²"),))
        >>> lines.tex
        'y = x^2'
        >>> lines
        y = x²
    """

    equations: tuple[Equation, ...]
    note: str = ""
    note_text: str = ""

    @property
    def tex(self) -> str:
        """The equations as TeX, without delimiters; aligned at = when there are several."""
        rows = [f"{e.left} &= {e.right}" for e in self.equations]
        rows += [rf"&\text{{where }} {self.note}"] * bool(self.note)
        if len(rows) == 1:
            return rows[0].replace("&= ", "= ", 1)
        return r"\begin{aligned} " + r" \\[4pt] ".join(rows) + r" \end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$${self.tex}$$"

    def __str__(self) -> str:
        note = [f"where {self.note_text}"] * bool(self.note)
        return "\n".join([*(equation.text for equation in self.equations), *note])

    __repr__ = __str__
