"""One worked case: a function, a point, a gradient argument and a Jacobian derived by hand."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from vtj.calling.tensors import Function, Tensors, as_tuple
from vtj.cases.confirming import PAGE, beside, with_rows
from vtj.certifying import certify
from vtj.checking import check
from vtj.comparing import compare
from vtj.oracle.tolerance import RELATIVE
from vtj.outcome import Outcome, backward
from vtj.report import Report


@dataclass(frozen=True)
class Example:
    """A function `f`, a point `x`, a gradient argument `v` and `J` by hand.

    Attributes:
        name: The builder's name, which is also the label of its section.
        f: Called as `f(x)`, or `f(*x)` when `x` is a tuple; takes dtype and device from `x`.
        x: A tensor or a tuple of tensors, as a reader types them (float32).
        v: The gradient argument, with `y`'s shape; None where the reader omits it.
        jacobian: J by hand, NumPy in and NumPy out, of shape ``(*y.shape, *x.shape)``; None where J
            is too large to hold.

    Example:
        >>> import torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> example = Example("sum", lambda x: x.sum(), x, None, lambda x: 0 * x + 1)
        >>> example.check().verdict
        'correct'
    """

    name: str
    f: Function
    x: Tensors
    v: Tensors | None
    jacobian: Callable[..., Any] | None

    def backward(self) -> Outcome:
        """Run ``y.backward(v)`` on fresh leaves.

        Example:
            >>> import torch
            >>> Example("square", lambda x: x**2, torch.tensor(3.0), None, None).backward().grad
            tensor(6.)
        """
        return backward(self.f, self.x, self.v)

    def check(self) -> Report:
        """Compare `backward`, the engines and the Jacobian by hand.

        Without a Jacobian by hand, `certify` decides along random directions.

        Example:
            >>> import torch
            >>> x = torch.tensor(3.0)
            >>> example = Example("square", lambda x: x**2, x, None, lambda x: 3 * x)
            >>> example.check().verdict, example.check().culprit
            ('wrong', 'jacobian')
        """
        if self.jacobian is None:
            return certify(self.f, self.x)
        return check(self.f, self.x, self.v, jacobian=self.jacobian)

    def confirm(self, *, y: Any, grad: Any, jacobian: Any = None, product: Any = None) -> Report:
        """Compare what a page's own cells computed with the engines, `backward` and each other.

        Args:
            y: What the torch cell's function returned.
            grad: What the torch cell left in `x.grad`; a tuple or list when `x` is a tuple.
            jacobian: J from the NumPy cell; only where the example has none may it be left out.
            product: vᵀ·J from the NumPy cell; likewise.

        Returns:
            The report, when everything agrees.

        Raises:
            JacobianMismatch: When anything differs; it names the entry and every value.
            TypeError: When the example has a Jacobian and the page hands none over, or has none
                and the page hands one over.
            ValueError: When a value has the wrong shape.

        Example:
            >>> import torch
            >>> x = torch.tensor(3.0)
            >>> example = Example("square", lambda x: x**2, x, None, lambda x: 2 * x)
            >>> example.confirm(y=9.0, grad=6.0, jacobian=6.0, product=6.0).verdict
            'correct'
        """
        if self.jacobian is None:
            if jacobian is not None:
                raise TypeError(
                    f"{self.name} has no Jacobian to compare jacobian= with: give its builder one"
                )
            report = self._beside_backward(y, grad, product)
        elif jacobian is None or product is None:
            raise TypeError(f"{self.name} has a Jacobian: confirm jacobian= and product= as well")
        else:
            grad = tuple(grad) if isinstance(self.x, tuple) else grad
            values = {"y": y, "grad": grad, "jacobian": jacobian, "product": product}
            report = compare(self.check(), PAGE, **values)
        report.raise_for_mismatch()
        return report

    def _beside_backward(self, y: Any, grad: Any, product: Any) -> Report:
        certified = self.check()
        outcome = self.backward()
        relative = max(RELATIVE[part.dtype] for part in as_tuple(self.x))
        asked: list[tuple[str, Any, dict[str, Any]]] = [("y", y, {"f": outcome.y})]
        if isinstance(outcome.grad, tuple):
            for place, (mine, theirs) in enumerate(zip(grad, outcome.grad, strict=True)):
                asked.append((f"x[{place}].grad", mine, {"backward": theirs}))
        else:
            asked.append(("x.grad", grad, {"backward": outcome.grad}))
        if product is not None:
            asked.append(("vᵀ·J", product, {"backward": outcome.grad}))
        page = with_rows(certified.title, [beside(*each, relative) for each in asked])
        return replace(
            certified if page or not certified else page,
            rows=(*certified.rows, *page.rows),
            findings=(*certified.findings, *page.findings),
        )
