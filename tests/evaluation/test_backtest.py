"""What was believed before every contest, against ladders that are asked before they record."""

import itertools
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, Ladder
from podium.evaluation import backtest as module
from podium.evaluation.backtest import Backtest, backtest
from podium.evaluation.matches import predictions
from podium.ratings import fold as rating
from podium.systems import Elo
from podium.systems.base import Field
from tests.comparing import assert_same_beliefs
from tests.strategies import contests

SYSTEMS = [
    ("elo-mmr", {}),
    ("elo-mmr", {"drift_per_day": 20.0}),
    ("elo-mmx", {}),
    ("trueskill", {"drift_per_day": 0.5, "draw_rate": 0.3}),
    ("weng-lin", {"model": "plackett-luce", "contest": "sum"}),
    ("glicko", {"period_days": 20.0}),
    ("elo", {"k": 60.0}),
]


def all_pairs(before):
    """The pairs of a backtest in one piece."""
    pieces = list(before.pairs())
    return [np.concatenate(column) for column in zip(*pieces, strict=True)]


def asked_before(whole, name, parameters):
    """Of every pair of every contest: its score and what a ladder expects, before it records."""
    ladder = Ladder(name, **parameters)
    for contest in whole:
        standings = contest.standings
        unknown = [name for _, name in standings if name not in ladder.beliefs.index]
        ladder.beliefs.enrol(unknown)
        for (rank_a, a), (rank_b, b) in itertools.combinations(standings, 2):
            win = ladder.win_probability(a, b, at=contest.time)
            draw = ladder.draw_probability(a, b, at=contest.time)
            yield 0.5 if rank_a == rank_b else 1.0, win + 0.5 * draw
        groups = itertools.groupby(standings, key=lambda row: row[0])
        tied = [tuple(player for _, player in group) for _, group in groups]
        ladder.record(tied, time=contest.time)


