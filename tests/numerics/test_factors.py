"""Beliefs as products of factors: Theorem 4.1, Theorem 5.7, and the pool that holds them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics import factors
from podium.ratings.beliefs import Beliefs
from podium.systems import EloMMR

ORIGIN = 1500.0
UNLIMITED = 2**62


class Belief:
    """One player's belief, with the kernels as methods."""

    def __init__(self, mu=1500.0, sigma=350.0):
        self.beliefs = Beliefs(EloMMR(mu_new=mu, sigma_new=sigma))
        self.ids = self.beliefs.enrol(["ann"])

    @property
    def record(self):
        return self.beliefs.table[0]

    def push(self, p, beta, history=UNLIMITED):
        """Algorithm 3, phase two."""
        b = self.beliefs
        while not factors.reserve(b.table, b.pool, b.arena, self.ids):
            b.grow_pool()
        factors.push(b.table[0], b.pool, ORIGIN, p, beta**-2, factors.SCALE * beta)
        b.table[0]["sigma"] = (b.table[0]["sigma"] ** -2 + beta**-2) ** -0.5
        factors.fold(b.table[0], b.pool, history)
        b.table[0]["mu"] = self.mode(start=b.table[0]["mu"])

    def diffuse(self, gamma2, rho):
        factors.diffuse(self.record, self.beliefs.pool, gamma2, rho)

    def mode(self, start=1500.0):
        return factors.mode(self.record, self.beliefs.pool, ORIGIN, start, 100.0)

    def slope(self, x):
        return factors.loss_slopes(self.record, self.beliefs.pool, ORIGIN, x)

    def weights(self):
        r = self.record
        start = r["block"] + r["first"]
        return self.beliefs.pool[start : start + r["count"]] * r["scale"]

    def performances(self):
        r = self.record
        start = r["block"] + r["room"] + r["first"]
        return self.beliefs.pool[start : start + r["count"]].copy()

    def state(self):
        r = self.record
        return np.array([r["mu"], r["sigma"], r["p0"], r["w0"], *self.weights()])


histories = st.lists(
    st.tuples(st.floats(-500.0, 3500.0), st.sampled_from([196.0, 196.0, 196.0, 120.0, 400.0])),
    min_size=1,
    max_size=12,
)
rhos = st.sampled_from([0.0, 0.3, 1.0, 4.0])


def belief_after(history, rho, gamma2=1280.0):
    belief = Belief()
    for p, beta in history:
        belief.diffuse(gamma2, rho)
        belief.push(p, beta)
    return belief


@given(histories, rhos, st.floats(-1000.0, 4000.0))
@settings(max_examples=40, deadline=None)
def test_the_terms_of_a_belief_add_up_to_its_slope(history, rho, x):
    belief = belief_after(history, rho)
    p, a, c, w = factors.terms(belief.record, belief.beliefs.pool)
    assert (p.tolist(), w.tolist()) == (belief.performances().tolist(), belief.weights().tolist())
    slope = belief.record["w0"] * (x - belief.record["p0"]) + (c * np.tanh(a * (x - p))).sum()
    assert slope == pytest.approx(belief.slope(x)[0], rel=1e-9, abs=1e-12)


@given(histories, rhos)
@settings(max_examples=80, deadline=None)
def test_the_rating_is_the_zero_of_the_losses_slope_written_out(history, rho):
    belief = belief_after(history, rho)
    r = belief.record
    betas = [beta for _, beta in history][-r["count"] :]
    total = r["w0"] * (r["mu"] - r["p0"])
    for w, p, beta in zip(belief.weights(), belief.performances(), betas, strict=True):
        bar = factors.SCALE * beta
        total += w * beta**2 / bar * math.tanh((r["mu"] - p) / (2.0 * bar))
    assert total == pytest.approx(0.0, abs=1e-9 / r["sigma"])


@given(histories, rhos)
@settings(max_examples=80, deadline=None)
def test_all_weights_add_up_to_the_certainty(history, rho):
    belief = belief_after(history, rho)
    total = belief.record["w0"] + belief.weights().sum()
    assert total == pytest.approx(belief.record["sigma"] ** -2, rel=1e-12)


@given(histories, st.sampled_from([0.0, 0.3, 1.0, 4.0, math.inf]), st.floats(0.0, 1e5))
@settings(max_examples=100, deadline=None)
def test_theorem_4_1_diffusion_preserves_the_rating(history, rho, gamma2):
    belief = belief_after(history, 1.0)
    before = belief.record["mu"]
    belief.diffuse(gamma2, rho)
    assert belief.record["mu"] == before
    assert belief.mode() == pytest.approx(before, abs=1e-6)


