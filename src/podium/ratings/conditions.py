"""Conditions on what is known of players: ``country=NO``, ``birth_year>=2005``."""

from dataclasses import dataclass
from typing import Self

from podium.errors import InputError
from podium.texts import LONGEST, normalised, too_long

SIGNS = ("!=", "<=", ">=", "=", "<", ">")
"""Those of two characters come first: they are looked for in this order."""


@dataclass(frozen=True)
class Condition:
    """What an attribute of players has to be.

    Example:
        >>> Condition.parse("birth_year >= 2005")
        Condition(attribute='birth_year', sign='>=', value='2005')
        >>> print(Condition.parse("club!=Blue & White"))
        club!=Blue & White
    """

    attribute: str
    sign: str
    value: str

    @classmethod
    def parse(cls, text: object) -> Self:
        """What a text says; raise if it is no condition."""
        if not isinstance(text, str):
            raise InputError(f"a condition is a text such as country=NO, not {text!r}.")
        if len(text) > LONGEST:
            raise InputError(too_long("a condition", text))
        places = [place for sign in "!=<>" if (place := text.find(sign)) >= 0]
        name = text[: min(places)] if places else ""
        rest = text[len(name) :]
        sign = next((each for each in SIGNS if rest.startswith(each)), "")
        value = normalised(rest[len(sign) :])
        if not name.strip() or not sign or not value:
            raise InputError(
                f"{text!r} is no condition; country=NO, country!=NO and birth_year>=2005 are some."
            )
        for part in (name, value):
            _refuse_odd(part)
        return cls(as_word(name), sign, value)

    def __str__(self) -> str:
        return f"{self.attribute}{self.sign}{self.value}"


def _refuse_odd(text: str) -> None:
    if "\0" in text:
        raise InputError("a condition holds the character 0, which no name has.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("a condition holds half a character, a surrogate.") from None


def as_word(name: str) -> str:
    """The name of an attribute as it is compared: small letters, and underscores for gaps.

    Example:
        >>> as_word("Birth year"), as_word(" club ")
        ('birth_year', 'club')
    """
    return "_".join(normalised(name).lower().replace("-", " ").split())
