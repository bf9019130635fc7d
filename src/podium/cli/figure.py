"""A player's ratings over time, as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium import pictures

if TYPE_CHECKING:
    import datetime
    from collections.abc import Sequence

    import polars as pl
    from matplotlib.axes import Axes

    from podium.ratings.histories import BeliefHistory

_MOST_BELIEFS = 1200
"""No more than the picture has columns of pixels."""
_VISIBLE = 0.01
"""What is less, relative to the densest point, is not shown."""
_RATING, _PERFORMANCE = pictures.COLOURS[:2]


def draw(
    title: str,
    history: "pl.DataFrame",
    path: Path,
    seasons: "Sequence[tuple[datetime.datetime, str]]" = (),
) -> None:
    """Write a PNG of 1200 × 700 with the rating, its uncertainty and the performances.

    Where seasons begin, there is a thin line with the name of the season.
    """
    figure = pictures.new_figure()
    axes = figure.add_subplot()
    _plot(axes, history)
    for start, name in seasons:
        axes.axvline(start, color="0.6", linewidth=0.8, linestyle=":")  # type: ignore[arg-type]
        axes.annotate(
            pictures.short(name, 24),
            (start, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(3, -3),
            textcoords="offset points",
            fontsize="small",
            color="0.4",
            va="top",
        )
    pictures.dress(axes, title, "time", "rating")
    _date(axes)
    pictures.legend_above(axes)
    pictures.save(figure, path)


def draw_beliefs(story: "BeliefHistory", path: Path) -> None:
    """Write a PNG of 1200 × 700 with all that was believed over time, as a heat map."""
    figure = pictures.new_figure()
    axes = figure.add_subplot()
    _shade(axes, story)
    title = f"{story.player}: belief over time, by {story.system.name}"
    pictures.dress(axes, title, "time", "rating")
    _date(axes)
    pictures.legend_above(axes)
    pictures.save(figure, path)


def _shade(axes: "Axes", story: "BeliefHistory") -> None:
    """Each belief holds until the next contest; dark where it is dense."""
    import numpy as np
    from matplotlib.colors import PowerNorm

    ratings, beliefs = story.ratings, story.probabilities
    times = story.times.to_numpy()
    kept = np.unique(np.linspace(0, len(times) - 1, _MOST_BELIEFS).round().astype(np.int64))
    times, beliefs = times[kept], beliefs[kept]
    seen = np.flatnonzero(beliefs.max(axis=0) > _VISIBLE * beliefs.max())
    inside = slice(max(seen[0] - 1, 0), seen[-1] + 2)
    typical = np.median(np.diff(times)) if len(times) > 1 else np.timedelta64(1, "D")
    ends = np.append(times, times[-1] + max(typical, np.timedelta64(1, "s")))
    step = ratings[1] - ratings[0]
    edges = np.append(ratings[inside], ratings[inside][-1] + step) - 0.5 * step
    axes.pcolormesh(
        ends,
        edges,
        beliefs[:, inside].T,
        cmap="Blues",
        norm=PowerNorm(0.6, vmin=0.0, vmax=np.quantile(beliefs.max(axis=1), 0.98)),
        rasterized=True,
    )
    mean = (beliefs * ratings).sum(axis=1)
    cumulative = np.cumsum(beliefs, axis=1)
    low, high = (ratings[np.argmax(cumulative >= share, axis=1)] for share in (0.05, 0.95))
    for line, label, colour, width, style in (
        (low, "5 % and 95 %", _RATING, 0.9, "--"),
        (high, None, _RATING, 0.9, "--"),
        (mean, "mean", _PERFORMANCE, 1.8, "-"),
    ):
        until = np.append(line, line[-1])
        axes.step(ends, until, where="post", color=colour, lw=width, ls=style, label=label)
    axes.set_ylim(edges[0], edges[-1])


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
