import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
import podium.luck as podium_luck
from podium.contests import Contests


def test_the_same_arguments_give_the_same_contests():
    options = {"participation": 0.4, "ties": 0.3, "seed": 5}
    assert podium.simulate(40, 6, **options) == podium.simulate(40, 6, **options)
    assert podium.simulate(40, 6, seed=5) != podium.simulate(40, 6, seed=6)


def test_names_sort_by_their_numbers():
    contests = podium.simulate(players=12, rounds=3)
    assert contests.ids.to_list() == ["round-01", "round-02", "round-03"]
    assert contests.players.to_list()[:2] == ["player-0001", "player-0002"]
    many = podium.simulate(players=10_001, rounds=101, participation=0.0)
    assert many.players[0] == "player-00001"
    assert many.ids[-1] == "round-101"
    assert many.players.is_sorted()
    assert many.ids.is_sorted()


def test_rounds_follow_each_other_at_equal_distances():
    contests = podium.simulate(players=2, rounds=3, start="2020-02-28T12:00", days_between=1.5)
    times = [contest.time.isoformat() for contest in contests]
    assert times == ["2020-02-28T12:00:00", "2020-03-01T00:00:00", "2020-03-02T12:00:00"]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 30),
    st.integers(1, 6),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 2**32),
)
def test_every_population_is_valid_results(players, rounds, participation, ties, seed):
    contests = podium.simulate(players, rounds, participation=participation, ties=ties, seed=seed)
    assert contests.sizes.min() >= 2
    assert Contests.from_frame(contests.frame()) == contests


@pytest.mark.parametrize("players", [2, 3, 10, 400])
@pytest.mark.parametrize("ties", [0.0, 0.25, 0.85, 1.0])
def test_the_share_of_ties_is_as_asked_for_contests_of_any_size(players, ties):
    contests = podium.simulate(players, 40_000 // players, ties=ties, seed=2)
    group = pl.len().over("contest", "rank")
    tied = contests.frame().select(group > 1).to_series().mean()
    assert tied == pytest.approx(ties, abs=0.02)


def test_the_share_of_absences_is_as_asked():
    contests = podium.simulate(2000, 50, participation=0.3)
    assert contests.rows / 100_000 == pytest.approx(0.3, abs=0.01)


def test_absences_and_ties_leave_skills_and_performances_alone():
    everybody = podium.simulate(50, 8, seed=4)
    some = podium.simulate(50, 8, participation=0.5, ties=0.5, seed=4)
    for full, partial in zip(everybody, some, strict=True):
        order = {player: place for place, player in enumerate(full.players)}
        groups_by_rank: dict[int, list[int]] = {}
        for rank, player in partial.standings:
            groups_by_rank.setdefault(rank, []).append(order[player])
        groups = list(groups_by_rank.values())
        assert all(max(better) < min(worse) for better, worse in pairwise(groups))


def test_skills_are_drawn_and_drift_as_asked():
    crowd = podium.simulate(4000, 10, skill_mean=100, skill_sd=30, drift_sd=10)
    skills = crowd.skills.reshape(10, 4000)
    assert skills[0].mean() == pytest.approx(100, abs=2)
    assert skills[0].std() == pytest.approx(30, rel=0.05)
    assert skills[9].std() == pytest.approx(math.hypot(30, 10 * 3), rel=0.05)


def test_skills_stand_beside_the_rows_of_their_players():
    crowd = podium.simulate(30, 4, drift_sd=0, participation=0.7)
    frame = crowd.frame().with_columns(skill=crowd.skills)
    assert frame.group_by("player").agg(pl.col("skill").n_unique())["skill"].max() == 1


def test_without_noise_the_ranks_are_the_order_of_the_skills():
    crowd = podium.simulate(30, 4, performance_sd=0)
    for number, contest in enumerate(crowd):
        skills = crowd.skills[30 * number : 30 * number + len(contest)]
        assert (np.diff(skills) < 0).all()


def test_ratings_come_close_to_the_true_skills():
    crowd = podium.simulate(players=400, rounds=40)
    mu = podium.rate(crowd).history["mu"].to_numpy().reshape(40, 400)
    error = np.sqrt(np.mean((mu - crowd.skills.reshape(40, 400)) ** 2, axis=1))
    assert error[-1] < 110 < 130 < error[0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 1}, "players must be a whole number of at least 2, not 1."),
        ({"players": 2.0}, "players must be a whole number of at least 2, not 2.0."),
        ({"rounds": 0}, "rounds must be a whole number of at least 1, not 0."),
        ({"rounds": True}, "rounds must be a whole number of at least 1, not True."),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1."),
        ({"participation": 1.01}, "participation must be a number from 0 to 1, not 1.01."),
        ({"ties": -0.1}, "ties must be a number from 0 to 1, not -0.1."),
        ({"ties": math.nan}, "ties must be a number from 0 to 1, not nan."),
        ({"drift_sd": -1}, "drift_sd must be a finite number of at least 0, not -1."),
        ({"skill_sd": "wide"}, "skill_sd must be a finite number of at least 0, not 'wide'."),
        ({"skill_mean": math.inf}, "skill_mean must be a finite number, not inf."),
        ({"days_between": 1e9}, "50 rounds with 1e+09 days between them go beyond the year 9999."),
        ({"start": "soon"}, "'soon' is not a time"),
    ],
)
def test_a_wrong_argument_is_one_sentence(options, sentence):
    with pytest.raises(podium.PodiumError) as refused:
        podium.simulate(**options)
    assert str(refused.value).startswith(sentence)


