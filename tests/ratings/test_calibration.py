"""One temperature for all predictions: how it is learned, and what it does to chances."""

import itertools
import json
import math
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, Ladder
from podium.errors import InputError, StorageError
from podium.evaluation.backtest import Replay, backtest
from podium.evaluation.scoring import contest_values
from podium.numerics import temperature as kernel
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Calibration
from podium.ratings.chances import Chances
from tests.comparing import assert_same_beliefs
from tests.ratings import plain_calibration as plain

SYSTEMS = [
    ("elo", {}),
    ("elo-mmr", {"drift_per_day": 20.0}),
    ("elo-mmx", {}),
    ("trueskill", {"draw_rate": 0.3}),
    ("weng-lin", {"model": "plackett-luce"}),
    ("glicko", {"period_days": 20.0}),
    ("topcoder", {}),
]


@pytest.fixture(scope="module")
def season() -> Contests:
    return podium.simulate(players=24, rounds=30, participation=0.7, ties=0.2, seed=5)


@pytest.fixture(scope="module")
def matches() -> Contests:
    return podium.simulate_matches(players=12, matches=400, seed=2)


def learned(played, name, **parameters):
    return podium.rate(played, name, calibrated=True, **parameters).beliefs.calibration


@given(st.lists(st.integers(1, 9), max_size=8), st.integers(0, 50), st.randoms())
def test_everybody_meets_one_whom_names_and_the_number_of_the_contest_choose(sizes, number, chance):
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    names = [chance.sample(range(100), size) for size in sizes]
    key = np.array([each for own in names for each in own], np.int64)
    a, b, ends = kernel.partners(offsets, key, number)
    wanted = [
        (int(start) + i, int(start) + j)
        for place, (start, own) in enumerate(zip(offsets[:-1], names, strict=True))
        for i, j in plain.met(own, number + place)
    ]
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == wanted
    assert ends.tolist() == np.cumsum([len(plain.met(own, 0)) for own in names]).tolist()


@given(st.lists(st.floats(0.0, 1.0) | st.just(math.nan), max_size=20), st.floats(1e-4, 1e4))
def test_log_odds_are_multiplied(chances, temperature):
    found = kernel.tempered(np.array(chances), np.full(len(chances), temperature))
    for chance, own in zip(chances, found, strict=True):
        if math.isnan(chance):
            assert math.isnan(own)
            continue
        odds = temperature * plain.log_odds(chance)
        wanted = 1.0 / (1.0 + math.exp(-odds)) if odds > -700.0 else 0.0
        assert own == pytest.approx(wanted, rel=1e-9, abs=1e-300)


def plain_contests(played, before):
    """Contests as plain loops take them, with the chances of a backtest."""
    c, field = before.columns, before._field
    names = played.players.to_list()
    for contest, start in enumerate(c.offsets[:-1].tolist()):
        rows = np.arange(start, c.offsets[contest + 1])

        def score(a, b, start=start):
            lead = int(c.rank[start + b]) - int(c.rank[start + a])
            return 0.5 + 0.5 * np.sign(lead)

        def expected(a, b, temperature, start=start, contest=contest):
            if before._expected is not None:
                odds = temperature * plain.log_odds(before._expected[contest])
                return 1.0 / (1.0 + math.exp(-odds))
            one, other = (
                field._replace(mu=temperature * field.mu).among(np.array([start + each]))
                for each in (a, b)
            )
            return float(before.system.expected_scores(one, other, np.zeros(1))[0])

        yield [names[each] for each in c.player[rows].tolist()], score, expected


@pytest.mark.parametrize(("name", "parameters"), SYSTEMS)
def test_the_temperature_is_that_of_plain_loops(season, name, parameters):
    before, after = backtest(season, name, **parameters).learned()
    wanted = plain.temperatures(plain_contests(season, before))
    assert before.temperature == pytest.approx(np.array(wanted[:-1]), rel=1e-9)
    assert after.temperature == pytest.approx(wanted[-1], rel=1e-9)
    assert len(set(wanted)) > 5


