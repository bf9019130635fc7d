"""Texts of strangers: when two names are the same, how long one may be, how one is shown.

Also sentences that hold such texts, and what is never shown: passwords.
"""

import re
import unicodedata
from collections.abc import Container, Iterable
from urllib.parse import unquote

LONGEST = 1000
"""Characters that a name or a reason may have."""
SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Unicode calls white space; Python's `str.strip` takes four separators more."""
_SENTENCE = 600
"""Characters that a sentence may have: a few lines."""
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x2070))
_LINES = (0x2028, 0x2029)
SHOWN = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*_CONTROLS, *_DIRECTIONS, *_LINES)
}
"""What `visible` writes out, and how."""
_IN_JSON = {code: f"\\u{code:04x}" for code in (*SHOWN, *range(0xD800, 0xE000)) if code >= 0x7F}
_USER = re.compile(r"(?i:(?<=://)[^:/]*:(?=\S)|postgres[\w+]*://[^:/]*:)(?!\*{3}@)")
"""The user of an address, behind whom the password begins; or the host, and then the port."""
_PORT = re.compile(r"\d+(?=[/?#.,:;'\")\]]|$)")
_MALFORMED = re.compile(r"(?<![^\s'\"(=])((?:[A-Za-z][\w+.-]*:/?)?[^\s:/@'\"]+:)(?!/)\S+@")
"""An address that lacks its scheme, or slashes."""
_HALF = re.compile(
    r"(?i)(postgres[\w+]*:/*[^\s:/@]*:)(?!\d*(?:[/?#\s:,.;'\")]|$)|\*{3})\S*[^\s:,.;'\")]"
)
"""An address that ends with a password, because its host is missing."""
_SETTING = re.compile(r"(?<![\w%+.-])([\w%+.-]+)(\s?=\s?)('(?:[^'\\]|\\+[^\\])*'|[^\s&'\"]*)")
_SECRETS = ("pass", "pwd", "secret", "token")


def normalised(name: str) -> str:
    r"""The name as names are compared: composed (NFC), and without spaces at its ends.

    Example:
        >>> normalised(" Zoe\u0308 ") == "Zoë"
        True
    """
    if not name.isascii():
        name = unicodedata.normalize("NFC", name)
    return name.strip(SPACES)


def folded(text: str) -> str:
    """A text as it is looked for: in small letters, without accents.

    Example:
        >>> folded("Ünï LEE"), folded("Straße"), folded("Yıldız")
        ('uni lee', 'strasse', 'yildiz')
    """
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold().replace("ı", "i"))
    return "".join(each for each in parts if not unicodedata.combining(each))


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
    return text if text.isprintable() else text.translate(SHOWN)


def visible_json(text: str) -> str:
    """JSON that reads back the same, with everything escaped that `visible` writes out."""
    return text if text.isascii() else text.translate(_IN_JSON)


def sentence(text: str) -> str:
    r"""What is said to people, in a few lines at most: visible, and without passwords.

    Example:
        >>> sentence("no player 'x'\nis there")
        "no player 'x' is there"
    """
    if len(text) > 10 * _SENTENCE:
        text = f"{text[: 5 * _SENTENCE]} … {text[-5 * _SENTENCE :]}"
    said = visible(without_passwords(" ".join(text.splitlines())))
    if len(said) <= _SENTENCE:
        return said
    return f"{said[: 2 * _SENTENCE // 3]} … {said[3 - _SENTENCE // 3 :]}"


def without_passwords(text: str) -> str:
    """The same with stars for the passwords of all addresses in it, however they are written.

    Example:
        >>> without_passwords("postgresql://ann:secret@host/league: no answer.")
        'postgresql://ann:***@host/league: no answer.'
        >>> without_passwords("host=db user=ann password='my secret'")
        'host=db user=ann password=***'
    """
    if "@" in text:
        begin = 0
        while found := _USER.search(text, begin):
            begin = found.end()
            end = text.rfind("@", begin)
            port = _PORT.match(text, begin) and "@" not in text[begin:].split(maxsplit=1)[0]
            if end >= 0 and (not port or found[0][:8].lower() == "postgres"):
                text = f"{text[:begin]}***{text[end:]}"
        text = _MALFORMED.sub(r"\1***@", text)
    text = _HALF.sub(_without_host, text)
    return _SETTING.sub(_hidden, text) if "=" in text else text


def _without_host(address: re.Match[str]) -> str:
    return address[0] if "@" in address[0] else f"{address[1]}***"


def _hidden(setting: re.Match[str]) -> str:
    key = unquote(setting[1]).lower()
    secret = setting[3].strip("*:") and any(each in key for each in _SECRETS)
    return f"{setting[1]}{setting[2]}***" if secret else setting[0]
