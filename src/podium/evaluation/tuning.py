"""The best parameters of a system for given results.

As in section 6 of the Elo-MMR paper, the first tenth of the contests is for tuning, so that the
others can say what the result is worth.

Example:
    >>> import podium
    >>> season = podium.simulate(players=40, rounds=30, seed=1)
    >>> tuned = podium.tune(season, "elo", "rank-deviation", split=1.0, budget=4, jobs=1)
    >>> len(tuned.trials), tuned.best.score <= tuned.default.score
    (5, True)
    >>> rated = podium.rate(season, tuned.system)
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import polars as pl

import podium
from podium import forks
from podium.arguments import check_whole
from podium.documents import as_document
from podium.errors import InputError
from podium.evaluation.proposals import propose
from podium.evaluation.spaces import combinations
from podium.evaluation.studies import Study, Trial
from podium.evaluation.trials import Plan, default_trial, get_ready, planned, scored_trial
from podium.extras import require
from podium.progress import Progress, Report, reporting
from podium.results.contests import Contests
from podium.systems.base import System
from podium.systems.search import Search
from podium.workers import Workers, check_workers, workers

BUDGET = 100
BATCH = 20

Parameters = dict[str, Any]
Numbered = list[tuple[int, Parameters]]
"""Numbers of trials, and what they are to try."""


@dataclass(frozen=True)
class Tuned:
    """What tuning has found."""

    plan: Plan
    trials: list[Trial]
    """In order; the first is the default."""
    count: int
    """How many there were to be, besides the default."""

    @property
    def default(self) -> Trial:
        """The parameters that nobody has tuned."""
        return self.trials[0]

    @property
    def finished(self) -> bool:
        """Whether all trials are there."""
        return len(self.trials) == self.count + 1

    @property
    def best(self) -> Trial:
        """The trial with the best score; the first of those with the same."""
        return self.ranking[0]

    @property
    def ranking(self) -> list[Trial]:
        """All trials that have a score, the best first."""
        sign = -1.0 if self.plan.highest else 1.0
        scored = [(sign * trial.score, trial) for trial in self.trials if trial.score is not None]
        return [trial for _, trial in sorted(scored, key=lambda pair: (pair[0], pair[1].number))]

    @property
    def parameters(self) -> Parameters:
        """The fixed parameters, and the best values of the others."""
        return {**self.plan.fixed, **self.best.parameters}

    @property
    def system(self) -> System:
        """The system with these parameters."""
        return self.plan.kind.build(self.parameters)

    def document(
        self, *, seconds: float | None = None, command: str | None = None
    ) -> dict[str, Any]:
        """As JSON says it, with how long it took and how to rate with what was found."""
        return as_document(
            {
                "system": self.plan.kind.name,
                "measure": self.plan.measure,
                "best_is": "highest" if self.plan.highest else "lowest",
                "contests": len(self.plan.contests),
                "fixed": self.plan.fixed,
                "finished": self.finished,
                "seconds": seconds,
                "default": self.default._asdict(),
                "best": self.best._asdict(),
                "command": command,
                "trials": [trial._asdict() for trial in self.trials],
            }
        )

    @property
    def table(self) -> pl.DataFrame:
        """One row for each trial: trial, score, the parameters, and failure: why it has none."""
        values = {
            name: pl.Series(name, [trial.parameters[name] for trial in self.trials], strict=False)
            for name in self.plan.space
        }
        score = pl.Series("score", [trial.score for trial in self.trials], pl.Float64)
        failure = pl.Series("failure", [trial.failure for trial in self.trials], pl.String)
        number = pl.Series("trial", [trial.number for trial in self.trials])
        return pl.DataFrame([number, score, *values.values(), failure])


class TuningInterrupted(KeyboardInterrupt):
    """Ctrl-C, with what had been found by then."""

    def __init__(self, tuned: Tuned) -> None:
        super().__init__()
        self.tuned = tuned


def tune(
    contests: Contests,
    system: str = "elo-mmr",
    measure: str = "rank-deviation",
    *,
    budget: int | None = None,
    grid: bool = False,
    split: float = 0.1,
    min_contests: int = 5,
    fixed: Mapping[str, Any] | None = None,
    search: Mapping[str, Search] | None = None,
    study: str | os.PathLike[str] | None = None,
    seed: int = 0,
    batch: int = BATCH,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Look for the parameters with which a system scores best on the first of the contests.

    What is found depends neither on where trials are scored, nor on how many at once, nor on
    whether the search was interrupted and continued. After Ctrl-C, the `TuningInterrupted`
    has what was found by then.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned.
        system: The name of the system.
        measure: What to score by: a name of `podium.evaluation.measures.MEASURES`.
        budget: How many sets of parameters to try besides the default; 100 if nothing is said.
        grid: Try all combinations of a few values of each parameter instead.
        split: The share of the contests that is used, from the first of every ladder on.
        min_contests: Only participations of players with so many earlier contests count.
        fixed: Values of parameters that are not searched for.
        search: Where to look for the values of others, as a `podium.systems.Between` or `OneOf`,
            instead of where the system declares it.
        study: A file that keeps every trial, and from which the search goes on if it is there.
        seed: All chance follows from it.
        batch: So many trials are chosen at once, knowing the results of all but the batch before.
            More than there are cores, if all are to have work.
        jobs: How many processes to start; by default, one for each core.
        backend: Where they are: "local", "dask" or "ray".
        scheduler: The address of a Dask or Ray cluster, which has the workers that it has; without
            one, they work on this machine.
        executor: One of `concurrent.futures`, to use instead of all these.
        progress: True for a bar, or a function that is told the trials done, and all.
    """
    forks.refuse_lost_threads()
    check_workers(jobs, backend, scheduler, executor)
    if not grid:
        require("optuna")
    check_whole(0, seed=seed)
    check_whole(1, batch=batch)
    plan = planned(contests, system, measure, split, min_contests, fixed or {}, search or {})
    points = list(combinations(plan.space)) if grid else None
    count = _count(budget, points)
    chance = {"seed": seed, "batch": batch} if points is None else {}
    about = {"podium": podium.__version__, **plan.description(), "grid": grid, **chance}
    with Study(study, about) as kept, _interruptible(plan, kept, count):
        with (
            workers(plan, jobs, backend, scheduler, executor) as pool,
            reporting(progress, f"Tuning {plan.kind.name}") as report,
        ):
            with pool.warm(get_ready, plan.kind):
                if 0 not in kept.trials:
                    kept.add(default_trial(plan))
            task = _Search(plan, kept, count, pool, report)
            if points is None:
                task.optimise(batch, seed)
            else:
                task.try_all(points)
        return _found(plan, kept, count)


