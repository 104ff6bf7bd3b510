"""Verdicts that need unusual witnesses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import vtj
from tests.zoo.bug import custom, matrix, vector
from vtj.engines import FAMILIES
from vtj.oracle.findings import (
    LAST_DIGITS,
    MEANT,
    SPLIT_VOTE,
    cancelled,
    culprits,
    differs_in_last_digits,
)
from vtj.oracle.judging import SPLIT
from vtj.oracle.reexamination import ALONE
from vtj.report import Row

X = vector(3)
CONCLUSIONS = {family.culprit: family.conclusion for family in FAMILIES.values()}


def batched(extra: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """Give the identity with a backward that adds something under torch.func's vmap alone."""

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return x.clone()

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return Gradient.apply(g)

    class Gradient(torch.autograd.Function):
        @staticmethod
        def forward(g: Tensor) -> Tensor:
            return g.clone()

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
            pass

        @staticmethod
        def vmap(info: Any, dims: Any, g: Tensor) -> tuple[Tensor, int]:
            return g + extra(g), 0

    return Same.apply


@pytest.mark.parametrize("size", [0.25, 1.0, 4.0])
@pytest.mark.parametrize(("digits", "split"), [(4, False), (4.5, True)])
def test_the_last_digits_of_a_column_split_no_family(
    digits: float, split: bool, size: float
) -> None:
    """They may be lost where the terms of a column are added up; elsewhere J is zero."""
    last = size * digits * 2.0**-52
    same = batched(lambda g: digits * 2.0**-52 * g.flip(1))
    report = vtj.check(lambda x: size * same(x), X[:2], engines=["reverse", "jacrev", "numeric"])
    told = f"dy[0]/dx[1]: reverse 0, jacrev {last:.6g}: {SPLIT}"
    assert report.findings == ((told,) if split else ())


def test_a_y_without_elements_is_undecided_and_nothing_differs() -> None:
    report = vtj.check(lambda x: 2 * x[:0], X)
    assert report.verdict == "undecided"
    assert {row.result for row in report.rows if row.family} == {"agrees"}


def test_the_opposite_sign_splits_a_family() -> None:
    f = batched(lambda g: -2 * g)
    report = vtj.check(f, X[:2], engines=["reverse", "jacrev", "numeric"])
    assert report.findings == (f"dy[0]/dx[0]: reverse 1, jacrev -1: {SPLIT}",)


def test_a_large_column_hides_no_other_column() -> None:
    scales = torch.tensor([1e20, 1.0]).double()
    same = batched(lambda g: g * torch.tensor([0.0, 1.0]))
    report = vtj.check(lambda x: scales * same(x), X[:2], engines=["reverse", "jacrev", "numeric"])
    told = f"dy[1]/dx[1]: reverse 1, jacrev 2: {SPLIT}"
    assert report.findings == (told,)


def test_a_wrong_vmap_rule_is_no_measure_of_rounding() -> None:
    """It adds a little that does not grow with v: measured by it, this would pass for rounding."""
    same = batched(lambda g: torch.full_like(g, 1e-9))
    report = vtj.check(same, X[:2], engines=["reverse", "jacrev", "numeric"])
    assert report.findings == (f"dy[0]/dx[1]: reverse 0, jacrev 1e-09: {SPLIT}",)


@pytest.mark.parametrize("engines", [None, ["jacrev", "numeric"]])
def test_a_wrong_vmap_rule_of_torch_speaks_against_nobody(engines: list[str] | None) -> None:
    """The batching rule of cdist's backward is wrong in torch 2.13; x.grad is right."""
    x = torch.tensor([[1.0, 2.0], [4.0, 6.0]], dtype=torch.float64)

    def distances(x: Tensor) -> Tensor:
        return torch.cdist(x, x)

    right = torch.autograd.functional.jacobian(distances, x)
    assert not torch.allclose(torch.func.jacrev(distances)(x), right)
    report = vtj.check(distances, x, engines=engines)
    assert report, str(report)
    assert [row.what for row in report.rows if row.family][-1] in ("numeric", "linear in v")
    row = next(row for row in report.rows if row.what == "jacrev")
    assert row.result == "not applicable"
    assert row.note == "torch's own vmap rule is wrong: dy[0,1]/dx[0,0]: reverse -0.6, jacrev 0"


