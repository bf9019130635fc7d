"""The search for reversals, against brute force; and Theorem 5.5, on which Elo-MMR rests."""

import copy
import itertools
import math
from dataclasses import replace

import polars as pl
import pytest
import trueskill
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, PodiumError, systems
from podium.evaluation.attacks import compare, search
from podium.ratings.fold import ready_to_fold
from podium.systems import Elo, EloMMR, EloMMX
from tests.numerics import plain
from tests.strategies import contests as some_contests

EVERY = pytest.mark.parametrize("name", systems.names())


@st.composite
def alterations(draw: st.DrawFn) -> tuple[Contests, Contests, str]:
    """Contests, the same with a worse rank of one player in one of them, and that player."""
    whole = draw(some_contests(max_contests=7, max_players=6))
    able = [number for number, contest in enumerate(whole) if len(set(contest.rank.tolist())) > 1]
    assume(able)
    number = draw(st.sampled_from(able))
    contest = whole[number]
    worst = contest.rank[-1]
    ahead = [name for rank, name in contest.standings if rank < worst]
    player = draw(st.sampled_from(ahead))
    own = {name: rank for rank, name in contest.standings}[player]
    behind = [rank for rank in set(contest.rank.tolist()) if rank > own]
    place = draw(st.sampled_from(behind)) + draw(st.sampled_from([0.0, 0.5]))
    frame = whole.frame().with_columns(
        rank=pl.when((pl.col("contest") == contest.id) & (pl.col("player") == player))
        .then(place)
        .otherwise(pl.col("rank").cast(pl.Float64))
    )
    ranked = frame.with_columns(pl.col("rank").rank("min").over("contest").cast(pl.Int32))
    return whole, Contests.from_frame(ranked, sort=False), player


class PlainElo:
    """Elo of all pairs, their mean, with K = 32."""

    def __init__(self):
        self.players = {}

    def record(self, names, ranks, _time, weight, _ceiling):
        mu = [self.players.setdefault(name, [1500.0])[0] for name in names]
        for name, own, rank in zip(names, mu, ranks, strict=True):
            scores = [
                (1.0 if rank < other else 0.5 if rank == other else 0.0)
                - 1.0 / (1.0 + 10.0 ** ((theirs - own) / 400.0))
                for theirs, other in zip(mu, ranks, strict=True)
            ]
            if len(names) > 1:
                self.players[name] = [own + 32.0 * weight * sum(scores) / (len(names) - 1)]

    def rating(self, name):
        return self.players[name][0]


class PlainEloMMR(plain.EloMMR):
    def rating(self, name):
        return self.players[name].mu - 2.0 * (self.players[name].sigma - 80.0)


def recorded(model, contest):
    ceiling = math.inf if contest.perf_ceiling is None else contest.perf_ceiling
    days = contest.time.timestamp() / 86_400.0
    model.record(contest.players, contest.rank.tolist(), days, contest.weight, ceiling)


def plainly(model, honest, attacked, player):
    """Both ratings at the end, the others' being those of honest play."""
    own = None
    for contest, altered in zip(honest, attacked, strict=True):
        if player in contest.players:
            twin = copy.deepcopy(model)
            if own is not None:
                twin.players[player] = own
            recorded(twin, altered)
            own = twin.players[player]
        recorded(model, contest)
    end = model.rating(player)
    model.players[player] = own
    return end, model.rating(player)


@settings(max_examples=60)
@given(alterations())
def test_fixed_others_by_elo_agree_with_brute_force(alteration):
    assert compare(*alteration, "elo") == pytest.approx(plainly(PlainElo(), *alteration), abs=1e-7)


@settings(max_examples=40)
@given(alterations(), st.sampled_from([0.5, 1.0, math.inf]), st.sampled_from([0.0, 5.0]))
def test_fixed_others_by_elo_mmr_agree_with_brute_force(alteration, rho, drift):
    model = PlainEloMMR(rho=rho, drift_per_day=drift)
    expected = plainly(model, *alteration)
    found = compare(*alteration, "elo-mmr", rho=rho, drift_per_day=drift)
    assert found == pytest.approx(expected, abs=1e-5)


def among_seven(places: list[int]) -> Contests:
    """Contests of the attacker and seven others who always come in in the same order."""
    rows = []
    for day, place in enumerate(places):
        standings = [f"other-{number}" for number in range(1, 8)]
        standings.insert(place - 1, "attacker")
        rows += [
            {"contest": f"day {day}", "time": day * 86_400, "player": name, "rank": rank}
            for rank, name in enumerate(standings, start=1)
        ]
    return Contests.from_records(rows)


