"""The colours of charts and titles, for pictures that bring their own style.

`static/charts.css` has the same for pages; a test compares them.
"""

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