def test_a_symbolic_engine_alone_in_its_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    import vtj.engines.symbolic.derivation

    monkeypatch.setattr(
        "vtj.engines.symbolic.derivation.jacobian", lambda f, x: torch.eye(3, dtype=torch.float64)
    )
    report = vtj.check(torch.sin, X, engines=["reverse", "forward", "symbolic"])
    assert report.verdict == "undecided"
    assert report.findings[0].endswith("symbolic 1: the formula is wrong")


def test_no_engine_applies() -> None:
    report = vtj.check(custom(torch.sin, lambda x, g: g), X, engines=["jacrev", "forward"])
    assert report.verdict == "undecided"
    assert report.findings == ("none of the engines asked applies: jacrev, forward",)
    assert [row.result for row in report.rows] == ["not applicable"] * 2


WEIGHTS = torch.tensor([[1.0, 2.0, 0.0], [4.0, 0.0, 0.5], [0.0, 8.0, 16.0], [3.0, 7.0, 9.0]])
RIGHT = WEIGHTS.double()


def linear(backward: Tensor, forward: Tensor | None = None) -> Any:
    """Give what is linear with WEIGHTS, and has derivatives with others."""
    jvp = None if forward is None else lambda x, u: forward @ u
    return custom(lambda x: RIGHT @ x, lambda x, g: g @ backward, jvp)


def off(row: int, column: int, by: float) -> Tensor:
    wrong = RIGHT.clone()
    wrong[row, column] += by
    return wrong


ALL = {"jacobian": "by hand", "backward": "backward", "forward": "forward"}
WRONG: list[tuple[Tensor, str, str]] = [
    (off(3, 1, 0.5), "dy[3]/dx[1]: {} 7.5, {} 7, {} 7, numeric 7", ""),
    (off(0, 2, 0.25), "dy[0]/dx[2]: {} 0.25, {} 0, {} 0, numeric 0", "a term too many"),
    (
        off(2, 2, -16.0),
        "dy[2]/dx[2]: {} 0, {} 16, {} 16, numeric 16",
        "a missing term: zero where it should not be",
    ),
    (off(1, 0, -8), "dy[1]/dx[0]: {} -4, {} 4, {} 4, numeric 4", "the opposite sign"),
]


@pytest.mark.parametrize("culprit", ALL)
@pytest.mark.parametrize(("wrong", "values", "named"), WRONG)
def test_who_is_wrong_in_one_entry_and_how(
    culprit: str, wrong: Tensor, values: str, named: str
) -> None:
    said = {name: wrong if name == culprit else RIGHT for name in ALL}
    f = linear(said["backward"], said["forward"])
    engines = ("reverse", "forward", "numeric")
    report = vtj.check(f, X, jacobian=said["jacobian"].numpy(), engines=engines)
    at, spoken = values.split(": ")
    numbers = [part.split()[-1] for part in spoken.split(", ")]
    told = {name: numbers[0] if name == culprit else numbers[1] for name in ALL}
    what = ", ".join(f"{family} {told[name]}" for name, family in ALL.items())
    remark = f" ({named})" if named else ""
    assert report.findings == (
        f"{at}: {what}, numeric {numbers[-1]}: {CONCLUSIONS[culprit]}{remark}",
    )
    assert (report.verdict, report.culprit) == ("wrong", culprit)
    results = {row.what: row.result for row in report.rows if row.family}
    engine = {"jacobian": "by hand", "backward": "reverse", "forward": "forward"}
    for name in ALL:
        assert results[engine[name]] == ("differs" if name == culprit else "agrees")
    assert results["numeric"] == "agrees"


