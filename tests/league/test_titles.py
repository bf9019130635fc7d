"""Titles that are kept or not, provisional ratings, best ratings, and what absence does."""

import dataclasses
import datetime
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import Filters, League, PodiumError, Rules
from podium.league.rules import COLOURS, as_colour

TITLES = ((1000.0, "pupil"), (1250.0, "expert"), (1500.0, "master"))
SEASON = podium.simulate(
    players=24, rounds=14, participation=0.45, calendar="random", drift_sd=60.0, seed=5
)
LAST = SEASON.columns.time.max().item()
MIDDLE = "2026-02-10"
"""A date before the end of the season."""


def rules_of(display: str = "system", **more) -> Rules:
    given = {"titles": TITLES, "provisional_until": 5, "provisional_sigma": 96.0, **more}
    return Rules(display, caution=1.0, **given)


def reached(league: League, name: str, at: str | None) -> tuple[float, datetime.datetime, float]:
    """The best rating, when it was first so, and the best that was not provisional."""
    story = league.history_of(name)
    if at is not None:
        story = story.filter(story["time"] <= datetime.datetime.fromisoformat(at))
    rows = story.rows(named=True)
    best = max(row["rating"] for row in rows)
    first = next(row["time"] for row in rows if row["rating"] == best)
    settled = [row["rating"] for row in rows if not row["provisional"]]
    return best, first, max(settled, default=-math.inf)


@pytest.mark.parametrize("at", [None, MIDDLE, "2027-01-01"])
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("display", ["system", "mean", "conservative"])
def test_titles_go_by_the_rating_or_by_the_best_one(path, display, keep, at):
    rules = rules_of(display, keep_titles=keep)
    with League.create(path, "elo-mmr", rules=rules, drift_per_day=30.0) as league:
        league.record(SEASON)
        board = league.board(Filters(None, at=at)).table
        wanted = {}
        for row in board.rows(named=True):
            best, time, settled = reached(league, row["player"], at)
            assert (row["best_rating"], row["best_time"]) == (best, time)
            provisional = row["contests"] < 5 or row["sigma"] >= 96.0
            assert row["provisional"] == provisional
            if keep:
                wanted[row["player"]] = rules.title(settled)
            else:
                wanted[row["player"]] = None if provisional else rules.title(row["rating"])
        assert dict(board.select("player", "title").rows()) == wanted
        frame = league.leaderboard(None, at=at)
        assert frame.equals(board.select(frame.columns))
        for name, title in wanted.items():
            player = league.player(name, at=at)
            assert player.title == title
            found = league.career(name, at=at).document()
            assert found["title"] == title
            assert found["provisional"] == player.provisional
        for _, title in TITLES:
            held = league.leaderboard(None, title=title, at=at)
            assert held["player"].to_list() == [
                each for each in board["player"] if wanted[each] == title
            ]
            some = league.board(Filters(2, at=at, title=title, matching="1"))
            assert some.eligible == held.height
            assert (
                some.table["player"].to_list()
                == [each for each in held["player"] if "1" in each][:2]
            )


def test_some_titles_of_the_tests_are_lost_unless_they_are_kept(path):
    with League.create(path, "elo-mmr", rules=rules_of(keep_titles=True)) as league:
        league.record(SEASON)
        kept = league.leaderboard(None)["title"].to_list()
        league.set_rules(rules_of())
        assert league.leaderboard(None)["title"].to_list() != kept
        assert {row["provisional"] for row in league.board(Filters(None)).table.to_dicts()} == {
            False,
            True,
        }


def test_the_database_finds_who_keeps_a_title_whatever_it_is(where):
    with League.create(
        where, "glicko2", rules=rules_of("conservative", keep_titles=True, provisional_sigma=190.0)
    ) as league:
        league.record(SEASON)
        board = league.leaderboard(None)
        assert board["title"].n_unique() > 2
        for title in board["title"].drop_nulls().unique():
            held = board.filter(board["title"] == title)["player"].to_list()
            assert league.leaderboard(None, title=title)["player"].to_list() == held
            assert league.count(title=title) == len(held)
            assert league.leaderboard(None, title=title, at="2027-01-01").height == len(held)


@pytest.mark.parametrize("at", [None, MIDDLE, "2030-01-01"])
def test_provisional_players_can_be_hidden(where, at):
    rules = rules_of(hide_provisional=True)
    with League.create(where, "elo-mmr", rules=rules, drift_per_day=30.0) as league:
        league.record(SEASON)
        board = league.board(Filters(None, at=at))
        everybody = league.board(Filters(None, at=at, with_hidden=True)).table
        settled = everybody.filter(~everybody["provisional"])["player"].to_list()
        assert board.table["player"].to_list() == settled
        assert board.eligible == board.players == len(settled) < everybody.height
        if at is None:
            assert board.hidden == everybody.height - len(settled)
            assert board.hidden_while == "while provisional"
        for name in everybody["player"]:
            place = league.player(name, at=at).place
            assert (place is None) == (name not in settled)
            if place is not None:
                assert board.table.filter(board.table["player"] == name)["place"].item() == place
        assert league.count() == len(league.leaderboard(None))
        found = league.leaderboard(None, matching="0", at=at)["player"].to_list()
        assert found == [each for each in settled if "0" in each]


