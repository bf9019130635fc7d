"""Both engines against a direct solve, the theorems of section 3, and what breaks others."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from podium.numerics import logconcave, logistic, roots
from podium.numerics.chebyshev import NODES, POINTS
from podium.numerics.factors import SCALE
from podium.systems import PerformanceModel
from tests.numerics import plain
from tests.numerics.contests import fields, ranks_from


def logistic_performances(mu, delta, ranks, split_ties=False):
    out = np.empty(len(mu))
    roots.found(mu, delta * SCALE, ranks, roots.SPLIT if split_ties else roots.TIED, out)
    return out


def gaussian_performances(mu, delta, ranks, split_ties=False):
    out = np.empty(len(mu))
    strip = logconcave.GAUSSIAN_STRIP
    logconcave.performances(mu, delta, ranks, split_ties, strip, out)
    return out


ENGINES = {
    "logistic": (logistic_performances, plain.LOGISTIC),
    "gaussian": (gaussian_performances, plain.GAUSSIAN),
}
both = pytest.mark.parametrize("engine", ENGINES)


@both
@given(contest=fields(), split_ties=st.booleans())
@settings(max_examples=150, deadline=None)
def test_performances_agree_with_a_direct_solve(engine, contest, split_ties):
    solve, model = ENGINES[engine]
    mu, delta, ranks = contest
    found = solve(mu, delta, ranks, split_ties)
    exact = plain.performances(model, mu, delta, ranks, split_ties)
    assert found == pytest.approx(exact, abs=1e-7, rel=0)


@both
@pytest.mark.parametrize("distinct", [10**9, 40, 1])
def test_performances_of_thousands_agree_with_a_direct_solve_at_sampled_ranks(engine, distinct):
    solve, model = ENGINES[engine]
    rng = np.random.default_rng(5)
    rows = 5000
    mu = rng.normal(1500.0, 350.0, rows)
    delta = rng.uniform(211.0, 400.0, rows)
    skill = np.round((mu + rng.normal(0.0, 200.0, rows)) * min(distinct, 1e6) / 4000.0)
    order = np.argsort(-skill, kind="stable")
    mu, delta, ranks = mu[order], delta[order], ranks_from(skill[order])
    found = solve(mu, delta, ranks)
    for row in (0, 1, 2, 50, 1000, 2500, 4000, rows - 2, rows - 1):
        at = plain.balance(model, mu, delta, ranks, ranks[row], False, found[row] - 1e-7)
        beyond = plain.balance(model, mu, delta, ranks, ranks[row], False, found[row] + 1e-7)
        assert at > 0.0 > beyond


def test_lemma_3_1_all_terms_decrease_and_a_draw_lies_between_loss_and_victory():
    z = np.linspace(-30.0, 30.0, 4001)
    for model in (plain.LOGISTIC, plain.GAUSSIAN):
        loss, draw, victory = model.loss(z), model.draw(z), model.victory(z)
        assert (loss <= draw).all()
        assert (draw <= victory).all()
        near = np.abs(z) < 10.0
        assert (loss < draw)[near].all()
        assert (draw < victory)[near].all()
        for f in (loss, draw, victory):
            assert (np.diff(f) <= 0.0).all()
            assert (np.diff(f)[near[1:]] < 0.0).all()
    compiled = np.array(
        [[f(x) for x in z] for f in (logconcave.loss, logconcave.draw, logconcave.victory)]
    )
    gaussian = plain.GAUSSIAN
    expected = np.array([gaussian.loss(z), gaussian.draw(z), gaussian.victory(z)])
    assert compiled == pytest.approx(expected, rel=1e-9, abs=1e-15)


@both
@given(contest=fields(largest=12))
@settings(max_examples=60, deadline=None)
def test_theorem_3_2_the_balance_changes_sign_once_and_there(engine, contest):
    solve, model = ENGINES[engine]
    mu, delta, ranks = contest
    found = solve(mu, delta, ranks)
    for row in range(len(mu)):
        grid = found[row] + delta.min() * np.array([-9.0, -3.0, -1.0, -1e-6, 1e-6, 1.0, 3.0, 9.0])
        q = [plain.balance(model, mu, delta, ranks, ranks[row], False, x) for x in grid]
        assert min(q[:4]) > 0.0 > max(q[4:])
        assert (np.diff(q) < 0.0).all()


@both
@given(contest=fields(), split_ties=st.booleans())
@settings(max_examples=150, deadline=None)
def test_theorem_5_2_better_ranks_have_better_performances(engine, contest, split_ties):
    solve, _ = ENGINES[engine]
    mu, delta, ranks = contest
    found = solve(mu, delta, ranks, split_ties)
    for better, worse in zip(range(len(mu)), range(1, len(mu)), strict=False):
        if ranks[better] == ranks[worse]:
            assert found[better] == found[worse]
        else:
            assert found[better] > found[worse]


@both
@given(contest=fields(largest=15), shift=st.floats(-5000.0, 5000.0))
@settings(max_examples=100, deadline=None)
def test_shifting_all_ratings_shifts_all_performances(engine, contest, shift):
    solve, _ = ENGINES[engine]
    mu, delta, ranks = contest
    shifted = solve(mu + shift, delta, ranks)
    assert shifted == pytest.approx(solve(mu, delta, ranks) + shift, abs=2e-7, rel=0)


@both
@given(contest=fields(largest=15))
@settings(max_examples=100, deadline=None)
def test_reversing_the_standings_mirrors_the_performances(engine, contest):
    solve, _ = ENGINES[engine]
    mu, delta, ranks = contest
    mirrored = ranks_from(np.sort(ranks.astype(np.float64))[::-1])
    back = solve(-mu[::-1].copy(), delta[::-1].copy(), mirrored)
    assert -back[::-1] == pytest.approx(solve(mu, delta, ranks), abs=2e-7, rel=0)


@both
def test_players_who_all_tie_share_the_weighted_mean_or_its_robust_form(engine):
    solve, _ = ENGINES[engine]
    mu, delta = np.array([1000.0, 2000.0]), np.array([200.0, 200.0])
    assert solve(mu, delta, np.array([1, 1], np.int32)) == pytest.approx([1500.0, 1500.0])


@both
def test_one_player_alone_performs_at_the_own_rating(engine):
    solve, _ = ENGINES[engine]
    found = solve(np.array([1234.5]), np.array([200.0]), np.array([1], np.int32))
    assert found == pytest.approx([1234.5], abs=1e-9)


@both
@given(contest=fields(spread=5000.0), split_ties=st.booleans())
@settings(max_examples=100, deadline=None)
def test_whatever_the_gaps_no_better_rank_has_a_worse_performance(engine, contest, split_ties):
    solve, _ = ENGINES[engine]
    mu, delta, ranks = contest
    found = solve(mu, delta, ranks, split_ties)
    assert np.isfinite(found).all()
    assert (np.diff(found) <= 1e-7).all()


@both
@pytest.mark.parametrize("gap", [1000.0, 10_000.0, 30_000.0])
def test_a_tie_of_equally_uncertain_players_is_halfway_between_them(engine, gap):
    solve, _ = ENGINES[engine]
    found = solve(np.array([1500.0 + gap, 1500.0]), np.full(2, 200.0), np.array([1, 1], np.int32))
    assert found == pytest.approx(np.full(2, 1500.0 + gap / 2.0), abs=1e-7, rel=0)


@pytest.mark.parametrize("pairs", [1, 3, 500])
def test_large_sums_that_cancel_leave_the_small_terms_that_decide(pairs):
    """Mirrored fields with a gap of 60 scales: only terms of e^-30 tell where the tie lies."""
    s = np.random.default_rng(8).uniform(100.0, 111.0, pairs)
    ends = 1500.0 + 3000.0 * np.repeat([1.0, 1.0, -1.0, -1.0], [pairs, 1, 1, pairs])
    scales = np.concatenate((s, [103.7, 103.7], s))
    ranks = np.repeat([1, pairs + 1, pairs + 3], [pairs, 2, pairs]).astype(np.int32)
    found = np.empty(len(ends))
    roots.found(ends, scales, ranks, roots.TIED, found)
    assert found[pairs : pairs + 2] == pytest.approx([1500.0, 1500.0], abs=1e-6)


def test_terms_of_players_hundreds_of_scales_away_still_decide():
    """Only players 251 and 260 scales away tell where the last two, who tie, belong."""
    mu = np.array([718.4, 197.1, 1193.7, 944.5, 807.3])
    found = np.empty(5)
    roots.found(mu, np.ones(5), np.array([1, 1, 1, 4, 4], np.int32), roots.SPLIT, found)
    assert found[3:] == pytest.approx([457.75, 457.75], abs=1e-6)


@both
@pytest.mark.parametrize("gap", [10_000.0, 1_000_000.0])
@pytest.mark.parametrize("upset", [False, True])
def test_gaps_of_any_size_between_ratings_are_solved(engine, gap, upset):
    solve, model = ENGINES[engine]
    mu = np.array([1500.0 + gap, 1500.0 + gap, 1500.0, 1400.0])
    if upset:
        mu = mu[::-1].copy()
    delta = np.array([200.0, 250.0, 300.0, 220.0])
    ranks = np.array([1, 2, 3, 3], np.int32)
    exact = plain.performances(model, mu, delta, ranks)
    assert solve(mu, delta, ranks) == pytest.approx(exact, abs=1e-6, rel=1e-12)


@pytest.mark.parametrize("mode", [roots.TIED, roots.SPLIT, roots.HALVES])
@given(contest=fields(largest=200))
@settings(max_examples=60, deadline=None)
def test_polynomials_of_panels_agree_with_sums_over_all_terms(mode, contest):
    mu, s, ranks = contest
    found = np.empty(len(mu))
    roots.found(mu, s, ranks, mode, found)
    assert found == pytest.approx(term_by_term(mu, s, ranks, mode), abs=1e-8 * s.max())


@pytest.mark.parametrize("mode", [roots.TIED, roots.SPLIT, roots.HALVES])
@pytest.mark.parametrize("rows", [600, 6000])
def test_a_large_contest_is_as_exact_as_one_summed_term_by_term(mode, rows):
    rng = np.random.default_rng(3)
    mu, s = rng.normal(1500.0, 350.0, rows), rng.uniform(115.0, 220.0, rows)
    ranks = ranks_from(np.sort(rng.integers(0, 300, rows).astype(np.float64))[::-1])
    found = np.empty(rows)
    roots.found(mu, s, ranks, mode, found)
    assert found == pytest.approx(term_by_term(mu, s, ranks, mode), abs=1e-9, rel=0)


def term_by_term(mu, s, ranks, mode):
    """All performances from sums over everybody, whatever the engine would have chosen."""
    work = roots.laid_out(roots.room_for(len(mu)), len(mu))
    work.rows[0], work.rows[1] = mu, s
    roots.find(work, ranks, mode)
    work.state[roots._PANELS] = 0
    for number in range(roots.pieces(work, roots.CONCLUDE - 1, ranks, mode)):
        roots.piece(work, ranks, roots.CONCLUDE - 1, number)
    return work.rows[4].copy()


@pytest.mark.parametrize("mode", [roots.TIED, roots.SPLIT, roots.HALVES])
@pytest.mark.parametrize("rows", [3, 20, 400])
def test_performances_at_any_place_are_those_of_the_standings(mode, rows):
    rng = np.random.default_rng(6)
    mu, s = rng.normal(1500.0, 350.0, rows), rng.uniform(115.0, 220.0, rows)
    ranks, row = np.arange(1, rows + 1, dtype=np.int32), rows // 3
    ahead = np.unique(np.linspace(0, rows - 1, 7).astype(np.int64))
    found, whole = np.empty(len(ahead)), np.empty(rows)
    roots.at_places(mu, s, row, mode, ahead, found)
    for place, performance in zip(ahead.tolist(), found.tolist(), strict=True):
        field = (np.insert(np.delete(each, row), place, each[row]) for each in (mu, s))
        roots.found(*field, ranks, mode, whole)
        assert performance == pytest.approx(whole[place], abs=1e-8)


def test_the_table_is_the_sum_of_all_cdfs():
    rng = np.random.default_rng(4)
    mu, s = rng.normal(1500.0, 900.0, 301), rng.uniform(80.0, 300.0, 301)
    left, width, panels = -2500.0, 4.0 * s.min(), 25
    table = np.zeros((panels, NODES))
    logistic.tabulate(mu, s, 0, len(mu), left, width, 0, table)
    below = logistic.weights_below(mu, s, left, width, panels).sum(axis=1)
    nodes = left + width * (np.arange(panels)[:, None] + 0.5 + 0.5 * POINTS)
    exact = np.sum(expit((nodes[..., None] - mu) / s) / s, axis=-1)
    assert table + below[:, None] == pytest.approx(exact, rel=1e-13, abs=1e-14)


def gumbel_victory(z):
    scale = math.sqrt(6.0) / math.pi
    return math.exp(-z / scale) / scale


def gumbel_draw(z):
    scale = math.sqrt(6.0) / math.pi
    return (math.exp(-z / scale) - 1.0) / scale


def gumbel_loss(z):
    scale = math.sqrt(6.0) / math.pi
    u = math.exp(-z / scale)
    return -u / scale / math.expm1(u) if u < 700.0 else 0.0


def sech_draw(z):
    return -0.5 * math.pi * math.tanh(0.5 * math.pi * z)


def sech_victory(z):
    below = math.atan(math.exp(0.5 * math.pi * z))
    return 0.25 * math.pi / (math.cosh(0.5 * math.pi * z) * below)


def sech_loss(z):
    above = math.atan(math.exp(-0.5 * math.pi * z))
    return -0.25 * math.pi / (math.cosh(0.5 * math.pi * z) * above)


@pytest.fixture(scope="module")
def others():
    return {
        "gumbel": PerformanceModel("gumbel", gumbel_loss, gumbel_draw, gumbel_victory, strip=1.0),
        "sech": PerformanceModel("sech", sech_loss, sech_draw, sech_victory, strip=1.0),
    }


@pytest.mark.parametrize("name", ["gumbel", "sech"])
def test_any_log_concave_density_runs_on_the_same_engine(others, name):
    model = others[name]
    vectorised = plain.Model(
        *(np.vectorize(f, otypes=[float]) for f in (model.loss, model.draw, model.victory))
    )
    rng = np.random.default_rng(11)
    for rows, distinct in ((2, 2), (7, 3), (60, 200), (60, 10)):
        mu = rng.normal(1500.0, 300.0, rows)
        delta = rng.uniform(200.0, 400.0, rows)
        ranks = ranks_from(np.sort(rng.integers(0, distinct, rows).astype(float))[::-1])
        found = np.empty(rows)
        model.engine["performances"](mu, delta, ranks, False, model.strip, found)
        exact = plain.performances(vectorised, mu, delta, ranks)
        assert found == pytest.approx(exact, abs=1e-7, rel=0)