def scores(matches):
    """The score of the first row of every match, as drawn at random which one that is."""
    drawn = matches.columns.rank[1::2] == 1
    return np.where(drawn, 0.5, 1.0)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 30),
    st.integers(1, 60),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0.0, -0.5, 2.0]),
    st.integers(0, 2**32),
)
def test_matches_are_valid_results(players, matches, draws, neighbours, side_advantage, seed):
    contests = podium.simulate_matches(
        players,
        matches,
        draws=draws,
        neighbours=neighbours,
        side_advantage=side_advantage,
        seed=seed,
    )
    assert (contests.sizes == 2).all()
    assert (contests.columns.player[::2] != contests.columns.player[1::2]).all()
    assert len(contests.skills) == contests.rows
    assert Contests.from_frame(contests.frame()) == contests


def test_the_same_arguments_give_the_same_matches():
    options = {"players": 30, "matches": 200, "draws": 0.2, "drift_sd": 0.1}
    one, other = (podium.simulate_matches(**options, seed=5) for _ in range(2))
    assert one == other
    assert np.array_equal(one.skills, other.skills)
    assert one != podium.simulate_matches(**options, seed=6)
    assert one.ids[0] == "match-00001"


@pytest.mark.parametrize(
    ("beta", "luck"), [(0.8, None), (1.0, None), (0.0, None), (0.9, podium_luck.Normal(0.5))]
)
def test_results_follow_the_luck_function(beta, luck):
    matches = podium.simulate_matches(
        500, 200_000, beta=beta, luck=luck, skill_sd=1.5, draws=0.3, seed=2
    )
    first, second = matches.skills.reshape(-1, 2).T
    difference = np.abs(first - second)
    stronger = np.where(first > second, scores(matches), 1.0 - scores(matches))
    for low, high in pairwise((0.0, 0.3, 0.8, 1.5, 3.0, 9.0)):
        among = (difference >= low) & (difference < high)
        game = luck or podium_luck.Logistic()
        chance = 0.5 * (1 - beta) + beta * game(difference[among], 0.0)
        assert stronger[among].mean() == pytest.approx(chance.mean(), abs=0.01)


def test_draws_are_most_frequent_among_equals():
    matches = podium.simulate_matches(400, 100_000, beta=1.0, skill_sd=2.0, draws=0.4)
    difference = np.abs(np.diff(matches.skills.reshape(-1, 2)))[:, 0]
    drawn = scores(matches) == 0.5
    assert drawn[difference < 0.05].mean() == pytest.approx(0.4, abs=0.03)
    chance = 1.0 / (1.0 + np.exp(difference))
    assert drawn.mean() == pytest.approx(0.8 * chance.mean(), abs=0.01)


