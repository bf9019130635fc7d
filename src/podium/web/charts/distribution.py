"""How ratings are spread, before a contest and after it."""

import math
from collections.abc import Sequence
from itertools import pairwise

from podium.markup import Markup, element, joined
from podium.texts import visible
from podium.web.charts.axes import Scale, number_ticks
from podium.web.charts.lettering import number
from podium.web.charts.svg import ACROSS, at, figure, foot, grid, path, picture, stretched, tag
from podium.web.charts.tones import Titles, toned
from podium.wording import counted

_MOST_BINS = 30
_HEIGHT = 200


def distribution(
    before: Sequence[float | None],
    after: Sequence[float | None],
    titles: Titles = (),
    *,
    digits: int = 0,
    height: int = _HEIGHT,
) -> Markup:
    """Two histograms with the same bins: before as an outline, after filled.

    Args:
        before: Ratings; what is no number is left out.
        after: The same.
        titles: Pairs of the lowest rating and the title it earns, drawn along the axis.
        digits: How many there are behind the point of a rating.
        height: Of the part between the axes, in pixels.

    Example:
        >>> drawn = distribution([1500.0] * 5, [1480.0, 1490.0, 1500.0, 1510.0, 1520.0])
        >>> drawn.count('class="mark"')
        5
    """
    old, new = _known(before), _known(after)
    if not old and not new:
        return element("p", "There are no ratings to draw.", class_="chart-empty")
    edges = _edges([*old, *new], digits)
    counts = [_counts(each, edges) for each in (old, new)]
    x = Scale(edges[0], edges[-1])
    y = Scale(0.0, 1.08 * max(map(max, counts)))
    drawn = joined(
        grid(_whole_ticks(y), y, height),
        foot(number_ticks(x, 7), x, height),
        _titles(titles, x, height),
        *_bars(counts, edges, y, height, digits),
        stretched(height, tag("path", d=_outline(counts[0], y, height), class_="outline")),
    )
    keys = [("key-outline", "before"), ("key-bars", "after")]
    said = _summary(old, new, digits)
    return figure("distribution", picture(height, said, drawn), keys=keys, note="Players by rating")


def _known(values: Sequence[float | None]) -> list[float]:
    return sorted(each for each in values if each is not None and math.isfinite(each))


def _edges(values: list[float], digits: int) -> list[float]:
    """The borders of the bins: round numbers, about as many as the count of players is worth."""
    low, high = min(values), max(values)
    wanted = min(_MOST_BINS, max(6, round(2 * len(values) ** (1 / 3))))
    least = 10.0**-digits
    rough = max((high - low) / wanted, least)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        each * power for each in (1.0, 2.0, 2.5, 5.0, 10.0) if each * power >= rough * 0.999
    )
    first, last = math.floor(low / step), math.floor(high / step) + 1
    return [each * step for each in range(first, last + 1)]


def _counts(values: list[float], edges: list[float]) -> list[int]:
    found = [0] * (len(edges) - 1)
    step = edges[1] - edges[0]
    for each in values:
        found[min(max(int((each - edges[0]) / step), 0), len(found) - 1)] += 1
    return found


def _whole_ticks(y: Scale) -> list[tuple[float, str]]:
    return [each for each in number_ticks(y, 4) if each[0] == int(each[0])]


def _bars(
    counts: list[list[int]], edges: list[float], y: Scale, height: float, digits: int
) -> list[Markup]:
    bins = len(edges) - 1
    parts = []
    for index, (low, high) in enumerate(pairwise(edges)):
        before, after = counts[0][index], counts[1][index]
        if not before and not after:
            continue
        said = (
            f"{number(low, digits)} to {number(high, digits)}: {before:,} before, {after:,} after"
        )
        bar = tag(
            "rect",
            tag("title", said),
            x=at((index + 0.06) / bins),
            width=at(0.88 / bins),
            y=height * (1 - y(after)),
            height=height * y(after),
            class_="mark",
        )
        parts.append(bar)
    return parts


def _outline(counts: list[int], y: Scale, height: float) -> str:
    width = ACROSS / len(counts)
    points = [(0.0, float(height))]
    for index, count in enumerate(counts):
        down = height * (1 - y(count))
        points += [(index * width, down), ((index + 1) * width, down)]
    return path([*points, (float(ACROSS), float(height))])


def _titles(titles: Titles, x: Scale, height: float) -> Markup:
    """The titles' colours along the axis."""
    parts = []
    tops = [*(lowest for lowest, *_ in titles), math.inf][1:]
    for (lowest, title, colour), top in zip(toned(titles), tops, strict=True):
        begin, end = max(lowest, x.low), min(top, x.high)
        if begin < end:
            share = x(begin)
            strip: dict[str, str | float] = {
                "x": at(share),
                "width": at(x(end) - share),
                "y": height,
                "height": 4,
            }
            parts.append(tag("rect", tag("title", visible(title)), class_=colour, **strip))
    return tag("g", *parts, class_="strips") if parts else Markup("")


def _summary(old: list[float], new: list[float], digits: int) -> str:
    said = [
        f"{when} {counted(len(each), 'player')} from {number(each[0], digits)} to "
        f"{number(each[-1], digits)}, half of them below {number(each[len(each) // 2], digits)}"
        for when, each in (("before", old), ("after", new))
        if each
    ]
    return f"How ratings are spread: {'; '.join(said)}."
