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


@predicate(
    "has a graph", "have a graph", "differentiable",
    contrary=("a constant", "a plain result", "without a graph"),
)  # fmt: skip
def has_a_graph_unasked(record: Record) -> Answer:
    """Whether the gradient itself can be differentiated, where create_graph was not asked for."""
    if "create_graph=True" in record.case.script or not record.grad:
        return None
    return record.grad.requires_grad


@predicate("warns of a cycle", "warns of the cycle", "warn of a cycle", "a warning of a cycle")
def warns_of_a_cycle(record: Record) -> Answer:
    """Whether torch warns, where create_graph was asked for."""
    asked = "create_graph=True" in record.case.script
    return bool(record.warned) if asked and not record.refused else None


@predicate(
    "a hook replaces", "a hook returns replaces", "the hook returns replaces", "runs the hook",
    "run the hook", "runs the hooks", "run the hooks",
    contrary=("skips the hook", "skips the hooks", "skip the hooks"),
)  # fmt: skip
def runs_the_hooks(record: Record) -> Answer:
    """Whether the gradient is 5 times the product for each hook, which multiplies by 5."""
    if not record.hooks or not record.times or record.y_written or record.cut:
        return None
    return record.times == 5.0**record.hooks


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
