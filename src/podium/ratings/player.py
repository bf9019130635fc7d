"""A player, the same from a `Ladder`, from `Rated` and from a league."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from podium.documents import as_document
from podium.markup import table
from podium.wording import counted, decimals


@dataclass(frozen=True, slots=True)
class Player:
    """What is believed of a player.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo")
        >>> ladder.record(["ann", "bob"], time="2026-05-01")
        >>> ladder["ann"].rating, ladder["ann"].contests
        (1516.0, 1)
        >>> ladder["ann"].document()["last_time"]
        '2026-05-01T00:00:00Z'
    """

    name: str
    rating: float
    """The number to show; it may be lower than `mu` while little is known."""
    mu: float
    sigma: float
    """NaN if the system knows no uncertainty."""
    contests: int
    last_time: datetime.datetime | None
    """When the last contest took place, in UTC; None before the first, or if none had a time."""
    place: int | None = None
    """The place on the leaderboard, where it was asked for; equal ratings share one."""
    title: str | None = None
    """The title that the rules of a league give."""
    forecast: float | None = None
    """What is expected in a next contest, among the usual players; None if the system expects
    players where it rates them."""
    spread: float | None = None
    """How far the next performance may be from the forecast: one standard deviation."""
    provisional: bool = False
    """Whether the rules of a league call the rating provisional."""
    guest: bool = False
    """Whether it is a guest of a league, whose next results are not rated."""
    id: int | None = field(default=None, compare=False)
    """The number that a league knows the player by, whatever they are called."""
    display: str | None = field(default=None, compare=False)
    """What the player is shown as in a league, if that is not the name."""
    attributes: Mapping[str, str | float | None] | None = field(default=None, compare=False)
    """The public attributes of a league, each with the player's value or None."""

    @property
    def besides(self) -> dict[str, float | None]:
        """What tables of ratings have besides: forecast and spread, or nothing."""
        if self.forecast is None:
            return {}
        return {"forecast": self.forecast, "spread": self.spread}

    @property
    def described(self) -> dict[str, Any]:
        """What a league knows of the player besides: id, display and attributes, or nothing."""
        if self.id is None:
            return {}
        return {"id": self.id, "display": self.display, "attributes": dict(self.attributes or {})}

    def __repr__(self) -> str:
        digits = decimals(self.mu)
        belief = f" ({self.mu:.{digits}f} ± {self.sigma:.{digits}f})" if self.sigma > 0.0 else ""
        expected = None
        if self.forecast is not None:
            expected = f"expected at {self.forecast:.{digits}f} ± {self.spread:.{digits}f}"
        said = (self.title, None if self.place is None else f"place {self.place:,}", expected)
        rest = "".join(f", {each}" for each in said if each is not None)
        contests = counted(self.contests, "contest")
        return f"<Player {self.name!r}: {self.rating:.{digits}f}{belief} after {contests}{rest}>"

    def _repr_html_(self) -> str:
        import polars as pl

        known = {key: each for key, each in self.document().items() if each is not None}
        known |= {
            key: each for key, each in known.pop("attributes", {}).items() if each is not None
        }
        return table(self, pl.DataFrame([known]), digits=decimals(self.mu))

    def document(self) -> dict[str, Any]:
        """As JSON says it: `player`, and the other fields under their names.

        Those of a forecast only where there is one, and those of a league only in one.
        """
        left_out = ("forecast", "spread", "id", "display", "attributes")
        values = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in left_out
        }
        return as_document(
            {"player": values.pop("name"), **values, **self.besides, **self.described}
        )
