"""Two threads beside one, what is left to one thread, and what more cores would give."""

import itertools
import os
import time
from functools import partial

import numpy as np

import podium
from benchmarks.growth import contest, field
from benchmarks.report import Figure, best_of, data_file, in_turn
from podium.numerics import crew, factors, roots
from podium.numerics import elo_mmr as steps
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.ratings.fold import ready_to_fold
from podium.systems.base import EVENTS
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
        one, two = in_turn(5, *(partial(podium.rate, contests, system, threads=n) for n in (1, 2)))
        what = f"{system}, {contests.rows:,} rows, two threads"
        figures.append(Figure(what, two, "s", "one thread", one, "≥ 1.6 times"))
    beliefs = field(podium.system("elo-mmr"), LARGEST)
    update = partial(beliefs.system.update_many, columns=contest(beliefs, None))
    one, two = in_turn(4, *(partial(update, threads=n) for n in (1, 2)), given=beliefs.copy)
    what = f"elo-mmr, a contest of {LARGEST:,}, two threads"
    figures.append(Figure(what, two, "s", "one thread", one, "≥ 1.7 times"))
    crew.run(_nothing, (10,), 2)
    handover = best_of(5, lambda: crew.run(_nothing, (_STEPS,), 2)) / _STEPS
    figures.append(Figure("hand-over of a step", 1e6 * handover, "µs"))
    alone, shared = min((_serial_parts(contests) for _ in range(3)), key=sum)
    figures.append(Figure("elo-mmr: what one thread does alone", alone, "s"))
    figures.append(Figure("elo-mmr: what threads share", shared, "s"))
    for more in (2, 8, 24):
        expected = alone + shared / more + len(contests) * roots.STEPS * handover
        measured = "" if more > cores else ", beside the first line"
        figures.append(Figure(f"model: {more} cores{measured}", expected, "s"))
    return figures


def _serial_parts(contests: podium.Contests) -> tuple[float, float]:
    """Seconds of the steps that one thread takes alone, and of those that are shared.

    Step by step from Python, whose calls count as part of what one thread does alone.
    """
    beliefs, columns = ready_to_fold(contests, "elo-mmr", None, {})
    beliefs.adopt()
    beliefs.expect(contests.rows)
    beliefs.grow_pool()
    system, alone, shared = beliefs.system, 0.0, 0.0
    room = roots.room_for(int(contests.sizes.max()))
    events = np.empty((len(EVENTS), contests.rows))
    state = (beliefs.table, beliefs.pool)
    for k in range(len(contests)):
        players, ranks, when, weight, ceiling = Rows.of(columns, k)
        work, n = roots.laid_out(room, len(players)), len(players)
        seen = events[:, columns.offsets[k] : columns.offsets[k + 1]]
        clock = [time.perf_counter()]
        for first in range(0, n, roots.ROWS_PER_PIECE):
            last = min(first + roots.ROWS_PER_PIECE, n)
            factors.note_full(*state, players, first, last, work.starts)
        clock.append(time.perf_counter())
        size = roots.ROWS_PER_PIECE
        assert factors.reserve_noted(*state, beliefs.arena, players, work.starts, size)
        clock.append(time.perf_counter())
        steps.prepare(*state, *system._settings, players, when, weight, 0, n, work.rows, seen)
        clock.append(time.perf_counter())
        for step in range(roots.PREPARE + 1, roots.CONCLUDE):
            count = roots.pieces(work, step, ranks, roots.TIED)
            clock.append(time.perf_counter())
            _pieces(work, ranks, step, count)
            clock.append(time.perf_counter())
        arguments = (players, ceiling, 0, n, work.rows, roots.performances(work), seen)
        clock.append(time.perf_counter())
        steps.conclude(*state, system._settings[0], *arguments)
        clock.append(time.perf_counter())
        if k > 0:  # the first contest compiles
            parts = [after - before for before, after in itertools.pairwise(clock)]
            shared += sum(parts[0::2])
            alone += sum(parts[1::2])
    return alone, shared
