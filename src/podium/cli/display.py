"""Rules of display: titles and the like, as options say them and as people read them."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from podium.cli.groups import Group, option
from podium.errors import InputError

if TYPE_CHECKING:
    from podium.league import Rules

_FORM = "write titles as 1200=Pupil,1400=Specialist"
_ONE = "write a title as 1200=Pupil or 1200=Pupil:green"
Said = tuple[float, str, str | None]
"""A title with the lowest rating and, if one is said, the colour; an empty text for none."""


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
    title: Annotated[
        list[str] | None,
        option(
            "RATING=TITLE[:COLOUR]",
            "A title, with a colour: grey, olive, green, teal, cyan, blue, violet, pink, orange, "
            "red, or any other as #1e90ff. Repeated for each title, in place of --titles.",
        ),
    ] = None
    keep_titles: Annotated[
        bool | None,
        typer.Option(
            "--keep-titles/--no-keep-titles",
            help="Whether titles are kept once they are reached, or go with the rating.",
        ),
    ] = None
    provisional_until: Annotated[
        int | None,
        option("N", "Call ratings provisional until N contests; 0 for none.", min=0),
    ] = None
    provisional_sigma: Annotated[
        float | None,
        option("S", "Call ratings provisional until sigma is below S; 0 for none.", min=0.0),
    ] = None
    hide_provisional: Annotated[
        bool | None,
        typer.Option(
            "--hide-provisional/--show-provisional",
            help="Whether those with provisional ratings are left off the leaderboard.",
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
        if said.pop("title") and self.titles is not None:
            raise InputError("--titles and --title say the same; give one of them.")
        if self.title or self.titles is not None:
            given = [_one(each) for each in self.title or ()] or _titles(self.titles or "")
            said |= _coloured(given, dict(rules.colours))
        wanted = replace(rules, **{key: value for key, value in said.items() if value is not None})
        if self.caution is not None and wanted.display != "conservative":
            raise InputError(
                f"--caution is for --display conservative, but the rating shown is "
                f"{wanted.display!r}; say both."
            )
        return wanted


def _coloured(given: Iterable[Said], before: Mapping[str, str]) -> dict[str, object]:
    """Titles and their colours, as rules take them; those that keep their name keep their colour.

    Example:
        >>> _coloured([(1200.0, "Pupil", None), (1600.0, "Expert", "red")], {"Pupil": "green"})
        {'titles': ((1200.0, 'Pupil'), (1600.0, 'Expert')), 'colours': {'Pupil': 'green', \
'Expert': 'red'}}
    """
    colours = {name: before.get(name) if colour is None else colour for _, name, colour in given}
    return {
        "titles": tuple((lowest, name) for lowest, name, _ in given),
        "colours": {name: colour for name, colour in colours.items() if colour},
    }


def _one(text: str) -> Said:
    """What ``--title`` says: what follows the last colon is a colour."""
    from podium.league.rules import as_colour

    rating, title = _parted(text, "--title", _ONE)
    name, colon, colour = (each.strip() for each in title.rpartition(":"))
    if not colon:
        return _number(rating, "--title", _ONE), title, None
    if not name:
        raise InputError(f"--title: {text.strip()!r} is no title; {_ONE}.")
    return _number(rating, "--title", _ONE), name, as_colour(colour) if colour else ""


def titles_from(text: str) -> tuple[tuple[float, str], ...]:
    """Titles, by the rating from which they are held, the lowest first.

    Example:
        >>> titles_from("1400=Specialist:blue, 1200=Pupil")
        ((1200.0, 'Pupil'), (1400.0, 'Specialist'))
    """
    return tuple((lowest, name) for lowest, name, _ in _titles(text))


def _titles(text: str) -> list[Said]:
    """What ``--titles`` says: what follows a colon is a colour only if it is one."""
    from podium.league.rules import as_colour

    found: dict[float, Said] = {}
    for part in text.split(",") if text.strip() else ():
        rating, title = _parted(part, "--titles", _FORM)
        threshold = _number(rating, "--titles", _FORM)
        if threshold in found:
            raise InputError(f"--titles: two titles begin at {rating}; {_FORM}.")
        name, _, colour = (each.strip() for each in title.rpartition(":"))
        found[threshold] = threshold, title, None
        if name:
            try:
                found[threshold] = threshold, name, as_colour(colour)
            except InputError:
                continue  # it is a part of the title
    return sorted(found.values(), key=lambda each: each[0])


def _parted(text: str, option: str, form: str) -> tuple[str, str]:
    rating, equals, title = (each.strip() for each in text.partition("="))
    if not equals or not title:
        raise InputError(f"{option}: {text.strip()!r} is no title; {form}.")
    return rating, title


def _number(text: str, option: str, form: str) -> float:
    import math

    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isnan(number) or number == math.inf:
        raise InputError(f"{option}: {text!r} is not a rating; {form}.")
    return number


def titles_text(
    titles: tuple[tuple[float, str], ...], colours: Mapping[str, str] | None = None
) -> str:
    """What `titles_from` reads, with the colours.

    Example:
        >>> titles_text(((1200.0, "Pupil"), (1400.0, "Specialist")), {"Pupil": "green"})
        '1200=Pupil:green,1400=Specialist'
    """
    ends = {name: f":{colour}" for name, colour in (colours or {}).items()}
    return ",".join(f"{rating:.15g}={title}{ends.get(title, '')}" for rating, title in titles)
