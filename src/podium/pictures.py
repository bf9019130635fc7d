"""What all pictures share: their size, how axes look, and how they are written."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from podium.errors import InputError
from podium.extras import require
from podium.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1f5fa8", "#d9822b", "#3a8f5c", "#b0413e", "#7a5ba6")
"""Blue, orange, green, red, violet: told apart in print too."""

_DOTS_PER_INCH = 100


def new_figure(height: float = 7.0, width: float = 12.0) -> "Figure":
    """An empty picture of this size in inches, which have 100 pixels each."""
    require("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.2, h_pad=0.15)
    figure = Figure(figsize=(width, height), dpi=_DOTS_PER_INCH, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def dress(axes: "Axes", title: str, x: str, y: str) -> None:
    """A title on the left, names of the axes, a grid behind the data, no frame."""
    axes.set_title(title, fontsize=17, loc="left", pad=14, parse_math=False)
    axes.set_xlabel(x, fontsize=12)
    axes.set_ylabel(y, fontsize=12)
    axes.tick_params(labelsize=11)
    axes.grid(True, color="0.9", lw=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend_above(axes: "Axes", *, small_marks: bool = False) -> None:
    """What the colours mean, beside the title, where it covers nothing; small marks larger."""
    axes.legend(
        frameon=False,
        fontsize=11,
        ncols=4,
        markerscale=2.0 if small_marks else 1.0,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
    )


def save(figure: "Figure", path: Path) -> None:
    """Write a PNG."""
    if path.suffix.lower() != ".png":
        raise InputError(f"{path}: the picture is a PNG, so its name must end in .png.")
    with replacing(path) as temporary, warnings.catch_warnings():
        # A name may have letters that the font lacks: they appear as boxes.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(temporary, format="png")
