"""From the rating before to the rating after, and how far it could have gone."""

from collections.abc import Mapping
from typing import Any

from podium.markup import Markup, joined
from podium.web.charts.axes import around, number_ticks
from podium.web.charts.lettering import number, signed, step, width
from podium.web.charts.svg import at, figure, grid, picture, tag
from podium.wording import change_of

_HEIGHT = 200
_RULER = 84
_NARROWEST = 280.0
_PARTS = (("skill", "by_skill"), ("certainty", "by_certainty"), ("experience", "by_experience"))


def change(document: Mapping[str, Any], *, digits: int = 0, height: int = _HEIGHT) -> Markup:
    """The rating before, what skill, certainty and experience added or took, and the rating after.

    Args:
        document: That of an explanation.
        digits: How many there are behind the point of a rating.
        height: Of the picture, in pixels.
    """
    found = document["change"]
    before, after = found["rating_before"], found["rating"]
    parts = [(name, found[key]) for name, key in _PARTS if _signed(found[key], digits) != "0"]
    levels = [before]
    for _, part in parts:
        levels.append(levels[-1] + part)
    y = around([*levels, after], margin=0.22, least=10.0**-digits * 4)
    wide = 1 / (len(parts) + 2)

    def down(value: float) -> float:
        return height * (1 - y(value))

    drawn: list[str] = [grid(number_ticks(y, 4), y, height)]
    for index, level in enumerate(levels):
        edges = {"x1": at((index + 0.8) * wide), "x2": at((index + 1.2) * wide)}
        drawn.append(tag("line", y1=down(level), y2=down(level), class_="leader", **edges))
    drawn.append(_end(before, 0, wide, down(before), digits, "before"))
    for index, (_, part) in enumerate(parts):
        drawn.append(
            _part(part, index + 1, wide, down(levels[index]), down(levels[index + 1]), digits)
        )
    drawn.append(_end(after, len(parts) + 1, wide, down(after), digits, "after"))
    names = ["before", *(name for name, _ in parts), "after"]
    feet = (
        tag("text", name, x=at((index + 0.5) * wide), y=height + 18)
        for index, name in enumerate(names)
    )
    drawn.append(tag("g", tag("line", x2="100%", y1=height, y2=height), *feet, class_="foot"))
    listed = ", ".join(f"{name} {_signed(part, digits)}" for name, part in parts)
    said = f"The rating {step(before, after, digits)}" + (f": {listed}." if listed else ".")
    return figure("change", picture(height, said, *drawn))


def _signed(part: float, digits: int) -> str:
    """A part of the change, finer where it is small."""
    return signed(part, digits if abs(part) >= 9.5 else max(digits, 1))


def _end(level: float, index: int, wide: float, down: float, digits: int, name: str) -> Markup:
    """The rating itself: a thick line and its number."""
    left, right = at((index + 0.1) * wide), at((index + 0.9) * wide)
    said = tag("title", f"{name}: {number(level, digits)}")
    return joined(
        tag("line", said, x1=left, x2=right, y1=down, y2=down, class_="mark level"),
        tag("text", number(level, digits), x=at((index + 0.5) * wide), y=down - 8, class_="value"),
    )


def _part(part: float, index: int, wide: float, begin: float, end: float, digits: int) -> Markup:
    """A bar from one level to the next."""
    top, tall = min(begin, end), max(abs(end - begin), 2.0)
    kind = "up" if part > 0 else "down"
    number_at = top - 6 if part > 0 else top + tall + 14
    return joined(
        tag(
            "rect",
            tag("title", _signed(part, digits)),
            x=at((index + 0.2) * wide),
            width=at(0.6 * wide),
            y=top,
            height=tall,
            class_=f"mark {kind}",
        ),
        tag(
            "text",
            _signed(part, digits),
            x=at((index + 0.5) * wide),
            y=number_at,
            class_=f"value {kind}",
        ),
    )


def limits(document: Mapping[str, Any], *, digits: int = 0) -> Markup:
    """The skill before and after on a ruler of all that one result could do; nothing without one.

    Args:
        document: That of an explanation.
        digits: How many there are behind the point of a rating.
    """
    lowest, highest = document["limits"].get("lowest"), document["limits"].get("highest")
    before, after = document["change"]["mu_before"], document["change"]["mu"]
    if not isinstance(lowest, float) or not isinstance(highest, float) or lowest >= highest:
        return Markup("")
    x = around([lowest, highest, before, after], margin=0.0, least=10.0**-digits)
    level = 42.0
    left, right = sorted((x(before), x(after)))
    kind = "up" if after > before else "down"
    drawn = joined(
        tag("rect", x=0, width="100%", y=level - 5, height=10, rx=5, class_="ruler"),
        tag(
            "rect",
            x=at(left),
            width=at(max(right - left, 0.002)),
            y=level - 5,
            height=10,
            class_=f"mark {kind}",
        ),
        tag("circle", cx=at(x(before)), cy=level, r=5, class_="was"),
        tag("circle", cx=at(x(after)), cy=level, r=6, class_=f"is {kind}"),
        *_two_names(x(before), x(after), before, after, digits),
        tag("text", _limit(lowest, before, digits), x=0, y=level + 28, class_="start quiet"),
        tag("text", _limit(highest, before, digits), x="100%", y=level + 28, class_="end quiet"),
    )
    said = (
        f"The skill {step(before, after, digits)}; one result could have made it anything from "
        f"{_limit(lowest, before, digits)} to {_limit(highest, before, digits)}."
    )
    return figure("limits", picture(_RULER, said, drawn))


def _limit(value: float, before: float, digits: int) -> str:
    return f"{number(value, digits)} ({signed(change_of(before, value, digits), digits)})"


def _two_names(
    before_at: float, after_at: float, before: float, after: float, digits: int
) -> list[Markup]:
    """The numbers before and after, side by side: each on its own side of the other."""
    texts = [f"before {number(before, digits)}", f"after {number(after, digits)}"]
    order = [(before_at, texts[0], "quiet"), (after_at, texts[1], "value")]
    order.sort(key=lambda each: each[0])
    (left, left_text, left_kind), (right, right_text, right_kind) = order
    # On the narrowest screen a text must not reach beyond the ruler.
    left = max(left, min((width(left_text) + 2) / _NARROWEST, 0.49))
    right = min(right, max(1 - (width(right_text) + 2) / _NARROWEST, 0.51))
    return [
        tag("text", left_text, x=at(left), dx=-4, y=24, class_=f"end {left_kind}"),
        tag("text", right_text, x=at(max(right, left)), dx=4, y=24, class_=f"start {right_kind}"),
    ]
