"""What torch refuses, records, counts and frees."""

from vtj_site.statements.asking import Answer, predicate
from vtj_site.statements.facts import Record


@predicate(
    "raises", "raise", "refuses", "refused", "fails", "an error",
    contrary=("works", "work", "runs", "goes through", "accepts", "accepted"),
)  # fmt: skip
def raises(record: Record) -> Answer:
    """Whether torch refuses the call, where `x` requires a gradient."""
    if record.refused in ("operation", "before") or not (record.x and record.x.requires_grad):
        return None
    return record.refused == "call"


@predicate("frees", "freed", "is gone", contrary=("keeps the graph", "keeps", "kept"))
def frees_the_graph(record: Record) -> Answer:
    """Whether a further pass through the same graph finds its saved tensors freed."""
    return "second time" in record.again if record.again is not None else None


@predicate("is recorded", "recorded", "differentiable", contrary=("untracked",))
def gradient_is_recorded(record: Record) -> Answer:
    """Whether the gradient itself can be differentiated."""
    return record.grad.requires_grad if record.grad else None


@predicate("warns", "a warning", contrary=("silently", "in silence"))
def warns(record: Record) -> Answer:
    """Whether torch warns."""
    return bool(record.warned) if not record.refused else None


@predicate("counted", "counts the writes", contrary=("uncounted",))
def write_is_counted(record: Record) -> Answer:
    """Whether a write in place shows in the count of the tensor that it wrote to."""
    return record.counted > 0 if record.x_written or record.y_written else None


@predicate("is tracked", "is not cut", contrary=("is cut", "cut off"))
def y_is_tracked(record: Record) -> Answer:
    """Whether `y` requires a gradient, where `x` does and `y` depends on it."""
    if not (record.x and record.x.requires_grad and record.depends and record.y):
        return None
    return record.y.requires_grad
