"""A player's ratings over time, as a picture."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from podium.errors import PodiumError

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

_INCHES = (12.0, 7.0)
_DOTS_PER_INCH = 100
_RATING = "#1f5fa8"
_PERFORMANCE = "#d9822b"


def draw(title: str, history: "pl.DataFrame", path: Path) -> None:
    """Write a PNG of 1200 × 700 with the rating, its uncertainty and the performances."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from podium.files import replacing

    if path.suffix.lower() != ".png":
        raise PodiumError(f"{path}: the picture is a PNG, so its name must end in .png.")
    layout = ConstrainedLayoutEngine(w_pad=0.2, h_pad=0.15)
    figure = Figure(figsize=_INCHES, dpi=_DOTS_PER_INCH, layout=layout)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _plot(axes, history)
    _dress(axes, title)
    with replacing(path) as temporary, warnings.catch_warnings():
        # A name may have letters that the font lacks: they appear as boxes.
        warnings.simplefilter("ignore", UserWarning)
        figure.savefig(temporary, format="png")


def _plot(axes: "Axes", history: "pl.DataFrame") -> None:
    time = history["time"].to_numpy()
    mu, sigma = history["mu"].to_numpy(), history["sigma"].to_numpy()
    if history["sigma"].count():
        low, high = mu - 2 * sigma, mu + 2 * sigma
        axes.fill_between(time, low, high, color=_RATING, alpha=0.13, lw=0, label="mu ± 2 sigma")
        axes.plot(time, mu, color=_RATING, alpha=0.5, lw=1.0, ls="--", label="mu")
    if history["performance"].count():
        axes.plot(
            time,
            history["performance"].to_numpy(),
            "o",
            color=_PERFORMANCE,
            alpha=0.75,
            markersize=5,
            markeredgewidth=0,
            label="performance",
        )
    axes.plot(
        time,
        history["rating"].to_numpy(),
        color=_RATING,
        lw=2.2,
        marker="o" if history.height < 40 else None,
        markersize=4,
        label="rating",
    )


def _dress(axes: "Axes", title: str) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    dates = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(dates)
    axes.set_title(title, fontsize=17, loc="left", pad=14, parse_math=False)
    axes.set_xlabel("time", fontsize=12)
    axes.set_ylabel("rating", fontsize=12)
    axes.tick_params(labelsize=11)
    axes.grid(True, color="0.9", lw=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.02)
    axes.legend(frameon=False, fontsize=11, ncols=4, loc="lower right", bbox_to_anchor=(1.0, 1.0))
