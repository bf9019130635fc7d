"""How a league shows its ratings: which number, to whom it is shown, and the titles it earns."""

import dataclasses
import itertools
import json
import math
import numbers
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.documents import as_document
from podium.errors import InputError
from podium.systems.base import System
from podium.wording import suggestion

DISPLAYS = ("system", "mean", "conservative")


@dataclasses.dataclass(frozen=True)
class Rules:
    """How ratings are shown.

    Args:
        display: ``system``, the rating that the system shows; ``mean``, mu alone; or
            ``conservative``, mu less `caution` times sigma, or mu where there is no sigma.
        caution: How many sigmas are taken off.
        hidden_until: Players with fewer contests are not on the leaderboard.
        titles: Pairs of the lowest rating and the title it earns.

    Example:
        >>> rules = Rules(titles=[(1200, "pupil"), (1600, "expert")])
        >>> rules.title(1350.0), rules.title(900.0)
        ('pupil', None)
        >>> rules.next_title(1350.0)
        (1600.0, 'expert')
    """

    display: str = "system"
    caution: float = 3.0
    hidden_until: int = 0
    titles: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        if self.display not in DISPLAYS:
            raise InputError(
                f"display must be {' or '.join(DISPLAYS)}, "
                f"not {self.display!r}{suggestion(self.display, DISPLAYS)}."
            )
        if not is_number(self.caution) or not 0.0 <= self.caution <= 100.0:
            raise InputError(f"caution must be a number from 0 to 100, not {self.caution!r}.")
        whole = isinstance(self.hidden_until, numbers.Integral)
        if not whole or isinstance(self.hidden_until, bool) or self.hidden_until < 0:
            raise InputError(
                f"hidden_until must be a whole number of at least 0, not {self.hidden_until!r}."
            )
        object.__setattr__(self, "titles", _checked_titles(self.titles))

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
        return as_document(dataclasses.asdict(self))

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


def _checked_titles(titles: Any) -> tuple[tuple[float, str], ...]:
    if isinstance(titles, str) or not isinstance(titles, Iterable):
        raise InputError(f"titles must be pairs such as (1200, 'pupil'), not {titles!r}.")
    pairs = []
    for each in titles:
        pair = tuple(each) if isinstance(each, tuple | list) else ()
        if len(pair) != 2 or not is_number(pair[0]) or not isinstance(pair[1], str) or not pair[1]:
            raise InputError(f"titles must be pairs such as (1200, 'pupil'), not {each!r}.")
        pairs.append((float(pair[0]), pair[1]))
    pairs.sort()
    for (lowest, title), (other, _) in itertools.pairwise(pairs):
        if lowest == other:
            raise InputError(f"two titles begin at {lowest:g}, {title!r} being one of them.")
    return tuple(pairs)


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
