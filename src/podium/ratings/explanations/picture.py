"""An explanation as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from podium import pictures
from podium.ratings.explanations.explanation import Explanation
from podium.ratings.explanations.words import Numbers
from podium.results.columns import taken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UP, _BEFORE, _GOOD, _DOWN, _LEVEL = pictures.COLOURS
_GREY = "0.55"
_LONGEST_NAME = 18
_VISIBLE = 0.002
"""Past performances of a smaller share are not drawn."""
_AREA = 3000.0
"""Of the mark of a performance that is all that counts, but no more than half of that is drawn."""


def draw(found: Explanation, path: Path) -> None:
    """Write a PNG of 1600 × 700: opponents on the left, the average, and the change of rating."""
    figure = pictures.new_figure(width=16.0)
    parts = [(_opponents, 1.35)] if found.opponents.height else []
    if found.average is not None and found.average.performances.height:
        parts.append((_average, 1.15 if found.average.keeps_past else 0.6))
    parts.append((_change, 0.75))
    panels = figure.subplots(
        1, len(parts), squeeze=False, gridspec_kw={"width_ratios": [width for _, width in parts]}
    )[0]
    for (plot, _), axes in zip(parts, panels, strict=True):
        plot(axes, found, Numbers(found))
    what = f"rank {found.rank:,} of {found.competitors:,}"
    player, contest = (
        pictures.short(text, longest)
        for text, longest in ((found.player, 40), (found.name or found.contest, 50))
    )
    figure.suptitle(
        f"{player} in {contest}, {what}, rated by {found.system.name}",
        fontsize=17,
        x=0.015,
        ha="left",
    )
    pictures.save(figure, path)


def _dress(axes: "Axes", title: str, x: str, y: str) -> None:
    pictures.dress(axes, title, x, y)
    axes.set_title(title, fontsize=13, loc="left", pad=10, color="0.25")


def _legend(axes: "Axes", larger: float = 1.0) -> None:
    """Below, where it covers nothing."""
    axes.legend(
        frameon=False,
        fontsize=10,
        ncols=2,
        markerscale=larger,
        loc="upper left",
        bbox_to_anchor=(-0.01, -0.11),
    )


def _opponents(axes: "Axes", found: Explanation, numbers: Numbers) -> None:
    """Who pulled how much, by their skill: those behind up, those ahead down."""
    frame, measure = found.opponents, found.measure
    skill, value = frame["skill"].to_numpy(), frame[measure].to_numpy()
    score = frame["score"].to_numpy()
    size = float(np.clip(4000.0 / frame.height, 6.0, 60.0))
    for label, rows, colour in (
        ("finished behind", score > 0.5, _UP),
        ("tied", score == 0.5, _GREY),
        ("finished ahead", score < 0.5, _DOWN),
    ):
        if rows.any():
            axes.scatter(
                skill[rows], value[rows], s=size, color=colour, alpha=0.55, lw=0, label=label
            )
    axes.axhline(0.0, color="0.4", lw=0.9)
    level = found.performance if found.without_ceiling is None else found.without_ceiling
    if level is not None:
        axes.axvline(level, color=_LEVEL, lw=2.0, label=f"performance {numbers.level(level)}")
    called = pictures.short(found.player, _LONGEST_NAME)
    axes.axvline(
        found.change.mu_before,
        color=_BEFORE,
        lw=1.6,
        ls="--",
        label=f"{' ' * called.startswith('_')}{called} before",  # or it would be left out
    )
    pull = measure == "pull"
    _dress(
        axes,
        "whom the performance balances" if pull else "whose results were not expected",
        "skill of the opponent before",
        "pull on the performance, in points" if pull else "score less what was expected",
    )
    axes.margins(x=0.08, y=0.2)
    _name(axes, found)
    _legend(axes, max(1.0, (30.0 / size) ** 0.5))


def _name(axes: "Axes", found: Explanation) -> None:
    """The names of those who mattered most, beside their points and away from each other."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    gap = 0.035 * (top - bottom)
    for side, upwards in ((found.up, 1.0), (found.down, -1.0)):
        if not side.few:
            continue
        outermost = min(each["skill"] for each in side.few)
        room = outermost - left > 0.35 * (right - left)
        most = max(each["skill"] for each in side.few)
        x = outermost - 0.03 * (right - left) if room else most + 0.03 * (right - left)
        y = -np.inf
        for each in reversed(side.few):
            y = max(y + gap, upwards * each[found.measure])
            axes.plot(each["skill"], each[found.measure], "o", ms=5.0, mfc="none", mec="0.3")
            axes.annotate(
                pictures.short(each["player"], _LONGEST_NAME),
                (each["skill"], each[found.measure]),
                xytext=(x, upwards * y),
                fontsize=9.5,
                ha="right" if room else "left",
                va="center",
                color="0.2",
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
                arrowprops={"arrowstyle": "-", "color": "0.6", "lw": 0.7, "shrinkB": 3.0},
            )


