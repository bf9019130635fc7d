"""Glicko: against plain code, the published example, the reference numbers; periods and contests.

What it shares with Glicko-2 is tested here for both.
"""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.results.columns import Columns
from podium.systems import Glicko, Glicko2
from tests.comparing import assert_same_beliefs
from tests.systems import plain_glicko as plain
from tests.systems.pairwise_seasons import (
    DAY,
    NAMES,
    flattened,
    folded,
    play,
    renamed,
    season_columns,
    seasons,
    settled,
)

BOTH = [Glicko(), Glicko(period_days=30), Glicko2(), Glicko2(period_days=30)]
both = pytest.mark.parametrize("system", BOTH, ids=lambda s: f"{s.name}-{s.period_days:g}")
_EXTRA = ("mu_start", "sigma_start", "information", "gradient", "period")


def plainly(season, **options):
    contests = [(*flattened(standings), day, weight) for standings, day, weight in season]
    return plain.Glicko(**options).play(contests)


def microseconds(day: float) -> int:
    return int(day * DAY * 1_000_000)


def test_glickmans_example_of_one_rating_period():
    ladder = settled(
        Glicko(period_days=30),
        {
            "player": {"mu": 1500.0, "sigma": 200.0},
            "first": {"mu": 1400.0, "sigma": 30.0},
            "second": {"mu": 1550.0, "sigma": 100.0},
            "third": {"mu": 1700.0, "sigma": 300.0},
        },
    )
    ladder.record(["player", "first"], time=0)
    ladder.record(["second", "player"], time=DAY)
    ladder.record(["third", "player"], time=2 * DAY)
    assert round(ladder["player"].mu) == 1464
    assert round(ladder["player"].sigma, 1) == 151.4


def test_the_published_intermediate_values_of_the_plain_code():
    assert [round(plain.g(rd), 4) for rd in (30, 100, 300)] == [0.9955, 0.9531, 0.7242]
    found = [plain.expected(1500, mu, rd) for mu, rd in ((1400, 30), (1550, 100), (1700, 300))]
    assert [round(e, 3) for e in found] == [0.639, 0.432, 0.303]


@given(
    season=seasons(),
    period=st.sampled_from([0.0, 0.0, 0.5, 7.0, 30.0, 365.0]),
    contest=st.sampled_from(["mean", "sum", "one-match"]),
    drift=st.sampled_from([0.0, 34.6, 63.2]),
    per_day=st.sampled_from([0.0, 20.0]),
    floor=st.sampled_from([0.0, 120.0]),
)
@settings(max_examples=150, deadline=None)
def test_streamed_periods_agree_with_matches_grouped_by_period(
    season, period, contest, drift, per_day, floor
):
    options = {
        "period_days": period,
        "contest": contest,
        "drift": drift,
        "sigma_min": floor,
        "drift_per_day": 0.0 if period else per_day,
    }
    ladder = play(season, Glicko(**options))
    model = plainly(season, **options)
    for name, player in model.shown.items():
        assert ladder[name].mu == pytest.approx(player.mu, abs=1e-8)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-11)
        assert ladder[name].contests == player.contests


def test_the_first_30_codeforces_contests_agree_with_the_reference(shared, codeforces):
    """The authors of Elo-MMR count a contest as one match, in their own way.

    The differences from "mean", which is the published system for two players: the sum is divided
    by all players, not all opponents; the information is q²/4 whatever was expected;
    uncertainty may exceed that of a newcomer, who drifts before the first contest too; the drift
    is 35.
    """
    reference = pl.read_parquet(shared / "reference" / "first_30_codeforces_contests.parquet")
    reference = reference.filter(pl.col("system") == "glicko-all-pairs").with_columns(
        pl.col("contest").cast(pl.String)
    )
    system = Glicko(contest="one-match", drift=35.0, sigma_max=math.inf)
    history = podium.rate(codeforces[:30], system).history
    both = reference.join(history, on=["contest", "player"], suffix="_ours", validate="1:1")
    assert both.height == reference.height == history.height == 10_791
    assert both["performance_ours"].null_count() == both.height
    for column in ("mu_before", "sigma_before", "mu", "sigma"):
        assert (both[column] - both[f"{column}_ours"]).abs().max() < 1e-8, column


