"""All predicates, by what they ask about."""

from vtj_site.statements.asking import PREDICATES, Predicate
from vtj_site.statements.predicates import calls, gradients, graphs

__all__ = ["PREDICATES", "Predicate", "calls", "gradients", "graphs"]
