"""Means over histories, recomputed from tables of what happened and the measures' definitions."""

import math
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import podium
from podium import Contests
from podium.evaluation import scoring
from podium.evaluation.backtest import backtest
from podium.evaluation.matches import measures as of_matches
from podium.evaluation.matches import predictions
from podium.evaluation.measures import BINS, MEASURES, Reliability
from podium.evaluation.scoring import contest_means, contest_values, score, skipped
from tests.numerics import plain_measures as plain
from tests.ratings.plain_calibration import temperatures

ELO = podium.system("elo", k=60.0)
TOP = 3


@pytest.fixture(scope="module")
def season() -> Contests:
    """Contests of one to about ten, with ties, some of them of nobody but equals."""
    played = podium.simulate(players=14, rounds=40, participation=0.6, ties=0.2, seed=9)
    frame = played.frame()
    ids = frame["contest"].unique(maintain_order=True)
    alone = (pl.col("contest") != ids[20]) | (pl.col("rank") == 1)
    all_tied = pl.when(pl.col("contest") == ids[25]).then(1).otherwise(pl.col("rank"))
    return Contests.from_frame(frame.filter(alone).with_columns(rank=all_tied))


def contest_by_contest(contests, skip, min_contests):
    """Ranks, ratings before and names of everybody counted, from the history of Elo."""
    history = podium.rate(contests, ELO).history
    played: dict[str, int] = {}
    for number, contest in enumerate(contests):
        rows = history.filter(pl.col("contest") == contest.id)
        counted = [
            (row["rank"], row["mu_before"], row["player"])
            for row in rows.iter_rows(named=True)
            if played.get(row["player"], 0) >= min_contests and number >= skip
        ]
        for player in contest.players:
            played[player] = played.get(player, 0) + 1
        yield [list(column) for column in zip(*counted, strict=True)] or [[], [], []]


def points(ranks, i, j):
    """What i scored against j."""
    return (1 + int(np.sign(ranks[j] - ranks[i]))) / 2


def elo(ratings, i, j, temperature=1.0):
    """What i was expected to score against j, by Elo's formula."""
    return 1 / (1 + 10 ** (temperature * (ratings[j] - ratings[i]) / 400))


def plain_temperatures(contests, min_contests):
    """What was learned of Elo's before every contest, from all and then from the experienced."""
    found = None
    for least in sorted({0, min_contests}):
        found = temperatures(
            (
                (names, partial(points, ranks), partial(elo, ratings))
                for ranks, ratings, names in contest_by_contest(contests, 0, least)
            ),
            found,
        )
    return found


def plain_values(ranks, ratings, names, temperature):
    """Every measure of one contest but calibration errors, by definition; Elo by its formula."""
    pairs, calibrated = (
        [
            (points(ranks, i, j), elo(ratings, i, j, each))
            for i, j in combinations(range(len(ranks)), 2)
        ]
        for each in (1.0, temperature)
    )
    sums, own = plain.pair_sums(pairs, 1e-15, BINS), plain.pair_sums(calibrated, 1e-15, BINS)
    best = plain.highest_rated(names, ratings, TOP)
    of_best = [ranks[row] for row in best], [ratings[row] for row in best]
    return {
        "pair-inversion": mean(plain.pair_inversion(ranks, ratings)),
        "rank-deviation": mean(plain.rank_deviation(ranks, ratings)),
        "spearman": plain.spearman(ranks, ratings),
        "kendall": plain.kendall(ranks, ratings),
        **{
            name: total / len(pairs) if pairs else math.nan
            for name, total in zip(
                ("accuracy", "log-loss", "brier", "calibrated-log-loss", "calibrated-brier"),
                [*sums[1:4], *own[2:4]],
                strict=True,
            )
        },
        "top-hits": plain.top_hits(ranks, ratings, TOP),
        "top-pair-inversion": mean(plain.pair_inversion(*of_best)),
        "top-rank-deviation": mean(plain.rank_deviation(*of_best)),
    }, {"calibration-error": sums, "calibrated-calibration-error": own}


def mean(values):
    return sum(values) / len(values) if values else math.nan


def plain_scores(contests, skip, min_contests, weighting):
    """All measures over a history, by plain loops."""
    totals = dict.fromkeys(MEASURES, 0.0)
    weights = dict.fromkeys(MEASURES, 0.0)
    off = {name: [0.0] * BINS for name in ("calibration-error", "calibrated-calibration-error")}
    weight_of_pairs = 0.0
    counted = contest_by_contest(contests, skip, min_contests)
    for own, temperature in zip(counted, plain_temperatures(contests, min_contests), strict=False):
        ranks, _, _ = own
        values, bins = plain_values(*own, temperature)
        weight = 0.0 if len(ranks) < 2 else len(ranks) if weighting == "participation" else 1.0
        for name, value in values.items():
            if weight and not math.isnan(value):
                totals[name] += weight * value
                weights[name] += weight
        if weight:
            weight_of_pairs += weight
            for name, sums in bins.items():
                expected, scored = sums[4 + BINS : 4 + 2 * BINS], sums[4 + 2 * BINS :]
                for cell in range(BINS):
                    off[name][cell] += weight * (expected[cell] - scored[cell]) / sums[0]
    found = {name: totals[name] / weights[name] for name in MEASURES if weights[name]}
    return found | {name: sum(map(abs, cells)) / weight_of_pairs for name, cells in off.items()}


