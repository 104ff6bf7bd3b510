"""Ask every engine, and the person who derived J by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from vtj.calling.tensors import values
from vtj.engines import ENGINES, FAMILIES
from vtj.engines import numeric as differences
from vtj.oracle.blocks import as_array, as_matrix
from vtj.oracle.tolerance import SAFETY
from vtj.oracle.trial import Trial
from vtj.oracle.voting import Array, Mask, Witness
from vtj.report import Row


@dataclass(frozen=True)
class Heard:
    """What was said of J.

    Attributes:
        witnesses: Who gave a value, the first of a family speaking for it.
        rows: Why the others did not.
        slopes: What the differences gave, when they were asked.
        hidden_kinks: Where kinks inside `f` cancel, when that was looked for.
    """

    witnesses: tuple[Witness, ...]
    rows: tuple[Row, ...]
    slopes: differences.Slopes | None = None
    hidden_kinks: Mask | None = None


def hear(trial: Trial, engines: Sequence[str], jacobian: Any) -> Heard:
    """Ask the engines for J, and take in the one derived by hand.

    An engine that raises gets a row with the reason instead.

    Args:
        trial: What `try_out` gave.
        engines: Keys of `ENGINES`.
        jacobian: J by hand: an array, a function that gives it (NumPy in, NumPy out), or None.

    Raises:
        ValueError: When the J by hand has the wrong shape; it names both.
    """
    witnesses, rows = [], []
    slopes = None
    for name in engines:
        try:
            if name == "numeric":
                slopes = differences.estimate(trial.f, trial.x, trial.eps)
                witnesses.append(by_differences(trial, slopes))
            else:
                value = matrix(trial, ENGINES[name](trial.f, trial.x))
                witnesses.append(Witness(name, FAMILIES[name], value, silent=np.isnan(value)))
        except Exception as error:
            rows.append(Row(name, FAMILIES[name], "not applicable", note=first_line(error)))
    if jacobian is not None:
        value = matrix(trial, by_hand(trial, jacobian))
        witnesses.append(Witness("by hand", "by hand", value))
    return Heard(tuple(witnesses), tuple(rows), slopes)


def by_hand(trial: Trial, jacobian: Any) -> Any:
    """Give the J derived by hand at the trial's `x`, calling it when it is a function."""
    if hasattr(jacobian, "shape") or not callable(jacobian):  # SciPy's operators can be called too
        return jacobian
    return jacobian(*(as_array(part) for part in trial.parts))


def matrix(trial: Trial, J: Any) -> Array:  # noqa: N803 - J is the term
    """Give J as one matrix of the trial's size."""
    return as_matrix(
        J, trial.y_shapes, trial.x_shapes, y_tuple=trial.y_tuple, x_tuple=trial.x_tuple
    )


def by_differences(trial: Trial, slopes: differences.Slopes) -> Witness:
    """Give the differences as a witness that is silent where its error is too wide to tell.

    At a kink its error reaches from the slope on the left to the slope on the right. Where `y` is
    not finite it is silent too: the slopes around say nothing of a derivative there.
    """
    value, error, jump = slopes
    error = error + abs(jump) / 2 / SAFETY
    row = np.nanmax(abs(value), axis=1, initial=0.0, keepdims=True)
    here = abs(values(trial.y))[:, None]
    enough = np.where(row > SAFETY * error, 1e-3 * row, 1e-9 * here)
    silent = ~((SAFETY * error <= enough) | (jump != 0)) | ~np.isfinite(here)
    return Witness("numeric", "numeric", np.where(silent, np.nan, value), error, silent=silent)


def first_line(error: Exception) -> str:
    r"""Give an error as one line: its type and the first sentence of its message.

    Example:
        >>> first_line(ValueError("first\nsecond"))
        'ValueError: first'
    """
    message = str(error).strip()
    if not message:
        return type(error).__name__
    sentence = message.splitlines()[0].split(". ")[0]
    return f"{type(error).__name__}: {sentence if len(sentence) <= 120 else sentence[:117] + '...'}"


def raised_by_autograd(error: Exception | None) -> bool:
    """Say whether torch refused because `y` is not connected to anything that requires grad."""
    return isinstance(error, RuntimeError) and "does not require grad" in str(error)


def gradient(trial: Trial, grad: Any) -> Array:
    """Give what `.grad` holds as one vector, zeros where it holds nothing."""
    grads = grad if isinstance(grad, tuple) else (grad,)
    filled = (
        torch.zeros_like(part) if one is None else one
        for part, one in zip(trial.parts, grads, strict=True)
    )
    return values(tuple(filled))
