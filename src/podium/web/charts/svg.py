"""Elements of pictures that fit any width without a script, and the figures around them.

Across, positions are shares of the width (percent); down, they are pixels. Curves, which know no
percent, stand in an inner picture of 1,000 units that is stretched, while its strokes are not.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from podium.markup import Markup, element, joined
from podium.web.charts.axes import Scale

ACROSS = 1000
"""Units of the inner picture."""


def tag(name: str, *content: str, **attributes: str | float | None) -> Markup:
    """An element, in few characters; numbers are rounded to a tenth, attributes of None left out.

    Example:
        >>> print(tag("circle", cx="5%", cy=12.04, r=3, class_="point"))
        <circle cx="5%" cy="12" r="3" class="point"/>
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not content:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{joined(*content)}</{name}>")


def _value(value: str | float) -> str:
    return joined(value) if isinstance(value, str) else short(value)


def short(value: float) -> str:
    """A number rounded to a tenth, without zeros that say nothing.

    Example:
        >>> short(12.04), short(-0.01), short(3.25)
        ('12', '0', '3.2')
    """
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 1e5 else f"{value:.0f}"


def at(share: float) -> str:
    """A share of the width.

    Example:
        >>> at(0.12345), at(0.5)
        ('12.35%', '50%')
    """
    return f"{round(100 * share, 2) + 0.0:g}%"


def path(points: Iterable[tuple[float, float]]) -> str:
    """Straight lines from point to point, in steps of a tenth.

    Example:
        >>> path([(0.0, 10.0), (12.04, 7.5), (20.0, 9.0)])
        'M0 10l12-2.5 8 1.5'
    """
    written: list[str] = []
    x, y = 0, 0
    for across, down in points:
        next_x, next_y = round(10 * across), round(10 * down)
        if not written:
            written.append(f"M{_tenths(next_x)} {_tenths(next_y)}")
        else:
            pair = f"{_tenths(next_x - x)} {_tenths(next_y - y)}".replace(" -", "-")
            written.append(("l" if len(written) == 1 else "" if pair[0] == "-" else " ") + pair)
        x, y = next_x, next_y
    return "".join(written)


def dots(points: Iterable[tuple[float, float]]) -> str:
    """A path that a stroke with round ends makes dots of.

    Example:
        >>> dots([(1.0, 2.0), (3.25, 4.0)])
        'M1 2h0M3.2 4h0'
    """
    return "".join(f"M{short(x)} {short(y)}h0" for x, y in points)


def _tenths(count: int) -> str:
    whole, rest = divmod(abs(count), 10)
    sign = "-" if count < 0 else ""
    return f"{sign}{whole or ('' if rest else 0)}{f'.{rest}' if rest else ''}"


def stretched(height: float, *content: str) -> Markup:
    """The inner picture; what reaches beyond it is not seen."""
    return tag(
        "svg",
        *content,
        class_="stretch",
        viewBox=f"0 0 {ACROSS} {short(height)}",
        preserveAspectRatio="none",
        width="100%",
        height=height,
    )


def picture(height: float, label: str, *content: str, role: str = "img") -> Markup:
    """A picture as wide as there is room, with what it says in words.

    Args:
        height: Of the part between the axes, in pixels.
        label: What it shows, for those who do not see it.
        content: Its elements.
        role: ``img``, or ``group`` if there are links in it.
    """
    return tag(
        "svg",
        *content,
        class_="chart-svg",
        width="100%",
        height=height,
        role=role,
        aria_label=label,
    )


def figure(
    kind: str,
    drawn: str,
    *,
    keys: Sequence[tuple[str, str]] = (),
    note: str = "",
    data: dict[str, Any] | None = None,
) -> Markup:
    """A picture with its legend, and with what the script needs to draw it again.

    Args:
        kind: What the script makes of it.
        drawn: The picture.
        keys: For the legend, pairs of a class and of what it means.
        note: A sentence behind them.
        data: For the script.
    """
    legend = [element("span", text, class_=f"key {name}") for name, text in keys]
    if note:
        legend.append(element("span", note, class_="chart-note"))
    parts = [element("div", drawn, class_="chart-plot")]
    if legend:
        parts.append(element("figcaption", *legend, class_="chart-legend"))
    if data is not None:
        parts.append(block(data))
    return element("figure", *parts, class_=f"chart chart-{kind}", data_chart=kind)


def block(data: dict[str, Any]) -> Markup:
    r"""Data in a page, which no browser runs, and in which nothing can end it.

    Example:
        >>> "</script><b>" in block({"player": "</script><b>"})
        False
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(f'<script type="application/json" class="chart-data">{text}</script>')


def grid(ticks: Sequence[tuple[float, str]], scale: Scale, height: float) -> Markup:
    """Lines across, with their numbers on the left."""
    return tag(
        "g",
        *(
            joined(
                tag("line", x2="100%", y1=y, y2=y),
                tag("text", label, x=-8, y=y + 4, class_="end"),
            )
            for y, label in ((height * (1 - scale(value)), label) for value, label in ticks)
        ),
        class_="grid",
    )


def foot(ticks: Sequence[tuple[float, str]], scale: Scale, height: float) -> Markup:
    """The axis below, with its numbers or dates.

    Labels near the right end are set so that they do not reach beyond it.
    """
    parts = [tag("line", x2="100%", y1=height, y2=height)]
    for value, label in ticks:
        share = scale(value)
        parts.append(tag("line", x1=at(share), x2=at(share), y1=height, y2=height + 4))
        parts.append(tag("text", label, x=at(share), y=height + 18, class_=side(share)))
    return tag("g", *parts, class_="foot")


def side(share: float) -> str | None:
    """Where a label at a share of the width has its room: the class for it."""
    return "end" if share > 0.95 else None


def shortened(points: Sequence[int], most: int, keep: Iterable[int]) -> list[int]:
    """At most about so many of them, evenly, with those to keep.

    Example:
        >>> shortened(range(100), 5, [42])
        [0, 25, 42, 50, 74, 99]
    """
    if len(points) <= most:
        return list(points)
    spacing = (len(points) - 1) / (most - 1)
    chosen = {points[round(each * spacing)] for each in range(most)}
    return sorted(chosen | set(keep))