@pytest.mark.parametrize("weighting", ["participation", "contest"])
@pytest.mark.parametrize(("skip", "min_contests"), [(0.0, 0), (0.1, 5), (0.55, 2)])
def test_scores_are_those_of_plain_loops(season, weighting, skip, min_contests):
    options = {"skip": skip, "min_contests": min_contests, "weighting": weighting, "top": TOP}
    wanted = plain_scores(season, int(skip * len(season)), min_contests, weighting)
    assert len(wanted) == len(MEASURES)
    for name in MEASURES:
        found = score(season, ELO, name, **options)
        assert found == pytest.approx(wanted[name], abs=1e-12), name


def test_every_ladder_is_rated_by_itself_and_loses_its_own_first_contests():
    parts = {
        name: podium.simulate(players=8, rounds=rounds, seed=rounds)
        for name, rounds in (("long", 30), ("short", 10))
    }
    frames = [part.frame().with_columns(ladder=pl.lit(name)) for name, part in parts.items()]
    both = Contests.from_frame(pl.concat(frames))
    options = {"skip": 0.3, "min_contests": 2}
    long, short = (score(part, ELO, "kendall", **options) for part in parts.values())
    wanted = (21 * long + 7 * short) / 28
    for weighting in ("participation", "contest"):
        found = score(both, ELO, "kendall", weighting=weighting, **options)
        assert found == pytest.approx(wanted, rel=1e-12)


def test_measures_together_are_the_measures_one_by_one(season):
    before, _ = backtest(season, ELO).learned()
    together = contest_values(before, top=TOP)
    means = together.means("participation")
    assert list(means) == list(MEASURES)
    for name in MEASURES:
        alone = contest_values(before, [name], top=TOP).means("participation")
        assert list(alone) == [name]
        assert alone[name] == means[name]


def test_counts_say_how_often_a_contest_is_counted(season):
    before = backtest(season, ELO)
    values = contest_values(before, top=TOP)
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 3, (4, len(season))).astype(float)
    found = values.means("contest", counts)
    for row, times in enumerate(counts):
        again = np.repeat(np.arange(len(season)), times.astype(int))
        for name, each in values.values.items():
            drawn = each[again]
            drawn = drawn[(values.participants[again] > 0) & ~np.isnan(drawn)]
            assert found[name][row] == pytest.approx(drawn.mean())
    none = values.means("participation", np.zeros((1, len(season))))
    assert all(math.isnan(value[0]) for value in none.values())


def test_bins_of_all_contests_have_the_weight_of_all():
    played = podium.simulate(players=90, rounds=6, participation=0.8, seed=2)
    values = contest_values(backtest(played, ELO))
    for weighting in ("participation", "contest"):
        bins = Reliability(*np.split(values.weighted_bins(weighting).sum(axis=0), 3))
        weights = values.participants if weighting == "participation" else values.participants > 0
        assert bins.pairs.sum() == pytest.approx(weights.sum())
        off = np.abs(bins.expected - bins.scored).sum() / bins.pairs.sum()
        assert values.means(weighting)["calibration-error"][0] == pytest.approx(off)
        inside = bins.pairs > 0
        expected = (bins.expected / np.where(inside, bins.pairs, 1.0))[inside]
        borders = 0.5 + np.arange(BINS + 1) / (2 * BINS)
        assert (expected >= borders[:-1][inside] - 1e-12).all()
        assert (expected <= borders[1:][inside] + 1e-12).all()


def test_means_of_contests():
    values = np.array([1.0, 3.0, math.nan, 5.0, 7.0])
    found = contest_means(values, np.array([0, 0, 2, 2, 4, 5, 5]))
    assert found.tolist() == pytest.approx(
        [math.nan, 2, math.nan, math.nan, 7, math.nan], nan_ok=True
    )
    assert contest_means(np.zeros(0), np.zeros(1, np.int64)).tolist() == []


def test_a_share_of_contests_is_what_people_mean_by_it():
    for contests in (1, 7, 10, 100, 1000, 12_345):
        for hundredths in range(101):
            assert skipped(hundredths / 100, contests) == hundredths * contests // 100


MATCHES_BY = [
    ("elo", {"k": 40, "side_advantage": 60}),
    ("glicko", {"drift_per_day": 300}),
    ("trueskill", {"draw_rate": 0.2}),
    ("weng-lin", {"model": "thurstone-mosteller-full", "draw_margin": 1.0}),
    ("elo-mmr", {}),
    ("luck", {"points": 241, "side_advantage": 0.4}),
]


