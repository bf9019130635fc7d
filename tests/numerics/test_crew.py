"""A crew does every piece of every step once, whoever is there to do it."""

import threading

import numpy as np
import pytest

from podium.numerics import crew
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares


@kernel
def _count(step, piece, done):
    done[step, piece] += 1


@kernel
def work(pieces, done, fails, members, role):
    """Count every piece; each step begins when the one before it is complete."""
    if role == SERVES:
        for step, piece in served(members):
            _count(step, piece, done)
        return 0
    incomplete = 0
    for step in range(done.shape[0]):
        for piece in shares(members, step, pieces):
            _count(step, piece, done)
        for piece in range(pieces):
            incomplete += done[step, piece] != 1
        if fails:
            raise ValueError("a step fails")
    return incomplete


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("pieces", [0, 1, 2, 7, 300])
def test_every_piece_is_done_once_before_the_next_step_begins(threads, pieces):
    done = np.zeros((2_000, 300), np.int64)
    assert crew.run(work, (pieces, done, False), threads) == 0
    assert (done[:, :pieces] == 1).all()
    assert not done[:, pieces:].any()


def test_steps_may_be_more_than_their_number_has_room_for():
    done = np.zeros((70_000, 2), np.int64)
    assert crew.run(work, (2, done, False), 2) == 0
    assert (done == 1).all()


def test_who_serves_is_dismissed_when_the_leader_fails():
    with pytest.raises(ValueError, match="a step fails"):
        crew.run(work, (5, np.zeros((3, 5), np.int64), True), 4)


def test_a_leader_does_all_by_himself_where_nobody_has_time():
    """All threads of the pool are at work for somebody else."""
    busy, go_on = threading.Barrier(4), threading.Event()

    def wait():
        busy.wait()
        go_on.wait()

    others = [crew.pool(3).submit(wait) for _ in range(3)]
    busy.wait()
    done = np.zeros((50, 9), np.int64)
    assert crew.run(work, (9, done, False), 4) == 0
    go_on.set()
    assert (done == 1).all()
    for each in others:
        each.result()


def test_crews_of_many_threads_at_once_keep_apart():
    found = []

    def lead():
        done = np.zeros((300, 40), np.int64)
        found.append((crew.run(work, (40, done, False), 3), bool((done == 1).all())))

    threads = [threading.Thread(target=lead) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [(0, True)] * 6
