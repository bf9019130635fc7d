"""A process that changes leagues in copies of itself, which are killed; see test_nothing_lost.

It imports everything once. For each line of two places of like leagues, an action, a share
and a killer that it reads, a copy changes the first league and is killed after that share of the
steps which such a change takes: by itself, or from outside by this process, which is told of the
moment and strikes wherever the copy is by then. The answer is the number of the last change that
was begun, and of the last that was acknowledged as made, or -1.
"""

import contextlib
import os
import random
import shutil
import signal
import sys
import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import event
from sqlalchemy.engine import Engine

from podium import Contests, League, PodiumError, Rules, systems
from podium.ratings.beliefs import Beliefs
from podium.results.columns import Columns
from podium.systems.base import EVENTS

SYSTEM = systems.EloMMR(drift_per_day=2.0)
PLAYERS = [f"p{number}" for number in range(8)]
ACTIONS = [
    *["record", "record", "record", "amend", "remove", "unrate"],
    *["disqualify", "add", "undo", "undo", "redo", "reinstate"],
    *["season", "season", "end season", "start", "start", "end start", "guest", "rules"],
    *["rename", "merge", "attribute", "end attribute", "describe", "describe", "hide"],
]


def standings(rng: random.Random, id: str) -> Contests:
    """A contest of some players at any time."""
    players = rng.sample(PLAYERS, rng.randint(2, len(PLAYERS)))
    time = rng.randint(0, 40) * 86_400
    return Contests.from_records(
        [
            {"contest": id, "time": time, "player": player, "rank": place + 1}
            for place, player in enumerate(players)
        ]
    )


def change(league: League, number: int) -> None:
    """The change of that number, which depends on it and on what the league holds."""
    rng = random.Random(number)
    known = league.contests()["contest"].to_list()
    action = rng.choice(ACTIONS)
    if len(known) < 5 or action == "record":
        results = standings(rng, f"contest {number}")
        league.record(results, guests=results.players[: rng.choice([0, 0, 1])].to_list())
    elif action == "amend":
        league.amend(id := rng.choice(known), standings(rng, id), removing=True)
    elif action == "remove" and len(known) > 10:
        league.remove(rng.choice(known))
    elif action == "disqualify":
        id = next(each for each in known if league.contest(each).height > 1)
        league.disqualify(id, rng.choice(_in_contest(league, id)))
    elif action == "add":
        id = rng.choice(known)
        league.add(id, [{"player": f"late {number}", "rank": 1}], tied=rng.random() < 0.5)
    elif action in ("undo", "redo", "reinstate"):
        with contextlib.suppress(PodiumError):
            turn(league, action)
            return
        league.record(standings(rng, f"contest {number}"))
    elif action in _OF_NO_CONTEST:
        _OF_NO_CONTEST[action](league, rng, number)
    else:
        league.amend(rng.choice(known), weight=rng.choice([0.25, 0.5, 2.0, 3.0]) + number / 1e3)


def _begin_season(league: League, rng: random.Random, number: int) -> None:
    """A season that there is not yet, mostly with a reset; or another one of its name."""
    pull = rng.choice([None, 0.25, 0.5, 1.0])
    start = rng.randint(0, 50) * 86_400 + number
    league.season(f"season {rng.randint(1, 3)}", start, pull=pull)


def _end_season(league: League, rng: random.Random, number: int) -> None:
    there = league.seasons()["name"].to_list()
    if there:
        league.remove_season(rng.choice(there))
    else:
        _begin_season(league, rng, number)


def _start(league: League, rng: random.Random, number: int) -> None:
    """Starting ratings that nobody has yet, of a newcomer now and then."""
    names = [*rng.sample(PLAYERS, 2), rng.choice([PLAYERS[0], f"new {number}"])]
    time = rng.choice([None, rng.randint(0, 50) * 86_400])
    league.start({name: (1400.0 + number, rng.choice([60.0, 200.0])) for name in names}, time)


def _end_start(league: League, rng: random.Random, number: int) -> None:
    there = league.starts()["player"].to_list()
    if there:
        league.remove_start(rng.choice(there))
    else:
        _start(league, rng, number)


def _change_guest(league: League, rng: random.Random, _: int) -> None:
    """Make somebody a guest, or a member again."""
    somebody = rng.choice(_in_contest(league, league.contests()["contest"][-1]))
    if not league.set_guest(somebody).applied:
        league.set_guest(somebody, False)


def _change_rules(league: League, rng: random.Random, number: int) -> None:
    titles = ((1400.0 + number, "expert"),)
    kept, until = rng.random() < 0.5, rng.randint(0, 3)
    league.set_rules(Rules(titles=titles, keep_titles=kept, provisional_until=until))


def _rename(league: League, rng: random.Random, number: int) -> None:
    league.rename(rng.choice(_names(league)), f"called {number}")


def _merge(league: League, rng: random.Random, number: int) -> None:
    """Make one player of two, of whom the first came late; or add one without results."""
    late = [name for name in _names(league) if name.startswith(("late", "new", "known"))]
    try:
        league.merge(rng.choice(late), rng.choice([*late, PLAYERS[0]]), keep="first")
    except (IndexError, PodiumError):
        league.describe(f"known {number}", {}, new=True)


def _change_attribute(league: League, rng: random.Random, number: int) -> None:
    """Let there be another attribute, or one that only the organiser sees."""
    league.define_attributes(f"number_{number}:number", public=rng.random() < 0.5)


