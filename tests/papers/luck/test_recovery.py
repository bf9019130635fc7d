import math

import polars as pl
import pytest

import podium
from podium.papers.luck.recovery import BETA, recovered_beta, total_loss, vertex


def test_the_vertex_of_a_parabola_is_found_exactly():
    curve = pl.DataFrame({"beta": [0.5, 0.7, 0.8, 1.0]}).with_columns(
        loss=7.0 + 50.0 * (pl.col("beta") - 0.77) ** 2
    )
    best, lowest, error = vertex(curve)
    assert (best, lowest) == pytest.approx((0.77, 7.0))
    assert error == pytest.approx(0.1)


def test_the_total_loss_is_minus_the_log_likelihood_of_all_results():
    matches = podium.simulate_matches(2, 1, seed=1)
    assert total_loss(matches, 0.7) == pytest.approx(math.log(2.0))
    many = podium.simulate_matches(20, 100, seed=1)
    assert total_loss(many, 0.0) == pytest.approx(100 * math.log(2.0))


def test_beta_is_found_again_within_its_error():
    steps = []
    shown = recovered_beta(
        progress=lambda done, total: steps.append((done, total)), players=100, matches=6000
    )
    found = shown.findings.row(0, named=True)
    assert found["off_by"] < 3.0 * found["standard_error"] < 0.2
    assert found["recovered"] == pytest.approx(BETA, abs=0.15)
    curve = shown.numbers[""]
    assert curve["beta"].is_sorted()
    assert (curve["beta"][0], curve["beta"][-1]) == (0.5, 1.0)
    assert curve["log_likelihood_ratio"].max() <= 1e-9
    assert steps[-1][0] == steps[-1][1] == curve.height


def test_beta_is_found_again_to_within_two_hundredths():
    found = recovered_beta(players=300, matches=20_000).findings
    assert found["off_by"].item() < 0.02
    assert found["standard_error"].item() < 0.012
