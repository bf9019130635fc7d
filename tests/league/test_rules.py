"""What is shown, to whom, and what it earns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import League, PodiumError, systems
from podium.league import Rules

TITLES = ((1200.0, "pupil"), (1400.0, "expert"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"display": "median"}, "display must be system or mean or conservative, not 'median'"),
        ({"caution": -1}, "caution must be a number from 0 to 100"),
        ({"caution": float("nan")}, "caution must be a number"),
        ({"hidden_until": -1}, "hidden_until must be a whole number"),
        ({"hidden_until": 1.5}, "hidden_until must be a whole number"),
        ({"titles": "pupil"}, "titles must be pairs"),
        ({"titles": [(1200,)]}, "titles must be pairs"),
        ({"titles": [(float("inf"), "pupil")]}, "titles must be pairs"),
        ({"titles": [(1200, "")]}, "titles must be pairs"),
        ({"titles": [(1200, "a"), (1200, "b")]}, "two titles begin at 1200"),
    ],
)
def test_rules_that_cannot_be_are_refused(given, says):
    with pytest.raises(PodiumError, match=says):
        Rules(**given)


@given(
    st.sampled_from(["system", "mean", "conservative"]),
    st.floats(0, 100),
    st.integers(0, 9),
    st.lists(st.tuples(st.floats(-9e3, 9e3), st.text(min_size=1)), unique_by=lambda t: t[0]),
)
def test_rules_are_kept(display, caution, hidden_until, titles):
    rules = Rules(display, caution, hidden_until, tuple(titles))
    assert Rules.from_text(rules.text()) == rules


@given(st.floats(-1e4, 1e4))
def test_a_rating_earns_the_highest_title_that_it_reaches(rating):
    rules = Rules(titles=reversed(TITLES))
    title = rules.title(rating)
    assert title == (None if rating < 1200 else "pupil" if rating < 1400 else "expert")
    following = rules.next_title(rating)
    assert following is None or following[0] > rating
    assert rules.next_goal(rating) > rating


@pytest.mark.parametrize("display", ["system", "mean", "conservative"])
def test_the_league_shows_what_its_rules_say(where, display):
    rules = Rules(display, caution=1.0, hidden_until=3, titles=TITLES)
    season = podium.simulate(players=12, rounds=6, participation=0.5, seed=2)
    rated = podium.rate(season, "glicko2").ratings
    shown = {
        "system": rated["rating"],
        "mean": rated["mu"],
        "conservative": rated["mu"] - rated["sigma"],
    }[display]
    wanted = dict(zip(rated["player"], shown, strict=True))
    contests = dict(zip(rated["player"], rated["contests"], strict=True))
    with League.create(where, "glicko2", rules=rules) as league:
        league.record(season)
        board = league.leaderboard(None)
        assert dict(zip(board["player"], board["rating"], strict=True)) == {
            name: value for name, value in wanted.items() if contests[name] >= 3
        }
        assert board["title"].to_list() == [rules.title(each) for each in board["rating"]]
        assert len(board) < len(rated)
        assert league.count() == len(board)
        for name in rated["player"]:
            story, now = league.history_of(name), league.player(name)
            assert story["rating"][-1] == wanted[name] == now.rating
            assert (now.place is None) == (contests[name] < 3)
        assert league.verify().sound
        assert league.rules == rules
        change = league.set_rules(Rules("mean"))
        assert change.moves.is_empty() == (display != "conservative")  # glicko2 shows mu
        assert league.verify().sound


def test_nobody_is_shown_conservatively_without_uncertainty(path):
    rules = Rules("conservative")
    with pytest.raises(PodiumError, match="elo knows no uncertainty"):
        League.create(path, "elo", rules=rules)
    assert not path.exists()
    with League.create(path, "elo") as league:
        with pytest.raises(PodiumError, match="elo knows no uncertainty"):
            league.set_rules(rules)
        assert np.isnan(systems.Elo().newcomer().get("sigma", np.nan))


def test_limits_go_by_what_is_shown(path):
    season = podium.simulate(players=6, rounds=3, seed=2)
    with League.create(path, "elo-mmr", rules=Rules("mean")) as league:
        league.record(season[:2])
        before = {
            row["player"]: row["mu"] for row in league.leaderboard(None).iter_rows(named=True)
        }
        league.record(season[2:], floor=1500.0)
        found = league.contest(season.ids[2])
        for player, eligible in zip(found["player"], found["eligible"], strict=True):
            assert eligible == (before[player] >= 1500.0)
