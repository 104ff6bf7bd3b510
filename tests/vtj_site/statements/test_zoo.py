"""The zoo is what its words say: every pair meets, and a case's code is what has run."""

import warnings
from itertools import combinations

import pytest

from vtj_site.statements.asking import PREDICATES
from vtj_site.statements.facts import Facts, Record, run
from vtj_site.statements.parts import PARTS
from vtj_site.statements.zoo import CALLS, OPERATIONS, TENSORS, Case, cases


def test_every_two_pieces_meet() -> None:
    every = [(case.op, case.tensor.name, case.call.name) for case in cases()]
    names = (OPERATIONS, [tensor.name for tensor in TENSORS], [call.name for call in CALLS])
    for one, other in combinations(range(3), 2):
        assert len({(case[one], case[other]) for case in every}) == len(names[one]) * len(
            names[other]
        )
    assert len(every) == len(set(every)) < 8000


def test_a_case_s_code_does_what_was_written_down(found: Facts) -> None:
    for record in found.records[::150]:
        raised = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(record.case.code, {})
        except Exception as error:
            raised = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        assert raised == record.error, record.case.code


OF = {tensor.name: tensor for tensor in TENSORS}
WITH = {call.name: call for call in CALLS}


@pytest.mark.parametrize(
    ("case", "facts"),
    [
        (("x**2", "a leaf", "backward(v)"), {"agrees": True, "filled": True, "times": 1.0}),
        (("x**2", "a leaf", "backward()"), {"refused": "call", "filled": False}),
        (("x**2", "a complex leaf", "backward(v)"), {"agrees": True, "plain": False}),
        (("x.abs()", "a complex leaf", "backward(v)"), {"agrees": True}),
        (("x * x.detach()", "a leaf", "backward(v)"), {"agrees": False, "times": 0.5}),
        (("x**2", "a hooked leaf", "backward(v)"), {"agrees": False, "times": 5.0}),
        (("x**2", "a non-leaf", "backward(v)"), {"filled": False, "leaf_filled": True}),
        (("x**2", "a retained non-leaf", "autograd.grad"), {"filled": True, "leaf_filled": False}),
        (("x**2", "a leaf", "`.grad` filled before"), {"added": True, "kept": True}),
        (("x**2", "a leaf", "a gradient put into `.grad`"), {"added": False, "kept": False}),
        (("x**2", "a leaf", "x written through .data"), {"agrees": False, "counted": 0}),
        (("x**2", "a leaf", "x written in place"), {"refused": "call", "counted": 1}),
        (("x.view(x.shape)", "a leaf", "backward(v)"), {"shares_v": True}),
        (("x.view(x.shape)", "a leaf", "a second graph"), {"changed": "v", "added": True}),
        (("x + 1", "a leaf", "a second backward"), {"refused": "", "again": ""}),
        (("x.add_(1)", "a leaf", "backward(v)"), {"refused": "operation"}),
        (("x.argmax()", "a leaf", "backward(v)"), {"depends": False, "refused": "call"}),
        (("x**2", "a leaf", "a hook on y"), {"hooks": 1, "times": 5.0}),
        (("x**2", "a retained non-leaf", "backward(v)"), {"hooks": 0, "agrees": True}),
        (("x**2", "a leaf", "a list for v"), {"v_type": "list of float", "refused": "call"}),
        (("x**2", "a leaf", "a list of v"), {"v_type": "list of Tensor", "refused": ""}),
        (("x**2", "a leaf", "backward of ones"), {"of_ones": True, "agrees": True}),
        (("x**2", "a leaf", "backward of 2 * v"), {"of_ones": False, "agrees": True}),
        (("x**2", "a leaf", "func.jvp"), {"returned": True, "agrees": False, "v_type": ""}),
    ],
    ids=lambda row: " · ".join(row) if isinstance(row, tuple) else "",
)
def test_what_is_written_down(case: tuple[str, str, str], facts: dict[str, object]) -> None:
    op, tensor, call = case
    record = run(Case(op, OF[tensor], WITH[call]))
    assert {name: getattr(record, name) for name in facts} == facts


def test_no_part_and_no_predicate_tells_nothing(found: Facts) -> None:
    def differ(ask: object) -> set[object]:
        assert callable(ask)
        return {ask(record) for record in found.records} & {True, False}

    assert len(PARTS) <= 15
    same = [name for name, part in PARTS.items() if len(differ(part.holds)) < 2]
    same += [name for name, predicate in PREDICATES.items() if len(differ(predicate.ask)) < 2]
    assert same == []


def test_a_part_looks_at_no_outcome(found: Facts) -> None:
    outcomes = ("refused", "error", "agrees", "filled", "added", "again", "shares_v", "grad")
    for record in found.records[::50]:
        other = Record(**vars(record) | dict.fromkeys(outcomes))
        assert [part.holds(record) for part in PARTS.values()] == [
            part.holds(other) for part in PARTS.values()
        ]


def test_every_bound_statement_holds(found: Facts) -> None:
    assert {name: bound.failed for name, bound in found.bound.items() if bound.failed} == {}
