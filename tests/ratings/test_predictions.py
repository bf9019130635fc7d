import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, PodiumError, curve, predict, rate, systems
from podium.numerics import fields
from podium.ratings.predictions import needed_ranks
from podium.systems.base import Field
from tests.strategies import NAMES, contests, match_lists

OF_MANY = [systems.build(name) for name in systems.names() if name != "luck"]
SHORT = [
    systems.EloMMR(),
    systems.EloMMR(rho=0.0, drift_per_day=3.0, noob_delay=(0.6, 0.8)),
    systems.EloMMR(split_ties=True, history=2),
    systems.EloMMR(performance="gaussian"),
    systems.EloMMX(drift_per_day=0.5),
    systems.EloMMX(split_ties=True),
    systems.EloR(),
    systems.EloR(noise="simple", drift_per_day=2.0),
    systems.EloRDraft(),
    systems.EloRDraft(memory=5),
]
"""Systems that find the curve of a player without folding the contest for every rank."""
HISTORY = ["rank", "player", "performance", "mu_before", "sigma_before", "mu", "sigma", "rating"]


def named(system) -> str:
    return str(system)[:60]


def standings(*groups, time=10**7, **columns) -> Contests:
    """One contest, best first; a tuple is a tie."""
    records, rank = [], 1
    for group in groups:
        members = group if isinstance(group, tuple) else (group,)
        for member in members:
            row = {"contest": "now", "time": time, "player": member, "rank": rank}
            records.append({**row, **columns})
        rank += len(members)
    return Contests.from_records(records)


def memory(beliefs) -> tuple:
    used = beliefs.arena[0]
    return beliefs.names, beliefs.table[: len(beliefs)].tobytes(), beliefs.pool[:used].tobytes()


@pytest.fixture(scope="module")
def season() -> Contests:
    return podium.simulate(players=60, rounds=16, participation=0.7, ties=0.3, seed=5)


@pytest.mark.parametrize("system", OF_MANY, ids=named)
@settings(max_examples=15)
@given(whole=contests(max_contests=6))
def test_what_is_predicted_is_what_rating_gives(system, whole):
    rated = rate(whole[:-1], system)
    before = memory(rated.beliefs)
    table = predict(rated.beliefs, whole[-1:]).table
    assert memory(rated.beliefs) == before
    history = rate(whole[-1:], beliefs=rated.beliefs).history
    assert table.select(HISTORY).equals(history.select(HISTORY))
    known = rated.ratings.select("player", now="rating")
    shown = table.join(known, on="player", how="left", maintain_order="left")
    assert (shown["now"].is_null() == shown["newcomer"]).all()
    assert shown.filter(~pl.col("newcomer"))["now"].equals(
        shown.filter(~pl.col("newcomer"))["rating_before"].rename("now")
    )
    change = shown["rating"] - shown["rating_before"]
    assert change.to_list() == shown["change"].to_list()


@settings(max_examples=20)
@given(match_lists(max_matches=6, scores=True))
def test_matches_of_a_game_of_chance_are_predicted(table):
    whole = Contests.from_matches(table)
    rated = rate(whole[:-1], "luck")
    prediction = predict(rated.beliefs, whole[-1:])
    history = rate(whole[-1:], beliefs=rated.beliefs).history
    assert prediction.table.select(HISTORY).equals(history.select(HISTORY))
    assert prediction.table["expected_rank"].sum() == pytest.approx(3.0)


def test_of_all_beliefs_only_those_of_participants_matter(season):
    beliefs = rate(season[:-1]).beliefs
    ids = [beliefs.index[name] for name in season[-1].players if name in beliefs.index]
    part = beliefs.part(np.array(ids))
    assert predict(part, season[-1:]).table.equals(predict(beliefs, season[-1:]).table)


def test_newcomers_have_the_rating_of_newcomers():
    beliefs = rate(standings("ann", "bob", time=0)).beliefs
    table = predict(beliefs, standings("cat", ("ann", "dan"))).table
    assert table["player"].to_list() == ["cat", "ann", "dan"]
    assert table["newcomer"].to_list() == [True, False, True]
    newcomer = beliefs.system.rating(1500.0, 350.0, 0)
    assert table["rating_before"].to_list()[::2] == [newcomer, newcomer]


