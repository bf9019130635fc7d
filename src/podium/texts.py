"""Texts of strangers: when two names are the same, how long one may be, how one is shown."""

import unicodedata
from collections.abc import Container, Iterable

LONGEST = 1000
"""Characters that a name or a reason may have."""
SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Unicode calls white space; Python's `str.strip` takes four separators more."""
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_LINES = (0x2028, 0x2029)
_SHOWN = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*_CONTROLS, *_DIRECTIONS, *_LINES)
}


def normalised(name: str) -> str:
    r"""The name as names are compared: composed (NFC), and without spaces at its ends.

    Example:
        >>> normalised(" Zoe\u0308 ") == "Zoë"
        True
    """
    if not name.isascii():
        name = unicodedata.normalize("NFC", name)
    return name.strip(SPACES)


def spelled(name: str, known: Container[str]) -> str:
    """The name as it stands among those known: as given, or else normalised, if it is a text.

    Example:
        >>> spelled(" ann", {"ann", "bob"}), spelled(" cat ", [" cat "])
        ('ann', ' cat ')
    """
    return normalised(name) if isinstance(name, str) and name not in known else name


def too_long(what: str, text: str) -> str:
    """The sentence about a text that has more characters than it may have."""
    return f"{what} has {len(text):,} characters; it may have {LONGEST:,}: '{text[:20]}…'."


def also_written(name: str, given: Iterable[str]) -> str:
    r"""How a normalised name stands in what was given, for a sentence, if otherwise.

    Example:
        >>> print("ann", "stands twice" + also_written("ann", ["ann", "bob", " ann"]))
        ann stands twice, also written ' ann'
    """
    others = dict.fromkeys(each for each in given if each != name and normalised(each) == name)
    return f", also written {' and '.join(map(ascii, others))}" if others else ""


def visible(text: str) -> str:
    r"""The text with everything written out that would control a terminal or end a line.

    Example:
        >>> print(visible("\x1b[2Jann"))
        \x1b[2Jann
    """
    return text.translate(_SHOWN)