def assert_agreement_on_matches(matches, name, parameters):
    """Three measures of matches, of one skipped part and everybody."""
    system = podium.system(name, **parameters)
    table = predictions(matches, system)
    skip = skipped(0.2, len(matches))
    wanted = of_matches(table, skip=skip)
    options = {"skip": 0.2, "min_contests": 0}
    for measure, value in (
        ("log-loss", wanted.log_loss),
        ("brier", wanted.brier),
        ("accuracy", wanted.accuracy),
    ):
        for weighting in ("participation", "contest"):
            found = score(matches, system, measure, weighting=weighting, **options)
            assert found == pytest.approx(value, rel=1e-9), measure


@pytest.mark.parametrize(("name", "parameters"), MATCHES_BY)
def test_matches_are_scored_as_matches(name, parameters):
    matches = podium.simulate_matches(12, 300, draws=0.3, side_advantage=0.4, seed=8)
    assert_agreement_on_matches(matches, name, parameters)


@pytest.mark.parametrize(("name", "parameters"), MATCHES_BY)
def test_football_is_scored_as_matches(football, name, parameters):
    assert_agreement_on_matches(football[:2000], name, parameters)


def test_what_was_thought_impossible_does_not_cost_everything():
    matches = Contests.from_matches(
        pl.DataFrame(
            {
                "time": [0, 1],
                "player_a": ["ann"] * 2,
                "player_b": ["bob"] * 2,
                "outcome": [1.0, 0.0],
            }
        )
    )
    sure = podium.system("elo", k=1e4, scale=1.0)
    assert predictions(matches, sure)["log_loss"][1] == math.inf
    found = score(matches, sure, "log-loss", skip=0.5, min_contests=0)
    assert found == pytest.approx(-math.log(1e-15))


def test_the_order_of_rows_in_a_table_changes_nothing(season):
    frame = season.frame().sample(fraction=1.0, shuffle=True, seed=3)
    shuffled = Contests.from_frame(frame)
    for name in ("pair-inversion", "log-loss", "calibration-error", "top-pair-inversion"):
        assert score(shuffled, ELO, name, min_contests=1) == score(
            season, ELO, name, min_contests=1
        )


@pytest.mark.parametrize("measure", MEASURES)
def test_without_anything_to_measure_the_score_is_not_a_number(measure):
    played = podium.simulate(players=6, rounds=4, seed=1)
    alone = Contests.from_records(
        [{"contest": day, "time": day, "player": f"p{day % 2}", "rank": 1} for day in range(6)]
    )
    assert math.isnan(score(played, ELO, measure, min_contests=100))
    assert math.isnan(score(played, ELO, measure, skip=1))
    assert math.isnan(score(played[:0], ELO, measure))
    assert math.isnan(score(alone, ELO, measure, min_contests=0))


@pytest.mark.parametrize("top", [6, 10**12, 2**63])
def test_a_top_that_nobody_is_outside_of_is_not_measured(top):
    played = podium.simulate(players=6, rounds=4, seed=1)
    assert math.isnan(score(played, ELO, "top-hits", min_contests=0, top=top))
    assert math.isnan(score(played, ELO, "top-pair-inversion", min_contests=0, top=top))


def test_the_highest_rated_one_has_nobody_to_be_compared_with(season):
    assert math.isnan(score(season, ELO, "top-pair-inversion", top=1))
    assert math.isnan(score(season, ELO, "top-rank-deviation", top=1))
    assert 0.0 < score(season, ELO, "top-hits", top=1) < 1.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "brierr"}, "there is no measure 'brierr' (did you mean 'brier'?)"),
        ({"measure": ["brier"]}, "there is no measure ['brier']"),
        ({"skip": math.nan}, "skip must be a number from 0 to 1, not nan."),
        ({"skip": 1.5}, "skip must be a number from 0 to 1, not 1.5."),
        ({"skip": -0.1}, "skip must be a number from 0 to 1, not -0.1."),
        ({"skip": "a"}, "skip must be a number from 0 to 1, not 'a'."),
        ({"min_contests": -1}, "min_contests must be a whole number of at least 0, not -1."),
        ({"min_contests": 2.5}, "min_contests must be a whole number of at least 0, not 2.5."),
        ({"top": 0}, "top must be a whole number of at least 1, not 0."),
        (
            {"weighting": "contests"},
            "there is no weighting 'contests' (did you mean 'contest'?); "
            "it is participation or contest.",
        ),
        ({"weighting": None}, "there is no weighting None"),
        ({"contests": []}, "contests are needed, not list"),
        ({"system": "elle"}, "there is no system 'elle'"),
        ({"threads": 0}, "threads must be a whole number of at least 1, not 0."),
    ],
)
def test_a_wrong_argument_is_one_sentence(options, sentence):
    played = podium.simulate(players=4, rounds=2)
    arguments = {"contests": played, "system": ELO, "measure": "brier", **options}
    with pytest.raises(podium.PodiumError) as refused:
        score(**arguments)
    assert str(refused.value).startswith(sentence)


def test_a_wrong_measure_is_refused_before_anything_is_rated(monkeypatch):
    monkeypatch.setattr(scoring, "backtest", lambda *_, **__: pytest.fail("it was rated"))
    with pytest.raises(podium.PodiumError, match="there is no measure"):
        score(podium.simulate(players=4, rounds=2), ELO, "luck")
