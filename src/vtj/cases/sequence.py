"""Several calls of `backward` on one leaf, and what `.grad` holds after each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vtj.calling.tensors import Function, as_array
from vtj.cases.confirming import beside, with_rows
from vtj.checking import check
from vtj.contraction import contract
from vtj.oracle.tolerance import RELATIVE
from vtj.report import Report, Row


@dataclass(frozen=True)
class Call:
    """One call of `backward`.

    Attributes:
        f: The function of the leaf; calls of the same `f` in a row go back through one graph.
        v: The gradient argument, with `y`'s shape; None where the reader omits it.
        jacobian: J by hand, NumPy in and NumPy out, of shape ``(*y.shape, *x.shape)``.
        x: What the leaf is set to before the call; None leaves it as it is.
        clear: Whether `.grad` is cleared before the call.

    Example:
        >>> import torch
        >>> Call(lambda x: x**2, torch.tensor(10.0), lambda x: 2 * x).clear
        False
    """

    f: Function
    v: Tensor | None
    jacobian: Callable[..., Any]
    x: Tensor | None = None
    clear: bool = False


@dataclass(frozen=True)
class Sequence:
    """Several calls of `backward` on one leaf.

    Attributes:
        name: The builder's name, which is also the label of its section.
        x: Where the leaf starts.
        calls: The calls, in order.

    Example:
        >>> import torch
        >>> call = Call(lambda x: x**2, None, lambda x: 2 * x)
        >>> Sequence("twice", torch.tensor(3.0), (call, call)).run()
        [tensor(6.), tensor(12.)]
    """

    name: str
    x: Tensor
    calls: tuple[Call, ...]

    def run(self) -> list[Tensor]:
        """Make the calls on one fresh leaf; return `.grad` after each.

        Example:
            >>> import torch
            >>> call = Call(lambda x: x.sum(), torch.tensor(2.0), lambda x: 0 * x + 1, clear=True)
            >>> Sequence("cleared", torch.ones(2), (call, call)).run()
            [tensor([2., 2.]), tensor([2., 2.])]
        """
        leaf = self.x.detach().clone().requires_grad_()
        grads, before, y = [], None, leaf
        for call in self.calls:
            if call.clear:
                leaf.grad = None
            if call.x is not None:
                with torch.no_grad():
                    leaf.copy_(call.x)
            if call.f is not before or call.x is not None:
                y, before = call.f(leaf), call.f
            y.backward(call.v, retain_graph=True)  # type: ignore[no-untyped-call]
            assert leaf.grad is not None
            grads.append(leaf.grad.clone())
        return grads

    def by_hand(self) -> list[NDArray[np.float64]]:
        """Add up vᵀ·J of the Jacobians by hand: what `.grad` should hold after each call.

        Example:
            >>> import torch
            >>> call = Call(lambda x: x**2, None, lambda x: 2 * x)
            >>> sequence = Sequence("twice", torch.tensor(3.0), (call, call))
            >>> [float(total) for total in sequence.by_hand()]
            [6.0, 12.0]
        """
        x, total, totals = as_array(self.x), np.zeros(tuple(self.x.shape)), []
        for call in self.calls:
            x = x if call.x is None else as_array(call.x)
            J = as_array(call.jacobian(x))  # noqa: N806 - J is the term
            v = np.ones(J.shape[: J.ndim - x.ndim]) if call.v is None else as_array(call.v)
            total = contract(v, J) + (0 if call.clear else total)
            totals.append(total)
        return totals

    def check(self) -> Report:
        """Check every call's Jacobian against the engines, and `.grad` against the sums by hand.

        Example:
            >>> import torch
            >>> call = Call(lambda x: x**2, None, lambda x: 3 * x)
            >>> Sequence("wrong", torch.tensor(3.0), (call,)).check().verdict
            'wrong'
        """
        x = self.x
        for call in self.calls:
            x = x if call.x is None else call.x
            report = check(call.f, x, call.v, jacobian=call.jacobian)
            if not report:
                return report
        relative = RELATIVE[self.x.dtype]
        return self._report(
            beside(f"grad after call {number}", grad, {"by hand": total}, relative, "backward")
            for number, (total, grad) in enumerate(self._both(), 1)
        )

    def confirm(self, *, y: Any, grads: Iterable[Any], sums: Iterable[Any]) -> Report:
        """Compare what a page's own cells computed with the calls made here, and with each other.

        Args:
            y: The output that the torch cell's last call went back from.
            grads: `.grad` after each call, from the torch cell.
            sums: The same from the NumPy cell.

        Raises:
            JacobianMismatch: When anything differs; it names the call, the entry and the values.
            ValueError: When there are more or fewer of them than calls, or a shape differs.

        Example:
            >>> import torch
            >>> call = Call(lambda x: x**2, None, lambda x: 2 * x)
            >>> sequence = Sequence("twice", torch.tensor(3.0), (call, call))
            >>> sequence.confirm(y=9.0, grads=[6.0, 12.0], sums=[6.0, 12.0]).verdict
            'correct'
        """
        self.check().raise_for_mismatch()
        relative = RELATIVE[self.x.dtype]
        x = [self.x, *(call.x for call in self.calls if call.x is not None)][-1]
        compared = [beside("y", y, {"f": self.calls[-1].f(x.detach().clone())}, relative)]
        theirs = [{"by hand": total, "backward": grad} for total, grad in self._both()]
        for what, given in (("grad", grads), ("sum", sums)):
            values = list(given)
            if len(values) != len(self.calls):
                raise ValueError(
                    f"{self.name} got {len(values)} {what}s; expected {len(self.calls)}, one a call"
                )
            for number, (mine, expected) in enumerate(zip(values, theirs, strict=True), 1):
                compared.append(beside(f"{what} after call {number}", mine, expected, relative))
        report = self._report(compared)
        report.raise_for_mismatch()
        return report

    def _both(self) -> list[tuple[NDArray[np.float64], Tensor]]:
        return list(zip(self.by_hand(), self.run(), strict=True))

    def _report(self, compared: Iterable[tuple[Row, str | None]]) -> Report:
        return with_rows(f"{self.name}, {len(self.calls)} calls", list(compared))
