"""How a league shows its ratings: which number, to whom it is shown, and the titles it earns."""

import dataclasses
import itertools
import json
import math
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.documents import as_document
from podium.errors import InputError
from podium.systems.base import System
from podium.wording import suggestion

DISPLAYS = ("system", "mean", "conservative")
COLOURS = (
    "grey",
    "olive",
    "green",
    "teal",
    "cyan",
    "blue",
    "violet",
    "pink",
    "orange",
    "red",
)
"""What titles can be coloured by name; any other colour is given as ``#1e90ff``."""
_HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
_TITLES = "titles must be pairs such as (1200, 'pupil'), or with a colour (1200, 'pupil', 'green')"
_FLAGS = ("keep_titles", "hide_provisional")


@dataclasses.dataclass(frozen=True)
class Rules:
    """How ratings are shown.

    Args:
        display: ``system``, the rating that the system shows; ``mean``, mu alone; or
            ``conservative``, mu less `caution` times sigma, or mu where there is no sigma.
        caution: How many sigmas are taken off.
        hidden_until: Players with fewer contests are not on the leaderboard.
        titles: Pairs of the lowest rating and the title it earns; a third element is its colour.
        colours: The colours of titles, by their names: ``green`` and what else is in `COLOURS`, or
            ``#1e90ff``. Titles without one are coloured by their place among all.
        keep_titles: Whether a title that was reached is kept, or else goes with the rating.
        provisional_until: Ratings are provisional until a player has so many contests.
        provisional_sigma: Ratings are provisional until sigma is below; 0 for no such rule.
        hide_provisional: Players are not on the leaderboard as long as they are provisional.

    Whose rating is provisional earns no title by it.

    Example:
        >>> rules = Rules(titles=[(1200, "pupil"), (1600, "expert", "#1e90ff")])
        >>> rules.title(1350.0), rules.title(900.0)
        ('pupil', None)
        >>> rules.next_title(1350.0)
        (1600.0, 'expert')
        >>> rules.colour("expert"), rules.colour("pupil")
        ('#1e90ff', None)
    """

    display: str = "system"
    caution: float = 3.0
    hidden_until: int = 0
    titles: tuple[tuple[float, str], ...] = ()
    colours: tuple[tuple[str, str], ...] = ()
    keep_titles: bool = False
    provisional_until: int = 0
    provisional_sigma: float = 0.0
    hide_provisional: bool = False

    def __post_init__(self) -> None:
        if self.display not in DISPLAYS:
            raise InputError(
                f"display must be {' or '.join(DISPLAYS)}, "
                f"not {self.display!r}{suggestion(self.display, DISPLAYS)}."
            )
        if not is_number(self.caution) or not 0.0 <= self.caution <= 100.0:
            raise InputError(f"caution must be a number from 0 to 100, not {self.caution!r}.")
        for what in ("hidden_until", "provisional_until"):
            count = getattr(self, what)
            whole = isinstance(count, numbers.Integral) and not isinstance(count, bool)
            if not whole or count < 0:
                raise InputError(f"{what} must be a whole number of at least 0, not {count!r}.")
        if not is_number(self.provisional_sigma) or self.provisional_sigma < 0.0:
            raise InputError(
                f"provisional_sigma must be a number of at least 0, not {self.provisional_sigma!r}."
            )
        for what in _FLAGS:
            if not isinstance(getattr(self, what), bool):
                raise InputError(f"{what} must be True or False, not {getattr(self, what)!r}.")
        object.__setattr__(self, "provisional_sigma", float(self.provisional_sigma))
        titles, given = _checked_titles(self.titles)
        colours = _checked_colours({**_as_mapping(self.colours), **given}, titles)
        object.__setattr__(self, "titles", titles)
        object.__setattr__(self, "colours", colours)

    def shown(
        self,
        system: System,
        mu: NDArray[np.float64],
        sigma: NDArray[np.float64],
        contests: NDArray[Any],
    ) -> NDArray[np.float64]:
        """The ratings to show for these beliefs."""
        if self.display == "system":
            return np.asarray(system.rating(mu, sigma, contests))
        if self.display == "mean":
            return mu
        return np.asarray(mu - self.caution * np.nan_to_num(sigma))

    def shown_of(self, system: System, table: NDArray[Any]) -> NDArray[np.float64]:
        """The ratings to show for records of beliefs."""
        return self.shown(system, *(table[each].copy() for each in ("mu", "sigma", "contests")))

    def check(self, system: System) -> None:
        """Raise if a system has nothing to show by them."""
        if self.display == "conservative" and math.isnan(system.newcomer().get("sigma", 0.0)):
            raise InputError(
                f"{system.name} knows no uncertainty, so ratings cannot be shown conservatively."
            )
        if self.provisional_sigma > 0.0 and math.isnan(system.newcomer().get("sigma", 0.0)):
            raise InputError(
                f"{system.name} knows no uncertainty, so ratings cannot be provisional until it is "
                f"below {self.provisional_sigma:g}; say until how many contests."
            )

    @property
    def gives_provisional(self) -> bool:
        """Whether any rating can be provisional."""
        return self.provisional_until > 0 or self.provisional_sigma > 0.0

    def provisional(self, contests: NDArray[Any], sigma: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether ratings after so many contests, with these uncertainties, are provisional.

        Example:
            >>> rules = Rules(provisional_until=3, provisional_sigma=100.0)
            >>> rules.provisional(np.array([2, 3, 3]), np.array([90.0, 90.0, 100.0])).tolist()
            [True, False, True]
        """
        found = np.asarray(contests) < self.provisional_until
        if self.provisional_sigma > 0.0:
            found = found | (np.asarray(sigma) >= self.provisional_sigma)
        return np.asarray(found, np.bool_)

    def is_provisional(self, contests: int, sigma: float) -> bool:
        """The same of one."""
        return bool(self.provisional(np.array([contests]), np.array([sigma]))[0])

    def on_board(self, contests: int, sigma: float) -> bool:
        """Whether somebody who has played so often, with this uncertainty, is not hidden."""
        hides = self.hide_provisional and self.is_provisional(contests, sigma)
        return contests >= self.hidden_until and not hides

    def colour(self, title: str | None) -> str | None:
        """The colour of a title; None if it has none of its own."""
        return next((colour for name, colour in self.colours if name == title), None)

    def title(self, rating: float) -> str | None:
        """What a rating earns."""
        earned = [title for lowest, title in self.titles if rating >= lowest]
        return earned[-1] if earned else None

    def next_title(self, rating: float) -> tuple[float, str] | None:
        """The next title, and the rating that it needs."""
        return next((each for each in self.titles if each[0] > rating), None)

    def next_goal(self, rating: float) -> float:
        """The rating of the next title or, if there is none, the next round number.

        Example:
            >>> Rules(titles=[(1600, "expert")]).next_goal(1550.0), Rules().next_goal(1550.0)
            (1600.0, 1600.0)
            >>> Rules().next_goal(27.3), Rules().next_goal(1600.0)
            (28.0, 1700.0)
        """
        title = self.next_title(rating)
        if title is not None:
            return title[0]
        step = 100.0 if abs(rating) >= 200.0 else 1.0
        return step * (math.floor(rating / step) + 1.0)

    def document(self) -> dict[str, Any]:
        """As JSON says them; see docs/documents.md."""
        return as_document({**dataclasses.asdict(self), "colours": dict(self.colours)})

    def text(self) -> str:
        """As it is kept."""
        return json.dumps(self.document())

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What `text` wrote."""
        return cls(**json.loads(text))


def check_rules(rules: object) -> None:
    """Raise if they are none."""
    if not isinstance(rules, Rules):
        raise InputError(f"podium.Rules are needed, not {rules!r}.")


def as_colour(text: object) -> str:
    """A colour as it is kept; raise if it is none.

    Example:
        >>> as_colour("Green"), as_colour("#1E90FF"), as_colour("#abc")
        ('green', '#1e90ff', '#aabbcc')
    """
    colour = text.strip().lower() if isinstance(text, str) else ""
    if _HEX.fullmatch(colour):
        return colour if len(colour) == 7 else "#" + "".join(2 * each for each in colour[1:])
    if colour == "gray":
        return "grey"
    if colour not in COLOURS:
        raise InputError(
            f"{text!r} is no colour{suggestion(colour, COLOURS)}; it can be {', '.join(COLOURS)}, "
            f"or any other as #1e90ff."
        )
    return colour


def _checked_titles(titles: Any) -> tuple[tuple[tuple[float, str], ...], dict[str, str]]:
    """Titles, the lowest first, and the colours that were given with them."""
    if isinstance(titles, str) or not isinstance(titles, Iterable):
        raise InputError(f"{_TITLES}, not {titles!r}.")
    pairs, colours = [], dict[str, str]()
    for each in titles:
        lowest, name, *colour = each if isinstance(each, tuple | list) and len(each) > 1 else (0, 0)
        if not is_number(lowest) or not isinstance(name, str) or not name or len(colour) > 1:
            raise InputError(f"{_TITLES}, not {each!r}.")
        pairs.append((float(lowest), name))
        if colour and colours.setdefault(name, colour[0]) != colour[0]:
            raise InputError(f"the title {name!r} cannot have two colours.")
    pairs.sort()
    for (lowest, title), (other, _) in itertools.pairwise(pairs):
        if lowest == other:
            raise InputError(f"two titles begin at {lowest:g}, {title!r} being one of them.")
    return tuple(pairs), colours


def _as_mapping(colours: Any) -> dict[Any, Any]:
    try:
        return dict(colours.items() if isinstance(colours, Mapping) else colours)
    except (TypeError, ValueError):
        raise InputError(
            f"colours must be those of titles, such as {{'pupil': 'green'}}, not {colours!r}."
        ) from None


def _checked_colours(
    colours: Mapping[Any, Any], titles: Iterable[tuple[float, str]]
) -> tuple[tuple[str, str], ...]:
    """The colours of titles, in the order of these."""
    names = list(dict.fromkeys(name for _, name in titles))
    for name in colours:
        if name not in names:
            raise InputError(f"colours name {name!r}{suggestion(name, names)}, which is no title.")
    return tuple((name, as_colour(colours[name])) for name in names if name in colours)


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
