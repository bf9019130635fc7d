import threading

import pytest

from podium.numerics.threads import for_each, in_chunks


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 1000])
def test_every_task_is_done_once(threads, count):
    done = []
    for_each(done.append, iter(range(count)), threads)
    assert sorted(done) == list(range(count))


def test_chunks_cover_all_rows():
    done = []
    in_chunks(lambda first, last: done.append((first, last)), 10, 2, 4)
    assert sorted(done) == [(0, 4), (4, 8), (8, 10)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_failure_is_raised_when_all_threads_have_ended_and_nobody_goes_on(threads):
    running, failed, most = set(), threading.Event(), []

    def work(task):
        if failed.is_set():
            most.append(task)
        running.add(task)
        try:
            if task == 3:
                failed.set()
                raise ValueError("no")
        finally:
            running.discard(task)

    with pytest.raises(ValueError, match="no"):
        for_each(work, range(100_000), threads)
    assert not running
    assert len(most) < 100_000 - 4


def test_work_within_work_ends():
    done = []
    for_each(lambda n: for_each(done.append, range(n), 2), range(20), 2)
    assert len(done) == sum(range(20))