def test_the_entry_told_is_the_one_that_is_most_wrong_relative_to_its_size() -> None:
    wrong = RIGHT.clone()
    wrong[1, 0] *= 1.25
    wrong[2, 2] *= 1.125
    report = vtj.check(linear(wrong), X)
    told = "dy[1]/dx[0]: backward 5, numeric 4: the backward is wrong (2 of 12 entries)"
    assert report.findings == (told,)


def test_what_is_wrong_with_all_of_j() -> None:
    report = vtj.check(linear(3 * RIGHT), X)
    assert report.findings[0].endswith(": the backward is wrong (the factor 3, 9 of 12 entries)")


def test_every_culprit_is_told() -> None:
    report = vtj.check(linear(off(3, 1, 0.5)), X, jacobian=off(0, 0, 0.5).numpy())
    assert report.findings == (
        "dy[0]/dx[0]: by hand 1.5, backward 1, numeric 1: the hand-derived J is wrong",
        "dy[3]/dx[1]: by hand 7, backward 7.5, numeric 7: the backward is wrong",
    )
    assert report.culprit == "jacobian"


def hidden(x: Tensor) -> Tensor:
    """Be linear with WEIGHTS, with the last column's path detached."""
    return RIGHT[:, :2] @ x[:2] + RIGHT[:, 2] * x[2].detach()


@pytest.mark.parametrize("jacobian", [None, RIGHT.numpy()])
def test_a_detached_path(jacobian: Any) -> None:
    report = vtj.check(hidden, X, jacobian=jacobian)
    by_hand = "" if jacobian is None else "by hand {0}, "
    assert (report.verdict, report.culprit) == ("wrong", "f")
    (finding,) = report.findings
    row = int(finding[3])
    told = f"dy[{row}]/dx[2]: {by_hand}backward 0, forward 0, numeric {{0}}: {CONCLUSIONS['f']}"
    assert finding.startswith(told.format(f"{float(RIGHT[row, 2]):.6g}"))
    named = " (a detached path: zero where it should not be, 3 of 12 entries)"
    assert finding.endswith(f"{named}; {MEANT}")


def test_part_of_a_path_that_is_detached() -> None:
    report = vtj.check(lambda x: x**2 + 3 * x.detach(), X[:1])
    told = "dy[0]/dx[0]: backward 1.2, forward 1.2, numeric 4.2: "
    assert report.findings == (f"{told}{CONCLUSIONS['f']} (a detached path); {MEANT}",)


def test_without_a_forward_pass_it_is_the_backward_unless_f_is_seen_to_detach() -> None:
    engines = ["reverse", "numeric"]
    report = vtj.check(hidden, X, jacobian=RIGHT.numpy(), engines=engines)
    assert report.culprit == "f"
    assert report.findings[0].endswith(
        f"(a detached path: zero where it should not be, 3 of 12 entries); {MEANT}"
    )
    report = vtj.check(
        lambda x: x.detach() + x, X[:1], jacobian=np.full((1, 1), 2.0), engines=engines
    )
    assert report.culprit == "f"
    report = vtj.check(lambda x: RIGHT @ x.detach(), X, jacobian=RIGHT.numpy(), engines=engines)
    assert report.culprit == "f"
    assert report.findings[0].endswith(
        f" (a detached path: zero where it should not be, 9 of 12 entries); {MEANT}"
    )


def test_who_is_to_blame() -> None:
    """Backward and forward together, or the differences alone, speak against f."""
    speaks = np.array(list(np.ndindex(2, 2, 2, 2, 2)), bool).T
    names = ("by hand", "backward", "forward", "numeric", "symbolic")
    by_hand, backward, forward, numeric, symbolic = speaks
    for way in (True, False):
        found = culprits(dict(zip(names, speaks, strict=True)), np.full(32, way))
        together = backward & (forward if way else True)
        assert {one.culprit: mask.tolist() for one, mask in found} == {
            "jacobian": by_hand.tolist(),
            "backward": (backward & ~together).tolist(),
            "forward": (forward & ~backward).tolist(),
            "f": (numeric | together).tolist(),
            "symbolic": symbolic.tolist(),
        }


