"""What the caller does: attempts, which torch may refuse."""

import re

from vtj_site.statements.asking import Answer, predicate
from vtj_site.statements.facts import Record


@predicate(
    "omit v", "omit it", "leave v out", "leave it out", "v is omitted",
    contrary=("pass v", "pass it", "v is passed"),
    attempt=True,
)  # fmt: skip
def omits_v(record: Record) -> Answer:
    """Whether `v` is left out, where the call takes one."""
    v = record.case.call.v
    return None if v is None else not v


@predicate("the shape of y", "y's shape", contrary=("another shape",), attempt=True)
def v_has_the_shape_of_y(record: Record) -> Answer:
    """Whether `v` and `y` have the same shape."""
    return record.v.shape == record.y.shape if record.v and record.y else None


@predicate("the dtype of y", contrary=("another dtype",), attempt=True)
def v_has_the_dtype_of_y(record: Record) -> Answer:
    """Whether `v` and `y` have the same dtype."""
    return record.v.dtype == record.y.dtype if record.v and record.y else None


@predicate("v is complex", "a complex v", contrary=("v is real", "a real v"), attempt=True)
def v_is_complex(record: Record) -> Answer:
    """Whether `v` is complex."""
    return record.v.is_complex if record.v else None


@predicate("requires a gradient", "require a gradient", "requires grad", attempt=True)
def x_requires_a_gradient(record: Record) -> Answer:
    """Whether `x` requires a gradient."""
    return record.x.requires_grad if record.x else None


@predicate(
    "be a tensor", "is a tensor",
    contrary=("be a number", "be a list", "be an array", "a number, a list or an array"),
    attempt=True,
)  # fmt: skip
def v_is_a_tensor(record: Record) -> Answer:
    """Whether `v`, where it is passed, is a tensor."""
    return record.v is not None if record.case.call.v and record.y else None


@predicate(
    "a number, a list of numbers or a NumPy array", "a number, a list of numbers or an array",
    attempt=True,
)  # fmt: skip
def v_is_bare_numbers(record: Record) -> Answer:
    """Whether `v` is a number, a list of them or a NumPy array."""
    if not record.v_type or not record.y or not record.y.elements:
        return None
    return record.v_type in ("float", "complex", "list of float", "list of complex", "ndarray")


@predicate(
    "retain_graph", "retain the graph", "retains the graph", "keep the graph",
    contrary=("free the graph",),
    attempt=True,
)  # fmt: skip
def retains_the_graph(record: Record) -> Answer:
    """Whether the graph is retained."""
    return "retain_graph=True" in record.case.script


@predicate("write to x in place", "written in place", "written to in place", attempt=True)
def writes_to_x(record: Record) -> Answer:
    """Whether `x` itself is written to by a recorded operation in place."""
    return bool(re.match(r"x\.\w+_\(", record.case.op))
