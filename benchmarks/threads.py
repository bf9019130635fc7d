"""Two threads beside one, what is left to one thread, and what more cores would give."""

import itertools
import os
import time

import numpy as np

import podium
from benchmarks.growth import contest, field
from benchmarks.report import Figure, best_of, data_file
from podium.numerics import crew, roots
from podium.numerics import elo_mmr as steps
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.numerics.factors import reserve
from podium.ratings.fold import ready_to_fold
from podium.systems.compiled import Rows

LARGEST = 1_000_000
_STEPS = 20_000


@kernel
def _nothing(count, members, role):
    """Steps of two empty pieces."""
    if role == SERVES:
        for _, _ in served(members):
            pass
        return
    for step in range(count):
        for _ in shares(members, step, 2):
            pass


@kernel
def _pieces(work, ranks, step, count):
    for number in range(count):
        roots.piece(work, ranks, step, number)


def run() -> list[Figure]:
    cores = len(os.sched_getaffinity(0))
    contests = podium.read(data_file("codeforces.parquet"))
    figures = []
    for system in ("elo-mmr", "elo-r"):
        podium.rate(contests[:300], system)
        one, two = (
            best_of(5, lambda s=system, n=threads: podium.rate(contests, s, threads=n))
            for threads in (1, 2)
        )
        what = f"{system}, {contests.rows:,} rows, two threads"
        figures.append(Figure(what, two, "s", "one thread", one, "≥ 1.6 times"))
    one, two = (_one_contest(threads) for threads in (1, 2))
    what = f"elo-mmr, a contest of {LARGEST:,}, two threads"
    figures.append(Figure(what, two, "s", "one thread", one, "≥ 1.7 times"))
    crew.run(_nothing, (10,), 2)
    handover = best_of(5, lambda: crew.run(_nothing, (_STEPS,), 2)) / _STEPS
    figures.append(Figure("hand-over of a step", 1e6 * handover, "µs"))
    alone, shared = _serial_parts(contests)
    figures.append(Figure("elo-mmr: what one thread does alone", alone, "s"))
    figures.append(Figure("elo-mmr: what threads share", shared, "s"))
    for more in (2, 8, 24):
        expected = alone + shared / more + len(contests) * roots.STEPS * handover
        measured = "" if more > cores else ", beside the first line"
        figures.append(Figure(f"model: {more} cores{measured}", expected, "s"))
    return figures


def _one_contest(threads: int) -> float:
    beliefs = field(podium.system("elo-mmr"), LARGEST)
    columns = contest(beliefs, None)
    beliefs.system.update_many(beliefs.copy(), columns, threads=threads)
    times = []
    for _ in range(3):
        state = beliefs.copy()
        start = time.perf_counter()
        state.system.update_many(state, columns, threads=threads)
        times.append(time.perf_counter() - start)
    return min(times)


def _serial_parts(contests: podium.Contests) -> tuple[float, float]:
    """Seconds of the steps that one thread takes alone, and of those that are shared.

    Step by step from Python, whose calls count as part of what one thread does alone.
    """
    beliefs, columns = ready_to_fold(contests, "elo-mmr", None, {})
    beliefs.adopt()
    system, alone, shared = beliefs.system, 0.0, 0.0
    room = roots.room_for(int(contests.sizes.max()))
    for k in range(len(contests)):
        players, ranks, when, weight, ceiling = Rows.of(columns, k)
        clock = [time.perf_counter()]
        while not reserve(beliefs.table, beliefs.pool, beliefs.arena, players):
            beliefs.grow_pool()
        work = roots.laid_out(room, len(players))
        seen = np.empty((5, len(players) + 1))[:, :-1]
        state, rows = (beliefs.table, beliefs.pool), (0, len(players), work.rows)
        clock.append(time.perf_counter())
        steps.prepare(*state, *system._settings, players, when, weight, *rows, seen)
        clock.append(time.perf_counter())
        for step in range(roots.PREPARE + 1, roots.CONCLUDE):
            count = roots.pieces(work, step, ranks, roots.TIED)
            clock.append(time.perf_counter())
            _pieces(work, ranks, step, count)
            clock.append(time.perf_counter())
        arguments = (players, ceiling, *rows, roots.performances(work), seen)
        clock.append(time.perf_counter())
        steps.conclude(*state, system._settings[0], *arguments)
        clock.append(time.perf_counter())
        if k > 0:  # the first contest compiles
            parts = [after - before for before, after in itertools.pairwise(clock)]
            alone += sum(parts[0::2])
            shared += sum(parts[1::2])
    return alone, shared