def test_nobody_needs_to_be_known():
    table = predict(podium.Beliefs(systems.EloMMR()), standings("ann", "bob", "cat")).table
    assert table["newcomer"].all()
    assert table["expected_rank"].to_list() == pytest.approx([2.0, 2.0, 2.0])


def exceeding(family, location, scale, i, j) -> float:
    """The probability that the performance of j is above that of i, by a fine integral."""
    if family == fields.NORMAL:
        pair = np.array([location[j], location[i]]), np.array([scale[j], scale[i]])
        return float(fields.exceeding(family, *pair, fields.NO_TABLE))
    x = location[i] + scale[i] * np.linspace(-45.0, 45.0, 20_001)
    density = 0.25 / np.cosh(0.5 * (x - location[i]) / scale[i]) ** 2 / scale[i]
    above = 0.5 * (1.0 - np.tanh(0.5 * (x - location[j]) / scale[j]))
    return float(np.sum(density * above) * (x[1] - x[0]))


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmx"])
def test_the_expected_rank_sums_the_probabilities_to_be_beaten(season, name):
    beliefs = rate(season[:-1], name).beliefs
    table = predict(beliefs, season[-1:]).table
    ids = [beliefs.index[player] for player in table["player"]]
    mu, sigma = beliefs.system.aged(beliefs, np.array(ids), int(season.columns.time[-1]))
    field = Field(mu, sigma * sigma, np.ones(len(ids), np.int64))
    family, location, scale, _ = beliefs.system.performances(field)
    for i in (0, 7, len(ids) - 1):
        others = (j for j in range(len(ids)) if j != i)
        expected = 1.0 + sum(exceeding(family, location, scale, i, j) for j in others)
        assert table["expected_rank"][i] == pytest.approx(expected, abs=1e-7)
    n = len(ids)
    assert table["expected_rank"].sum() == pytest.approx(n * (n + 1) / 2)


def test_two_are_compared_by_the_systems_own_formula():
    ladder = podium.Ladder("trueskill")
    ladder.record(["ann", "bob"])
    expected = predict(ladder.beliefs, standings("bob", "ann")).table["expected_rank"]
    win, draw = (f("bob", "ann") for f in (ladder.win_probability, ladder.draw_probability))
    assert expected.to_list() == pytest.approx([2.0 - win - 0.5 * draw, 1.0 + win + 0.5 * draw])


def test_the_side_counts_for_two():
    matches = podium.simulate_matches(players=4, matches=60, side_advantage=0.5, seed=1)
    beliefs = rate(matches[:-1], "luck", side_advantage=0.5).beliefs
    ranks = []
    for sides in ((1, -1), (0, 0), (-1, 1)):
        parts = matches[-1:].parts
        columns = parts.columns._replace(side=np.array(sides, np.int8))
        match = Contests(parts._replace(columns=columns))
        ranks.append(predict(beliefs, match).table["expected_rank"][0])
    assert ranks == sorted(set(ranks))


def teams(*groups) -> Contests:
    records = [
        {"contest": "cup", "time": 10**7, "player": name, "team": "/".join(group), "rank": rank}
        for rank, group in enumerate(groups, start=1)
        for name in group
    ]
    return Contests.from_records(records)


@pytest.mark.parametrize("name", ["elo-mmx", "trueskill", "weng-lin"])
def test_teams_have_places_among_teams(name):
    beliefs = rate(standings("ann", "bob", "cat", "dan", "eve", "fay", time=0), name).beliefs
    cup = teams(("ann", "fay"), ("bob",), ("cat", "dan", "eve"))
    table = predict(beliefs, cup).table
    assert table["team"].to_list() == ["ann/fay"] * 2 + ["bob"] + ["cat/dan/eve"] * 3
    expected = dict(zip(table["team"], table["expected_rank"], strict=True))
    assert sum(expected.values()) == pytest.approx(6.0)
    assert table["expected_rank"][0] == table["expected_rank"][1]
    found = curve(beliefs, cup, "dan")
    assert (found.rank, found.participants) == (3, 3)
    assert found.table["rank"].to_list() == [1, 2, 3]
    for rank, places in enumerate(
        (
            (("cat", "dan", "eve"), ("ann", "fay"), ("bob",)),
            (("ann", "fay"), ("cat", "dan", "eve"), ("bob",)),
            (("ann", "fay"), ("bob",), ("cat", "dan", "eve")),
        )
    ):
        folded = predict(beliefs, teams(*places)).table.filter(pl.col("player") == "dan")
        assert found.table["rating"][rank] == folded["rating"].item()


