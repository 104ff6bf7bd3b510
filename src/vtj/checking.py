"""Engines, hand-derived J and ``backward`` against each other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from vtj.calling.clock import OutOfTime
from vtj.calling.complex_numbers import as_pairs
from vtj.calling.tensors import Function, Tensors, as_tuple, like, require_values
from vtj.calling.waiting import BackwardFailed
from vtj.engines import ENGINES, refuse_what_does_not_fit
from vtj.oracle.beside import report_beside
from vtj.oracle.directions import along_directions
from vtj.oracle.judging import (
    DEFAULT,
    MOST_ENTRIES,
    backward_raises,
    entry_by_entry,
    gradient_argument,
)
from vtj.oracle.question import asked
from vtj.oracle.trial import Trial
from vtj.report import Report, Row, both

CERTIFY = "certify takes a few calls of f"


def check(
    f: Function,
    x: Any,
    v: Tensors | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    jacobian: Any = None,
    reference: Function | None = None,
    surrogate: Function | None = None,
    relative: float | None = None,
    engines: Sequence[str] | None = None,
    order: int = 1,
    seconds: float | None = None,
    seed: int = 0,
) -> Report:
    """Compare what ``y.backward(v)`` leaves in ``x.grad`` with independent ways to J.

    Args:
        f: Called as ``f(x, **kwargs)``, or ``f(*x, **kwargs)`` when `x` is a tuple. Where it is a
            module, or a method of one, its parameters that require grad are looked at too, and all
            its weights follow `x` in dtype. It returns a tensor, or lists, dicts and tuples of
            tensors; of these, all of a floating or complex dtype are compared.
        x: A tensor of a floating or complex dtype, or a tuple, list or dict of them, as deep as you
            like; computed with in float64 (complex128) when `f` allows it. Complex numbers are
            compared by their real and imaginary parts. What else stands there is given on as it is:
            tensors of integers or booleans, numbers, strings, None.
        v: The gradient argument, with `y`'s shape, in lists, dicts or tuples where `y` is, and
            complex where `y` is. Omitted, it is left out where `y` is a real scalar, and drawn with
            both signs elsewhere.
        kwargs: Keyword arguments of `f`; floating tensors among them are looked at as those of `x`.
        jacobian: J by hand, of shape ``(*y.shape, *x.shape)``, or a function that gives it: NumPy
            in, NumPy out. It is a tuple with a part for every tensor that is compared; a module's
            parameters are not looked at then. For a complex `y` it may be complex, the derivative
            of a holomorphic `f`; else a complex tensor has a last dimension of two in it.
        reference: A plain function of what `f` computes, for a kernel: `x` is handed to `f` in its
            own dtype, and `y` and `x.grad` are compared, element by element, with those of the
            reference in float64, as closely as the dtype of `f` allows. No engine is asked then.
            Where both are modules, or methods of modules, and have parameters of the same names
            and shapes, those of `f` are handed to both, and their gradients are compared too.
        surrogate: A plain function whose gradient `x.grad` is meant to be, though it is not that
            of `f`: for a straight-through rounding ``lambda x: x``. Nothing is said of `y` then,
            unless `reference` is given too, which gives `y` alone. What autograd gives for it is
            meant, also where a part of it is detached and that is not its slope, which a row says
            then; a custom Function in it leaves the verdict *undecided* there. A module is handed
            the parameters of `f` as a reference is.
        relative: How far values may lie apart, relative to each, or beside a plain function to the
            root mean square of its tensor if that is larger; that of the dtype when omitted.
        engines: Keys of `ENGINES`; all but ``"symbolic"`` when omitted, and none where J has over
            10,000 entries: it is compared along random directions then, as by `certify`.
        order: 2 checks the double backward too, as the backward of ``(x, v) -> vᵀ·J``.
        seconds: After how many no more call of `f` begins. The verdict is *undecided* then, beside
            the rows of the engines that were asked by then, and a finding names what was left.
            Longer work writes a line of progress in a terminal.
        seed: Fixes what is drawn at random, `v` and what `f` draws itself.

    Returns:
        A `Report`, true when every entry was found in two ways and none differed, and `J` has
        entries: that of an empty `x` has none. It names parameters that `f` reaches and `x` does
        not hold; beside them it is not true. Its row ``double backward`` says where a custom
        Function's own gradient is silently wrong, ``last digits`` where differences alone
        contradict it, by a part of 1e-9 or less, and ``x.grad in float32`` where that is far from
        `x.grad` in float64.

    Raises:
        TypeError: When `x` or `y` is of no floating or complex dtype, or of a class that torch's
            trees do not know, `f` or a plain function is a class or returns no tensor, a plain
            function or `jacobian` raises, `engines` is no list, or one of `v` and `y` is complex
            and the other is real.
        ValueError: When `v` or `jacobian`, or what `reference` or `surrogate` returns, has the
            wrong shape, when an element of `v` is nan or infinite, when there is no such engine,
            when `relative` is not between 0 and 1 or `seconds` not above 0, when `seed` is no int
            from 0 on, or when J by hand or engines are given beside a reference.

    Example:
        >>> x = torch.tensor([1.0, 2.0])
        >>> print(check(lambda x: 3 * x**2, x, engines=["reverse", "numeric"]))
        correct: J (2, 2) in float64, found in 2 independent ways
        what                    way       result  error/tolerance  note
        x.grad                  backward  agrees  0
        reverse                 backward  agrees  0
        numeric                 numeric   agrees  0
        linear in v             backward  agrees  0
        backward repeatable               holds   0
        a second backward adds            holds   0
        under create_graph                holds   0
        v unchanged                       holds
        y repeatable                      holds
        x unchanged                       holds
    """
    if isinstance(engines, str) or not isinstance(engines, Iterable | None):
        raise TypeError(f"engines is {engines!r}; expected a list of names, as ['reverse']")
    names = DEFAULT if engines is None else tuple(engines)
    for name in names:
        if name not in ENGINES:
            raise ValueError(f"engine {name!r} is unknown; expected some of {', '.join(ENGINES)}")
    if not names:
        raise ValueError(f"engines is empty; expected some of {', '.join(ENGINES)}")
    if order not in (1, 2):
        raise ValueError(f"order is {order!r}; expected 1 or 2")
    others = {"jacobian": jacobian, "engines": engines}
    plain = {"reference": reference, "surrogate": surrogate}
    again = partial(check, relative=relative, seed=seed)
    try:
        with asked("check", f, x, kwargs, others, plain, relative, seconds, seed) as question:
            trial, clock = question.trial, question.clock
            weights = gradient_argument(question) if v is None else _weights(trial, v)
            if question.plain:
                report = report_beside(question, weights, with_second_order=order == 1)
                if order == 2:
                    vjp, at = _gradient_as_function(trial, weights)
                    *_, gives_gradient = question.plain.values()  # a surrogate, where there is one
                    due, _ = _gradient_as_function(replace(trial, f=gives_gradient), weights)
                    # where a surrogate gives the gradient, its double backward is meant as well
                    meant = None if surrogate is None else due
                    left = clock.remaining()
                    second = again(vjp, at, reference=due, surrogate=meant, seconds=left)
                    report = both(report, second)
                return report
            large = trial.size[0] * trial.size[1] > MOST_ENTRIES
            if large and engines is None:
                note = f"J has over {MOST_ENTRIES:,} entries: certify compared it along directions"
                report = along_directions(question, jacobian)
                report = replace(report, rows=(*report.rows, Row("check", "", "note", note=note)))
            else:
                refuse_what_does_not_fit(*trial.size)
                if order == 1:
                    clock.instead = CERTIFY
                report = entry_by_entry(
                    question, names, jacobian, weights, with_second_order=order == 1
                )
            if order == 2:
                vjp, at = _gradient_as_function(trial, weights)
                named = [leaf.tensor for leaf in question.kept.reached(trial.others)]
                with _frozen(named):  # the first report names them
                    second = again(vjp, at, engines=engines, seconds=clock.remaining())
                # certify is not asked of vjp
                told = tuple(one.removesuffix(f"; {CERTIFY}") for one in second.findings)
                report = both(report, replace(second, findings=told))
            return report
    except BackwardFailed as failed:
        return backward_raises(failed)
    except OutOfTime as late:
        what = "what backward does beyond one gradient, or a second look at J, was"
        return Report("no J compared to the end", (), "undecided", None, (late.clock.left(what),))


@contextmanager
def _frozen(leaves: Sequence[Tensor]) -> Iterator[None]:
    for leaf in leaves:
        leaf.requires_grad_(False)
    try:
        yield
    finally:
        for leaf in leaves:
            leaf.requires_grad_()


def _gradient_as_function(
    trial: Trial, weights: Tensors | None
) -> tuple[Function, tuple[Tensor, ...]]:
    """Return ``(*x, *v) -> vᵀ·J`` and where to check it."""
    count = len(trial.parts)

    def vjp(*at: Tensor) -> Tensors:
        x = tuple(part if part.requires_grad else part.requires_grad_() for part in at[:count])
        with torch.enable_grad():
            weighed = zip(as_tuple(trial.f(*x), "y"), at[count:], strict=True)
            seen = [(y, v) for y, v in weighed if y.requires_grad]
            if seen:
                y, v = zip(*seen, strict=True)
                grads = torch.autograd.grad(y, x, v, create_graph=True, materialize_grads=True)
            else:
                grads = tuple(torch.zeros_like(part) for part in x)
        gradient: Tensors = like(grads, trial.x)
        return gradient

    ones = tuple(torch.ones_like(part) for part in trial.y)
    return vjp, (*trial.parts, *(ones if weights is None else as_tuple(weights)))


def _weights(trial: Trial, v: Tensors) -> Tensors:
    if trial.y_tuple and not isinstance(v, Tensor):
        v = trial.outputs.kept_of(v)
    parts = as_tuple(v, "v")
    if isinstance(v, tuple) != trial.y_tuple or len(parts) != len(trial.y):
        came = f"a tuple of {len(parts)}" if isinstance(v, tuple) else "one tensor"
        expected = f"a tuple of {len(trial.y)}" if trial.y_tuple else "one tensor"
        raise ValueError(f"v is {came}; expected {expected}, as y is")
    used = []
    for part, output, pair in zip(parts, trial.y, trial.y_pairs, strict=True):
        require_values("v", part)
        if part.is_complex() != pair:
            came = f"v has dtype {part.dtype} and y holds {'complex' if pair else 'real'} numbers"
            raise TypeError(f"{came}; expected a v of the same kind")
        weights = as_pairs(part.detach())
        if weights.shape != output.shape:
            y = output.shape[:-1] if pair else output.shape
            shapes = f"v has shape {tuple(part.shape)} and y {tuple(y)}"
            raise ValueError(f"{shapes}; v must have y's shape")
        if bad := int((~part.detach().isfinite()).sum()):
            told = f"v has {bad} of {part.numel()} elements that are nan or infinite"
            raise ValueError(f"{told}; expected finite numbers")
        used.append(weights.to(output))
    cast: Tensors = like(tuple(used), v)
    return cast
