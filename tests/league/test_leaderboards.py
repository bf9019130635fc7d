"""Pages of a league's leaderboard, its conditions and its search, beside the board of all."""

import polars as pl
import pytest

import podium
from podium import Contests, League, Rules
from podium.league import Filters
from podium.texts import folded
from tests.league.plain import DAY, Game, Row, as_contests

TITLES = ((1100.0, "pupil"), (1300.0, "expert"), (1500.0, "pupil"), (1700.0, "master"))
NAMES = ["Zoë", "ZOË B", "zoe", "100%", "100x", "a_b", "axb", "back\\slash", "Ærø", "ANN", "ann-2"]


@pytest.fixture
def league(where):
    season = podium.simulate(players=60, rounds=12, participation=0.5, ties=0.3, seed=5)
    frame = season.frame()
    called = dict(zip(sorted(set(frame["player"])), NAMES, strict=False))
    named = frame.with_columns(pl.col("player").replace(called))
    with League.create(where, rules=Rules(hidden_until=2, titles=TITLES)) as made:
        made.record(Contests.from_frame(named), who="ann")
        alone = [Game(f"alone-{each}", 9 * DAY, (Row(f"new {each}", 1),)) for each in range(7)]
        made.record(as_contests(alone))
        made.rename("axb", "renamed", who="ann")
        yield made


def every(board: pl.DataFrame, *conditions: pl.Expr) -> pl.DataFrame:
    """The board of those who meet conditions, with places among them."""
    kept = board.filter(*conditions)
    better = [sum(other > own for other in kept["rating"]) for own in kept["rating"]]
    return kept.with_columns(place=pl.Series(better, dtype=pl.Int64) + 1).cast({"place": pl.UInt32})


def test_pages_are_the_board_of_all_cut(league):
    for hidden in (True, False):
        board = league.leaderboard(None, with_hidden=hidden)
        assert board.equals(every(board))
        for skip in range(board.height + 2):
            page = league.leaderboard(3, skip=skip, with_hidden=hidden)
            assert page.equals(board.slice(skip, 3))
    tied = league.leaderboard(None, with_hidden=True).filter(pl.col("player").str.contains("new "))
    assert tied["place"].n_unique() == 1
    assert tied["player"].to_list() == sorted(tied["player"])


@pytest.mark.parametrize("title", ["pupil", "expert", "master"])
@pytest.mark.parametrize("at", [None, "2026-01-20", "2030-01-01"])
def test_a_title_is_a_condition(league, title, at):
    board = league.leaderboard(None, at=at)
    found = league.leaderboard(None, at=at, title=title)
    assert found.equals(every(board, pl.col("title") == title))
    assert league.leaderboard(2, skip=1, at=at, title=title).equals(found.slice(1, 2))
    document = league.board(Filters(1, at=at, title=title)).document()
    assert (document["eligible"], document["matching"]) == (found.height, found.height)
    if at is None:
        assert league.count(title=title) == found.height


def test_somebody_has_each_title_of_the_tests(league):
    assert set(league.leaderboard(None)["title"]) >= {"pupil", "expert"}


def test_a_title_that_is_none_is_refused(league):
    for at in (None, "2030-01-01"):
        with pytest.raises(podium.NotFoundError) as refused:
            league.leaderboard(title="experts", at=at)
        assert str(refused.value) == (
            "there is no title 'experts' (did you mean 'expert'?) in the league; "
            "its titles are 'pupil', 'expert', 'master'."
        )
    league.set_rules(Rules())
    with pytest.raises(podium.NotFoundError, match="its rules have no titles"):
        league.leaderboard(title="expert")


SEARCHES = {
    "zo": {"Zoë", "ZOË B", "zoe"},
    "zoë": {"Zoë", "ZOË B", "zoe"},
    "ZOE": {"Zoë", "ZOË B", "zoe"},
    " Zoe\u0308 ": {"Zoë", "ZOË B", "zoe"},
    "æRØ": {"Ærø"},
    "100%": {"100%"},
    "A_B": {"a_b"},
    "\\": {"back\\slash"},
    "axb": {"renamed"},
    "ann": {"ANN", "ann-2"},
    "nobody": set(),
    "new": set(),
}


@pytest.mark.parametrize("at", [None, "2030-01-01"])
@pytest.mark.parametrize("text", SEARCHES)
def test_a_search_finds_names_and_aliases_in_capitals_or_not(league, text, at):
    board = league.leaderboard(None, at=at)
    found = league.leaderboard(None, at=at, matching=text)
    assert set(found["player"]) == SEARCHES[text] & set(board["player"])
    assert found.equals(board.filter(pl.col("player").is_in(list(SEARCHES[text]))))
    shown = league.board(Filters(1, at=at, matching=text))
    assert (shown.eligible, shown.matching) == (board.height, found.height)
    assert shown.table.select(found.columns).equals(found.head(1))


CONDITIONS = [
    {"min_contests": 6},
    {"active_since": "2026-01-25"},
    {"with_hidden": True},
    {"title": "expert"},
    {"title": "pupil", "with_hidden": True},
    {"title": "pupil", "min_contests": 3},
]


@pytest.mark.parametrize("many", [True, False])
@pytest.mark.parametrize("conditions", CONDITIONS)
def test_who_is_looked_for_has_the_place_among_all_who_pass(league, conditions, many, monkeypatch):
    if many:
        monkeypatch.setattr("podium.league.queries._MANY", 2)
        monkeypatch.setattr("podium.league.queries._FEW", 1)
    board = league.leaderboard(None, **conditions)
    for text in ("e", "00", "ann"):
        expected = board.filter([text in folded(name) for name in board["player"]])
        assert league.leaderboard(None, matching=text, **conditions).equals(expected)
        assert league.leaderboard(2, skip=1, matching=text, **conditions).equals(
            expected.slice(1, 2)
        )
        shown = league.board(Filters(1, matching=text, **conditions))
        assert (shown.eligible, shown.matching) == (board.height, expected.height)
        assert league.count(matching=text, **conditions) == expected.height


def test_an_empty_search_finds_everybody(league):
    for text in (None, "", "  "):
        assert league.leaderboard(None, matching=text).equals(league.leaderboard(None))


@pytest.mark.parametrize("wrong", [7, "a\0b", "\ud800", "x" * 1001])
def test_what_is_no_text_is_not_looked_for(wrong):
    for what in ("title", "matching"):
        with pytest.raises(podium.InputError, match=what):
            Filters(**{what: wrong})


def test_the_counts_of_a_board_are_those_of_its_questions(league):
    board = league.board(Filters(3))
    assert board.eligible == board.players == board.matching == league.count()
    assert board.hidden == 7
    assert league.board(Filters(3, min_contests=2)).hidden == 0
    assert league.board(Filters(3, with_hidden=True)).eligible == league.count() + 7


def test_ratings_of_files_are_searched_too():
    rated = podium.rate(podium.simulate(players=20, rounds=5, seed=1))
    board = podium.Leaderboard.of(rated, Filters(None))
    found = podium.Leaderboard.of(rated, Filters(1, matching="ER-001"))
    assert (found.eligible, found.matching) == (20, 10)
    assert found.table.equals(
        board.table.filter(pl.col("player").str.starts_with("player-001")).head(1)
    )
    with pytest.raises(podium.InputError, match="in a league"):
        podium.Leaderboard.of(rated, Filters(title="expert"))
