"""Streams of events: whoever listens is told of changes, however many they are.

A league is looked at by one watcher in each process as long as anybody listens there, and what it
sees is what all of them are told from: one more listener asks the database nothing. A server that
is asked to end waits for what it is answering, and a listener is never done; so listeners are ended
when the process is told to end, by Ctrl-C or SIGTERM, and browsers come again by themselves.
"""

import asyncio
import json
import logging
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import FrameType
from typing import Any

from starlette.responses import StreamingResponse

from podium.errors import BusyError, PodiumError
from podium.league import Signs
from podium.web.catalogue import Hosted

MEDIA_TYPE = "text/event-stream"
MOST = 500
"""Listeners of a process; the others of its connections are for those who only ask."""
EVERY = 0.5
"""Seconds between two looks at a league, unless this process has changed it itself."""
PAUSE = 15.0
"""Seconds after which something is sent, lest a proxy thinks that nobody is there."""
STILL_HERE = b": still here\n\n"
"""What is sent then, which means nothing."""
FIRST = b"retry: 3000\n\n"
"""What a stream begins with: how soon a browser comes again that has lost it."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_LOG = logging.getLogger("podium.web")


def event(id: int | None, kind: str, data: Any) -> bytes:
    r"""One event, as browsers read it; the data as JSON.

    Example:
        >>> event(7, "version", {"players": 3})
        b'id: 7\nevent: version\ndata: {"players":3}\n\n'
    """
    number = "" if id is None else f"id: {id}\n"
    said = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{number}event: {kind}\ndata: {said}\n\n".encode("utf-8", "replace")


def answer(events: AsyncIterator[bytes]) -> StreamingResponse:
    """The answer to whoever listens."""
    return StreamingResponse(events, media_type=MEDIA_TYPE, headers=_HEADERS)


class Streams:
    """Who listens to the leagues of a process, and those who watch for them.

    Args:
        most: How many may listen at once.
        every: Seconds between two looks at a league.
        pause: Seconds after which those are woken to whom nothing has happened.
    """

    def __init__(self, most: int = MOST, every: float = EVERY, pause: float = PAUSE) -> None:
        self._most, self._every, self._pause = most, every, pause
        self._watches: dict[str, _Watch] = {}
        self._watching: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_over = False
        self.listeners = 0
        """How many listen."""

    def ticks(self, hosted: Hosted) -> AsyncIterator[Signs | None]:
        """What is seen of a league: at once, after every change, and None if there was none.

        It ends when the process is asked to. Use it in ``contextlib.aclosing``, so that who stops
        listening is counted no more. Raise if too many listen already.
        """
        self._refuse_too_many()
        return self._ticks(hosted)

    async def _ticks(self, hosted: Hosted) -> AsyncIterator[Signs | None]:
        with self._listening(hosted) as watch:
            last = 0
            while not self._is_over:
                if last != watch.changes:
                    last = watch.changes
                    yield watch.signs
                elif not await watch.changed(self._pause):
                    yield None

    @contextmanager
    def _listening(self, hosted: Hosted) -> Iterator["_Watch"]:
        """Be one of those for whom a league is watched."""
        self._refuse_too_many()
        self._loop = asyncio.get_running_loop()
        watch = self._watches.get(hosted.key)
        if watch is None:
            watch = self._watches[hosted.key] = _Watch(hosted)
            task = self._loop.create_task(watch.run(self._every))
            self._watching.add(task)
            task.add_done_callback(self._watching.discard)
        watch.listeners += 1
        self.listeners += 1
        try:
            yield watch
        finally:
            self.listeners -= 1
            watch.listeners -= 1
            if not watch.listeners:
                watch.stirred.set()  # it looks no more
                if self._watches.get(hosted.key) is watch:
                    del self._watches[hosted.key]

    def _refuse_too_many(self) -> None:
        if self.listeners >= self._most:
            raise BusyError(f"{self._most:,} listen already; later, there may be room for one.")

    def stir(self, hosted: Hosted) -> None:
        """Let a league be looked at now, since this process has changed it; from any thread."""
        self._soon(lambda: self._stir(hosted.key))

    def _stir(self, key: str) -> None:
        if (watch := self._watches.get(key)) is not None:
            watch.stirred.set()

    def end(self) -> None:
        """End all listeners; from any thread, or when a signal comes."""
        self._is_over = True
        self._soon(self._wake)

    def _wake(self) -> None:
        for each in self._watches.values():
            each.tell()

    def _soon(self, do: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and everybody with it
                self._loop.call_soon_threadsafe(do)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Let people listen in this block, until the process is asked to end or the block is left.

        Servers wait for their answers before they say that they end, so the signals that they hear
        are heard here as well.
        """
        self._is_over = False
        with _signals(self.end):
            yield
        self._is_over = True
        self._wake()
        for each in self._watches.values():
            each.listeners = 0
            each.stirred.set()
        if self._watching:
            await asyncio.wait(self._watching)


class _Watch:
    """One who looks at a league for all who listen to it."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted
        self.listeners = 0
        self.signs: Signs | None = None
        """What was seen last."""
        self.changes = 0
        """How often something else was seen than before."""
        self.stirred = asyncio.Event()
        self._next: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self, every: float) -> None:
        """Look as long as anybody listens."""
        while True:
            await self._look()
            with suppress(TimeoutError):
                async with asyncio.timeout(every):
                    await self.stirred.wait()
            self.stirred.clear()
            if not self.listeners:
                return

    async def _look(self) -> None:
        try:
            seen = await asyncio.to_thread(self._hosted.league.signs)
        except PodiumError as error:  # it may be there again the next time
            _LOG.warning("%s cannot be watched: %s", self._hosted.key, error)
            return
        if seen != self.signs:
            self.signs = seen
            self.changes += 1
            self.tell()

    def tell(self) -> None:
        """Wake all who listen."""
        told, self._next = self._next, asyncio.get_running_loop().create_future()
        if not told.done():
            told.set_result(None)

    async def changed(self, seconds: float) -> bool:
        """Whether somebody was woken within so many seconds."""
        done, _ = await asyncio.wait((self._next,), timeout=seconds)
        return bool(done)


@contextmanager
def _signals(end: Callable[[], None]) -> Iterator[None]:
    """Hear of Ctrl-C and SIGTERM before whoever hears of them now, in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, tuple[Any, Any]] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        if callable(theirs := signal.getsignal(number)):
            ours = _first(end, theirs)
            signal.signal(number, ours)
            before[number] = ours, theirs
    try:
        yield
    finally:
        for number, (ours, theirs) in before.items():
            if signal.getsignal(number) is ours:
                signal.signal(number, theirs)


def _first(
    end: Callable[[], None], theirs: Callable[[int, FrameType | None], Any]
) -> Callable[[int, FrameType | None], Any]:
    def both(number: int, frame: FrameType | None) -> Any:
        end()
        return theirs(number, frame)

    return both