@pytest.mark.parametrize(("name", "parameters"), SYSTEMS)
def test_pairs_are_predicted_from_what_was_believed_before_the_contest(name, parameters):
    played = podium.simulate(players=7, rounds=8, participation=0.7, ties=0.3, seed=4)
    before = backtest(played, name, **parameters)
    contest, score, expected = all_pairs(before)
    assert (
        contest.tolist()
        == np.repeat(np.arange(8), [n * (n - 1) // 2 for n in played.sizes]).tolist()
    )
    wanted = np.array(list(asked_before(played, name, parameters)))
    assert score.tolist() == wanted[:, 0].tolist()
    assert expected == pytest.approx(wanted[:, 1], abs=1e-12)


@pytest.mark.parametrize(("name", "parameters"), [*SYSTEMS, ("luck", {"points": 241})])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_backtest_ends_where_rating_ends(name, parameters, threads):
    if name == "luck":
        played = podium.simulate_matches(8, 60, seed=3)
    else:
        played = podium.simulate(players=12, rounds=15, ties=0.2, seed=3)
    rated = podium.rate(played, name, **parameters)
    before = backtest(played, name, threads=threads, **parameters)
    assert_same_beliefs(before.beliefs, rated.beliefs)
    assert before.beliefs.latest == rated.beliefs.latest
    assert before.rating.tolist() == rated.history["mu_before"].to_list()
    assert before.cpu_seconds >= 0.0


def test_the_time_of_rating_is_measured_and_that_of_loading_kernels_is_not(monkeypatch):
    """The first contest and the largest are rated before the clock is looked at."""
    played = podium.simulate(players=12, rounds=9, participation=0.6, seed=3)
    happened = []
    fold, moments = Elo.update_many, iter([10.0, 13.5])

    def update_many(self, beliefs, columns, *args, first=0, last=None, **options):
        fold(self, beliefs, columns, *args, first=first, last=last, **options)
        stop = len(columns.time) if last is None else last
        happened.append(np.diff(columns.offsets)[first:stop].tolist())

    def process_time():
        happened.append("clock")
        return next(moments)

    monkeypatch.setattr(Elo, "update_many", update_many)
    monkeypatch.setattr(module.time, "process_time", process_time)
    assert backtest(played, "elo").cpu_seconds == 3.5
    start, end = (index for index, each in enumerate(happened) if each == "clock")
    loaded = [[int(size)] for size in (played.sizes[0], played.sizes.max())]
    assert sorted(happened[:start]) == sorted(loaded)
    assert list(itertools.chain(*happened[start + 1 : end])) == played.sizes.tolist()


def test_threads_and_steps_change_nothing_in_large_contests(monkeypatch):
    played = podium.simulate(players=5000, rounds=3, ties=0.2, seed=1)
    one, three = (backtest(played, "elo-mmr", threads=threads) for threads in (1, 3))
    monkeypatch.setattr(rating, "_ROWS_PER_STEP", 4)
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", 4)
    stepwise = backtest(played, "elo-mmr", threads=3)
    for other in (three, stepwise):
        assert np.array_equal(one.rating, other.rating)
        assert_same_beliefs(one.beliefs, other.beliefs)
        for ours, theirs in zip(all_pairs(one), all_pairs(other), strict=True):
            assert np.array_equal(ours, theirs)


@given(contests(), st.integers(0, 4), st.integers(0, 6))
@settings(max_examples=40)
def test_those_with_enough_contests_before_are_left_the_first_contests_aside(whole, least, skip):
    before = backtest(whole, "elo")
    counts: dict[int, int] = {}
    earlier, kept = [], []
    for number, contest in enumerate(whole):
        for row, player in enumerate(contest.player.tolist()):
            earlier.append(counts.get(player, 0))
            counts[player] = earlier[-1] + 1
            if earlier[-1] >= least and number >= skip:
                kept.append((number, player, contest.rank[row], earlier[-1]))
    assert before.earlier.tolist() == earlier
    some = before.experienced(least, min(skip, len(whole)))
    number = np.repeat(np.arange(len(whole)), np.diff(some.columns.offsets))
    found = zip(number, some.columns.player, some.columns.rank, some.earlier, strict=True)
    assert list(found) == kept
    assert len(some.columns.offsets) == len(whole) + 1
    assert len(some.rating) == len(kept)


@given(contests(), st.integers(1, 9))
@settings(max_examples=25)
def test_the_highest_rated_of_a_contest_keep_their_order(whole, k):
    before = backtest(whole, "elo")
    top = before.highest_rated(k)
    for contest, (start, end) in enumerate(pairwise(top.columns.offsets.tolist())):
        rows = slice(*before.columns.offsets[contest : contest + 2])
        everybody = sorted(before.rating[rows].tolist(), reverse=True)
        chosen = top.rating[start:end]
        assert len(chosen) == (k if len(everybody) > k else 0)
        assert sorted(chosen.tolist(), reverse=True) == everybody[: len(chosen)]
        assert (np.diff(top.columns.rank[start:end]) >= 0).all()


def of_newcomers(ranks, order):
    """A contest of three, then one of newcomers with these ranks, written down in this order."""
    names = [f"player {number:03}" for number in range(len(ranks))]
    rows = [("first", 0, f"veteran {number}", number + 1) for number in range(3)]
    rows += [("second", 1, names[number], int(ranks[number])) for number in order]
    schema = ["contest", "time", "player", "rank"]
    return Contests.from_frame(pl.DataFrame(rows, schema=schema, orient="row"))


@pytest.mark.parametrize("n", [10, 100])
def test_how_newcomers_fared_does_not_say_who_of_them_is_looked_at(n):
    rng = np.random.default_rng(n)
    seen = []
    for _ in range(2):
        played = of_newcomers(rng.permutation(n) + 1, rng.permutation(n))
        before = backtest(played, "elo")
        offsets, players = before.columns.offsets, before.columns.player
        a, b = module.kernel.pairs(offsets, players, 1, 2, module.kernel.pair_counts(offsets)[1])
        top, _ = module.kernel.highest_rated(offsets, players, before.rating, 4)
        name = played.players.gather(played.columns.player)
        pairs = {frozenset(pair) for pair in zip(name[a], name[b], strict=True)}
        seen.append((pairs, set(name[top])))
    assert seen[0] == seen[1]


def test_scores_expected_of_newcomers_are_a_half_and_nobody_is_a_favourite():
    played = podium.simulate_matches(400, 150, seed=3)
    for name, parameters in (("luck", {}), ("elo", {}), ("trueskill", {"drift_per_day": 1.0})):
        table = predictions(played, name, **parameters)
        first = backtest(played, name, **parameters)
        both_new = (first.earlier.reshape(-1, 2) == 0).all(axis=1)
        assert both_new.sum() > 50
        assert table["expected"].to_numpy()[both_new] == pytest.approx(0.5, abs=1e-12)
        assert (table["right"].to_numpy()[both_new] == 0.5).all(), name


def team_season(days=12):
    """Contests of teams of one to three of nine players, in two of three with a tie."""
    rng = np.random.default_rng(5)
    rows = []
    for day in range(days):
        players = rng.permutation([f"p{number}" for number in range(9)]).tolist()
        cut = sorted(rng.choice(np.arange(1, 8), 3, replace=False).tolist())
        teams = [players[i:j] for i, j in pairwise([0, *cut, 8 if day % 4 else 9])]
        for place, team in zip([1, 2, 2, 4] if day % 3 else [1, 2, 3, 4], teams, strict=True):
            label = f"team of {team[0]}" if day % 5 else None if len(team) == 1 else team[0]
            rows += [(f"day {day:02}", day * 86_400, player, label, place) for player in team]
    schema = ["contest", "time", "player", "team", "rank"]
    return Contests.from_frame(pl.DataFrame(rows, schema=schema, orient="row"), rerank=True)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("trueskill", {"draw_rate": 0.2}),
        ("trueskill", {"drift_per_day": 3.0}),
        ("weng-lin", {}),
        ("weng-lin", {"model": "thurstone-mosteller-full", "draw_margin": 2.0}),
        ("elo-mmx", {"team": "mean"}),
        ("elo-mmx", {"team": "sum", "drift_per_day": 20.0}),
    ],
)
def test_teams_are_competitors_with_the_sum_of_their_members(name, parameters):
    played = team_season()
    before = backtest(played, name, **parameters)
    system, ladder = podium.system(name, **parameters), Ladder(name, **parameters)
    scored, expected, ratings, earlier, ranks, sizes = [], [], [], [], [], []
    for number, contest in enumerate(played):
        rows = played.columns.team[slice(*played.columns.offsets[number : number + 2])]
        ladder.beliefs.enrol([p for p in contest.players if p not in ladder.beliefs.index])
        teams: dict[int, list[str]] = {}
        place = {}
        for row, (rank, player) in enumerate(contest.standings):
            key = rows[row] if rows[row] >= 0 else -2 - row
            teams.setdefault(int(key), []).append(player)
            place[int(key)] = rank
        sizes.append(len(teams))
        for key, members in teams.items():
            ids = [ladder.beliefs.index[member] for member in members]
            when = int(played.columns.time[number])
            field = system.field(ladder.beliefs, [ids], when)
            ratings.append(system.performances(field).location[0])
            earlier.append(min(int(ladder.beliefs.table["contests"][i]) for i in ids))
            ranks.append(place[key])
        for one, other in itertools.combinations(teams, 2):
            pair = teams[one], teams[other]
            win, draw = (
                ask(*pair, at=contest.time)
                for ask in (ladder.win_probability, ladder.draw_probability)
            )
            expected.append(win + 0.5 * draw)
            scored.append(0.5 if place[one] == place[other] else float(place[one] < place[other]))
        entries = [
            tuple(teams[key] for key in group)
            for _, group in itertools.groupby(teams, key=lambda key: place[key])
        ]
        ladder.record(entries, time=contest.time)
    assert np.diff(before.columns.offsets).tolist() == sizes
    assert before.columns.rank.tolist() == ranks
    assert before.rating == pytest.approx(np.array(ratings))
    assert before.earlier.tolist() == earlier
    _, score, predicted = all_pairs(before)
    assert score.tolist() == scored
    assert predicted == pytest.approx(np.array(expected), abs=1e-12)
    if name != "trueskill":  # whose ties depend on the order of names
        assert before.beliefs.column("mu") == pytest.approx(
            np.array([ladder[player].mu for player in before.beliefs.names])
        )


