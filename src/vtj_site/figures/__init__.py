"""Pictures that only this site's pages show, and what reads every picture back."""

from vtj_site.figures.bars import scale_figure
from vtj_site.figures.calls import accumulation
from vtj_site.figures.costs import cost
from vtj_site.figures.curves import curves
from vtj_site.figures.listening import listening
from vtj_site.figures.loop import loop
from vtj_site.figures.maps import maps
from vtj_site.figures.pairs import pairs
from vtj_site.figures.passes import passes
from vtj_site.figures.reading import PictureError, read_back
from vtj_site.figures.shapes import side_by_side

__all__ = [
    "PictureError",
    "accumulation",
    "cost",
    "curves",
    "listening",
    "loop",
    "maps",
    "pairs",
    "passes",
    "read_back",
    "scale_figure",
    "side_by_side",
]
