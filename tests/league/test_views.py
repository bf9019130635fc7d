"""A view is one state of a league, in one transaction, whatever others do."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import polars as pl
import pytest

import podium
from podium import League, PodiumError, Rules
from podium.documents import as_document
from podium.league import Filters, View, documents
from tests.league.plain import DAY, Game, Row, as_contests
from tests.league.transactions import transactions

OTHER_PROCESS = """
import sys
from podium import Contests, League
with League(sys.argv[1], wait=60) as league:
    print("open", flush=True)
    rows = [{"contest": "new", "time": 9 * 86400, "player": name, "rank": rank + 1}
            for rank, name in enumerate(["zoe", "cat", "bob", "ann"])]
    league.record(Contests.from_records(rows))
    league.rename("ann", "anna")
"""


@pytest.fixture
def league(where: str) -> Iterator[League]:
    games = [
        Game("one", DAY, (Row("ann", 1), Row("bob", 2), Row("cat", 3))),
        Game("two", 2 * DAY, (Row("bob", 1), Row("ann", 2), Row("dan", 3))),
    ]
    with League.create(where, rules=Rules(titles=((1400.0, "expert"),))) as made:
        made.record(as_contests(games), who="ann")
        yield made


def answers(asked: View) -> dict[str, object]:
    """What can be asked of a league or of a view, all of it."""
    standings = asked.results("two")
    moved = podium.Contests.from_frame(standings.frame().with_columns(time=pl.lit("2026-01-01")))
    return {
        "leaderboard": asked.leaderboard(None).rows(),
        "board": asked.board(Filters(2, skip=1)).document(),
        "at": asked.leaderboard(None, at="1970-01-02").rows(),
        "title": asked.leaderboard(None, title="expert").rows(),
        "matching": asked.board(Filters(None, matching="AN")).document(),
        "about": asked.about(),
        "trends": asked.trends(["ann", "dan"]).rows(),
        "place ranges": asked.place_ranges(["ann", "dan"]).rows(),
        "rivals": asked.rivals("ann").rows(),
        "meetings": asked.meetings(["ann", "bob"]).rows(),
        "contest page": asked.contest_page(1)[0].rows(),
        "what if": asked.what_if("two", "ann").document(),
        "count": asked.count(),
        "player": asked.player("ann"),
        "player at": asked.player("ann", at="1970-01-02"),
        "item": asked["ann"],
        "in": "ann" in asked,
        "history": asked.history_of("ann").rows(),
        "career": asked.career("ann").document(),
        "contest": asked.contest("two").rows(),
        "result": asked.result("two").document(),
        "contests": documents(asked.contests()),
        "results": asked.results().frame().rows(),
        "length": len(asked),
        "log": documents(asked.log()),
        "aliases": asked.aliases().rows(),
        "revisions": documents(asked.revisions()),
        "compare": asked.compare("first", "first").rows(),
        "rules": asked.rules,
        "system": asked.system,
        "beliefs": asked.beliefs().names,
        "beliefs at": asked.beliefs(at="1970-01-02").names,
        "beliefs of": asked.beliefs_of(["bob"]).names,
        "before": asked.before("two")[0].names,
        "predict": asked.predict(moved).table.rows(),
        "curve": asked.curve(moved, "ann").table.rows(),
        "explain": asked.explain("two", "ann").document(),
        "verify": asked.verify().document(),
        "text": repr(asked).removeprefix("<View ").removeprefix("<League "),
        "html": asked._repr_html_().partition(": ")[2],
    }


def test_a_view_answers_what_the_league_answers(league):
    with league.snapshot() as view:
        assert answers(view) == answers(league)


def test_all_answers_of_a_view_are_one_transaction(league):
    with transactions() as count:
        with league.snapshot() as view:
            answers(view)
        assert count == [1]


QUESTIONS = {
    "leaderboard": lambda x: x.leaderboard(at="1970-01-02"),
    "board": lambda x: x.board(),
    "player": lambda x: x["ann"],
    "history": lambda x: x.history_of("ann"),
    "result": lambda x: x.result("one"),
    "revisions": lambda x: x.revisions(),
    "system": lambda x: x.system,
    "explain": lambda x: x.explain("two", "ann"),
    "about": lambda x: x.about(),
    "search": lambda x: x.board(Filters(matching="an", title="expert")),
    "trends": lambda x: x.trends(["ann"]),
    "place ranges": lambda x: x.place_ranges(["ann"]),
    "rivals": lambda x: x.rivals("ann"),
    "meetings": lambda x: x.meetings(["ann", "bob"]),
    "contest page": lambda x: x.contest_page(1),
    "what if": lambda x: x.what_if("two", "ann"),
    "predict": lambda x: x.predict(LATER),
    "curve": lambda x: x.curve(LATER, "ann"),
    "text": repr,
    "html": lambda x: x._repr_html_(),
}
LATER = as_contests([Game("later", 3 * DAY, (Row("ann", 1), Row("zoe", 2)))])


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_every_question_of_a_league_is_one_transaction(league, ask):
    with transactions() as count:
        ask(league)
    assert count == [1]


def test_what_another_process_changes_between_two_questions_is_not_seen(league, where, kind):
    with ExitStack() as until_after_the_view:
        with league.snapshot() as view:
            before = answers(view)
            other = until_after_the_view.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", OTHER_PROCESS, where], stdout=subprocess.PIPE
                )
            )
            assert other.stdout is not None
            assert other.stdout.readline() == b"open\n"
            if kind == "postgresql":  # in SQLite it waits for the view
                assert other.wait() == 0
            assert answers(view) == before
        assert other.wait() == 0
    assert len(league) == 3
    assert league.player("ann").name == "anna"


def test_who_changes_a_file_does_not_wait_for_the_view(path):
    with League.create(path) as league, League(path, wait=0) as hasty:
        league.record(LATER)
        with league.snapshot() as view:
            before = view.leaderboard()
            hasty.remove("later")
            assert view.leaderboard().equals(before)
        assert league.leaderboard().is_empty()


def test_a_view_after_its_block_says_that_it_is_closed(league):
    with league.snapshot() as view:
        assert view.count() == 4
    for ask in QUESTIONS.values():
        if ask is not repr:
            with pytest.raises(podium.InputError) as refused:
                ask(view)
            assert str(refused.value) == (
                f"this view of {league.where} is closed; its questions are asked in the block of "
                f"'with league.snapshot() as view:'."
            )
    assert repr(view) == f"<View of {league.where}, closed>"


def test_errors_in_the_block_are_left_alone(league):
    with pytest.raises(UnicodeEncodeError), league.snapshot():
        "\ud800".encode()
    with pytest.raises(PodiumError, match="half a character"), league.snapshot() as view:
        view.player("\ud800")
    assert league.count() == 4


def test_a_view_can_stand_for_its_league(league):
    with league.snapshot() as view, view.snapshot() as same:
        assert same is view


def test_a_player_is_as_of_a_date(league):
    league.set_rules(Rules(hidden_until=2, titles=((1400.0, "expert"),)))
    board = {
        row["player"]: row
        for row in league.leaderboard(None, at=1.5 * DAY, with_hidden=True).iter_rows(named=True)
    }
    then = league.player("ann", at=1.5 * DAY)
    assert (then.rating, then.sigma, then.contests) == (
        board["ann"]["rating"],
        board["ann"]["sigma"],
        1,
    )
    assert (then.place, then.title) == (None, "expert")
    assert league.player("dan", at=1.5 * DAY).contests == 0
    for name in ("ann", "bob", "cat"):
        assert league.player(name, at=2 * DAY) == league.player(name)


def test_beliefs_as_of_a_date_can_be_gone_on_from(league):
    part = league.results()[:1]
    then = league.beliefs(at=DAY)
    rated = podium.rate(part, league.system)
    assert (then.rounds, then.time, then.latest) == (1, DAY * 1_000_000, ["one"])
    again = podium.rate(league.results()[1:], beliefs=then)
    assert again.ratings.equals(podium.rate(league.results(), league.system).ratings)
    assert sorted(then.names) == sorted(rated.beliefs.names)


def test_filters_are_checked():
    for wrong in (
        {"n": -1},
        {"skip": "2"},
        {"min_contests": 1.5},
        {"at": "yesterday"},
        {"active_since": "soon"},
    ):
        with pytest.raises(podium.InputError):
            Filters(**wrong)


ASKED = {
    "win": lambda x, at: x.win_probability("ann", "cat", at=at),
    "draw": lambda x, at: x.draw_probability("ann", "cat", at=at, side="home"),
    "stronger": lambda x, at: x.stronger_probability("ann", "dan", at=at),
    "ranks": lambda x, at: x.rank_probabilities(["cat", "ann", "a newcomer"], at=at).rows(),
    "quality": lambda x, at: x.quality(["cat", "a newcomer"], at=at, home="cat"),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_who_meets_is_asked_as_of_a_ladder_in_one_transaction(league, ask):
    whole = podium.Ladder.from_beliefs(league.beliefs())
    first = podium.Ladder.from_beliefs(podium.rate(league.results()[:1], league.system).beliefs)
    for ladder, at in ((whole, None), (whole, "2027-01-01"), (first, 1.5 * DAY)):
        with transactions() as count:
            assert ask(league, at) == ask(ladder, at)
        assert count == [1]


def test_players_who_meet_may_be_called_by_an_alias(league):
    known = league.win_probability("ann", "cat")
    league.rename("ann", "anna")
    assert league.win_probability("ann", "cat") == league.win_probability("anna", "cat") == known
    with pytest.raises(podium.InputError, match="'ann' cannot take part twice"):
        league.win_probability("ann", "anna")


def test_only_those_who_meet_are_loaded(league):
    beliefs, _, _ = league._consult(["ann", "a newcomer"], None)
    assert beliefs.names == ["ann", "a newcomer"]


def test_contests_come_in_pages_the_latest_first(league):
    games = [
        Game(f"r-{number}", (3 + number % 3) * DAY, (Row("ann", 1), Row("bob", 2)), name=name)
        for number, name in enumerate([None, "Spring Öpen", "100% open", *[None] * 9])
    ]
    league.record(as_contests(games))
    every = league.contests().reverse()
    for n in (0, 1, 3, 5, 50, None):
        for skip in range(every.height + 2):
            page, count = league.contest_page(n, skip)
            assert page.equals(every.slice(skip, n))
            assert count == every.height == 14
    early = league.contests().filter(pl.col("time") <= pl.datetime(1970, 1, 4)).reverse()
    assert league.contest_page(4, 1, at=3 * DAY)[0].equals(early.slice(1, 4))
    assert league.contest_page(4, at=3 * DAY)[1] == early.height == 6
    for text, found in (
        ("g ÖPEN", ["r-1"]),
        ("SPRING open", ["r-1"]),
        ("0%", ["r-2"]),
        ("R-1", ["r-1", "r-10", "r-11"]),
    ):
        page, count = league.contest_page(None, matching=text)
        assert sorted(page["contest"]) == found
        assert count == len(found)
        assert page.equals(every.filter(pl.col("contest").is_in(found)))
    for wrong in ({"n": -1}, {"n": 1, "skip": 1.5}, {"n": 1, "matching": 7}):
        with pytest.raises(podium.InputError):
            league.contest_page(**wrong)


SYSTEMS = ("elo-mmr", "elo", "glicko2", "trueskill", "codeforces", "weng-lin")


@pytest.mark.parametrize("system", SYSTEMS)
def test_expected_ranks_are_those_that_were_predicted(path, system):
    season = podium.simulate(players=12, rounds=5, participation=0.8, ties=0.2, seed=3)
    with League.create(path, system) as league:
        league.record(season)
        league.record(LATER)
        for contest in ("round-04", "round-05", "later"):
            beliefs, rated = league.before(contest)
            known = podium.predict(beliefs, rated).table
            shown = league.contest(contest)
            assert shown["player"].equals(known["player"])
            assert shown["expected_rank"].equals(known["expected_rank"])
        assert league.result("later").document()["standings"][0]["expected_rank"] == 1.5


def test_a_team_has_one_expected_rank_and_who_is_not_rated_none(path):
    teams = (
        Row("ann", 1, "red"),
        Row("bob", 1, "red"),
        Row("cat", 2, "blue"),
        Row("dan", 2, "blue"),
    )
    games = [
        Game("teams", DAY, teams),
        Game("three", 2 * DAY, (*teams[:3], Row("dan", 3))),
        Game("one", 3 * DAY, (Row("ann", 1), Row("bob", 2), Row("zoe", 3))),
    ]
    with League.create(path, "trueskill", rules=Rules()) as league:
        league.record(as_contests(games[:2]))
        for contest in ("teams", "three"):
            expected = league.contest(contest)["expected_rank"].to_list()
            beliefs, rated = league.before(contest)
            assert expected == podium.predict(beliefs, rated).table["expected_rank"].to_list()
            assert expected[0] == expected[1] <= expected[2]
        ann, bob = (league.player(name).rating for name in ("ann", "bob"))
        assert ann == bob
        league.record(as_contests(games[2:]), ceiling=ann)
        assert league.contest("one").select("player", "eligible", "expected_rank").rows() == [
            ("ann", False, None),
            ("bob", False, None),
            ("zoe", True, 1.0),
        ]
        league.record(LATER, rated=False)
        assert league.contest("later")["expected_rank"].to_list() == [None, None]


def test_a_system_that_believes_more_than_mu_and_sigma_expects_no_rank(path):
    with League.create(path, "luck") as league:
        league.record(LATER)
        assert league.contest("later")["expected_rank"].to_list() == [None, None]


@pytest.mark.parametrize("name", ["ann", "dan"])
def test_what_if_knows_what_happened_and_what_might_have(league, name):
    found = league.what_if("two", name)
    history = {row["contest"]: row for row in league.history_of(name).iter_rows(named=True)}
    assert (found.rank, found.rating) == (history["two"]["rank"], history["two"]["rating"])
    assert found.rating_before == history["two"]["rating_before"]
    assert found.table["rank"].to_list() == [1, 2, 3]
    assert [goal.rating for goal in found.goals] == [1400.0] * (found.rating_before < 1400.0)
    for rank, rating in found.table.select("rank", "rating").rows():
        others = [each for each in ("bob", "ann", "dan") if each != name]
        others.insert(rank - 1, name)
        rows = tuple(Row(each, place) for place, each in enumerate(others, 1))
        again = podium.rate(
            as_contests([Game("two", 2 * DAY, rows)]), beliefs=league.beliefs(at=DAY)
        )
        after = dict(again.ratings.select("player", "rating").rows())
        assert after[name] == pytest.approx(rating, abs=1e-9)


def test_what_if_refuses_what_was_not_rated(league):
    league.record(LATER, rated=False)
    for contest, player, said in (
        ("one", "dan", "'dan' did not take part in contest 'one'."),
        ("later", "ann", "contest 'later' is not rated, so there is no change."),
    ):
        for ask in (league.what_if, league.explain):
            with pytest.raises(PodiumError) as refused:
                ask(contest, player)
            assert str(refused.value) == said


def test_about_a_league(league):
    about = league.about()
    assert about["system"] == "elo-mmr"
    assert about["rules"] == league.rules.document()
    assert about["parameters"] == as_document(league.system.stored_parameters())
    assert (about["contests"], about["players"]) == (2, 4)
    assert (about["first_time"], about["last_time"]) == (
        "1970-01-02T00:00:00Z",
        "1970-01-03T00:00:00Z",
    )
    assert about["state"] == league.state
    league.remove("two")
    assert league.about()["state"] != about["state"]
    assert league.about()["created"] == about["created"]


def test_the_last_changes_are_the_first_of_all(league):
    league.rename("ann", "anna")
    every = documents(league.log())
    for n in (0, 1, 2, 50):
        assert documents(league.log(n)) == every[:n]
    assert documents(league.log(1, player="ann")) == every[:1]


@pytest.mark.parametrize("change", ["record", "rename", "rules"])
def test_a_prediction_that_is_asked_for_again_knows_what_has_changed(path, change):
    season = podium.simulate(players=12, rounds=6, seed=4)
    with podium.League.create(path) as league:
        league.record(season[:3])
        first = league.predict(season[5:]).table
        assert league.predict(season[5:]).table.equals(first)
        if change == "record":
            league.record(season[3:5])
        elif change == "rename":
            league.rename(season.players[0], "another name")
        else:
            league.set_rules(podium.Rules(display="mean"))
        again = league.predict(season[5:]).table
        with podium.League(path) as another:
            assert again.equals(another.predict(season[5:]).table)
        assert not again.equals(first)
