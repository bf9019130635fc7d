"""A player's rating over time."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from podium.markup import Markup, element, joined
from podium.texts import visible
from podium.web.charts.axes import Scale, around, date_ticks, number_ticks
from podium.web.charts.lettering import cut, day, isolated, number, seconds, step, width
from podium.web.charts.svg import (
    ACROSS,
    at,
    dots,
    figure,
    foot,
    grid,
    path,
    picture,
    shortened,
    stretched,
    tag,
)
from podium.web.charts.tones import Titles, toned
from podium.wording import counted

HEIGHT = 300
_MOST_LINKS = 120
_MANY = 200
"""Performances from which on they are drawn smaller."""
_NARROWEST = 300.0
"""Pixels between the axes on a narrow screen."""
_LONGEST_NAME = 80
_SEASON = 90
"""Pixels of the name of a season."""
_HOUR, _DAY = 3600.0, 86_400.0


def career(
    document: Mapping[str, Any],
    *,
    titles: Titles = (),
    href: Callable[[str], str] | None = None,
    digits: int = 0,
    height: int = HEIGHT,
) -> Markup:
    """The curve of a player's rating, with its uncertainty, titles, performances and contests.

    Args:
        document: That of a player, with its history.
        titles: The lowest rating and the title it earns, of each, and if wanted its class.
        href: The address of a contest, by its identifier; None for no links.
        digits: How many there are behind the point of a rating.
        height: Of the part between the axes, in pixels.

    Example:
        >>> import podium
        >>> from podium.ratings.careers import Career
        >>> rated = podium.rate(podium.simulate(players=20, rounds=10))
        >>> drawn = career(Career.of(rated, "player-0007").document())
        >>> drawn.startswith('<figure class="chart chart-career" data-chart="career">')
        True
    """
    data = career_data(document, titles=titles, href=href, digits=digits)
    if not data["time"]:
        return element("p", "There are no rated contests to draw.", class_="chart-empty")
    drawn = picture(height, summary(data), drawing(data, height), role="group")
    return figure("career", drawn, keys=keys(data), data=data)


def career_data(
    document: Mapping[str, Any],
    *,
    titles: Titles = (),
    href: Callable[[str], str] | None = None,
    digits: int = 0,
) -> dict[str, Any]:
    """What the script draws the same chart from: columns with a value for every contest.

    `time` is in seconds since 1970; ratings are rounded as they are shown, and `best` is the index
    of the highest before that; the address of a contest is `base` and the element of `href`, or
    there is none without `href`. `titles` are lists of the lowest rating, the title and the class
    of its colour, and `seasons`, where there are any, lists of when one begins and its name.

    Example:
        >>> history = [{"contest": "r1", "time": "2026-05-12T00:00:00Z", "rank": 3,
        ...             "participants": 48, "performance": None, "sigma": 80.44,
        ...             "rating_before": 1511.6, "rating": 1540.4}]
        >>> data = career_data({"player": "ann", "history": history}, href="/contest/{}".format)
        >>> data["time"], data["before"], data["rating"], data["base"] + data["href"][0]
        ([1778544000], [1512], [1540], '/contest/r1')
    """
    history = document["history"]
    columns: dict[str, Any] = {
        "player": visible(document["player"]),
        "digits": digits,
        "titles": [[lowest, visible(title), colour] for lowest, title, colour in toned(titles)],
        "time": [seconds(each["time"]) for each in history],
        "name": [_called(each) for each in history],
        "rank": [each["rank"] for each in history],
        "of": [each["participants"] for each in history],
        "before": [_rounded(each["rating_before"], digits) for each in history],
        "rating": [_rounded(each["rating"], digits) for each in history],
        "sigma": [_rounded(each["sigma"], digits) for each in history],
        "performance": [_rounded(each["performance"], digits) for each in history],
        "best": max(range(len(history)), key=lambda each: history[each]["rating"], default=None),
    }
    first = min(columns["time"], default=0)
    begun = [
        (seconds(each["start"]), visible(each["name"])) for each in document.get("seasons", ())
    ]
    if later := [list(each) for each in begun if each[0] > first]:
        columns["seasons"] = later
    if href is not None:
        addresses = [href(each["contest"]) for each in history]
        base = _common_start(addresses)
        columns["base"] = base
        columns["href"] = [each[len(base) :] for each in addresses]
    return columns


def _common_start(texts: Sequence[str]) -> str:
    """What all of them begin with; they differ most between the least and the greatest."""
    low, high = min(texts, default=""), max(texts, default="")
    return low[: next((at for at, each in enumerate(low) if not high.startswith(each, at)), None)]


def _called(contest: Mapping[str, Any]) -> str:
    return visible(str(contest.get("name") or contest["contest"])[:_LONGEST_NAME])


def _rounded(value: float | None, digits: int) -> float | int | None:
    if value is None or not math.isfinite(value):
        return None
    return round(value, digits) if digits else round(value)


def summary(data: Mapping[str, Any]) -> str:
    """The chart in words."""
    times, ratings, digits = data["time"], data["rating"], data["digits"]
    last = number(ratings[-1], digits)
    if data["sigma"][-1] is not None:
        last += f" ± {number(data['sigma'][-1], digits)}"
    what = f"Rating of {isolated(data['player'])} over {counted(len(times), 'contest')}"
    if len(times) == 1:
        return f"{what}, on {day(times[0])}: {last}."
    best = data["best"]
    return (
        f"{what}, {day(times[0])} to {day(times[-1])}: {number(ratings[0], digits)} after the "
        f"first, best {number(ratings[best], digits)} on {day(times[best])}, now {last}."
    )


def keys(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The legend."""
    found = [("key-line", "rating")]
    if any(each is not None for each in data["sigma"]):
        found.append(("key-spread", "rating ± its uncertainty"))
    if any(each is not None for each in data["performance"]):
        found.append(("key-performance", "performance"))
    return found