def test_of_whole_beliefs_log_odds_are_multiplied(matches):
    before, after = backtest(matches, "luck").learned()
    wanted = plain.temperatures(plain_contests(matches, before))
    assert before.temperature == pytest.approx(np.array(wanted[:-1]), rel=1e-9)
    ladder = Ladder.from_beliefs(podium.rate(matches, "luck", calibrated=True).beliefs)
    assert ladder.beliefs.calibration == after
    a, b = ladder.beliefs.names[:2]
    own, sure = (ladder.win_probability(a, b, calibrated=each) for each in (False, True))
    odds = ladder.temperature() * plain.log_odds(own)
    assert sure == pytest.approx(1.0 / (1.0 + math.exp(-odds)), rel=1e-12)
    assert ladder.rank_probabilities([a, b], calibrated=True).filter(player=a)[
        "first"
    ].item() == pytest.approx(sure)


@pytest.mark.parametrize(("name", "parameters"), SYSTEMS)
def test_it_is_the_same_to_the_bit_however_contests_come(season, name, parameters, tmp_path):
    whole = podium.rate(season, name, calibrated=True, threads=1, **parameters).beliefs
    assert whole.calibration.contests == len(season)
    pieces = [season[first : first + 4] for first in range(0, len(season), 4)]
    in_pieces = podium.rate(pieces, name, calibrated=True, threads=2, **parameters).beliefs
    half = podium.rate(season[:13], name, calibrated=True, **parameters).beliefs
    half.save(tmp_path / "half.npz")
    resumed = podium.rate(season[13:], beliefs=tmp_path / "half.npz").beliefs
    ladder = Ladder(name, calibrated=True, **parameters)
    for contest in season:
        ranks = np.array(contest.rank)
        groups = [np.flatnonzero(ranks == rank) for rank in np.unique(ranks)]
        standings = [tuple(contest.players[i] for i in group) for group in groups]
        ladder.record(standings, time=contest.time)
    for beliefs in (in_pieces, resumed, ladder.beliefs):
        assert beliefs.calibration == whole.calibration
    replay, known, parts = Replay(podium.system(name, **parameters)), Calibration(), []
    for piece in pieces:
        part, known = replay.add(piece).learned(known)
        parts.append(part.temperature)
    at_once, after = backtest(season, name, **parameters).learned()
    assert known == after == whole.calibration
    assert np.array_equal(np.concatenate(parts), at_once.temperature)


def test_ratings_are_the_same_with_and_without(season):
    for name, parameters in SYSTEMS:
        plainly = podium.rate(season, name, **parameters)
        learning = podium.rate(season, name, calibrated=True, **parameters)
        assert learning.history.equals(plainly.history)
        assert_same_beliefs(learning.beliefs, plainly.beliefs)


def test_matches_of_luck_are_the_same_in_a_ladder(matches):
    ladder = Ladder("luck", calibrated=True)
    for match in matches:
        tied = match.rank[0] == match.rank[1]
        ladder.record([tuple(match.players)] if tied else list(match.players), time=match.time)
    assert ladder.beliefs.calibration == learned(matches, "luck")


@settings(max_examples=20)
@given(st.integers(0, 99), st.integers(5, 19), st.sampled_from(["elo", "trueskill"]), st.randoms())
def test_nothing_comes_from_the_future(seed, at, name, chance):
    """Other results from a contest on change no calibrated score before it."""
    played = podium.simulate(players=20, rounds=20, seed=seed)
    frame = played.frame()
    ranks = {id: chance.sample(range(1, 21), 20) for id in played.ids[at:]}
    drawn = frame.with_columns(
        rank=np.array(
            [
                ranks[contest][rank - 1] if contest in ranks else rank
                for contest, rank in frame.select("contest", "rank").iter_rows()
            ]
        )
    )
    other = Contests.from_frame(drawn)
    one, two = (backtest(each, name).learned()[0] for each in (played, other))
    assert np.array_equal(one.temperature[: at + 1], two.temperature[: at + 1])
    assert one.temperature[at] != 1.0
    for measure in ("calibrated-log-loss", "calibrated-brier"):
        values = [contest_values(each, [measure]).values[measure] for each in (one, two)]
        assert np.array_equal(values[0][:at], values[1][:at])
        assert not np.array_equal(values[0][at:], values[1][at:]) or drawn.equals(frame)


