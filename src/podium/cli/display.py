"""Rules of display: titles and the like, as options say them and as people read them."""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from podium.cli.groups import Group, option
from podium.errors import InputError

if TYPE_CHECKING:
    from podium.league import Rules

_FORM = "write titles as 1200=Pupil,1400=Specialist"


@dataclass(frozen=True, slots=True)
class Display(Group):
    """How ratings are shown, as far as it is said."""

    panel: ClassVar[str] = "How ratings are shown"

    titles: Annotated[
        str | None,
        option(
            "RATING=TITLE,…",
            "Titles by the rating from which they are held, e.g. 1200=Pupil,1400=Specialist; "
            "an empty text for none.",
        ),
    ] = None
    hidden_until: Annotated[
        int | None,
        option("N", "Leave players off the leaderboard until they have N contests.", min=0),
    ] = None
    display: Annotated[
        str | None,
        option(
            "NAME",
            "Which number is shown as the rating: that of the system, the mean, or a "
            "conservative one, the mean less so many sigmas; say system, mean or conservative.",
        ),
    ] = None
    caution: Annotated[
        float | None, option("K", "How many sigmas a conservative rating is below the mean.")
    ] = None

    def over(self, rules: "Rules") -> "Rules":
        """The rules with what is said changed."""
        said = asdict(self)
        if self.titles is not None:
            said["titles"] = titles_from(self.titles)
        wanted = replace(rules, **{key: value for key, value in said.items() if value is not None})
        if self.caution is not None and wanted.display != "conservative":
            raise InputError(
                f"--caution is for --display conservative, but the rating shown is "
                f"{wanted.display!r}; say both."
            )
        return wanted


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
