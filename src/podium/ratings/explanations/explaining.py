"""From beliefs and a contest to an explanation."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from podium.errors import NotFoundError
from podium.progress import Progress
from podium.ratings.beliefs import Beliefs
from podium.ratings.explanations.averages import average
from podium.ratings.explanations.explanation import Change, Explanation
from podium.ratings.explanations.opponents import table_of_opponents
from podium.ratings.explanations.places import other_place
from podium.ratings.explanations.replay import Replay, replayed
from podium.ratings.fold import rate, refuse_ladders, refuse_what_is_not_contests
from podium.ratings.predictions import Shown
from podium.results.contests import Contests
from podium.systems.base import System
from podium.texts import spelled
from podium.wording import suggestion


def explain(
    beliefs: Beliefs,
    contest: Contests,
    player: str,
    *,
    earlier: Sequence[str] = (),
    shown: Shown | None = None,
    overall: tuple[int, int] | None = None,
    adjusted: str | None = None,
) -> Explanation:
    """Why a player's rating is what it is after a contest.

    Args:
        beliefs: Those of just before the contest, at least of all participants who are not
            newcomers. They are not changed.
        contest: Exactly one contest, e.g. ``contests[41:42]``.
        player: The player's name.
        earlier: What to call the performances that are remembered: the identifiers of all earlier
            contests in which the player had opponents, in order.
        shown: Which ratings to show; by default, those that the system shows.
        overall: The player's rank among how many players, if the contest had more than those who
            are rated by it.
        adjusted: What became of the rating since the contest before, in a sentence, if a season
            began with a reset, or a rating was given.

    Example:
        >>> import podium
        >>> season = podium.simulate(players=50, rounds=20, seed=1)
        >>> beliefs = podium.rate(season[:19]).beliefs
        >>> found = podium.explain(beliefs, season[19:], "player-0007")
        >>> found.rank, found.competitors
        (29, 50)
        >>> abs(found.opponents["pull"].sum() + found.own_pull) < 1e-6
        True
    """
    replay = replayed(beliefs, contest, player, shown)
    system, contested = replay.system, len(replay.heads) > 1
    performance, free, pulls = _known(replay.performance), None, None
    if performance is not None and performance >= replay.ceiling:
        free = _without_ceiling(replay)
    if contested and performance is not None:
        pulls = system.pulls(replay, performance if free is None else free)
    mean = system.mean(replay) if contested else None
    rank = int(replay.columns.rank[replay.row])
    return Explanation(
        player=replay.before.names[replay.player],
        contest=replay.contest.id,
        name=replay.contest.name,
        time=replay.contest.time,
        system=system,
        rank=rank,
        tied_with=int(np.count_nonzero(replay.ranks == rank)) - 1,
        competitors=len(replay.heads),
        overall=overall,
        team=_team(replay),
        contests_before=int(replay.before.table["contests"][replay.player]),
        forecast=system.foretold(replay),
        performance=performance,
        without_ceiling=free,
        own_pull=None if pulls is None else float(pulls[replay.own]),
        opponents=table_of_opponents(replay, pulls),
        average=None if mean is None else average(mean, earlier),
        change=_change(replay),
        limits=system.limits(replay) if contested else None,
        better=other_place(replay, -1),
        worse=other_place(replay, 1),
        adjusted=adjusted,
    )


def explain_result(
    contests: Contests,
    contest: str | int,
    player: str,
    system: str | System | None = None,
    *,
    progress: Progress | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> Explanation:
    """The same for one of many contests: all before it are rated first.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned.
        contest: The identifier of the contest.
        player: The player's name.
        system: A name, with `parameters` of that system as keyword arguments, or a system;
            "elo-mmr" if nothing is said.
        progress: True for a bar, or a function that is told the rows done and the rows in all.
        threads: How many threads share the work on large contests.
        **parameters: Parameters of the system.

    Example:
        >>> import podium
        >>> season = podium.simulate(players=50, rounds=20, seed=1)
        >>> found = podium.explain_result(season, "round-20", "player-0007", "glicko")
        >>> round(found.expected_score), found.score
        (27, 21.0)
    """
    refuse_what_is_not_contests(contests)
    refuse_ladders(contests)
    number = _number_of(contests, str(contest))
    names = contests.players.to_list()
    player = spelled(player, names)
    earlier: list[str] = []
    if player in names:
        rows = np.flatnonzero(contests.columns.player == names.index(player))
        theirs = np.searchsorted(contests.columns.offsets, rows, side="right") - 1
        contested = theirs[(theirs < number) & (contests.sizes[theirs] > 1)]
        earlier = contests.ids.gather(contested).to_list()
    rated = rate(
        contests[:number], system, history=False, progress=progress, threads=threads, **parameters
    )
    return explain(rated.beliefs, contests[number : number + 1], player, earlier=earlier)


def _number_of(contests: Contests, contest: str) -> int:
    contest = spelled(contest, contests.ids.to_list())
    found = np.flatnonzero((contests.ids == contest).to_numpy())
    if not len(found):
        ids = contests.ids.to_list()
        near = [name for name in ids if abs(len(name) - len(contest)) <= 2]
        raise NotFoundError(f"there is no contest {contest!r}{suggestion(contest, near)}.")
    return int(found[0])


def _without_ceiling(replay: Replay) -> float:
    """The performance, if the contest could show any."""
    free = replay.columns._replace(perf_ceiling=np.full(1, np.inf))
    return float(replay.folded(free, replay.row)[1][0])


def _team(replay: Replay) -> str | None:
    team, teams = replay.columns.team, replay.contests.teams
    if team is None or teams is None or not replay.system.takes_teams or team[replay.row] < 0:
        return None
    return str(teams[int(team[replay.row])])


def _change(replay: Replay) -> Change:
    """By what the rating has moved: one thing after the other is set to what it is now."""
    rating, player = replay.rating, replay.player
    before, after = (beliefs.table[player] for beliefs in (replay.before, replay.after))
    mu, new_mu = float(before["mu"]), float(after["mu"])
    sigma, new_sigma = float(before["sigma"]), float(after["sigma"])
    contests, new_contests = int(before["contests"]), int(after["contests"])
    _, grown = replay.system.aged(replay.before, np.array([player]), replay.time)
    steps = [
        float(rating(mu, sigma, contests)),
        float(rating(new_mu, sigma, contests)),
        float(rating(new_mu, new_sigma, contests)),
        float(rating(new_mu, new_sigma, new_contests)),
    ]
    return Change(
        rating_before=steps[0],
        rating=steps[3],
        mu_before=mu,
        mu=new_mu,
        sigma_before=_known(sigma),
        sigma_grown=_known(float(grown[0])),
        sigma=_known(new_sigma),
        by_skill=steps[1] - steps[0],
        by_certainty=steps[2] - steps[1],
        by_experience=steps[3] - steps[2],
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
