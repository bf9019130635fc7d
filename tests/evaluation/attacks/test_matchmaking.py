"""Volatility farming in matches: the simulation, and what it shows of the systems."""

import numpy as np
import pytest

from podium import PodiumError, systems
from podium.evaluation.attacks import Matchmaking, matchmaking
from podium.systems import Elo, Glicko2

QUICK = {"honest_first": 3, "farming": 6, "honest_last": 4, "matches": 4, "runs": 5}
WITH_RATINGS = [name for name in systems.names() if hasattr(systems.build(name), "mu_new")]


def gains(attack):
    return dict(attack.summary.select("measure", "gain").iter_rows())


def test_glicko2_can_be_farmed_for_a_peak_but_not_for_the_end():
    attack = matchmaking("glicko2", runs=60)
    summary = {row["measure"]: row for row in attack.summary.to_dicts()}
    assert summary["peak"]["low"] > 150.0
    assert summary["stop"]["low"] > 100.0
    assert summary["end"]["low"] < 25.0
    assert attack.highest[1] > attack.highest[0] + 200.0


@pytest.mark.parametrize(
    ("name", "parameters"), [("glicko", {}), ("elo", {}), ("glicko2", {"volatility_max": 0.1})]
)
def test_without_a_high_volatility_farming_does_not_pay(name, parameters):
    gained = gains(matchmaking(name, runs=60, **parameters))
    assert gained["peak"] < -10.0
    assert gained["stop"] < 10.0
    assert gained["end"] < 5.0


@pytest.mark.slow
def test_glicko2_is_farmed_as_documented():
    attack = matchmaking("glicko2", runs=400)
    rows = [[round(number) for number in row[3:]] for row in attack.summary.iter_rows()]
    assert rows == [[-2, -12, 8], [151, 138, 164], [199, 193, 205]]
    assert [round(above) for above in attack.highest] == [127, 468]


@pytest.mark.slow
def test_elo_mmr_does_not_pay_either():
    gained = gains(matchmaking("elo-mmr", runs=60))
    assert gained["peak"] < -10.0
    assert max(gained["stop"], gained["end"]) < 10.0


@pytest.mark.parametrize("name", WITH_RATINGS)
def test_every_system_with_a_rating_of_newcomers_can_be_attacked(name):
    attack = matchmaking(name, **QUICK)
    assert attack.honest.shape == attack.farmer.shape == (5, 13)
    assert np.isfinite(attack.honest).all()
    assert np.isfinite(attack.farmer).all()
    assert np.array_equal(attack.honest[:, :3], attack.farmer[:, :3])
    again = matchmaking(name, **QUICK)
    assert np.array_equal(attack.farmer, again.farmer)
    assert not np.array_equal(attack.farmer, matchmaking(name, **QUICK, seed=1).farmer)


@pytest.mark.parametrize("name", ["glicko2", "podium"])
def test_a_farmer_who_never_throws_is_the_honest_twin(name):
    attack = matchmaking(name, **QUICK, threshold=1e5)
    assert np.array_equal(attack.farmer, attack.honest)
    assert set(gains(attack).values()) == {0.0}


def test_the_honest_are_rated_as_if_nobody_farmed():
    """Also where players share what is learned."""
    farmed, unfarmed = (matchmaking("podium", **QUICK, threshold=each) for each in (None, 1e5))
    assert np.array_equal(farmed.honest, unfarmed.honest)
    assert not np.array_equal(farmed.farmer, unfarmed.farmer)


def test_every_thrown_match_is_lost():
    """By Elo with opponents of the same rating, a match lost costs half of K."""
    attack = matchmaking(
        Elo(k=20.0), honest_first=0, farming=1, honest_last=1, matches=1, runs=4, spread=0.0
    )
    assert attack.farmer[:, 0].tolist() == [1490.0] * 4
    assert set(attack.honest[:, 0].tolist()) <= {1490.0, 1510.0}


def test_a_rating_at_the_threshold_is_not_above_it():
    quick = {"honest_first": 0, "farming": 1, "honest_last": 1, "matches": 1, "runs": 4}
    at = matchmaking(Elo(), **quick, threshold=1500.0)
    above = matchmaking(Elo(), **quick, threshold=1499.9)
    assert np.array_equal(at.farmer, at.honest)
    assert (above.farmer[:, 0] < 1500.0).all()


def test_who_always_throws_stops_when_farming_is_over():
    """By Elo, whoever threw all matches would fall in every period; honest ones win some."""
    attack = matchmaking(
        Elo(), threshold=-1e6, honest_first=2, farming=3, honest_last=2, matches=40,
        matches_last=40, runs=3,
    )  # fmt: skip
    steps = np.diff(attack.farmer, axis=1, prepend=1500.0)
    assert (steps[:, 2:5] < -150.0).all()
    assert (steps[:, [0, 1, 5, 6]] > -150.0).all()
    assert np.array_equal(attack.farmer[:, :2], attack.honest[:, :2])


def test_four_runs_of_five_lie_between_low_and_high():
    attack = matchmaking("elo", **{**QUICK, "runs": 11})
    for name, ratings in (("honest", attack.honest), ("farmer", attack.farmer)):
        second, second_last = np.sort(ratings, axis=0)[[1, -2]]
        assert attack.table[f"{name}_low"].to_list() == pytest.approx(second.tolist())
        assert attack.table[f"{name}_high"].to_list() == pytest.approx(second_last.tolist())