def moved(contest: Contests, player: str, ahead: int) -> Contests:
    """The contest with the player alone behind so many of the others."""
    own, others = pl.col("player") == player, pl.col("rank").rank("min")
    frame = contest.frame().with_columns(rank=others.over(own).cast(pl.Float64))
    placed = frame.with_columns(rank=pl.when(own).then(ahead + 0.5).otherwise("rank"))
    return Contests.from_frame(placed.with_columns(rank=pl.col("rank").rank("min").cast(pl.Int64)))


@pytest.mark.parametrize("system", [*OF_MANY, *SHORT], ids=named)
@settings(max_examples=12)
@given(whole=contests(max_contests=5), data=st.data())
def test_every_rank_gives_what_the_contest_with_that_rank_gives(system, whole, data):
    beliefs = rate(whole[:-1], system).beliefs
    contest = whole[-1:]
    player = data.draw(st.sampled_from(contest[0].players))
    before = memory(beliefs)
    found = curve(beliefs, contest, player)
    assert memory(beliefs) == before
    for rank, rating in found.table.select("rank", "rating").iter_rows():
        folded = predict(beliefs, moved(contest, player, rank - 1)).table
        own = folded.row(by_predicate=pl.col("player") == player, named=True)
        assert own["rank"] == rank
        assert rating == pytest.approx(own["rating"], abs=1e-6)
    now = predict(beliefs, contest).table.row(by_predicate=pl.col("player") == player, named=True)
    assert (found.rank, found.rating) == (now["rank"], now["rating"])
    assert found.rating_before == now["rating_before"]
    assert found.exact


@pytest.mark.parametrize("system", SHORT, ids=named)
def test_the_short_way_holds_in_a_long_season(season, system):
    beliefs = rate(season[:-1], system).beliefs
    contest = season[-1:]
    for player in contest[0].players[::9]:
        found = curve(beliefs, contest, player)
        for rank, rating in found.table.select("rank", "rating").gather_every(7).iter_rows():
            folded = predict(beliefs, moved(contest, player, rank - 1)).table
            own = folded.row(by_predicate=pl.col("player") == player, named=True)
            assert rating == pytest.approx(own["rating"], abs=1e-6)


@pytest.mark.parametrize(
    "system", [system for system in (*OF_MANY, *SHORT) if system.falls_with_rank], ids=named
)
@settings(max_examples=15)
@given(whole=contests(max_contests=5), data=st.data())
def test_a_worse_rank_never_gives_more_where_that_is_said(system, whole, data):
    player = data.draw(st.sampled_from(whole[-1].players))
    ratings = curve(rate(whole[:-1], system).beliefs, whole[-1:], player).table["rating"]
    assert (np.diff(ratings.to_numpy()) <= 1e-6).all()


@pytest.mark.parametrize("system", [*OF_MANY, *SHORT], ids=named)
def test_who_is_alone_at_a_rank_has_there_what_the_contest_gives_to_the_bit(season, system):
    beliefs, contest = rate(season[:-1], system).beliefs, season[-1:]
    table = predict(beliefs, contest).table
    alone = table.filter(pl.col("rank").is_unique()).gather_every(9)
    for player, rank, rating in alone.select("player", "rank", "rating").iter_rows():
        found = curve(beliefs, contest, player).table
        assert found.filter(rank=rank)["rating"].item() == rating


