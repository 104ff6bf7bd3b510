"""What the engines and ``backward`` said, row by row, and the verdict."""

from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal

from vtj.table import as_html, as_text

Result = Literal["agrees", "differs", "kink", "holds", "fails", "not applicable", "note"]
Verdict = Literal["correct", "wrong", "undecided"]

HEADER = ("what", "way", "result", "error/tolerance", "note")


@dataclass(frozen=True)
class Row:
    """One witness or one behavior.

    Attributes:
        what: Who spoke (``"reverse"``, ``"by hand"``) or what was tried (``"v unchanged"``).
        family: The column *way*: whose vote it is, as engines that share code, a family, have one
            together; empty when it has none.
        result: ``agrees`` or ``differs`` for values, ``holds`` or ``fails`` for behavior, ``kink``
            where no derivative exists, ``not applicable`` with the reason as note, or ``note``.
        error: The largest difference from what the others agree on, in units of the tolerance;
            None where nothing was compared.
        note: What a reader needs to know beside it.

    Example:
        >>> Row("x.grad", "backward", "agrees", 0.25).cells()
        ('x.grad', 'backward', 'agrees', '0.25', '')
    """

    what: str
    family: str
    result: Result
    error: float | None = None
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """Return the row as text, one string per column of the report's table."""
        error = "" if self.error is None else f"{self.error:.2g}"
        return (self.what, self.family, self.result, error, self.note)


@dataclass(frozen=True, repr=False)
class Report:
    """What every witness said of one function at one point, and the verdict.

    The verdict is ``correct`` when every entry of J was found in at least two independent ways,
    none disagreed, and `x` holds every leaf that `f` reaches; ``wrong`` when one did and the
    others outvote it, or a behavior failed; ``undecided`` otherwise. A report is true for
    ``correct`` alone, so that ``assert check(f, x)`` fails on anything else, and shows the table.

    A finding about J names the entry, what each way gives there, and the conclusion::

        dy[1,2]/dx[0,1]: by hand 6, backward 3, forward 3, numeric 3: the hand-derived J is wrong

    A finding about another value begins with who is to be compared::

        x.grad[1]: the page 1241, by hand 1240, backward 1240, forward 1240, numeric 1240

    Attributes:
        title: What was asked, with J's shape and the dtype it was computed in.
        rows: One `Row` per witness and behavior.
        verdict: ``"correct"``, ``"wrong"`` or ``"undecided"``.
        culprit: Who is at fault: ``"jacobian"`` (the hand-derived one), ``"backward"``,
            ``"forward"`` (a custom `jvp`), ``"f"``, the name a value was compared under, or None.
        findings: What is wrong or undecided, one line each.
        evidence: The values themselves, for `compare`.

    Example:
        >>> report = Report("J (2,)", (Row("x.grad", "backward", "agrees", 0.0),), "correct")
        >>> print(report)
        correct: J (2,)
        what    way       result  error/tolerance  note
        x.grad  backward  agrees  0
        >>> bool(report)
        True
    """

    title: str
    rows: tuple[Row, ...]
    verdict: Verdict
    culprit: str | None = None
    findings: tuple[str, ...] = ()
    evidence: Any = field(default=None, compare=False)

    def __bool__(self) -> bool:
        return self.verdict == "correct"

    def __str__(self) -> str:
        table = as_text(HEADER, [row.cells() for row in self.rows])
        return "\n".join([self._headline(), *self.findings, table])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        findings = "".join(f"<p>{escape(finding)}</p>\n" for finding in self.findings)
        table = as_html(HEADER, [row.cells() for row in self.rows], self._headline())
        start = '<details class="vtj">' if self else '<details class="vtj" open>'
        return (
            f"{start}\n<summary>{escape(self._summary())}</summary>\n{findings}"
            f'<div class="table-wrapper">\n{table}\n</div>\n</details>'
        )

    def _summary(self) -> str:
        if not self:
            return f"{self._headline()}: who said what, {len(self.rows)} rows"
        ways = dict.fromkeys(row.family for row in self.rows if row.family)
        agree = "agree" if len(ways) > 1 else "agrees"
        return f"correct: {', '.join(ways)} {agree} ({len(self.rows)} rows)"

    def raise_for_mismatch(self) -> None:
        """Raise `JacobianMismatch`, carrying this report, unless the verdict is ``correct``.

        Example:
            >>> Report("J (2,)", (), "correct").raise_for_mismatch()
        """
        if not self:
            raise JacobianMismatch(self)

    def _headline(self) -> str:
        culprit = f" ({self.culprit})" if self.culprit else ""
        return f"{self.verdict}{culprit}: {self.title}"


def both(first: Report, second: Report) -> Report:
    """Return one report of two: on `f`, and on its gradient (order 2)."""
    order: tuple[Verdict, ...] = ("wrong", "undecided", "correct")
    verdicts = (first.verdict, second.verdict)
    rows = (replace(row, what=f"order 2: {row.what}") for row in second.rows)
    return replace(
        first,
        title=f"{first.title}; order 2: {second.title}",
        rows=(*first.rows, *rows),
        verdict=next(verdict for verdict in order if verdict in verdicts),
        culprit=first.culprit or second.culprit,
        findings=(*first.findings, *(f"order 2: {finding}" for finding in second.findings)),
    )


class JacobianMismatch(AssertionError):  # noqa: N818 - the name the field's readers will look for
    """A report whose verdict is not ``correct``; raised by `Report.raise_for_mismatch` alone.

    Attributes:
        report: The report.

    Example:
        >>> report = Report("J (2,)", (), "undecided")
        >>> JacobianMismatch(report).report is report
        True
    """

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