def test_who_is_rated_exactly_as_wished_stops():
    reached = Matchmaking(
        system=Elo(),
        skill=1500.0,
        threshold=1000.0,
        stop_at=1700.0,
        honest_first=0,
        farming=1,
        honest_last=3,
        honest=np.array([[1500.0, 1600.0, 1700.0, 1650.0], [1800.0, 1500.0, 1500.0, 1400.0]]),
        farmer=np.array([[1500.0, 1710.0, 1720.0, 1650.0], [1800.0, 1500.0, 1701.0, 1400.0]]),
    )
    rows = {row["measure"]: row for row in reached.summary.to_dicts()}
    assert (rows["stop"]["honest"], rows["stop"]["farmer"]) == (1550.0, 1705.5)
    assert (rows["peak"]["honest"], rows["peak"]["farmer"]) == (1600.0, 1710.5)
    assert (rows["end"]["honest"], rows["end"]["farmer"]) == (1525.0, 1525.0)
    assert reached.highest == (200.0, 220.0)


@pytest.mark.parametrize("deviation", [10.0, 300.0])
def test_opponents_are_as_uncertain_as_asked_for(deviation):
    """One match against an equal, by Glickman's formulas."""
    attack = matchmaking(
        "glicko", threshold=1e5, honest_first=0, farming=1, honest_last=1, matches=1, runs=4,
        spread=0.0, deviation=deviation,
    )  # fmt: skip
    q = np.log(10.0) / 400.0
    g = 1.0 / np.sqrt(1.0 + 3.0 * (q * deviation / np.pi) ** 2)
    step = 0.5 * q * g / (350.0**-2 + 0.25 * (q * g) ** 2)
    assert np.abs(attack.honest[:, 0] - 1500.0) == pytest.approx(np.full(4, step))


def test_opponents_are_rated_above_and_below_within_the_spread(monkeypatch):
    met = []
    fold = Elo.update_many

    def update_many(self, beliefs, columns, **options):
        pairs = columns.player.reshape(-1, 2)
        ratings = beliefs.column("mu")
        met.extend((ratings[pairs.max(axis=1)] - ratings[pairs.min(axis=1)]).tolist())
        fold(self, beliefs, columns, **options)

    monkeypatch.setattr(Elo, "update_many", update_many)
    matchmaking(Elo(), **QUICK, spread=80.0)
    assert -81.0 < min(met) < -60.0
    assert 60.0 < max(met) < 81.0
    assert abs(np.mean(met)) < 15.0


def test_progress_counts_periods():
    told = []
    matchmaking("elo", **QUICK, progress=lambda *step: told.append(step))
    assert told == [(number, 13) for number in range(1, 14)]


def test_the_truth_is_elos_curve():
    """An honest player whose rating hardly moves wins as often as the skill says."""
    attack = matchmaking(
        Elo(k=1e-6),
        skill=1700.0,
        honest_first=0,
        farming=1,
        honest_last=1,
        matches=1,
        matches_last=400,
        runs=50,
        spread=0.0,
    )
    gained = (attack.honest[:, 1] - attack.honest[:, 0]) / 1e-6 / 400.0
    assert gained.mean() + 0.5 == pytest.approx(1.0 / (1.0 + 10.0**-0.5), abs=0.01)


def test_the_measures_are_of_the_last_honest_periods():
    attack = matchmaking("glicko2", **QUICK, stop_at=1600.0)
    rows = {row["measure"]: row for row in attack.summary.to_dicts()}
    last = attack.farmer[:, 9:]
    stopped = [next((r for r in run if r >= 1600.0), run[-1]) for run in last.tolist()]
    assert rows["end"]["farmer"] == pytest.approx(last[:, -1].mean())
    assert rows["peak"]["farmer"] == pytest.approx(last.max(axis=1).mean())
    assert rows["stop"]["farmer"] == pytest.approx(np.mean(stopped))
    gain = attack.farmer[:, -1] - attack.honest[:, -1]
    half = 1.96 * gain.std(ddof=1) / np.sqrt(5)
    assert rows["end"]["high"] - rows["end"]["gain"] == pytest.approx(half, rel=1e-3)
    assert attack.highest[1] == last.max() - 1500.0
    assert attack.table["farmer"].to_list() == pytest.approx(attack.farmer.mean(axis=0).tolist())


def test_periods_of_ones_own_are_kept():
    assert matchmaking(Glicko2(period_days=2.0), **QUICK).system.period_days == 2.0
    assert matchmaking("glicko2", **QUICK).system.period_days == 1.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"system": "luck"}, "luck has no parameter mu_new"),
        ({"system": "elo2"}, "there is no system 'elo2'"),
        ({"system": Elo(), "k": 3.0}, "k cannot be given too"),
        ({"runs": 1}, "runs must be a whole number of at least 2, not 1."),
        ({"matches": 0}, "matches must be a whole number of at least 1, not 0."),
        ({"honest_last": 0}, "honest_last must be a whole number of at least 1, not 0."),
        ({"skill": float("nan")}, "skill must be a number from -1,000,000 to 1,000,000, not nan."),
        ({"spread": -1.0}, "spread must be a number from 0 to 10,000, not -1.0."),
        ({"deviation": 0.0}, "deviation must be a number from 0.001 to 10,000, not 0.0."),
        (
            {"threshold": "low"},
            "threshold must be a number from -1,000,000 to 1,000,000, not 'low'.",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(arguments, sentence):
    with pytest.raises(PodiumError) as refused:
        matchmaking(**{"system": "glicko2", **QUICK, **arguments})
    assert sentence in str(refused.value)
