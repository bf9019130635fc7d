"""Words that messages and tables share."""

import difflib
from collections.abc import Iterable

NOTHING = "–"
"""What stands for a number that there is not."""


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names in quotes, those beyond `most` left out.

    Example:
        >>> listed(["ann", "bob", "cat"], most=2)
        "'ann', 'bob', …"
    """
    quoted = [repr(name) for name in names]
    return ", ".join(quoted[:most]) + (", …" if len(quoted) > most else "")


def counted(number: int, what: str) -> str:
    """A number of things.

    Example:
        >>> counted(1, "contest"), counted(1200, "row")
        ('1 contest', '1,200 rows')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def stated(what: str) -> str:
    """What a change says of itself, with a capital and a full stop.

    Example:
        >>> stated("recorded 3 contests")
        'Recorded 3 contests.'
    """
    return f"{what[:1].upper()}{what[1:]}."


def nearest(word: object, known: Iterable[str]) -> str | None:
    """The known word that is nearest, in capitals or not, if one is near.

    Example:
        >>> nearest("TPO", ["out", "set", "top"])
        'top'
    """
    spelling = {name.lower(): name for name in known}
    meant = str(word).lower()
    close = difflib.get_close_matches(meant, spelling, n=3, cutoff=0.51)
    close.sort(key=lambda name: sorted(name) != sorted(meant))  # swapped letters come first
    return spelling[close[0]] if close else None


def suggestion(word: object, known: Iterable[str]) -> str:
    """' (did you mean …?)' for the nearest known word, or nothing."""
    meant = nearest(word, known)
    return "" if meant is None else f" (did you mean {meant!r}?)"


def decimals(level: float) -> int:
    """How many digits behind the point ratings about this level need: none for 1500, two for 25."""
    return 0 if abs(level) >= 200.0 else 2


def change_of(before: float, after: float, digits: int) -> float:
    """The change of a rating: the difference of what is shown before and after, so that it adds up.

    Example:
        >>> change_of(1499.6, 1531.2, digits=0)
        31.0
    """
    return round(round(after, digits) - round(before, digits), digits)


def step(before: float | None, after: float | None, digits: int) -> tuple[str, str, str]:
    """A rating before and after, and its change.

    Example:
        >>> step(1499.6, 1531.2, 0), step(None, 25.0, 2)
        (('1500', '1531', '+31'), ('–', '25.00', ''))
    """
    shown = [NOTHING if each is None else f"{each:.{digits}f}" for each in (before, after)]
    if before is None or after is None:
        return shown[0], shown[1], ""
    change = change_of(before, after, digits)
    return shown[0], shown[1], f"{change:+.{digits}f}" if change else "0"
