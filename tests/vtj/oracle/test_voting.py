import numpy as np

from vtj.oracle.voting import Witness, allowed, distance, product, vote


def _one(family: str, value: float, error: float = 0.0, *, silent: bool = False) -> Witness:
    return Witness(family, family, np.array([value]), error, silent=np.array([silent]))


def _against(*witnesses: Witness) -> list[str]:
    return [name for name, mask in vote(witnesses, 1e-12).against.items() if mask.any()]


def test_two_outvote_one() -> None:
    assert _against(_one("backward", 3), _one("forward", 3), _one("by hand", 6)) == ["by hand"]
    assert _against(_one("backward", 6), _one("forward", 3), _one("by hand", 3)) == ["backward"]


def test_differences_decide_between_two() -> None:
    assert _against(_one("backward", 3), _one("numeric", 6, 1e-9)) == ["backward"]
    two_and_two = (_one("backward", 3), _one("forward", 3), _one("numeric", 6), _one("by hand", 6))
    assert _against(*two_and_two) == ["backward", "forward"]


def test_differences_alone_lose_against_two() -> None:
    assert _against(_one("backward", 3), _one("forward", 3), _one("numeric", 6)) == ["numeric"]


def test_nobody_decides_without_a_third() -> None:
    result = vote([_one("backward", 3), _one("by hand", 6)], 1e-12)
    assert not result.decided.any()
    assert not any(mask.any() for mask in result.against.values())


def test_vague_differences_do_not_lend_a_wrong_value_their_weight() -> None:
    wrong = _one("by hand", 3 + 1e-8)
    witnesses = (_one("numeric", 3, 1e-6), wrong, _one("backward", 3), _one("forward", 3))
    assert _against(*witnesses) == ["by hand"]
    assert vote(witnesses, 1e-12).agreed.value == 3


def test_the_silent_do_not_vote() -> None:
    result = vote([_one("backward", 3), _one("numeric", 9, silent=True)], 1e-12)
    assert (result.support.tolist(), result.agreed.value.tolist()) == ([1], [3])
    assert _against(_one("backward", 3), _one("numeric", 9, silent=True)) == []


def test_the_first_of_a_family_speaks_for_it() -> None:
    family = Witness("jacrev", "backward", np.array([6.0]))
    result = vote([_one("backward", 3), family, _one("by hand", 6)], 1e-12)
    assert result.support.tolist() == [1]


def test_distance_is_in_units_of_the_tolerance() -> None:
    a, b = _one("a", 2.0), _one("b", 2.0 + 4e-12)
    assert np.isclose(distance(a, b, 1e-12), 2.0, rtol=1e-3).all()
    assert distance(a, _one("b", 2.5, error=0.25), 1e-12) < 1
    assert distance(_one("a", 0.0), _one("b", 1e-300), 1e-12) > 1


def test_values_agree_up_to_the_tolerance_itself() -> None:
    def against(by_hand: float) -> bool:
        witnesses = [_one("backward", 2.0), _one("forward", 2.0), _one("by hand", by_hand)]
        return bool(vote(witnesses, 0.2).against["by hand"].any())

    assert not against(2.5)
    assert against(2.75)


def test_a_size_that_is_known_widens_the_tolerance() -> None:
    a, b = _one("a", 2.0), _one("b", 2.5)
    larger = Witness("b", "b", b.value, size=np.array([10.0]))
    assert allowed(a, larger, 0.1).tolist() == allowed(larger, a, 0.1).tolist() == [1.0]


def test_where_all_are_silent_nothing_is_decided() -> None:
    result = vote([_one("backward", 3, silent=True), _one("numeric", 9, silent=True)], 1e-12)
    assert not result.decided.any()
    assert not any(mask.any() for mask in result.against.values())


def test_a_product_is_silent_only_where_a_row_is_or_where_it_overflows() -> None:
    silent = np.array([[True, False, False], [False, False, False]])
    values = np.array([[1.0, 1.0, 1e308], [1.0, 1.0, 1e308]])
    result = product(Witness("reverse", "backward", values, silent=silent), np.array([1.0, 1.0]))
    assert result.silent.tolist() == [True, False, True]
    assert (result.name, result.family) == ("reverse", "backward")


def test_differences_that_agree_in_one_entry_still_decide_in_another() -> None:
    exact = Witness("backward", "backward", np.array([3.0, 3.0]))
    numeric = Witness("numeric", "numeric", np.array([3.0, 9.0]), 1e-9)
    result = vote([exact, numeric], 1e-12)
    assert result.agreed.value.tolist() == [3.0, 9.0]
    assert result.against["backward"].tolist() == [False, True]
