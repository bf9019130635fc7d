"""Rules of display: titles and the like, as options say them and as people read them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podium.errors import InputError

if TYPE_CHECKING:
    from podium.league import Rules

_FORM = "write titles as 1200=Pupil,1400=Specialist"


def rules_from(
    rules: "Rules",
    titles: str | None,
    hidden_until: int | None,
    display: str | None,
    caution: float | None,
) -> "Rules":
    """The rules with what is said changed."""
    said: dict[str, Any] = {
        "titles": None if titles is None else titles_from(titles),
        "hidden_until": hidden_until,
        "display": display,
        "caution": caution,
    }
    return replace(rules, **{key: value for key, value in said.items() if value is not None})


def titles_from(text: str) -> tuple[tuple[float, str], ...]:
    """Titles, by the rating from which they are held, the lowest first.

    Example:
        >>> titles_from("1400=Specialist, 1200=Pupil")
        ((1200.0, 'Pupil'), (1400.0, 'Specialist'))
    """
    found: dict[float, str] = {}
    for part in text.split(",") if text.strip() else ():
        rating, equals, title = (each.strip() for each in part.partition("="))
        if not equals or not title:
            raise InputError(f"--titles: {part.strip()!r} is no title; {_FORM}.")
        threshold = _number(rating)
        if threshold in found:
            raise InputError(f"--titles: two titles begin at {rating}; {_FORM}.")
        found[threshold] = title
    return tuple(sorted(found.items()))


def _number(text: str) -> float:
    import math

    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number) or number == math.inf:
        raise InputError(f"--titles: {text!r} is not a rating; {_FORM}.")
    return number


def titles_text(titles: tuple[tuple[float, str], ...]) -> str:
    """What `titles_from` reads.

    Example:
        >>> titles_text(((1200.0, "Pupil"), (1400.0, "Specialist")))
        '1200=Pupil,1400=Specialist'
    """
    return ",".join(f"{rating:.15g}={title}" for rating, title in titles)