def test_two_of_one_team_are_one_competitor_without_a_pair():
    records = [
        {"contest": "1", "time": 0, "player": "ann", "rank": 1, "team": "red"},
        {"contest": "1", "time": 0, "player": "bob", "rank": 1, "team": "red"},
        {"contest": "2", "time": 1, "player": "ann", "rank": 1, "team": "red"},
        {"contest": "2", "time": 1, "player": "cat", "rank": 2, "team": "blue"},
    ]
    before = backtest(Contests.from_records(records), "trueskill")
    assert before.columns.offsets.tolist() == [0, 1, 3]
    assert all_pairs(before)[0].tolist() == [1]


def test_teams_that_only_name_who_belongs_together_are_no_competitors():
    """As in Formula 1: two of a team tie in the first race, which alone looks like one of teams."""
    rows = [
        {"contest": str(race), "time": race, "player": player, "team": player[0], "rank": rank}
        for race, ranks in enumerate([(1, 1, 3, 3), (1, 2, 3, 4), (2, 1, 4, 3), (4, 3, 2, 1)])
        for player, rank in zip(("a1", "a2", "b1", "b2"), ranks, strict=True)
    ]
    races = Contests.from_records(rows)
    before = backtest(races, "elo")
    assert np.diff(before.columns.offsets).tolist() == [4] * 4
    assert_same_beliefs(before.beliefs, podium.rate(races, "elo").beliefs)
    assert before.experienced(1).columns.team is None


