"""The pictures of a report, as SVG that takes its fonts and colours from the page."""

import io
import re
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures
from podium.evaluation.comparison import ALL, EXPERIENCE, EXPERIENCED, Evaluation
from podium.evaluation.measures import BINS, Measure
from podium.markup import Markup, element, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

FEWEST = 0.001
"""The share of pairs that a group must have to be shown as a point of a reliability curve."""

_WIDTH = 9.0
_INK, _PAPER, _GRID, _MUTED = "#000000", "#ffffff", "#e6e6e6", "#707070"
_THEME = {_INK: "var(--ink)", _PAPER: "var(--paper)", _GRID: "var(--grid)", _MUTED: "var(--muted)"}
_THEME |= {
    colour: f"var(--series-{number}, {colour})" for number, colour in enumerate(pictures.COLOURS, 1)
}
"""Pictures are drawn in the colours on the left; the page has others on dark screens."""
_DASHES: tuple[tuple[float, ...], ...] = ((), (4.0, 1.6), (1.1, 1.3), (5.0, 1.4, 1.1, 1.4))
_LABEL, _TICK = 10.0, 9.0


class Look(NamedTuple):
    """How the lines of a system are drawn."""

    colour: str
    dashes: tuple[float, ...]
    """Lengths of lines and gaps in widths of the line."""


def look(number: int) -> Look:
    """Colours first, then other kinds of lines: twenty systems look different."""
    kind = number // len(pictures.COLOURS) % len(_DASHES)
    return Look(pictures.COLOURS[number % len(pictures.COLOURS)], _DASHES[kind])


def legend(labels: Sequence[str]) -> Markup:
    """What the lines of a picture mean."""
    return element(
        "ul",
        *(
            element("li", _swatch(look(number)), label, class_="mark")
            for number, label in enumerate(labels)
        ),
        class_="legend",
    )


def _swatch(seen: Look) -> Markup:
    dashes = " ".join(f"{2.0 * length:g}" for length in seen.dashes) or "none"
    style = f"stroke: {_THEME[seen.colour]}; stroke-width: 2; stroke-dasharray: {dashes}"
    line = element("line", x1="0", y1="4", x2="32", y2="4", style=style)
    return element(
        "svg", line, class_="swatch", viewBox="0 0 32 8", width="32", height="8", aria_hidden="true"
    )


def reliability(evaluation: Evaluation, about: str) -> Markup:
    """What favourites were expected to score and did: a panel for each system."""
    found = evaluation.reliability.filter(pl.col("share") >= FEWEST)
    figure, panels = _panels(evaluation, 2.5)
    lowest = float(_values(found["scored"]).min(initial=0.5))
    height = 0.3 * (1.0 - lowest)
    main = EXPERIENCED if EXPERIENCED in found["players"] else ALL
    for label, colour, axes in panels:
        axes.plot([0.5, 1.0], [0.5, 1.0], color=_MUTED, lw=1.0, ls=(0, (4.0, 3.0)))
        of_system = found.filter(system=label, calibrated=False)
        everybody, counted = (of_system.filter(players=each) for each in (ALL, main))
        sure = found.filter(system=label, calibrated=True, players=main)
        if main != ALL:
            axes.plot(*_points(everybody), color=_MUTED, lw=0.9)
        expected, scored = _points(counted)
        shares = _values(counted["share"])
        axes.plot(expected, scored, color=colour, lw=1.8, marker="o", markersize=3.5)
        axes.plot(*_points(sure), color=colour, lw=1.4, ls=(0, (1.0, 1.5)))
        heights = height * shares / shares.max(initial=FEWEST)
        axes.bar(expected, heights, 0.4 / BINS, bottom=lowest, color=colour, alpha=0.25, lw=0)
        axes.set_xlim(0.49, 1.01)
        axes.set_ylim(lowest - 0.005, 1.01)
        _in_hundredths(axes.xaxis, 0.25)
        _in_hundredths(axes.yaxis, 0.1 if lowest > 0.3 else 0.25)
    _name_axes(figure, "what the favourite was expected to score, %", "what they scored, %")
    return written(figure, "reliability", about)


def over_time(evaluation: Evaluation, about: str) -> Markup:
    """The share of pairs called right, from the first contests to the last."""
    lines = _lines(evaluation, evaluation.over_time, "time")
    figure, rows = _curves(lines)
    _date(rows[-1])
    return written(figure, "over-time", about)


