import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.evaluation.populations import SimulatedContests
from podium.evaluation.truth import against_truth, agreement

BRACKETS = {
    "all": range(1, 10**6),
    "1": range(1, 2),
    "2": range(2, 3),
    "3-5": range(3, 6),
    "6-10": range(6, 11),
    "11-20": range(11, 21),
    "21+": range(21, 10**6),
}


def plain_ranks(values):
    """The mean place of each among all, by counting."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def plain_correlation(xs, ys):
    """The covariance over the standard deviations, in plain sums; None if one is constant."""
    n = len(xs)
    if n == 0 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    x, y = math.fsum(xs) / n, math.fsum(ys) / n
    covariance = math.fsum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
    squares = [math.fsum((a - m) ** 2 for a in values) for values, m in ((xs, x), (ys, y))]
    return covariance / math.sqrt(squares[0] * squares[1])


def plain_row(rows):
    """What one bracket should say of its rows of mu, sigma and skill."""
    mu, skill = ([row[i] for row in rows] for i in (0, 2))
    known = [row for row in rows if row[1] is not None]
    return {
        "rows": len(rows),
        "spearman": plain_correlation(plain_ranks(mu), plain_ranks(skill)),
        "pearson": plain_correlation(mu, skill),
        "rmse": math.sqrt(sum((m - s) ** 2 for m, _, s in rows) / len(rows)) if rows else None,
        "coverage": sum(abs(m - s) <= 1.959963984540054 * e for m, e, s in known) / len(known)
        if known
        else None,
    }


@pytest.mark.parametrize("system", ["elo-mmx", "elo", "codeforces", "trueskill"])
@pytest.mark.parametrize("fitted", [False, True])
def test_the_table_is_that_of_a_plain_count(system, fitted):
    contests = podium.simulate(12, 26, participation=0.6, ties=0.3, divisions=3, seed=4)
    history = podium.rate(contests, system).history
    mu, sigma = history["mu"].to_list(), history["sigma"].to_list()
    if fitted:
        slope, shift = np.polyfit(mu, contests.skills, 1)
        mu = [shift + slope * value for value in mu]
        sigma = [None if value is None else slope * value for value in sigma]
    seen: dict[str, int] = {}
    rows = {name: [] for name in BRACKETS}
    skills = contests.skills.tolist()
    for row in zip(history["player"], mu, sigma, skills, strict=True):
        seen[row[0]] = seen.get(row[0], 0) + 1
        for name, numbers in BRACKETS.items():
            if seen[row[0]] in numbers:
                rows[name].append(row[1:])
    table = against_truth(contests, system, fitted=fitted)
    assert table["contests"].to_list() == list(BRACKETS)
    assert table["rows"][0] == contests.rows
    for row in table.iter_rows(named=True):
        expected = plain_row(rows[row.pop("contests")])
        for name, value in row.items():
            assert value == (expected[name] and pytest.approx(expected[name], rel=1e-9))


@given(
    st.lists(
        st.tuples(st.integers(-5, 5).map(float), st.floats(0, 9), st.integers(-5, 5).map(float)),
        min_size=1,
        max_size=30,
    )
)
def test_agreement_is_that_of_plain_sums(rows):
    found = agreement(*np.array(rows).T.copy())._asdict()
    expected = plain_row(rows)
    for name, value in found.items():
        wanted = math.nan if expected[name] is None else expected[name]
        assert value == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_the_paper_s_own_system_finds_the_skills_of_the_paper_s_own_population():
    crowd = podium.simulate(players=500, rounds=40, participation=0.6)
    table = against_truth(crowd, "elo-mmx")
    assert (table["spearman"].diff().drop_nulls()[1:] > 0).all()
    assert (table["pearson"].diff().drop_nulls()[1:] > 0).all()
    assert table["spearman"][1] < 0.9 < 0.94 < table["spearman"][0] < 0.97 < table["spearman"][-1]
    assert table["rmse"][1] > 150 > 120 > table["rmse"][0]
    assert 0.85 < table["coverage"][0] < 0.97


def test_a_population_that_is_as_the_system_believes_is_covered_as_it_believes():
    # One contest of Gaussian skills and performances, with the spreads that the system assumes.
    crowd = podium.simulate(players=2000, rounds=1, seed=5)
    system = podium.system("elo-mmx", sig_limit=200 / math.sqrt(6.0))
    assert against_truth(crowd, system)["coverage"][0] == pytest.approx(0.95, abs=0.015)


def test_a_line_is_all_that_fitted_takes_away():
    crowd = podium.simulate(players=60, rounds=12, seed=2)
    shifted = SimulatedContests(crowd.parts, -3.0 + 0.01 * crowd.skills)
    one, other = (against_truth(each, "elo-mmr", fitted=True) for each in (crowd, shifted))
    assert np.allclose(one["rmse"], 100 * other["rmse"], rtol=1e-9, equal_nan=True)
    same = ["contests", "rows", "coverage"]
    assert one.select(same).equals(other.select(same))
    plain = against_truth(crowd, "elo-mmr")
    assert one["rmse"][0] <= plain["rmse"][0]
    for name in ("spearman", "pearson"):
        assert np.allclose(one[name], plain[name], rtol=1e-9, equal_nan=True)
    assert against_truth(shifted, "elo-mmr")["coverage"][0] == 0.0


def test_a_line_may_fall():
    crowd = podium.simulate(players=60, rounds=12, seed=2)
    fallen = SimulatedContests(crowd.parts, -crowd.skills)
    one, other = (against_truth(each, "elo-mmr", fitted=True) for each in (crowd, fallen))
    same = ["contests", "rows", "coverage"]
    assert one.select(same).equals(other.select(same))
    assert one["coverage"][0] > 0.5
    assert np.allclose(one["rmse"], other["rmse"], rtol=1e-9, equal_nan=True)


def test_more_luck_means_less_truth():
    found = [
        against_truth(podium.simulate(200, 20, luck=luck), "elo-mmr")["spearman"][0]
        for luck in (0.0, 0.3, 1.0)
    ]
    assert found[0] > found[1] + 0.02 > found[2] + 0.5
    assert abs(found[2]) < 0.1


def test_matches_of_two_have_a_truth_too():
    matches = podium.simulate_matches(100, 10_000, beta=1.0, skill_sd=2.0)
    table = against_truth(matches, "elo", fitted=True, k=16)
    assert table["spearman"][-1] > 0.95
    assert table["rmse"][-1] < 0.8 < 1.5 < table["rmse"][1]
    assert table["coverage"].null_count() == 7


def test_what_cannot_be_said_is_null():
    table = against_truth(podium.simulate(2, 1, skill_sd=0.0), "elo-mmr")
    assert table["rows"].to_list() == [2, 2, 0, 0, 0, 0, 0]
    assert table["spearman"].null_count() == 7
    assert table["rmse"].null_count() == 5
    assert table.schema["coverage"] == pl.Float64


@pytest.mark.parametrize(
    "contests",
    [
        podium.Contests.from_frame(podium.simulate(4, 2).frame()),
        SimulatedContests.from_frame(podium.simulate(4, 2).frame()),
        podium.simulate(4, 2)[:1],
        None,
    ],
)
def test_contests_without_a_truth_are_refused_in_one_sentence(contests):
    with pytest.raises(podium.PodiumError, match=r"^true skills are needed, .* has none\.$"):
        against_truth(contests)


def test_other_wrong_arguments_are_one_sentence():
    contests = podium.simulate(4, 2)
    with pytest.raises(podium.PodiumError, match="did you mean 'elo-mmr'"):
        against_truth(contests, "elo-mmrr")
    with pytest.raises(podium.PodiumError, match=r"fitted must be True or False, not 'yes'\."):
        against_truth(contests, fitted="yes")
    with pytest.raises(podium.PodiumError, match="has no parameter 'rhoo'"):
        against_truth(contests, rhoo=1.0)
