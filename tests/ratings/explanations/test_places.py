"""What one place better or worse would have given."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from tests.ratings.explanations.seasons import EVERY, LATER, explained, results, standings


def rating_of(beliefs, order, player) -> float:
    ladder = podium.Ladder.from_beliefs(beliefs)
    ladder.record(order, time=LATER * 86_400)
    return ladder[player].rating


@pytest.mark.parametrize(
    ("options"),
    [{}, {"rho": 0.2, "noob_delay": (0.5,)}, {"split_ties": True}, {"performance": "gaussian"}],
)
@settings(max_examples=12)
@given(st.data())
def test_a_better_place_never_gives_a_lower_rating(options, data):
    found = explained(data, "elo-mmr", options)
    for place, sign in ((found.better, 1.0), (found.worse, -1.0)):
        if place is not None:
            assert sign * (place.rating - found.change.rating) >= -1e-9
            assert sign * (place.performance - found.performance) >= -1e-9


@pytest.mark.parametrize("name", podium.systems.of_any_size())
def test_other_places_are_what_a_ladder_gives_for_them(name):
    season = podium.simulate(players=7, rounds=8, seed=3)
    beliefs = podium.rate(season, name).beliefs
    a, b, c, d, e, f, g = beliefs.names
    found = podium.explain(beliefs, standings(a, b, c, d, e, f, g), d)
    assert found.better.rating == rating_of(beliefs, [a, b, d, c, e, f, g], d)
    assert found.worse.rating == rating_of(beliefs, [a, b, c, e, d, f, g], d)
    assert (found.better.rank, found.worse.rank) == (3, 5)


def test_who_is_tied_leaves_the_tie_and_who_is_next_to_one_joins_it():
    beliefs = podium.rate(podium.simulate(players=6, rounds=8, seed=3)).beliefs
    a, b, c, d, e, f = sorted(beliefs.names)
    contest = standings(a, (b, c, d), e, f)
    tied = podium.explain(beliefs, contest, c)
    assert (tied.tied_with, tied.better.rank, tied.worse.rank) == (2, 2, 4)
    assert tied.better.rating == rating_of(beliefs, [a, c, (b, d), e, f], c)
    assert tied.worse.rating == rating_of(beliefs, [a, (b, d), c, e, f], c)
    next_to = podium.explain(beliefs, contest, e)
    assert (next_to.better.rank, next_to.better.tied_with) == (2, 3)
    assert next_to.better.rating == rating_of(beliefs, [a, (b, c, d, e), f], e)
    first = podium.explain(beliefs, contest, a)
    assert first.better is None
    assert first.worse.rating == rating_of(beliefs, [(a, b, c, d), e, f], a)
    assert podium.explain(beliefs, contest, f).worse is None


def test_a_team_moves_as_one():
    cup = podium.Contests.from_records(
        [
            {"contest": "cup", "time": LATER * 86_400, "player": player, "team": team, "rank": rank}
            for player, team, rank in (
                ("ann", "red", 1),
                ("bob", "red", 1),
                ("cat", "blue", 2),
                ("dan", "blue", 2),
            )
        ]
    )
    for name in podium.systems.with_teams():
        beliefs = podium.Beliefs(podium.system(name))
        found = podium.explain(beliefs, cup, "dan")
        swapped = rating_of(beliefs, [["cat", "dan"], ["ann", "bob"]], "dan")
        assert found.better.rating == swapped
        assert found.worse is None


def test_a_match_that_was_lost_is_won_instead():
    frame = pl.DataFrame(
        {"time": [86_400_000], "player_a": ["ann"], "player_b": ["bob"], "outcome": [0.7]}
    )
    match = podium.Contests.from_matches(frame)
    beliefs = podium.Beliefs(podium.system("luck"))
    found = podium.explain(beliefs, match, "bob")
    assert found.score == pytest.approx(0.3)
    assert found.better.rating == rating_of(beliefs, ["bob", "ann"], "bob")


@pytest.mark.parametrize(("name", "options"), EVERY)
@settings(max_examples=8)
@given(st.data())
def test_only_the_ends_have_no_place_beyond(name, options, data):
    season = data.draw(results(name))
    contest = season[len(season) - 1]
    beliefs = podium.rate(season[:-1], podium.system(name, **options), history=False).beliefs
    for player, rank in zip(contest.players, contest.rank.tolist(), strict=True):
        found = podium.explain(beliefs, season[len(season) - 1 :], player)
        alone = contest.rank.tolist().count(rank) == 1
        assert (found.better is None) == (rank == 1 and alone)
        assert (found.worse is None) == (rank == max(contest.rank.tolist()) and alone)
