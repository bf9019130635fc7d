"""A league records one contest as a ladder does."""

import pytest

import podium
from podium import ConflictError, InputError, Ladder, League, PodiumError
from tests.league.plain import DAY

CONTESTS = {
    "elo-mmr": [
        (["ann", ("bob", "cat"), "dan"], {"time": "2026-05-01"}),
        ([("eve", "ann"), "zoe"], {"weight": 0.5, "perf_ceiling": 1600.0}),
        (["dan", "ann", "bob"], {"time": "2026-05-02", "weight": 2}),
    ],
    "trueskill": [
        ([["ann", "bob"], (["cat", "dan"], "eve"), ["fay"]], {"time": 0}),
        ([["dan", "ann"], ["bob", "eve"]], {"time": DAY, "shares": {"ann": 0.5}}),
        (["fay", "ann"], {}),
    ],
    "luck": [
        (["ann", "bob"], {"time": "2026-05-01", "home": "bob", "margin": 2.0}),
        (["bob", "ann"], {"score": 0.25}),
        (["ann", "bob"], {"score": 0.5, "home": "ann"}),
    ],
}


@pytest.mark.parametrize("system", CONTESTS)
def test_one_contest_is_recorded_as_by_a_ladder(where, system):
    ladder = Ladder(system)
    with League.create(where, system) as league:
        for standings, about in CONTESTS[system]:
            ladder.record(standings, **about)
            assert league.record(standings, **about).applied
        assert len(league) == 3
        found = league.leaderboard(None).drop("place", "title", "id", "display")
        assert found.equals(ladder.leaderboard(None).drop("place"))
        assert league.verify().sound
        assert league.record(league.results()).known == league.contests()["contest"].to_list()


def test_a_contest_without_an_identifier_gets_one_that_is_new_and_comes_last(path):
    with League.create(path) as league:
        for _ in range(11):
            league.record(["ann", "bob"], time="2026-05-01")
        named = [f"2026-05-01-{number}" for number in range(1, 12)]
        assert league.contests()["contest"].to_list() == named
        league.remove("2026-05-01-1")
        league.remove("2026-05-01-10")
        assert league.record(["ann", "bob"]).recorded == ["2026-05-01-12"]
        league.record(["ann", "bob"], time="2026-05-02", id="week 2")
        assert league.record(["bob", "ann"]).recorded == ["week 2-2"]
        assert league.contests()["contest"].to_list()[-2:] == ["week 2", "week 2-2"]
        later = league.record(["ann", "bob"], time="2026-05-02 18:00")
        assert later.recorded == ["2026-05-02-3"]
        assert league.record(["bob", "ann"], dry_run=True).recorded == ["2026-05-02-4"]
        assert len(league) == 13


def test_the_first_contest_of_a_league_needs_no_time(path):
    with League.create(path) as league:
        assert league.record(["ann", "bob"]).recorded == ["1970-01-01-1"]


def test_one_contest_may_be_unrated_and_limited(path):
    with League.create(path) as league:
        league.record(["ann", "bob"], id="friendly", rated=False, who="eve", why="fun")
        assert league.leaderboard().is_empty()
        league.record(["ann", "bob"], id="low", ceiling=0.0)
        assert league.contest("low")["eligible"].to_list() == [False, False]
        assert league.log(contest="friendly").row(0, named=True)["why"] == "fun"


@pytest.mark.parametrize(
    ("standings", "about", "said"),
    [
        ("ann", {}, "the standings must be a list of names, best first, not 'ann'."),
        (["ann", "ann"], {}, "player 'ann' stands twice in the standings."),
        (["ann", ["bob", "cat"]], {}, "elo-mmr rates players, not teams"),
        (["ann", "bob"], {"weight": -1}, "weight must be a number"),
        (["ann", "bob"], {"id": ""}, "'' cannot be a name"),
        (["ann", "bob"], {"time": "soon"}, "'soon' is not a time"),
        (["ann", "b\0b"], {}, "the character 0"),
        ({"ann", "bob"}, {}, "contests are needed, not set"),
        (None, {}, "contests are needed, not NoneType"),
        (podium.simulate(players=3, rounds=2), {"id": "x"}, "id is for standings of one contest"),
        (podium.simulate(players=3, rounds=2), {"weight": 2.0}, "weight is for standings of one"),
    ],
)
def test_what_is_no_contest_is_a_sentence_and_changes_nothing(path, standings, about, said):
    with League.create(path) as league:
        with pytest.raises(InputError) as refused:
            league.record(standings, **about)
        assert said in str(refused.value)
        assert league.log().height == 1


