"""Who pulled a performance up or down, or against whom it was a surprise."""

import bisect
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.markup import Markup, element, joined
from podium.web.charts.axes import Scale, around, number_ticks
from podium.web.charts.lettering import cut, isolated, number, percent, signed, width
from podium.web.charts.svg import at, figure, foot, grid, picture, shortened, tag

_HEIGHT = 260
_MOST = 400
_SCREENS = (280.0, 900.0)
"""Pixels between the axes on a narrow and on a wide screen."""
_SIZE = 12.0
_ASIDE = (0.0, -14.0, 14.0, -28.0, 28.0, -42.0, 42.0)
_OFFSETS: tuple[tuple[float, float, str], ...] = (
    *((each, below, side) for below in _ASIDE for each, side in ((-9.0, "end"), (9.0, "start"))),
    *((0.0, below, "") for below in (-14.0, 14.0, -28.0, 28.0)),
)
"""How far from its point a name may stand, across and below, and how it is set."""

Box = tuple[float, float, float, float]
"""Left, right, top and bottom, in pixels."""


def pulls(
    document: Mapping[str, Any],
    opponents: Sequence[Mapping[str, Any]],
    *,
    digits: int = 0,
    height: int = _HEIGHT,
) -> Markup:
    """Opponents by their skill, and how far each moved the result; the strongest are named.

    Args:
        document: That of an explanation.
        opponents: Rows of its table of opponents, with player, rank, skill, score, expected,
            surprise and pull. Of very many, some are drawn.
        digits: How many there are behind the point of a rating.
        height: Of the part between the axes, in pixels.
    """
    measure = document["performance"]["measure"]
    known = [each for each in opponents if _is_number(each["skill"]) and _is_number(each[measure])]
    if not known:
        return element("p", "There are no opponents to draw.", class_="chart-empty")
    shown = _thinned(known, measure)
    x = around([each["skill"] for each in shown], margin=0.04, least=10.0 ** (1 - digits))
    values = [0.0, *(each[measure] for each in shown)]
    y = around(values, margin=0.12, least=1e-6)
    places = [(x(each["skill"]), height * (1 - y(each[measure]))) for each in shown]
    marks = (
        tag(
            "circle",
            tag("title", _said(each, measure, digits)),
            cx=at(share),
            cy=down,
            r=4,
            class_="mark up" if each[measure] > 0 else "mark down" if each[measure] < 0 else "mark",
        )
        for each, (share, down) in zip(shown, places, strict=True)
    )
    zero = height * (1 - y(0.0))
    drawn = joined(
        grid(_ticks(y, measure), y, height),
        foot(number_ticks(x, 6), x, height),
        tag("line", x2="100%", y1=zero, y2=zero, class_="zero"),
        *marks,
        *_names(document, shown, places, height),
    )
    keys, note = _legend(measure, len(shown), len(opponents))
    return figure(
        "pulls", picture(height, _summary(document, measure), drawn), keys=keys, note=note
    )


