"""The ratings of a few players over time, together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.errors import InputError
from podium.markup import Markup, element, joined
from podium.web.charts.axes import Scale, around, date_ticks, number_ticks
from podium.web.charts.career import HEIGHT, career_data, label, time_scale
from podium.web.charts.lettering import cut, day, isolated, number
from podium.web.charts.svg import (
    ACROSS,
    at,
    figure,
    foot,
    grid,
    path,
    picture,
    shortened,
    stretched,
    tag,
)

MOST = 5
"""Curves that can still be told apart."""
_MOST_MARKS = 24
_LINE = 15
"""Pixels that a name beside the curves needs."""
_UNUSED = ("sigma", "performance", "titles", "digits", "best", "seasons")


def compare(
    documents: Sequence[Mapping[str, Any]],
    *,
    digits: int = 0,
    href: Callable[[str], str] | None = None,
    height: int = HEIGHT,
) -> Markup:
    """The curves of two to five players, each with a colour, a dash and a mark of its own.

    Args:
        documents: Those of players, with their histories.
        digits: How many there are behind the point of a rating.
        href: The address of a contest, by its identifier; None for no links.
        height: Of the part between the axes, in pixels.

    Example:
        >>> import podium
        >>> from podium.ratings.careers import Career
        >>> rated = podium.rate(podium.simulate(players=20, rounds=10))
        >>> names = ["player-0007", "player-0003"]
        >>> drawn = compare([Career.of(rated, each).document() for each in names])
        >>> drawn.count('class="series series-')
        2
    """
    if len(documents) > MOST:
        raise InputError(f"at most {MOST} players can be compared, not {len(documents):,}.")
    series = [
        {
            key: column
            for key, column in career_data(each, href=href, digits=digits).items()
            if key not in _UNUSED
        }
        for each in documents
        if each["history"]
    ]
    if not series:
        return element("p", "There are no rated contests to draw.", class_="chart-empty")
    data = {"digits": digits, "series": series}
    drawn = picture(height, _summary(data), _drawing(data, height), role="group")
    names = [(f"series-{index}", each["player"]) for index, each in enumerate(series)]
    keys = [(f"key-series {name}", player) for name, player in names]
    return figure("compare", drawn, keys=keys, data=data)


def _summary(data: Mapping[str, Any]) -> str:
    said = "; ".join(
        f"{isolated(each['player'])}: {number(each['rating'][-1], data['digits'])} "
        f"on {day(each['time'][-1])}, best {number(max(each['rating']), data['digits'])}"
        for each in data["series"]
    )
    return f"Ratings over time. {said}."


def _drawing(data: Mapping[str, Any], height: float) -> Markup:
    series, digits = data["series"], data["digits"]
    times = [time for each in series for time in each["time"]]
    ratings = [rating for each in series for rating in each["rating"]]
    x = time_scale(times)
    y = around(ratings, margin=0.07, least=max(abs(max(ratings)) * 0.04, 10.0 ** (1 - digits)))
    ends = [height * (1 - y(each["rating"][-1])) for each in series]
    curves = (_curve(each, index, x, y, height) for index, each in enumerate(series))
    marks = (
        _marks(each, index, x, y, height, digits, name_at)
        for index, (each, name_at) in enumerate(zip(series, spread_out(ends, _LINE), strict=True))
    )
    return joined(
        grid(number_ticks(y, 6), y, height),
        foot(date_ticks(x, 5), x, height),
        stretched(height, *curves),
        *marks,
    )


def _curve(each: Mapping[str, Any], index: int, x: Scale, y: Scale, height: float) -> Markup:
    places = [
        (ACROSS * x(time), height * (1 - y(rating)))
        for time, rating in zip(each["time"], each["rating"], strict=True)
    ]
    rest = tag("path", d=path([places[-1], (ACROSS, places[-1][1])]), class_="rest")
    return tag("g", rest, tag("path", d=path(places), class_="line"), class_=f"series-{index}")


def _marks(
    each: Mapping[str, Any],
    index: int,
    x: Scale,
    y: Scale,
    height: float,
    digits: int,
    name_at: float,
) -> Markup:
    """A curve's contests, thinned, and its name behind it."""
    parts: list[str] = []
    for place in shortened(range(len(each["time"])), _MOST_MARKS, ()):
        said = f"{isolated(each['player'])}, {label({**each, 'digits': digits}, place)}"
        across, down = x(each["time"][place]), height * (1 - y(each["rating"][place]))
        inner = tag("svg", tag("path", d=MARKERS[index]), x=at(across), y=down, class_="marker")
        if "href" in each:
            address = each["base"] + each["href"][place]
            parts.append(tag("a", tag("title", said), inner, href=address, aria_label=said))
        else:
            parts.append(tag("g", tag("title", said), inner))
    name = tag(
        "text", cut(each["player"], 80, 12), x="100%", dx=8, y=name_at + 4, aria_hidden="true"
    )
    return tag("g", *parts, name, class_=f"series series-{index}")


MARKERS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.3l4.2 7.4h-8.4z",
    "M0-4.6l4.4 4.6-4.4 4.6-4.4-4.6z",
    "M-3.4-3.4l6.8 6.8M-3.4 3.4l6.8-6.8",
)
"""A disc, a square, a triangle, a diamond and a cross."""


def spread_out(places: Sequence[float], apart: float) -> list[float]:
    """Places as near as can be to those given, and so far apart that texts do not overlap.

    Example:
        >>> spread_out([100.0, 20.0, 104.0], 10.0)
        [97.0, 20.0, 107.0]
    """
    order = sorted(range(len(places)), key=lambda each: (places[each], each))
    groups: list[tuple[list[int], float]] = []  # members, and the middle of the group
    for index in order:
        members, middle = [index], places[index]
        while groups:
            others, above = groups[-1]
            if middle - above >= apart * (len(members) + len(others)) / 2:
                break
            groups.pop()
            middle = (middle * len(members) + above * len(others)) / (len(members) + len(others))
            members = others + members
        groups.append((members, middle))
    found = [0.0] * len(places)
    for members, middle in groups:
        for number_, index in enumerate(members):
            found[index] = middle + apart * (number_ - (len(members) - 1) / 2)
    return found
