"""What a site does by itself, and who of several processes does it."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select, update

from podium.errors import BusyError
from podium.league import League, schema
from podium.league.database import now
from podium.web.catalogue import Catalogue, Hosted
from podium.web.chores import Chores, Job, give_back, take
from tests.league.conftest import kind, places, postgresql, where  # noqa: F401

LONG = 30.0
"""Seconds after which a test is over that would wait for ever."""


@pytest.fixture
def league(where: str) -> Iterator[League]:  # noqa: F811
    """A new league, in both kinds of database."""
    with League.create(where) as league:
        yield league


@contextmanager
def hosting(place: Any) -> Iterator[Hosted]:
    with Catalogue.of({"club": place}, writable=True) as catalogue:
        yield catalogue["club"]


@contextmanager
def running(hosted: Hosted, *jobs: Job, **more: Any) -> Iterator[Chores]:
    chores = Chores([hosted], SimpleNamespace(), jobs, **more)
    chores.start()
    try:
        yield chores
    finally:
        chores.stop()


def test_a_lease_is_had_by_one_until_it_ends_or_is_given_back(league: League) -> None:
    def takes(holder: str, seconds: float = 60.0) -> bool:
        with league.noting() as connection:
            return take(connection, "webhooks", holder, seconds)

    assert takes("one")
    assert not takes("other")
    assert takes("one"), "who has it renews it"
    with league.noting() as connection:
        assert take(connection, "another job", "other", 60.0)
        give_back(connection, "webhooks", "other")
    assert not takes("other"), "nobody gives back what others have"
    with league.noting() as connection:
        give_back(connection, "webhooks", "one")
    assert takes("other")
    with league.noting() as connection:
        connection.execute(update(schema.leases).values(until=now() - 1))
    assert takes("one"), "it has run out"
    assert not takes("other")


def test_a_job_is_done_again_when_it_says_so_and_gives_its_lease_back(league: League) -> None:
    done, often = [], threading.Event()

    def run(*_: Any) -> float:
        with league.noting() as connection:
            done.append(connection.execute(select(schema.leases.c.name)).scalars().all())
        if len(done) == 3:
            often.set()
        return 0.001 if len(done) < 3 else 3600.0

    with hosting(league.where) as hosted, running(hosted, Job("counting", run)):
        assert often.wait(LONG)
    assert done == [["counting"]] * 3
    with league.noting() as connection:
        assert connection.execute(select(schema.leases)).all() == []


def test_a_job_is_not_done_before_it_is_due(league: League) -> None:
    asked, ready, done = threading.Semaphore(0), threading.Event(), threading.Event()

    def due(*_: Any) -> float:
        asked.release()
        return 0.0 if ready.is_set() else 3600.0

    def run(*_: Any) -> float:
        done.set()
        return 3600.0

    with (
        hosting(league.where) as hosted,
        running(hosted, Job("waiting", run, due), look=0.001),
    ):
        for _ in range(3):
            assert asked.acquire(timeout=LONG)
        assert not done.is_set()
        ready.set()
        assert done.wait(LONG)


def test_who_writes_can_wake_a_job_even_while_it_is_being_done(league: League) -> None:
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def run(*_: Any) -> float:
        begun.release()
        assert go_on.acquire(timeout=LONG)
        return 3600.0

    with hosting(league.where) as hosted, running(hosted, Job("sleepy", run)) as chores:
        assert begun.acquire(timeout=LONG)
        chores.wake(hosted)
        go_on.release()
        assert begun.acquire(timeout=LONG), "woken while it was done"
        go_on.release()
        chores.wake(hosted)
        assert begun.acquire(timeout=LONG), "woken while it was not, or just was"
        for _ in range(9):
            go_on.release()


def test_a_job_that_fails_is_tried_again_and_hinders_no_other(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.web.chores._LONGEST_PAUSE", 0.001)
    failures, again, other = [], threading.Event(), threading.Event()

    def fail(*_: Any) -> float:
        failures.append(None)
        if len(failures) == 3:
            again.set()
        raise BusyError("no time.") if len(failures) % 2 else ZeroDivisionError

    def succeed(*_: Any) -> float:
        other.set()
        return 3600.0

    with (
        hosting(league.where) as hosted,
        running(hosted, Job("failing", fail), Job("other", succeed)),
    ):
        assert again.wait(LONG)
        assert other.wait(LONG)


def test_a_site_that_only_reads_has_no_chores(league: League) -> None:
    def run(*_: Any) -> float:
        raise AssertionError("is done")

    with Catalogue.of({"club": league.where}) as catalogue:
        chores = Chores(catalogue.values(), SimpleNamespace(), [Job("any", run)])
        chores.start()
        assert chores._thread is None
        chores.stop()


def test_of_two_processes_one_does_a_job_at_a_time(league: League) -> None:
    at_once, most, rounds = [], [], threading.Semaphore(0)
    lock = threading.Lock()

    def run(*_: Any) -> float:
        with lock:
            at_once.append(None)
            most.append(len(at_once))
        rounds.release()
        with lock:
            at_once.pop()
        return 0.0

    job = Job("alone", run)
    with (
        hosting(league.where) as hosted,
        running(hosted, job, look=0.001),
        running(hosted, job, look=0.001),
    ):
        for _ in range(20):
            assert rounds.acquire(timeout=LONG)
    assert set(most) == {1}


def test_a_lease_is_renewed_as_long_as_a_job_takes(league: League) -> None:
    renewed, first = threading.Event(), []

    def until() -> int:
        with league.noting() as connection:
            return int(connection.execute(select(schema.leases.c.until)).scalar_one())

    def run(*_: Any) -> float:
        first.append(until())
        for _ in range(10_000):
            if until() > first[0]:
                renewed.set()
                break
        return 3600.0

    with hosting(league.where) as hosted, running(hosted, Job("long", run), lease=0.06):
        assert renewed.wait(LONG)


_HOLDER = """
import sys, threading
from types import SimpleNamespace
from podium.web.catalogue import Catalogue
from podium.web.chores import Chores, Job

def run(*_):
    print("begun", flush=True)
    threading.Event().wait()

catalogue = Catalogue.of({"club": sys.argv[1]}, writable=True)
chores = Chores(catalogue.values(), SimpleNamespace(), [Job("held", run)], lease=1.5)
chores.start()
threading.Event().wait()
"""


@contextmanager
def child(code: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A process of its own, which is killed in the end."""
    started = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        assert started.stdout is not None
        started.stdout.close()


def test_the_lease_passes_on_when_its_holder_is_killed(league: League) -> None:
    taken = threading.Event()

    def run(*_: Any) -> float:
        taken.set()
        return 3600.0

    with child(_HOLDER, str(league.where)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "begun\n"
        with hosting(league.where) as hosted, running(hosted, Job("held", run), look=0.05):
            with league.noting() as connection:
                assert connection.execute(select(schema.leases.c.holder)).scalar() is not None
            assert not taken.is_set()
            os.kill(holder.pid, signal.SIGKILL)
            assert taken.wait(LONG)
