"""What can be asked of a record: a predicate is a small function with the words that say it.

A predicate answers True, False, or None where the question makes no sense in that case. Its words,
and those for the contrary, are what a sentence may say; no two predicates have a word in common,
since the words on the page choose which is meant, and whether its contrary is. An *attempt* asks
what the caller does, and has an answer where torch refused it too.
"""

from collections.abc import Callable
from typing import NamedTuple

from vtj_site.statements.facts import Record

Answer = bool | None


class Predicate(NamedTuple):
    """A predicate: its name, its function, and how sentences say it and the contrary."""

    name: str
    ask: Callable[[Record], Answer]
    words: tuple[str, ...]
    contrary: tuple[str, ...]
    attempt: bool


PREDICATES: dict[str, Predicate] = {}


def predicate(
    *words: str, contrary: tuple[str, ...] = (), attempt: bool = False
) -> Callable[[Callable[[Record], Answer]], Callable[[Record], Answer]]:
    """Declare the predicate that the decorated function asks; its name is the function's.

    Raises:
        ValueError: if another predicate has one of the words.
    """

    def declare(ask: Callable[[Record], Answer]) -> Callable[[Record], Answer]:
        name = ask.__name__.replace("_", " ")
        said = [*words, *contrary]
        for other in PREDICATES.values():
            if shared := {*said} & {*other.words, *other.contrary}:
                raise ValueError(f"{sorted(shared)} say two predicates: {other.name}, {name}")
        if len(set(said)) < len(said):
            raise ValueError(f"a word says both {name} and its contrary")
        PREDICATES[name] = Predicate(name, ask, words, contrary, attempt)
        return ask

    return declare


# What the caller does


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


# What comes of it


@predicate(
    "raises", "raise", "refuses", "refused", "fails", "an error",
    contrary=("works", "work", "runs", "goes through", "accepts", "accepted"),
)  # fmt: skip
def raises(record: Record) -> Answer:
    """Whether torch refuses the call, where `x` requires a gradient."""
    if record.refused in ("operation", "before") or not (record.x and record.x.requires_grad):
        return None
    return record.refused == "call"


@predicate(
    "adds", "added", "accumulates", "accumulated",
    contrary=("overwrites", "overwritten", "overwrite", "replaces", "replaced"),
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
    "fills .grad", "fills", "filled", "gets a .grad", "get a .grad", "gets filled", "has a .grad",
    contrary=("leaves .grad alone", "stays None", "is None"),
)  # fmt: skip
def fills_grad(record: Record) -> Answer:
    """Whether something arrived in `x.grad`, where `y` was recorded from `x`."""
    if record.refused or not record.y or not record.y.requires_grad or not record.y.elements:
        return None
    return record.filled


@predicate("frees", "freed", "is gone")
def frees_the_graph(record: Record) -> Answer:
    """Whether a further pass through the same graph finds its saved tensors freed."""
    return "second time" in record.again if record.again is not None else None


@predicate("is the product", "vᵀ·J", "the product")
def is_the_product(record: Record) -> Answer:
    """Whether the gradient is the product of `v` and the Jacobian."""
    return record.agrees


@predicate("changes v", "change v", "your v changes", "adds to v")
def changes_v(record: Record) -> Answer:
    """Whether the call has changed the numbers in `v`."""
    return "v" in record.changed if record.v and record.v.elements and not record.refused else None


@predicate("is recorded", "recorded", "differentiable", "has a graph of its own")
def gradient_is_recorded(record: Record) -> Answer:
    """Whether the gradient itself can be differentiated."""
    return record.grad.requires_grad if record.grad else None


@predicate("warns", "a warning", contrary=("silently", "in silence"))
def warns(record: Record) -> Answer:
    """Whether torch warns."""
    return bool(record.warned) if not record.refused else None


@predicate("wrong", "wrong gradient", contrary=("right", "right gradient"))
def is_wrong(record: Record) -> Answer:
    """Whether the gradient is not the product, and nothing was raised."""
    return None if record.agrees is None or record.refused else not record.agrees


@predicate("counted", "counts the writes", contrary=("uncounted",))
def write_is_counted(record: Record) -> Answer:
    """Whether a write in place shows in the count of the tensor that it wrote to."""
    return record.counted > 0 if record.x_written or record.y_written else None
