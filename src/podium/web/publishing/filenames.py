"""Names of files for names of strangers: safe on every file system, and never two the same."""

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?")
_LONGEST = 60
_READABLE = 30
_DIGITS = 20
_NUMBERED = {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
_DEVICES = {"aux", "con", "nul", "prn"} | _NUMBERED
"""What Windows takes for a device, whatever the ending."""


def file_name(name: str) -> str:
    """What the file about somebody or something is called, without its ending.

    A plain name is its own: of small letters, digits, `_` and `-` only, so that it stays one of its
    kind where capitals do not count. Any other becomes what can be read of it and a digest, parted
    by a sign that plain names do not have.

    Example:
        >>> file_name("tourist"), file_name("Ann Lee")
        ('tourist', 'ann-lee~a36e143c5359c53edf7b')
    """
    if len(name) <= _LONGEST and _PLAIN.fullmatch(name) and name not in _DEVICES:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    readable = re.sub("[^a-z0-9]+", "-", name[:200].lower())[:_READABLE].strip("-")
    return f"{readable}~{digest}"
