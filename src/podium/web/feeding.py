"""The feeds of a process: matches that are posted come together in one for each league.

A feed is opened by the first match, and closed when none has come for a while, when the file of the
league is another, and when the site ends. Of a league in a file one process feeds at a time; others
record their matches by themselves meanwhile, one after the other, which is right but slower.
"""

import asyncio
import datetime
import logging
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from podium.errors import BusyError, ConflictError, PodiumError
from podium.league import League, schema
from podium.league.access import Token
from podium.league.database import now
from podium.league.feeding import answers
from podium.league.feeding.answers import Recorded
from podium.league.feeding.feed import Feed
from podium.league.feeding.matches import stamp
from podium.results.times import TIMES, from_microseconds
from podium.texts import normalised
from podium.web import gates
from podium.web.catalogue import Hosted
from podium.web.doors import writing
from podium.web.problems import TooManyError

IDLE = 60.0
"""Seconds without a match after which others may feed the league."""
AGAIN = 5.0
"""Seconds after which a process that may not feed a league tries again."""
RETRY = 1.0
"""Seconds after which there may be room in a line that is full."""
MOST_WAITING = 10_000
"""Matches that may wait to be rated."""
LONGEST_WAIT = 0.02
"""Seconds that a match waits for others, at most."""
WHO = "podium serve"
"""Who feeds; matches are logged in the names of those who post them."""
_LOG = logging.getLogger("podium.web")

Match = Mapping[str, Any]
Outcome = Recorded | PodiumError


