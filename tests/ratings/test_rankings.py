import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import InputError, Ladder, NotFoundError
from podium.ratings import rankings
from podium.ratings.beliefs import Beliefs
from podium.ratings.rankings import with_places

NAMES = [f"p{number}" for number in range(9)]


def assert_ranked(asked, *, at=None):
    """Every answer about places is what sorting everybody gives."""
    ratings = asked.ratings if at is None else asked.leaderboard(None, at=at).drop("place")
    whole = with_places(ratings)
    for n in (0, 1, 2, 3, len(asked), len(asked) + 3):
        assert asked.leaderboard(n, at=at).equals(whole.head(n))
        top = asked.top(n, at=at)
        assert [(each.place, each.name, each.rating) for each in top] == (
            whole.head(n).select("place", "player", "rating").rows()
        )
    for name, place in whole.select("player", "place").iter_rows():
        assert asked.place(name, at=at) == place
        assert asked.player(name, at=at).place == place


@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.sampled_from(NAMES), min_size=1, unique=True).flatmap(
            lambda names: st.sampled_from([names, [tuple(names)]])
        ),
        max_size=5,
    )
)
def test_places_are_those_of_the_sorted_ratings_after_every_contest(standings):
    ladder = Ladder("elo")
    assert_ranked(ladder)
    for day, order in enumerate(standings):
        ladder.record(order, time=day * 86_400)
        assert_ranked(ladder)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=400), st.integers(1, 12))
def test_the_best_are_found_in_any_crowd(levels, n):
    beliefs = Beliefs(podium.system("elo"))
    beliefs.enrol([f"{number:x}" for number in range(len(levels))])
    beliefs.table["mu"][: len(levels)] = levels
    ladder = Ladder.from_beliefs(beliefs)
    assert ladder.leaderboard(n).equals(ladder.leaderboard(None).head(n))


def test_a_contest_does_not_make_everybody_be_rated_anew(monkeypatch):
    ladder = Ladder()
    ladder.record(NAMES)
    assert ladder.top(1)[0].name == "p0"
    rated = []
    wanted = rankings.shown

    def counting(beliefs, players, moment):
        rated.append(players)
        return wanted(beliefs, players, moment)

    monkeypatch.setattr(rankings, "shown", counting)
    for _ in range(3):
        ladder.record(["p8", "newcomer"])
        assert ladder.place("newcomer") == 10
    assert [players.tolist() for players in rated] == [[8, 9]] * 3
    monkeypatch.undo()
    assert_ranked(ladder)


def test_contests_that_somebody_else_recorded_count():
    ladder = Ladder()
    ladder.record(["ann", "bob", "cat"])
    other = Ladder.from_beliefs(ladder.beliefs, copy=False)
    assert (ladder.place("bob"), other.place("bob")) == (2, 2)
    for _ in range(9):
        other.record(["bob", "ann"])
    assert ladder.place("bob") == 1
    for _ in range(99):
        other.record(["ann", "bob"])
    ladder.record(["cat", "dan"])
    assert ladder.place("bob") > ladder.place("ann") == 1
    assert_ranked(ladder)
    assert_ranked(other)
    ladder.beliefs = podium.rate(podium.simulate(players=4, rounds=110, seed=3)).beliefs
    assert (len(ladder), ladder.beliefs.rounds) == (len(other), other.beliefs.rounds)
    assert_ranked(ladder)


def test_room_for_newcomers_is_made_while_places_are_known():
    ladder = Ladder()
    ladder.record(["a", "b"])
    for number in range(200):
        assert ladder.place("a") == 1
        ladder.record(["a", f"{number}"])
    assert_ranked(ladder)


def test_places_as_of_a_date():
    ladder = Ladder("trueskill", drift_per_day=0.1, caution=3.0)
    for day in range(20):
        ladder.record(["ann", "bob"], time=day * 86_400)
    for day in range(20, 100):
        ladder.record(["cat", "bob"], time=day * 86_400)
    assert_ranked(ladder, at="1971-01-01")
    assert (ladder.place("ann"), ladder.place("cat")) == (1, 2)
    assert (ladder.place("ann", at="1970-04-12"), ladder.place("cat", at="1970-04-12")) == (2, 1)
    assert ladder.player("ann", at="1970-04-12").sigma > ladder.player("ann").sigma
    with pytest.raises(InputError, match="are not known, because later contests are rated"):
        ladder.place("ann", at="1970-01-02")


def test_rated_has_places_too():
    rated = podium.rate(podium.simulate(players=30, rounds=6, seed=2))
    assert_ranked(rated)
    assert rated.top(3) == Ladder.from_beliefs(rated.beliefs).top(3)
    assert isinstance(rated.ratings, pl.DataFrame)
    assert np.isfinite([each.rating for each in rated.top(5)]).all()


@pytest.mark.parametrize("n", [-1, 1.5, True, "3"])
def test_bad_sizes_are_refused(n):
    for ask in (Ladder().top, Ladder().leaderboard):
        with pytest.raises(InputError, match=r"^a leaderboard of .* players cannot be; give 0 or"):
            ask(n)


def test_nobody_else_has_a_place():
    ladder = Ladder()
    ladder.record(["ann", "bob"])
    with pytest.raises(NotFoundError, match=r"^there is no player 'Anne' \(did you mean 'ann'\?\)"):
        ladder.place("Anne")
