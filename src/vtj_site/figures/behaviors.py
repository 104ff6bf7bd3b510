"""What a report asks of `f` and of backward beyond one gradient, row by row."""

from html import escape

from vtj.oracle.behavior import (
    ADDS,
    CREATE_GRAPH,
    REPEATABLE,
    V_UNCHANGED,
    X_UNCHANGED,
    Y_REPEATABLE,
    Y_UNCHANGED,
    Behavior,
)
from vtj.oracle.further import ANOTHER_CALL, CONSTANT, EXPANDED, GAPS, INPUTS, OUTPUTS, ZEROS
from vtj_site.markup import Shown, TableRow, code, table

BEHAVIORS: tuple[Behavior, ...] = (
    REPEATABLE,
    ADDS,
    CREATE_GRAPH,
    V_UNCHANGED,
    Y_UNCHANGED,
    INPUTS,
    CONSTANT,
    OUTPUTS,
    GAPS,
    EXPANDED,
    ZEROS,
    ANOTHER_CALL,
    Y_REPEATABLE,
    X_UNCHANGED,
)


def behaviors() -> Shown:
    """Show the name of each row on a behavior, and what a report says where it fails.

    Example:
        >>> print(behaviors())  # doctest: +ELLIPSIS
        backward repeatable: the backward is not repeatable
        a second backward adds: a second backward adds something else
        ...
        x unchanged: x: f writes into its input
    """
    text = "\n".join(f"{one.name}: {one.complaint}" for one in BEHAVIORS)
    rows = [TableRow([code(one.name), escape(one.complaint)]) for one in BEHAVIORS]
    return Shown(text, table("Rows on behavior", ("row", "said where it fails"), rows))
