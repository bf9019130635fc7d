"""A process that changes a league again and again, to be killed; see test_nothing_lost.

It imports everything once and then, for each line `WHERE ACTION` that it reads, lets a copy of
itself change that league, which says when a change begins and ends.
"""

import os
import random
import sys

import numpy as np

from podium import Contests, League, PodiumError, systems
from podium.ratings.beliefs import Beliefs
from podium.results.columns import Columns
from podium.systems.base import EVENTS

SYSTEM = systems.EloMMR(drift_per_day=2.0)
PLAYERS = [f"p{number}" for number in range(8)]


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
    action = rng.choice(["record", "record", "record", "amend", "remove", "unrate"])
    if len(known) < 5 or action == "record":
        league.record(standings(rng, f"contest {number}"))
    elif action == "amend":
        league.amend(id := rng.choice(known), standings(rng, id))
    elif action == "remove" and len(known) > 10:
        league.remove(rng.choice(known))
    else:
        league.amend(rng.choice(known), weight=rng.choice([0.25, 0.5, 2.0, 3.0]) + number / 1e3)


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


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def act(where: str, action: str) -> None:
    if action == "migrate":
        say("begin", 0, os.getpid())
        League.migrate(where)
        say("end", 0)
        return
    with League(where) as league:
        number = applied(league)
        for _ in range(50):
            say("begin", number, os.getpid())
            change(league, number)
            say("end", number)
            number += 1


def main() -> None:
    warm_up()
    say("ready")
    for line in sys.stdin:
        where, action = line.rstrip("\n").rsplit(" ", 1)
        child = os.fork()
        if child == 0:
            try:
                act(where, action)
            except PodiumError as error:
                say("refused", error)
            os._exit(0)
        os.waitpid(child, 0)
        say("over")


def record_all(where: str, name: str, count: int) -> None:
    """Record contests one by one, beside others who do so too."""
    with League(where) as league:
        say("ready")
        sys.stdin.readline()
        for number in range(count):
            rng = random.Random(f"{name} {number}")
            league.record(standings(rng, f"{name} {number}"), who=name)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        record_all(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
