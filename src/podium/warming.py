"""Compiling ahead: whatever systems need is compiled and kept before somebody waits for it.

What a system compiles, and for which types, only using it tells. A tiny season is made up and goes
through everything: files, ratings, predictions, explanations, evaluations and a league.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from podium import systems
from podium.errors import PodiumError
from podium.evaluation.comparison import evaluate
from podium.evaluation.populations import simulate, simulate_matches
from podium.league import League
from podium.numerics.compiled import counting, note_of
from podium.numerics.threads import LARGE
from podium.progress import Progress, reporting
from podium.ratings.chances import Chances
from podium.ratings.explanations import explain
from podium.ratings.fold import Rated, Saving, rate
from podium.ratings.ladder import Ladder
from podium.ratings.predictions import curve, predict
from podium.results.contests import Contests
from podium.results.reading import read
from podium.systems.base import System

_THREADS = 2
_PLAYERS = 12
_ROUNDS = 6


@dataclass(frozen=True)
class Warmed:
    """What was done for one system."""

    system: str
    seconds: float
    kernels: int
    """How many were compiled; 0 if all of them were there already."""

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return asdict(self)


def warm(*chosen: str | System, progress: Progress | None = None) -> list[Warmed]:
    """Compile all that rating, predicting, explaining, evaluating and leagues need, and keep it.

    Compiled kernels are kept beside the package, or in the folder that the environment variable
    NUMBA_CACHE_DIR names: an image or a server that is warmed never compiles while somebody waits.

    Args:
        *chosen: Names of systems, those of other packages too, or systems; by default, all that
            come with podium.
        progress: True for a bar, or a function that is told how many are done, and of how many.

    Example:
        >>> [warmed] = warm("elo")
        >>> warmed.system
        'elo'
        >>> warm("elo")[0].kernels
        0
    """
    found = [systems.as_system(each, {}) for each in chosen or systems.built_in()]
    done = []
    with reporting(progress, "Compiling") as report:
        for number, system in enumerate(found):
            report(number, len(found))
            done.append(warm_one(system))
    return done


def needing(*chosen: System) -> list[System]:
    """Those of which nobody has noted on this machine that they were warmed; each of them once.

    Of systems of other packages, nothing is noted: another version would need other kernels.
    """
    notes = {note: system for system in chosen if (note := _note(system)) is not None}
    noted = [system for note, system in notes.items() if not note.exists()]
    return noted + [system for system in chosen if _note(system) is None]


def _note(system: System) -> Path | None:
    """Where it is noted that a system was warmed, with these parameters."""
    if system.name not in systems.built_in():
        return None
    return note_of(f"{system.name} {sorted(system.stored_parameters().items())}")


def warm_one(system: System) -> Warmed:
    """The same for one system."""
    started = time.perf_counter()
    with counting() as compiled:
        for season in _seasons(system):
            for use in (_use_files, _use_ratings, _use_evaluation, _use_league):
                with suppress(PodiumError):  # not everything is for every system
                    use(system, season)
        with suppress(PodiumError):
            _use_ladder(system)
    note = _note(system)
    if note is not None:
        with suppress(OSError):  # then it is done again
            note.touch()
    return Warmed(system.name, time.perf_counter() - started, len(compiled))


def _seasons(system: System) -> Iterator[Contests]:
    """Contests of any kind that the system takes, each kind by itself."""
    yield simulate_matches(players=_PLAYERS, matches=10 * _PLAYERS, draws=0.3, seed=1)
    if system.takes_scores:
        yield _scored()
    if system.most_players is not None:
        return
    yield simulate(players=_PLAYERS, rounds=_ROUNDS, ties=0.3, newcomers=0.3, seed=1)
    yield simulate(players=LARGE + 1, rounds=2, ties=0.1, seed=1)
    if system.takes_teams:
        yield _of_teams()


def _scored() -> Contests:
    table = {
        "time": range(_ROUNDS),
        "player_a": ["ann"] * _ROUNDS,
        "player_b": ["bob", "cat"] * (_ROUNDS // 2),
        "outcome": [1.0, 0.75, 0.5, 0.0, 0.25, 0.6],
        "side": ["home"] * _ROUNDS,
    }
    return Contests.from_matches(pl.DataFrame(table))


def _of_teams() -> Contests:
    rows = [
        {
            "contest": contest,
            "time": contest * 86_400,
            "player": f"player {(member + contest) % _PLAYERS}",
            "team": f"team {member // 3}",
            "rank": 1 + member // 3 * 3,
            "share": 1.0 if member else 0.5,
        }
        for contest in range(_ROUNDS)
        for member in range(_PLAYERS)
    ]
    return Contests.from_records(rows, rerank=True)


def _use_files(system: System, season: Contests) -> None:
    """As `podium rate` does, from both kinds of files, and going on from what was written."""
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        for number, name in enumerate(("season.csv", "season.parquet")):
            path, out = Path(folder, name), Path(folder, f"ratings {number}")
            season.write(path)
            contests = read(path, future=True)
            with Saving(out) as saving:
                saving.rate(contests, system, threads=_THREADS)
                saving.finish()
        rated = Rated.load(out, system)
        _ = rated.leaderboard(3), rated.history
        rate(contests[-1:], system, beliefs=rate(contests[:-1], system).beliefs)


def _use_ratings(system: System, season: Contests) -> None:
    """What can be asked of ratings."""
    rated = rate(season, system, threads=_THREADS)
    names = rated.leaderboard(4)["player"].to_list()
    before, last = rate(season[:-1], system, history=False, threads=1), season[-1:]
    playing = last[0].players
    predict(before.beliefs, last, threads=_THREADS)
    uses: list[Callable[[], object]] = [
        lambda: curve(before.beliefs, last, playing[0], most=5),
        lambda: explain(before.beliefs, last, playing[-1]),
        lambda: rated.win_probability(names[0], names[1]),
        lambda: rated.draw_probability(names[0], names[1]),
        lambda: rated.stronger_probability(names[0], names[1]),
        lambda: rated.rank_probabilities(names),
        lambda: rated.quality(names),
        lambda: rated.belief(names[0]),
        lambda: rated.history,
    ]
    for use in uses:
        with suppress(PodiumError):
            use()


def _use_evaluation(system: System, season: Contests) -> None:
    """With contests that count, and resamples."""
    evaluate(season, [system], skip=0.2, min_contests=1, resamples=10, threads=_THREADS)


def _use_league(system: System, season: Contests) -> None:
    """What is recorded, corrected, and shown on pages."""
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        where = Path(folder, "league.db")
        with League.create(where, system) as league:
            league.record(season[:-1])
            league.record(season[-1:])
            league.amend(season[0].id, rated=False)
        with League.reading(where) as league, league.snapshot() as view:
            contest = season[-1].id
            names = view.leaderboard(4)["player"].to_list()
            player = season[-1].players[0]
            uses: list[Callable[[], object]] = [
                lambda: view.board(),
                lambda: view.contest_page(3),
                lambda: view.result(contest),
                lambda: view.career(player),
                lambda: view.place_ranges(names),
                lambda: view.explain(contest, player),
                lambda: view.what_if(contest, player),
                lambda: view.rivals(player),
                lambda: view.win_probability(names[0], names[1]),
                lambda: view.draw_probability(names[0], names[1]),
                lambda: Chances.of(view, names, top=2),
                lambda: view.leaderboard(3, at=season[-2].time),
                lambda: view.career(player, at=season[-1].time),
                lambda: view.predict(season[-1:]),
                lambda: view.verify(),
            ]
            for use in uses:
                with suppress(PodiumError):
                    use()


def _use_ladder(system: System) -> None:
    """One contest at a time."""
    ladder = Ladder(system)
    for _ in range(2):
        ladder.record(["ann", "bob"])