@pytest.mark.parametrize(
    ("relative", "gap", "small"),
    [
        (1e-12, 0.9e-8, True),
        (1e-12, 1.1e-8, False),
        (1e-5, 0.9e-3, True),
        (1e-5, 1.1e-3, False),
        (1e-2, 0.09, True),
        (1e-2, 0.11, False),
        (1e-1, 0.11, False),
    ],
)
def test_how_far_last_digits_go(relative: float, gap: float, small: bool) -> None:
    numeric = np.array([-2.0, 4.0])
    off_by = np.array([gap, -gap])
    assert differs_in_last_digits(numeric * (1 + off_by), numeric, relative) == small
    one = numeric * (1 + off_by * np.array([0.1, 1]))
    assert differs_in_last_digits(one, numeric, relative) == small
    tenth = gap < 1e-2 or relative >= 1e-2
    assert differs_in_last_digits(one[:1], numeric[:1], relative) == tenth


@pytest.mark.parametrize(
    ("f", "notes"),
    [
        (
            lambda x: 2 * torch.relu(x) + torch.relu(x.flip(0)),
            {
                "dy[0]/dx[0]": "slope 0 on the left, 2 on the right, torch chose 0",
                "dy[0]/dx[1]": "slope 0 on the left, 1 on the right, torch chose 0",
                "dy[1]/dx[0]": "slope 0 on the left, 1 on the right, torch chose 0",
                "dy[1]/dx[1]": "slope 0 on the left, 2 on the right, torch chose 0",
            },
        ),
        (
            lambda x: 3 * x.abs()[:1] - x[1],
            {"dy[0]/dx[0]": "slope -3 on the left, 3 on the right, torch chose 0"},
        ),
        (
            lambda x: torch.nn.functional.leaky_relu(x[1:], 0.5) + x[:1],
            {"dy[0]/dx[1]": "slope 0.5 on the left, 1 on the right, torch chose 0.5"},
        ),
        (lambda x: x.exp(), {}),
    ],
)
def test_the_slopes_on_both_sides_of_a_kink(f: Any, notes: dict[str, str]) -> None:
    report = vtj.check(f, torch.zeros(2))
    assert report.verdict == "correct"
    kinks = [row for row in report.rows if row.result == "kink"]
    assert {row.what: row.note for row in kinks} == notes
    assert all((row.family, row.error) == ("", None) for row in kinks)


def test_sides_that_differ_by_rounding_alone_are_no_kink() -> None:
    def onto_the_first(x: Tensor) -> Tensor:
        first = torch.linalg.svd(x, full_matrices=False).Vh[:1]
        return first.mT @ first

    report = vtj.check(onto_the_first, matrix(3, 4, 1))
    assert report.verdict == "correct"
    assert not [row for row in report.rows if row.result == "kink"]


@pytest.mark.parametrize(("count", "rows"), [(7, 7), (8, 8), (9, 9), (10, 9)])
def test_of_many_kinks_eight_are_told(count: int, rows: int) -> None:
    report = vtj.check(torch.relu, torch.zeros(count))
    kinks = [row for row in report.rows if row.result == "kink"]
    assert len(kinks) == rows
    assert kinks[7 if count > 7 else 6].what == f"dy[{min(count, 8) - 1}]/dx[{min(count, 8) - 1}]"
    if count > 8:
        assert kinks[-1] == Row("", "", "kink", note=f"{count} in all")


@pytest.mark.parametrize(
    ("f", "told"),
    [
        (
            lambda x: torch.relu(x) - torch.relu(-x),
            "dy[1]/dx[1]: torch chose 0 where the slope is 1: kinks inside f meet; move x off them",
        ),
        (
            lambda x: torch.relu(x) - 3 * torch.relu(-x),
            "dy[1]/dx[1]: torch chose 0 where the slope goes from 1 to 3: "
            "kinks inside f meet; move x off them",
        ),
    ],
)
def test_kinks_inside_f_that_meet(f: Any, told: str) -> None:
    report = vtj.check(f, torch.tensor([1.0, 0.0]))
    assert (report.verdict, report.culprit) == ("undecided", None)
    assert report.findings[0] == told


