"""The rating that each final rank would have given."""

import math
from collections.abc import Mapping
from typing import Any

from podium.markup import Markup, element, joined
from podium.web.charts.axes import Scale, around, number_ticks
from podium.web.charts.lettering import number, step
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

_HEIGHT = 240
_MOST_POINTS = 300
_MOST_LINEAR = 40
"""Ranks from which on the axis is logarithmic: what matters is at its left end."""


def what_if(
    document: Mapping[str, Any],
    actual_rank: int | None = None,
    *,
    digits: int = 0,
    height: int = _HEIGHT,
) -> Markup:
    """The rating by final rank, with the actual one marked; a slider can move along it.

    The script looks for ``<input type="range" class="what-if-slider">`` and an ``<output>`` in
    the element around the figure, such as a section.

    Args:
        document: That of a curve, with `rating_before`, `rank`, `participants` and `ranks`.
        actual_rank: Where the player came in; by default what the document says.
        digits: How many there are behind the point of a rating.
        height: Of the part between the axes, in pixels.
    """
    ranks = document["ranks"]
    if not ranks:
        return element("p", "There are no ranks to draw.", class_="chart-empty")
    actual = document.get("rank") if actual_rank is None else actual_rank
    before = document["rating_before"]
    logarithmic = document["participants"] > _MOST_LINEAR
    x = _rank_scale(ranks[0]["rank"], ranks[-1]["rank"], logarithmic)
    values = [before, *(each["rating"] for each in ranks)]
    y = around(values, margin=0.08, least=10.0 ** (1 - digits))
    places = [
        (_across(each["rank"], x, logarithmic), height * (1 - y(each["rating"]))) for each in ranks
    ]
    chosen = shortened(range(len(places)), _MOST_POINTS, ())
    level = height * (1 - y(before))
    drawn = joined(
        grid(number_ticks(y, 5), y, height),
        foot(_rank_ticks(x, logarithmic), Scale(0.0, 1.0), height),
        tag("line", x2="100%", y1=level, y2=level, class_="zero"),
        tag("text", f"before {number(before, digits)}", x="100%", y=level - 6, class_="end quiet"),
        stretched(
            height,
            tag(
                "path",
                d=path((ACROSS * places[each][0], places[each][1]) for each in chosen),
                class_="line",
            ),
        ),
        _actual(document, actual, x, y, logarithmic, height, digits),
    )
    data = {
        "digits": digits,
        "before": round(before, digits),
        "rank": [each["rank"] for each in ranks],
        "rating": [round(each["rating"], digits) for each in ranks],
        "actual": actual,
        "tied": document.get("rating"),
        "low": x.low,
        "high": x.high,
        "bottom": y.low,
        "top": y.high,
        "logarithmic": logarithmic,
        "height": height,
    }
    note = "Across: the final rank, the best on the left. Up: the rating after the contest."
    return figure(
        "what-if", picture(height, _summary(document, actual, digits), drawn), note=note, data=data
    )


def _rank_scale(first: int, last: int, logarithmic: bool) -> Scale:
    if logarithmic:
        return around([math.log(first), math.log(last)], margin=0.03, least=0.5)
    return around([float(first), float(last)], margin=0.03, least=1.0)


def _across(rank: float, x: Scale, logarithmic: bool) -> float:
    return x(math.log(rank) if logarithmic else rank)


def _rank_ticks(x: Scale, logarithmic: bool) -> list[tuple[float, str]]:
    """Shares of the width, and ranks."""
    if not logarithmic:
        whole = {1.0, *(value for value, _ in number_ticks(x, 6) if value == int(value) >= 1)}
        return [(x(value), f"{value:,.0f}") for value in sorted(whole) if x.holds(value)]
    last = math.exp(x.high)
    steps = (1, 10) if last > 3000 else (1, 3, 10) if last > 300 else (1, 2, 5, 10)
    found = {each * 10**power for power in range(9) for each in steps}
    return [(x(math.log(rank)), f"{rank:,}") for rank in sorted(found) if x.holds(math.log(rank))]


def _actual(
    document: Mapping[str, Any],
    actual: int | None,
    x: Scale,
    y: Scale,
    logarithmic: bool,
    height: float,
    digits: int,
) -> Markup:
    if actual is None:
        return Markup("")
    rating = document.get("rating")
    if rating is None:
        rating = rating_at(document["ranks"], actual)
    share, down = _across(actual, x, logarithmic), height * (1 - y(rating))
    anchor = "end" if share > 0.7 else "start"
    said = f"rank {actual:,}: {number(rating, digits)}"
    return tag(
        "g",
        tag("line", x1=at(share), x2=at(share), y1=down, y2=height),
        tag("circle", cx=at(share), cy=down, r=5),
        tag(
            "text", said, x=at(share), dx=8 if anchor == "start" else -8, y=down - 8, class_=anchor
        ),
        class_="actual",
    )


def rating_at(ranks: list[Mapping[str, Any]], rank: int) -> float:
    """The rating of a rank, or between those of its neighbours."""
    below = max((each for each in ranks if each["rank"] <= rank), key=_rank, default=ranks[0])
    above = min((each for each in ranks if each["rank"] >= rank), key=_rank, default=ranks[-1])
    if above["rank"] == below["rank"]:
        return float(below["rating"])
    share = (rank - below["rank"]) / (above["rank"] - below["rank"])
    return float(below["rating"] + share * (above["rating"] - below["rating"]))


def _rank(each: Mapping[str, Any]) -> int:
    return int(each["rank"])


def _summary(document: Mapping[str, Any], actual: int | None, digits: int) -> str:
    before, ranks = document["rating_before"], document["ranks"]
    said = [
        f"rank {each['rank']:,} gives {step(before, each['rating'], digits)}"
        for each in (ranks[0], ranks[-1])[: len(ranks)]
    ]
    if actual is not None:
        rating = document.get("rating")
        rating = rating_at(ranks, actual) if rating is None else rating
        said.append(f"the actual rank {actual:,} gave {step(before, rating, digits)}")
    return f"The rating by final rank: {'; '.join(said)}."