def _average(axes: "Axes", found: Explanation, numbers: Numbers) -> None:
    """Past performances, as large as their weight, and what they average to."""
    from matplotlib.ticker import MaxNLocator

    average, change = found.average, found.change
    assert average is not None
    frame = average.performances
    seen = (frame["plain_share"] > _VISIBLE) | (frame["ago"] == 0)
    frame = taken(frame, np.flatnonzero(seen.to_numpy()))
    x, p = -frame["ago"].to_numpy(), frame["performance"].to_numpy()
    area, plain = (
        _AREA * np.minimum(frame[name].to_numpy(), 0.5) for name in ("share", "plain_share")
    )
    if average.keeps_past:
        axes.scatter(x, p, s=plain, facecolors="none", edgecolors="0.35", lw=0.8)
        axes.scatter([], [], s=60.0, facecolors="none", edgecolors="0.35", label="by age alone")
    axes.scatter(x[:-1], p[:-1], s=area[:-1], color=_UP, alpha=0.6, lw=0)
    axes.scatter(x[-1:], p[-1:], s=area[-1:], color=_LEVEL, alpha=0.8, lw=0)
    now = f"this contest, {frame['share'][-1]:.0%}"
    axes.scatter([], [], s=60.0, color=_LEVEL, alpha=0.8, lw=0, label=now)
    axes.axhline(change.mu, color=_GOOD, lw=2.0, label=f"the average, {numbers.level(change.mu)}")
    axes.axhline(
        average.base,
        color=_BEFORE,
        lw=1.6,
        ls="--",
        label=f"{'older results' if len(x) > 1 else 'before'}, {average.base_share:.0%}",
    )
    title = "performances, as large as they weigh" if average.keeps_past else "how far it went"
    _dress(axes, title, "contests ago", "performance")
    axes.margins(x=0.12, y=0.25)
    if len(x) > 1:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):.0f}")
    else:
        axes.set_xlim(-1.0, 1.0)
        axes.set_xticks([0.0], ["this contest"])
        axes.set_xlabel("")
    _legend(axes)


def _change(axes: "Axes", found: Explanation, numbers: Numbers) -> None:
    """From the rating before to the one after, step by step."""
    change = found.change
    steps = [("skill", change.by_skill)]
    if not numbers.is_nothing(change.by_certainty):
        steps.append(("certainty", change.by_certainty))
    if not numbers.is_nothing(change.by_experience):
        steps.append(("experience", change.by_experience))
    labels = ["before", *(name for name, _ in steps), "after"]
    level = change.rating_before
    edges = [level]
    for place, (_, by) in enumerate(steps, start=1):
        colour = _GOOD if by >= 0.0 else _DOWN
        axes.bar(place, by, bottom=level, color=colour, alpha=0.8, width=0.62)
        axes.plot([place - 1, place], [level, level], color="0.6", lw=0.9)
        axes.annotate(
            numbers.signed(by),
            (place, max(level, level + by)),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize=11,
        )
        level += by
        edges.append(level)
    last = len(labels) - 1
    axes.plot([last - 1, last], [level, level], color="0.6", lw=0.9)
    for place, rating in ((0, change.rating_before), (last, change.rating)):
        axes.plot([place - 0.31, place + 0.31], [rating, rating], color=_UP, lw=5.0)
        axes.annotate(
            numbers.level(rating),
            (place, rating),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            fontsize=12,
            fontweight="bold",
        )
    room = max(max(edges) - min(edges), 10.0**-numbers.digits)
    axes.set_ylim(min(edges) - 0.25 * room, max(edges) + 0.3 * room)
    _dress(axes, "the rating shown", "", "")
    axes.set_xticks(range(len(labels)), labels)
    axes.grid(False, axis="x")