@pytest.mark.parametrize(
    ("chosen", "slope", "reach", "told"),
    [
        (0.0, 1.0, 0.0, "is 1"),
        (0.5, -2.0, 1e-9, "is -2"),
        (0.0, 1.0, 1.0, "goes from 0 to 2"),
        (0.0, 1 + 1e-9, 1.0, "goes from 0 to 2"),
        (0.0, -1 - 1e-9, 1.0, "goes from -2 to 0"),
        (0.0, 1.0 + 1e-5, 1.0, "goes from 1e-05 to 2.00001"),
        (0.25, 1234.5678, 0.25, "goes from 1234.32 to 1234.82"),
    ],
)
def test_how_a_slope_is_told_that_torch_did_not_choose(
    chosen: float, slope: float, reach: float, told: str
) -> None:
    line = f"torch chose {chosen:g} where the slope {told}: kinks inside f meet; move x off them"
    assert cancelled(chosen, slope, reach) == line


def test_what_torch_chose_is_told_with_the_digits_that_tell_it_from_the_slope() -> None:
    told = cancelled(1.0000001, 1.0, 0.0)
    assert told.startswith("torch chose 1.0000001 where the slope is 1: ")


def symmetric(x: Tensor) -> Tensor:
    return (x + x.T) / 2


EYE = torch.eye(3, dtype=torch.float64)
SINGULAR = {
    "norm of order -2": (lambda x: torch.linalg.norm(x, -2, dim=(0, 1)), 0 * EYE),
    "norm of order -2, of 2 by 3": (lambda x: torch.linalg.norm(x, -2, dim=(0, 1)), 0 * EYE[:2]),
    "singular values": (torch.linalg.svdvals, EYE),
    "eigenvalues": (lambda x: torch.linalg.eigvalsh(symmetric(x)), EYE),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_values_that_meet_have_no_slope_and_no_path_is_detached(name: str) -> None:
    """Along each element of x alone there may be no kink, and along others there is."""
    f, x = SINGULAR[name]
    report = vtj.check(f, x)
    assert (report.verdict, report.culprit) == ("undecided", None)
    assert report.findings[0].endswith("kinks inside f meet; move x off them")
    off = x + 0.1 * torch.linspace(0, 2, x.numel(), dtype=torch.float64).cos().reshape(x.shape)
    assert vtj.check(f, off).verdict == "correct"


def test_values_that_meet_are_no_detached_path_along_directions() -> None:
    report = vtj.certify(SINGULAR["eigenvalues"][0], EYE)
    assert (report.verdict, report.culprit) == ("undecided", None)


@pytest.mark.parametrize("x", [0.0, 1.0])
def test_a_jump_of_the_gradient_hides_no_detached_path(x: float) -> None:
    """Where differences see the kink, and where the derivative is the same on all sides."""
    for f in (lambda x: x.relu() + x.detach(), lambda x: x + x.detach().sin()):
        report = vtj.check(f, torch.tensor([x, 1.0]))
        assert (report.verdict, report.culprit) == ("wrong", "f")


def test_a_jump_that_a_custom_function_makes_is_its_own() -> None:
    masked = custom(lambda x: x.exp(), lambda x, g: 2 * g * x[0].exp() * x[0].sign())
    report = vtj.check(masked, torch.tensor([0.0, 1.0]))
    assert (report.verdict, report.culprit) == ("wrong", "backward")


NAN = torch.tensor([1.0, torch.nan, 1.0])


@pytest.mark.parametrize(
    ("f", "jacobian", "told", "row"),
    [
        (
            custom(lambda x: 2 * x, lambda x, g: 2 * g * NAN, lambda x, u: 2 * u),
            None,
            "dy[0]/dx[1]: backward nan, forward 0, numeric 0: not a number, nothing to compare",
            ("reverse", "nan at 3 of 9 entries"),
        ),
        (
            custom(lambda x: 2 * x, lambda x, g: 2 * g, lambda x, u: 2 * u * NAN),
            None,
            None,
            ("forward", "nan at 3 of 9 entries"),
        ),
        (
            lambda x: 2 * x,
            2 * np.diag([1, np.nan, 1]),
            "dy[0]/dx[1]: by hand nan, backward 0, forward 0, numeric 0: "
            "the hand-derived J is wrong (3 of 9 entries)",
            ("by hand", ""),
        ),
        (
            lambda x: torch.stack([x[0], x[1] + torch.sin(1e15 * x[1]), x[2]]),
            None,
            None,
            ("numeric", "too rough to tell at 1 of 9 entries"),
        ),
    ],
    ids=["backward", "forward", "by hand", "differences"],
)
def test_what_cannot_be_compared(f: Any, jacobian: Any, told: Any, row: tuple[str, str]) -> None:
    report = vtj.check(f, X, jacobian=jacobian)
    if told is None:
        assert report.verdict == "correct"
    elif jacobian is None:
        assert (report.verdict, report.findings) == ("undecided", (told,))
    else:
        assert report.verdict == "wrong"
    assert [one.note for one in report.rows if one.what == row[0]] == [row[1]]


@pytest.mark.parametrize(
    ("engines", "told"),
    [
        (["numeric"], f"dy[0]/dx[0]: numeric 1: {ALONE}"),
        (["reverse", "jacrev"], f"dy[0]/dx[0]: backward 1: {ALONE}"),
    ],
)
def test_a_family_alone(engines: list[str], told: str) -> None:
    report = vtj.check(lambda x: WEIGHTS.to(x) @ x, X, engines=engines)
    assert (report.verdict, report.culprit, report.findings) == ("undecided", None, (told,))


def test_a_gradient_that_is_transposed_in_the_shape_of_x() -> None:
    powers = torch.tensor([1.0, 2.0, 4.0]).double()
    turned = custom(lambda w: w @ powers, lambda w, g: torch.outer(powers, g))
    report = vtj.check(turned, torch.ones(3, 3), engines=["reverse", "numeric"])
    assert "(the gradient of x is transposed, " in report.findings[0]


def test_of_what_cannot_be_decided_one_is_told() -> None:
    """The first entry of those that are open, beside what is wrong."""
    report = vtj.check(linear(off(3, 1, 0.5)), X, engines=["reverse"], jacobian=RIGHT.numpy())
    told = f"dy[3]/dx[1]: by hand 7, backward 7.5: {SPLIT_VOTE}"
    assert (report.verdict, report.findings) == ("undecided", (told,))


def test_a_detached_path_that_nobody_would_see() -> None:
    report = vtj.check(lambda x: torch.stack([x[0], x[1] + torch.sin(1e15 * x.detach()[1])]), X)
    told = "dy[1]/dx[1]: backward 1, forward 1: a detached path would not show"
    assert (report.verdict, report.findings) == ("undecided", (told,))


def test_a_j_by_hand_that_is_no_number_beside_a_wrong_backward() -> None:
    """What is called wrong is not called open too."""
    J = RIGHT.numpy().copy()  # noqa: N806 - J is the term
    J[0, 0] = np.nan
    report = vtj.check(linear(off(3, 1, 0.5), RIGHT), X, jacobian=J)
    assert [finding.split(":")[0] for finding in report.findings] == ["dy[0]/dx[0]", "dy[3]/dx[1]"]
    assert report.culprit == "jacobian"


def test_a_backward_that_is_no_number_beside_a_right_j_by_hand() -> None:
    f = custom(lambda x: 2 * x, lambda x, g: 2 * g * NAN)
    report = vtj.check(f, X, jacobian=2 * np.eye(3))
    told = "dy[0]/dx[1]: by hand 0, backward nan, numeric 0: not a number, nothing to compare"
    assert (report.verdict, report.findings) == ("undecided", (told,))


def test_a_j_by_hand_that_is_no_number_with_nobody_to_decide() -> None:
    J = RIGHT.numpy().copy()  # noqa: N806 - J is the term
    J[2, 1] = np.nan
    report = vtj.check(lambda x: RIGHT @ x, X, jacobian=J, engines=["reverse"])
    told = "dy[2]/dx[1]: by hand nan, backward 8: not a number, nothing to compare"
    assert (report.verdict, report.findings) == ("undecided", (told,))


def test_differences_alone_against_a_j_by_hand_and_a_forward_pass() -> None:
    report = vtj.check(
        lambda x: x**2 + 3 * x.detach(),
        X[:1],
        jacobian=2 * np.diag(X[:1]),
        engines=["forward", "numeric"],
    )
    told = f"dy[0]/dx[0]: by hand 1.2, forward 1.2, numeric 4.2: {CONCLUSIONS['f']}"
    assert report.findings == (f"{told} (a detached path); {MEANT}",)


def test_formulas_of_backward_and_forward_that_are_good_to_some_digits() -> None:
    report = vtj.check(linear(RIGHT * (1 + 5e-9), RIGHT * (1 + 5e-9)), X)
    assert (report.verdict, report.culprit) == ("undecided", None)
    assert report.findings[0].endswith(f": {LAST_DIGITS}")
    report = vtj.check(linear(RIGHT * (1 + 2e-8), RIGHT * (1 + 2e-8)), X)
    assert report.culprit == "f"


def test_ways_out_of_last_digits_that_are_named_work() -> None:
    """A tolerance that allows them, or a plain function that tells a detached path from that."""
    formula, path = torch.digamma, lambda x: x.sin() + 1e-9 * x.detach()
    for f in (formula, path):
        assert (
            vtj.check(f, X)
            .findings[0]
            .endswith(
                "detached; compare it with a plain function (reference=), or allow that (relative=)"
            )
        )
        assert vtj.check(f, X, relative=1e-8)
    assert vtj.check(path, X, reference=lambda x: x.sin() + 1e-9 * x).verdict == "wrong"


@pytest.mark.parametrize(("part", "culprit"), [(5e-9, None), (2e-8, "forward")])
def test_a_forward_formula_that_is_good_to_some_digits(part: float, culprit: str | None) -> None:
    report = vtj.check(linear(RIGHT, RIGHT * (1 + part)), X)
    assert report.culprit == culprit
    if culprit is None:
        assert report.verdict == "undecided"
        assert report.findings[0].endswith(f": {LAST_DIGITS}")


@pytest.mark.parametrize("part", [5e-9, 2e-8])
def test_a_hand_derived_j_or_a_backward_in_its_last_digits_is_wrong(part: float) -> None:
    report = vtj.check(linear(RIGHT * (1 + part)), X)
    assert report.culprit == "backward"
    assert f"(the factor {1 + part:.9g}" in report.findings[0]
    report = vtj.check(linear(RIGHT), X, jacobian=RIGHT.numpy() * (1 + part))
    assert report.culprit == "jacobian"


@pytest.mark.parametrize("seed", range(8))
def test_rounding_of_float32_is_no_kink(seed: int) -> None:
    """A constant in float32 keeps a function in that, and a product of matrices has no kink."""
    x, w = matrix(5, 3, seed).float(), matrix(3, 3, seed + 100)
    report = vtj.check(lambda w: x @ w.T, w.float())
    assert report, str(report)
    assert "float32" in report.title
    assert not [row for row in report.rows if row.result == "kink"]
    kinked = vtj.check(lambda w: x @ w.T + w.abs().sum(), torch.zeros(3, 3))
    assert "float32" in kinked.title
    assert [row for row in kinked.rows if row.result == "kink"]
