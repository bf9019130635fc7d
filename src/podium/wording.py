"""Words that messages and tables share."""

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