def _end_attribute(league: League, rng: random.Random, number: int) -> None:
    there = [each.name for each in league.attributes]
    if there:
        league.remove_attributes(rng.choice(there))
    else:
        _change_attribute(league, rng, number)


def _describe(league: League, rng: random.Random, number: int) -> None:
    """Let something be known of some players, one of them perhaps new."""
    names = {*rng.sample(_names(league), 2), rng.choice([f"known {number}", PLAYERS[0]])}
    fields = {each.name: number for each in league.attributes} | {"display": f"Somebody {number}"}
    rows = [{"player": name, **fields} for name in sorted(names)]
    league.describe_all(pl.DataFrame(rows), new=True)


def _hide(league: League, rng: random.Random, _: int) -> None:
    """Hide somebody, or show them again."""
    somebody = rng.choice(_names(league))
    if not league.hide(somebody).applied:
        league.show(somebody)


def _names(league: League) -> list[str]:
    return league.people(with_hidden=True)["player"].to_list()


def _in_contest(league: League, id: str) -> list[str]:
    with league.snapshot(with_hidden=True) as view:
        return view.contest(id)["player"].to_list()


_OF_NO_CONTEST = {
    "rename": _rename,
    "merge": _merge,
    "attribute": _change_attribute,
    "end attribute": _end_attribute,
    "describe": _describe,
    "hide": _hide,
    "season": _begin_season,
    "end season": _end_season,
    "start": _start,
    "end start": _end_start,
    "guest": _change_guest,
    "rules": _change_rules,
}


def turn(league: League, action: str) -> None:
    """Take back the last change, make one again, or reinstate who was disqualified last."""
    if action == "reinstate":
        entries = league.log()
        last = entries.filter(entries["action"] == "disqualify").head(1)
        if not last.height:
            raise PodiumError("nobody was disqualified.")
        league.reinstate(last["contest"].item(), last["player"].item())
    else:
        getattr(league, action)()


def applied(league: League) -> int:
    """How many changes the league has seen."""
    return league.log().height - 1


def warm_up() -> None:
    """Have the kernels at hand, without the threads that a copy of this process would miss."""
    beliefs = Beliefs(SYSTEM)
    beliefs.enrol(["ann", "bob"])
    columns = Columns(
        offsets=np.array([0, 2]),
        player=np.array([0, 1], np.int32),
        rank=np.array([1, 2], np.int32),
        time=np.array([0]),
        weight=np.ones(1),
        perf_ceiling=np.full(1, np.inf),
    )
    SYSTEM.update_many(beliefs, columns, np.empty((len(EVENTS), 2)), first=0, last=1, threads=1)


def say(file: int, *words: object) -> None:
    os.write(file, (" ".join(map(str, words)) + "\n").encode())


class Steps:
    """How many statements and commits a database was given since this was made."""

    def __init__(self, last: int | None, at_last: Callable[[], None]) -> None:
        self.count = 0
        self._last = last
        self._at_last = at_last
        for each in ("before_cursor_execute", "commit"):
            event.listen(Engine, each, self._next)

    def _next(self, *_: object) -> None:
        self.count += 1
        if self.count == self._last:
            self._at_last()


def act(report: int, where: str, action: str, moment: int | None, who: str) -> None:
    """Change a league until that step, or once, to count the steps."""

    def die() -> None:
        if who == "itself":
            os.kill(os.getpid(), signal.SIGKILL)
        say(report, "now")

    if action == "migrate":
        say(report, "begun", 0)
        steps = Steps(moment, die)
        League.migrate(where)
    else:
        with League(where) as league:
            number = applied(league)
            steps = Steps(moment, die)
            for later in range(number, number + (1 if moment is None else 50)):
                say(report, "begun", later)
                change(league, later)
                say(report, "acknowledged", later)
    say(report, "steps", steps.count)


def copied(*what: Any) -> dict[str, int]:
    """What a copy of this process said that did so, and perhaps was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            act(writing, *what)
        except PodiumError as error:
            say(writing, error)
        os._exit(0)
    os.close(writing)
    said = {}
    with open(reading) as report:
        for line in report:
            if line == "now\n":
                os.kill(child, signal.SIGKILL)
            else:
                word, number = line.split()
                said[word] = int(number)
    os.waitpid(child, 0)
    return said


def main() -> None:
    warm_up()
    say(1, "ready")
    usual: dict[str, int] = {}
    for line in sys.stdin:
        where, twin, action, share, who = line.rstrip("\n").split("\t")
        if action not in usual:
            rehearsal = shutil.copy(twin, f"{twin}.rehearsal")
            usual[action] = copied(rehearsal, action, None, "nobody")["steps"]
        said = copied(where, action, 1 + int(float(share) * usual[action]), who)
        assert who != "itself" or "steps" not in said
        say(1, said["begun"], said.get("acknowledged", -1))


def record_all(where: str, name: str, count: int, seconds: float) -> None:
    """Record contests one by one, beside others who do so too; say how many were acknowledged.

    At least so many, and for so many seconds; now and then one is amended or removed.
    """
    with League(where, wait=600.0) as league:
        say(1, "ready")
        sys.stdin.readline()
        until, number = clock.monotonic() + seconds, 0
        while number < count or clock.monotonic() < until:
            rng = random.Random(f"{name} {number}")
            league.record(standings(rng, f"{name} {number}"), who=name)
            if number % 10 == 9:
                league.amend(f"{name} {number - 5}", weight=2.0, who=name)
                league.remove(f"{name} {number - 9}", who=name)
            number += 1
        say(1, number)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        record_all(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
    else:
        main()
