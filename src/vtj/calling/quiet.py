"""Warnings torch gives about itself while an engine runs, which nobody can act on."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch.autograd import forward_ad


@contextmanager
def quiet() -> Iterator[None]:
    """Silence torch's remarks on its own code: slow batching rules, and its use of torch.jit.

    What the caller's own function warns of still gets out.
    """
    _load_forward_mode()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*batching rule", category=UserWarning)
        yield


@cache
def _load_forward_mode() -> None:
    """Have torch load what its first forward derivative loads, with torch.jit.script.

    Of that function torch warns, as it does where the caller's own function uses it: 2.12 and 2.13
    give a DeprecationWarning, 2.14 and newer a FutureWarning.
    """
    with warnings.catch_warnings(), forward_ad.dual_level():
        for category in (DeprecationWarning, FutureWarning):
            warnings.filterwarnings("ignore", message="`torch.jit.script", category=category)
        forward_ad.make_dual(torch.zeros(()), torch.zeros(()))  # type: ignore[no-untyped-call]
