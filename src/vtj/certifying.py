"""The verdict in a constant number of passes, for any size."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

from vtj.calling.clock import OutOfTime
from vtj.calling.tensors import Function
from vtj.calling.waiting import BackwardFailed
from vtj.oracle.behavior import drawn
from vtj.oracle.beside import report_beside
from vtj.oracle.directions import along_directions, out_of_time
from vtj.oracle.judging import backward_raises
from vtj.oracle.question import asked
from vtj.report import Report


def certify(
    f: Function,
    x: Any,
    J: Any = None,  # noqa: N803 - J is the term
    *,
    kwargs: Mapping[str, Any] | None = None,
    reference: Function | None = None,
    surrogate: Function | None = None,
    relative: float | None = None,
    probes: int = 2,
    seconds: float | None = None,
    seed: int = 0,
) -> Report:
    """Return the verdict of `check` in a number of passes that does not grow with `x` or `y`.

    With a J by hand, vᵀ·J is compared with `x.grad`, element by element, for random `v`, and J·u
    with differences along a random `u`. Without one, the number ⟨x.grad, u⟩ is compared with
    ⟨v, J·u⟩ by differences, or by a forward pass where differences are too rough. Only when
    something differs are further passes spent, to find the entry and who is at fault. What stays
    undecided is looked at entry by entry where `x` has 40 elements or fewer.

    Args:
        f: Called as `check` does; a module is looked at together with its parameters.
        x: A tensor of a floating or complex dtype, or a tuple, list or dict of them, as `check`
            takes it; DTensors too. What else stands there is given on as it is.
        J: J by hand, of shape ``(*y.shape, *x.shape)``, or anything of shape
            ``(y.numel(), x.numel())`` with ``v @ J`` and ``J @ u``: an array, a sparse array or
            tensor, an operator.
        kwargs: Keyword arguments of `f`; see `check`.
        reference: A plain function of what `f` computes, in float64, or a module with the
            parameters of `f`; see `check`, which gives the same report then.
        surrogate: A plain function whose gradient `x.grad` is meant to be, also where a part of it
            is detached; see `check`.
        relative: How far values may lie apart, relative to each; that of the dtype when omitted.
            Where x.grad is another by more than rounding, `check` looks at each entry, unless J
            has more than 10,000.
        probes: How many random `v`; there is one random `u`.
        seconds: After how many no more call of `f` begins; see `check`.
        seed: Fixes them, and what `f` draws itself.

    Returns:
        A `Report`. Its row ``power`` says how small an error in a single entry would have shown;
        it is true only where that is small beside the largest element of `x.grad`, and where `J`
        has entries.

    Raises:
        TypeError: When `x` or `y` is of no floating or complex dtype or `f` returns no tensor.
        ValueError: When `J` has the wrong shape, naming both, or is given beside a reference, or
            `probes` is no int from 1 on.

    Example:
        >>> import numpy as np
        >>> import torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> certify(lambda x: 3 * x**2, x, np.diag([6.0, 12.0])).verdict
        'correct'
        >>> certify(lambda x: x**2, x, np.diag([2.0, 5.0])).findings[0]
        'dy[1]/dx[1]: by hand 5, backward 4, forward 4, numeric 4: the hand-derived J is wrong'
    """
    if not isinstance(probes, Integral) or isinstance(probes, bool) or probes < 1:
        raise ValueError(f"probes is {probes!r}; expected an int from 1 on")
    others, plain = {"J": J}, {"reference": reference, "surrogate": surrogate}
    try:
        with asked("certify", f, x, kwargs, others, plain, relative, seconds, seed) as question:
            if question.plain:
                return report_beside(question, drawn(question.trial))
            return along_directions(question, J, probes)
    except BackwardFailed as failed:
        return backward_raises(failed)
    except OutOfTime as late:
        return out_of_time(late)
