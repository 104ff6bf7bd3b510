"""Every way there is to check or compute a Jacobian, each as a call to be timed."""

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from scipy.optimize._numdiff import approx_derivative
from torch.autograd import functional, gradcheck

import vtj

from .cases import Case


def calls(case: Case) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Give the tools that apply to a case, by name; those not installed are left out."""
    f, x = case.f, case.x
    leaf = x.clone().requires_grad_()
    yield "gradcheck fast", lambda: gradcheck(f, (leaf,), fast_mode=True)
    yield "vtj.certify", lambda: vtj.certify(f, x)
    yield "vtj.certify with J", lambda: vtj.certify(f, x, case.jacobian)
    yield from _by_numpy(case)
    if not case.dense:
        return
    yield "gradcheck slow", lambda: gradcheck(f, (leaf,))
    yield "functional.jacobian", lambda: functional.jacobian(f, x)
    yield "functional.jacobian, vectorized", lambda: functional.jacobian(f, x, vectorize=True)
    yield "torch.func.jacrev", lambda: torch.func.jacrev(f)(x)
    yield "torch.func.jacfwd", lambda: torch.func.jacfwd(f)(x)
    if case.numpy is not None:
        flat = x.numpy().reshape(-1)
        yield (
            "scipy approx_derivative",
            lambda: approx_derivative(lambda x: case.numpy(x, np), flat, method="3-point"),
        )


def _by_numpy(case: Case) -> Iterator[tuple[str, Callable[[], Any]]]:
    if case.numpy is None:
        return
    flat = case.x.numpy().reshape(-1)
    if importlib.util.find_spec("autograd"):
        import autograd.numpy
        from autograd.test_util import check_grads as hips

        check = hips(lambda x: case.numpy(x, autograd.numpy), modes=["rev"], order=1)
        yield "autograd check_grads", lambda: check(flat)
    if importlib.util.find_spec("jax"):
        import jax
        import jax.numpy
        from jax.test_util import check_grads

        jax.config.update("jax_enable_x64", True)
        array = jax.numpy.asarray(flat)
        yield (
            "jax check_grads",
            lambda: check_grads(
                lambda x: case.numpy(x, jax.numpy), (array,), order=1, modes=["rev"]
            ),
        )
