"""The chances of those who meet."""

from collections.abc import Mapping
from typing import Any

from podium.markup import Markup, element
from podium.web.charts.lettering import cut, isolated, percent
from podium.web.charts.svg import at, figure, picture, tag

_ROW = 40
_MOST = 50
_NAME = 130.0
"""Pixels for a name on the narrowest screen."""


def places(chances: Mapping[str, Any], *, most: int = _MOST) -> Markup:
    """A row for each player, with the chance of the first place and of one among the best.

    Args:
        chances: The document of chances.
        most: How many players are drawn; the likeliest winners.

    Example:
        >>> import podium
        >>> from podium.ratings.chances import Chances
        >>> ladder = podium.Ladder("elo-mmr")
        >>> ladder.record(["ann", "bob", "cat"])
        >>> drawn = places(Chances.of(ladder, ["ann", "cat"], top=1).document())
        >>> "ann: 88 % to be first" in drawn
        True
    """
    players, top = chances["players"], chances["top"]
    if not players:
        return element("p", "There is nobody to draw.", class_="chart-empty")
    shown = players[:most]
    has_top = 1 < top < len(players)  # otherwise it says nothing that the first place does not
    rows = (_row(each, index, top if has_top else None) for index, each in enumerate(shown))
    keys = [("key-first", "first place")]
    if has_top:
        keys.append(("key-top", f"among the best {top:,}"))
    note = (
        "" if len(shown) == len(players) else f"{len(players) - len(shown):,} more are not drawn."
    )
    first = "; ".join(_said(each, top if has_top else None) for each in shown[:3])
    said = f"Chances of {len(players):,}, the likeliest winner first. {first}."
    return figure("places", picture(_ROW * len(shown), said, *rows), keys=keys, note=note)


def _said(each: Mapping[str, Any], top: int | None) -> str:
    among = "" if top is None else f", {percent(each['top'])} to be among the best {top:,}"
    return (
        f"{isolated(each['player'])}: {percent(each['first'])} to be first{among}, "
        f"expected rank {each['expected_rank']:.1f}"
    )


def _row(each: Mapping[str, Any], index: int, top: int | None) -> Markup:
    above = index * _ROW
    numbers = percent(each["first"])
    if top is not None:
        numbers += f" · {percent(each['top'])}"
    bar = {"y": above + 22, "height": 10, "rx": 2}
    parts = [
        tag("title", _said(each, top)),
        tag("rect", x=0, width="100%", class_="ruler", **bar),
        tag("text", cut(each["player"], _NAME, 13), x=0, y=above + 15, class_="start name"),
        tag(
            "text",
            f"{numbers} · rank {each['expected_rank']:.1f}",
            x="100%",
            y=above + 15,
            class_="end quiet",
        ),
    ]
    if top is not None:
        parts.append(tag("rect", x=0, width=at(min(each["top"], 1.0)), class_="top", **bar))
    parts.append(tag("rect", x=0, width=at(min(each["first"], 1.0)), class_="first", **bar))
    return tag("g", *parts, class_="mark")