def test_what_is_said_of_systems():
    said = {system.name for system in OF_MANY if system.falls_with_rank}
    same = {"atcoder", "elo-mmr", "elo-mmx", "elo-r", "elo-r-draft", "codeforces", "elo"}
    assert said == {*same, "podium"}
    assert not systems.EloMMR(opponents=4).falls_with_rank


@pytest.mark.parametrize("name", ["elo-mmr", "elo-r", "elo", "codeforces"])
def test_few_ranks_lead_to_the_same_goals_as_all(season, name):
    beliefs = rate(season[:-1], name).beliefs
    contest = season[-1:]
    for player in contest[0].players[::11]:
        whole = curve(beliefs, contest, player)
        goals = [*np.linspace(whole.table["rating"][-1] - 1.0, whole.best + 1.0, 9).tolist()]
        whole = curve(beliefs, contest, player, goals=goals)
        few = curve(beliefs, contest, player, goals=goals, most=5)
        assert (few.keep, few.goals) == (whole.keep, whole.goals)
        assert few.exact
        assert few.table.height < whole.table.height
        ranks = set(few.table["rank"])
        assert {1, whole.table["rank"][-1], whole.rank, few.keep} - {None} <= ranks
        for goal in whole.goals:
            reached = whole.table.filter(pl.col("rating") >= goal.rating - 1e-9)["rank"]
            assert goal.rank == reached.max()


def test_a_system_of_no_promise_says_that_it_did_not_look_everywhere(season):
    beliefs = rate(season[:-1], "glicko2").beliefs
    player = season[-1].players[3]
    assert curve(beliefs, season[-1:], player).exact
    assert not curve(beliefs, season[-1:], player, most=5).exact


def test_ranks_in_the_middle_of_a_tie_are_left_out():
    beliefs = rate(standings("ann", "bob", "cat", "dan", time=0)).beliefs
    contest = standings("ann", ("bob", "cat", "dan"), "eve")
    assert curve(beliefs, contest, "eve").table["rank"].to_list() == [1, 2, 5]
    tied = curve(beliefs, contest, "bob")
    assert tied.table["rank"].to_list() == [1, 2, 4, 5]
    assert tied.rank == 2
    assert tied.rating < tied.table["rating"][1]


def test_one_who_did_not_join_can_be_imagined_to():
    beliefs = rate(standings("ann", "bob", "cat", "dan", time=0)).beliefs
    found = curve(beliefs, standings("ann", "bob", "cat"), "dan")
    assert (found.rank, found.rating, found.participants) == (None, None, 4)
    for rank, rating in found.table.select("rank", "rating").iter_rows():
        names = ["ann", "bob", "cat"]
        names.insert(rank - 1, "dan")
        table = predict(beliefs, standings(*names)).table
        assert rating == pytest.approx(table["rating"][rank - 1], abs=1e-6)


def test_goals_and_the_rank_that_keeps_the_rating():
    beliefs = rate(podium.simulate(players=30, rounds=20, seed=2)).beliefs
    contest = standings(*beliefs.names, time="2027-01-01")
    player = beliefs.names[11]
    found = curve(beliefs, contest, player)
    kept = found.table.filter(pl.col("change") >= -1e-9)["rank"]
    assert found.keep == kept.max()
    middle, best = found.table["rating"][14], found.best
    reached = curve(beliefs, contest, player, goals=[middle, best + 1.0]).goals
    assert reached == ((middle, 15), (best + 1.0, None))


def test_a_rating_that_falls_at_any_rank_is_kept_by_none():
    beliefs = rate(standings("ann", "bob", time=0)).beliefs
    ceiling = standings("ann", "bob", "cat", perf_ceiling=-5000.0)
    assert curve(beliefs, ceiling, "ann").keep is None


def test_a_match_can_be_turned_round():
    matches = podium.simulate_matches(players=4, matches=60, seed=1)
    beliefs = rate(matches[:-1], "luck").beliefs
    _, loser = matches[-1].players
    found = curve(beliefs, matches[-1:], loser)
    assert found.table["rank"].to_list() == [1, 2]
    assert found.best > found.rating_before > found.table["rating"][1]


