"""Words that messages and tables share."""


def counted(number: int, what: str) -> str:
    """A number of things.

    Example:
        >>> counted(1, "contest"), counted(1200, "row")
        ('1 contest', '1,200 rows')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"
