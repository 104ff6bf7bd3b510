"""Where a gradient arrives, what it is, and what shares its memory."""

from vtj_site.statements.asking import Answer, predicate
from vtj_site.statements.facts import Record


@predicate(
    "adds", "add", "added", "accumulates", "accumulated",
    contrary=("overwrites", "overwritten", "overwrite", "replaces", "replaced", "replace"),
)  # fmt: skip
def adds(record: Record) -> Answer:
    """Whether `.grad` has become the old one and the gradient, and not the gradient alone."""
    return record.added


@predicate(
    "shares memory", "share memory", "shares its memory", "share its memory", "shares",
    contrary=("memory of its own",),
)  # fmt: skip
def shares_memory(record: Record) -> Answer:
    """Whether the gradient and `v` have their memory in common."""
    return record.shares_v if record.grad and record.v and record.v.elements else None


@predicate(
    "fills .grad", "fills", "fill .grad", "fill", "filled", "gets filled",
    "gets a .grad", "get a .grad", "has a .grad",
    contrary=("leaves .grad alone", "empties", "emptied", "stays None", "is None"),
)  # fmt: skip
def fills_grad(record: Record) -> Answer:
    """Whether something arrived in `x.grad`, where `y` was recorded from `x`."""
    if record.refused or not record.y or not record.y.requires_grad or not record.y.elements:
        return None
    return record.filled


@predicate(
    "vᵀ·J", "the product", "multiplies v", "multiplies it", "multiplies the derivative by it",
    "VJP", "vector-Jacobian product",
    contrary=("J·u", "JVP", "Jacobian-vector product", "divides v"),
)  # fmt: skip
def is_the_product(record: Record) -> Answer:
    """Whether the gradient is `v` times `J`, where no hook, write or cut came between."""
    if record.hooks or record.x_written or record.y_written or record.cut:
        return None
    v_times_J = record.agrees  # noqa: N806
    return v_times_J  # noqa: RET504 -- what a page names stands in the code


@predicate(
    "takes a one", "takes ones", "that of ones", "the derivative itself", "the gradient of the sum",
)  # fmt: skip
def is_that_of_ones(record: Record) -> Answer:
    """Whether the gradient is that of all ones, where no hook, write or cut came between."""
    if record.hooks or record.x_written or record.y_written or record.cut:
        return None
    return record.of_ones


@predicate("the shape of x", "x's shape", "that of x")
def has_the_shape_of_x(record: Record) -> Answer:
    """Whether the gradient has as many dimensions as `x`, of the same lengths."""
    return record.grad.shape == record.x.shape if record.grad and record.x else None


@predicate(
    "returns it", "returns the gradient", "returns the product", "returns a gradient",
    "return it", "return the gradient", "returns",
    contrary=("returns None", "returns nothing"),
)  # fmt: skip
def returns_the_gradient(record: Record) -> Answer:
    """Whether the call returns the gradient."""
    return None if record.refused else record.returned


@predicate("changes v", "change v", "adds to v", contrary=("keeps v", "leaves v as it is"))
def changes_v(record: Record) -> Answer:
    """Whether the call has changed the numbers in `v`."""
    return "v" in record.changed if record.v and record.v.elements and not record.refused else None


@predicate("wrong", "wrong gradient", contrary=("right", "right gradient"))
def is_wrong(record: Record) -> Answer:
    """Whether the gradient is not the product, and nothing was raised."""
    return None if record.agrees is None or record.refused else not record.agrees


@predicate("a leaf's .grad", "the .grad of a leaf", "the .grad of leaves", "any leaf's .grad")
def fills_a_leaf(record: Record) -> Answer:
    """Whether a leaf got a `.grad`: `x`, or what `x` was made from."""
    if record.refused or not record.y or not record.y.requires_grad or not record.y.elements:
        return None
    return record.leaf_filled or bool(record.x and record.x.leaf and record.filled)


@predicate("y.grad", "a .grad of its own")
def fills_the_grad_of_y(record: Record) -> Answer:
    """Whether `y.grad` is filled."""
    return record.y_filled if not record.refused and record.y and record.y.elements else None


@predicate("is zero", "are zero", "zeros", "all zero", contrary=("is not zero",))
def is_zero(record: Record) -> Answer:
    """Whether the gradient is zero everywhere."""
    return record.zero


@predicate("the same tensor", "in the tensor itself", contrary=("a new tensor",))
def keeps_the_tensor(record: Record) -> Answer:
    """Whether the `.grad` that was there before is the same tensor after, with other numbers."""
    return record.kept if record.added is not None else None