@dataclass(frozen=True)
class _Search:
    """How trials come about, one after the other or many at a time."""

    plan: Plan
    kept: Study
    count: int
    pool: Workers[Plan]
    report: Report

    def try_all(self, points: list[Parameters]) -> None:
        """Score these."""
        self._keep(self._started(list(enumerate(points, start=1))))

    def optimise(self, size: int, seed: int) -> None:
        """Score batch after batch; each is chosen while the one before it is being scored."""
        batch = self._chosen(1, [], size, seed)
        while batch:
            trials = self._started(batch)
            following = self._chosen(batch[-1][0] + 1, batch, size, seed)
            self._keep(trials)
            batch = following

    def _chosen(self, first: int, running: Numbered, size: int, seed: int) -> Numbered:
        """The next batch; those of it that are kept from an earlier run are as they were."""
        numbers = range(first, min(first + size, self.count + 1))
        known = self.kept.trials
        proposed: list[Parameters] = [{}] * len(numbers)
        if not all(number in known for number in numbers):
            before = [known[number] for number in range(first - len(running))]
            proposed = propose(
                self.plan.space,
                [(trial.parameters, trial.score) for trial in before],
                [parameters for _, parameters in running],
                count=len(numbers),
                seed=(seed, first),
                highest=self.plan.highest,
            )
        return [
            (number, known[number].parameters if number in known else parameters)
            for number, parameters in zip(numbers, proposed, strict=True)
        ]

    def _started(self, batch: Numbered) -> Iterable[Trial]:
        """The trials of those in the batch that are not known yet, as they are finished."""
        new = [numbered for numbered in batch if numbered[0] not in self.kept.trials]
        return self.pool.map(scored_trial, new) if new else ()

    def _keep(self, trials: Iterable[Trial]) -> None:
        self.report(len(self.kept.trials) - 1, self.count)
        for trial in trials:
            self.kept.add(trial)
            self.report(len(self.kept.trials) - 1, self.count)


def _count(budget: int | None, points: list[Parameters] | None) -> int:
    if points is None:
        wanted = BUDGET if budget is None else budget
        check_whole(1, budget=wanted)
        return wanted
    if budget is not None:
        raise InputError(
            f"a budget is for a search; the grid tries all of its {len(points):,} combinations."
        )
    return len(points)


@contextmanager
def _interruptible(plan: Plan, kept: Study, count: int) -> Iterator[None]:
    """Let an interrupt tell what was found until then."""
    try:
        yield
    except KeyboardInterrupt:
        if not any(trial.score is not None for trial in kept.trials.values()):
            raise
        raise TuningInterrupted(_found(plan, kept, count)) from None


def _found(plan: Plan, kept: Study, count: int) -> Tuned:
    trials = [kept.trials[number] for number in sorted(kept.trials) if number <= count]
    failed = [trial.failure for trial in trials if trial.failure is not None]
    if len(failed) == len(trials):
        raise InputError(f"none of the trials could be scored; of the first: {failed[0]}")
    return Tuned(plan, trials, count)
