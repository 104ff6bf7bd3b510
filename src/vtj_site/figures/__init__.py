"""Pictures that only this site's pages show."""

from vtj_site.figures.calls import accumulation
from vtj_site.figures.costs import cost
from vtj_site.figures.shapes import side_by_side

__all__ = ["accumulation", "cost", "side_by_side"]
