"""The samples: calls of torch's own operators and modules, as torch's tests draw them.

Torch keeps them for its own tests, in databases that are no public interface and need expecttest.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

KINDS = ("operator", "module")
PER_ENTRY = 2  # samples of an operator, and of a module in each mode
LOOKED_AT = 100  # samples of an entry, of which that many are drawn: some have hundreds
ELEMENTS = 400  # at most, of all tensors that torch's tests ask a gradient of


@dataclass(frozen=True)
class Held:
    """A floating tensor that torch's tests ask no gradient of: no tensor for whoever looks."""

    tensor: Tensor


class Sample:
    """One call, `f` and its arguments in float64, as `vtj.check` takes it and as gradcheck does."""

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tolerance: float = 0.0,
    ) -> None:
        self.tolerance = tolerance  # by which two runs may differ in torch's own tests
        self.called = 0
        leaves, self.form = tree_flatten((args, kwargs))
        self.x, self.kwargs = tree_unflatten([_handed_in(leaf) for leaf in leaves], self.form)
        self.f = _Module(f, self) if isinstance(f, nn.Module) else self.calling(f)

    def calling(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that counts its calls and undoes what was done to the arguments."""

        def counting(*args: Any, **kwargs: Any) -> Any:
            self.called += 1
            leaves, form = tree_flatten((args, kwargs))
            for i, leaf in enumerate(leaves):
                if isinstance(leaf, Held):
                    leaves[i] = leaf.tensor.clone()
            args, kwargs = tree_unflatten(leaves, form)
            return f(*args, **kwargs)

        return counting

    def shapes(self) -> list[list[int]]:
        """Return the shapes of what moves among the arguments."""
        moving = filter(_may_move, tree_leaves((self.x, self.kwargs)))
        return [list(leaf.shape) for leaf in moving]

    def for_gradcheck(self) -> tuple[Callable[..., Any], tuple[Tensor, ...]]:
        """Return `f` as a function of the tensors that move, and these, as gradcheck takes them.

        It draws the same random numbers at every call, and its buffers are as they were: without
        that every dropout fails.
        """
        leaves, form = tree_flatten((self.x, self.kwargs))
        places = [i for i, leaf in enumerate(leaves) if _may_move(leaf)]
        module = self.f if isinstance(self.f, nn.Module) else None
        weights = dict(module.named_parameters()) if module else {}
        weights = {name: one for name, one in weights.items() if one.requires_grad}
        given = (*(leaves[i] for i in places), *weights.values())

        def f(*parts: Tensor) -> tuple[Tensor, ...]:
            _seed("the same at every call")
            now = [leaf.clone() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            for i, part in zip(places, parts, strict=False):
                now[i] = part
            args, kwargs = tree_unflatten(now, form)
            if module is None:
                y = self.f(*args, **kwargs)
            else:
                put = dict(zip(weights, parts[len(places) :], strict=True))
                put |= {name: one.clone() for name, one in module.named_buffers()}
                y = functional_call(module, put, args, kwargs)
            return tuple(part for part in tree_leaves(y) if isinstance(part, Tensor))

        return f, tuple(part.detach().clone().requires_grad_() for part in given)


class _Module(nn.Module):
    """A module that is called as a sample says, so that its parameters are looked at."""

    def __init__(self, inner: nn.Module, sample: Sample) -> None:
        super().__init__()
        self.inner = inner
        self.call = sample.calling(inner)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)


def _may_move(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and (leaf.is_floating_point() or leaf.is_complex())


def _moves(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and bool(leaf.requires_grad)


def _handed_in(leaf: Any) -> Any:
    if not _may_move(leaf):
        return leaf
    plain = leaf.detach()
    return plain if leaf.requires_grad else Held(plain)


def entries(kind: str, device: str = "cpu") -> list[str]:
    """Return the names of all that take float64, and of operators those that have a gradient."""
    return [*_database(kind, device)]


@cache
def _database(kind: str, device: str) -> dict[str, Any]:
    with warnings.catch_warnings():  # torch's own, about itself
        warnings.simplefilter("ignore")
        if kind == "operator":
            from torch.testing._internal.common_methods_invocations import op_db

            return {
                op.full_name: op
                for op in op_db
                if op.supports_autograd and op.supports_dtype(torch.float64, device)
            }
        from torch.testing._internal.common_modules import module_db

        found: dict[str, Any] = {}
        for info in module_db:
            if info.train_and_eval_differ:
                found |= {f"{info.name}.train": (info, True), f"{info.name}.eval": (info, False)}
            else:
                found[info.name] = (info, True)
        return found


def samples(kind: str, name: str, device: str = "cpu") -> list[Sample]:
    """Return the samples that are drawn of one entry, the same at every call."""
    entry = _database(kind, device)[name]
    with _known_random_numbers(name):
        calls = _of_operator(entry, device) if kind == "operator" else _of_module(entry, device)
        drawn = [*calls]
        picked = random.Random(name).sample(range(len(drawn)), min(PER_ENTRY, len(drawn)))
        others = [i for i in range(len(drawn)) if i not in picked]  # for those that ask nothing
        made = (drawn[i]() for i in (*sorted(picked), *others))
        return [*islice(filter(_has_entries, made), PER_ENTRY)]


def _of_operator(op: Any, device: str) -> Iterator[Callable[[], Sample]]:
    for call in islice(op.sample_inputs(device, torch.float64, requires_grad=True), LOOKED_AT):
        args = (call.input, *call.args)
        if not _has_fitting_size((args, call.kwargs)):
            continue

        def f(*args: Any, call: Any = call, **kwargs: Any) -> Any:
            # Some read one triangle of a matrix alone; and some outputs have a free sign.
            y = op.gradcheck_wrapper(op.get_op(), *args, **kwargs)
            return call.output_process_fn_grad(y)

        def make(f: Any = f, args: Any = args, call: Any = call) -> Sample:
            return Sample(f, args, dict(call.kwargs), op.gradcheck_nondet_tol)

        yield make


def _of_module(entry: tuple[Any, bool], device: str) -> Iterator[Callable[[], Sample]]:
    info, training = entry
    given = {"device": device, "dtype": torch.float64, "requires_grad": True}
    calls = info.module_inputs_func(info, training=training, **given)
    for call in islice(calls, LOOKED_AT):
        how = call.forward_input
        if how is None or not _has_fitting_size((how.args, how.kwargs)):
            continue

        def make(call: Any = call) -> Sample:
            made, how = call.constructor_input, call.forward_input
            module = info.module_cls(*made.args, **made.kwargs).to(device, torch.float64)
            module.train(training)
            if info.is_lazy:
                with torch.no_grad():
                    module(*how.args, **how.kwargs)  # so that its parameters have values
            return Sample(module, tuple(how.args), dict(how.kwargs))

        yield make


def _has_fitting_size(arguments: Any) -> bool:
    moving = (leaf.numel() for leaf in tree_leaves(arguments) if _moves(leaf))
    return 0 < int(sum(moving)) <= ELEMENTS


def _has_entries(sample: Sample) -> bool:
    """Whether J has any: of a narrow of length 0 it has none, and nothing can be asked."""
    f, x = sample.for_gradcheck()
    try:
        y = f(*x)
    except Exception:  # whoever is asked tells it
        return True
    return any(part.numel() for part in y if _may_move(part))


@contextmanager
def _known_random_numbers(name: str) -> Iterator[None]:
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own, about itself
        _seed(name)
        yield


def _seed(name: str) -> None:
    number = crc32(name.encode())
    torch.manual_seed(number)
    np.random.seed(number)
    random.seed(number)
