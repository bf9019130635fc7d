"""Contests in pieces, in order of time, that are gone through once for every system."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from podium.errors import InputError, PodiumError
from podium.ratings.fold import TeamsInPieces, refuse_unsuitable, refuse_what_is_not_contests
from podium.results.contests import Contests
from podium.results.tables import natural
from podium.systems.base import System


class Pieces:
    """Contests, or several of them one after the other, as often as they are asked for.

    Example:
        >>> import podium
        >>> contests = podium.simulate(players=9, rounds=6, seed=1)
        >>> [len(part) for name, part in Pieces([contests[:2], contests[2:]]).by_ladder()]
        [2, 4]
    """

    def __init__(self, given: Contests | Iterable[Contests]) -> None:
        if isinstance(given, Iterator):
            raise InputError(
                "contests are gone through several times, so pieces are needed as podium.scan or "
                "a list has them, not an iterator."
            )
        if not isinstance(given, Contests) and not isinstance(given, Iterable):
            refuse_what_is_not_contests(given)
        self._given = given

    def by_ladder(self) -> Iterator[tuple[str, Contests]]:
        """What every piece has of every ladder, under an empty name if it has none."""
        for piece in (self._given,) if isinstance(self._given, Contests) else self._given:
            if not isinstance(piece, Contests):
                refuse_what_is_not_contests(self._given)
            yield from (piece.by_ladder() if piece.ladders else {"": piece}).items()


@dataclass
class _Ladder:
    """What is known of a ladder before it is rated."""

    contests: int = 0
    teams: dict[str, TeamsInPieces] = field(default_factory=dict)
    refused: dict[str, PodiumError] = field(default_factory=dict)
    """By system, what it does not take."""

    def add(self, contests: Contests, systems: Mapping[str, System]) -> None:
        self.contests += len(contests)
        for label, system in systems.items():
            try:
                self.teams.setdefault(label, TeamsInPieces()).add(contests, system)
                refuse_unsuitable(contests, system)
            except PodiumError as error:
                self.refused.setdefault(label, error)

    def refuse(self, label: str, system: System) -> None:
        self.teams[label].refuse(system)
        if label in self.refused:
            raise self.refused[label]


class Survey:
    """What has to be known of all pieces before the first is rated."""

    def __init__(self, pieces: Pieces, systems: Mapping[str, System]) -> None:
        self._systems = systems
        found: dict[str, _Ladder] = {}
        self.rows = 0
        for name, part in pieces.by_ladder():
            found.setdefault(name, _Ladder()).add(part, systems)
            self.rows += part.rows
        if not found:
            raise InputError("there are no results: there is no piece of contests.")
        self._ladders = {name: found[name] for name in sorted(found, key=natural)}
        self.contests = {name: ladder.contests for name, ladder in self._ladders.items()}
        """How many every ladder has."""

    def refuse(self, label: str) -> None:
        """Raise if there is something that this system does not take."""
        for ladder in self._ladders.values():
            ladder.refuse(label, self._systems[label])
