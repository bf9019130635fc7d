"""What a site does by itself: jobs for each league, each of them in one process at a time.

A job is done by whoever holds its lease, a row of the league's database that says who, and until
when the others leave it to them. It is taken before a job is done, renewed as long as that lasts,
and given back; of a process that is gone it runs out within seconds, and another takes over.
"""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete

from podium.errors import PodiumError
from podium.league import schema
from podium.league.database import insert_or_update, now
from podium.web.catalogue import Hosted

LEASE = 10.0
"""Seconds for which a job is left to whoever does it."""
LOOK = 2.0
"""Seconds between two looks at whether there is something to do."""
_AT_ONCE = 16
"""Jobs that a process does at the same time."""
_LONGEST_PAUSE = 60.0
"""Seconds until a job is tried again that goes wrong again and again."""
_LOG = logging.getLogger("podium.web")


def _always(_hosted: Hosted, _state: Any) -> float:
    return 0.0


@dataclass(frozen=True)
class Job:
    """Something that is to be done for a league, again and again.

    Args:
        name: What its lease is called.
        run: Does it, given a league and the state of the application; the seconds until it wants to
            be done again. One that takes long looks at `Chores.stopping` now and then.
        due: The seconds until there is something to do, asked every few seconds and without the
            lease, so it has to be quick; by default, whenever `run` has said.
    """

    name: str
    run: Callable[[Hosted, Any], float]
    due: Callable[[Hosted, Any], float] = _always

    @property
    def looks(self) -> bool:
        """Whether it says by itself when there is something to do."""
        return self.due is not _always


def take(connection: Connection, name: str, holder: str, seconds: float) -> bool:
    """Take or renew a lease; whether nobody else has it."""
    t, moment = schema.leases, now()
    until = moment + int(seconds * 1e6)
    wanted = insert_or_update(connection)(t).values(name=name, holder=holder, until=until)
    free = (t.c.holder == holder) | (t.c.until <= moment)
    taken = wanted.on_conflict_do_update(
        index_elements=[t.c.name], set_={"holder": holder, "until": until}, where=free
    )
    return connection.execute(taken.returning(t.c.name)).first() is not None


def give_back(connection: Connection, name: str, holder: str) -> None:
    """Let others have a lease."""
    t = schema.leases
    connection.execute(delete(t).where(t.c.name == name, t.c.holder == holder))


class _Task:
    """A job of a league, in this process."""

    def __init__(self, hosted: Hosted, job: Job) -> None:
        self.hosted, self.job = hosted, job
        self.at = 0.0
        """When it is looked at next, by the clock that only grows."""
        self.is_running = False
        self.again = False
        """Whether somebody has woken it meanwhile."""
        self.failures = 0


class Chores:
    """The jobs of a process: a thread that looks after them, and those that do them.

    Args:
        leagues: Those of the site; jobs are done for the ones that can be changed.
        state: That of the application, which jobs are given.
        jobs: What is to be done.
        lease: Seconds for which a job is left to whoever does it.
        look: Seconds between two looks at whether there is something to do.
    """

    def __init__(
        self,
        leagues: Iterable[Hosted],
        state: Any,
        jobs: Iterable[Job],
        *,
        lease: float = LEASE,
        look: float = LOOK,
    ) -> None:
        jobs = tuple(jobs)
        self._tasks = [
            _Task(each, job) for each in leagues if each.writer is not None for job in jobs
        ]
        self._state, self._lease, self._look = state, lease, look
        self._changed = threading.Condition()
        self.stopping = threading.Event()
        """Set when the site is to end."""
        self._thread: threading.Thread | None = None
        self._pool: ThreadPoolExecutor | None = None
        self.holder = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        """What leases of this process are held as."""

    def start(self) -> None:
        """Begin."""
        self.stopping.clear()
        if not self._tasks:
            return
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="podium-job")
        self._thread = threading.Thread(target=self._look_after, name="podium-chores", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, once the jobs have that are being done."""
        self.stopping.set()
        with self._changed:
            self._changed.notify_all()
        if self._thread is not None and self._pool is not None:
            self._thread.join()
            self._pool.shutdown(cancel_futures=True)

    def wake(self, hosted: Hosted) -> None:
        """Let the jobs of a league be looked at now, since something was written."""
        with self._changed:
            for each in self._tasks:
                if each.hosted.key == hosted.key:
                    each.at, each.again = 0.0, True
            self._changed.notify_all()

    def _look_after(self) -> None:
        """Begin jobs when it is time for them."""
        assert self._pool is not None
        with self._changed:
            while not self.stopping.is_set():
                moment = time.monotonic()
                for each in self._tasks:
                    if not each.is_running and each.at <= moment:
                        each.is_running, each.again = True, False
                        self._pool.submit(self._do, each)
                waiting = [each.at - moment for each in self._tasks if not each.is_running]
                self._changed.wait(min(waiting, default=None))

    def _do(self, task: _Task) -> None:
        """Do a job, if it is due and nobody else does it, and arrange when it is next."""
        try:
            pause = self._done(task)
            task.failures = 0
        except Exception as error:  # whatever goes wrong with one must not end the others
            task.failures += 1
            pause = min(2.0**task.failures, _LONGEST_PAUSE)
            said = None if isinstance(error, PodiumError) else error
            about = (task.job.name, task.hosted.key, error)
            _LOG.warning("the job %s of %s has failed: %s", *about, exc_info=said)
        with self._changed:
            task.is_running = False
            task.at = 0.0 if task.again else time.monotonic() + pause
            self._changed.notify_all()

    def _done(self, task: _Task) -> float:
        """Do a job; the seconds until it is looked at next."""
        job, hosted = task.job, task.hosted
        if (due := job.due(hosted, self._state)) > 0.0:
            return min(due, self._look)
        if self.stopping.is_set() or not self._takes(task):
            return self._look
        with self._renewed(task):
            pause = max(0.0, job.run(hosted, self._state))
        return min(pause, self._look) if job.looks else pause

    def _takes(self, task: _Task) -> bool:
        assert task.hosted.writer is not None
        with task.hosted.writer.noting() as connection:
            return take(connection, task.job.name, self.holder, self._lease)

    @contextmanager
    def _renewed(self, task: _Task) -> Iterator[None]:
        """Renew a lease until something is done, and give it back."""
        over = threading.Event()

        def renew() -> None:
            while not over.wait(self._lease / 3):
                try:
                    if not self._takes(task):
                        _LOG.warning("another process does %s, too", task.job.name)
                        return
                except PodiumError as error:  # it may work the next time
                    _LOG.warning("the lease of %s is not renewed: %s", task.job.name, error)

        thread = threading.Thread(target=renew, name="podium-lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            assert task.hosted.writer is not None
            with task.hosted.writer.noting() as connection:
                give_back(connection, task.job.name, self.holder)