def test_a_board_says_why_more_are_hidden():
    board = podium.Leaderboard.of(podium.rate(SEASON), Filters(1))
    both = dataclasses.replace(board, hidden_until=3, hides_provisional=True)
    assert both.hidden_while == "until 3 contests or while provisional"


def test_a_rating_can_become_provisional_again(path):
    rules = Rules(titles=TITLES, provisional_sigma=200.0)
    with League.create(path, "elo-mmr", rules=rules, drift_per_day=100.0) as league:
        league.record(SEASON)
        name = league.leaderboard(1)["player"].item()
        now, later = league.player(name), league.player(name, at="2030-01-01")
        assert not now.provisional
        assert now.title == "master"
        assert later.provisional
        assert later.title is None
        league.set_rules(dataclasses.replace(rules, keep_titles=True))
        again = league.player(name, at="2030-01-01")
        assert again.provisional
        assert again.title == "master"


@pytest.mark.parametrize("system", ["elo-mmr", "glicko2", "podium", "elo", "luck"])
def test_what_is_so_today_is_what_a_leaderboard_of_today_says(path, system):
    drift = {"drift_per_day": 20.0} if system in ("elo-mmr", "glicko2") else {}
    matches = podium.simulate_matches(players=8, matches=60, seed=2) if system == "luck" else SEASON
    with League.create(path, system, rules=Rules(titles=TITLES), **drift) as league:
        league.record(matches)
        last = league.contests()["time"].max()
        then = league.leaderboard(None, at=last)
        today = {row["player"]: row for row in then.rows(named=True)}
        for row in league.board(Filters(None)).table.rows(named=True):
            aged, career = today[row["player"]], league.career(row["player"])
            assert (row["rating_now"], row["sigma_now"]) == (aged["rating"], aged["sigma"])
            days = (last - row["last_time"]) / datetime.timedelta(days=1)
            assert row["away"] == career.away == days
            found = career.document()
            assert found["now"]["rating"] == aged["rating"]
            assert found["now"]["sigma"] == aged["sigma"]
            assert found["now"].get("forecast") == aged.get("forecast")
            story = league.history_of(row["player"])
            assert found["after_last"]["rating"] == story["rating"][-1]
            assert found["after_last"]["sigma"] == story["sigma"][-1]
            asked = league.career(row["player"], at=last).document()
            assert asked["now"] == found["now"]
            assert asked["after_last"] == found["after_last"]
            if system == "elo":
                assert not career.decay()


def test_decay_is_said_in_words(path):
    with League.create(path, "elo-mmr", drift_per_day=25.0) as league:
        league.record(["ann", "bob", "cat"], id="one", time="2026-01-01")
        assert league.career("ann").decay() == []
        league.record(["bob", "cat"], id="two", time="2026-07-20")
        career = league.career("ann")
        then, now = career.after_last, career.now
        assert career.decay() == [
            f"uncertain by {now.sigma:.0f} after 200 days away, {then.sigma:.0f} after the last "
            f"contest",
            f"rating {now.rating:.0f} on 2026-07-20, {then.rating:.0f} after the last contest",
        ]
        assert league.career("bob").decay() == []
        assert "after 365 days away" in league.career("ann", at="2027-01-01").decay()[0]


def test_of_very_many_players_nothing_is_looked_up(path, monkeypatch):
    monkeypatch.setattr("podium.league.peaks._MANY", 2)
    with League.create(path, "elo-mmr", rules=rules_of(keep_titles=True)) as league:
        league.record(SEASON)
        kept = league.leaderboard(None)["title"].to_list()
        found = league.board(Filters(None)).table
        assert found["best_rating"].null_count() == found.height
        assert found["sigma_now"].null_count() == found.height
        assert found["away"].null_count() == 0
        assert league.board(Filters(2)).table["best_rating"].null_count() == 0
        monkeypatch.undo()
        assert league.leaderboard(None)["title"].to_list() == kept == found["title"].to_list()


def test_corrections_change_what_was_reached(path):
    with League.create(path, "elo-mmr", rules=Rules(titles=TITLES, keep_titles=True)) as league:
        league.record(["ann", "bob", "cat", "dan"], id="one", time="2026-01-01")
        league.record(["dan", "bob", "cat", "ann"], id="two", time="2026-01-02")
        assert league["ann"].title == "master"
        league.disqualify("one", "ann")
        assert league["ann"].title == "pupil"
        league.undo()
        assert league["ann"].title == "master"


