"""A player's ratings over time, as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium import pictures

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

_RATING, _PERFORMANCE = pictures.COLOURS[:2]


def draw(title: str, history: "pl.DataFrame", path: Path) -> None:
    """Write a PNG of 1200 × 700 with the rating, its uncertainty and the performances."""
    figure = pictures.new_figure()
    axes = figure.add_subplot()
    _plot(axes, history)
    pictures.dress(axes, title, "time", "rating")
    _date(axes)
    pictures.legend_above(axes)
    pictures.save(figure, path)


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


def _date(axes: "Axes") -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    dates = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(dates)
    axes.margins(x=0.02)