def expected_by_name(before, played, contest):
    """What was expected of every pair of a contest, calibrated, by who they are."""
    names = played.players.to_list()
    start, end = before.columns.offsets[contest : contest + 2].tolist()
    called = [names[each] for each in before.columns.player[start:end].tolist()]
    found = {}
    for pairs in before.pairs(calibrated=True):
        own = pairs.expected[pairs.contest == contest].tolist()
        for (one, other), expected in zip(itertools.combinations(called, 2), own, strict=True):
            found[min(one, other), max(one, other)] = expected if one < other else 1.0 - expected
    return found


def test_the_results_of_a_contest_do_not_change_its_own_predictions():
    played = podium.simulate(players=12, rounds=25, seed=3)
    frame = played.frame()
    for at in (8, 24):
        own = pl.col("contest") == played.ids[at]
        turned = frame.with_columns(
            rank=pl.when(own).then(13 - pl.col("rank")).otherwise(pl.col("rank"))
        )
        other = Contests.from_frame(turned)
        one, two = (backtest(each, "trueskill").learned()[0] for each in (played, other))
        assert one.temperature[at] == two.temperature[at]
        assert one.temperature[at] != 1.0
        first, second = expected_by_name(one, played, at), expected_by_name(two, other, at)
        assert first.keys() == second.keys()
        assert all(first[pair] == pytest.approx(second[pair], abs=1e-12) for pair in first)


def test_systems_that_are_far_too_sure_are_compared_by_what_they_know():
    played = podium.simulate(players=200, rounds=40, seed=1)
    found = podium.evaluate(played, ["trueskill", "glicko2"], resamples=20)
    values = {
        (row["measure"], row["system"]): row["value"]
        for row in found.table.filter(players="all").iter_rows(named=True)
    }
    assert values["log-loss", "trueskill"] > 1.5
    for system in ("trueskill", "glicko2"):
        assert values["calibrated-log-loss", system] == pytest.approx(0.377, abs=0.003)
        for measure in ("log-loss", "brier", "calibration-error"):
            assert values[f"calibrated-{measure}", system] < values[measure, system]
    temperature = dict(found.systems.select("system", "temperature").iter_rows())
    assert temperature["trueskill"] < 0.3 < 1.2 < temperature["glicko2"]


def test_every_ladder_learns_its_own():
    parts = {
        "even": podium.simulate(players=20, rounds=30, seed=1),
        "wild": podium.simulate(players=20, rounds=30, luck=0.6, seed=2),
    }
    frames = [part.frame().with_columns(ladder=pl.lit(name)) for name, part in parts.items()]
    both = Contests.from_frame(pl.concat(frames))
    rated = podium.rate_ladders(both, "elo-mmr", calibrated=True)
    own = {name: learned(part, "elo-mmr") for name, part in parts.items()}
    assert {name: each.beliefs.calibration for name, each in rated.items()} == own
    found = podium.evaluate(both, "elo-mmr", resamples=5).systems["temperature"].item()
    assert found == pytest.approx(math.prod(each.temperature for each in own.values()) ** 0.5)


@pytest.fixture(scope="module")
def sure() -> Ladder:
    """TrueSkill is far too sure of contests of fifty."""
    played = podium.simulate(players=50, rounds=20, seed=4)
    ladder = Ladder.from_beliefs(podium.rate(played, "trueskill", calibrated=True).beliefs)
    assert ladder.temperature() < 0.8
    return ladder


def test_calibrated_chances_are_those_of_smaller_differences(sure):
    names = sure.leaderboard(8)["player"].to_list()
    tempered = sure.beliefs.copy()
    tempered.table["mu"][: len(tempered)] *= sure.temperature()
    other = Ladder.from_beliefs(tempered)
    for ask in (
        lambda ladder, **how: ladder.win_probability(names[0], names[7], **how),
        lambda ladder, **how: ladder.draw_probability(names[0], names[7], **how),
        lambda ladder, **how: ladder.quality(names, **how),
    ):
        assert ask(sure, calibrated=True) == ask(other)
        assert ask(sure, calibrated=True) != ask(sure)
    asked = sure.rank_probabilities(names, calibrated=True)
    assert asked.equals(other.rank_probabilities(names))
    assert asked["first"].max() < sure.rank_probabilities(names)["first"].max()


