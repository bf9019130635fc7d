"""What a reset and a start mean: of every system what holds for all, of each what is its own."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, Ladder, systems, testing
from podium.luck.functions import POINTS_PER_STRENGTH
from podium.numerics import factors
from podium.systems import (
    AtCoder,
    Elo,
    EloMMR,
    EloMMX,
    EloR,
    EloRDraft,
    Glicko,
    Glicko2,
    Luck,
    PerformanceModel,
    Podium,
    Reset,
)
from tests.numerics import plain
from tests.numerics.test_performances import sech_draw, sech_loss, sech_victory
from tests.strategies import contests, match_lists
from tests.systems import plain_elo_r, plain_luck
from tests.systems.test_elo_mmr import plainly, play, seasons

NAN = math.nan
DAY = 86_400
EVERY = pytest.mark.parametrize("name", systems.names())
OTHERS = {
    "rho 0": EloMMR(rho=0.0),
    "rho 0.3": EloMMR(rho=0.3),
    "rho 4": EloMMR(rho=4.0),
    "rho inf": EloMMR(rho=math.inf),
    "short memory": EloMMR(history=2),
    "gaussian": EloMMR(performance="gaussian"),
    "sech": EloMMR(performance=PerformanceModel("sech", sech_loss, sech_draw, sech_victory)),
    "drifting": EloMMR(drift_per_day=5.0, noob_delay=(0.5, 0.8)),
    "simple": EloR(noise="simple"),
    "short memory of elo-r": EloR(history=2),
    "draft with a memory": EloRDraft(memory=4),
    "draft, proportional": EloRDraft(rule="proportional"),
    "periods of glicko": Glicko(period_days=1.5),
    "drifting glicko": Glicko(drift_per_day=3.0),
    "periods of glicko2": Glicko2(period_days=1.5),
    "periods of luck": Luck(period_days=1.5),
    "single precision": Luck(storage="single", period_days=2.0, drift_per_day=1e-4),
    "drifting luck": Luck(points=101, drift="laplace", drift_sd=0.3, drift_per_day=1e-3),
    "no decay": AtCoder(decay=1.0),
    "top": Elo(k_top=10.0, k_new=40.0, top=1510.0),
}
"""Systems with parameters by which they believe something else, or forget otherwise."""
pulls = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]) | st.floats(0.0, 1.0)


def ids_of(beliefs, *names):
    return beliefs.enrol(list(names)).astype(np.int64)


def season_of(system, data):
    if system.most_players is None:
        return data.draw(contests())
    return Contests.from_matches(data.draw(match_lists(scores=True)))


def unit_of(system):
    usual = system.newcomer()["sigma"]
    return 350.0 if math.isnan(usual) else usual


def resets_of(system):
    """Random ones, toward a number or where newcomers begin, with a least sigma or without."""
    start, unit = system.newcomer()["mu"], unit_of(system)
    toward = st.none() | st.floats(-1.0, 1.0).map(lambda x: start + unit * x)
    sigma = st.none() | st.floats(0.3, 1.0).map(lambda x: unit * x)
    return st.builds(Reset, pulls, toward, sigma)


@pytest.mark.parametrize("which", OTHERS)
@pytest.mark.parametrize("check", ["resets", "starts"])
def test_a_check_holds_whatever_the_parameters(which, check):
    assert testing.failure(check, OTHERS[which]) is None


@EVERY
@settings(max_examples=15)
@given(st.data())
def test_resets_do_what_they_say_after_any_history(name, data):
    system = systems.build(name)
    testing.was_reset(system, season_of(system, data), data.draw(resets_of(system)))


@EVERY
@settings(max_examples=8)
@given(st.data())
def test_starts_do_what_they_say_after_any_history(name, data):
    system = systems.build(name)
    testing.was_started(system, season_of(system, data))


@EVERY
@settings(max_examples=15)
@given(st.data())
def test_ratings_are_pulled_towards_a_number_in_order_and_never_past_it(name, data):
    system = systems.build(name)
    beliefs = podium.rate(season_of(system, data), system).beliefs
    reset = data.draw(resets_of(system))
    toward = system.newcomer()["mu"] if reset.toward is None else reset.toward
    before, sigma = beliefs.column("mu"), beliefs.column("sigma")
    system.reset(beliefs, np.arange(len(beliefs)), reset)
    after = beliefs.column("mu")
    assert ((np.minimum(before, toward) <= after) & (after <= np.maximum(before, toward))).all()
    assert (np.diff(after[np.argsort(before)]) >= 0.0).all()
    assert not (beliefs.column("sigma") < sigma).any()
    if reset.pull == 1.0:
        assert (after == toward).all()


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2),
    pulls,
    st.floats(-1e6, 1e6),
    st.lists(st.floats(0.0, 1e6), min_size=2),
)
def test_the_formula_passes_nobody_not_even_by_rounding(mu, pull, toward, sigma):
    start = {"mu": 1500.0, "sigma": 350.0}
    ordered = np.sort(np.array(mu))
    moved, _ = Reset(pull, toward).moments(start, ordered, np.full(len(mu), 50.0))
    assert (np.diff(moved) >= 0.0).all()
    assert (np.minimum(ordered, toward) <= moved).all()
    assert (moved <= np.maximum(ordered, toward)).all()
    _, wider = Reset(pull).moments(start, np.zeros(len(sigma)), np.array(sigma))
    assert (wider >= np.array(sigma)).all()
    same_mu, same_sigma = Reset(0.0).moments(start, ordered, np.full(len(mu), sigma[0]))
    assert (same_mu == ordered).all()
    assert (same_sigma == sigma[0]).all()
    at_home, usual = Reset(pull).moments(start, np.array([1500.0]), np.array([350.0]))
    assert (at_home[0], usual[0]) == (1500.0, 350.0)


@EVERY
def test_players_of_other_names_are_reset_alike(name):
    system = systems.build(name)
    order = [f"p{number}" for number in range(6)]
    mu = []
    for names in (order, order[::-1]):
        ladder = Ladder(system)
        called = dict(zip(order, names, strict=True))
        for first in range(5):
            ladder.record([called[order[first]], called[order[first + 1]]], time=first * DAY)
        everybody = ids_of(ladder.beliefs, *(called[each] for each in order))
        system.reset(ladder.beliefs, everybody, Reset(0.4))
        ladder.record([called["p0"], called["p5"]], time=9 * DAY)
        mu.append(ladder.beliefs.column("mu")[everybody])
    assert mu[0] == pytest.approx(mu[1], rel=1e-12)


def mid_season(first, second, system, model, reset):
    """A ladder and a plain model after two seasons with a reset between them."""
    ladder = play(first, system)
    plainly(first, model)
    beliefs = ladder.beliefs
    system.reset(beliefs, np.arange(len(beliefs)), reset)
    model.reset(reset.pull, system.newcomer()["mu"] if reset.toward is None else reset.toward)
    later = [(standings, day + 1000, *about) for standings, day, *about in second]
    for standings, day, weight, ceiling in later:
        ladder.record(standings, time=day * DAY, weight=weight, perf_ceiling=ceiling)
    plainly(later, model)
    return ladder, model.players


towards = st.sampled_from([None, 1400.0, 2000.0, 60_000.0])


@given(
    seasons(),
    seasons(),
    st.sampled_from([0.0, 0.5, 1.0, 3.0, math.inf]),
    st.sampled_from([0.0, 5.0]),
    pulls,
    towards,
)
@settings(max_examples=60, deadline=None)
def test_elo_mmr_forgets_as_its_model_does_written_out_plainly(
    first, second, rho, drift, pull, toward
):
    options = {"rho": rho, "drift_per_day": drift}
    ladder, players = mid_season(
        first, second, EloMMR(**options), plain.EloMMR(**options), Reset(pull, toward)
    )
    for name, player in players.items():
        assert ladder[name].mu == pytest.approx(player.mu, rel=1e-9, abs=1e-6)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-11)


@given(seasons(), seasons(), pulls, towards)
@settings(max_examples=30, deadline=None)
def test_elo_mmx_moves_as_plainly(first, second, pull, toward):
    ladder, players = mid_season(
        first, second, EloMMX(), plain.EloMMR(gaussian=True), Reset(pull, toward)
    )
    for name, player in players.items():
        assert ladder[name].mu == pytest.approx(player.mu, rel=1e-9, abs=1e-6)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-11)


@given(seasons(), seasons(), st.sampled_from(["freeze-in", "simple"]), pulls, towards)
@settings(max_examples=30, deadline=None)
def test_elo_r_gains_noise_as_its_paper_says(first, second, noise, pull, toward):
    ladder, players = mid_season(
        first, second, EloR(noise=noise), plain_elo_r.EloR(noise=noise), Reset(pull, toward)
    )
    for name, player in players.items():
        assert ladder[name].mu == pytest.approx(player.r, rel=1e-8, abs=1e-5)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-8)


@given(seasons(), seasons(), st.sampled_from([1, 3]), pulls, towards)
@settings(max_examples=30, deadline=None)
def test_the_draft_remembers_performances_where_the_rating_is(first, second, memory, pull, toward):
    ladder, players = mid_season(
        first, second, EloRDraft(memory=memory), plain_elo_r.Draft(memory=memory),
        Reset(pull, toward),
    )  # fmt: skip
    usual = EloRDraft().newcomer()["sigma"]
    for name, player in players.items():
        assert ladder[name].mu == pytest.approx(player.r, rel=1e-9, abs=1e-6)
        assert ladder[name].sigma == usual


@given(seasons(), st.sampled_from([0.0, 0.3, 1.0, 4.0, math.inf]), pulls, towards)
@settings(max_examples=40, deadline=None)
def test_after_a_reset_the_rating_is_still_the_mode_and_weights_the_certainty(
    season, rho, pull, toward
):
    system = EloMMR(rho=rho)
    beliefs = play(season, system).beliefs
    system.reset(beliefs, np.arange(len(beliefs)), Reset(pull, toward))
    for record in beliefs.table[: len(beliefs)]:
        mode = factors.mode(record, beliefs.pool, 1500.0, record["mu"] + 30.0, 100.0)
        assert mode == pytest.approx(record["mu"], rel=1e-9, abs=1e-5)
        certainty = record["w0"] + factors.listed(record, beliefs.pool)[2].sum()
        assert certainty == pytest.approx(record["sigma"] ** -2, rel=1e-11)


@given(seasons(), pulls, st.integers(0, 4), st.sampled_from(["elo-mmr", "elo-r"]))
@settings(max_examples=40, deadline=None)
def test_after_a_reset_a_better_result_never_gives_a_lower_rating(season, pull, place, name):
    system = systems.build(name)
    beliefs = play(season, system).beliefs
    field = [f"p{number}" for number in range(6)]
    everybody = ids_of(beliefs, *field)
    system.reset(beliefs, everybody, Reset(pull))
    others = field[1:]
    mu = []
    for ahead in (place, place + 1):
        ladder = Ladder.from_beliefs(beliefs.copy())
        ladder.record([*others[:ahead], "p0", *others[ahead:]], time=10_000 * DAY)
        mu.append(ladder["p0"].mu)
    assert mu[0] >= mu[1] - 1e-8


def test_who_remembers_less_moves_more_after_a_reset():
    gains = {}
    for pull in (0.0, 0.5, 1.0):
        ladder = Ladder("elo-mmr")
        for day in range(30):
            ladder.record(["ann", "bob", "cat"] if day % 2 else ["cat", "bob", "ann"], time=day)
        beliefs = ladder.beliefs
        beliefs.system.reset(beliefs, ids_of(beliefs, "ann"), Reset(pull))
        before = ladder["ann"].mu
        ladder.record(["ann", "bob", "cat"], time=30)
        gains[pull] = ladder["ann"].mu - before
    assert 0.0 < gains[0.0] < gains[0.5] < gains[1.0]


@pytest.mark.parametrize("k", [1, 2, 5, 12])
@pytest.mark.parametrize("decay", [0.6, 0.9, 1.0])
def test_atcoder_counts_as_many_performances_as_have_the_new_sigma(k, decay):
    system = AtCoder(decay=decay)
    weights = {}
    for rounds in (k, 15):
        ladder = Ladder(system)
        for _ in range(rounds):
            ladder.record(["ann", "bob", "cat"])
        weights[rounds] = ladder
    few, many = (weights[rounds].beliefs.table[0].copy() for rounds in (k, 15))
    beliefs = weights[15].beliefs
    ann = ids_of(beliefs, "ann")
    system.reset(beliefs, ann, Reset(0.0, None, float(few["sigma"])))
    after = beliefs.table[0]
    assert after["sigma"] == few["sigma"]
    assert after["total"] == pytest.approx(few["total"], rel=1e-12)
    assert after["squares"] == pytest.approx(few["squares"], rel=1e-12)
    assert (after["mu"], after["average"]) == (many["mu"], many["average"])
    system.start(beliefs, ann, few["mu"][None], few["sigma"][None])
    started = beliefs.table[0]
    assert started["total"] == pytest.approx(few["total"], rel=1e-12)
    assert started["squares"] == pytest.approx(few["squares"], rel=1e-12)
    assert started["average"] == started["mu"] == few["mu"]


def test_atcoder_keeps_averages_as_far_from_mu():
    ladder = Ladder("atcoder")
    for standings in (["ann", "bob", "cat"], ["bob", "ann", "cat"], ["ann", "cat", "bob"]):
        ladder.record(standings)
    beliefs = ladder.beliefs
    apart = beliefs.column("mu") - beliefs.column("average")
    beliefs.system.reset(beliefs, np.arange(3), Reset(0.7, 900.0))
    assert beliefs.column("mu") - beliefs.column("average") == pytest.approx(apart)
    assert (apart != 0.0).any()


@pytest.mark.parametrize("kind", [Glicko, Glicko2])
def test_a_contest_of_the_same_period_goes_on_from_the_new_numbers(kind):
    system = kind(period_days=30.0)
    ladder = Ladder(system)
    for day in (40, 41, 45):
        ladder.record(["ann", "bob"], time=day * DAY)
    volatility = [1.0, 1.0]
    if kind is Glicko2:
        volatility = ladder.beliefs.column("volatility").tolist()
    system.reset(ladder.beliefs, np.arange(2), Reset(0.5))
    (mu, sigma), names = (ladder.beliefs.column(each) for each in ("mu", "sigma")), ["ann", "bob"]
    ladder.record(["bob", "ann"], time=46 * DAY)
    fresh = Ladder(system)  # of whom the same is believed at the start of a period
    ids = ids_of(fresh.beliefs, *names)
    system.start(fresh.beliefs, ids, mu, sigma)
    if kind is Glicko2:
        fresh.beliefs.table["volatility"][ids] = volatility
    fresh.record(["bob", "ann"], time=46 * DAY)
    for name in names:
        assert (ladder[name].mu, ladder[name].sigma) == (fresh[name].mu, fresh[name].sigma)


def test_a_volatility_stays_in_a_reset_and_is_a_newcomers_in_a_start():
    ladder = Ladder("glicko2")
    for _ in range(5):
        ladder.record(["ann", "bob"])
    beliefs = ladder.beliefs
    before = beliefs.column("volatility")
    beliefs.system.reset(beliefs, np.arange(2), Reset(0.5))
    assert (beliefs.column("volatility") == before).all()
    beliefs.system.start(beliefs, np.arange(1), np.array([1700.0]), np.array([NAN]))
    assert beliefs.column("volatility").tolist() == [0.06, before[1]]


@pytest.mark.parametrize("options", [{}, {"period_days": 7.0}, {"drift_per_day": 1e-3}])
@given(
    st.lists(
        st.tuples(st.permutations(["ann", "bob", "cat"]), st.sampled_from([0.0, 0.5, 1.0])),
        min_size=1,
        max_size=6,
    ),
    st.floats(0.0, 1.0),
    st.floats(1300.0, 1700.0),
    st.floats(60.0, 200.0),
)
@settings(max_examples=12, deadline=None)
def test_luck_moves_and_spreads_beliefs_as_written_out(options, games, pull, toward, sigma):
    season = [(*pair[:2], score, 0, 3 * day, 1.0) for day, (pair, score) in enumerate(games)]
    system = Luck(points=301, **options)
    model, ladder = plain_luck.Luck(points=301, **options), Ladder(system)
    for part in (season, [(*each[:4], each[4] + 30, 1.0) for each in season]):
        model.play(part)
        for first, second, score, _, day, _ in part:
            ladder.record([first, second], score=score, time=day * DAY)
        if part is season:
            system.reset(ladder.beliefs, np.arange(len(ladder)), Reset(pull, toward, sigma))
            model.reset(pull, toward, sigma)
            for name in ladder:
                found = ladder.belief(name).probabilities
                assert found == pytest.approx(model.now[name], abs=1e-12)
    for name in ladder:
        assert (ladder[name].mu, ladder[name].sigma) == pytest.approx(model.rating(name), abs=1e-8)


@given(st.floats(0.0, 1.0), st.floats(1200.0, 1800.0), st.floats(60.0, 125.0))
@settings(max_examples=40, deadline=None)
def test_the_grid_of_luck_has_the_moments_that_are_shown(pull, toward, sigma):
    ladder, system = Ladder("luck"), Luck()
    for _ in range(10):
        ladder.record(["ann", "bob"])
    system.reset(ladder.beliefs, np.arange(2), Reset(pull, toward, sigma))
    for name in ("ann", "bob"):
        believed = ladder.belief(name)
        mean, deviation = believed.mean, believed.sd
        assert 1500.0 + POINTS_PER_STRENGTH * mean == pytest.approx(ladder[name].mu, abs=1e-8)
        assert POINTS_PER_STRENGTH * deviation == pytest.approx(ladder[name].sigma, abs=0.02)


def test_beliefs_at_the_end_of_the_grid_are_cut_off_there():
    system = Luck(reach=2.0, points=101)
    beliefs = Ladder(system).beliefs
    ids = ids_of(beliefs, "ann")
    system.reset(beliefs, ids, Reset(1.0, 1500.0 + 2.0 * 173.7, 150.0))
    assert beliefs.flaw() is None
    assert beliefs.table["mu"][0] == 1500.0 + 2.0 * 173.7
    believed = system.belief(beliefs, 0)
    assert believed.probabilities.sum() == pytest.approx(1.0)
    assert believed.mean > 1.0


def test_podium_forgets_the_last_surprise_and_keeps_experience():
    ladder = Ladder("podium")
    for day in range(8):
        ladder.record(["ann", "bob", "cat"], time=day * DAY)
    beliefs, kept = ladder.beliefs, ("first_time", "activity", "contests", "last_time")
    before = {name: beliefs.column(name) for name in kept}
    shared = beliefs.shared.copy()
    Podium().reset(beliefs, np.array([0]), Reset(0.5))
    Podium().start(beliefs, np.array([1]), np.array([1600.0]), np.array([100.0]))
    for name in kept:
        assert (beliefs.column(name) == before[name]).all()
    assert (beliefs.column("surprise")[:2] == 0.0).all()
    assert beliefs.column("surprise")[2] != 0.0
    assert (beliefs.shared == shared).all()


def test_elo_keeps_the_k_of_who_has_reached_the_top_but_not_through_a_start():
    system = Elo(k=20.0, k_top=10.0, contests_new=0, top=1505.0)
    ladder = Ladder(system)
    ladder.record(["ann", "bob"])
    ann = ids_of(ladder.beliefs, "ann")
    system.reset(ladder.beliefs, ann, Reset(1.0))
    assert ladder.beliefs.table["reached_top"][ann[0]] == 1
    system.start(ladder.beliefs, ann, np.array([1500.0]), np.array([NAN]))
    assert ladder.beliefs.table["reached_top"][ann[0]] == 0


@pytest.mark.parametrize(
    ("system", "reset", "sentence"),
    [
        (EloMMR(), Reset(1.5), r"a part from 0 to 1, not by 1\.5"),
        (EloMMR(), Reset(math.nan), r"a part from 0 to 1, not by nan"),
        (EloMMR(), Reset(0.5, 2e6), r"elo-mmr: mu_new must be a number of at most 1e\+06"),
        (EloMMR(), Reset(0.5, math.nan), r"no player can begin there: elo-mmr: mu must be from"),
        (EloMMR(), Reset(0.5, None, 0.0), r"elo-mmr: sigma must be from 1e-100 to 1e\+100"),
        (
            EloMMR(sig_limit=0.01, sigma_new=1.0),
            Reset(0.5, 9000.0),
            r"rates within 5,000 of mu_new",
        ),
        (Glicko(), Reset(0.5, None, 400.0), r"glicko knows no sigma above 350"),
        (Luck(), Reset(0.5, 9000.0), r"luck: prior_mean must lie within the reach of 7"),
        (Luck(), Reset(0.5, None, 0.5), r"too coarse for a prior_sd of"),
    ],
)
def test_where_no_newcomer_could_be_nobody_is_pulled_nor_starts(system, reset, sentence):
    beliefs = podium.Ladder(system).beliefs
    ids = ids_of(beliefs, "ann", "bob")
    before = beliefs.copy()
    with pytest.raises(podium.InputError, match=sentence):
        system.reset(beliefs, ids, reset)
    if 0.0 <= reset.pull <= 1.0:
        mu = [1500.0, 1500.0 if reset.toward is None else reset.toward]
        sigma = [NAN if reset.sigma is None else reset.sigma, NAN]
        with pytest.raises(podium.InputError, match=sentence):
            system.start(beliefs, ids, np.array(mu), np.array(sigma))
    testing.same(beliefs, before, "after a refusal")


@pytest.mark.parametrize("name", ["elo", "codeforces"])
def test_systems_without_uncertainty_take_no_sigma(name):
    system = systems.build(name)
    beliefs = Ladder(system).beliefs
    ids = ids_of(beliefs, "ann", "bob")
    system.start(beliefs, ids, np.array([1600.0, 1400.0]), np.array([-5.0, NAN]))
    system.reset(beliefs, ids, Reset(0.5, None, 80.0))
    assert beliefs.column("mu").tolist() == [1550.0, 1450.0]
    assert np.isnan(beliefs.column("sigma")).all()


@EVERY
def test_every_system_says_what_a_reset_and_a_start_mean(name):
    kind = systems.by_name(name)
    said = kind.document()
    for sentence in (said["reset"], said["start"]):
        assert 30 < len(sentence) < 400
        assert sentence.endswith(".")


@EVERY
def test_the_guide_says_the_same(name):
    guide = (Path(__file__).parents[2] / "docs" / "systems.md").read_text(encoding="utf-8")
    kind = systems.by_name(name)
    assert f"| `{name}` | {kind.on_reset} | {kind.on_start} |" in guide