def label(data: Mapping[str, Any], index: int) -> str:
    """One contest in words."""
    return (
        f"{isolated(data['name'][index])}, {day(data['time'][index])}: "
        f"rank {data['rank'][index]:,} of {data['of'][index]:,}, "
        f"{step(data['before'][index], data['rating'][index], data['digits'])}"
    )


def drawing(data: Mapping[str, Any], height: float) -> Markup:
    """All that is in the picture."""
    x, y = scales(data)
    places = [(ACROSS * x(time), height * (1 - y(rating))) for time, rating in _pairs(data)]
    best = data["best"]
    return joined(
        _bands(data["titles"], y, height, _obstacles(places, places[best])),
        grid(number_ticks(y, 6), y, height),
        foot(date_ticks(x, 5), x, height),
        _seasons(data, x, height),
        stretched(
            height,
            _spread(data, x, y, height),
            _performances(data, x, y, height),
            tag("path", d=path(places), class_="line"),
            tag("path", d=dots(places), class_="dots") if len(places) <= _MOST_LINKS else "",
        ),
        _links(data, places, best),
        _best_mark(data, places[best], best, height),
    )


def _pairs(data: Mapping[str, Any]) -> list[tuple[float, float]]:
    return list(zip(data["time"], data["rating"], strict=True))


def scales(data: Mapping[str, Any]) -> tuple[Scale, Scale]:
    """Of times, and of ratings: those shown, most of the band, and performances not far off."""
    x = time_scale(data["time"])
    ratings = data["rating"]
    sigmas = [each or 0.0 for each in data["sigma"]]
    low, high = min(ratings), max(ratings)
    # The first contests are uncertain: their band may be cut off.
    reach = max((high - low) * 0.6, _median(sigmas) * 1.5)
    ends = [
        *(max(rating - sigma, low - reach) for rating, sigma in zip(ratings, sigmas, strict=True)),
        *(min(rating + sigma, high + reach) for rating, sigma in zip(ratings, sigmas, strict=True)),
    ]
    least = max(abs(high) * 0.04, 10.0 ** (1 - data["digits"]))
    return x, around(ends, margin=0.07, least=least)


def time_scale(times: Sequence[float]) -> Scale:
    """Of seconds since 1970; contests of one time stand in the middle of some days."""
    at_once = max(times) - min(times) < _HOUR
    return around(list(times), margin=0.015, least=10 * _DAY if at_once else 0.0)


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


Segment = tuple[float, float, float, float]
"""A piece of a line: x and y of its begin and end."""


def _obstacles(places: Sequence[tuple[float, float]], best: tuple[float, float]) -> list[Segment]:
    """What names of titles should not stand on: the curve, and the words beside its best point."""
    rows = (best[1] + below for below in (-18, -9, 14))
    words = [(best[0] - 130, row, best[0] + 130, row) for row in rows]
    return [(*one, *other) for one, other in pairwise(places)] + words


def _bands(
    titles: Sequence[Sequence[Any]], y: Scale, height: float, obstacles: Sequence[Segment]
) -> Markup:
    """Titles as bands of their colours, each named in a corner that the curve leaves free."""
    parts: list[str] = []
    tops = [*(lowest for lowest, *_ in titles), math.inf][1:]
    for (lowest, title, colour), top in zip(titles, tops, strict=True):
        begin, end = max(lowest, y.low), min(top, y.high)
        if begin >= end:
            continue
        upper, lower = height * (1 - y(end)), height * (1 - y(begin))
        band = tag("rect", y=upper, width="100%", height=lower - upper)
        name = _title(title, upper, lower, obstacles) if lower - upper >= 16 else ""
        parts.append(tag("g", band, name, class_=f"band {colour}"))
    return tag("g", *parts, class_="bands", aria_hidden="true") if parts else Markup("")