def test_the_side_is_worth_what_was_asked():
    matches = podium.simulate_matches(
        200, 100_000, beta=1.0, skill_sd=0.0, side_advantage=0.7, draws=0.2
    )
    side = matches.columns.side
    assert (side[::2] == -side[1::2]).all()
    sided = np.where(side[::2] == 1, scores(matches), 1.0 - scores(matches))
    assert sided.mean() == pytest.approx(1.0 / (1.0 + math.exp(-0.7)), abs=0.006)
    assert podium.simulate_matches(4, 5).columns.side is None


def test_skills_move_after_each_match_of_their_player():
    matches = podium.simulate_matches(40, 20_000, drift_sd=0.1, seed=3)
    frame = matches.frame().with_columns(skill=matches.skills)
    steps = frame.select(pl.col("skill").diff().over("player"))["skill"].drop_nulls()
    assert len(steps) == 40_000 - 40
    assert steps.mean() == pytest.approx(0.0, abs=0.003)
    assert steps.std() == pytest.approx(0.1, rel=0.02)
    still = podium.simulate_matches(40, 20_000, seed=3)
    known = still.frame().with_columns(skill=still.skills)
    assert known.group_by("player").agg(pl.col("skill").n_unique())["skill"].max() == 1


def test_a_drift_by_hand():
    matches = podium.simulate_matches(2, 3, drift_sd=0.5, draws=1.0, beta=0.0)
    assert matches.columns.player.tolist() == [0, 1] * 3
    skills = matches.skills.reshape(3, 2)
    assert len(np.unique(skills)) == 6
    assert np.array_equal(skills[0], podium.simulate_matches(2, 3, draws=1.0, beta=0.0).skills[:2])


@pytest.mark.parametrize("neighbours", [0.0, 0.1, 0.5, 1.0])
def test_opponents_are_found_among_the_nearest(neighbours):
    matches = podium.simulate_matches(100, 30_000, neighbours=neighbours, seed=4)
    member = matches.columns.player
    skill = dict(zip(member.tolist(), matches.skills.tolist(), strict=True))
    place = {player: i for i, player in enumerate(sorted(skill, key=skill.__getitem__))}
    apart = np.abs(
        [
            place[a] - place[b]
            for a, b in zip(member[::2].tolist(), member[1::2].tolist(), strict=True)
        ]
    )
    width = max(2, round(100 * neighbours))
    assert apart.min() == 1
    assert apart.max() == width - 1
    if neighbours == 1.0:
        assert apart.mean() == pytest.approx(101 / 3, rel=0.03)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 1}, "players must be a whole number of at least 2, not 1."),
        ({"matches": 0}, "matches must be a whole number of at least 1, not 0."),
        ({"seed": 0.5}, "seed must be a whole number of at least 0, not 0.5."),
        ({"beta": 1.1}, "beta must be a number from 0 to 1, not 1.1."),
        ({"draws": -1}, "draws must be a number from 0 to 1, not -1."),
        ({"neighbours": 2}, "neighbours must be a number from 0 to 1, not 2."),
        ({"drift_sd": -1}, "drift_sd must be a finite number of at least 0, not -1."),
        ({"side_advantage": math.nan}, "side_advantage must be a finite number, not nan."),
        (
            {"luck": "logistic"},
            "a luck function is needed, such as Logistic() or Custom(function), not 'logistic'.",
        ),
        (
            {"days_between": 1e6},
            "10000 matches with 1e+06 days between them go beyond the year 9999.",
        ),
    ],
)
def test_a_wrong_argument_of_matches_is_one_sentence(options, sentence):
    with pytest.raises(podium.PodiumError) as refused:
        podium.simulate_matches(**options)
    assert str(refused.value) == sentence
