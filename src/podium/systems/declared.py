"""Parameters that several systems have, declared once; systems choose defaults and searches."""

from typing import Any

from podium.errors import InputError
from podium.systems.base import Numbers, System, parameter
from podium.systems.search import OneOf, Search, by_factors

MEAN_OR_SUM = (
    "what a contest of more than two counts: mean, as one game; sum, as a game of every pair"
)


def mu_new(default: float = 1500.0, search: Search | None = None) -> Any:
    """Where newcomers start."""
    return parameter(default, "the rating of a newcomer", low=-1e6, high=1e6, search=search)


def positive(default: float, meaning: str, search: Search | None = None) -> Any:
    """A scale in rating points."""
    return parameter(default, meaning, low=1e-3, high=1e6, search=search)


def beta(meaning: str) -> Any:
    """How performances scatter, where ratings start at 25."""
    return positive(25.0 / 6.0, meaning, by_factors(1.0, 50.0, 2.0, 4.0, 8.0, 16.0))


def tau(meaning: str) -> Any:
    """How skills move from contest to contest, where ratings start at 25."""
    search = by_factors(0.01, 3.0, 0.04, 0.08, 0.2, 0.5)
    return parameter(25.0 / 300.0, meaning, low=0.0, high=1e6, search=search)


def sigma_new(
    default: float = 350.0,
    meaning: str = "the uncertainty of a newcomer",
    high: float = 1e6,
    search: Search | None = None,
) -> Any:
    """How little is known of newcomers."""
    return parameter(default, meaning, low=1e-3, high=high, search=search)


def drift_per_day(
    search: Search | None = None,
    meaning: str = "variance that skill gains per day between contests",
) -> Any:
    """How uncertainty grows with time."""
    return parameter(0.0, meaning, low=0.0, high=1e6, search=search)


def moments(system: System) -> tuple[str, ...]:
    """The columns of records that count where skills are believed by mean and deviation only."""
    drifts: bool = getattr(system, "drift_per_day", 0.0) > 0.0
    return ("mu", "sigma", "contests", *(("last_time",) if drifts else ()))


def caution(default: float, over: str = "sigma", high: float = 1e6) -> Any:
    """What is taken off the rating shown."""
    return parameter(default, f"the rating shown is mu - caution * {over}", low=0.0, high=high)


class Cautious:
    """Systems that show a rating which a player exceeds almost certainly."""

    caution: float

    def rating(self, mu: Numbers, sigma: Numbers, contests: Any) -> Numbers:
        """The mean, less what `caution` takes off while little is known."""
        return mu - self.caution * sigma


def sig_limit(default: float, search: Search) -> Any:
    """How much is never known."""
    meaning = "the uncertainty that remains after many contests, in rating points"
    return positive(default, meaning, search)


def history() -> Any:
    """How much is remembered."""
    meaning = "keep at most this many past performances as separate factors; "
    return parameter(None, f"{meaning}by default, all that matter", kind=int, low=1)


def contest(meaning: str = MEAN_OR_SUM, choices: tuple[str, ...] = ("mean", "sum")) -> Any:
    """What many opponents at once count."""
    return parameter("mean", meaning, choices=choices)


def variant(meaning: str) -> Any:
    """Whose version."""
    choices = ("site", "papers")
    return parameter("site", meaning, choices=choices, search=OneOf(choices))


def period_days(what: str) -> Any:
    """How long beliefs stay as they are."""
    meaning = f"the length of a rating period in days, counted from 1970; 0: every {what} is one"
    return parameter(0.0, meaning, low=0.0, high=1e6)


def refuse_short_periods(system: System, days: float) -> None:
    """Raise if rating periods of so many days are no time at all."""
    if 0.0 < days < 1e-6:
        raise InputError(
            f"{system.name}: period_days must be 0 or at least 0.000001, not {days!r}."
        )


def side_advantage(worth: str, most: float, search: Search) -> Any:
    """What home or white is worth."""
    meaning = f"what the side (home, white) {worth}"
    return parameter(0.0, meaning, low=-most, high=most, search=search)
