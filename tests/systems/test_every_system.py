"""What holds for every rating system, whatever its model: tools never special-case one."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, Ladder, systems
from podium.numerics import fields
from podium.ratings import fold as rating
from podium.results.columns import Columns
from podium.systems.base import EVENTS, Field
from tests.comparing import assert_same_beliefs
from tests.strategies import contests, match_lists

EVERY = pytest.mark.parametrize("name", systems.names())
OF_ANY_SIZE = pytest.mark.parametrize("name", systems.of_any_size())
IN_ANY_ORDER = {"trueskill": {"draw_rate": 0.0}}
"""TrueSkill compares those who tie in pairs, in some order, unless a tie means equality."""
WITH_TEAMS = pytest.mark.parametrize("name", systems.with_teams())
MODELS_OF_PAIRS = [
    *((name, {}) for name in systems.of_any_size()),
    *(("elo", {"curve": curve, "side_advantage": 60.0}) for curve in ("logistic", "normal")),
    ("elo", {"curve": "fide", "cap": 400.0, "side_advantage": -35.0}),
    ("elo-mmr", {"performance": "gaussian"}),
    ("elo-mmx", {"team": "mean"}),
    ("glicko", {"period_days": 30.0}),
    ("trueskill", {"draw_rate": 0.0}),
    ("trueskill", {"draw_rate": 0.6}),
    *(
        ("weng-lin", {"model": model, "contest": contest, "draw_margin": 2.0})
        for model in (
            "bradley-terry-full",
            "bradley-terry-part",
            "thurstone-mosteller-full",
            "thurstone-mosteller-part",
            "plackett-luce",
        )
        for contest in ("mean", "sum")
    ),
]
"""Systems whose formulas for pairs differ."""
IN_TIME = [
    *((name, {}) for name in systems.of_any_size()),
    *(
        (name, {"drift_per_day": 4.0})
        for name in systems.of_any_size()
        if "drift_per_day" in systems.build(name).parameters
    ),
    *((name, {"period_days": days}) for name in ("glicko", "glicko2") for days in (0.5, 2.0)),
]
"""Systems with what lets time change a belief."""


def big_contest(ranks: np.ndarray, name: str = "big") -> Contests:
    """One contest of players called by their numbers."""
    return Contests.from_frame(
        pl.DataFrame(
            {
                "contest": name,
                "time": 86_400,
                "player": [f"p{number:06}" for number in range(len(ranks))],
                "rank": ranks,
            }
        )
    )


def results(name: str, **limits: int) -> st.SearchStrategy[Contests]:
    """Contests, of two where a system knows no others."""
    if name in systems.of_any_size():
        return contests(**limits)
    return match_lists(scores=True).map(Contests.from_matches)


def season(name: str, players: int, rounds: int, seed: int) -> Contests:
    """A simulated season of contests, or of as many participations in matches."""
    if name in systems.of_any_size():
        return podium.simulate(players=players, rounds=rounds, seed=seed)
    return podium.simulate_matches(players=players, matches=players * rounds // 2, seed=seed)


def drifting(name: str) -> dict[str, float]:
    """Parameters by which uncertainty grows with absence, if it can."""
    if "drift_per_day" not in systems.build(name).parameters:
        return {}
    return {"drift_per_day": 1e-5 if name == "luck" else 4.0}


def numbers(beliefs) -> np.ndarray:
    return np.stack([beliefs.column("mu"), np.nan_to_num(beliefs.column("sigma"))])


@EVERY
@settings(max_examples=15)
@given(st.data(), st.integers(0, 5))
def test_batches_and_ladders_give_the_same_to_the_bit(name, data, cut):
    whole = data.draw(results(name))
    at_once = podium.rate(whole, name)
    first = podium.rate(whole[:cut], name, history=False)
    both = podium.rate(whole[cut:], beliefs=first.beliefs, history=False)
    assert_same_beliefs(both.beliefs, at_once.beliefs)
    ladder = Ladder(name)
    side, score = whole.columns.side, whole.columns.score
    for number, contest in enumerate(whole):
        groups = itertools.groupby(contest.standings, key=lambda row: row[0])
        first = whole.columns.offsets[number]
        home = None if side is None else {1: 0, -1: 1}.get(int(side[first]))
        scored = score is not None and not math.isnan(score[number])
        ladder.record(
            [tuple(player for _, player in group) for _, group in groups],
            time=contest.time,
            weight=contest.weight,
            perf_ceiling=contest.perf_ceiling,
            home=None if home is None else contest.players[home],
            score=float(score[number]) if scored else None,
        )
    assert_same_beliefs(ladder.beliefs, at_once.beliefs)


@EVERY
@settings(max_examples=10)
@given(match_lists())
def test_matches_are_contests_of_two(name, table):
    rated = podium.rate(Contests.from_matches(table), name)
    assert np.isfinite(numbers(rated.beliefs)).all()
    assert rated.history.height == 2 * table.height


@OF_ANY_SIZE
@pytest.mark.parametrize("size", [3000, 5000])
def test_the_number_of_threads_changes_nothing(name, size):
    rng = np.random.default_rng(7)
    places = np.sort(rng.integers(1, 2 * size, size))
    ranks = np.searchsorted(places, places) + 1
    contest = big_contest(ranks)
    again = big_contest(rng.permutation(ranks), "again")
    season = Contests.concat([contest, again])
    one, three = (podium.rate(season, name, threads=threads) for threads in (1, 3))
    assert_same_beliefs(one.beliefs, three.beliefs)
    assert one.history.equals(three.history)


@EVERY
@settings(max_examples=10)
@given(st.data(), st.randoms())
def test_names_do_not_matter(name, data, random):
    whole = data.draw(results(name))
    others = [f"x{number}" for number in range(len(whole.players))]
    random.shuffle(others)
    renaming = dict(zip(whole.players.to_list(), others, strict=True))
    frame = whole.frame().with_columns(pl.col("player").replace_strict(renaming))
    system = systems.build(name, **IN_ANY_ORDER.get(name, {}))
    renamed = Ladder.from_beliefs(podium.rate(Contests.from_frame(frame), system).beliefs)
    original = Ladder.from_beliefs(podium.rate(whole, system).beliefs)
    for player, other in renaming.items():
        assert original[player].mu == pytest.approx(renamed[other].mu, rel=1e-9, abs=1e-7)
        assert original[player].sigma == pytest.approx(renamed[other].sigma, nan_ok=True, rel=1e-9)


@OF_ANY_SIZE
@pytest.mark.parametrize("ranks", ["individual", "all tied"])
@pytest.mark.slow
def test_twenty_thousand_players_are_rated(name, ranks):
    size = 20_000
    places = np.arange(1, size + 1) if ranks == "individual" else np.ones(size, np.int64)
    rng = np.random.default_rng(1)
    season = Contests.concat(
        [big_contest(places, "first"), big_contest(rng.permutation(places), "second")]
    )
    beliefs = podium.rate(season, name).beliefs
    mu, sigma = numbers(beliefs)
    newcomer = systems.build(name).newcomer()["mu"]
    assert np.isfinite(mu).all()
    assert np.isfinite(sigma).all()
    assert (sigma >= 0.0).all()
    if ranks == "all tied":
        assert np.ptp(mu) == pytest.approx(0.0, abs=1e-6 * abs(newcomer))
    else:
        first = podium.rate(season[:1], name).beliefs.column("mu")
        assert (np.diff(first) <= 1e-9 * abs(newcomer)).all()
        assert first[0] > newcomer > first[-1]


@OF_ANY_SIZE
@pytest.mark.parametrize("upset", [False, True])
def test_gaps_of_ten_thousand_points_are_survived(name, upset):
    system = systems.build(name)
    ladder = Ladder(system)
    players = [f"p{number}" for number in range(8)]
    ladder.record(players)
    beliefs = ladder.beliefs
    spread = 10_000.0 * max(1.0, abs(system.newcomer()["mu"])) / 1500.0
    for number in range(8):
        shift = spread * (number % 4) - beliefs.table["mu"][number]
        for column in system.table_fields:
            if column[0].startswith(("mu", "p0")):
                beliefs.table[column[0]][number] += shift
    order = sorted(players, key=lambda player: ladder[player].mu, reverse=not upset)
    ladder.record(order)
    ladder.record([order[-1], order[0]])
    ladder.record([("newcomer", order[0])])
    assert np.isfinite(numbers(beliefs)).all()
    field = [*order, "newcomer"]
    chances = ladder.rank_probabilities(field)
    assert np.isfinite(chances.drop("player").to_numpy()).all()
    assert chances["first"].sum() == pytest.approx(1.0)
    assert 0.0 <= ladder.quality(field) <= 1.0


@EVERY
@settings(max_examples=10)
@given(st.data(), st.integers(1, 4))
def test_predictions_are_symmetric_and_sum_to_one(name, data, top):
    whole = data.draw(results(name, max_contests=8))
    ladder = Ladder.from_beliefs(podium.rate(whole, name).beliefs)
    for a, b in itertools.combinations(ladder, 2):
        win, loss = ladder.win_probability(a, b), ladder.win_probability(b, a)
        draw = ladder.draw_probability(a, b)
        assert min(win, draw, loss) >= 0.0
        assert win + draw + loss == pytest.approx(1.0, abs=1e-12)
        assert draw == pytest.approx(ladder.draw_probability(b, a), abs=1e-14)
        if ladder[a].mu > ladder[b].mu + 1e-6 and name != "luck":  # which knows more than means
            assert win >= loss
    field = list(ladder)[: ladder.system.most_players]
    chances = ladder.rank_probabilities(field, top=top)
    n = len(field)
    assert chances["first"].sum() == pytest.approx(1.0, abs=1e-9)
    assert chances["top"].sum() == pytest.approx(min(top, n), abs=1e-6)
    assert chances["expected_rank"].sum() == pytest.approx(n * (n + 1) / 2, rel=1e-6)
    assert 0.0 <= ladder.quality(field) <= 1.0


@EVERY
def test_a_field_of_two_is_the_pair(name):
    ladder = Ladder(name)
    for _ in range(5):
        for pair in (["ann", "bob"], ["bob", "cat"], ["ann", "cat"]):
            ladder.record(pair)
    pair = ladder.rank_probabilities(["ann", "cat"])
    half = 0.5 * ladder.draw_probability("ann", "cat")
    assert pair["first"][0] == pytest.approx(ladder.win_probability("ann", "cat") + half)
    assert pair["expected_rank"].to_list() == pytest.approx(2.0 - pair["first"])
    assert ladder.quality(["ann", "bob"]) > ladder.quality(["ann", "cat"])


@OF_ANY_SIZE
def test_uncertainty_alone_makes_nobody_better(name):
    ladder = Ladder(name)
    ladder.record([("ann", "bob", "cat")])
    table = ladder.beliefs.table
    table["mu"][:3] = table["mu"][0]
    table["sigma"][1] *= 3.0
    chances = ladder.rank_probabilities(["ann", "bob", "cat"])
    assert chances["expected_rank"].to_list() == pytest.approx([2.0] * 3, abs=1e-6)
    assert ladder.win_probability("bob", "cat") == pytest.approx(
        ladder.win_probability("cat", "bob")
    )


@OF_ANY_SIZE
def test_predictions_survive_certainties_of_every_size(name):
    ladder = Ladder(name)
    ladder.record(["ann", "bob", "cat", "dan"])
    ladder.beliefs.table["sigma"][:4] *= [1e-9, 1.0, 1e-4, 100.0]
    chances = ladder.rank_probabilities(["ann", "bob", "cat", "dan"])
    assert np.isfinite(chances.drop("player").to_numpy()).all()
    assert chances["first"].sum() == pytest.approx(1.0)
    assert chances["expected_rank"].sum() == pytest.approx(10.0, rel=1e-3)
    assert ladder.quality(["ann", "bob", "cat", "dan"]) >= 0.0


@EVERY
def test_one_player_alone_learns_nothing(name):
    ladder = Ladder(name)
    ladder.record(["ann", "bob"], time=0)
    before = ladder["ann"]
    ladder.record(["ann"], time=0)
    assert ladder["ann"].mu == before.mu
    assert ladder["ann"].contests == 2
    alone = Contests.from_records([{"contest": 1, "time": 0, "player": "ann", "rank": 1}])
    single = podium.rate(alone, name)
    assert single.history["performance"].null_count() == 1
    assert single.history["mu"].item() == systems.build(name).newcomer()["mu"]


@EVERY
def test_winning_raises_and_losing_lowers(name):
    ladder = Ladder(name)
    ladder.record(["ann", "bob"])
    start = systems.build(name).newcomer()["mu"]
    assert ladder["ann"].mu > start > ladder["bob"].mu
    assert ladder["ann"].rating > ladder["bob"].rating


@EVERY
def test_a_heavier_contest_counts_more(name):
    mu = []
    for weight in (0.01, 1.0, 50.0):
        ladder = Ladder(name)
        ladder.record(["ann", "bob"], weight=weight)
        mu.append(ladder["ann"].mu)
    assert mu[0] < mu[1] < mu[2]


@EVERY
def test_uncertainty_as_of_a_date_never_shrinks_and_reaches_the_leaderboard(name):
    drift = drifting(name)
    ladder = Ladder(name, **drift)
    ladder.record(["ann", "bob"], time="2026-01-01")
    ladder.record(["cat", "bob"], time="2026-03-01")
    now, later = ladder.ratings, ladder.leaderboard(None, at="2027-03-01")
    for player in ladder:
        one, other = (
            table.row(by_predicate=pl.col("player") == player, named=True) for table in (now, later)
        )
        assert other["mu"] == pytest.approx(one["mu"], rel=1e-9)
        if one["sigma"] is None:
            assert other["sigma"] is None
        elif drift:
            assert other["sigma"] > one["sigma"]
        else:
            assert other["sigma"] >= one["sigma"]


@EVERY
def test_a_later_meeting_is_predicted_with_the_uncertainty_of_then(name):
    drift = drifting(name)
    ladder = Ladder(name, **drift)
    pair = ["ann", "bob"]
    for _ in range(10):
        ladder.record(pair, time="2026-01-01")
    rising = name != "trueskill"  # whose quality falls with uncertainty
    for ask in (
        lambda time: ladder.win_probability("ann", "bob", at=time),
        lambda time: ladder.rank_probabilities(pair, at=time)["first"][0],
        lambda time: -ladder.quality(pair, at=time) if rising else ladder.quality(pair, at=time),
    ):
        now, same, late = (ask(time) for time in (None, "2026-01-01", "2036-01-01"))
        assert same == now
        assert late < now if drift else late == now


def test_draws_become_rarer_with_uncertainty():
    ladder = Ladder("trueskill", drift_per_day=1.0)
    ladder.record(["ann", "bob"], time="2026-01-01")
    late = ladder.draw_probability("ann", "bob", at="2036-01-01")
    assert 0.0 < late < ladder.draw_probability("ann", "bob")


def test_the_time_before_a_players_last_contest_changes_nothing():
    ladder = Ladder("trueskill", drift_per_day=1.0)
    ladder.record(["ann", "bob"], time="2026-01-01")
    ladder.record(["cat", "dan"], time="2026-06-01")
    ladder.beliefs.table["last_time"][0] += 10**15
    aged = ladder.system.aged(ladder.beliefs, slice(0, 4), ladder.beliefs.time)
    assert aged[1][0] == ladder["ann"].sigma
    assert aged[1][1] > ladder["bob"].sigma


@EVERY
def test_beliefs_are_saved_and_loaded_exactly(name, tmp_path):
    played = season(name, players=20, rounds=6, seed=3)
    rated = podium.rate(played[:3], name)
    rated.write(tmp_path / "ratings")
    again = podium.Rated.read(tmp_path / "ratings")
    assert again.ratings.equals(rated.ratings)
    assert again.history.equals(rated.history)
    on = podium.rate(played[3:], beliefs=again.beliefs)
    assert_same_beliefs(on.beliefs, podium.rate(played, name).beliefs)


@EVERY
def test_a_long_season_finds_out_who_is_good(name):
    played = season(name, players=60, rounds=60, seed=11)
    rated = podium.rate(played, name)
    truth = rated.history.select("player").with_columns(skill=pl.Series(played.skills))
    both = rated.ratings.join(truth.unique("player", keep="last"), on="player")
    assert both.select(pl.corr("mu", "skill", method="spearman")).item() > 0.8


@EVERY
def test_every_system_says_what_it_is_for(name):
    kind = systems.by_name(name)
    first = (kind.__doc__ or "").partition("\n")[0]
    assert 20 < len(first) < 100
    assert first.endswith(".")
    module = __import__(kind.__module__, fromlist=["x"])
    assert "Reference" in (module.__doc__ or "")
    assert ">>>" in (module.__doc__ or "")


@WITH_TEAMS
def test_the_order_of_names_and_teams_does_not_matter(name):
    options = IN_ANY_ORDER.get(name, {})
    one, other = Ladder(name, **options), Ladder(name, **options)
    one.record([["ann", "bob"], (["cat", "dan"], ["eve", "fay"]), ["gus", "hal"]])
    other.record([["bob", "ann"], (["fay", "eve"], ["dan", "cat"]), ["gus", "hal"]])
    for player in one:
        assert one[player].mu == pytest.approx(other[player].mu, rel=1e-12)
    assert one["ann"].mu == one["bob"].mu > one["cat"].mu == pytest.approx(one["eve"].mu)
    assert one["cat"].mu > one["gus"].mu


@WITH_TEAMS
def test_a_team_of_one_is_a_player(name):
    one, other = Ladder(name), Ladder(name)
    one.record([["ann"], (["bob"], "cat"), ["dan"]], shares={"ann": 1.0})
    other.record(["ann", ("bob", "cat"), "dan"])
    assert_same_beliefs(one.beliefs, other.beliefs)


@WITH_TEAMS
def test_teams_from_tables_and_ladders_agree_to_the_bit(name):
    rng = np.random.default_rng(5)
    rows, ladder = [], Ladder(name)
    for day in range(12):
        players = rng.permutation([f"p{number}" for number in range(9)]).tolist()
        teams = [players[:2], players[2:5], players[5:6], players[6:9]]
        share = {player: float(rng.choice([0.25, 1.0])) for player in players}
        places = [1, 2, 2, 4] if day % 2 else [1, 2, 3, 4]
        for place, team in zip(places, teams, strict=True):
            for player in team:
                rows.append((f"day {day}", day, player, f"t{place}{team[0]}", place, share[player]))
        entries = [teams[0], (teams[1], teams[2]), teams[3]] if day % 2 else teams
        ladder.record(entries, time=day, shares=share)
    table = pl.DataFrame(
        rows, schema=["contest", "time", "player", "team", "rank", "share"], orient="row"
    )
    for cut in (0, 5, 12):
        first = podium.rate(Contests.from_frame(table)[:cut], name)
        both = podium.rate(Contests.from_frame(table)[cut:], beliefs=first.beliefs)
        assert_same_beliefs(both.beliefs, ladder.beliefs)


@WITH_TEAMS
def test_two_who_play_all_the_time_are_as_without_shares(name):
    one, other = Ladder(name), Ladder(name)
    for _ in range(20):
        one.record([["ann"], ["bob"]], shares={"ann": 1.0, "bob": 1.0})
        other.record(["ann", "bob"])
    assert_same_beliefs(one.beliefs, other.beliefs)


@WITH_TEAMS
def test_steps_of_a_run_do_not_matter_for_teams(name, monkeypatch):
    rows = []
    for day in range(9):
        teams = [["a", "b"], ["c"]] if day % 3 else [["a"], ["b"], ["c"]]
        for place, team in enumerate(teams[:: -1 if day % 2 else 1], 1):
            for player in team:
                share = 0.5 if day % 3 == 1 and player == "a" else 1.0
                rows.append((f"{day}", day, player, "".join(team), place, share))
    table = pl.DataFrame(
        rows, schema=["contest", "time", "player", "team", "rank", "share"], orient="row"
    )
    season = Contests.from_frame(table)
    whole = podium.rate(season, name)
    monkeypatch.setattr(rating, "_ROWS_PER_STEP", 4)
    assert podium.rate(season, name).history.equals(whole.history)


@WITH_TEAMS
def test_who_plays_less_counts_less(name):
    ladder = Ladder(name)
    ladder.record([["ann", "bob"], ["cat", "dan"]], shares={"bob": 0.1})
    start = systems.build(name).newcomer()["mu"]
    assert ladder["ann"].mu - start > ladder["bob"].mu - start > 0.0


@WITH_TEAMS
def test_thousands_of_teams_are_rated(name):
    size = 6000
    frame = pl.DataFrame(
        {
            "contest": "league",
            "time": 0,
            "player": [f"p{number}" for number in range(size)],
            "team": [f"t{number // 3}" for number in range(size)],
            "rank": [1 + number // 3 for number in range(size)],
        }
    )
    mu = podium.rate(Contests.from_frame(frame), name).ratings
    assert np.isfinite(mu["mu"].to_numpy()).all()
    assert mu["player"][0] in {"p0", "p1", "p2"}


@pytest.mark.parametrize(
    "name", [n for n in systems.of_any_size() if n not in systems.with_teams()]
)
def test_systems_of_players_refuse_contests_of_teams_and_name_others(name):
    frame = pl.DataFrame(
        {
            "contest": "cup",
            "time": 0,
            "player": ["ann", "bob", "cat", "dan"],
            "team": ["red", "red", "blue", "blue"],
            "rank": [1, 1, 2, 2],
        }
    )
    teams = Contests.from_frame(frame)
    with pytest.raises(podium.PodiumError, match=r"elo-mmx.*rate teams"):
        podium.rate(teams, name)
    assert podium.rate(teams.without_teams(), name).ratings.height == 4


@EVERY
def test_an_empty_range_of_contests_changes_nothing(name):
    beliefs = podium.rate(season(name, players=5, rounds=2, seed=1), name).beliefs
    before = beliefs.copy()
    nothing = Columns(
        offsets=np.zeros(1, np.int64),
        player=np.zeros(0, np.int32),
        rank=np.zeros(0, np.int32),
        time=np.zeros(0, np.int64),
        weight=np.zeros(0),
        perf_ceiling=np.zeros(0),
    )
    beliefs.system.update_many(beliefs, nothing)
    assert_same_beliefs(beliefs, before)
    assert math.isfinite(beliefs.table["mu"][0])


FIELDS = st.integers(1, 6).flatmap(
    lambda pairs: st.lists(
        st.tuples(
            st.floats(-3.0, 3.0) | st.just(0.0),
            st.floats(1e-3, 1.0),
            st.integers(1, 4),
        ),
        min_size=2 * pairs,
        max_size=2 * pairs,
    )
)


def assert_pair_by_pair(system, competitors, sides):
    """What `expected_scores` says of all pairs is what `chances` says of each."""
    unit = system.newcomer().get("sigma", 350.0)
    unit = 350.0 if math.isnan(unit) else unit
    mu, sigma, size = (np.array(column) for column in zip(*competitors, strict=True))
    size = size if system.takes_teams else np.ones_like(size)
    centre = system.newcomer()["mu"] * size
    field = Field(centre + unit * mu, (unit * sigma) ** 2 * size, size)
    first, second = (field.among(np.arange(start, len(mu), 2)) for start in (0, 1))
    found = system.expected_scores(first, second, np.array(sides, float))
    for pair, side in enumerate(sides):
        win, draw = system.chances(field.among(np.array([2 * pair, 2 * pair + 1])), side)
        assert found[pair] == pytest.approx(win + 0.5 * draw, abs=1e-12)
    assert ((found >= 0.0) & (found <= 1.0)).all()
    back = system.expected_scores(second, first, -np.array(sides, float))
    assert found + back == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("name", "parameters"), MODELS_OF_PAIRS)
@settings(max_examples=25)
@given(FIELDS, st.data())
def test_many_pairs_are_predicted_as_each_of_them(name, parameters, competitors, data):
    count = len(competitors) // 2
    sides = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=count, max_size=count))
    assert_pair_by_pair(systems.build(name, **parameters), competitors, sides)


def test_pairs_of_a_model_of_ones_own_are_predicted_as_each_of_them():
    half_pi = math.pi / 2

    def draw(z):
        return -half_pi * math.tanh(half_pi * z)

    def victory(z):
        return half_pi / (2 * math.cosh(half_pi * z) * math.atan(math.exp(half_pi * z)))

    def loss(z):
        return -half_pi / (2 * math.cosh(half_pi * z) * math.atan(math.exp(-half_pi * z)))

    sech = systems.PerformanceModel("sech of pairs", loss, draw, victory)
    rng = np.random.default_rng(2)
    competitors = [(rng.normal(), rng.uniform(0.1, 1.0), 1) for _ in range(20)]
    assert_pair_by_pair(systems.EloMMR(performance=sech), competitors, [0] * 10)


@given(st.floats(-50.0, 50.0), st.floats(0.1, 10.0), st.floats(0.0, 20.0))
def test_a_draw_within_the_margin_counts_half(lead, deviation, margin):
    found = fields.exceeding_by_margin(*(np.array([x]) for x in (lead, deviation, margin)))[0]
    above = 0.5 * math.erfc((margin - lead) / deviation / math.sqrt(2.0))
    below = 0.5 * math.erfc((margin + lead) / deviation / math.sqrt(2.0))
    assert found == pytest.approx(above + 0.5 * (1.0 - above - below), abs=1e-12)


def enrolled(contests, system):
    """Fresh beliefs that know all players, columns in terms of their ids, and room for events."""
    beliefs = podium.Beliefs(system)
    ids = beliefs.enrol(contests.players.to_list())
    columns = contests.columns._replace(player=ids[contests.columns.player])
    return beliefs, columns, np.full((len(EVENTS), contests.rows), np.nan)


@pytest.mark.parametrize(("name", "parameters"), IN_TIME)
@settings(max_examples=15)
@given(st.data(), st.integers(0, 5))
def test_beliefs_before_are_those_of_the_day_newcomers_having_missed_nothing(
    name, parameters, data, cut
):
    whole = data.draw(contests())
    system = systems.build(name, **parameters)
    ladder, mu, sigma = Ladder(system), [], []
    for contest, when in zip(whole, whole.columns.time.tolist(), strict=True):
        known = ladder.beliefs.index
        for player in contest.players:
            if player in known:
                one, other = system.aged(ladder.beliefs, np.array([known[player]]), when)
                mu.append(one[0])
                sigma.append(other[0])
            else:
                mu.append(system.newcomer()["mu"])
                sigma.append(system.newcomer()["sigma"])
        groups = itertools.groupby(contest.standings, key=lambda row: row[0])
        ladder.record(
            [tuple(player for _, player in group) for _, group in groups],
            time=contest.time,
            weight=contest.weight,
            perf_ceiling=contest.perf_ceiling,
        )
    beliefs, columns, events = enrolled(whole, system)
    last = min(cut, len(whole))
    parts = [
        system.beliefs_before(beliefs, columns, events, first=0, last=last),
        system.beliefs_before(beliefs, columns, events, first=last),
    ]
    found = np.hstack([np.stack(part) for part in parts])
    assert found == pytest.approx(np.array([mu, sigma]), nan_ok=True, rel=1e-14)


@pytest.mark.parametrize(("name", "parameters"), IN_TIME)
def test_asking_for_beliefs_before_rates_as_ever(name, parameters):
    played = podium.simulate(players=15, rounds=12, seed=5)
    system = systems.build(name, **parameters)
    beliefs, columns, events = enrolled(played, system)
    mu, _ = system.beliefs_before(beliefs, columns, events)
    rated = podium.rate(played, system)
    history = rated.history.select(EVENTS).to_numpy().T
    assert np.array_equal(np.nan_to_num(events), np.nan_to_num(history.astype(float)))
    assert np.array_equal(mu, events[1])
    of_rated = dict(zip(rated.beliefs.names, numbers(rated.beliefs).T.tolist(), strict=True))
    assert dict(zip(beliefs.names, numbers(beliefs).T.tolist(), strict=True)) == of_rated


def test_who_has_never_played_has_not_been_absent():
    for name in ("trueskill", "elo-mmr", "elo-mmx", "elo-r", "weng-lin", "glicko"):
        ladder = Ladder(name, drift_per_day=4.0)
        ladder.record(["ann", "bob"], time="2026-01-01")
        ladder.beliefs.enrol(["cat"])
        _, sigma = ladder.system.aged(ladder.beliefs, slice(0, 3), ladder.beliefs.time)
        assert sigma[2] == ladder.system.newcomer()["sigma"]


@pytest.mark.parametrize("passing", [{"drift_per_day": 4.0}, {"period_days": 1.0, "drift": 30.0}])
def test_who_has_never_played_has_not_been_absent_below_the_ceiling_of_glicko(passing):
    ladder = Ladder("glicko", sigma_new=100.0, sigma_max=350.0, **passing)
    ladder.record(["ann", "bob"], time="2026-01-01")
    ladder.beliefs.enrol(["cat"])
    later = ladder.beliefs.time + 30 * 86_400_000_000
    _, sigma = ladder.system.aged(ladder.beliefs, slice(0, 3), later)
    assert sigma[2] == 100.0
    assert (sigma[:2] > ladder.beliefs.column("sigma")[:2]).all()


def test_a_backtest_expects_nothing_of_contests_that_are_not_of_two():
    played = podium.simulate(players=4, rounds=6, participation=0.6, seed=2)
    assert set(played.sizes.tolist()) == {2, 3, 4}
    system = systems.build("elo")
    beliefs, columns, events = enrolled(played, system)
    expected = system.backtest(beliefs, columns, events)
    assert np.isnan(expected).tolist() == (played.sizes != 2).tolist()