def _is_number(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _thinned(known: list[Mapping[str, Any]], measure: str) -> list[Mapping[str, Any]]:
    """The strongest, and of the others evenly by skill; in the order of skill."""
    ordered = sorted(known, key=lambda each: (each["skill"], each["rank"], each["player"]))
    strongest = sorted(range(len(ordered)), key=lambda each: -abs(ordered[each][measure]))
    chosen = shortened(range(len(ordered)), 3 * _MOST // 4, strongest[: _MOST // 4])
    return [ordered[each] for each in chosen]


def _ticks(y: Scale, measure: str) -> list[tuple[float, str]]:
    ticks = number_ticks(y, 5)
    if measure == "surprise":
        return [(value, f"{signed(100 * value, 0)} %") for value, _ in ticks]
    return [(value, "+" * (value > 0) + said) for value, said in ticks]


def _said(each: Mapping[str, Any], measure: str, digits: int) -> str:
    said = (
        f"{isolated(each['player'])}: rank {each['rank']:,}, "
        f"skill {number(each['skill'], digits)}, "
        f"score {each['score']:g}, expected {percent(each['expected'])}"
    )
    if measure == "pull":
        said += f", pulls by {signed(each['pull'], max(1, digits))}"
    return said


def _legend(measure: str, shown: int, count: int) -> tuple[list[tuple[str, str]], str]:
    keys = [("key-up", "pulled it up"), ("key-down", "pulled it down")]
    note = "Across: their skill. Up: by how many points each pulled the performance."
    if measure == "surprise":
        keys = [("key-up", "better than expected"), ("key-down", "worse than expected")]
        note = "Across: their skill. Up: the score against each, less what was expected."
    if shown < count:
        note += f" Drawn are {shown:,} of {count:,}, those who moved most among them."
    return keys, note


def _summary(document: Mapping[str, Any], measure: str) -> str:
    performance = document["performance"]
    sides = []
    for side, what in (("up", "up"), ("down", "down")):
        few = [isolated(each["player"]) for each in performance[side]["few"]]
        others = performance[side]["others"]
        if few:
            sides.append(f"{what}: {', '.join(few)}" + (f" and {others:,} others" * bool(others)))
    what = "Opponents by skill and pull" if measure == "pull" else "Opponents by skill and surprise"
    return f"{what}. {'; '.join(sides).capitalize()}."


def _names(
    document: Mapping[str, Any],
    shown: list[Mapping[str, Any]],
    places: list[tuple[float, float]],
    height: float,
) -> Iterable[Markup]:
    """The names of the strongest, beside their points."""
    performance = document["performance"]
    wanted = [each["player"] for side in ("up", "down") for each in performance[side]["few"]]
    found = {each["player"]: place for each, place in zip(shown, places, strict=True)}
    room = _Room(places, height)
    for player in wanted:
        if player not in found:
            continue
        share, down = found[player]
        said = cut(player, 120, _SIZE)
        chosen = room.take(share, down, width(said, _SIZE))
        if chosen is not None:
            across, below, anchor = chosen
            line = tag("path", d=f"M0 0L{across * 0.7:.1f} {below}", class_="leader")
            text = tag("text", said, x=across, y=below + 4, class_=f"name {anchor}".strip())
            yield tag(
                "svg", line if abs(below) > 14 else "", text, x=at(share), y=down, class_="tag"
            )


class _Room:
    """Where names can stand: apart from each other on any screen, and on few points."""

    def __init__(self, places: list[tuple[float, float]], height: float) -> None:
        self.height = height
        self.points = sorted((down, share) for share, down in places)
        self.taken: list[list[Box]] = [[] for _ in _SCREENS]

    def take(self, share: float, down: float, wide: float) -> tuple[float, float, str] | None:
        """The best place for a name of a point: how far across and below, and how it is set."""
        best: tuple[int, list[Box], tuple[float, float, str]] | None = None
        for across, below, anchor in _OFFSETS:
            left = across - {"start": 0.0, "": wide / 2, "end": wide}[anchor]
            top = down + below - 7
            boxes = [
                (share * screen + left, share * screen + left + wide, top, top + 14)
                for screen in _SCREENS
            ]
            if self._is_free(boxes):
                covered = sum(map(self._covered, boxes, _SCREENS))
                if best is None or covered < best[0]:
                    best = covered, boxes, (across, below, anchor)
        if best is None:
            return None
        for taken, box in zip(self.taken, best[1], strict=True):
            taken.append(box)
        return best[2]

    def _is_free(self, boxes: list[Box]) -> bool:
        return all(
            box[0] >= -4
            and box[1] <= screen + 4
            and box[2] >= -6
            and box[3] <= self.height
            and not any(_overlap(box, other) for other in taken)
            for box, screen, taken in zip(boxes, _SCREENS, self.taken, strict=True)
        )

    def _covered(self, box: Box, screen: float) -> int:
        begin = bisect.bisect_left(self.points, (box[2] - 2, -math.inf))
        end = bisect.bisect_right(self.points, (box[3] + 2, math.inf))
        return sum(box[0] - 2 < share * screen < box[1] + 2 for _, share in self.points[begin:end])


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