@given(histories, st.sampled_from([0.0, 0.3, 1.0, 4.0, math.inf]), st.floats(0.0, 1e5))
@settings(max_examples=100, deadline=None)
def test_theorem_4_1_diffusion_has_the_correct_magnitude(history, rho, gamma2):
    belief = belief_after(history, 1.0)
    before = belief.record["sigma"]
    belief.diffuse(gamma2, rho)
    assert belief.record["sigma"] ** 2 == pytest.approx(before**2 + gamma2, rel=1e-12)
    total = belief.record["w0"] + belief.weights().sum()
    assert total == pytest.approx(belief.record["sigma"] ** -2, rel=1e-12)


@given(histories, rhos, st.floats(0.0, 1e4), st.floats(0.0, 1e4))
@settings(max_examples=100, deadline=None)
def test_theorem_4_1_diffusions_compose(history, rho, first, second):
    twice, once = belief_after(history, 1.0), belief_after(history, 1.0)
    twice.diffuse(first, rho)
    twice.diffuse(second, rho)
    once.diffuse(first + second, rho)
    assert twice.state() == pytest.approx(once.state(), rel=1e-9)


@given(histories, rhos)
@settings(max_examples=50, deadline=None)
def test_theorem_4_1_no_diffusion_changes_nothing(history, rho):
    belief = belief_after(history, 1.0)
    before = belief.state()
    belief.diffuse(0.0, rho)
    assert belief.state() == pytest.approx(before, rel=1e-14)
    belief.diffuse(1e-9, rho)
    assert belief.state() == pytest.approx(before, rel=1e-10)


@given(histories, st.sampled_from([0.3, 1.0, 4.0]))
@settings(max_examples=50, deadline=None)
def test_theorem_4_1_a_known_skill_diffuses_to_a_gaussian(history, rho):
    belief = belief_after(history, 1.0)
    certainty = 1e40
    belief.record["w0"] *= certainty
    belief.record["scale"] *= certainty
    belief.record["sigma"] /= math.sqrt(certainty)
    belief.diffuse(1280.0, rho)
    assert belief.record["w0"] == pytest.approx(1.0 / 1280.0, rel=1e-6)
    assert belief.record["p0"] == pytest.approx(belief.record["mu"], abs=1e-6)
    assert belief.weights().sum() < 1e-9 / 1280.0


def test_theorem_4_1_needs_rho_above_zero_to_forget_a_history():
    belief = belief_after([(2000.0, 196.0), (900.0, 196.0)], 1.0)
    share = belief.weights().sum() * belief.record["sigma"] ** 2
    belief.diffuse(1e12, 0.0)
    assert belief.weights().sum() * belief.record["sigma"] ** 2 == pytest.approx(share, rel=1e-9)


@given(histories, rhos, st.sampled_from([-1.0, 1.0]), st.sampled_from([120.0, 196.0, 500.0]))
@settings(max_examples=150, deadline=None)
def test_theorem_5_7_bounds_what_one_contest_can_change(history, rho, direction, beta):
    belief = belief_after(history, rho)
    belief.diffuse(1280.0, rho)
    before = belief.record["mu"]
    w0, others = belief.record["w0"], belief.weights().sum()
    pull = math.pi / (beta * math.sqrt(3.0))
    belief.push(before + direction * 1e6, beta)
    change = direction * (belief.record["mu"] - before)
    assert change <= pull / w0 * (1.0 + 1e-9)
    assert change >= pull / (w0 + math.pi**2 / 6.0 * others) * (1.0 - 1e-9)


@given(histories, rhos)
@settings(max_examples=60, deadline=None)
def test_a_higher_performance_never_lowers_the_rating(history, rho):
    base = belief_after(history, rho)
    for number, (p, beta) in enumerate(history):
        better = [*history[:number], (p + 50.0, beta), *history[number + 1 :]]
        assert belief_after(better, rho).record["mu"] >= base.record["mu"] - 1e-8


@pytest.mark.parametrize("history", [1, 3, 10])
def test_at_most_so_many_factors_are_kept_and_the_weight_is(history):
    belief = Belief()
    for p in np.linspace(1000.0, 2500.0, 30):
        belief.diffuse(1280.0, 1.0)
        belief.push(p, 196.0, history)
        assert belief.record["count"] <= history
    total = belief.record["w0"] + belief.weights().sum()
    assert total == pytest.approx(belief.record["sigma"] ** -2, rel=1e-12)