def test_the_picture_is_a_png(tmp_path, season):
    beliefs = rate(season[:-1]).beliefs
    player = season[-1].players[5]
    curve(beliefs, season[-1:], player, goals=[1500, 9000]).picture(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(PodiumError, match=r"must end in \.png"):
        curve(beliefs, season[-1:], player).picture(tmp_path / "curve.pdf")


def test_what_cannot_be_predicted(season):
    beliefs = rate(season[:-1]).beliefs
    ann = NAMES[0]
    for call, message in (
        (
            lambda: predict(beliefs, season),
            "the standings of one contest are needed, not 16 con",
        ),
        (
            lambda: predict(beliefs, season[:0]),
            "the standings of one contest are needed, not 0 c",
        ),
        (lambda: predict(season, season), "beliefs are needed to predict from, such as Rated.bel"),
        (lambda: predict(beliefs, ["ann"]), "contests are needed, not list; podium.read(path)"),
        (
            lambda: predict(beliefs, season[:1]),
            "contest 'round-01' at 2026-01-01 00:00:00 is ear",
        ),
        (lambda: predict(beliefs, season[-2:-1]), "contest 'round-15' has been rated already"),
        (lambda: curve(beliefs, season[-1:], ann), "player 'ann' is neither in the standings nor"),
        (lambda: curve(beliefs, season[-1:], "player-001"), "player 'player-001' is neither in "),
        (lambda: curve(beliefs, season[-1:], 7), "player 7 is neither in the standings nor rated"),
        (lambda: curve(beliefs, season[-1:], ann, goals="99"), "goals must be a list of ratings"),
        (lambda: curve(beliefs, season[-1:], ann, goals=[True]), "a goal must be a rating, a fin"),
        (lambda: curve(beliefs, season[-1:], ann, goals=[np.nan]), "a goal must be a rating, a f"),
        (lambda: curve(beliefs, season[-1:], ann, most=1), "most must be a whole number of at lea"),
    ):
        with pytest.raises(PodiumError) as refused:
            call()
        assert str(refused.value).startswith(message)


def test_repr_counts(season):
    prediction = predict(rate(season[:-1]).beliefs, season[-1:])
    players = prediction.table.height
    assert repr(prediction) == f"<Prediction of 'round-16' by elo-mmr: {players} players>"
    assert prediction.time == season[-1].time


@pytest.mark.parametrize("system", [*SHORT, systems.Elo(), systems.Podium()], ids=named)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), players=st.sampled_from((3, 4, 9, 25, 60, 200)))
def test_ranks_needed_by_all_at_once_are_those_of_the_curves(system, seed, players):
    season = podium.simulate(players=players, rounds=4, participation=1.0, ties=0.3, seed=seed)
    beliefs = rate(season[:3], system).beliefs
    now = season[3:]
    before = predict(beliefs, now).table
    moves = np.random.default_rng(seed).normal(0.0, 60.0, players)
    goals = before["rating_before"].to_numpy() + moves
    goals[::7] = np.nan
    needed = needed_ranks(beliefs, now, goals)
    knows_a_way = system.name in ("elo-mmr", "elo-r", "elo-r-draft") and system.if_performed(
        beliefs, now.columns
    )
    assert (needed is not None) == bool(knows_a_way)
    if needed is None:
        return
    assert not needed[::7].any()
    for row in range(0, players, max(1, players // 8)):
        if not np.isnan(goals[row]):
            found = curve(beliefs, now, before["player"][row], goals=[goals[row]], most=1000)
            assert needed[row] == (found.goals[0].rank or 0)


def test_ranks_needed_by_teams_are_found_for_one_at_a_time():
    season = podium.simulate(players=12, rounds=3, seed=2)
    rows = [
        {
            "contest": "now",
            "time": "2026-06-01",
            "player": name,
            "rank": 1 + team,
            "team": str(team),
        }
        for name, team in zip(season.players[:6], (0, 0, 1, 1, 2, 2), strict=True)
    ]
    now = Contests.from_records(rows)
    assert needed_ranks(rate(season, "elo-mmx").beliefs, now, np.full(6, 1500.0)) is None
