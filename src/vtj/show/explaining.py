"""The site's treatment of a function of your own."""

from dataclasses import dataclass
from html import escape
from textwrap import indent
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from vtj.calling import without_trace
from vtj.calling.tensors import Function, Tensors, as_tuple, fresh_leaves, like
from vtj.checking import check
from vtj.engines.symbolic.errors import NotSymbolic
from vtj.outcome import Outcome, backward
from vtj.report import Report
from vtj.show.equations import assigned, flat, laid_out
from vtj.show.failing import Failure, diagnose
from vtj.show.formulas import Formula, formula, weighted
from vtj.show.heat import LIMIT, draw
from vtj.show.measured import Measured, confirmed, number, read
from vtj.show.svg import Figure


@dataclass(frozen=True)
class Explanation:
    """What ``y.backward(v)`` does to one function at one point.

    Attributes:
        transcript: The calls and what they print.
        outcome: What `vtj.backward` gave.
        formula: The formulas of y, J and vᵀ·J, where they could be derived.
        no_formula: Why they could not; empty where they could.
        numbers: v, J, vᵀ·J and x.grad as text; empty where J has more than 64 entries.
        figure: J as a heat map, where it has at most 64 entries.
        report: What `vtj.check` says; None where backward raised.
        failure: What went wrong, why, and the fix; None where nothing did.
    """

    transcript: str
    outcome: Outcome
    formula: Formula | None = None
    no_formula: str = ""
    numbers: str = ""
    figure: Figure | None = None
    report: Report | None = None
    failure: Failure | None = None

    @property
    def _math(self) -> str:
        return str(self.formula) if self.formula else f"No formula: {self.no_formula}"

    def __str__(self) -> str:
        if self.failure:
            fix = self.failure.fix and f"Fix:\n{indent(self.failure.fix, '    ')}"
            parts = [self.transcript, f"Why: {self.failure.cause}", fix]
        else:
            report = "" if self.report is None else str(self.report)
            parts = [self.transcript, self._math, self.numbers, report]
        return "\n\n".join(filter(None, parts))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [_block(self.transcript)]
        if self.failure:
            parts.append(f"<p><strong>Why:</strong> {escape(self.failure.cause)}</p>")
            if self.failure.fix:
                parts.append(f"<p><strong>Fix:</strong></p>{_block(self.failure.fix)}")
        else:
            parts.append(_block(self._math) if self.formula else f"<p>{escape(self._math)}</p>")
            parts += [_block(self.numbers)] * bool(self.numbers)
            parts += [part._repr_html_() for part in (self.figure, self.report) if part is not None]
        return f'<div class="vtj-explanation">{"".join(parts)}</div>'


def explain(f: Function, x: Tensors, v: Any = None) -> Explanation:
    """Run ``y = f(x); y.backward(v)`` and show the mathematics of it, or why it fails.

    Args:
        f: A function or module, called as `f(x)`, or `f(*x)` when `x` is a tuple.
        x: A tensor, or a tuple of tensors. It, its `.grad`, and the random state stay as they are.
        v: The gradient argument, as you would hand it to backward; None to omit it.

    Returns:
        An `Explanation`, text in a terminal and tables and figures in a notebook.

    Raises:
        TypeError: When `f` cannot be called or `x` is neither a tensor nor a tuple of them.
        ValueError: When `x` is an empty tuple, or `v` has parts that torch would ignore.

    Example:
        >>> import torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> print(explain(lambda x: 3 * x**2, x, torch.tensor([1.0, 10.0])).numbers)
        v      = [1, 10]
        J      = [6   0]
                 [0  12]
        vᵀ·J   = [6, 120]
        x.grad = [6, 120]
        >>> explain(lambda x: 3 * x**2, x).failure.cause
        'y has shape (2,), so it is not one number but 2: v must say how much each of them counts.'
    """
    with without_trace(f) as (same, _):
        outcome = backward(same, x, v)
        transcript = _transcript(same, x, v, outcome)
        if outcome.error is not None:
            return Explanation(transcript, outcome, failure=diagnose(same, x, v, outcome))
        v = _as_used(v, outcome.y)
        report = check(f, x, v)
        if any(part.is_complex() for part in tree_leaves((x, outcome.y))):
            reason = "formulas are for real tensors"
            return Explanation(transcript, outcome, no_formula=reason, report=report)
        try:
            # under the name that the transcript has, whatever letter f uses
            named = (lambda x: f(x)) if isinstance(x, Tensor) else f
            shown, reason = formula(named, x, v), ""
        except NotSymbolic as limit:
            shown, reason = None, str(limit)
        seen, y = None, outcome.y
        if isinstance(x, Tensor) and isinstance(y, Tensor) and 0 < x.numel() * y.numel() <= LIMIT:
            seen = read(same, x, v, outcome)
    numbers = _numbers(seen) if seen else ""
    figure = draw(seen) if seen and confirmed(report) else None
    return Explanation(transcript, outcome, shown, reason, numbers, figure, report)


def _as_used(v: Any, y: Any) -> Any:
    """Return v as torch used it: ones where a part was omitted, one part for one output."""
    if v is None or isinstance(v, Tensor):
        return v
    outputs = y if isinstance(y, tuple) else (y,)
    if len(v) != len(outputs):
        raise ValueError(f"v has {len(v)} parts and y is one tensor; torch uses the first alone")
    pairs = zip(v, outputs, strict=True)
    return like(tuple(torch.ones_like(out) if part is None else part for part, out in pairs), y)


def _transcript(f: Function, x: Tensors, v: Any, outcome: Outcome) -> str:
    """Write down the calls of a backward, with what they print."""
    several = isinstance(x, tuple)
    failed = f"{type(outcome.error).__name__}: {outcome.error}"
    lines = [">>> v", repr(v)] * (v is not None)
    if not all(part.is_floating_point() or part.is_complex() for part in as_tuple(x)):
        return "\n".join([*lines, ">>> x", repr(x), ">>> x.requires_grad_()", failed])
    lines = [">>> x", repr(like(fresh_leaves(x), x)), *lines]
    lines += [">>> y = f(*x)" if several else ">>> y = f(x)"]
    if outcome.y is not None:
        y = f(*fresh_leaves(x))
        given = "" if v is None else "v"
        call = f"y.backward({given})"
        if isinstance(y, tuple):
            call = f"torch.autograd.backward({', '.join(['y', *[given] * bool(given)])})"
        lines += [">>> y", repr(y), f">>> {call}"]
    if outcome.error is not None:
        return "\n".join([*lines, failed])
    grads = ">>> tuple(part.grad for part in x)" if several else ">>> x.grad"
    return "\n".join([*lines, grads, repr(outcome.grad)])


def _numbers(seen: Measured) -> str:
    """Write v, J, vᵀ·J and x.grad in numbers."""
    lines = [
        assigned("v     ", flat(seen.v), number),
        assigned("J     ", laid_out(seen.J, seen.y.ndim), number),
        assigned("vᵀ·J  ", flat(weighted(seen.v, seen.J)), number),
        assigned("x.grad", flat(seen.grad), number),
    ]
    return "\n".join(lines)


def _block(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"