def _title(title: str, upper: float, lower: float, obstacles: Sequence[Segment]) -> Markup:
    said = cut(title, 150, 11)
    wide = (width(said, 11) + 6) * ACROSS / _NARROWEST
    corners = [(side, down) for down in (lower - 5, upper + 13) for side in ("start", "end")]
    for side, down in corners:
        left = 0.0 if side == "start" else ACROSS - wide
        if not any(_crosses(each, left, left + wide, down - 11, down + 4) for each in obstacles):
            break
    else:
        side, down = corners[0]
    if side == "start":
        return tag("text", said, x=6, y=down)
    return tag("text", said, x="100%", dx=-6, y=down, class_="end")


def _crosses(segment: Segment, left: float, right: float, top: float, bottom: float) -> bool:
    """Whether a piece of a line goes through a box."""
    x1, y1, x2, y2 = segment
    if x2 < left or x1 > right:
        return False
    slope = (y2 - y1) / (x2 - x1) if x2 > x1 else 0.0
    begin = y1 + slope * (max(left, x1) - x1)
    end = y2 - slope * (x2 - min(right, x2))
    return min(begin, end) <= bottom and max(begin, end) >= top


def _seasons(data: Mapping[str, Any], x: Scale, height: float) -> Markup:
    """A thin line where a season begins, with its name as far as there is room."""
    parts: list[str] = []
    free = 0.0
    for time, name in data.get("seasons", ()):
        share, said = x(time), cut(name, _SEASON, 11)
        parts.append(tag("line", x1=at(share), x2=at(share), y2=height))
        room = (width(said, 11) + 8) / _NARROWEST
        if free <= share <= 1.0 - room:
            parts.append(tag("text", said, x=at(share), dx=4, y=height - 6, class_="start"))
            free = share + room
    return tag("g", *parts, class_="seasons", aria_hidden="true") if parts else Markup("")


def _spread(data: Mapping[str, Any], x: Scale, y: Scale, height: float) -> Markup:
    """The rating plus and minus its uncertainty; nothing where there is none."""
    above, below = [], []
    for time, rating, sigma in zip(data["time"], data["rating"], data["sigma"], strict=True):
        if sigma is not None:
            above.append((ACROSS * x(time), height * (1 - y(rating + sigma))))
            below.append((ACROSS * x(time), height * (1 - y(rating - sigma))))
    if not above:
        return Markup("")
    if above[-1][0] - above[0][0] < 1:
        return tag("path", d=path([above[-1], below[-1]]), class_="spread upright")
    return tag("path", d=path([*above, *reversed(below)]) + "z", class_="spread")


def _performances(data: Mapping[str, Any], x: Scale, y: Scale, height: float) -> Markup:
    """Those that the scale holds, and the others at the edge, fainter."""
    inside, beyond = [], []
    for time, performance in zip(data["time"], data["performance"], strict=True):
        if performance is None:
            continue
        across = ACROSS * x(time)
        if y.holds(performance):
            inside.append((across, height * (1 - y(performance))))
        else:
            beyond.append((across, 3.0 if performance > y.high else height - 3.0))
    drawn = ""
    if inside:
        many = "performances many" if len(inside) > _MANY else "performances"
        drawn = tag("path", d=dots(inside), class_=many)
    if beyond:
        drawn = joined(drawn, tag("path", d=dots(beyond), class_="performances beyond"))
    return Markup(drawn)


def _links(data: Mapping[str, Any], places: Sequence[tuple[float, float]], best: int) -> Markup:
    """Contests that can be reached and opened; of very many, some."""
    chosen = shortened(range(len(places)), _MOST_LINKS, [best])
    parts: list[str] = []
    for index in chosen:
        across, down = places[index]
        said = label(data, index)
        point = tag("circle", cx=at(across / ACROSS), cy=down, r=4)
        if "href" in data:
            address = data["base"] + data["href"][index]
            parts.append(tag("a", tag("title", said), point, href=address, aria_label=said))
        else:
            parts.append(tag("g", tag("title", said), point))
    return tag("g", *parts, class_="points")


def _best_mark(
    data: Mapping[str, Any], place: tuple[float, float], best: int, height: float
) -> Markup:
    share, down = place[0] / ACROSS, place[1]
    said = number(data["rating"][best], data["digits"])
    if len(data["time"]) > 1:
        said = f"best {said}"
    anchor = "start" if share < 0.2 else "end" if share > 0.8 else None
    above = down - 10 if down > 20 else min(down + 20, height - 4)
    ring = tag("circle", cx=at(share), cy=down, r=6)
    text = tag("text", said, x=at(share), y=above, class_=anchor)
    return tag("g", ring, text, class_="best", aria_hidden="true")
