"""Words that messages and tables share."""

import difflib
from collections.abc import Iterable


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


def suggestion(word: object, known: Iterable[str]) -> str:
    """' (did you mean …?)' for the nearest known word, in capitals or not, or nothing."""
    spelling = {name.lower(): name for name in known}
    meant = str(word).lower()
    close = difflib.get_close_matches(meant, spelling, n=3, cutoff=0.5)
    close.sort(key=lambda name: sorted(name) != sorted(meant))  # swapped letters come first
    return f" (did you mean {spelling[close[0]]!r}?)" if close else ""
