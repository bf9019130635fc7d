"""Random seasons for systems that compare pairs, and ways to play them."""

import numpy as np
from hypothesis import strategies as st

import podium
from podium.results.columns import Columns

DAY = 86_400
NAMES = [f"p{number}" for number in range(6)]


@st.composite
def seasons(draw: st.DrawFn, contests: int = 10, players: int = 6, largest: int = 6):
    """A few contests among a few players: (standings, day, weight), best first."""
    season = []
    day = draw(st.sampled_from([-400, 0, 17_000]))
    for _ in range(draw(st.integers(1, contests))):
        size = draw(st.sampled_from([1, 2, 2, 2, 3, largest]))
        rest = draw(st.permutations(NAMES[:players]))[: min(size, largest)]
        standings = []
        while rest:
            tied = draw(st.sampled_from([1, 1, 1, 2, 3]))
            group, rest = rest[:tied], rest[tied:]
            standings.append(group[0] if len(group) == 1 else tuple(group))
        day += draw(st.sampled_from([0, 0, 0.25, 1, 3, 10, 40, 400]))
        weight = draw(st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0]))
        season.append((standings, day, weight))
    return season


def play(season, system) -> podium.Ladder:
    """One contest after the other, as a ladder records them."""
    ladder = podium.Ladder(system)
    for standings, day, weight in season:
        ladder.record(standings, time=day * DAY, weight=weight)
    return ladder


def flattened(standings) -> tuple[list[str], list[int]]:
    """Names and ranks."""
    names, ranks = [], []
    for entry in standings:
        group = [entry] if isinstance(entry, str) else list(entry)
        ranks += [len(names) + 1] * len(group)
        names += group
    return names, ranks


def renamed(season, new):
    """The same season with other names."""

    def rename(entry):
        return new[entry] if isinstance(entry, str) else tuple(new[name] for name in entry)

    return [([rename(entry) for entry in standings], *rest) for standings, *rest in season]


def settled(system, players) -> podium.Ladder:
    """A ladder of players with given ratings: name to columns of the table."""
    ladder = podium.Ladder(system)
    ladder.beliefs.enrol(list(players))
    for number, columns in enumerate(players.values()):
        for column, value in columns.items():
            ladder.beliefs.table[column][number] = value
    return ladder


def season_columns(season) -> Columns:
    """Contests of any size among `NAMES`, whose ids are their positions."""
    rows = [flattened(standings) for standings, _, _ in season]
    return Columns(
        offsets=np.cumsum([0, *(len(names) for names, _ in rows)]),
        player=np.array([NAMES.index(name) for names, _ in rows for name in names], np.int32),
        rank=np.array([rank for _, ranks in rows for rank in ranks], np.int32),
        time=np.array([round(day * DAY) * 1_000_000 for _, day, _ in season], np.int64),
        weight=np.array([weight for *_, weight in season]),
        perf_ceiling=np.full(len(season), np.inf),
    )


def folded(system, columns, *, asked=False) -> bytes:
    """What is believed of `NAMES` after contests, with their events or without."""
    beliefs = podium.Beliefs(system)
    beliefs.enrol(NAMES)
    system.update_many(beliefs, columns, np.empty((5, len(columns.player))) if asked else None)
    return beliefs.table[: len(NAMES)].tobytes()


def columns_of(matches, *, side=None, margin=None, weight=None) -> Columns:
    """Matches of two ids, the first one winning unless the third entry says that they drew."""
    count = len(matches)
    ids = np.array([[a, b] for a, b, _ in matches], np.int32)
    ranks = np.array([[1, 1 if drawn else 2] for _, _, drawn in matches], np.int32)
    return Columns(
        offsets=np.arange(0, 2 * count + 1, 2),
        player=ids.ravel(),
        rank=ranks.ravel(),
        time=np.zeros(count, np.int64),
        weight=np.ones(count) if weight is None else np.array(weight, float),
        perf_ceiling=np.full(count, np.inf),
        side=None if side is None else np.array(side, np.int8).ravel(),
        margin=None if margin is None else np.array(margin, float),
    )
