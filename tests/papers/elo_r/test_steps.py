import numpy as np
import pytest

import podium
from podium.papers.elo_r.steps import (
    AFTER,
    BEFORE,
    CURVES,
    PAPERS,
    PLAYED,
    SETTLED,
    WITHOUT,
    _contests,
    ratings,
    step_response,
)
from tests.systems.test_elo_r import settled


@pytest.fixture(scope="module")
def shown():
    return step_response()


def curve(shown, name):
    return shown.numbers[""].filter(system=name)["rating"].to_numpy()


def test_the_contests_give_exactly_the_performances_that_are_wanted():
    levels = [BEFORE] * 5 + [AFTER] * 5 + [2000.0]
    for name in CURVES:
        system, parameters = CURVES[name].system, CURVES[name].parameters
        rated = podium.rate(_contests(levels), system, mu_new=5000.0, **parameters)
        assert rated.history_of("player")["performance"].to_list() == levels


@pytest.mark.parametrize("name", CURVES)
def test_the_player_has_settled(name):
    system, parameters = CURVES[name].system, CURVES[name].parameters
    rating = ratings(system, [BEFORE] * SETTLED, **parameters)
    assert rating[-1] == pytest.approx(BEFORE, abs=1e-9)


def test_contests_do_what_performances_would(shown):
    """The same as the kernels when they are given the performances."""
    for name, noise in ((PAPERS, "simple"), ("Elo-R, freeze-in", "freeze-in")):
        career = settled(BEFORE, noise)
        expected = [BEFORE, *(career.perform(AFTER) for _ in range(PLAYED))]
        assert curve(shown, name) == pytest.approx(np.array(expected), abs=1e-6)


def test_without_outlier_reduction_every_match_closes_16_percent_of_the_gap(shown):
    matches = np.arange(PLAYED + 1)
    expected = AFTER - (AFTER - BEFORE) * 0.84**matches
    assert curve(shown, WITHOUT) == pytest.approx(expected, abs=1e-6)


def test_the_papers_numbers_stand_beside_ours(shown):
    table = {
        (row["system"], row["quantity"]): (row["paper"], row["here"])
        for row in shown.findings.iter_rows(named=True)
    }
    for quantity, paper in (
        ("gain in match 1", 48),
        ("gain in match 2", 63),
        ("gain in match 7", 566),
        ("most that the first match can give", 48),
        ("rating after six", 1875),
    ):
        stated, here = table[PAPERS, quantity]
        assert stated == str(paper)
        assert here == pytest.approx(paper, abs=0.5)
    assert table[WITHOUT, "gain in match 1"] == ("320", pytest.approx(320.0, abs=1e-6))
    for match in (4, 5, 6):
        assert table[PAPERS, f"gain in match {match}"][1] > 100.0
    assert table[PAPERS, "gain in match 3"] == ("over 100", pytest.approx(86.7, abs=0.05))
    assert "the third gives 86.7" in shown.remarks[0]


def test_the_robust_curve_overtakes_the_other_when_the_table_says_so(shown):
    row = shown.findings.filter(quantity="match by which it has overtaken that")
    match = int(row["here"].item())
    robust, plain = curve(shown, PAPERS), curve(shown, WITHOUT)
    assert (robust[1:match] < plain[1:match]).all()
    assert (robust[match:] > plain[match:]).all()


def test_every_system_comes_close_in_the_end(shown):
    rows = shown.findings.filter(quantity="matches until within 100 points")
    assert rows["system"].to_list() == list(CURVES)
    for name, match in rows.select("system", "here").iter_rows():
        rating = curve(shown, name)
        assert rating[int(match) - 1] <= AFTER - 100.0 < rating[int(match)]


def test_a_memory_that_fades_at_once_gains_the_same_match_after_match(shown):
    gains = np.diff(curve(shown, "Elo-MMR(∞)"))
    assert gains[:8] == pytest.approx(np.full(8, gains[0]), abs=0.1)
    remembered = np.diff(curve(shown, "Elo-MMR(1)"))
    assert (np.diff(remembered[:6]) > 0.0).all()


def test_the_figure_has_a_curve_for_each_system(shown):
    legend = [text.get_text() for text in shown.figure.axes[0].get_legend().get_texts()]
    assert legend == [*CURVES, "stated in the paper"]
    assert shown.numbers[""].group_by("system").len()["len"].unique().to_list() == [PLAYED + 1]