class _Open:
    """A feed that is open, and the matches that are to go into it together.

    What comes while others are committed waits, and goes in together afterwards. If many came
    together before, so many are waited for, but not for longer than a commit takes: where hundreds
    post at once, they share a transaction, and whoever posts alone does not wait.
    """

    def __init__(self, feed: Feed, file: tuple[int, int] | None) -> None:
        self.feed = feed
        self.file = file
        """Which file the league was in."""
        self._loop = asyncio.get_running_loop()
        """The loop of those who wait; a process may have one after the other."""
        self.used = self._loop.time()
        """When a match came last, by the clock of the loop."""
        self._posts: list[tuple[list[Match], asyncio.Future[list[Outcome]]]] = []
        self._waiting = 0
        """How many matches that are."""
        self._usual = 1
        """About how many posts went in together before."""
        self._commit = 0.0
        """Seconds that it took then."""
        self._under_way: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_busy(self) -> bool:
        """Whether anybody waits."""
        return bool(self._posts) or self._under_way is not None

    def goes_on(self, hosted: Hosted) -> bool:
        """Whether it is still the feed of the league, for the loop that asks.

        Of those that go in together, the first sees whether the file is the same.
        """
        if self._loop is not asyncio.get_running_loop():
            return False
        return self.is_busy or self.file == _file(hosted)

    async def record(self, matches: list[Match]) -> list[Outcome]:
        """What came of matches."""
        if self._waiting + len(matches) > max(MOST_WAITING, len(matches)):
            raise TooManyError(
                f"{self._waiting:,} matches are waiting to be rated, and no more can.", RETRY
            )
        self.used = self._loop.time()
        done: asyncio.Future[list[Outcome]] = self._loop.create_future()
        self._posts.append((matches, done))
        self._waiting += len(matches)
        self._look()
        return await done

    def _look(self) -> None:
        """Let those go in who wait, or wait for more."""
        if self._under_way is not None:
            return
        if len(self._posts) >= self._usual:
            self._go_in()
        elif self._timer is None:
            self._timer = self._loop.call_later(self._commit, self._go_in)

    def _go_in(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        posts, self._posts, self._waiting = self._posts, [], 0
        self._usual = max(len(posts), self._usual - 1)
        self._under_way = self._loop.create_task(self._record(posts))

    async def _record(
        self, posts: list[tuple[list[Match], "asyncio.Future[list[Outcome]]"]]
    ) -> None:
        start = self._loop.time()
        try:
            found = iter(await self.feed.arecord_many([each for one, _ in posts for each in one]))
            for matches, done in posts:
                outcomes = [next(found) for _ in matches]
                if not done.done():  # else whoever asked has left
                    done.set_result(outcomes)
        except Exception as error:
            for _, done in posts:
                if not done.done():
                    done.set_exception(error)
        self._commit = min(self._loop.time() - start, LONGEST_WAIT)
        self._under_way = None
        if self._posts:
            self._look()


class Feeding:
    """The feeds of a process, for its loop of events.

    Args:
        idle: Seconds without a match after which a feed is closed.
    """

    def __init__(self, idle: float = IDLE) -> None:
        self._idle = idle
        self._open: dict[str, _Open] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._later: dict[str, float] = {}
        """When to try again to feed a league that another process feeds."""

    def feed(self, hosted: Hosted) -> Feed | None:
        """The feed of a league, if this process has one."""
        found = self._open.get(hosted.key)
        return None if found is None or found.file != _file(hosted) else found.feed

    def only_fed(self, hosted: Hosted, before: str, after: str) -> bool:
        """Whether a league came from one state to another by matches of this process alone."""
        feed = self.feed(hosted)
        return feed is not None and feed.only_fed(before, after)

    async def record(
        self, hosted: Hosted, token: Token, matches: Sequence[Match]
    ) -> list[Outcome] | None:
        """What came of matches, each; None if another process feeds the league."""
        opened = self._open.get(hosted.key)
        if opened is None or not opened.goes_on(hosted):
            opened = await self._opened(hosted)
        if opened is None:
            return None
        try:
            return await opened.record([{**each, "who": token.name} for each in matches])
        except BusyError as error:
            raise TooManyError(str(error), RETRY) from None

    async def _opened(self, hosted: Hosted) -> _Open | None:
        """The feed of a league, opened if it is not; None if another process has it."""
        loop, key = asyncio.get_running_loop(), hosted.key
        async with self._turns.setdefault(key, asyncio.Lock()):
            found, file = self._open.get(key), _file(hosted)
            if found is not None and found.goes_on(hosted):
                return found
            if found is not None:
                await self._close(key)
            if loop.time() < self._later.get(key, 0.0):
                return None
            try:
                feed = await asyncio.to_thread(writing(hosted).feed, who=WHO)
            except BusyError as error:
                _LOG.warning("matches of %s are recorded one after the other: %s", key, error)
                self._later[key] = loop.time() + AGAIN
                return None
            found = self._open[key] = _Open(feed, file)
            loop.call_later(self._idle, self._look, loop, key, found)
            return found

    def _look(self, loop: asyncio.AbstractEventLoop, key: str, opened: _Open) -> None:
        """Close a feed that nobody uses; look again later at one that is used."""
        if self._open.get(key) is not opened:
            return
        left = opened.used + self._idle - loop.time()
        if opened.is_busy or left > 0.0:
            loop.call_later(max(left, 1.0), self._look, loop, key, opened)
        else:
            task = loop.create_task(self._close_in_turn(key, opened))
            self._closing.add(task)  # a loop keeps no task by itself
            task.add_done_callback(self._closing.discard)

    async def _close_in_turn(self, key: str, opened: _Open) -> None:
        async with self._turns[key]:
            if self._open.get(key) is opened and not opened.is_busy:
                await self._close(key)

    async def _close(self, key: str) -> None:
        opened = self._open.pop(key)
        try:
            await asyncio.to_thread(opened.feed.close)
        except PodiumError as error:  # its file may be gone
            _LOG.warning("the feed of %s is not closed: %s", key, error)

    async def close(self) -> None:
        """Rate all that waits, and let go of all leagues."""
        for key, turn in self._turns.items():
            async with turn:
                if key in self._open:
                    await self._close(key)


def _file(hosted: Hosted) -> tuple[int, int] | None:
    """What tells a file from another of the same name; None if there is none, or on a server."""
    try:
        found = Path(hosted.league.where).stat() if hosted.is_in_a_file else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def one_by_one(hosted: Hosted, token: Token, matches: Sequence[Match]) -> list[Outcome]:
    """What comes of matches that are recorded without a feed, as another process has it."""
    league = writing(hosted).guarded(gates.Watch(token, "record"))
    return [_recorded(league, token, dict(each)) for each in matches]


def _recorded(league: League, token: Token, match: dict[str, Any]) -> Outcome:
    """What comes of a match."""
    match.pop("late", None)
    match["id"] = normalised(match.get("id") or f"{stamp(now())}-{secrets.token_hex(4)}")
    try:
        try:
            return _kept(league, token, match)
        except ConflictError:  # somebody else may have told of it at the same moment
            return _kept(league, token, match)
    except PodiumError as error:
        return error


def _kept(league: League, token: Token, match: Match) -> Recorded:
    """What comes of a match that is recorded, or was before."""
    known = _found(league, match["id"])
    about = dict(match)
    if about.get("time") is None:
        moment = _next_moment(league) if known is None else known.time
        about |= {"time": moment, "future": True}
    league.record(about.pop("standings"), who=token.name, **about)
    found = known or _found(league, match["id"])
    assert found is not None
    found.known = known is not None
    return found


def _next_moment(league: League) -> datetime.datetime:
    """The clock's, but later than all contests."""
    with league.snapshot(with_hidden=True) as view:
        latest = view._connection.execute(select(func.max(schema.contests.c.time))).scalar()
    moment = now() if latest is None else max(now(), latest + 1)
    return from_microseconds(min(moment, TIMES[1]))


def _found(league: League, id: str) -> Recorded | None:
    """What has come of a match that is there."""
    with league.snapshot(with_hidden=True) as view:
        found = answers.found(view._connection, view._revision, view._rules, [id]).get(id)
    if found is None:
        return None
    moment, rows = found
    return Recorded(id, moment, {row.name: row for row in rows})
