"""Systems that a league has been rated by."""

import math

import pytest

import podium
from podium import Contests, League, PodiumError, Rules, systems
from tests.league.plain import DAY, Game, Row, as_contests

SEASON = podium.simulate(players=10, rounds=12, seed=3)


@pytest.fixture
def league(where):
    with League.create(where, "elo-mmr") as made:
        made.record(SEASON[:8])
        yield made
        assert made.verify().differences == []


def shown(league: League) -> dict[str, float]:
    board = league.leaderboard(None)
    return dict(zip(board["player"], board["rating"], strict=True))


def rating(contests: Contests, system: str, **parameters) -> dict[str, float]:
    table = podium.rate(contests, system, **parameters).ratings
    return dict(zip(table["player"], table["rating"], strict=True))


def test_another_system_rates_everything(league):
    before = shown(league)
    change = league.revise("glicko2", period_days=2.0)
    assert change.what == "rated the league by glicko2 as revision 'glicko2'"
    assert shown(league) == rating(SEASON[:8], "glicko2", period_days=2.0)
    assert league.system == systems.Glicko2(period_days=2.0)
    table = league.compare("first", "glicko2")
    assert {name: (one, other) for name, one, other, _ in table.rows()} == {
        name: (before[name], value) for name, value in shown(league).items()
    }
    assert table.equals(change.moves)
    assert league.compare("first", "first").is_empty()
    found = league.revisions()
    assert found["name"].to_list() == ["first", "glicko2"]
    assert found["active"].to_list() == [False, True]
    assert found["current"].to_list() == [True, True]


def test_going_back_catches_up_with_what_has_changed(league):
    league.revise("elo-mmr", rho=0.5, name="slow")
    league.record(SEASON[8:])
    league.amend(SEASON.ids[2], weight=2.0)
    league.remove(SEASON.ids[5])
    assert league.revisions()["current"].to_list() == [False, True]
    change = league.rollback()
    assert change.what == "put revision 'first' in force, of elo-mmr"
    assert shown(league) == rating(league.results(), "elo-mmr")
    assert league.revisions()["current"].to_list() == [True, True]
    league.rollback("slow")
    assert shown(league) == rating(league.results(), "elo-mmr", rho=0.5)
    assert not league.rollback("slow").applied


def test_going_back_at_once_folds_nothing(league):
    before = shown(league)
    league.revise(rho=0.5)
    assert league.system == systems.EloMMR(rho=0.5)
    assert league.rollback().replayed == 0
    assert shown(league) == before


def test_what_cannot_be_is_refused(league):
    with pytest.raises(PodiumError, match="nothing to go back to"):
        league.rollback()
    with pytest.raises(PodiumError, match=r"'first' is that system.* already"):
        league.revise("elo-mmr")
    with pytest.raises(PodiumError, match=r"there is no revision 'frist'.*'first'"):
        league.rollback("frist")
    league.revise("glicko2")
    with pytest.raises(PodiumError, match="podium rollback goes to it"):
        league.revise("elo-mmr")
    with pytest.raises(PodiumError, match="there is a revision 'first' already"):
        league.revise("elo", name="first")


def test_a_system_that_cannot_rate_the_contests_is_refused(league):
    with pytest.raises(PodiumError, match="luck rates contests of at most 2"):
        league.revise("luck")
    assert league.system.name == "elo-mmr"


def test_nobody_goes_back_to_a_system_that_cannot_rate_what_came_since(path):
    pair = Game("pair", 0, (Row("ann", 1), Row("bob", 2)))
    crowd = Game("crowd", DAY, tuple(map(Row, "abcd", (1, 2, 3, 4))))
    with League.create(path, "luck") as league:
        league.record(as_contests([pair]))
        league.revise("elo-mmr")
        league.record(as_contests([crowd]))
        with pytest.raises(PodiumError, match="'crowd' is of 4 players, but luck"):
            league.rollback()
        assert league.system.name == "elo-mmr"
        league.remove("crowd")
        assert league.rollback().applied
        assert shown(league) == rating(as_contests([pair]), "luck")


def test_rules_hold_for_all_revisions(league):
    league.revise("glicko2")
    league.set_rules(Rules("mean"))
    league.rollback()
    board = league.leaderboard(None)
    assert board["rating"].equals(board["mu"].alias("rating"))


def test_systems_with_functions_of_ones_own_cannot_be_kept(path):
    def draw(z):
        return -math.pi / 2 * math.tanh(math.pi / 2 * z)

    def victory(z):
        density = 1 / (2 * math.cosh(math.pi / 2 * z))
        return density / (2 / math.pi * math.atan(math.exp(math.pi / 2 * z)))

    def loss(z):
        density = 1 / (2 * math.cosh(math.pi / 2 * z))
        return -density / (2 / math.pi * math.atan(math.exp(-math.pi / 2 * z)))

    model = systems.PerformanceModel("sech", loss, draw, victory, strip=1.0)
    with pytest.raises(PodiumError, match="cannot be kept in a league"):
        League.create(path, systems.EloMMR(performance=model))


def test_who_is_eligible_is_settled_in_contests_that_do_not_count_yet(league):
    floor = float(league.leaderboard(None)["rating"].median())
    league.record(SEASON[8:9], rated=False, floor=floor)
    contest = SEASON[8].id
    eligible = league.contest(contest)["eligible"].to_list()
    assert any(eligible)
    assert not all(eligible)
    league.remove(SEASON[7].id)
    league.amend(contest, rated=True)
    shown = league.contest(contest)
    assert shown["eligible"].to_list() == eligible
    assert shown["change"].is_not_null().to_list() == eligible
    assert league.verify().sound