def test_rules_of_earlier_versions_are_read():
    text = '{"display": "mean", "caution": 2.0, "hidden_until": 2, "titles": [[1200.0, "pupil"]]}'
    assert Rules.from_text(text) == Rules("mean", 2.0, 2, ((1200.0, "pupil"),))
    assert Rules.from_text("{}") == Rules()


COLOUR = st.one_of(
    st.sampled_from(COLOURS), st.integers(0, 2**24 - 1).map(lambda each: f"#{each:06x}")
)


@given(
    st.lists(
        st.tuples(st.floats(-9e3, 9e3), st.text(min_size=1), COLOUR),
        unique_by=(lambda t: t[0], lambda t: t[1]),
    ),
    st.booleans(),
    st.integers(0, 9),
    st.floats(0.0, 1e3),
    st.booleans(),
)
def test_all_rules_are_kept(titles, keep, until, sigma, hide):
    rules = Rules(
        titles=titles,
        keep_titles=keep,
        provisional_until=until,
        provisional_sigma=sigma,
        hide_provisional=hide,
    )
    assert Rules.from_text(rules.text()) == rules == Rules(**rules.document())
    assert rules.titles == tuple(sorted((lowest, name) for lowest, name, _ in titles))
    assert all(rules.colour(name) == colour for _, name, colour in titles)
    assert json.loads(rules.text())["colours"] == {name: colour for _, name, colour in titles}
    hash(rules)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"titles": [(1200, "a", "gren")]}, "'gren' is no colour .did you mean 'green'"),
        ({"titles": [(1200, "a", "#12345")]}, "'#12345' is no colour"),
        ({"titles": [(1200, "a", "#12345g")]}, "is no colour"),
        ({"titles": [(1200, "a", "red;background:url(x)")]}, "is no colour"),
        ({"titles": [(1200, "a", None)]}, "None is no colour"),
        ({"titles": [(1200, "a", "red", "blue")]}, "titles must be pairs"),
        ({"titles": [(1200, "a", "red"), (1300, "a", "blue")]}, "cannot have two colours"),
        ({"titles": [(1200, "a")], "colours": {"b": "red"}}, "colours name 'b', which is no title"),
        ({"colours": 7}, "colours must be those of titles"),
        ({"colours": [7]}, "colours must be those of titles"),
        ({"keep_titles": 1}, "keep_titles must be True or False"),
        ({"hide_provisional": "no"}, "hide_provisional must be True or False"),
        ({"provisional_until": -1}, "provisional_until must be a whole number"),
        ({"provisional_sigma": -0.5}, "provisional_sigma must be a number of at least 0"),
        ({"provisional_sigma": float("inf")}, "provisional_sigma must be a number"),
    ],
)
def test_rules_that_cannot_be_are_refused(given, says):
    with pytest.raises(PodiumError, match=says):
        Rules(**given)


def test_colours_have_one_spelling():
    assert [as_colour(each) for each in (" Gray ", "RED", "#ABC")] == ["grey", "red", "#aabbcc"]


def test_nobody_is_provisional_by_an_uncertainty_that_there_is_not(path):
    rules = Rules(provisional_sigma=100.0)
    with pytest.raises(PodiumError, match="elo knows no uncertainty, so ratings cannot be prov"):
        League.create(path, "elo", rules=rules)
    with League.create(path, "elo-mmr", rules=rules) as league:
        with pytest.raises(PodiumError, match="elo knows no uncertainty"):
            league.revise("elo")
        league.set_rules(Rules(provisional_until=2))
        assert league.revise("elo").applied


def test_rules_are_changed_taken_back_exported_and_verified(where, tmp_path):
    rules = Rules(
        titles=[(1000, "pupil", "green"), (1500, "master", "#ffd700")],
        keep_titles=True,
        provisional_until=3,
        provisional_sigma=150.0,
        hide_provisional=True,
    )
    with League.create(where, "elo-mmr") as league:
        league.record(SEASON)
        assert not league.set_rules(rules, dry_run=True).applied
        assert league.rules == Rules()
        league.set_rules(rules)
        board = league.board(Filters(None)).document()
        assert board["colours"] == {"pupil": "green", "master": "#ffd700"}
        league.undo()
        assert league.rules == Rules()
        league.redo()
        assert league.rules == rules
        league.export(tmp_path / "export")
        assert league.verify().sound
        with League.restore(tmp_path / "export", tmp_path / "copy.db") as copy:
            assert copy.rules == rules
            assert copy.board(Filters(None)).document() == board
