"""The first draft of Elo-R: against plain code, its equations and the bound that it proves."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.numerics import elo_r_draft as kernel
from podium.numerics import factors
from podium.ratings.beliefs import Beliefs
from podium.systems import EloRDraft
from tests.comparing import assert_same_beliefs
from tests.systems import plain_elo_r as plain
from tests.systems.test_elo_mmr import careers, final_rating, plainly, play, seasons

DAY = 86_400
VARIANTS = [
    EloRDraft(),
    EloRDraft(rule="proportional"),
    EloRDraft(memory=3),
    EloRDraft(memory=10, decay=0.9),
]


def variant(system):
    return f"{system.rule}-{system.memory}"


@pytest.mark.parametrize("system", VARIANTS, ids=variant)
@given(season=seasons(), scales=st.sampled_from([(55.0, 125.0), (100.0, 100.0), (150.0, 40.0)]))
@settings(max_examples=40, deadline=None)
def test_it_agrees_with_the_draft_written_out_plainly(system, season, scales):
    options = {
        **system.parameters,
        "skill_scale": scales[0],
        "performance_scale": scales[1],
    }
    ladder = play(season, EloRDraft(**options))
    model = plainly(season, plain.Draft(**options))
    for name, player in model.players.items():
        assert ladder[name].mu == pytest.approx(player.r, abs=1e-6)
        assert ladder[name].contests == player.contests


class Career:
    """A rating that follows performances which are given."""

    def __init__(self, **parameters):
        self.system = EloRDraft(**parameters)
        self.beliefs = Beliefs(self.system)
        self.ids = self.beliefs.enrol(["ann", "bob"])

    def perform(self, *performances, weight=1.0):
        b, system = self.beliefs, self.system
        for p in performances:
            while not factors.reserve(b.table, b.pool, b.arena, self.ids):
                b.grow_pool()
            prior, events = np.empty((3, 2)), np.empty((5, 2))
            kernel.prepare(
                b.table, b.pool, *system._settings, self.ids, 0, weight, 0, 2, prior, events
            )
            kernel.conclude(
                b.table, b.pool, *system._settings, self.ids, np.inf, 0, 2, prior, np.full(2, p),
                events,
            )  # fmt: skip
        return float(b.table[0]["mu"])


def test_a_winner_among_equals_performs_where_the_expected_rank_is_one():
    """Equation 13 for three newcomers: 2/(1+x) + 2/(1+x) = 1, so x = 3."""
    rated = podium.rate(
        podium.Contests.from_records(
            {"contest": "a", "time": 0, "player": name, "rank": rank}
            for rank, name in enumerate(["ann", "bob", "cat"], start=1)
        ),
        "elo-r-draft",
    )
    winner = rated.history["performance"][0]
    sigma3 = math.hypot(55.0, 125.0)
    assert winner == pytest.approx(1500.0 + sigma3 * math.log(3.0), abs=1e-9)


def test_equation_14_moves_the_rating_a_fixed_part_of_the_way():
    share = 55.0**2 / (55.0**2 + 125.0**2)
    for p in (1600.0, 1e5, -3e3):
        assert Career(rule="proportional").perform(p) == pytest.approx(
            1500.0 + share * (p - 1500.0), rel=1e-12
        )


@given(st.floats(-1e7, 1e7), st.floats(0.05, 0.99), st.floats(1.0, 1e3))
@settings(max_examples=200, deadline=None)
def test_equation_19_bounds_what_one_contest_can_change(p, ratio, sigma2):
    sigma1 = ratio * sigma2
    bound = sigma1 * math.log((sigma2 + sigma1) / (sigma2 - sigma1))
    moved = Career(skill_scale=sigma1, performance_scale=sigma2).perform(p) - 1500.0
    assert abs(moved) <= bound * (1.0 + 1e-9)
    assert math.copysign(moved, p - 1500.0) == moved


@pytest.mark.parametrize(("sigma1", "sigma2"), [(55.0, 125.0), (10.0, 500.0), (99.0, 100.0)])
def test_equation_19_is_the_limit_of_far_performances(sigma1, sigma2):
    career = Career(skill_scale=sigma1, performance_scale=sigma2)
    bound = sigma1 * math.log((sigma2 + sigma1) / (sigma2 - sigma1))
    assert career.perform(1e6) - 1500.0 == pytest.approx(bound, rel=1e-9)


def test_without_trust_in_the_past_a_far_performance_is_followed_without_bound():
    assert Career(skill_scale=125.0, performance_scale=55.0).perform(1e6) > 9e5
    assert Career(skill_scale=80.0, performance_scale=80.0).perform(1e6) == pytest.approx(
        0.5 * (1e6 + 1500.0), rel=1e-9
    )


def test_near_the_rating_all_rules_are_the_proportional_one():
    performances = [1500.0 + 1e-4 * k for k in (3.0, -2.0, 5.0, 5.0, 1.0)]
    for weight in (1.0, 0.3):
        exact = Career(rule="proportional").perform(*performances, weight=weight)
        for memory in (1, 3, 10):
            near = Career(memory=memory).perform(*performances, weight=weight)
            assert near - 1500.0 == pytest.approx(exact - 1500.0, rel=1e-4)


def test_what_the_draft_expects_of_a_memory():
    """One very strong performance does not change the rating much, the third in a row does."""
    forgetful, mindful = Career(), Career(memory=10)
    for career in (forgetful, mindful):
        career.perform(*[1500.0] * 20)
    steps = {}
    for name, career in (("forgetful", forgetful), ("mindful", mindful)):
        ratings = [1500.0, *(career.perform(3000.0) for _ in range(4))]
        steps[name] = np.diff(ratings)
    assert steps["forgetful"] == pytest.approx(steps["forgetful"][0], abs=0.01)
    assert (np.diff(steps["mindful"]) > 0.0).all()
    assert steps["mindful"][3] > 2.0 * steps["mindful"][0]


def test_a_very_weak_performance_after_a_very_strong_one_has_no_large_effect():
    career = Career(memory=10)
    career.perform(*[1500.0] * 20)
    strong = career.perform(3000.0)
    weak = career.perform(0.0)
    assert strong - 1500.0 < 60.0
    assert abs(weak - 1500.0) < 60.0


def test_only_the_last_performances_and_the_rating_before_them_are_remembered():
    one, other = Career(memory=3), Career(memory=3)
    one.perform(1500.0, 1700.0)
    other.perform(1600.0)
    other.beliefs.table["mu"][:2] = one.beliefs.table["mu"][:2]
    assert one.perform(1400.0) != other.perform(1400.0)
    one.perform(1800.0, 2000.0)
    other.perform(1800.0, 2000.0)
    model = plain.Draft(memory=3)
    for career in (one, other):
        record = career.beliefs.table[0]
        start = record["block"] + record["first"]
        assert record["count"] == 3
        seen = career.beliefs.pool[start : start + 3].tolist()
        assert seen == [1400.0, 1800.0, 2000.0]
        before = career.beliefs.pool[start + record["room"]]
        player = plain.DraftPlayer(0.0, [(p, before, 125.0) for p in seen])
        assert record["mu"] == pytest.approx(model.updated(player), abs=1e-8)


@pytest.mark.parametrize("system", VARIANTS, ids=variant)
@given(career=careers(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_improving_a_past_place_never_lowers_the_rating(system, career, data):
    places = [place for _, _, place in career]
    number = data.draw(st.integers(0, len(places) - 1))
    if places[number] == 0:
        return
    better = places[number] - data.draw(st.sampled_from([0.5, 1]))
    base = final_rating(system, career, places)
    improved = final_rating(system, career, [*places[:number], better, *places[number + 1 :]])
    assert improved.mu > base.mu - 1e-9


@pytest.mark.parametrize("system", VARIANTS, ids=variant)
@given(season=seasons())
@settings(max_examples=20, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(system, season):
    season = [(standings, day, weight, None) for standings, day, weight, _ in season]
    shifted = EloRDraft(**{**system.parameters, "mu_new": 2277.0})
    here, there = play(season, system), play(season, shifted)
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + 777.0, abs=1e-6)


@given(seasons(), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_renaming_players_renames_ratings_and_nothing_else(season, order):
    others = [f"q{n}" for n in range(6)]
    order.shuffle(others)
    new = {f"p{n}": other for n, other in enumerate(others)}
    renamed = [
        ([new[e] if isinstance(e, str) else tuple(new[n] for n in e) for e in standings], *rest)
        for standings, *rest in season
    ]
    system = EloRDraft(memory=4)
    before, after = play(season, system), play(renamed, system)
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-9)


@pytest.mark.parametrize("system", VARIANTS, ids=variant)
def test_a_heavier_contest_changes_more(system):
    gains = []
    for weight in (1e-4, 0.5, 1.0, 2.0, 1e4):
        ladder = podium.Ladder(system)
        ladder.record(["ann", "bob"])
        before = ladder["bob"].mu
        ladder.record(["bob", "ann"], weight=weight)
        gains.append(ladder["bob"].mu - before)
    assert gains == sorted(gains)
    assert gains[0] < 1.0


def test_everybody_is_equally_uncertain_for_ever():
    ladder = podium.Ladder("elo-r-draft", skill_scale=60.0)
    for _ in range(5):
        ladder.record(["ann", "bob"])
    assert ladder["ann"].sigma == pytest.approx(60.0 * math.pi / math.sqrt(3.0), rel=1e-15)
    assert ladder["ann"].rating == ladder["ann"].mu


def test_a_contest_of_one_player_changes_nothing_and_shows_no_performance():
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    for system in VARIANTS:
        rated = podium.rate(contests, system)
        assert rated.history["performance"].to_list() == [None]
        assert rated.ratings["mu"].item() == 1500.0
        assert rated.ratings["contests"].item() == 1


def test_a_ceiling_caps_performances():
    ladder = podium.Ladder("elo-r-draft")
    ladder.record(["ann", "bob", "cat"], perf_ceiling=1500.0)
    assert ladder["ann"].mu == pytest.approx(1500.0, abs=1e-9)
    assert ladder["cat"].mu < 1500.0


@pytest.mark.parametrize("system", VARIANTS, ids=variant)
def test_batches_and_threads_change_nothing_to_the_bit(system):
    few = podium.simulate(players=80, rounds=12, seed=4)
    many = podium.simulate(players=6000, rounds=2, participation=0.9, seed=5)
    assert many.sizes.max() > 4096
    for contests in (few, many):
        whole = podium.rate(contests, system, threads=1)
        half = len(contests) // 2
        for threads in (1, 3):
            first = podium.rate(contests[:half], system, threads=threads)
            second = podium.rate(contests[half:], beliefs=first.beliefs, threads=threads)
            assert_same_beliefs(whole.beliefs, second.beliefs)


@pytest.mark.parametrize("system", VARIANTS, ids=variant)
def test_20_000_players_are_rated_in_order_or_alike(system):
    names = [f"p{n:05}" for n in range(20_000)]
    ladder = podium.Ladder(system)
    ladder.record(names)
    mu = ladder.beliefs.column("mu")
    assert np.isfinite(mu).all()
    assert (np.diff(mu) < 0).all()
    alike = podium.Ladder(system)
    alike.record([tuple(names)])
    assert alike.beliefs.column("mu") == pytest.approx(1500.0, abs=1e-9)


def test_a_newcomer_who_beats_the_champion_gains_within_the_bound():
    ladder = podium.Ladder("elo-r-draft")
    for number in range(400):
        ladder.record(["champion", f"victim {number}"])
    champion = ladder["champion"].mu
    ladder.record(["newcomer", "champion"])
    bound = 55.0 * math.log(180.0 / 70.0)
    assert 1500.0 < ladder["newcomer"].mu < 1500.0 + bound
    assert champion - bound < ladder["champion"].mu < champion


@pytest.mark.slow
def test_performances_of_real_contests_are_exact(codeforces_sample):
    """Equation 13 by a direct sum over all opponents, in contests of every size."""
    season = codeforces_sample
    history = podium.rate(season, "elo-r-draft").history
    sigma3 = math.hypot(55.0, 125.0)
    for number in (0, 10, 83, 175, 250, 265, int(np.argmax(season.sizes))):
        contest = history.filter(pl.col("contest") == season[number].id)
        mu, ranks = contest["mu_before"].to_numpy(), contest["rank"].to_numpy()
        found = contest["performance"].to_numpy()
        for row in {0, 1, len(mu) // 3, len(mu) - 2, len(mu) - 1}:
            tied = np.sum(ranks == ranks[row]) - 1
            rank = 1.0 + np.sum(ranks < ranks[row]) + 0.5 * tied
            for offset, sign in ((-1e-6, 1.0), (1e-6, -1.0)):
                ahead = 1.0 / (1.0 + np.exp((found[row] + offset - mu) / sigma3))
                assert sign * (math.fsum(ahead) + ahead[row] - rank) > 0.0


def test_win_probabilities_are_symmetric_and_grow_with_the_gap():
    ladder = podium.Ladder("elo-r-draft")
    for _ in range(5):
        ladder.record(["ann", "bob", "cat"])
    assert ladder.win_probability("ann", "cat") + ladder.win_probability("cat", "ann") == 1.0
    assert ladder.win_probability("ann", "cat") > ladder.win_probability("ann", "bob") > 0.5
    scale = math.sqrt(2.0) * math.hypot(55.0, 125.0)
    gap = ladder["ann"].mu - ladder["bob"].mu
    expected = 1.0 / (1.0 + math.exp(-gap / scale))
    assert ladder.win_probability("ann", "bob") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"rule": "mad"}, "rule must be map or proportional, not 'mad' (did you mean 'map'?)"),
        ({"skill_scale": 0.0}, "skill_scale must be a number of at least 0.001"),
        (
            {"skill_scale": 1.0},
            "performance_scale must be from 0.01 to 100 times skill_scale, "
            "not 125 with a skill_scale of 1.",
        ),
        ({"memory": 0}, "memory must be a whole number of at least 1"),
        ({"memory": 3, "rule": "proportional"}, "memory works with the rule map only"),
        ({"decay": 0.9}, "decay works with a memory of 2 or more only."),
        ({"memory": 3, "decay": 0.0}, "decay must be a number above 0"),
        ({"memory": 3, "decay": 1.1}, "decay must be a number of at most 1"),
    ],
    ids=str,
)
def test_a_value_that_cannot_be_is_refused_with_what_could(parameters, wanted):
    with pytest.raises(podium.PodiumError) as refused:
        EloRDraft(**parameters)
    assert wanted in str(refused.value)


@pytest.mark.parametrize("ratio", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("skill_scale", [1e-3, 1e4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rule": "proportional"},
        {"memory": 1000},
        {"memory": 5, "decay": 1e-9},
        {"memory": 5, "decay": 1.0},
    ],
    ids=str,
)
def test_the_limits_of_all_parameters_can_be_rated_with(ratio, skill_scale, options):
    scales = {"skill_scale": skill_scale, "performance_scale": max(ratio * skill_scale, 1e-3)}
    ladder = podium.Ladder(EloRDraft(**scales, **options))
    for weight in (1.0, 1e-4, 1e4, 1.0, 1.0, 1.0):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight)
        ladder.record(["dan", "cat"], weight=weight)
    assert np.isfinite([[ladder[name].mu, ladder[name].sigma] for name in ladder]).all()


def test_saved_beliefs_go_on_to_the_bit(tmp_path):
    contests = podium.simulate(players=30, rounds=12, seed=6)
    whole = podium.rate(contests, "elo-r-draft", memory=5)
    podium.rate(contests[:6], "elo-r-draft", memory=5).beliefs.save(tmp_path / "beliefs.npz")
    rest = podium.rate(contests[6:], beliefs=tmp_path / "beliefs.npz")
    assert_same_beliefs(whole.beliefs, rest.beliefs)