@pytest.mark.parametrize(
    "other",
    [
        {"contest": "mean"},
        {"drift": 34.6},
        {"sigma_max": 350.0},
    ],
    ids=str,
)
def test_each_named_difference_from_the_reference_is_one(codeforces, other):
    reference = {"contest": "one-match", "drift": 35.0, "sigma_max": math.inf}
    ours = podium.rate(codeforces[:30], Glicko(**reference)).ratings.sort("player")
    changed = podium.rate(codeforces[:30], Glicko(**{**reference, **other})).ratings.sort("player")
    assert (ours["mu"] - changed["mu"]).abs().max() > 0.01


@pytest.mark.parametrize("kind", [Glicko, Glicko2])
@pytest.mark.parametrize("contest", ["mean", "sum"])
@pytest.mark.parametrize("rows", [200, 1500, 4200])
def test_large_contests_agree_with_sums_over_all_pairs(kind, contest, rows):
    """Below and above the sizes at which tables and threads come in."""
    rng = np.random.default_rng(rows)
    system = kind(contest=contest, period_days=30)
    mu = rng.normal(1500.0, 400.0, rows)
    sigma = rng.uniform(30.0, 350.0, rows)
    mu[:3] = [-4000.0, 1500.0, 9000.0]
    ranks = np.sort(rng.integers(1, rows // 2, rows)).astype(np.int32)
    beliefs = podium.Beliefs(system)
    beliefs.enrol([f"p{number}" for number in range(rows)])
    beliefs.table["mu"][:rows], beliefs.table["sigma"][:rows] = mu, sigma
    system.update(beliefs, one_contest(ranks))

    some = np.unique([0, 1, 2, rows - 1, *rng.integers(0, rows, 60)])
    weight = plain.Q / np.sqrt(1.0 + 3.0 * plain.Q**2 * sigma**2 / math.pi**2)
    score = 0.5 + 0.5 * np.sign(ranks[None, :] - ranks[some, None])
    expected = 0.5 * (1.0 + np.tanh(0.5 * (mu[some, None] - mu[None, :]) * weight))
    told = expected * (1.0 - expected)
    told[np.arange(len(some)), some] = 0.0
    share = rows - 1 if contest == "mean" else 1
    gradient = ((score - expected) * weight).sum(axis=1) / share
    information = (told * weight**2).sum(axis=1) / share
    prior = sigma[some] ** 2
    if kind is Glicko2:
        prior = prior + (beliefs.column("volatility")[some] / plain.Q) ** 2
    variance = 1.0 / (1.0 / prior + information)
    wanted = mu[some] + variance * gradient
    assert beliefs.column("mu")[some] == pytest.approx(wanted, rel=1e-9, abs=1e-6)
    wanted = np.minimum(np.sqrt(variance), 350.0)
    assert beliefs.column("sigma")[some] == pytest.approx(wanted, rel=1e-9)


def one_contest(ranks, *, time=0, weight=1.0) -> Columns:
    """A contest of the players 0, 1, … with these ranks."""
    return Columns(
        offsets=np.array([0, len(ranks)]),
        player=np.arange(len(ranks), dtype=np.int32),
        rank=np.asarray(ranks, np.int32),
        time=np.array([time]),
        weight=np.array([weight]),
        perf_ceiling=np.array([np.inf]),
    )


@both
@given(seasons())
@settings(max_examples=50, deadline=None)
def test_ratings_are_the_same_to_the_bit_whether_or_not_a_history_is_kept(system, season):
    columns = season_columns(season)
    assert folded(system, columns) == folded(system, columns, asked=True)


@both
@given(seasons(), st.integers(0, 10))
@settings(max_examples=25, deadline=None)
def test_a_weight_of_two_is_the_same_contest_twice_in_a_period(system, season, number):
    if system.period_days == 0.0:
        return
    number = number % len(season)
    standings, day, weight = season[number]
    twice = [*season[: number + 1], (standings, day, weight), *season[number + 1 :]]
    heavy = [*season[:number], (standings, day, 2.0 * weight), *season[number + 1 :]]
    one, other = play(twice, system), play(heavy, system)
    for name in one:
        assert other[name].mu == pytest.approx(one[name].mu, abs=1e-8)
        assert other[name].sigma == pytest.approx(one[name].sigma, rel=1e-11)


@both
def test_the_sum_of_all_games_is_their_mean_with_the_weight_of_all_opponents(system):
    standings = ["ann", ("bob", "cat"), "dan", "eve"]
    all_games = type(system)(**{**system.parameters, "contest": "sum"})
    one, other = podium.Ladder(all_games), podium.Ladder(system)
    for _ in range(3):
        one.record(standings)
        other.record(standings, weight=4.0)
    for name in one:
        assert other[name].mu == pytest.approx(one[name].mu, abs=1e-9)
        assert other[name].sigma == pytest.approx(one[name].sigma, rel=1e-12)


def test_counting_all_games_makes_a_large_contest_far_too_certain():
    names = [f"p{number:04}" for number in range(1000)]
    sigmas = {}
    for contest in ("mean", "sum", "one-match"):
        ladder = podium.Ladder("glicko", contest=contest)
        ladder.record(names)
        sigmas[contest] = ladder["p0500"].sigma
    assert sigmas["sum"] < 20.0
    assert sigmas["mean"] > 250.0
    assert sigmas["one-match"] > 240.0


@both
@given(seasons(), st.sampled_from([-777.0, 5000.0]))
@settings(max_examples=25, deadline=None)
def test_shifting_the_newcomers_rating_shifts_all_ratings(system, season, by):
    shifted = type(system)(**{**system.parameters, "mu_new": 1500.0 + by})
    here, there = play(season, system), play(season, shifted)
    for name in here:
        assert there[name].mu == pytest.approx(here[name].mu + by, abs=1e-7)
        assert there[name].sigma == pytest.approx(here[name].sigma, rel=1e-11)


@both
@given(seasons(), st.permutations(NAMES))
@settings(max_examples=25, deadline=None)
def test_renaming_players_renames_ratings_and_nothing_else(system, season, others):
    new = dict(zip(NAMES, others, strict=True))
    before, after = play(season, system), play(renamed(season, new), system)
    for name in before:
        assert after[new[name]].mu == pytest.approx(before[name].mu, abs=1e-8)
        assert after[new[name]].sigma == pytest.approx(before[name].sigma, rel=1e-11)


@both
@given(seasons(), st.integers(0, 10))
@settings(max_examples=25, deadline=None)
def test_batches_ladder_and_files_give_the_same_to_the_bit(system, season, cut):
    rows = []
    for number, (standings, day, weight) in enumerate(season):
        for name, rank in zip(*flattened(standings), strict=True):
            rows.append(
                {"contest": f"{number:03}", "time": day * DAY, "player": name, "rank": rank,
                 "weight": weight}
            )  # fmt: skip
    frame = pl.DataFrame(rows).with_columns(pl.from_epoch(pl.col("time"), "s"))
    contests = podium.Contests.from_frame(frame)
    whole = podium.rate(contests, system).beliefs
    cut = cut % (len(contests) + 1)
    begun = podium.rate(contests[:cut], system).beliefs
    parts = podium.rate(contests[cut:], system, beliefs=begun).beliefs
    ladder = play(season, system).beliefs
    assert_same_beliefs(whole, parts)
    for column in (*_EXTRA, "mu", "sigma"):
        assert whole.column(column).tobytes() == parts.column(column).tobytes(), column
        mine = whole.column(column)[[whole.index[name] for name in ladder.names]]
        assert mine.tobytes() == ladder.column(column).tobytes(), column


@both
def test_beliefs_saved_in_the_middle_of_a_period_go_on_to_the_bit(system, tmp_path):
    season = [(["ann", "bob"], 1, 1.0), (["bob", ("ann", "cat")], 2, 1.0), (["cat", "ann"], 3, 1.0)]
    through = play(season, system)
    begun = play(season[:2], system)
    begun.save(tmp_path / "beliefs.npz")
    resumed = podium.Ladder.load(tmp_path / "beliefs.npz")
    resumed.record(["cat", "ann"], time=3 * DAY)
    assert_same_beliefs(through.beliefs, resumed.beliefs)


@both
def test_threads_do_not_matter_to_the_bit(system):
    rows = 6000
    rng = np.random.default_rng(5)
    ranks = np.sort(rng.integers(1, rows, rows))
    outcomes = []
    for threads in (1, 2, 5):
        beliefs = podium.Beliefs(system)
        beliefs.enrol([f"p{number}" for number in range(rows)])
        events = np.empty((5, rows))
        for _ in range(2):
            system.update_many(beliefs, one_contest(ranks), events, threads=threads)
        outcomes.append(beliefs.table[:rows].tobytes() + events.tobytes())
    assert outcomes[0] == outcomes[1] == outcomes[2]


@both
@pytest.mark.parametrize("contest", ["mean", "sum"])
def test_20_000_players_are_rated_in_order_or_all_alike(system, contest):
    rows = 20_000
    system = type(system)(**{**system.parameters, "contest": contest})
    ranked, tied = podium.Beliefs(system), podium.Beliefs(system)
    for beliefs, ranks in ((ranked, np.arange(1, rows + 1)), (tied, np.ones(rows))):
        beliefs.enrol([f"p{number}" for number in range(rows)])
        for _ in range(2):
            system.update(beliefs, one_contest(ranks))
    assert np.isfinite(ranked.column("mu")).all()
    assert (np.diff(ranked.column("mu")) < 0.0).all()
    assert np.isfinite(ranked.column("sigma")).all()
    assert tied.column("mu") == pytest.approx(1500.0, abs=1e-6)
    assert (tied.column("sigma") < 350.0).all()


@both
@pytest.mark.parametrize("contest", ["mean", "sum"])
@pytest.mark.parametrize("gap", [10_000.0, 1_000_000.0])
def test_upsets_over_any_gap_leave_everything_finite(system, contest, gap):
    system = type(system)(**{**system.parameters, "contest": contest})
    names = [f"p{number:03}" for number in range(300)]
    ladder = settled(
        system,
        {name: {"mu": 1500.0 - gap * (n % 2), "sigma": 30.0} for n, name in enumerate(names)},
    )
    for _ in range(3):
        ladder.record(["p001", "p000"], weight=1e4)
        ladder.record([*names[1::2], *names[0::2]], weight=1e4)
        ladder.record(["newcomer", "p002"])
    for column in ("mu", "sigma", *_EXTRA):
        assert np.isfinite(ladder.beliefs.column(column)).all(), column
    assert (ladder.beliefs.column("sigma") > 0.0).all()


def test_a_newcomer_who_beats_the_champion_moves_more_than_the_champion():
    ladder = podium.Ladder("glicko")
    for number in range(100):
        ladder.record(["champion", f"victim {number}"])
    champion = ladder["champion"]
    ladder.record(["newcomer", "champion"])
    assert ladder["newcomer"].mu - 1500.0 > 2.0 * (champion.mu - ladder["champion"].mu) > 0.0


@both
def test_a_contest_of_one_player_says_nothing_of_skill(system):
    ladder = podium.Ladder(system)
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"]
    ladder.record(["ann"], time=3600)
    ladder.record(["new"], time=3600)
    after = ladder["ann"]
    assert (after.mu, after.sigma, after.contests) == (before.mu, before.sigma, 2)
    assert (ladder["new"].mu, ladder["new"].sigma) == (1500.0, 350.0)
    assert after.last_time > before.last_time


def test_a_contest_of_one_player_shows_no_performance():
    contests = podium.Contests.from_records(
        [{"contest": "solo", "time": "2026-01-01", "player": "ann", "rank": 1}]
    )
    history = podium.rate(contests, "glicko").history
    assert history.select("performance", "mu_before", "sigma_before", "mu", "sigma").row(0) == (
        None,
        1500.0,
        350.0,
        1500.0,
        350.0,
    )


@both
def test_history_has_the_values_before_and_after_each_contest(system):
    season = [
        (["ann", "bob"], 0, 1.0),
        ([("ann", "bob", "cat")], 1, 1.0),
        (["bob"], 2, 1.0),
        (["bob", "ann"], 100, 1.0),
    ]
    rows = [
        {"contest": f"{n}", "time": f"2026-01-0{n + 1}", "player": name, "rank": rank}
        for n, (standings, _, _) in enumerate(season)
        for name, rank in zip(*flattened(standings), strict=True)
    ]
    history = podium.rate(podium.Contests.from_records(rows), system).history
    for name in ("ann", "bob"):
        own = history.filter(pl.col("player") == name)
        assert own["mu_before"].to_list() == [1500.0, *own["mu"].to_list()[:-1]]
        assert own["sigma_before"].to_list() == [350.0, *own["sigma"].to_list()[:-1]]


def test_uncertainty_grows_from_50_to_350_in_100_periods():
    system = Glicko(period_days=10)
    ladder = settled(system, {"ann": {"mu": 1500.0, "sigma": 50.0}})
    ladder.record(["ann"], time=0)
    ids = np.array([0])
    for periods, sigma in ((0, 50.0), (1, math.hypot(50.0, 34.6)), (50, 249.7), (101, 350.0)):
        found = system.aged(ladder.beliefs, ids, microseconds(10 * periods + 5))[1]
        assert found == pytest.approx(sigma, abs=0.05)


@both
@given(seasons(), st.sampled_from([0, 3, 29, 30, 31, 500, 100_000]))
@settings(max_examples=30, deadline=None)
def test_sigma_as_of_a_date_is_what_a_contest_then_starts_from(system, season, later):
    if system.period_days == 0.0:
        still = {"drift": 0.0} if system.name == "glicko" else {}
        system = type(system)(**{**system.parameters, "drift_per_day": 3.0, **still})
    ladder = play(season, system)
    day = season[-1][1] + later
    beliefs = ladder.beliefs
    ids = np.arange(len(beliefs))
    mu, sigma = system.aged(beliefs, ids, microseconds(day))
    new_period = system.period_days == 0.0 or (
        microseconds(day) // microseconds(system.period_days) > beliefs.column("period")
    )
    ladder.record([(*beliefs.names, "someone else")], time=day * DAY, future=True)
    rolled = np.broadcast_to(new_period, len(ids))
    assert (beliefs.column("mu_start")[ids] == mu)[rolled].all()
    assert beliefs.column("sigma_start")[ids][rolled] == pytest.approx(sigma[rolled], rel=1e-12)


@both
def test_a_date_before_the_last_contest_changes_nothing(system):
    ladder = play([(["ann", "bob"], 100, 1.0)], system)
    mu, sigma = system.aged(ladder.beliefs, np.array([0, 1]), 0)
    assert mu.tolist() == [ladder["ann"].mu, ladder["bob"].mu]
    assert sigma.tolist() == [ladder["ann"].sigma, ladder["bob"].sigma]


def test_periods_are_counted_from_1970_backwards_too():
    """The days -1 and 0 belong to two periods of a week, 0 and 1 to one."""
    for days, same in (((-1, 0), False), ((0, 1), True), ((6, 7), False), ((-7, -1), True)):
        ladder = podium.Ladder("glicko", period_days=7)
        for day in days:
            ladder.record(["ann", "bob"], time=day * DAY)
        assert (float(ladder.beliefs.column("mu_start")[0]) == 1500.0) is same, days


def test_all_matches_of_a_period_are_judged_by_the_ratings_at_its_start():
    orders = [[("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("ann", "cat")]]
    orders.append(orders[0][::-1])
    found = []
    for matches in orders:
        ladder = podium.Ladder("glicko", period_days=1)
        for winner, loser in matches:
            ladder.record([winner, loser], time=1000)
        found.append([ladder[name].mu for name in ("ann", "bob", "cat")])
    assert found[0] == pytest.approx(found[1], abs=1e-10)


@both
@given(seasons(largest=3), st.data())
@settings(max_examples=40, deadline=None)
def test_a_better_place_in_the_last_contest_never_lowers_the_rating(system, season, data):
    names = ["p0", "p1", "p2", "p3"]
    place = data.draw(st.integers(1, 3))
    better = place - data.draw(st.sampled_from([0.5, 1]))
    others = names[1:]
    found = []
    for where in (place, better):
        ladder = play(season, system)
        at = int(where)
        if where == at:
            standings = [*others[:at], "p0", *others[at:]]
        else:
            standings = [*others[:at], ("p0", others[at]), *others[at + 1 :]]
        ladder.record(standings, time=(season[-1][1] + 31) * DAY)
        found.append(ladder["p0"])
    assert found[1].mu > found[0].mu
    if system.name == "glicko":
        assert found[1].sigma == pytest.approx(found[0].sigma, rel=1e-12)


def test_glicko_can_reward_a_loss_on_purpose():
    """A newcomer who loses to a weak player is far from the strong ones.

    Games against them then tell little, uncertainty stays high, and the upset in the end counts
    more. Same opponents, one half point less, a rating that is higher by more than a
    hundred points.
    """
    opponents = [(670, 30), (2350, 350), (1380, 30), (1670, 30), (1210, 30), (2470, 30)]
    ratings = []
    for first in (0.5, 0.0):
        scores = [first, 0.0, 0.5, 1.0, 1.0, 1.0]
        players = {f"o{n}": {"mu": mu, "sigma": rd} for n, (mu, rd) in enumerate(opponents)}
        ladder = settled(Glicko(sigma_max=math.inf, drift=0.0), {**players})
        for number, score in enumerate(scores):
            other = f"o{number}"
            ladder.record(
                [("ann", other)] if score == 0.5 else ["ann", other] if score else [other, "ann"]
            )
        ratings.append(ladder["ann"].mu)
    assert ratings[1] > ratings[0] + 100.0


def test_pairs_are_predicted_by_glickmans_formula():
    system = Glicko(period_days=1)
    ladder = settled(
        system, {"ann": {"mu": 1400.0, "sigma": 40.0}, "bob": {"mu": 1500.0, "sigma": 150.0}}
    )
    expected = plain.expected(1400.0, 1500.0, math.hypot(40.0, 150.0))
    assert ladder.win_probability("ann", "bob") == pytest.approx(expected, abs=1e-12)


def test_without_periods_a_prediction_knows_the_drift_of_the_contest():
    ladder = settled(
        Glicko(), {"ann": {"mu": 1400.0, "sigma": 40.0}, "bob": {"mu": 1500.0, "sigma": 349.9}}
    )
    rd = math.sqrt(40.0**2 + 34.6**2 + 350.0**2)
    expected = plain.expected(1400.0, 1500.0, rd)
    assert ladder.win_probability("ann", "bob") == pytest.approx(expected, abs=1e-12)


@both
@given(st.lists(st.tuples(st.floats(-8e3, 8e3), st.floats(1.0, 350.0)), min_size=2, max_size=6))
@settings(max_examples=40, deadline=None)
def test_predictions_are_symmetric_and_sum_to_one(system, players):
    beliefs = settled(
        system, {f"p{n}": {"mu": mu, "sigma": rd} for n, (mu, rd) in enumerate(players)}
    ).beliefs
    ids = list(range(len(players)))
    there = system.win_probability(beliefs, 0, 1)
    back = system.win_probability(beliefs, 1, 0)
    assert there + system.draw_probability(beliefs, 0, 1) + back == pytest.approx(1.0, abs=1e-12)
    assert (there > 0.5) == (players[0][0] > players[1][0]) or there == 0.5
    chances = system.rank_probabilities(beliefs, ids, top=1)
    assert chances.first.sum() == pytest.approx(1.0, abs=1e-12)
    assert chances.expected_rank.sum() == pytest.approx(len(ids) * (len(ids) + 1) / 2, abs=1e-6)


def test_the_rating_shown_is_mu_unless_one_is_cautious():
    ladder, careful = podium.Ladder("glicko"), podium.Ladder("glicko", caution=2.0)
    for each in (ladder, careful):
        each.record(["ann", "bob"])
    assert ladder["ann"].rating == ladder["ann"].mu
    assert careful["ann"].rating == ladder["ann"].mu - 2.0 * ladder["ann"].sigma


@pytest.mark.parametrize("kind", [Glicko, Glicko2])
@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"period_days": -1.0}, "period_days must be a number of at least 0, not -1.0"),
        ({"period_days": 1e-9}, "period_days must be 0 or at least 0.000001, not 1e-09"),
        (
            {"period_days": 7, "drift_per_day": 1.0},
            "drift_per_day is for contests without rating periods; with period_days=7, skill "
            "drifts from period to period",
        ),
        ({"contest": "summ"}, "(did you mean 'sum'?)"),
        ({"sigma_new": 0.0}, "sigma_new must be a number of at least 0.001, not 0.0"),
        (
            {"sigma_min": 400.0},
            "sigma_new must lie between sigma_min and sigma_max, not 350 with 400 and 350",
        ),
        (
            {"sigma_max": 100.0},
            "sigma_new must lie between sigma_min and sigma_max, not 350 with 0 and 100",
        ),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(kind, parameters, wanted):
    with pytest.raises(podium.PodiumError) as refused:
        kind(**parameters)
    assert wanted in str(refused.value)
    assert str(refused.value).startswith(f"{kind.name}: ")


@pytest.mark.parametrize("period", [0.0, 1e-6, 1e6])
@pytest.mark.parametrize("sigma_new", [1e-3, 1e4])
@pytest.mark.parametrize("drift", [0.0, 1e4])
@pytest.mark.parametrize("sigma_max", [None, math.inf])
def test_the_limits_of_all_parameters_can_be_rated_with(period, sigma_new, drift, sigma_max):
    system = Glicko(
        period_days=period, sigma_new=sigma_new, drift=drift, sigma_max=sigma_max, mu_new=1e6
    )
    ladder = podium.Ladder(system)
    for day, weight in enumerate((1.0, 1e-4, 1e4, 1.0)):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight, time=day * 1000 * DAY)
        ladder.record(["dan", "cat"], weight=weight, time=day * 1000 * DAY)
        ladder.record(["dan"], time=day * 1000 * DAY)
    found = np.array([[ladder[name].mu, ladder[name].sigma] for name in ladder])
    assert np.isfinite(found).all()
    assert (found[:, 1] > 0.0).all()
