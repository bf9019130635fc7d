"""Volatility farming on contests: what is altered, when, and what it brings."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, PodiumError, systems
from podium.evaluation.attacks import farming
from tests.strategies import contests, match_lists

EVERY = pytest.mark.parametrize("name", systems.names())
ALWAYS = -1e9
"""A threshold above which everybody is rated."""


def season(name: str) -> Contests:
    if name in systems.of_any_size():
        return podium.simulate(players=12, rounds=30, ties=0.3, seed=4)
    return podium.simulate_matches(players=4, matches=80, draws=0.3, seed=4)


def with_last(whole: Contests, player: str, thrown: set[str]) -> Contests:
    """The same results, put down anew, with the player last in these contests."""
    frame = whole.frame()
    last = (pl.col("player") == player) & pl.col("contest").is_in(list(thrown))
    place = pl.when(last).then(10**6).otherwise(pl.col("rank"))
    altered = frame.with_columns(rank=place).drop("outcome", "margin", strict=False)
    return Contests.from_frame(altered, rerank=True, sort=False)


@settings(max_examples=60)
@given(contests(max_contests=6), st.data())
def test_who_throws_comes_last_alone_and_all_behind_move_up(whole, data):
    player = data.draw(st.sampled_from(whole.frame()["player"].unique().sort().to_list()))
    theirs = whole.frame().filter(pl.col("player") == player)["contest"].to_list()
    first = data.draw(st.integers(1, max(1, len(theirs) - 1)))
    if len(theirs) <= first:
        return
    attack = farming(
        whole,
        "elo",
        player,
        threshold=ALWAYS,
        honest_first=first,
        farming=len(theirs) - first,
        honest_last=0,
    )
    assert attack.contests == with_last(attack.control, player, set(theirs[first:]))
    assert attack.control == whole[: len(attack.control)]
    assert attack.control.ids[-1] == theirs[-1]
    assert attack.table["thrown"].to_list() == [False] * first + [True] * (len(theirs) - first)


@settings(max_examples=30)
@given(match_lists(scores=True), st.sampled_from(["ann", "Bob", "bob"]))
def test_a_thrown_match_is_lost_by_no_known_score(table, player):
    whole = Contests.from_matches(table)
    count = int((whole.frame()["player"] == player).sum())
    if count < 2:
        return
    attack = farming(
        whole, "luck", player, threshold=ALWAYS, honest_first=1, farming=count - 1, honest_last=0
    )
    theirs = attack.table["contest"].to_list()[1:]
    before, after = attack.control.frame(), attack.contests.frame()
    unchanged = ~pl.col("contest").is_in(theirs)
    key = ["contest", "player"]
    assert (
        after.filter(unchanged)
        .select(before.columns[:4])
        .equals(before.filter(unchanged).select(before.columns[:4]))
    )
    lost = after.filter(~unchanged, pl.col("player") == player)
    assert lost["rank"].to_list() == [2] * len(theirs)
    assert after.sort(key)["side"].equals(before.sort(key)["side"])
    if "outcome" in after.columns:
        already = before.filter(pl.col("player") == player, pl.col("rank") == 2)["contest"]
        anew = lost.filter(~pl.col("contest").is_in(already.implode()))
        assert anew["outcome"].null_count() == anew.height


@EVERY
def test_ratings_are_those_of_rating_the_results(name):
    whole = season(name)
    player = whole[0].players[0]
    numbers = {"honest_first": 8, "farming": 8, "honest_last": 4}
    attack = farming(whole, name, player, threshold=ALWAYS, **numbers)
    assert attack.system == systems.build(name)
    for results, column in ((attack.control, "control"), (attack.contests, "attacked")):
        own = podium.rate(results, name).history_of(player)
        assert own["rating"].to_list() == attack.table[column].to_list()
        assert own["contest"].to_list() == attack.table["contest"].to_list()
    other = "elo" if name == "glicko" else "glicko"
    table = attack.transferred(other)
    for results, column in ((attack.control, "control"), (attack.contests, "attacked")):
        own = podium.rate(results, other).history_of(player)["rating"]
        assert own.to_list() == table[column].to_list()
    assert not table["control"].equals(table["attacked"])
    assert table.drop("control", "attacked").equals(attack.table.drop("control", "attacked"))


@pytest.mark.parametrize("threshold", [None, 1550.0])
def test_contests_are_thrown_when_rated_above_the_threshold_and_only_then(threshold):
    whole = season("glicko2")
    attack = farming(
        whole,
        "glicko2",
        "player-0005",
        threshold=threshold,
        honest_first=10,
        farming=12,
        honest_last=8,
    )
    if threshold is None:
        threshold = float(np.median(attack.table["control"][:10]))
    assert attack.threshold == threshold
    before = [1500.0, *attack.table["attacked"].to_list()[:-1]]
    expected = [10 <= number < 22 and before[number] > threshold for number in range(30)]
    assert attack.table["thrown"].to_list() == expected
    assert 0 < sum(expected) < 12
    assert attack.table["attacked"][:10].equals(attack.table["control"][:10].alias("attacked"))
    assert attack.gain == attack.table["attacked"][-1] - attack.table["control"][-1]
    assert attack.climb == attack.table["attacked"][-1] - attack.table["attacked"][21]


def test_a_rating_at_the_threshold_is_not_above_it():
    numbers = {"honest_first": 10, "farming": 5, "honest_last": 3}
    honest = farming(season("elo"), "elo", "player-0005", **numbers).table["control"][9]
    for threshold, first in ((honest, False), (np.nextafter(honest, 0.0), True)):
        attack = farming(season("elo"), "elo", "player-0005", threshold=threshold, **numbers)
        assert attack.table["thrown"][10] is first


def test_who_always_throws_stops_when_farming_is_over():
    attack = farming(
        season("elo"),
        "elo",
        "player-0005",
        threshold=ALWAYS,
        honest_first=10,
        farming=12,
        honest_last=8,
    )
    assert attack.table["thrown"].to_list() == [False] * 10 + [True] * 12 + [False] * 8
    rows = attack.contests.frame().filter(player="player-0005")["rank"].to_list()
    before = attack.control.frame().filter(player="player-0005")["rank"].to_list()
    assert rows == [*before[:10], *[12] * 12, *before[22:]]


def test_results_that_have_lost_their_only_score_are_those_without_scores():
    rows = [("ann", "bob", 1.0), ("ann", "bob", 0.75), ("bob", "ann", 1.0)]
    table = pl.DataFrame(rows, schema=["player_a", "player_b", "outcome"], orient="row")
    whole = Contests.from_matches(table.with_columns(time=pl.Series([0, 1, 2])))
    attack = farming(
        whole, "luck", "ann", threshold=ALWAYS, honest_first=1, farming=1, honest_last=1
    )
    assert attack.contests == with_last(attack.control, "ann", {whole.ids[1]})
    assert podium.rate(attack.contests, "elo").ratings.height == 2


def test_parameters_of_the_other_system_count():
    attack = farming(season("elo"), "elo", "player-0005", honest_first=8, farming=8, honest_last=4)
    assert attack.transferred("elo", k=60.0)["control"].equals(
        attack.transferred(podium.system("elo", k=60.0))["control"]
    )
    assert not attack.transferred("elo", k=60.0)["control"].equals(attack.table["control"])


def test_the_results_that_are_attacked_stay_as_they_were():
    whole = season("elo")
    before = whole.frame()
    farming(
        whole, "elo", "player-0001", threshold=ALWAYS, honest_first=1, farming=20, honest_last=5
    )
    assert whole.frame().equals(before)


def test_progress_comes_to_its_end():
    seen = []
    farming(
        season("elo"),
        "elo",
        "player-0001",
        honest_first=10,
        farming=10,
        honest_last=10,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "gain"),
    [
        ({"variant": "papers", "mu_new": 1500.0, "sigma_new": 350.0}, 523),
        ({"mu_new": 1500.0, "sigma_new": 350.0}, 314),
        ({}, 334),
    ],
    ids=str,
)
def test_figure_2_of_the_paper(codeforces, parameters, gain):
    """523 points in all and almost 1000 in the last 15 contests, says the paper."""
    attack = farming(codeforces, "topcoder", "tourist", threshold=2975.0, **parameters)
    assert round(attack.gain) == gain
    assert attack.table["time"][-1].year == 2015
    if gain == 523:
        assert 990.0 < attack.climb < 1000.0
    table = attack.transferred("elo-mmr")
    assert table["attacked"][-1] < table["control"][-1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"player": "Player-0001"}, "no player 'Player-0001' (did you mean 'player-0001'?)"),
        ({"player": 7}, "there is no player 7."),
        ({"honest_last": 16}, "'player-0001' takes part in 30 contests, but the experiment needs "),
        ({"honest_first": 0}, "honest_first must be a whole number of at least 1, not 0."),
        ({"farming": 1.5}, "farming must be a whole number of at least 1, not 1.5."),
        ({"honest_last": -1}, "honest_last must be a whole number of at least 0, not -1."),
        ({"threshold": float("nan")}, "threshold must be a finite number, not nan."),
        ({"threshold": float("inf")}, "threshold must be a finite number, not inf."),
        ({"system": "topcode"}, "there is no system 'topcode' (did you mean 'topcoder'?)"),
        ({"sigma_min": -1.0}, "glicko: sigma_min must be a number of at least 0, not -1.0."),
        ({"contests": None}, "contests are needed, not NoneType"),
        ({"system": "luck"}, "luck rates contests of at most 2"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(arguments, sentence):
    given = {
        "contests": season("elo"),
        "system": "glicko",
        "player": "player-0001",
        "honest_first": 10,
        "farming": 5,
        "honest_last": 5,
        **arguments,
    }
    with pytest.raises(PodiumError) as refused:
        farming(given.pop("contests"), given.pop("system"), given.pop("player"), **given)
    assert sentence in str(refused.value)


def test_teams_are_refused():
    rows = [
        {"contest": "a", "time": 0, "player": player, "team": team, "rank": rank}
        for player, team, rank in (("ann", "x", 1), ("bob", "x", 1), ("cat", None, 3))
    ]
    with pytest.raises(PodiumError, match=r"of a team cannot come last alone; .*without_teams"):
        farming(Contests.from_records(rows), "elo-mmx", "ann")
