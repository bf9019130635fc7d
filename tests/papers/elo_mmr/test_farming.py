"""Figure 2 and section 5.1: the attacks that they show, and the numbers beside the paper's."""

import polars as pl
import pytest

import podium
from podium.evaluation.attacks import farming as attacked
from podium.evaluation.attacks import matchmaking
from podium.papers.elo_mmr import farming
from podium.papers.elo_mmr.farming import OPPONENTS, TOPCODER, figure_2, section_5_1

RUNS = 3


def points(shown):
    return shown.findings["points"].to_list()


@pytest.fixture(scope="module")
def season():
    """A season with the paper's player, who is one of the best."""
    played = podium.simulate(players=14, rounds=110, seed=3)
    names = {played[-1].players[1]: "tourist"}
    return podium.Contests.from_frame(played.frame().with_columns(pl.col("player").replace(names)))


def test_the_attack_is_that_of_the_paper(season, monkeypatch):
    monkeypatch.setattr(farming, "THRESHOLD", 1600.0)
    told = []
    shown = figure_2({"codeforces": season}, lambda *step: told.append(step))
    as_theirs = attacked(season, "topcoder", "tourist", threshold=1600.0, **TOPCODER)
    published = attacked(season, "topcoder", "tourist", threshold=1600.0)
    by_elo_mmr = as_theirs.transferred("elo-mmr")
    assert points(shown) == [
        as_theirs.gain,
        as_theirs.climb,
        as_theirs.table["thrown"].sum(),
        by_elo_mmr["attacked"][-1] - by_elo_mmr["control"][-1],
        published.gain,
        published.climb,
    ]
    assert as_theirs.gain != published.gain
    assert 0 < as_theirs.table["thrown"].sum() < 45
    assert list(shown.numbers) == ["topcoder", "elo-mmr"]
    assert shown.numbers["topcoder"].equals(as_theirs.table)
    assert shown.numbers["elo-mmr"].equals(by_elo_mmr)
    assert told == [(1, 3), (2, 3), (3, 3)]
    titles = [axes.get_title(loc="left") for axes in shown.figure.axes]
    assert [title.split(":")[0] for title in titles] == [
        "tourist by topcoder",
        "tourist by elo-mmr",
    ]
    last = season[104].time
    assert shown.remarks[0] == (
        f"The 105 contests of tourist in the experiment end on {last:%Y-%m-%d}; he loses on "
        f"purpose whenever Topcoder rates him above 1600."
    )


def test_the_experiment_is_that_of_section_5_1():
    assert (farming.PLAYER, farming.THRESHOLD) == ("tourist", 2975.0)


def test_results_without_the_player_are_refused_in_one_sentence():
    with pytest.raises(podium.PodiumError, match="there is no player 'tourist'"):
        figure_2({"codeforces": podium.simulate(players=4, rounds=3)})


@pytest.mark.slow
def test_figure_2_has_the_papers_number(codeforces):
    shown = figure_2({"codeforces": codeforces})
    assert shown.findings["in_paper"].to_list() == [
        "523", "almost 1000", None, "behind", None, None,
    ]  # fmt: skip
    gain, climb, thrown, by_elo_mmr, published, climbed = points(shown)
    assert gain == pytest.approx(523.0, abs=1.0)
    assert 990.0 < climb < 1000.0
    assert thrown == 17
    assert by_elo_mmr < 0.0
    assert (round(published), round(climbed)) == (334, 1087)
    assert "end on 2015-06-06" in shown.remarks[0]
    ends = {
        name: [round(table[column][-1]) for column in ("control", "attacked")]
        for name, table in shown.numbers.items()
    }
    assert ends == {"topcoder": [3284, 3807], "elo-mmr": [2985, 2945]}


@pytest.fixture(scope="module")
def in_matches():
    told = []
    shown = section_5_1({}, lambda *step: told.append(step), runs=RUNS)
    assert told == [(number, 4) for number in range(1, 5)]
    return shown


def test_four_systems_are_attacked_in_matches(in_matches):
    keys = in_matches.findings.select("system", "measure").rows()
    assert keys == [(name, measure) for name in OPPONENTS for measure in ("end", "stop", "peak")]
    assert OPPONENTS == ("glicko2", "glicko", "elo", "elo-mmr")
    assert list(in_matches.numbers) == list(OPPONENTS)
    for name in ("glicko2", "elo"):
        attack = matchmaking(name, runs=RUNS)
        found = in_matches.findings.filter(system=name).drop("system")
        assert found.equals(attack.summary)
        assert in_matches.numbers[name].equals(attack.table)


def test_the_remarks_have_the_numbers_of_the_first_system(in_matches):
    attack = matchmaking("glicko2", runs=RUNS)
    honest, farmer = attack.highest
    assert "in 3 runs each, a player of skill 1500 " in in_matches.remarks[0]
    assert "when rated above 1000, " in in_matches.remarks[0]
    assert in_matches.remarks[1].startswith("Peak: the highest rating in the last 40 periods.")
    assert "once they are rated 1700, " in in_matches.remarks[1]
    assert in_matches.remarks[2] == (
        f"The highest farmer was {farmer:,.0f} points above the true skill under Glicko-2, the "
        f"highest honest player {honest:,.0f}."
    )


def test_the_picture_has_the_first_and_the_last_system(in_matches):
    titles = [axes.get_title(loc="left") for axes in in_matches.figure.axes]
    peaks = {
        name: in_matches.findings.filter(system=name, measure="peak")["gain"].item()
        for name in ("glicko2", "elo-mmr")
    }
    assert titles == [f"{name}: {peak:+,.0f} at the peak" for name, peak in peaks.items()]