def test_only_factors_that_matter_are_kept():
    belief = Belief()
    for _ in range(400):
        belief.diffuse(1280.0, 1.0)
        belief.push(1500.0, 196.0)
    share = belief.weights()[0] * belief.record["sigma"] ** 2
    assert belief.record["count"] < 100
    assert share >= factors.NEGLIGIBLE
    assert belief.record["room"] <= 256


def test_compression_changes_nothing_that_can_be_seen():
    rng = np.random.default_rng(1)
    compressed = Belief()
    performances = rng.normal(1800.0, 400.0, 200).tolist()
    p, w = [1500.0], [350.0**-2]
    mu, sigma, bar = 1500.0, 350.0, 196.0 * factors.SCALE
    for performance in performances:
        compressed.diffuse(1280.0, 1.0)
        compressed.push(performance, 196.0)
        kappa = 1.0 / (1.0 + 1280.0 / sigma**2)
        moved = (1.0 - kappa) / sigma**2
        p[0] = (kappa * w[0] * p[0] + moved * mu) / (kappa * w[0] + moved)
        w = [kappa * (kappa * w[0] + moved), *(kappa**2 * k for k in w[1:])]
        sigma = (1.0 / (sigma**2 + 1280.0) + 196.0**-2) ** -0.5
        p.append(performance)
        w.append(196.0**-2)
        pk, wk = np.array(p), np.array(w)
        for _ in range(60):
            t = np.tanh((mu - pk[1:]) / (2.0 * bar))
            value = wk[0] * (mu - pk[0]) + np.sum(wk[1:] * 196.0**2 / bar * t)
            slope = wk[0] + np.sum(wk[1:] * 196.0**2 / (2.0 * bar**2) * (1.0 - t * t))
            mu -= min(max(value / slope, -50.0), 50.0)
        assert compressed.record["mu"] == pytest.approx(mu, abs=1e-8)


def reserve_in_pieces(table, pool, arena, players):
    """As threads do it: each notes in its rows whose blocks are full, one makes room for them."""
    size, rows = 3, np.full(len(players) + 1, 99)
    for first in range(0, len(players), size):
        factors.note_full(table, players, first, min(first + size, len(players)), rows)
    return factors.reserve_noted(table, pool, arena, players, rows, size)


@pytest.mark.parametrize("reserve", [factors.reserve, reserve_in_pieces])
def test_blocks_of_a_pool_never_overlap_and_are_reused(reserve):
    rng = np.random.default_rng(2)
    beliefs = Beliefs(EloMMR())
    ids = beliefs.enrol([f"p{number}" for number in range(40)])
    model = {number: [] for number in range(40)}
    for _ in range(600):
        chosen = rng.choice(ids, rng.integers(1, 9), replace=False).astype(np.int32)
        while not reserve(beliefs.table, beliefs.pool, beliefs.arena, chosen):
            beliefs.grow_pool()
        for player in chosen:
            p = float(rng.normal(1500.0, 300.0))
            record = beliefs.table[player]
            factors.push(record, beliefs.pool, ORIGIN, p, 1.0, 100.0)
            model[int(player)].append(p)
            if rng.random() < 0.3:
                factors.fold(record, beliefs.pool, 5)
                model[int(player)] = model[int(player)][-5:]
    for player, expected in model.items():
        r = beliefs.table[player]
        start = r["block"] + r["room"] + r["first"]
        assert beliefs.pool[start : start + r["count"]].tolist() == expected
    rooms = beliefs.table["room"][:40].sum() * 3
    assert beliefs.arena[0] < 3 * rooms


def test_a_long_career_never_underflows():
    belief = Belief()
    for number in range(5000):
        belief.diffuse(1280.0, 0.0)
        belief.push(1500.0 + 300.0 * math.sin(number), 196.0, history=50)
    assert np.isfinite(belief.state()).all()
    assert 1200.0 < belief.record["mu"] < 1800.0


def test_performances_beyond_all_bounds_fall_back_to_the_careful_sum():
    belief = Belief()
    belief.diffuse(1280.0, 1.0)
    belief.push(1600.0, 196.0)
    belief.diffuse(1280.0, 1.0)
    belief.push(1e7, 196.0)
    belief.diffuse(1280.0, 1.0)
    belief.push(-1e7, 196.0)
    assert 1400.0 < belief.record["mu"] < 1800.0
