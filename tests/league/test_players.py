"""Players have one name, and may be called by others."""

import pytest

from podium import League, PodiumError
from tests.league.plain import DAY, Game, Row, as_contests


def game(id: str, *names: str, time: int = 0) -> Game:
    return Game(id, time, tuple(Row(name, place) for place, name in enumerate(names, 1)))


@pytest.fixture
def league(where):
    with League.create(where) as made:
        made.record(as_contests([game("one", "ann", "bob", "cat")]))
        yield made
        assert made.verify().differences == []


def test_old_names_are_understood_in_later_results(league):
    league.rename("bob", "zoe")
    league.record(as_contests([game("two", "bob", "ann", time=DAY)]))
    assert league.contest("two")["player"].to_list() == ["zoe", "ann"]
    assert league.history_of("bob").equals(league.history_of("zoe"))
    assert league.player("bob").name == "zoe"
    again = league.record(as_contests([game("two", "zoe", "ann", time=DAY)]))
    assert again.known == ["two"]
    with pytest.raises(PodiumError, match="'bob' and 'zoe' are one player in this league"):
        league.record(as_contests([game("three", "bob", "zoe")]))


def test_a_name_that_is_set_free_is_somebody_else(league):
    league.rename("bob", "zoe", keep_old=False)
    league.record(as_contests([game("two", "bob", "zoe", time=DAY)]))
    assert league.player("bob").contests == 1
    assert league.player("zoe").contests == 2


def test_names_can_go_round(league):
    league.rename("bob", "tmp", keep_old=False)
    league.rename("cat", "bob", keep_old=False)
    league.rename("tmp", "cat", keep_old=False)
    assert league.contest("one")["player"].to_list() == ["ann", "cat", "bob"]
    league.rename("ann", "eve")
    league.rename("eve", "ann")
    assert league.aliases().rows() == [("eve", "ann")]


def test_two_who_are_one_are_merged(league):
    league.record(as_contests([game("two", "bob 2", "ann", time=DAY)]))
    change = league.merge("bob 2", "bob")
    assert change.moves.filter(change.moves["player"] == "bob 2")["after"].to_list() == [None]
    assert league.history_of("bob")["contest"].to_list() == ["one", "two"]
    assert league.history_of("bob 2").equals(league.history_of("bob"))
    assert "bob 2" not in league.leaderboard()["player"]
    with pytest.raises(PodiumError, match="are one player already"):
        league.merge("bob 2", "bob")
    with pytest.raises(PodiumError, match="both took part in contest 'one'"):
        league.merge("bob", "cat")


def test_a_number_that_is_free_again_is_another_player(league):
    league.revise("glicko2")
    league.record(as_contests([game("two", "dan", "ann", time=DAY)]))
    league.merge("dan", "bob")
    league.record(as_contests([game("three", "eve", "ann", time=2 * DAY)]))
    league.rollback()
    assert league.history_of("eve")["contest"].to_list() == ["three"]
    assert league.history_of("dan")["contest"].to_list() == ["one", "two"]


@pytest.mark.parametrize("name", ["", "  ", "\u3000", None, 7, "a\0b", "\ud800", "n" * 1001])
def test_what_cannot_be_a_name_is_refused(league, name):
    with pytest.raises(PodiumError):
        league.rename("ann", name)


@pytest.mark.parametrize(
    "odd", [game("two\0", "ann", "bob"), game("two", "ann\0", "bob")], ids=["contest", "player"]
)
def test_results_with_the_character_zero_are_refused(league, odd):
    with pytest.raises(PodiumError, match="holds the character 0"):
        league.record(as_contests([odd]))


@pytest.mark.parametrize(
    "name", ["%", "_", "'", '"', "\\", "\\N", "a\tb", "a\nb", "é", "🦉", "null"]
)
def test_names_are_kept_whatever_they_hold(league, name):
    league.record(as_contests([game(f"contest {name}", name, "ann", time=DAY)]))
    assert league.contest(f"contest {name}")["player"].to_list() == [name, "ann"]
    assert league.player(name).contests == 1
    league.rename("ann", f"ann{name.strip() or 'x'}")


def test_who_has_no_contest_left_has_no_rating(league):
    change = league.remove("one")
    assert change.moves["after"].to_list() == [None] * 3
    assert league.leaderboard().is_empty()
    assert league.history_of("ann").is_empty()
    assert (league.player("ann").contests, league.player("ann").place) == (0, None)
    assert league.player("ann").mu == league.system.newcomer()["mu"]
    league.record(as_contests([game("two", "ann", "bob")]))
    assert league.leaderboard()["player"].to_list() == ["ann", "bob"]