def over_experience(evaluation: Evaluation, about: str) -> Markup:
    """The share of pairs called right, from new players to old hands."""
    found = evaluation.over_experience
    groups = sorted(set(found["contests_before"].to_list()))
    places = {group: place for place, group in enumerate(groups)}
    placed = found.with_columns(place=pl.col("contests_before").replace_strict(places))
    figure, rows = _curves(_lines(evaluation, placed, "place"))
    first = found.filter(system=evaluation.systems["system"][0])
    counts = dict(first.select("contests_before", "participations").iter_rows())
    names = [f"{experience(group)}\n{counts.get(group, 0):,}" for group in groups]
    rows[-1].set_xticks(range(len(groups)), names)
    rows[-1].set_xlabel("contests before, and participations", fontsize=_LABEL)
    return written(figure, "over-experience", about)


def experience(first: int) -> str:
    """The group of players that starts with so many contests before.

    Example:
        >>> [experience(first) for first in (0, 3, 100)]
        ['0', '3–4', '100 or more']
    """
    later = [start for start in EXPERIENCE if start > first]
    if not later:
        return f"{first} or more"
    return str(first) if later[0] == first + 1 else f"{first}–{later[0] - 1}"


def ratings(evaluation: Evaluation, about: str) -> Markup:
    """How ratings are distributed at the end: a panel for each system, on its own scale."""
    from matplotlib.ticker import MaxNLocator

    figure, panels = _panels(evaluation, 2.0)
    for label, colour, axes in panels:
        values = _values(evaluation.ratings.filter(system=label)["rating"])
        values = values[np.isfinite(values)]
        if len(values):
            counts, edges = np.histogram(values, min(40, max(8, int(len(values) ** 0.5))))
            axes.stairs(counts, edges, fill=True, color=colour, alpha=0.35, lw=0)
            axes.stairs(counts, edges, color=colour, lw=1.2)
            axes.axvline(float(np.median(values)), color=_INK, lw=1.0, ls=(0, (4.0, 3.0)))
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    _name_axes(figure, "rating", "players")
    return written(figure, "ratings", about)


def intervals(
    values: Mapping[tuple[str, str, str], Sequence[float]],
    players: str,
    measures: Sequence[Measure],
    labels: Sequence[str],
    about: str,
) -> Markup:
    """A value with its interval for each label, side by side for every measure."""
    figure = pictures.new_figure(0.32 * len(labels) + 1.0, _WIDTH)
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.06)
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    at = np.arange(len(labels))
    for axes, measure in zip(panels, measures, strict=True):
        found = np.array([values[players, measure.name, each][:3] for each in labels], np.float64)
        value, low, high = (100.0 if measure.percent else 1.0) * found.T
        colours = [look(number).colour for number in range(len(labels))]
        pictures.dress(axes, "", "", "")
        axes.hlines(at, low, high, colors=colours, lw=1.7)
        axes.scatter(value, at, c=colours, s=22, zorder=3)
        unit = ", %" if measure.percent else ""
        axes.set_title(f"{measure.name}{unit}", fontsize=_LABEL, loc="left")
        axes.tick_params(labelsize=_TICK)
    panels[0].set_yticks(at, [textwrap.shorten(readable(each), 40) for each in labels])
    panels[0].set_ylim(len(labels) - 0.5, -0.5)
    return written(figure, f"intervals-{players}", about)


