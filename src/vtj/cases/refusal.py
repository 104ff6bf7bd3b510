"""One call that torch refuses, and the exact error it refuses it with."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from vtj.calling.tensors import Function, Tensors, as_tuple
from vtj.cases.confirming import PAGE, beside, with_rows
from vtj.outcome import Outcome, backward, vjp
from vtj.report import Report, Row


@dataclass(frozen=True)
class Refusal:
    """A function `f`, a point `x` and a gradient argument `v` that `backward` refuses.

    Attributes:
        name: The builder's name, which is also the label of its section.
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple.
        x: A tensor or a tuple of tensors.
        v: The gradient argument; None where the reader omits it.
        error: The exception, with its whole message.

    Example:
        >>> import torch
        >>> error = RuntimeError("grad can be implicitly created only for scalar outputs")
        >>> Refusal("omitted", lambda x: 2 * x, torch.ones(2), None, error).check().verdict
        'correct'
    """

    name: str
    f: Function
    x: Tensors
    v: Any
    error: Exception

    def backward(self) -> Outcome:
        """Run ``y.backward(v)`` on fresh leaves; the outcome holds the error.

        Example:
            >>> import torch
            >>> refusal = Refusal("list", lambda x: 2 * x, torch.ones(1), [1.0], TypeError())
            >>> refusal.backward().error
            TypeError('gradients can be either Tensors or None, but got float')
        """
        return backward(self.f, self.x, self.v)

    def check(self) -> Report:
        """Compare the error that torch raises with the one declared, type and whole message.

        Example:
            >>> import torch
            >>> refusal = Refusal("none", lambda x: 2 * x, torch.ones(1), None, TypeError("no"))
            >>> refusal.check().findings
            ('error: torch raises nothing, declared TypeError: no',)
        """
        return self._report("torch", self.backward().error, [])

    def confirm(
        self, *, error: BaseException | None, x: Tensors, y: Tensor, v: Any = None
    ) -> Report:
        """Compare what a page's own cell raised, and from what, with this refusal and with torch.

        Args:
            error: What the cell raised: `sys.last_value`.
            x: The cell's inputs, a tuple where the refusal has one.
            y: The output that the cell called `backward` on; its graph is still whole, so what it
                gives for all-ones weights is compared too.
            v: The gradient argument that it passed; left out where the refusal has none.

        Raises:
            JacobianMismatch: When anything differs; it names both values.
            TypeError: When the refusal has a gradient argument and the page hands none over.
            ValueError: When `y` or `v` has another shape.

        Example:
            >>> import torch
            >>> error = RuntimeError("grad can be implicitly created only for scalar outputs")
            >>> x = torch.ones(2, requires_grad=True)
            >>> refusal = Refusal("omitted", lambda x: 2 * x, x, None, error)
            >>> refusal.confirm(error=error, x=x, y=2 * x).verdict
            'correct'
        """
        if (self.v is None) != (v is None):
            wrong = "no v to confirm; expected one" if v is None else "a v to confirm; needs none"
            raise TypeError(f"{self.name} got {wrong}")
        outcome = self.backward()
        compared = [beside("y", y, {"f": outcome.y}, 1e-6)]
        if y.requires_grad:
            ones = torch.ones_like(y)
            given = torch.autograd.grad(y, as_tuple(x), ones)
            for mine, theirs in zip(given, as_tuple(vjp(self.f, self.x, ones)), strict=True):
                compared.append(beside("x.grad for ones", mine, {"backward": theirs}, 1e-5))
        if v is not None:
            compared.append(beside("v", v, {"the example": self.v}, 1e-6))
        self._report("torch", outcome.error, []).raise_for_mismatch()
        report = self._report(PAGE, error, compared)
        report.raise_for_mismatch()
        return report

    def _report(
        self, who: str, error: BaseException | None, compared: list[tuple[Row, str | None]]
    ) -> Report:
        came = "nothing" if error is None else f"{type(error).__name__}: {error}"
        declared = f"{type(self.error).__name__}: {self.error}"
        row = Row(f"error, {who}", who, "agrees" if came == declared else "differs", note=came)
        finding = None if came == declared else f"error: {who} raises {came}, declared {declared}"
        return with_rows(f"{self.name} is refused", [(row, finding), *compared])
