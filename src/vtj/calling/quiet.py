"""Warnings torch gives about itself while an engine runs, which nobody can act on."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Silence torch's remarks on its own code: slow batching rules, and its use of torch.jit.

    What the caller's own function warns of still gets out.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*batching rule", category=UserWarning)
        warnings.filterwarnings("ignore", message="`torch.jit", category=DeprecationWarning)
        yield
