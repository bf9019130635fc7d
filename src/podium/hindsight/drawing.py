"""Pictures of what is seen in hindsight: ratings with their intervals, as SVG and as a PNG."""

from typing import TYPE_CHECKING

from podium import pictures
from podium.markup import Markup, element
from podium.texts import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from podium.hindsight.looking import LookBack
    from podium.hindsight.ranking import Ranking

MOST_DRAWN = 100
"""Rows of a picture."""
_ROW, _NAME, _WIDTH, _EDGE = 22.0, 190.0, 540.0, 16.0
"""In units of the picture: a line, the room for names, all of it, and beside the bars. A phone has
two thirds of it, where names are still read."""
_LONGEST_NAME = 28


def ranking_svg(ranking: "Ranking", n: int | None = None) -> Markup:
    """The ratings of the first `n` with their intervals, for a page.

    Bars take the colour of the text around them, so that they are seen on light and dark pages.
    """
    rows = ranking.table.head(min(n or MOST_DRAWN, MOST_DRAWN))
    if rows.height == 0:
        return Markup("")
    low, high = float(rows["low"].min()), float(rows["high"].max())  # type: ignore[arg-type]
    reach = max(high - low, 1e-9)

    def across(value: float) -> str:
        return f"{_NAME + _EDGE + (value - low) / reach * (_WIDTH - _NAME - 2 * _EDGE):.1f}"

    parts, tier, group = [], 1, 1
    for k, row in enumerate(rows.iter_rows(named=True)):
        y = (k + 0.5) * _ROW
        if k and (row["tier"] != tier or row["group"] != group):
            parts.append(
                element(
                    "line",
                    x1="0", x2=f"{_WIDTH:g}", y1=f"{k * _ROW:g}", y2=f"{k * _ROW:g}",
                    stroke="currentColor", stroke_opacity="0.25",
                )
            )  # fmt: skip
        tier, group = row["tier"], row["group"]
        name = pictures.short(row["player"], _LONGEST_NAME)
        parts += [
            element(
                "text", name, x=f"{_NAME:g}", y=f"{y:g}", text_anchor="end",
                dominant_baseline="central", fill="currentColor", font_size="13",
            ),
            element(
                "line", x1=across(row["low"]), x2=across(row["high"]), y1=f"{y:g}", y2=f"{y:g}",
                stroke="#1f8fd0", stroke_width="3", stroke_linecap="round",
            ),
            element("circle", cx=across(row["rating"]), cy=f"{y:g}", r="4.5", fill="#d9822b"),
        ]  # fmt: skip
    height = rows.height * _ROW
    for value in (low, high):
        parts.append(
            element(
                "text", f"{value:.0f}", x=across(value), y=f"{height + 14:g}",
                text_anchor="middle", fill="currentColor", font_size="12",
            )
        )  # fmt: skip
    label = (
        f"Ratings of the first {rows.height} with their intervals; lines part tiers, which cannot "
        f"be told apart within"
    )
    picture = element(
        "svg",
        *parts,
        viewBox=f"0 0 {_WIDTH:g} {height + 20:g}",
        width="100%",
        role="img",
        aria_label=visible(label),
    )
    return element("figure", picture, element("figcaption", f"{label}."))


def ranking_figure(ranking: "Ranking", n: int | None = None) -> "Figure":
    """The same as a picture."""
    rows = ranking.table.head(min(n or MOST_DRAWN, MOST_DRAWN)).reverse()
    figure = pictures.new_figure(1.8 + 0.3 * rows.height)
    axes = figure.subplots()
    rating = rows["rating"].to_numpy()
    reach = [rating - rows["low"].to_numpy(), rows["high"].to_numpy() - rating]
    axes.errorbar(
        rating, range(rows.height), xerr=reach, fmt="o", ms=6.0, lw=2.5, color=pictures.COLOURS[0]
    )
    names = [pictures.short(each, _LONGEST_NAME) for each in rows["player"]]
    ends = (rows["tier"] != rows["tier"].shift(1)) | (rows["group"] != rows["group"].shift(1))
    for k in ends.fill_null(value=False).arg_true():
        axes.axhline(k - 0.5, color="0.75", lw=0.8)
    pictures.dress(axes, f"Ranking by {ranking.model}", "rating", "")
    axes.set_yticks(range(rows.height), names)
    axes.set_ylim(-0.7, rows.height - 0.3)
    return figure


def curve_figure(look: "LookBack", player: str) -> "Figure":
    """A player's curve as believed then and as seen from today."""
    rows, curve = look.player(player), look.curve(player)
    figure = pictures.new_figure()
    axes = figure.subplots()
    then, today = pictures.COLOURS[1], pictures.COLOURS[0]
    times, mean = curve["time"].to_list(), curve["estimate"].to_numpy()
    reach = 1.96 * curve["sigma"].to_numpy()
    axes.fill_between(times, mean - reach, mean + reach, color=today, alpha=0.15, lw=0)
    axes.plot(times, mean, color=today, lw=2.2, label="as seen from today")
    axes.plot(
        rows["time"].to_list(),
        rows["believed"].to_numpy(),
        color=then,
        lw=1.4,
        marker=".",
        label="as believed then",
    )
    pictures.dress(axes, player, "", "skill")
    pictures.legend_above(axes)
    return figure