def test_win_draw_and_loss_stay_probabilities_and_equals_draw_as_often(sure):
    a, b = sure.leaderboard(30)["player"].to_list()[::29]
    how = {"calibrated": True}
    win, loss = sure.win_probability(a, b, **how), sure.win_probability(b, a, **how)
    assert win + loss + sure.draw_probability(a, b, **how) == pytest.approx(1.0, abs=1e-12)
    assert 0.5 < win < sure.win_probability(a, b)
    new = "one newcomer", "another"
    assert sure.draw_probability(*new, **how) == sure.draw_probability(*new)
    assert sure.stronger_probability(a, b) == Chances.of(sure, [a, b], calibrated=True).stronger


def test_chances_say_that_they_are_calibrated(sure):
    a, b, c = sure.leaderboard(3)["player"].to_list()
    for names in ([a, b], [a, b, c]):
        assert Chances.of(sure, names).document()["temperature"] is None
        said = Chances.of(sure, names, calibrated=True)
        assert said.document()["temperature"] == said.temperature == sure.temperature()


def test_standings_are_expected_at_the_temperature(sure):
    names = sure.leaderboard(9)["player"].to_list()
    rows = {"contest": "now", "time": "2030-01-01", "player": names, "rank": range(1, 10)}
    now = Contests.from_frame(pl.DataFrame(rows), future=True)
    own, calibrated = (podium.predict(sure.beliefs, now, calibrated=each) for each in (False, True))
    assert own.document()["temperature"] is None
    assert calibrated.document()["temperature"] == sure.temperature()
    wanted = sure.rank_probabilities(names, at="2030-01-01", calibrated=True)
    wanted = dict(wanted.select("player", "expected_rank").iter_rows())
    for row in calibrated.table.iter_rows(named=True):
        assert row["expected_rank"] == pytest.approx(wanted[row["player"]], abs=1e-6)
    assert calibrated.table.drop("expected_rank").equals(own.table.drop("expected_rank"))


def test_what_was_not_learned_is_refused(season):
    plainly = podium.rate(season, "elo")
    a, b = plainly.beliefs.names[:2]
    for ask in (
        partial(plainly.win_probability, a, b),
        partial(plainly.rank_probabilities, [a, b]),
        partial(podium.predict, podium.rate(season[:-1], "elo").beliefs, season[-1:]),
    ):
        with pytest.raises(InputError, match="have learned no temperature to be calibrated by"):
            ask(calibrated=True)
    later = podium.simulate(players=3, rounds=1, start="2031-01-01")
    with pytest.raises(InputError, match="cannot be learned from here on"):
        podium.rate(later, beliefs=plainly.beliefs, calibrated=True)


@pytest.mark.parametrize(
    "damage",
    [
        lambda numbers: [*numbers[:-1], "0"],
        lambda numbers: [math.inf, *numbers[1:]],
        lambda numbers: [100.0, *numbers[1:]],
        lambda numbers: [numbers[0], 0.0, *numbers[2:]],
        lambda numbers: [*numbers[:2], -1, *numbers[3:]],
        lambda numbers: [*numbers, 0.0],
        lambda numbers: {"logarithm": numbers[0]},
    ],
)
def test_a_damaged_temperature_is_not_believed(damage, season, tmp_path):
    beliefs = podium.rate(season, "elo", calibrated=True).beliefs
    arrays = beliefs._arrays()
    about = json.loads(arrays["about"].tobytes())
    assert Calibration.restored(about["calibration"]) == beliefs.calibration
    about["calibration"] = damage(about["calibration"])
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(tmp_path / "beliefs.npz", **arrays)
    with pytest.raises(StorageError, match="not a file of beliefs, or a damaged one"):
        Beliefs.load(tmp_path / "beliefs.npz")