def test_by_trueskill_and_its_peer_the_last_place_can_pay_more_than_the_last_but_one():
    """It tells less of a player, whose later victories then count more; there are no ties."""
    honest = among_seven([8, 7, 8, 8, 1, 1, 1, 1])
    attacked = among_seven([8, 8, 8, 8, 1, 1, 1, 1])
    peer = trueskill.TrueSkill(draw_probability=0.0)

    class Peer:
        def __init__(self):
            self.players = {}

        def record(self, names, ranks, *_):
            teams = [(self.players.get(name, peer.create_rating()),) for name in names]
            rated = peer.rate(teams, ranks=ranks, min_delta=1e-9)
            self.players |= {name: team[0] for name, team in zip(names, rated, strict=True)}

        def rating(self, name):
            return self.players[name].mu

    ends = compare(honest, attacked, "attacker", "trueskill", draw_rate=0.0, caution=0.0)
    assert ends[1] > ends[0] + 0.5
    assert ends == pytest.approx(plainly(Peer(), honest, attacked, "attacker"), abs=1e-3)


def of_three(second: list[str]) -> Contests:
    """Six contests of which the second is given; years lie between the later ones."""
    tied = ["attacker other-1 other-2"]
    contests = [
        (0, ["other-2", "attacker"]),
        (0, second),
        (365, ["other-2", "attacker", "other-1"]),
        (730, ["other-1", "attacker"]),
        (1095, tied),
        (1460, tied),
    ]
    rows = []
    for number, (day, standings) in enumerate(contests):
        rank = 1
        for group in standings:
            rows += [
                {"contest": str(number), "time": day * 86_400, "player": name, "rank": rank}
                for name in group.split()
            ]
            rank += len(group.split())
    return Contests.from_records(rows)


def test_by_podium_it_can_pay_to_let_others_be_rated_higher():
    """They are met again, and a tie with them is then worth more; with others fixed it costs."""
    honest = of_three(["attacker other-1", "other-2"])
    attacked = of_three(["other-1", "attacker other-2"])
    ends = compare(honest, attacked, "attacker", "podium", others="react")
    assert ends[1] > ends[0] + 20.0
    ends = compare(honest, attacked, "attacker", "podium", others="fixed")
    assert ends[1] < ends[0] - 1.0


@settings(max_examples=100, deadline=None)
@given(alterations())
def test_by_podium_doing_worse_costs_where_others_are_fixed(alteration):
    """As far as searches tell: it is not proved, and a ceiling can spoil it."""
    contests = [each.frame().with_columns(perf_ceiling=None) for each in alteration[:2]]
    honest, attacked = (Contests.from_frame(each, sort=False) for each in contests)
    ends = compare(honest, attacked, alteration[2], "podium")
    assert ends[1] <= ends[0] + 1e-6


@EVERY
def test_beliefs_that_are_carried_over_go_on_to_the_bit(name):
    """Into beliefs of the same players with another past, and so with blocks of other sizes."""
    whole = podium.simulate_matches(players=5, matches=150, seed=1)
    past = podium.simulate_matches(players=5, matches=60, start="2027-01-01", seed=2)
    past = past.frame().with_columns(contest="past " + pl.col("contest"))
    both = Contests.from_frame(pl.concat([whole.frame(), past]))
    source, columns = ready_to_fold(both, name, None, {})
    target = source.copy()
    system = source.system
    system.update_many(source, columns, first=0, last=100)
    system.update_many(target, columns, first=150)
    for player in range(5):
        system.carry_over(player, source, target)
    target.shared = source.shared.copy()
    for beliefs in (source, target):
        system.update_many(beliefs, columns, first=100, last=150)
    for column in ("mu", "sigma", "contests"):
        assert source.column(column).tobytes() == target.column(column).tobytes()


@EVERY
def test_a_long_career_is_carried_over(name):
    """More contests than a block of the pool has room for; nothing altered changes nothing."""
    whole = podium.simulate_matches(players=3, matches=120, seed=1)
    player = whole[0].players[0]
    frame = whole.frame()
    first = pl.col("contest") == whole.ids[0]
    worse = Contests.from_frame(
        frame.with_columns(rank=pl.when(first).then(3 - pl.col("rank")).otherwise("rank"))
    )
    honest, attacked = compare(whole, worse, player, name)
    assert honest == podium.rate(whole, name).history_of(player)["rating"][-1]
    assert math.isfinite(attacked)
    assert compare(whole, whole, player, name) == (honest, honest)


@EVERY
def test_others_who_react_are_those_of_rating_both(name):
    found = search(name, others="react", histories=20, seed=3)
    ends = [
        podium.rate(results, name).history_of("attacker")["rating"][-1]
        for results in (found.honest, found.attacked)
    ]
    assert [found.honest_rating, found.attacked_rating] == ends
    assert found.gain == ends[1] - ends[0]


@pytest.mark.parametrize(
    "system",
    [EloMMR(), EloMMR(rho=0.3), EloMMR(rho=math.inf), EloMMR(drift_per_day=20.0), EloMMX()],
    ids=str,
)
@settings(max_examples=60)
@given(alterations())
def test_theorem_5_5_a_worse_rank_never_ends_higher(system, alteration):
    honest, attacked = compare(*alteration, system)
    assert attacked <= honest + 1e-9


@pytest.mark.parametrize("name", ["elo-mmr", "elo-mmx", "elo"])
def test_a_search_finds_no_reversal_where_there_is_none(name):
    found = search(name, histories=800)
    assert not found.is_reversal
    assert found.gain <= 1e-9


