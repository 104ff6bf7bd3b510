"""Which operations need no formula: they move elements, pick them, or make constants."""

MOVES = frozenset(
    [
        *("cat", "clone", "constant_pad_nd", "contiguous", "copy", "diag_embed"),
        *("embedding", "flip", "gather", "im2col", "index", "index_fill", "index_put"),
        *("index_select", "masked_fill", "masked_scatter", "masked_select"),
        *("pixel_shuffle", "put", "reflection_pad1d", "reflection_pad2d", "repeat"),
        *("replication_pad1d", "replication_pad2d", "roll", "rot90", "scatter"),
        *("select_scatter", "slice_scatter", "stack", "take", "tril", "triu"),
        *("unfold_copy", "view_copy", "where"),
    ]
)
"""Operations that only choose and place elements: they are run again, on labels."""

PICKS = frozenset(
    ["cummax", "cummin", "kthvalue", "max.dim", "median.dim", "min.dim", "mode", "sort", "topk"]
)
"""Operations that return (values, indices): the formulas are picked by the indices."""

STEPS = frozenset(
    [
        *("bernoulli", "ceil", "empty_like", "floor", "floor_divide", "full_like"),
        *("heaviside", "new_empty", "new_empty_strided", "new_full", "new_ones"),
        *("new_zeros", "ones_like", "rand_like", "randn_like", "round", "sgn", "sign"),
        *("trunc", "zeros_like"),
    ]
)
"""Operations whose result does not change when x changes a little: their values are constants."""
