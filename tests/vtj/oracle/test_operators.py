"""What `certify` multiplies with: the products, their sizes, and what is refused."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
import torch
from torch import Tensor

from vtj.oracle.operators import Operator, operator
from vtj.oracle.pairs import Pair, Probes, with_size
from vtj.oracle.passes import Passes
from vtj.oracle.trial import try_out
from vtj.oracle.voting import unnamed

ENTRIES = np.array([[1.0, -2.0], [3.0, 4.0], [-5.0, 0.5]])
V, U = np.array([1.0, -10.0, 100.0]), np.array([1.0, -10.0])


def f(x: Tensor) -> Tensor:
    return torch.from_numpy(ENTRIES).to(x) @ x


TRIAL = try_out(f, torch.tensor([1.0, 2.0]))


class Bare:
    """Something with nothing but what `certify` asks for."""

    def __init__(self, left: Any, right: Any, shape: tuple[int, int] = (3, 2)) -> None:
        self._left, self._right, self.shape = left, right, shape

    def __matmul__(self, u: Any) -> Any:
        return self._right(u)

    def __rmatmul__(self, v: Any) -> Any:
        return self._left(v)


KINDS: dict[str, Any] = {
    "array": ENTRIES,
    "array, backwards in memory": np.flip(np.flip(ENTRIES).copy()),
    "integers": np.round(ENTRIES * 2).astype(int),
    "lists": ENTRIES.tolist(),
    "tensor": torch.from_numpy(ENTRIES),
    "float32": torch.from_numpy(ENTRIES).float(),
    "function": lambda x: ENTRIES,
    "function of a tensor": lambda x: torch.from_numpy(ENTRIES),
    "sparse array": scipy.sparse.csr_array(ENTRIES),
    "sparse tensor": torch.from_numpy(ENTRIES).to_sparse(),
    "sparse float32": torch.from_numpy(ENTRIES).float().to_sparse(),
    "linear operator": scipy.sparse.linalg.aslinearoperator(ENTRIES),
    "bare": Bare(lambda v: v @ ENTRIES, lambda u: ENTRIES @ u),
}


@pytest.mark.parametrize("kind", KINDS)
def test_both_products_of_every_kind(kind: str) -> None:
    J = operator(TRIAL, KINDS[kind])  # noqa: N806 - J is the term
    entries = 2 * ENTRIES if kind == "integers" else ENTRIES
    for product, expected in ((J.left(V), V @ entries), (J.right(U), entries @ U)):
        assert type(product) is np.ndarray
        assert product.dtype == np.float64
        assert product.tolist() == expected.tolist()


WITH_MAGNITUDES = sorted(KINDS.keys() - {"integers", "linear operator", "bare"})


@pytest.mark.parametrize("kind", WITH_MAGNITUDES)
def test_the_size_of_a_product_is_that_of_its_terms(kind: str) -> None:
    J = operator(TRIAL, KINDS[kind])  # noqa: N806 - J is the term
    assert sizes(J, V, U) == ([531, 92], [21, 43, 10])


@pytest.mark.parametrize("kind", ["linear operator", "bare"])
def test_where_terms_cannot_be_had_the_largest_element_is_the_size(kind: str) -> None:
    J = operator(TRIAL, KINDS[kind])  # noqa: N806 - J is the term
    assert sizes(J, V, U) == (529, 37)
    assert sizes(J, V, U / 1000) == (529, 0.037)


def sizes(J: Operator, v: Any, u: Any) -> tuple[Any, Any]:  # noqa: N803 - J is the term
    """Give the size of v @ J, and that of J @ u, where these differ from 1e9."""
    asked = Probes(Passes(TRIAL), J, v[None], u, (), np.zeros(()))
    far = unnamed(np.array([1e9]))
    pairs = (
        Pair("", "x", 0, unnamed(J.left(v)), far, 0.0),
        Pair("", "y", 0, unnamed(J.right(u)), far, 0.0),
    )
    of_x, of_y = (np.asarray(with_size(pair, asked).a.size).tolist() for pair in pairs)
    return of_x, of_y


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, np.bool_])
def test_products_of_every_real_dtype_become_float64(dtype: Any) -> None:
    J = Operator(Bare(lambda v: np.ones(2, dtype), lambda u: np.ones(3, dtype)))  # noqa: N806
    assert (J.left(V).dtype, J.right(U).dtype) == (np.float64, np.float64)
    assert (J.left(V).tolist(), J.right(U).tolist()) == ([1, 1], [1, 1, 1])


def _raises(error: Exception) -> Any:
    def product(one: Any) -> Any:
        raise error

    return product


@pytest.mark.parametrize(
    ("product", "error", "message"),
    [
        (
            _raises(KeyError("k")),
            TypeError,
            "{} raised KeyError: 'k'; expected a J with v @ J and J @ u",
        ),
        (
            lambda one: np.ones(5),
            ValueError,
            "{} has shape (5,); expected ({},)",
        ),
        (
            lambda one: np.ones((1, len(one))),
            ValueError,
            "{} has shape (1, {other}); expected ({},)",
        ),
        (
            lambda one: np.ones(2, complex),
            TypeError,
            "{} has dtype complex128; expected real numbers",
        ),
        (lambda one: "text", TypeError, "{} has dtype <U4; expected real numbers"),
        (lambda one: None, TypeError, "{} has dtype object; expected real numbers"),
    ],
)
def test_a_product_that_is_none(product: Any, error: type[Exception], message: str) -> None:
    J = Operator(Bare(product, product))  # noqa: N806 - J is the term
    with pytest.raises(error) as raised:
        J.left(V)
    assert str(raised.value) == message.format("v @ J", 2, other=3)
    with pytest.raises(error) as raised:
        J.lefts(V[None])
    assert str(raised.value) == message.format("v @ J", 2, other=3)
    with pytest.raises(error) as raised:
        J.right(U)
    assert str(raised.value) == message.format("J @ u", 3, other=2)


def test_a_sparse_tensor_that_is_complex_is_refused() -> None:
    J = operator(TRIAL, torch.from_numpy(ENTRIES).to(torch.complex128).to_sparse())  # noqa: N806
    refused = "^v @ J raised RuntimeError: .*; expected a J with v @ J and J @ u$"
    for product in (lambda: J.left(V), lambda: J.lefts(V[None])):
        with pytest.raises(TypeError, match=refused):
            product()


@pytest.mark.parametrize(
    "J", [scipy.sparse.csr_array((2, 3)), torch.zeros(2, 3).to_sparse(), Bare(None, None, (2, 3))]
)
def test_an_operator_of_another_shape_is_refused(J: Any) -> None:  # noqa: N803 - J is the term
    expected = r"expected \(y.numel\(\), x.numel\(\)\) = \(3, 2\)"
    with pytest.raises(ValueError, match=rf"^J has shape \(2, 3\); {expected}$"):
        operator(TRIAL, J)
