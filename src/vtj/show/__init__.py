"""What a reader sees: formulas, figures and explanations of a function."""

from vtj.show.equations import Equation, Lines
from vtj.show.explaining import Explanation, explain
from vtj.show.failing import Failure
from vtj.show.formulas import Formula, formula
from vtj.show.graphs import graph
from vtj.show.heat import heat_map
from vtj.show.svg import Figure

__all__ = [
    "Equation",
    "Explanation",
    "Failure",
    "Figure",
    "Formula",
    "Lines",
    "explain",
    "formula",
    "graph",
    "heat_map",
]
