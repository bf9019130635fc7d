import pytest

import podium
from podium.ratings.chances import Chances


@pytest.fixture(scope="module")
def rated():
    matches = podium.simulate_matches(players=6, matches=80, draws=0.2, side_advantage=0.4)
    return podium.rate(matches, "luck", side_advantage=0.4)


@pytest.mark.parametrize("home", [None, "player-0001", "player-0002"])
def test_of_two_they_are_what_the_questions_answer(rated, home):
    names = "player-0001", "player-0002"
    chances = Chances.of(rated, names, at="2030-01-01", home=home)
    side = {None: None, names[0]: "home", names[1]: "away"}[home]
    asked = {"at": "2030-01-01", "side": side}
    assert chances.win == rated.win_probability(*names, **asked)
    assert chances.draw == rated.draw_probability(*names, **asked)
    assert chances.stronger == rated.stronger_probability(*names, at="2030-01-01")
    assert chances.quality == rated.quality(names, at="2030-01-01", home=home)
    first = dict(zip(chances.table["player"], chances.table["first"], strict=True))
    assert first[names[0]] == pytest.approx(chances.win + chances.draw / 2)


def test_who_is_at_home_wins_more_often(rated):
    names = "player-0001", "player-0002"
    home, away = (Chances.of(rated, names, home=each).win for each in names)
    assert home > Chances.of(rated, names).win > away


def test_of_many_nobody_is_the_first_of_two():
    rated = podium.rate(podium.simulate(players=6, rounds=5))
    chances = Chances.of(rated, rated.beliefs.names[:3], top=2)
    assert chances.win is chances.draw is chances.stronger is None
    assert list(chances.document()) == ["system", "temperature", "quality", "top", "players"]
    assert chances.table.equals(rated.rank_probabilities(rated.beliefs.names[:3], top=2))


def test_a_newcomer_has_chances_in_a_league_as_in_ratings(tmp_path):
    contests = podium.simulate(players=6, rounds=5)
    rated = podium.rate(contests)
    with podium.League.create(tmp_path / "league.db") as league:
        league.record(contests)
        with league.snapshot() as view:
            names = rated.beliefs.names[0], "somebody new"
            found = Chances.of(view, names).document()
    assert found == Chances.of(rated, names).document()
