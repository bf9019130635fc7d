"""Whoever waits in line: one does the work for all, and nobody does it beside them.

Whoever comes while nobody is at it does the work at once, for all who have come by then, and hands
over to the first of those who came meanwhile. So there is no thread to switch to for one who comes
alone, and those who come together are dealt with together. Only the main thread lets another one
come in its name: it alone is interrupted from outside, and then anywhere.
"""

import asyncio
import contextlib
import itertools
import os
import threading
import time as clock
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from podium.errors import BusyError, StorageError

T = TypeVar("T")
_PATIENCE = 0.002
"""Seconds for which those are waited for who came together before, at most."""


class Place(Generic[T]):
    """A place in line: for a thing, for an errand, or only to have the work done."""

    __slots__ = ("_future", "_gate", "_loop", "errand", "following", "leads", "settled", "thing")

    def __init__(
        self, thing: T | None, errand: Callable[[], None] | None = None, *, waits: bool = True
    ) -> None:
        self.thing = thing
        self.errand = errand
        """What is to be done alone, in place of a thing that is dealt with among others."""
        self.leads = False
        self.settled = False
        self.following: Place[T] | None = None
        """Whom the thread of this one wakes when it goes on."""
        self._gate = threading.Lock() if waits else None
        if self._gate is not None:
            self._gate.acquire()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._future: asyncio.Future[None] | None = None

    def awaited(self) -> "asyncio.Future[None]":
        """What a task of the running loop can await."""
        self._loop = asyncio.get_running_loop()
        self._future = self._loop.create_future()
        return self._future

    @property
    def blocks(self) -> bool:
        """Whether a thread waits for it."""
        return self._gate is not None

    def wait(self) -> None:
        """Wait until it is settled, or until it is one's turn to do the work."""
        assert self._gate is not None
        self._gate.acquire()

    def wake(self) -> None:
        """Let the thread that waits go on."""
        gate = self._gate
        if gate is not None:
            gate.release()

    def pass_on(self) -> None:
        """Wake the next of those who were dealt with together."""
        following, self.following = self.following, None
        if following is not None:
            following.wake()

    def abandon(self) -> None:
        """Have nobody wait here any more."""
        self._gate = None

    def _resolve(self) -> None:
        if self._future is not None and not self._future.done():
            self._future.set_result(None)


