"""What the caller does: attempts, which torch may refuse."""

from vtj_site.statements.asking import Answer, predicate
from vtj_site.statements.facts import Record


@predicate("omit v", "omit it", "leave v out", "leave it out", attempt=True)
def omits_v(record: Record) -> Answer:
    """Whether `v` is left out."""
    return not record.case.call.v


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


@predicate("requires a gradient", "require a gradient", attempt=True)
def x_requires_a_gradient(record: Record) -> Answer:
    """Whether `x` does."""
    return record.x.requires_grad if record.x else None
