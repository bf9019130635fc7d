"""A rating's course, as small as a word."""

import math
from collections.abc import Sequence

from podium.markup import Markup
from podium.texts import visible
from podium.web.charts.svg import path, short, tag

_WIDTH, _HEIGHT, _MARGIN = 100.0, 24.0, 3.0


def sparkline(values: Sequence[float | None], label: str) -> Markup:
    """A small curve with its last point marked; nothing of no values.

    Args:
        values: In order; what is no number is left out.
        label: What it shows, for those who do not see it.

    Example:
        >>> '<path d="M3 21l47-18 47 9"/>' in sparkline([1.0, 3.0, 2.0], "from 1 to 2")
        True
    """
    known = [each for each in values if each is not None and math.isfinite(each)]
    if not known:
        return Markup("")
    low, high = min(known), max(known)
    spread = high - low
    step = (_WIDTH - 2 * _MARGIN) / max(len(known) - 1, 1)
    begin = _MARGIN if len(known) > 1 else _WIDTH - _MARGIN
    places = [
        (begin + index * step, _down((each - low) / spread if spread else 0.5))
        for index, each in enumerate(known)
    ]
    x, y = places[-1]
    return tag(
        "svg",
        tag("path", d=path(places)),
        tag("circle", cx=x, cy=y, r=2),
        class_="sparkline",
        viewBox=f"0 0 {short(_WIDTH)} {short(_HEIGHT)}",
        role="img",
        aria_label=visible(label),
    )


def _down(share: float) -> float:
    return _HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN)