def _panels(evaluation: Evaluation, height: float) -> "tuple[Figure, list[tuple[str, str, Axes]]]":
    """A small panel for each system, with its label and colour; of one size however many."""
    labels = evaluation.systems["system"].to_list()
    count = len(labels)
    columns = 3 if count in (1, 2, 3, 5, 6, 9) else 4
    used, rows = min(count, columns), -(-count // columns)
    figure = pictures.new_figure(height * rows + 0.4, _WIDTH * used / columns)
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.06)
    grid = figure.add_gridspec(rows, used)
    panels = [figure.add_subplot(grid[i // used, i % used]) for i in range(count)]
    for axes, label in zip(panels, labels, strict=True):
        pictures.dress(axes, "", "", "")
        axes.tick_params(labelsize=_TICK)
        lines = textwrap.wrap(readable(label), 24) or [""]
        axes.set_title("\n".join(lines), fontsize=_LABEL, loc="left")
    colours = (look(number).colour for number in range(count))
    return figure, list(zip(labels, colours, panels, strict=True))


def _lines(
    evaluation: Evaluation, found: pl.DataFrame, x: str
) -> list[tuple[NDArray[Any], Floats]]:
    """Where the line of every system goes, in hundredths."""
    return [
        (of_system[x].to_numpy(), 100.0 * _values(of_system["pair-inversion"]))
        for label in evaluation.systems["system"]
        for of_system in [found.filter(system=label)]
    ]


def _curves(lines: "list[tuple[NDArray[Any], Floats]]") -> "tuple[Figure, list[Axes]]":
    """The lines of all systems and, if there are several, their distances from the first."""
    several = len(lines) > 1
    figure = pictures.new_figure(5.6 if several else 3.6, _WIDTH)
    rows = figure.subplots(
        1 + several, 1, sharex=True, squeeze=False, height_ratios=(3.0, 2.0)[: 1 + several]
    )[:, 0]
    of_first = lines[0]
    for number, (x, values) in enumerate(lines):
        colour, dashes = look(number)
        style = {"color": colour, "lw": 1.7, "ls": (0, dashes) if dashes else "-"}
        style |= {"marker": "o", "markersize": 3.0}
        rows[0].plot(x, values, **style)
        if several and np.array_equal(x, of_first[0]):
            rows[1].plot(x, values - of_first[1], **style)
    names = ("pairs called right, %", "more than the first, points")
    for axes, name in zip(rows, names, strict=False):
        pictures.dress(axes, "", "", "")
        axes.set_ylabel(name, fontsize=_LABEL)
        axes.tick_params(labelsize=_TICK)
    return figure, list(rows)


def _date(axes: "Axes") -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    dates = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(dates)


def _name_axes(figure: "Figure", x: str, y: str) -> None:
    figure.supxlabel(x, fontsize=_LABEL)
    figure.supylabel(y, fontsize=_LABEL)


def _in_hundredths(axis: "Axis", step: float) -> None:
    from matplotlib.ticker import MultipleLocator, PercentFormatter

    axis.set_major_locator(MultipleLocator(step))
    axis.set_major_formatter(PercentFormatter(1.0, 0, symbol=None))


def _values(column: pl.Series) -> Floats:
    """The numbers of a column, NaN where there is none."""
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _points(groups: pl.DataFrame) -> tuple[Floats, Floats]:
    """What favourites were expected to score, and what they did."""
    return _values(groups["expected"]), _values(groups["scored"])


def written(figure: "Figure", name: str, about: str) -> Markup:
    """The picture as an element of a page, described for those who do not see it."""
    import matplotlib

    pictures.take_literally(figure)
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    text = io.StringIO()
    by_page = matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name})
    with by_page, warnings.catch_warnings():
        # A name may have letters that the font lacks; the reader's font may have them.
        warnings.simplefilter("ignore", UserWarning)
        unsigned = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(text, format="svg", metadata=unsigned)
    root = ElementTree.fromstring(text.getvalue())
    _adapt(root, name)
    share = figure.get_figwidth() / _WIDTH
    root.attrib = {
        "class": "picture",
        "style": f"width: {100.0 * share:.4g}%; min-width: {34.0 * share:.4g}rem",
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-label": readable(about),
    }
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _adapt(root: ElementTree.Element, name: str) -> None:
    """Make it a part of a page: with its fonts and colours, and without names that others have."""
    written = ElementTree.tostring(root, encoding="unicode")
    wanted = set(re.findall(r'(?:url\(|href=")#(\w+)', written))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("}style", "}metadata")):
                parent.remove(child)
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]
        each.tail = None
        if each.tag != "text":
            each.text = None
        attributes = {key.rpartition("}")[2]: value for key, value in each.attrib.items()}
        if attributes.get("id") not in wanted:
            attributes.pop("id", None)
        each.attrib = {key: _adapted(key, value, name) for key, value in attributes.items()}


def _adapted(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key in ("href", "clip-path"):
        return value.replace("#", f"#{name}-")
    if key == "style":
        value = re.sub(r"font-family: [^;]*;? ?", "", value)
        return re.sub(r"#[0-9a-f]{6}", lambda found: _THEME.get(found[0], found[0]), value)
    return " ".join(value.split())
