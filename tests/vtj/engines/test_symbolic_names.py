from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from vtj.engines.symbolic.names import names, subscript


@pytest.mark.parametrize(
    ("index", "shape", "tex"),
    [
        ((11,), (12,), "_{12}"),
        ((8, 8), (9, 9), "_{99}"),
        ((0, 1), (2, 10), "_{1,2}"),
    ],
)
def test_indices_count_from_one(index: Sequence[int], shape: Sequence[int], tex: str) -> None:
    assert subscript(index, shape) == tex


def same(*tensors: Any) -> Any:
    return tensors


@pytest.mark.parametrize(
    ("f", "count", "named"),
    [
        (lambda w, b: w, 2, ["w", "b"]),
        (lambda w, b, c=1: w, 2, ["w", "b"]),
        (lambda weight, b: b, 2, [r"\mathit{weight}", "b"]),
        (lambda a, /, b, *, c=0: a, 2, ["a", "b"]),
        (lambda w, *, b=0: w, 2, ["a", "b"]),
        (lambda w, *more: w, 3, ["a", "b", "c"]),
        (lambda w1, w2: w1, 2, ["a", "b"]),
        (lambda w, é: w, 2, ["a", "b"]),
        (max, 2, ["a", "b"]),
        (dict.get, 1, [r"\mathit{self}"]),
        (lambda w: w, 2, ["a", "b"]),
        (same, 19, [*"abcdghkmnpqrstuwz", "w^{(17)}", "w^{(18)}"]),
    ],
)
def test_inputs_have_the_names_that_f_gives_all_of_them(
    f: Callable[..., Any], count: int, named: list[str]
) -> None:
    assert names(f, [torch.ones(())] * count, single=False) == named


@pytest.mark.parametrize(
    ("f", "named"),
    [
        (lambda h: h, "h"),
        (lambda h, c=1: h, "h"),
        (lambda weight: weight, "x"),
        (lambda v: v, "x"),
        (same, "x"),
        (max, "x"),
    ],
    ids=["a letter", "and an option", "a word", "a letter in use", "a star", "no signature"],
)
def test_one_input_alone_is_x_or_the_letter_that_f_gives_it(
    f: Callable[..., Any], named: str
) -> None:
    assert names(f, [torch.ones(())], single=True) == [named]
