"""What `System.rate_contest` is given, and what is done with what it leaves."""

import math
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import podium
from podium import Contests, Ladder
from podium.systems import Performances, System, parameter
from tests.test_testing import Sound

DAY = 86_400_000_000


class Watched(Sound):
    """A system that remembers what it was asked."""

    name = "watched"
    seen: ClassVar[list] = []

    def new_shared(self):
        return np.zeros(1)

    def rate_contest(self, players, standings):
        self.seen.append((players.copy(), standings))
        standings.shared[0] += 1.0
        return super().rate_contest(players, standings)


def asked(ladder, standings, **options):
    Watched.seen.clear()
    ladder.record(standings, **options)
    return Watched.seen


def test_uncertainty_has_grown_by_the_time_of_the_contest():
    ladder = Ladder(Watched(drift_per_day=100.0))
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"].sigma
    ((players, standings),) = asked(ladder, ["ann", "cat"], time=10 * 86_400)
    assert players["sigma"][0] == math.sqrt(before**2 + 1000.0)
    assert players["sigma"][1] == 300.0
    assert standings.time == 10 * DAY
    assert players["contests"].tolist() == [1, 0]


def test_who_is_alone_grows_uncertain_and_nobody_is_asked():
    ladder = Ladder(Watched(drift_per_day=100.0))
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"]
    assert asked(ladder, ["ann"], time=10 * 86_400) == []
    assert asked(ladder, [["ann", "bob"]], time=10 * 86_400) == []
    assert ladder["ann"].sigma == math.sqrt(before.sigma**2 + 1000.0)
    assert (ladder["ann"].contests, ladder["bob"].contests) == (3, 2)


def test_standings_say_how_the_contest_ended():
    ladder = Ladder(Watched())
    entries = [["ann", "bob"], (["cat"], "dan"), "eve"]
    ((_, standings),) = asked(ladder, entries, weight=2.0, perf_ceiling=1700, shares={"bob": 0.5})
    assert standings.rank.tolist() == [1, 1, 3, 3, 5]
    assert standings.competitor.tolist() == [0, 0, 1, 2, 3]
    assert standings.share.tolist() == [1.0, 0.5, 1.0, 1.0, 1.0]
    assert standings.scores.tolist() == [1.0, 1.0, 0.5, 0.5, 0.0]
    assert (standings.weight, standings.perf_ceiling) == (2.0, 1700.0)
    assert standings.side.tolist() == [0] * 5
    assert math.isnan(standings.margin)
    ((_, match),) = asked(ladder, ["ann", "bob"], score=0.25, home="ann", margin=2)
    assert match.scores.tolist() == [0.75, 0.25]
    assert (match.side.tolist(), match.margin) == ([-1, 1], 2.0)


def test_what_all_share_and_performances_are_kept():
    played = podium.simulate(players=6, rounds=5, seed=2)
    rated = podium.rate(played, Watched())
    assert rated.beliefs.shared.tolist() == [5.0]
    assert rated.history["performance"].null_count() == 0
    alone = pl.DataFrame({"contest": "x", "time": 0, "player": ["ann"], "rank": [1]})
    assert podium.rate(Contests.from_frame(alone), Watched()).history["performance"].item() is None


def test_a_rating_that_is_not_finite_is_refused_where_it_arises():
    class Nowhere(System):
        """Loses everybody."""

        name = "nowhere"

        def rate_contest(self, players, standings):
            players["mu"] = np.nan * standings.weight

        def performances(self, field):
            return Performances.normal(field.mu, 1.0)

    ladder = podium.Ladder(Nowhere())
    with pytest.raises(podium.InputError, match=r"^nowhere gives a player a mu that is not finite"):
        ladder.record(["ann", "bob"], time="2026-05-01")


def test_a_parameter_in_a_class_that_is_no_dataclass_is_refused():
    class Forgotten(podium.systems.Elo):
        """Elo with one more."""

        name = "forgotten"
        bonus: float = parameter(1.0, "what is forgotten")

    with pytest.raises(podium.InputError, match=r"it lacks the decorator @dataclasses\.dataclass"):
        Forgotten()
