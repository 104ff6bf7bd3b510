import numpy as np
import pytest

from vtj.oracle.patterns import Input, Inputs, pattern

EPS = 2.0**-52
RIGHT = np.array([[1.0, 2.0, 0.5], [3.0, 4.0, 0.25], [5.0, 0.0, 7.0]])


def _put(entries: dict[tuple[int, int], float]) -> np.ndarray:
    wrong = RIGHT.copy()
    for at, value in entries.items():
        wrong[at] = value
    return wrong


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (-RIGHT, "the opposite sign"),
        (_put({(0, 1): -2.0, (2, 2): -7.0}), "the opposite sign"),
        (RIGHT.T, "transposed"),
        (2 * RIGHT, "the factor 2"),
        (12.345 * RIGHT, "the factor 12.3"),
        (1.0005 * RIGHT, "the factor 1.0005"),
        (1.00051234 * RIGHT, "the factor 1.00051"),
        (RIGHT * (1 + 1e-8), "the factor 1.00000001"),
        (_put({(0, 0): 10.0, (1, 1): 40.0}), "the factor 10 in these entries"),
        (RIGHT[[1, 0, 2]], "two elements of y swapped"),
        (RIGHT[:, [0, 2, 1]], "two elements of x swapped"),
        (RIGHT[[1, 0, 2]] * (1 + 5e-7 * RIGHT / 7), "two elements of y swapped"),
        (RIGHT[[1, 0, 2]] * (1 + 5e-6 * RIGHT / 7), ""),
        (_put({(0, 1): 0.0}), "a missing term: zero where it should not be"),
        (_put({(0, 1): 0.0, (1, 1): 1.5}), "a missing term"),
        (_put({(0, 1): 0.0, (2, 1): 1.5}), ""),
        (_put({(2, 1): 1.0}), "a term too many"),
        (RIGHT * (1 + 5e-8 * np.array([[1, -1, 0], [0, 1, 1], [-1, 1, 1]])), "float32 precision"),
        (_put({(0, 1): 2 * (1 + 5e-8), (1, 1): 4 * (1 - 5e-8)}), "float32 precision"),
        (_put({(0, 1): 2 * (1 + 5e-8)}), ""),
        (np.tile([3.0, 5.0, 9.0], (3, 1)), "does not depend on v"),
        (_put({(0, 1): 2.1}), ""),
        (_put({(0, 1): 2.1, (1, 0): 9.0}), ""),
        (_put({(0, 1): np.nan}), ""),
        (_put({(0, 1): 1e300, (1, 1): 2e300}), ""),
    ],
)
def test_pattern(wrong: np.ndarray, name: str) -> None:
    assert pattern(wrong, RIGHT, wrong != RIGHT) == name


LARGE = np.random.default_rng(0).normal(size=(65, 65))
SYMMETRIC = np.array([[0.0, 2.0], [2.0, 4.0]])
SWAPPED = RIGHT[[1, 0, 2]]
POWERS = np.array([1.0, 2.0, 4.0])
OTHERS = {
    "as many digits as tell it from 1": (
        POWERS * (1 + EPS),
        POWERS,
        "the factor 1.0000000000000002",
    ),
    "two rows": (np.tile([3.0, 5.0, 9.0], (2, 1)), RIGHT[:2], "does not depend on v"),
    "symmetric": (SYMMETRIC + np.array([[0, 1e-7], [0, 0]]), SYMMETRIC, ""),
    "small entries": (1e-9 * SWAPPED * (1 + 0.01 * RIGHT), 1e-9 * RIGHT, ""),
    "64 rows": (LARGE[[1, 0, *range(2, 64)], :64], LARGE[:64, :64], "two elements of y swapped"),
    "65 rows": (LARGE[[1, 0, *range(2, 65)]], LARGE, ""),
}


@pytest.mark.parametrize("name", OTHERS)
def test_pattern_of_other_matrices(name: str) -> None:
    wrong, right, told = OTHERS[name]
    assert pattern(wrong, right, wrong != right) == told


@pytest.mark.parametrize("inputs", [[Input("x", (2, 3))], [Input("x", (6,))], []])
def test_only_a_square_gradient_is_said_to_be_transposed(inputs: Inputs) -> None:
    right = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    wrong = right.reshape(2, 3).T.reshape(-1)
    assert pattern(wrong, right, wrong != right, inputs=inputs) == ""


def test_what_is_right_may_be_off_by_its_own_error() -> None:
    right, every = np.array([2.0, 4.0]), np.array([True, True])
    assert pattern(np.array([-1.0, -4.0]), right, every, error=0.25) == "the opposite sign"
    assert pattern(np.array([-0.75, -4.0]), right, every, error=0.25) == ""


def test_nothing_is_said_beside_a_nan() -> None:
    right, wrong = np.array([np.nan, 2.0]), np.zeros(2)
    assert pattern(wrong, right, wrong != right) == ""
    assert pattern(wrong, np.array([1.0, 2.0]), wrong == 0).startswith("a missing term")


def test_a_gradient_laid_down_transposed() -> None:
    right = np.random.default_rng(0).normal(size=(3, 2 + 9 + 4))
    wrong = right.copy()
    wrong[:, 2:11] = right[:, 2:11].reshape(3, 3, 3).swapaxes(1, 2).reshape(3, 9)
    inputs = [Input("x[0]", (2,)), Input("x[1]", (3, 3)), Input("x[2]", (2, 2))]
    assert pattern(wrong, right, wrong != right, inputs=inputs) == (
        "the gradient of x[1] is transposed"
    )
    wrong[:, 11:] = right[:, [11, 13, 12, 14]]
    assert pattern(wrong, right, wrong != right, inputs=inputs) == (
        "the gradient of x[1] and of x[2] is transposed"
    )
    assert pattern(wrong[0], right[0], wrong[0] != right[0], inputs=inputs).endswith("transposed")
    wrong[1, 12] += 1
    assert pattern(wrong, right, wrong != right, inputs=inputs) == ""
    wrong[:, 0] += 1
    assert pattern(wrong, right, wrong != right, inputs=inputs) == ""