def test_the_side_counts_as_it_does_in_the_rating():
    table = pl.DataFrame(
        {
            "time": [0, 1, 2],
            "player_a": ["ann", "ann", "ann"],
            "player_b": ["bob"] * 3,
            "outcome": [1.0, 0.0, 0.5],
            "side": ["home", "away", "neutral"],
        }
    )
    matches = Contests.from_matches(table)
    before = backtest(matches, "elo", k=0, side_advantage=100)
    home = 1.0 / (1.0 + 10.0**-0.25)
    assert all_pairs(before)[1].tolist() == [1.0, 1.0, 0.5]
    assert all_pairs(before)[2] == pytest.approx(np.array([home, home, 0.5]))


def test_among_many_the_side_is_worth_half_against_one_of_neither():
    rows = [("c", 0, "ann", 1, "home"), ("c", 0, "bob", 2, None), ("c", 0, "cat", 3, "away")]
    schema = ["contest", "time", "player", "rank", "side"]
    contest = Contests.from_frame(pl.DataFrame(rows, schema=schema, orient="row"))
    parameters = {"k": 32.0, "contest": "sum", "side_advantage": 100.0}
    _, _, expected = all_pairs(backtest(contest, "elo", **parameters))
    half, whole = (1.0 / (1.0 + 10.0 ** (-points / 400)) for points in (50.0, 100.0))
    assert expected == pytest.approx(np.array([half, whole, half]))
    rated = podium.rate(contest, "elo", **parameters).ratings.sort("player")["mu"]
    gained = 32.0 * ((1.0 - expected[0]) + (1.0 - expected[1]))
    assert rated[0] == pytest.approx(1500.0 + gained)


@pytest.mark.parametrize(
    "parameters", [{}, {"drift_per_day": 0.002}, {"side_advantage": 0.4, "algorithm": "fft"}]
)
def test_matches_of_luck_are_predicted_from_whole_beliefs(parameters):
    matches = podium.simulate_matches(12, 150, draws=0.3, side_advantage=0.4, seed=8)
    given_ = np.full(len(matches), np.nan)
    given_[5:9] = [0.75, 0.9, 0.5, 1.0]
    columns = matches.columns._replace(score=given_)
    matches = Contests(matches.parts._replace(columns=columns))
    table = predictions(matches, "luck", points=241, **parameters)
    before = backtest(matches, "luck", points=241, **parameters)
    contest, score, expected = all_pairs(before)
    assert contest.tolist() == list(range(150))
    assert score.tolist() == table["score"].to_list()
    assert score[5:9].tolist() == [0.75, 0.9, 0.5, 1.0]
    assert expected.tolist() == table["expected"].to_list()
    known = before.experienced(5, 30)
    contest, score, expected = all_pairs(known)
    assert score.tolist() == table["score"].to_numpy()[contest].tolist()
    assert expected.tolist() == table["expected"].to_numpy()[contest].tolist()
    both = (before.earlier.reshape(-1, 2) >= 5).all(axis=1) & (np.arange(150) >= 30)
    assert contest.tolist() == np.flatnonzero(both).tolist()


def test_a_field_can_be_looked_at_in_part():
    field = Field(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]), np.array([1, 2, 3]))
    part = field.among(np.array([2, 0, 2]))
    assert [column.tolist() for column in part] == [[3.0, 1.0, 3.0], [6.0, 4.0, 6.0], [3, 1, 3]]


@pytest.mark.parametrize("name", ["elo-mmr", "trueskill", "weng-lin", "luck"])
def test_nothing_is_believed_before_nothing(name):
    nothing = team_season()[:0] if name != "luck" else podium.simulate_matches(4, 6)[:0]
    if name == "elo-mmr":
        nothing = nothing.without_teams()
    before = backtest(nothing, name)
    assert isinstance(before, Backtest)
    assert len(before.rating) == 0
    assert list(before.pairs()) == []
    assert len(before.experienced(3, 0).highest_rated(5).rating) == 0


@pytest.mark.parametrize("name", ["elo", "luck"])
def test_progress_ends_with_the_last_row(name, monkeypatch):
    monkeypatch.setattr(rating, "_ROWS_PER_STEP", 50)
    matches = podium.simulate_matches(10, 100, seed=1)
    seen = []
    backtest(matches, name, progress=lambda done, rows: seen.append((done, rows)))
    assert seen[-1] == (200, 200)
    assert seen == sorted(seen)


def test_what_cannot_be_rated_has_no_backtest():
    with pytest.raises(podium.PodiumError, match="contests are needed, not list"):
        backtest([])
    with pytest.raises(podium.PodiumError, match=r"elo-mmx.*rate teams"):
        backtest(team_season(), "elo")
    with pytest.raises(podium.PodiumError, match="threads must be a whole number"):
        backtest(podium.simulate(players=4, rounds=2), threads=0)