class Line(Generic[T]):
    """Those who wait.

    Args:
        work: What does the work for things; whatever it raises is an accident, and ends it.
        failed: What is told of things of which nobody knows what has become.
        together: For so many at once, at most.
        most: So many may wait.
    """

    def __init__(
        self,
        work: Callable[[list[Place[T]]], None],
        failed: Callable[[T, BaseException], None],
        *,
        together: int,
        most: int,
    ) -> None:
        self._work = work
        self._failed = failed
        self._together = together
        self._most = most
        self._mutex = threading.Lock()
        self._queue: deque[Place[T]] = deque()
        self._busy = False
        self._before = 0
        """About how many were dealt with at once before, and how many seconds it took."""
        self._took = 0.0
        self._wanted = 0
        """So many are waited for before the work is begun; 0 if nobody waits for them."""
        self._enough = threading.Lock()
        self._enough.acquire()
        self._closed = False
        self._pool: ThreadPoolExecutor | None = None
        self._in_name_of_main = ThreadPoolExecutor(1, "podium-feed-main")
        self._process = os.getpid()

    def __len__(self) -> int:
        return len(self._queue)

    def refuse_children(self) -> None:
        """Raise in a child of a fork, whose parent's line this is."""
        if self._process != os.getpid():
            raise StorageError(
                "a feed belongs to the process that opened it; a child of a fork opens its own."
            )

    def submit(self, places: Sequence[Place[T]], *, last: bool = False) -> None:
        """Wait until things are settled; in this thread, which may do the work."""
        self.uninterrupted(lambda: self._submit(places, last=last))

    def uninterrupted(self, task: Callable[[], None]) -> None:
        """Do something to the end, also if the main thread is interrupted while it waits for it."""
        self.refuse_children()
        if threading.current_thread() is not threading.main_thread():
            task()
            return
        try:
            doing = self._in_name_of_main.submit(task)
        except RuntimeError:  # it has ended
            task()
        else:
            doing.result()

    def _submit(self, places: Sequence[Place[T]], *, last: bool) -> None:
        leads = self._join(places, last=last)
        try:
            for place in places:
                while leads or not place.settled:
                    if leads:
                        self._lead(place)
                        leads = False
                        continue
                    place.wait()
                    leads, place.leads = place.leads, False
                place.pass_on()
        except BaseException:
            self._leave(places)
            raise

    async def asubmit(self, places: Sequence[Place[T]]) -> None:
        """Wait until things are settled, without a thread."""
        futures = [place.awaited() for place in places]
        if self._join(places):
            self._begin()
        await asyncio.gather(*futures)

    def run(self, errand: Callable[[], Any], *, last: bool = False) -> Any:
        """Do something alone, in turn, and return what it returns; nobody comes after the last."""
        outcome: list[Any] = []
        error: list[BaseException] = []

        def done() -> None:
            try:
                outcome.append(errand())
            except BaseException as raised:
                error.append(raised)

        self.submit([Place(None, done)], last=last)
        if error:
            raise error[0]
        return outcome[0]

    def close(self) -> None:
        """Take nobody in any more, and let go of the threads of one's own."""
        with self._mutex:
            self._closed = True
        if self._pool is not None:
            self._pool.shutdown()
        self._in_name_of_main.shutdown(wait=False)  # it may be the one that closes

    def finish(self, places: Sequence[Place[T]]) -> None:
        """Let those go on whose things are settled.

        One thread wakes the next: all at once, they would only wait for the interpreter.
        """
        loops: dict[asyncio.AbstractEventLoop, list[Place[T]]] = {}
        with self._mutex:
            threads = [each for each in places if each.blocks]
            for each, following in itertools.pairwise(threads):
                each.following = following
            for each in places:
                each.settled = True  # from now on its thread may go on, and pass on
                if each._loop is not None:
                    loops.setdefault(each._loop, []).append(each)
        if threads:
            threads[0].wake()
        for loop, theirs in loops.items():
            with contextlib.suppress(RuntimeError):  # of a loop that is closed
                loop.call_soon_threadsafe(_resolve_all, theirs)

    def _join(self, places: Sequence[Place[T]], *, last: bool = False) -> bool:
        """Whether whoever has joined is to do the work."""
        self.refuse_children()
        with self._mutex:
            if self._closed:
                raise StorageError("the feed is closed; league.feed() opens another.")
            new = sum(place.thing is not None for place in places)
            if new and len(self._queue) + new > max(self._most, new):
                raise BusyError(
                    f"{len(self._queue):,} matches are waiting to be rated, and no more can; try "
                    f"again in a moment."
                )
            self._closed = last
            self._queue.extend(places)
            if self._wanted and len(self._queue) >= self._wanted:
                self._wanted = 0
                self._enough.release()
            if self._busy or not places:
                return False
            self._busy = True
            return True

    def _leave(self, places: Sequence[Place[T]]) -> None:
        """Let go of places that nobody waits at any more, as when a thread is interrupted."""
        with self._mutex:
            for place in places:
                if place in self._queue:
                    self._queue.remove(place)
                place.abandon()
            led = any(place.leads for place in places)
        for place in places:
            place.pass_on()
        if led and not self._hand_over(None):
            self._begin()

    def _begin(self) -> None:
        """Let a thread of one's own do the work, where no other can."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "podium-feed")
        self._pool.submit(self._lead, None)

    def _lead(self, own: Place[T] | None) -> None:
        """Do the work until one's own thing was dealt with, and hand over; or for all."""
        while True:
            self._gather()
            group = self._next()
            begun = clock.monotonic()
            try:
                if group and group[0].errand is not None:
                    group[0].errand()
                    self.finish(group)
                else:
                    self._work(group)
            except BaseException as error:
                for each in group:
                    if not each.settled and each.thing is not None:
                        self._failed(each.thing, error)
                self.finish([each for each in group if not each.settled])
                if not isinstance(error, Exception):
                    self._leave([] if own is None else [own])
                    if not self._hand_over(None):
                        self._begin()
                    raise
            self._took = clock.monotonic() - begun
            if self._hand_over(own if own in group else None, forced=own is not None):
                return

    def _gather(self) -> None:
        """Let those join who were dealt with just now and have the next thing at hand.

        Whoever comes alone does not wait. Those who came together before are waited for, but for
        no longer than they took, and for half of them the next time if they did not come.
        """
        with self._mutex:
            first = self._queue[0] if self._queue else None
            if len(self._queue) >= self._before or (first is not None and first.errand is not None):
                return
            self._wanted = self._before
        if not self._enough.acquire(timeout=min(self._took, _PATIENCE)):
            with self._mutex:
                if not self._wanted:  # they have come this very moment
                    self._enough.acquire()
                self._wanted = 0
                self._before //= 2

    def _next(self) -> list[Place[T]]:
        """Those who are dealt with next."""
        with self._mutex:
            queue = self._queue
            if queue and queue[0].errand is not None:
                return [queue.popleft()]
            group: list[Place[T]] = []
            while queue and queue[0].errand is None and len(group) < self._together:
                group.append(queue.popleft())
            self._before = max(len(group), self._before - 1) if group else 0
            return group

    def _hand_over(self, own: Place[T] | None, *, forced: bool = False) -> bool:
        """Whether somebody else goes on, or nobody needs to."""
        with self._mutex:
            if not self._queue:
                self._busy = False
                return True
            if forced and own is None:
                return False  # one's own turn has not come yet
            first = self._queue[0]
            if own is None and not forced and not first.blocks:
                return False  # a thread of one's own goes on
        if first.blocks:
            first.leads = True
            first.wake()
        else:
            self._begin()
        return True


def _resolve_all(places: list[Place[Any]]) -> None:
    for each in places:
        each._resolve()
