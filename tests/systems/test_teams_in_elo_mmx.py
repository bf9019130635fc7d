"""Elo-MMX with teams: against plain code and against exact Gaussian conditioning."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Ladder
from tests.numerics import plain


class PlainTeams:
    """A team's performance is the weighted sum or mean of Gaussian skills, plus noise."""

    def __init__(self, mean: bool) -> None:
        self.mean = mean
        self.belief: dict[str, tuple[float, float]] = {}

    def record(self, teams, ranks, shares) -> None:
        a, limit = 0.2, 80.0**2
        beta2, gamma2 = (1 + 1 / a) * limit, a * limit
        for name in (name for team in teams for name in team):
            mu, variance = self.belief.get(name, (1500.0, 350.0**2))
            self.belief[name] = (mu, variance + gamma2)
        weights = []
        for team in teams:
            given = np.array([shares.get(name, 1.0) for name in team])
            weights.append(given / given.sum() if self.mean else given)
        mu = np.array(
            [
                sum(w * self.belief[name][0] for w, name in zip(own, team, strict=True))
                for own, team in zip(weights, teams, strict=True)
            ]
        )
        variance = np.array(
            [
                beta2 + sum(w**2 * self.belief[name][1] for w, name in zip(own, team, strict=True))
                for own, team in zip(weights, teams, strict=True)
            ]
        )
        found = plain.performances(plain.GAUSSIAN, mu, np.sqrt(variance), np.array(ranks), False)
        for k, team in enumerate(teams):
            self._condition(team, weights[k], found[k], beta2)

    def _condition(self, team, weights, performance, beta2) -> None:
        """The joint posterior of all members given ``weights @ skills + noise = performance``."""
        mu = np.array([self.belief[name][0] for name in team])
        covariance = np.diag([self.belief[name][1] for name in team])
        gain = covariance @ weights / (weights @ covariance @ weights + beta2)
        mu = mu + gain * (performance - weights @ mu)
        covariance = covariance - np.outer(gain, weights @ covariance)
        for name, m, v in zip(team, mu, np.diag(covariance), strict=True):
            self.belief[name] = (float(m), float(v))


@st.composite
def matches(draw):
    """Teams best first, each perhaps tied with the one before, and some shares."""
    names = draw(st.permutations([f"p{number}" for number in range(8)]))
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    teams = []
    for size in sizes:
        if names:
            teams.append(list(names[:size]))
            names = names[size:]
    tied = draw(st.lists(st.booleans(), min_size=len(teams), max_size=len(teams)))
    some = draw(st.dictionaries(st.sampled_from(teams[0]), st.sampled_from([0.1, 0.5, 1.0])))
    return teams, tied, some


@pytest.mark.parametrize("team", ["mean", "sum"])
@settings(max_examples=40)
@given(st.lists(matches(), min_size=1, max_size=4))
def test_members_are_conditioned_on_their_teams_performance(team, season):
    ladder, model = Ladder("elo-mmx", team=team), PlainTeams(team == "mean")
    for teams, tied, shares in season:
        entries, ranks = [], []
        for place, own in enumerate(teams):
            if place and tied[place]:
                entries[-1] = (*entries[-1], own)
                ranks.append(ranks[-1])
            else:
                entries.append((own,))
                ranks.append(place + 1)
        ladder.record(entries, shares=shares)
        model.record(teams, ranks, shares)
    for name, (mu, variance) in model.belief.items():
        assert ladder[name].mu == pytest.approx(mu, abs=1e-6)
        assert ladder[name].sigma == pytest.approx(math.sqrt(variance), rel=1e-10)


def test_in_a_sum_a_larger_team_is_stronger_and_in_a_mean_it_is_not():
    for team, expected in (("sum", 1.0), ("mean", 0.5)):
        ladder = Ladder("elo-mmx", team=team)
        ladder.record([("ann", "bob", "cat")])
        chance = ladder.win_probability(["ann", "bob"], "cat")
        assert chance == pytest.approx(expected, abs=0.01)


def test_a_better_place_never_lowers_a_member():
    order = [["a1", "a2"], ["b1"], ["c1", "c2", "c3"], ["d1"]]
    previous = math.inf
    for place in range(len(order)):
        others = [team for team in order if team[0] != "c1"]
        ladder = Ladder("elo-mmx")
        ladder.record([*others[:place], order[2], *others[place:]])
        assert ladder["c1"].mu < previous
        previous = ladder["c1"].mu


def test_a_team_alone_learns_nothing():
    ladder = Ladder("elo-mmx", drift_per_day=3.0)
    ladder.record([["ann", "bob"]], time="2026-05-01")
    ladder.record([["ann", "bob"]], time="2026-05-03")
    assert ladder["ann"].mu == 1500.0
    assert ladder["ann"].sigma == pytest.approx(math.sqrt(350.0**2 + 6.0))


def test_a_ceiling_caps_the_performance_of_a_team():
    ladder = Ladder("elo-mmx")
    ladder.record([["ann", "bob"], "cat"], perf_ceiling=1510.0)
    assert 1500.0 < ladder["ann"].mu < 1510.0


def test_the_history_shows_the_performance_of_the_team():
    frame = pl.DataFrame(
        {
            "contest": "cup",
            "time": 0,
            "player": ["ann", "bob", "cat"],
            "team": ["red", "red", None],
            "rank": [1, 1, 2],
        }
    )
    history = podium.rate(podium.Contests.from_frame(frame), "elo-mmx").history
    performance = history["performance"].to_list()
    assert performance[0] == performance[1] > performance[2]
    assert history["rank"].to_list() == [1, 1, 2]
    assert history["sigma"][0] == history["sigma"][1] < history["sigma_before"][0]


def test_in_a_sum_the_share_of_a_player_alone_counts():
    one, other = (Ladder("elo-mmx", team="sum") for _ in range(2))
    one.record(["ann", "bob"])
    other.record(["ann", "bob"], shares={"ann": 0.5})
    assert one["ann"].mu != other["ann"].mu


def test_teams_of_one_with_shares_are_players_in_a_mean():
    """The share of a player alone changes nothing there, but takes the way of teams."""
    options = {"noob_delay": (0.5, 0.8), "split_ties": True, "drift_per_day": 3.0}
    one, other = Ladder("elo-mmx", **options), Ladder("elo-mmx", **options)
    season = [
        ["ann", ("bob", "cat")],
        [("cat", "ann"), "dan"],
        ["eve", "ann", "dan"],
        ["bob", "dan"],
    ]
    for day, standings in enumerate(season):
        given = {"time": 86_400 * day, "weight": 2.0, "perf_ceiling": 1800.0}
        one.record(standings, **given)
        shares = None if day == 1 else {"ann" if day < 3 else "dan": 0.5}
        other.record(standings, **given, shares=shares)
    for field in ("mu", "sigma", "p0", "w0", "scale"):
        expected = one.beliefs.column(field)
        assert other.beliefs.column(field) == pytest.approx(expected, rel=1e-9)
