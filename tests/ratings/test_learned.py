"""What is shown of what was learned is what forecasts are made of, and errors are of its size."""

import math

import numpy as np
import polars as pl
import pytest

import podium
from podium import PodiumError
from podium.numerics import podium as kernel
from podium.ratings.fold import ready_to_fold
from podium.ratings.learned import learned
from podium.systems import Podium
from podium.systems.podium_lessons import _folded_by_year, _gaps

DAY = 86_400_000_000


@pytest.fixture(scope="module")
def season():
    return podium.simulate(
        players=80, rounds=120, participation=0.4, newcomers=0.6, calendar="random", seed=4
    )


@pytest.fixture(scope="module")
def found(season):
    return learned(season)


def line_of(found, curve, name=None):
    """x to value and error."""
    rows = found.table.filter(
        pl.col("curve") == curve, pl.col("line").eq_missing(pl.lit(name, pl.String))
    )
    return {x: (value, error) for x, value, error in rows.select("x", "value", "error").iter_rows()}


def test_all_is_learned_as_by_rating(season):
    rated = podium.rate(season, "podium").beliefs
    beliefs, columns = ready_to_fold(season, "podium", None, {})
    beliefs.system.lessons(beliefs, columns, lambda *_: None)
    assert np.array_equal(beliefs.shared, rated.shared)
    assert np.array_equal(beliefs.table[: len(beliefs)], rated.table[: len(rated)])


def test_curves_are_forecasts_less_ratings(season, found):
    """Of players whose records say what a curve is of."""
    beliefs = podium.rate(season, "podium").beliefs
    gap = float(np.median(_gaps(season.columns)))
    level = beliefs.shared[kernel.LEVEL] / beliefs.shared[kernel.LEVELS]
    experience = line_of(found, "experience")
    assert set(experience) >= {0.0, 1.0, 9.0, 36.0}
    beliefs.enrol(["nobody"])
    player = np.array([len(beliefs) - 1])
    for n in (0, 1, 9, 36):
        record = beliefs.table[player[0] : player[0] + 1]
        record["contests"], record["mu"] = n, level if n else 1500.0
        record["last_time"], record["first_time"] = 0, round((gap - gap * n) * DAY)
        record["activity"] = sum(math.exp(-gap * k / 60.0) for k in range(n))
        forecast = beliefs.system.besides(beliefs, player, round(gap * DAY))["forecast"][0]
        assert experience[n][0] == pytest.approx(forecast - record["mu"][0], abs=1e-6)
    record["contests"], record["first_time"] = 17, round(-16 * gap * DAY)
    record["activity"] = sum(math.exp(-gap * k / 60.0) for k in range(17))
    week, later = (
        beliefs.system.besides(beliefs, player, days * DAY)["forecast"][0] for days in (7, 60)
    )
    absence = line_of(found, "absence", "17 to 35 contests")
    assert absence[60.0][0] == pytest.approx(later - week, abs=1e-6)
    assert absence[7.0] == (0.0, 0.0)


def test_errors_are_those_of_weighted_least_squares_with_a_ridge(season, found):
    beliefs = podium.rate(season, "podium").beliefs
    A = kernel.products(beliefs.shared)
    assert np.allclose(A, A.T)
    learns = np.flatnonzero(np.diag(A) > 0.0)
    learns = learns[learns != 56]
    ridge = np.where(learns == kernel.SIDE, 1.0, np.where(learns < kernel.COEFFICIENTS, 20.0, 80.0))
    inverse = 200.0**2 * np.linalg.inv(A[np.ix_(learns, learns)] + np.diag(ridge))
    newcomer = math.sqrt(inverse[0, 0])
    assert learns[0] == 0
    assert line_of(found, "experience")[0.0][1] == pytest.approx(newcomer, rel=1e-9)


