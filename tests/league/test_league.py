"""What a league is told: which arguments it takes, and what it answers to others."""

import math

import numpy as np
import pytest

import podium
from podium import League, PodiumError, Rules
from tests.league.plain import DAY, Game, Row, as_contests

ORDER = ("ann", "bob", "cat")


def game(id: str, day: int, order: tuple[str, ...] = ORDER, **about) -> Game:
    return Game(id, day * DAY, tuple(map(Row, order, range(1, len(order) + 1))), **about)


@pytest.fixture
def league(path):
    with League.create(path) as made:
        made.record(as_contests([game("one", 1), game("two", 2, ("bob", "ann", "cat"))]))
        yield made


WRONG = {
    "record, rated": lambda x: x.record(as_contests([game("new", 3)]), rated="no"),
    "record, floor": lambda x: x.record(as_contests([game("new", 3)]), floor=math.inf),
    "record, who": lambda x: x.record(as_contests([game("new", 3)]), who=5),
    "record, why": lambda x: x.record(as_contests([game("new", 3)]), why={}),
    "record, half a character": lambda x: x.record(as_contests([game("new", 3)]), why="\ud800"),
    "record, character 0": lambda x: x.record(as_contests([game("new", 3)]), who="a\0b"),
    "amend, rated": lambda x: x.amend("one", rated="no"),
    "amend, number as name": lambda x: x.amend("one", name=5),
    "amend, bytes as name": lambda x: x.amend("one", name=b"one"),
    "amend, weight": lambda x: x.amend("one", weight=math.nan),
    "set_rules": lambda x: x.set_rules({"display": "mean"}),
    "rollback": lambda x: x.rollback(["first"]),
    "compare": lambda x: x.compare("first", ["first"]),
    "log, text": lambda x: x.log("all"),
    "log, negative": lambda x: x.log(-1),
    "log, contest": lambda x: x.log(contest="three"),
    "log, player": lambda x: x.log(player="zoe"),
    "count": lambda x: x.count(min_contests="2"),
    "beliefs_of, one name": lambda x: x.beliefs_of("ann"),
    "beliefs_of, none": lambda x: x.beliefs_of(None),
    "create, rules": lambda x: League.create(f"{x.where}-2", rules="mean"),
    "create, wait": lambda x: League.create(f"{x.where}-2", wait="long"),
    "create, who": lambda x: League.create(f"{x.where}-2", who=5),
    "create, folder": lambda x: League.create(f"{x.where}-2/none/league.db"),
    "restore": lambda x: League.restore(x.where, f"{x.where}-2"),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_what_cannot_be_is_a_sentence_and_changes_nothing(league, call):
    before = league.log(), league.contests()
    with pytest.raises(PodiumError) as refused:
        call(league)
    assert str(refused.value).endswith(".")
    assert "database refuses" not in str(refused.value)
    assert league.log().equals(before[0])
    assert league.contests().equals(before[1])


def test_numbers_of_numpy_are_numbers(league):
    assert league.amend("one", weight=np.int64(2), rated=np.bool_(True)).applied
    assert league.record(as_contests([game("new", 3)]), floor=np.int64(100)).applied
    assert league.contests()["rating_floor"].to_list() == [None, None, 100.0]
    assert league.leaderboard(np.int64(1)).height == 1


def test_no_contests_are_nothing_to_record(league):
    change = league.record(league.results()[:0])
    assert (change.what, change.applied) == ("there is no contest to record", False)


def test_a_name_of_a_contest_rates_nothing_again(league):
    change = league.amend("one", name="Open")
    assert (change.applied, change.replayed, change.moves.height) == (True, 0, 0)
    assert league.contests()["name"].to_list() == ["Open", None]
    assert not league.amend("one", name="Open").applied
    assert league.verify().sound
    assert league.amend("one", name="").applied
    assert league.contests()["name"].to_list() == [None, None]
    assert not league.amend("one", name="").applied


def test_a_contest_that_was_given_a_name_is_known_without_it(league):
    league.amend("one", name="Open")
    assert league.record(as_contests([game("one", 1)])).known == ["one"]


def test_known_contests_can_be_left_as_they_are(league):
    league.disqualify("one", "bob")
    league.amend("two", rated=False)
    grown = as_contests([game("one", 1), game("two", 2, ("bob", "ann", "cat")), game("three", 3)])
    with pytest.raises(PodiumError, match=r"contest 'one' .* --leave-known records the others\.$"):
        league.record(grown)
    change = league.record(grown, leave_known=True)
    assert (change.recorded, change.known) == (["three"], ["one", "two"])
    assert league.contest("one")["player"].to_list() == ["ann", "cat"]
    assert league.contests()["rated"].to_list() == [True, False, True]


def test_the_log_of_a_contest_has_its_recording_among_others(league):
    league.amend("two", weight=2.0)
    assert league.log(contest="two")["action"].to_list() == ["amend", "record"]
    assert league.log(contest="one")["action"].to_list() == ["record"]
    league.remove("one")
    assert league.log(contest="one")["action"].to_list() == ["remove", "record"]


def test_the_log_of_a_player_is_under_all_names(league):
    league.disqualify("one", "ann")
    league.rename("ann", "anna")
    league.record(as_contests([game("three", 3, ("ann 2", "bob"))]))
    league.merge("ann 2", "anna")
    for name in ("ann", "anna", "ann 2"):
        assert league.log(player=name)["action"].to_list() == ["merge", "rename", "disqualify"]
    assert league.log(player="bob").is_empty()


@pytest.mark.parametrize("display", ["system", "mean", "conservative"])
def test_ratings_are_explained_as_they_are_shown(league, display):
    league.set_rules(Rules(display=display))
    for row in league.contest("two").iter_rows(named=True):
        found = league.explain("two", row["player"])
        assert found.change.rating_before == pytest.approx(row["rating_before"], abs=1e-9)
        assert found.change.rating == pytest.approx(row["rating"], abs=1e-9)
        parts = found.change.by_skill + found.change.by_certainty + found.change.by_experience
        assert parts == pytest.approx(row["change"], abs=1e-9)
    shown = dict(league.contest("two").select("player", "rating_before").iter_rows())
    for opponent in found.opponents.iter_rows(named=True):
        assert opponent["rating"] == pytest.approx(shown[opponent["player"]], abs=1e-9)


def test_an_explanation_says_among_whom_the_rank_is(league):
    best = league.player("ann").rating
    league.record(as_contests([game("three", 3)]), ceiling=best)
    found = league.explain("three", "bob")
    assert (found.rank, found.competitors, found.overall) == (1, 2, (2, 3))
    assert "at rank 1 of 2 players who are rated by it (rank 2 of all 3)." in found.text(1000)
    assert league.explain("two", "bob").overall is None


def test_players_who_are_hidden_can_be_counted(league):
    league.record(as_contests([game("three", 3, ("dan", "ann"))]))
    league.set_rules(Rules(hidden_until=2))
    assert (league.count(), league.count(with_hidden=True)) == (3, 4)
    assert league.count(with_hidden=True, min_contests=3) == 1


def test_ratings_before_are_those_of_podium_rate(league):
    beliefs = podium.rate(league.results()[:1]).beliefs
    alone = podium.explain(beliefs, league.results()[1:], "cat")
    assert league.explain("two", "cat").text() == alone.text()
