"""Faults that change nothing on the page, each by its name and with the reason."""

ORDER_OF_X = "the sum of x does not depend on the order of x, nor does its gradient"
NOTHING_KEPT = "adding elements up keeps no tensor, so there is nothing for torch to free"
SUM_OF_V = "all rows of J are equal, so only the sum of v counts"

EQUIVALENT = {
    "scalar_output, cell 8, 465a1600": ORDER_OF_X,
    "scalar_output, cell 12, e2947c8b": ORDER_OF_X,
    "vector_for_scalar, cell 8, 894f8de4": ORDER_OF_X,
    "vector_for_scalar, cell 10, f4ea6f72": ORDER_OF_X,
    "vector_for_scalar, cell 10, 8fdaf76b": NOTHING_KEPT,
    "vector_for_scalar, cell 14, 5fce54f6": SUM_OF_V,
    "vector_for_scalar, cell 16, 048771bf": SUM_OF_V,
    "vector_for_scalar, cell 18, 795b2a36": SUM_OF_V,
    "vector_for_scalar, cell 20, 51822868": SUM_OF_V,
}