def test_what_years_have_added_is_all_that_is_there():
    """Where nothing is forgotten."""
    season = podium.simulate(players=40, rounds=60, participation=0.5, newcomers=0.5, seed=2)
    spread = season.frame().with_columns(
        time=pl.col("time") + 60 * (pl.col("time") - pl.col("time").min())
    )
    contests = podium.Contests.from_frame(spread, future=True)
    system = Podium(forgetting=0.0)
    beliefs, columns = ready_to_fold(contests, system, None, {})
    years = _folded_by_year(system, beliefs, columns, lambda *_: None)
    assert [each.year for each in years] == sorted({float(time.year) for time in spread["time"]})
    assert len(years) > 3
    for k in (0, kernel.SIDE):
        whole = kernel.sums_of(beliefs.shared, k)
        np.testing.assert_allclose(sum(each.sums[k] for each in years), whole, atol=1e-9)
    level = beliefs.shared[[kernel.LEVEL, kernel.LEVELS]] - [20.0 * 1500.0, 20.0]
    np.testing.assert_allclose(sum(each.levels for each in years), level, rtol=1e-12)


def test_the_error_of_the_side_is_as_large_as_it_scatters():
    """From forty seasons that differ by luck alone."""
    sides, errors = [], []
    for seed in range(40):
        matches = podium.simulate_matches(players=30, matches=800, side_advantage=0.6, seed=seed)
        number = {each.name: each for each in learned(matches).numbers}["side"]
        sides.append(number.value)
        errors.append(number.error)
    assert 0.5 < np.std(sides) / np.mean(errors) < 1.3


def years_of_newcomers(falls):
    """Twenty who always play, and in each year newcomers that are worse than those before."""
    rng, rows = np.random.default_rng(3), []
    for day in range(0, 4 * 365, 6):
        new = [f"n{day:04}-{each}" for each in range(4)]
        worse = 1600.0 - falls * (day // 365)
        skill = np.concatenate([np.linspace(900.0, 2100.0, 20), np.full(4, worse)])
        order = np.argsort(-(skill + rng.normal(0.0, 200.0, 24)))
        names = np.array([*(f"v{each:02}" for each in range(20)), *new])[order]
        rows += [(f"c{day:04}", day * 86_400, name, k + 1) for k, name in enumerate(names)]
    return podium.Contests.from_frame(
        pl.DataFrame(rows, ["contest", "time", "player", "rank"], orient="row")
    )


@pytest.mark.parametrize("falls", [0.0, 120.0])
def test_newcomers_are_shown_as_they_were_in_their_year(falls):
    found = learned(years_of_newcomers(falls))
    alone = line_of(found, "newcomers", "results of then alone")
    assert set(alone) == {1970.0, 1971.0, 1972.0, 1973.0}
    for year in (1971.0, 1972.0, 1973.0):
        step = alone[year][0] - alone[year - 1.0][0]
        assert step == pytest.approx(-falls, abs=0.4 * falls + 2.0 * alone[year][1])
    so_far = [value for value, _ in line_of(found, "newcomers", "learned so far").values()]
    assert len(so_far) == 4
    if falls:
        assert so_far == sorted(so_far, reverse=True)


def test_only_results_with_sides_tell_of_the_side(found):
    assert [each.name for each in found.numbers] == ["temperature", "pace", "level"]
    matches = podium.simulate_matches(players=30, matches=600, side_advantage=0.6, seed=1)
    assert learned(matches).numbers[-1].name == "side"


def test_a_picture_has_every_curve(found, tmp_path):
    from PIL import Image

    found.picture(tmp_path / "learned.png")
    with Image.open(tmp_path / "learned.png") as image:
        assert image.size == (1800, 1120)
    with pytest.raises(PodiumError, match=r"must end in \.png"):
        found.picture(tmp_path / "learned.svg")


def test_other_systems_learn_nothing_that_is_shared(season):
    with pytest.raises(PodiumError, match=r"^elo learns nothing that .* share; 'podium' does\.$"):
        learned(season, "elo")


def test_a_few_contests_teach_nothing():
    few = podium.simulate(players=4, rounds=3, seed=1)
    with pytest.raises(
        PodiumError, match=r"nothing .* yet: 3 contests of 4 players are too few\.$"
    ):
        learned(few)


def test_where_there_are_no_dates_nothing_is_said_of_absence():
    season = podium.simulate(players=30, rounds=40, participation=0.6, seed=2)
    undated = podium.Contests.from_frame(season.frame().with_columns(time=pl.lit(0)), sort=False)
    names = [each.name for each in learned(undated).curves]
    assert "experience" in names
    assert not {"absence", "newcomers"} & {*names}
