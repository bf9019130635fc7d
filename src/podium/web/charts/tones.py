"""The colours of charts and titles, for pictures that bring their own style.

`static/charts.css` has the same for pages; a test compares them. Titles may have any other colour:
that is made darker or lighter until it can be read, and stands in a style sheet of the league.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from podium.league.rules import COLOURS

Titles = Sequence[tuple[float, str] | tuple[float, str, str]]
"""The lowest rating and the title it earns, as in the rules of a league, the lowest first; a third
element is the class of its colour."""

TONES = 10
"""How many colours titles can have."""

LIGHT = {
    "ground": "#ffffff",
    "ink": "#1d2430",
    "quiet": "#5a6370",
    "grid": "#e3e6ea",
    "line": "#1f5fc0",
    "tone-0": "#626973",
    "tone-1": "#55720f",
    "tone-2": "#1a7a3c",
    "tone-3": "#0c756c",
    "tone-4": "#0a6f92",
    "tone-5": "#2459c9",
    "tone-6": "#6d44c9",
    "tone-7": "#9d2f95",
    "tone-8": "#a34f06",
    "tone-9": "#c01f2e",
}
"""On white."""

DARK = {
    "ground": "#14171c",
    "ink": "#e6e9ee",
    "quiet": "#a0a9b5",
    "grid": "#2b313a",
    "line": "#7fb0ff",
    "tone-0": "#a3abb6",
    "tone-1": "#a9c662",
    "tone-2": "#63c583",
    "tone-3": "#45c1b3",
    "tone-4": "#55b9e0",
    "tone-5": "#84abff",
    "tone-6": "#b29dff",
    "tone-7": "#e391d9",
    "tone-8": "#f0a55a",
    "tone-9": "#ff8787",
}
"""On almost black."""


def tone(index: int, count: int) -> str:
    """The class of a title's colour, from grey for the lowest to red for the highest.

    Args:
        index: Which title, from 0 for the lowest.
        count: How many titles there are.

    Example:
        >>> [tone(index, 4) for index in range(4)], tone(0, 1)
        (['tone-0', 'tone-3', 'tone-6', 'tone-9'], 'tone-5')
    """
    if count <= 1:
        return "tone-5"
    place = min(max(index, 0), count - 1)
    return f"tone-{round(place * (TONES - 1) / (count - 1))}"


def toned(titles: Titles) -> list[tuple[float, str, str]]:
    """Titles, each with the class of its colour.

    Example:
        >>> toned([(1200.0, "pupil"), (1600.0, "expert", "tone-3")])
        [(1200.0, 'pupil', 'tone-0'), (1600.0, 'expert', 'tone-3')]
    """
    return [
        (lowest, title, colour[0] if colour else tone(index, len(titles)))
        for index, (lowest, title, *colour) in enumerate(titles)
    ]


def tone_for(colour: str) -> str:
    """The class of a colour that rules give to a title.

    Example:
        >>> tone_for("teal"), tone_for("#03a89e")
        ('tone-3', 'tone-03a89e')
    """
    if colour in COLOURS:
        return f"tone-{COLOURS.index(colour)}"
    return f"tone-{colour.removeprefix('#')}"


def style_sheet(tones: Iterable[str]) -> str:
    """What pages need to show classes that `charts.css` does not know.

    Example:
        >>> style_sheet(["tone-3", "tone-03a89e"]).rstrip()
        '.tone-03a89e { --tone: light-dark(#027770, #03a89e); }'
    """
    lines = [
        f".{each} {{ --tone: light-dark({shade(each, LIGHT)}, {shade(each, DARK)}); }}\n"
        for each in dict.fromkeys(tones)
        if each and each not in LIGHT
    ]
    return "".join(lines)


def shade(tone: str, palette: dict[str, str]) -> str:
    """The colour of a class on the ground of a palette, `LIGHT` or `DARK`."""
    if tone in palette:
        return palette[tone]
    return _shaded(f"#{tone.removeprefix('tone-')}", palette is DARK)


@cache
def _shaded(colour: str, is_dark: bool) -> str:
    """A colour with as much black, or on dark grounds white, as it needs to be read."""
    grounds, end = (_DARK_GROUNDS, "#ffffff") if is_dark else (_LIGHT_GROUNDS, "#000000")
    for step in range(256):
        found = _mixed(end, colour, step / 255.0)
        bands = (_mixed(found, ground, _BAND) for ground in grounds)
        if all(_contrast(found, each) >= _READABLE for each in (*grounds, *bands)):
            return found
    return end


_LIGHT_GROUNDS = ("#ffffff", "#f6f7f9")
_DARK_GROUNDS = ("#14171c", "#1c2027")
"""What titles stand on."""
_BAND = 0.08
"""How much of its colour the band of a title has, on which its name stands."""
_READABLE = 4.5
"""The contrast that text has to have, by the guidelines for accessible content (WCAG)."""


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _mixed(one: str, other: str, share: float) -> str:
    pairs = zip(_parts(one), _parts(other), strict=True)
    return "#" + "".join(f"{round(share * a + (1.0 - share) * b):02x}" for a, b in pairs)


def _contrast(one: str, other: str) -> float:
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = (part / 255.0 for part in _parts(colour))
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