def test_known_results_under_an_identifier_change_nothing_and_others_are_refused(path):
    with League.create(path) as league:
        league.record(["ann", "bob"], id="one", time=DAY)
        assert league.record(["ann", "bob"], id="one", time=DAY).known == ["one"]
        with pytest.raises(podium.ConflictError, match="'one' is in the league with other results"):
            league.record(["bob", "ann"], id="one", time=DAY)


def test_a_time_far_ahead_of_the_clock_must_be_meant(where):
    with League.create(where) as league:
        with pytest.raises(PodiumError, match=r"more than two years from now.*--future"):
            league.record(["ann", "bob"], time="2300-01-01")
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        with pytest.raises(PodiumError, match=r"contest 'one' is at 2300.*--future"):
            league.amend("one", time="2300-01-01")
        assert league.amend("one", time="2300-01-01", future=True).applied
        assert league.record(["ann", "bob"]).applied
        assert league.record(["ann", "bob"], time="2301-01-01", future=True).applied


def test_newcomers_who_are_almost_known_are_named_if_asked(where):
    with League.create(where) as league:
        first = league.record(["alice", "bob"], time="2026-05-01", near=True)
        assert first.newcomers == ["alice", "bob"]
        assert not first.near.height
        change = league.record(["alcie", "ann", "Bob"], near=True, dry_run=True)
        assert change.newcomers == ["Bob", "alcie", "ann"]
        assert change.near.rows() == [("Bob", "bob"), ("alcie", "alice")]
        assert not league.record(["alcie", "ann"], dry_run=True).near.height
        assert league.near_names(["alicia", "BOB", "bob"]).rows() == [("BOB", "bob")]


def test_an_alias_is_a_known_name(where):
    with League.create(where) as league:
        league.record(["alice", "bob"], time="2026-05-01")
        league.rename("alice", "caroline")
        assert league.record(["alicee"], near=True).near.rows() == [("alicee", "alice")]


def test_whoever_is_strict_records_nothing_of_near_names(where):
    with League.create(where) as league:
        league.record(["alice", "bob"], time="2026-05-01")
        for dry_run in (True, False):
            with pytest.raises(ConflictError, match=r"'alcie' \(did you mean 'alice'\?\)"):
                league.record(["bob", "alcie"], strict=True, dry_run=dry_run)
        assert len(league) == 1
        assert "alcie" not in league
        assert league.record(["bob", "zoe"], strict=True).applied


def test_what_was_said_beyond_ranks_is_kept_through_changes(where):
    rows = [
        {"player": "ann", "rank": 1, "score": "1:02:33.4", "status": None, "given_team": "red"},
        {"player": "bob", "rank": 2, "score": None, "status": "DNF", "given_team": "blue"},
    ]
    about = {"contest": "race", "time": "2026-05-01"}
    results = podium.Contests.from_records([{**about, **row} for row in rows])
    with League.create(where) as league:
        league.record(results)
        assert league.contest("race").select(list(rows[0])).to_dicts() == rows
        league.amend("race", weight=2.0)
        league.rename("bob", "cat")
        rows[1]["player"] = "cat"
        assert league.contest("race").select(list(rows[0])).to_dicts() == rows
        assert league.results().frame(given=True).select(list(rows[0])).to_dicts() == rows
        rows[1]["status"] = "DSQ"
        league.amend("race", podium.Contests.from_records([{**about, **row} for row in rows]))
        assert league.contest("race").select(list(rows[0])).to_dicts() == rows
