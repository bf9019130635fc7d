"""Many ladders: each is rated by itself, on as many cores as there are, and has its own folder."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from podium import systems
from podium.documents import as_document
from podium.errors import ConflictError, InputError, NotFoundError, PodiumError
from podium.files import as_path, replacing
from podium.progress import Progress, after, reporting
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import TABLE_FILES, Fold, Rated, rate, refuse_what_is_not_contests
from podium.results.contests import Contests
from podium.results.formats import documents
from podium.results.tables import natural
from podium.systems.base import System
from podium.wording import listed
from podium.workers import usual_jobs, workers

_ENOUGH_FOR_WORKERS = 1_000_000
"""Rows: a process takes two seconds to start, in which this one rates about as many."""
_ENOUGH_FOR_A_CALL = 2_000
"""Rows: to give work to a process takes about as long as to rate so many."""


def rate_ladders(
    contests: Contests | Iterable[Contests],
    system: str | System | None = None,
    *,
    beliefs: Mapping[str, Beliefs] | None = None,
    history: bool = True,
    calibrated: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    **parameters: Any,
) -> dict[str, Rated]:
    """Rate every ladder by itself: what `podium.rate` gives for its contests alone, to the bit.

    Args:
        contests: Contests with ladders: results that have a column `ladder`. Of pieces in order of
            time, as `podium.scan` yields them, this process rates all ladders.
        system: As for `podium.rate`, and so are `history` and the parameters.
        beliefs: Go on from an earlier run: the `Rated.beliefs` of every ladder that it had.
        history: Keep what happened in every participation.
        calibrated: Learn how sure predictions of each ladder should be, as in `podium.rate`.
        progress: True for a bar, or a function that is told, after every ladder, the rows done and
            the rows in all.
        jobs: How many processes share the ladders; by default, one for each core, or just this
            one if there is little to do. The result does not depend on it.
        backend: Where the processes are: "local", "dask" or "ray".
        scheduler: The address of a Dask or Ray cluster; without one, they work on this machine.
        executor: One of `concurrent.futures`, to use instead of all these.
        threads: How many threads of a process share the work on large contests; by default one,
            or one for each core if all is done in this process.
        **parameters: Parameters of the system.

    Returns:
        The ratings of every ladder that has contests, by name.

    Example:
        >>> import podium
        >>> results = podium.simulate(players=20, rounds=10).frame()
        >>> results = results.with_columns(ladder=results["contest"].str.tail(1))
        >>> contests = podium.Contests.from_frame(results)
        >>> rated = podium.rate_ladders(contests, "elo-mmx")
        >>> list(rated) == contests.ladders == list("0123456789")
        True
    """
    if beliefs is not None and not (
        isinstance(beliefs, Mapping) and all(isinstance(own, Beliefs) for own in beliefs.values())
    ):
        raise InputError(
            f"beliefs are needed by the name of their ladder, as in {{'europe': rated.beliefs}}, "
            f"not {type(beliefs).__name__}."
        )
    earlier = beliefs or {}
    if system is None and not parameters and earlier:
        system = next(iter(earlier.values())).system
    if not isinstance(system, System):
        system, parameters = systems.build(system or "elo-mmr", **parameters), {}
    if not isinstance(contests, Contests) and isinstance(contests, Iterable):
        if jobs not in (None, 1) or backend != "local" or executor is not None:
            raise InputError("pieces are rated in this process; jobs and backend do not apply.")
        system = systems.as_system(system, parameters)
        return rate_pieces(
            contests,
            system,
            beliefs=earlier,
            history=history,
            calibrated=calibrated,
            progress=progress,
            threads=threads,
            seen=_refuse_none,
        ).rated
    refuse_what_is_not_contests(contests)
    parts = contests.by_ladder()
    if backend == "local" and jobs is None and executor is None:
        enough = contests.rows >= _ENOUGH_FOR_WORKERS
        jobs = max(1, min(usual_jobs(), len(parts))) if enough else 1
    tasks = [
        _Ladder(name, part, earlier.get(name))
        for name, part in sorted(parts.items(), key=lambda named: -named[1].rows)
    ]
    if threads is None and not (backend == "local" and jobs == 1):
        threads = 1
    how = {"system": system, "history": history, "threads": threads, **parameters}
    how["calibrated"] = calibrated
    rated: dict[str, Rated] = {}
    done = 0
    with (
        workers(how, jobs, backend, scheduler, executor) as pool,
        reporting(progress, "Rating") as report,
    ):
        for results in pool.map(_rated, _grouped(tasks)):
            for name, result in results:
                rated[name] = result
                done += parts[name].rows
                report(done, contests.rows)
    return {name: rated[name] for name in parts}


class Pieces(NamedTuple):
    """What was made of pieces: the ratings, and the numbers that `Contests` would tell."""

    rated: dict[str, Rated]
    contests: int
    rows: int
    folds: dict[str, Fold]

    def __len__(self) -> int:
        return self.contests

    def by_ladder(self) -> "dict[str, Pieces]":
        """The same of every ladder."""
        return {name: Pieces({}, each.contests, each.rows, {}) for name, each in self.folds.items()}


def rate_pieces(
    pieces: Iterable[Contests],
    system: System,
    *,
    beliefs: Mapping[str, Beliefs],
    history: bool = True,
    calibrated: bool = False,
    progress: Progress | None = None,
    threads: int | None = None,
    one: bool = False,
    seen: Callable[[list[str]], None] = lambda _: None,
) -> Pieces:
    """Rate every ladder by itself, or everything under an empty name if it has none, or with `one`.

    `seen` is told the ladders of every piece, to raise if they cannot be rated.
    """
    folds: dict[str, Fold] = {}
    done = contests = 0
    with reporting(progress, "Rating") as report:
        for piece in pieces:
            refuse_what_is_not_contests(piece)
            parts = {"": piece} if one or piece.ladder is None else piece.by_ladder()
            seen(list(parts))
            for name, part in parts.items():
                if name not in folds:
                    folds[name] = Fold(
                        system,
                        beliefs.get(name),
                        {},
                        history=history,
                        calibrated=calibrated,
                        threads=threads,
                    )
                whole = max(getattr(pieces, "rows", 0), done + piece.rows)
                with _named(name):
                    folds[name].add(part, after(report, done, whole))
                done += part.rows
            contests += len(piece)
    rated = {}
    for name in sorted(folds, key=natural):
        with _named(name):
            rated[name] = folds[name].rated()
    return Pieces(rated, contests, done, folds)


def _refuse_none(ladders: list[str]) -> None:
    if ladders == [""]:
        raise InputError("these contests have no ladders; a column `ladder` names them.")


@contextmanager
def _named(ladder: str) -> Iterator[None]:
    """Say in which ladder something is wrong, if there are any."""
    try:
        yield
    except PodiumError as error:
        raise (type(error)(f"ladder {ladder!r}: {error}") if ladder else error) from None


@dataclass(frozen=True)
class Run:
    """What rating some contests came to."""

    contests: Contests | Pieces
    rated: Mapping[str, Rated]
    """The ratings of every ladder, or those of everything under an empty name."""
    seconds: float
    out: Path | None = None
    """The folder to which they were written."""

    @property
    def system(self) -> System:
        """What rated them."""
        return next(iter(self.rated.values())).system

    @property
    def players(self) -> int:
        """How many there are; one of several ladders counts once."""
        if len(self.rated) == 1:
            return len(next(iter(self.rated.values())).beliefs)
        return len(set().union(*(ratings.beliefs.names for ratings in self.rated.values())))

    def document(self, n: int | None = 10) -> dict[str, Any]:
        """As JSON says it, with the best n players of everything, or of every ladder.

        Example:
            >>> import podium
            >>> contests = podium.simulate(players=20, rounds=5)
            >>> Run(contests, {"": podium.rate(contests)}, 0.1).document(3)["rows"]
            100
        """
        said = {
            "system": self.system.name,
            "parameters": self.system.stored_parameters(),
            "seconds": self.seconds,
            "out": self.out,
        }
        if "" in self.rated:
            return as_document({**said, **_ladder_document(self.rated[""], self.contests, n)})
        parts = self.contests.by_ladder()
        counts = {
            "contests": len(self.contests),
            "players": self.players,
            "rows": self.contests.rows,
        }
        ladders = {
            name: _ladder_document(rated, parts[name], n) for name, rated in self.rated.items()
        }
        return as_document({**said, **counts, "ladders": ladders})


def _ladder_document(rated: Rated, contests: Contests | Pieces, n: int | None) -> dict[str, Any]:
    return {
        "contests": len(contests),
        "contests_in_all": rated.beliefs.rounds,
        "players": len(rated.beliefs),
        "rows": contests.rows,
        "leaderboard": rated.leaderboard(n).to_dicts(),
    }


class _Ladder(NamedTuple):
    name: str
    contests: Contests
    beliefs: Beliefs | None


def _grouped(ladders: Iterable[_Ladder]) -> Iterator[list[_Ladder]]:
    """Ladders by themselves if they are large, and small ones together."""
    group: list[_Ladder] = []
    rows = 0
    for ladder in ladders:
        group.append(ladder)
        rows += ladder.contests.rows
        if rows >= _ENOUGH_FOR_A_CALL:
            yield group
            group, rows = [], 0
    if group:
        yield group


def _rated(ladders: list[_Ladder], how: dict[str, Any]) -> list[tuple[str, Rated]]:
    """Ladders and their ratings, in whatever process this is; `how` as for `rate`."""
    rated = []
    for name, contests, beliefs in ladders:
        with _named(name):
            rated.append((name, rate(contests, beliefs=beliefs, **how)))
    return rated


def save_ladders(
    rated: Mapping[str, Rated], folder: str | os.PathLike[str], *, format: str = "parquet"
) -> None:
    """Save the ratings of every ladder to its own folder in `folder`: all of them, or none."""
    check_folder(folder, rated)
    stale = [f"{name}/{file}" for name in rated for file in TABLE_FILES]
    with replacing(folder, folder=True, stale=stale) as temporary:
        for name, ratings in rated.items():
            ratings.save(temporary / name, format=format)


def load_ladders(folder: str | os.PathLike[str]) -> dict[str, Rated]:
    """The ratings of every ladder that `save_ladders` saved, by name."""
    folders = ladder_folders(folder)
    if not folders:
        raise NotFoundError(f"{folder}: holds no ratings of ladders, a folder for each.")
    return {name: Rated.load(each) for name, each in folders.items()}


def ladder_folders(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Where `save_ladders` saved the ratings of every ladder; empty if it is no such folder.

    A folder of contest files may hold ratings among them and is none.
    """
    path = as_path(folder)
    found = {
        each.name: each
        for each in (path.iterdir() if path.is_dir() else ())
        if (each / "beliefs.npz").is_file() and not each.name.startswith(".")
    }
    if not found or (path / "beliefs.npz").is_file() or documents.json_files(path):
        return {}
    return {name: found[name] for name in sorted(found, key=natural)}


def check_folder(folder: str | os.PathLike[str], ladders: Iterable[str]) -> None:
    """Raise if ratings of these ladders cannot be written there, or not without a mixture."""
    path, names = as_path(folder), list(ladders)
    for name in names:
        if name.startswith(".") or any(sign in name for sign in "/\\\0"):
            raise InputError(
                f"ladder {name!r} cannot be the name of a folder, because of a slash in it or a "
                f"dot in front; give it another name."
            )
        if (path / name).exists() and not (path / name).is_dir():
            raise InputError(f"{path / name}: cannot be a folder, because a file has that name.")
    if (path / "beliefs.npz").is_file():
        raise ConflictError(
            f"{path}: holds ratings that are not of ladders; choose another folder for those of "
            f"{listed(names)}."
        )
    strangers = [name for name in ladder_folders(path) if name not in names]
    if strangers:
        raise ConflictError(
            f"{path / strangers[0]}: is there already, but not one of the ladders to write; "
            f"remove it or choose another folder."
        )