@pytest.mark.parametrize(
    ("name", "parameters", "least"),
    [
        ("topcoder", {}, 20.0),
        ("glicko", {}, 1.0),
        ("glicko2", {}, 1.0),
        ("trueskill", {}, 0.5),
        ("elo-mmr", {"opponents": 2}, 10.0),
    ],
)
def test_a_search_finds_the_reversals_of(name, parameters, least):
    found = search(name, histories=800, **parameters)
    assert found.is_reversal
    assert found.gain > least
    again = compare(found.honest, found.attacked, found.player, name, **parameters)
    assert again == (found.honest_rating, found.attacked_rating)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "others", "gain"), [("topcoder", "fixed", 87), ("glicko2", "fixed", 9)]
)
def test_the_largest_gains_are_those_that_are_documented(name, others, gain):
    assert round(search(name, others=others).gain) == gain


@pytest.mark.parametrize("others", ["fixed", "react"])
def test_a_history_differs_in_one_rank_that_is_worse(others):
    for seed in range(5):
        found = search("topcoder", others=others, histories=60, seed=seed)
        differing = []
        for honest, attacked in zip(found.honest, found.attacked, strict=True):
            assert honest.time == attacked.time
            if honest.standings != attacked.standings:
                differing.append(honest.id)
                before, after = (
                    {name: rank for rank, name in contest.standings}
                    for contest in (honest, attacked)
                )
                own = before.pop("attacker"), after.pop("attacker")
                assert own[0] <= own[1]
                assert before.keys() == after.keys()
                for one, other in itertools.combinations(before, 2):
                    assert (before[one] < before[other]) == (after[one] < after[other])
                    assert (before[one] == before[other]) == (after[one] == after[other])
        assert differing == [found.contest]
        assert found.table["contest"].to_list() == found.honest.ids.to_list()
        assert 2 <= len(found.honest.players) <= 8
        assert 1 <= len(found.honest) <= 12
        for results in (found.honest, found.attacked):
            assert Contests.from_frame(results.frame(), future=True) == results


def test_a_rounding_error_is_no_reversal():
    found = search("elo", histories=1)
    gains = {-1.0: False, 0.0: False, 9e-7: False, 1.1e-6: True, 1.0: True}
    for gain, is_reversal in gains.items():
        assert replace(found, gain=gain).is_reversal is is_reversal


def test_the_same_seed_finds_the_same():
    one, two = (search("glicko2", histories=200, seed=5) for _ in range(2))
    assert (one.gain, one.contest) == (two.gain, two.contest)
    assert one.table.equals(two.table)
    assert not search("glicko2", histories=200, seed=6).table.equals(one.table)


def test_the_smallest_histories_can_be_searched():
    found = search("elo", histories=30, players=2, contests=1)
    assert len(found.honest) == 1
    assert found.tried == 30


def test_an_interrupted_search_returns_what_it_has_found():
    def interrupt(done, _total):
        if done == 40:
            raise KeyboardInterrupt

    found = search("topcoder", histories=10_000, progress=interrupt)
    assert found.interrupted
    assert found.tried == 40
    assert found.gain == search("topcoder", histories=40).gain


def test_an_interrupt_before_anything_was_found_goes_on(monkeypatch):
    fold, calls = Elo.update_many, []

    def interrupt_once(*args, **options):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        fold(*args, **options)

    monkeypatch.setattr(Elo, "update_many", interrupt_once)
    with pytest.raises(KeyboardInterrupt):
        search("elo")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"others": "reakt"}, "others must be fixed or react, not 'reakt' (did you mean 'react'?)"),
        ({"others": None}, "others must be fixed or react, not None."),
        ({"histories": 0}, "histories must be a whole number of at least 1, not 0."),
        ({"players": 1}, "players must be a whole number of at least 2, not 1."),
        ({"contests": 0.5}, "contests must be a whole number of at least 1, not 0.5."),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1."),
        ({"kk": 1.0}, "elo has no parameter 'kk'"),
    ],
    ids=str,
)
def test_what_cannot_be_searched_is_refused(arguments, sentence):
    with pytest.raises(PodiumError) as refused:
        search("elo", **arguments)
    assert sentence in str(refused.value)


def test_results_of_different_contests_are_not_compared():
    one, other = (podium.simulate(players=4, rounds=3, seed=seed) for seed in (1, 2))
    assert compare(one, other, "player-0001", "elo")[0] != 1500.0
    with pytest.raises(PodiumError, match="must be of the same contests"):
        compare(one, other[:2], "player-0001", "elo")
    with pytest.raises(PodiumError, match="must be of the same contests"):
        compare(one, podium.simulate(players=5, rounds=3), "player-0001", "elo")
    with pytest.raises(PodiumError, match="there is no player 'player-001'"):
        compare(one, other, "player-001", "elo")
    with pytest.raises(PodiumError, match="there is no player 7"):
        compare(one, other, 7, "elo")
