import numpy as np
import polars as pl
import pytest

import podium
from podium.papers.luck.changes import EXCLUDED, changes, figure_3_2


@pytest.fixture(scope="module")
def matches() -> podium.Contests:
    return podium.simulate_matches(8, 700, draws=0.1, seed=3)


def plain_changes(contests, system, name):
    """The same from a ladder, match by match."""
    ladder = podium.Ladder(system)
    count = 0
    for contest in contests:
        a, b = contest.players
        before = {
            player: ladder[player].mu if player in ladder.beliefs.index else 1500.0
            for player in (a, b)
        }
        drawn = contest.rank[1] == 1
        ladder.record([(a, b)] if drawn else [a, b], time=contest.time)
        if name in (a, b):
            count += 1
            other = b if name == a else a
            if count > EXCLUDED:
                score = 0.5 if drawn else float(name == a)
                yield before[name] - before[other], ladder[name].mu - before[name], score


def test_changes_are_those_of_the_two_busiest_after_their_first_matches(matches):
    system = podium.system("elo")
    shown = changes(matches, system)
    counts = (
        matches.frame().group_by("player").len().sort(["len", "player"], descending=[True, False])
    )
    busiest = counts["player"].to_list()[:2]
    assert shown["player"].unique(maintain_order=True).to_list() == busiest
    for name in busiest:
        one = shown.filter(player=name)
        assert one["match"].to_list() == list(range(EXCLUDED + 1, EXCLUDED + 1 + one.height))
        expected = np.array(list(plain_changes(matches, system, name)))
        assert one.select("difference", "change", "score").to_numpy() == pytest.approx(
            expected, abs=1e-9
        )


def test_contests_of_more_than_two_are_rated_but_not_shown(matches):
    crowd = podium.simulate(players=8, rounds=4, start="2025-01-01")
    both = podium.Contests.concat([crowd, matches])
    assert (
        changes(both, podium.system("elo")).height == changes(matches, podium.system("elo")).height
    )


def test_the_figure_shows_both_in_their_colours_and_counts_results(matches):
    shown = figure_3_2({"matches": matches})
    points = [line for line in shown.figure.axes[0].lines if line.get_marker() == "."]
    assert [line.get_color() for line in points] == ["#c0392b", "#1f5fa8"]
    findings = shown.findings
    assert (
        findings.select(pl.sum_horizontal("won", "drawn", "lost"))["won"].to_list()
        == findings["matches"].to_list()
    )
    assert (findings["highest_gain"] > findings["mean_gain"]).all()
    assert (findings["highest_loss"] < findings["mean_loss"]).all()
    assert (findings["mean_gain"] > 0).all()


def test_simulated_matches_take_the_place_of_missing_ones():
    shown = figure_3_2(players=4, matches=450, system=podium.system("glicko"))
    assert shown.findings.height == 2
    assert shown.findings["lowest_sigma"].min() > 0.0


def test_too_few_matches_are_refused():
    for few in (podium.simulate_matches(4, 20), podium.simulate(players=5, rounds=2)):
        with pytest.raises(podium.PodiumError, match="two players with more than 100 matches"):
            changes(few, podium.system("elo"))
