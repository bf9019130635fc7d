"""Resets and starting ratings, in one run, in pieces, resumed, and contest by contest."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium import InputError, Ladder, Season, Starts, systems
from podium.errors import ConflictError
from podium.ratings.adjustments import ALWAYS, Adjustments

DAY = 86_400
SYSTEMS = sorted(systems.names())


def season_of(seed: int = 1, players: int = 12, rounds: int = 8):
    return podium.simulate(players=players, rounds=rounds, participation=0.5, seed=seed)


def matches_of(seed: int = 1):
    return podium.simulate_matches(players=8, matches=40, seed=seed)


def results(name: str, seed: int = 1):
    return matches_of(seed) if systems.by_name(name).most_players else season_of(seed)


def adjustments_for(contests):
    """A reset at a contest's very moment, one between, starts before all and within."""
    times = contests.columns.time
    moment = int(times[len(times) // 2])
    later = int(times[3 * len(times) // 4])
    names = contests.players.to_list()
    return [
        Season("two", _as_time(moment), pull=0.5),
        Season("a", _as_time(later - 1), pull=0.25, toward=1200.0, sigma=300.0),
        Season("only a division", _as_time(later)),
        Starts({names[0]: 1900.0, names[1]: (1100.0, 80.0), "never there": (1700.0, 50.0)}),
        Starts({names[2]: (1650.0, 90.0), names[0]: 1550.0}, _as_time(later)),
        Season("after all", _as_time(int(times[-1]) + 1), pull=0.1),
    ]


def _as_time(moment: int):
    return np.datetime64(moment, "us").item()


def state_of(beliefs):
    """All that is believed, by name, as bytes."""
    order = np.array(sorted(range(len(beliefs)), key=beliefs.names.__getitem__))
    packed = beliefs.packed(order)
    return sorted(beliefs.names), [each.tobytes() for each in packed]


def by_ladder(contests, system, adjustments):
    """Everything eagerly, one after the other, in order of time."""
    ladder = Ladder(system)
    dated = []
    for each in adjustments:
        if isinstance(each, Season):
            dated.append((each.moment, 0, each.name, each))
        else:
            frame = each.frame()
            for moment, rows in frame.with_columns(key=each.time).group_by("key"):
                given = {
                    name: rating if sigma is None else (rating, sigma)
                    for name, rating, sigma in rows.select("player", "rating", "sigma").rows()
                }
                always = moment[0] == ALWAYS
                starts = Starts(given) if always else Starts(given, _as_time(moment[0]))
                dated.append((moment[0], 1, "", starts))
    dated.sort(key=lambda each: each[:3])
    turns = [
        (moment, [each[3] for each in these])
        for moment, these in itertools.groupby(dated, key=lambda each: each[0])
    ]
    # what happens at the moment of a contest comes first
    for number in range(len(contests)):
        time = int(contests.columns.time[number])
        while turns and turns[0][0] <= time:
            ladder.adjust(*turns.pop(0)[1])
        ladder.record(_standings(contests, number), time=_as_time(time))
    for _, these in turns:
        ladder.adjust(*these)
    return ladder


def _standings(contests, number):
    rows = slice(*contests.columns.offsets[number : number + 2].tolist())
    names = contests.players.gather(contests.columns.player[rows]).to_list()
    ranks = contests.columns.rank[rows].tolist()
    groups: dict[int, list[str]] = {}
    for name, rank in zip(names, ranks, strict=True):
        groups.setdefault(rank, []).append(name)
    return [each[0] if len(each) == 1 else tuple(each) for each in groups.values()]


def spread_out(contests):
    """The same with one contest at a time, since a ladder takes two of a moment as they come."""
    times = contests.columns.time
    assert (np.diff(times) > 1).all()
    return contests


@pytest.mark.parametrize("name", SYSTEMS)
def test_one_run_is_what_a_ladder_makes_of_everything_in_turn(name):
    contests = spread_out(results(name))
    given = adjustments_for(contests)
    rated = podium.rate(contests, name, adjustments=given)
    ladder = by_ladder(contests, name, given)
    assert state_of(rated.beliefs) == state_of(ladder.beliefs)
    assert rated.ratings.sort("player").equals(ladder.ratings.sort("player"))


@pytest.mark.parametrize("name", SYSTEMS)
def test_pieces_and_resumption_change_no_bit(name):
    contests = spread_out(results(name))
    given = adjustments_for(contests)
    whole = podium.rate(contests, name, adjustments=given)
    pieces = [contests[first : first + 3] for first in range(0, len(contests), 3)]
    in_pieces = podium.rate(iter(pieces), name, adjustments=given)
    assert state_of(in_pieces.beliefs) == state_of(whole.beliefs)
    assert in_pieces.history.equals(whole.history)
    half = len(contests) // 2  # where a reset takes place at the moment of the contest
    cut = int(contests.columns.time[half])
    first = podium.rate(contests[:half], name, adjustments=_before(given, cut))
    second = podium.rate(contests[half:], beliefs=first.beliefs, adjustments=_from(given, cut))
    assert state_of(second.beliefs) == state_of(whole.beliefs)


def _before(given, cut):
    return [
        each
        for each in given
        if (each.moment if isinstance(each, Season) else int(each.time[0])) < cut
    ]


def _from(given, cut):
    earlier = _before(given, cut)
    return [each for each in given if each not in earlier]


def test_the_order_of_adjustments_is_that_of_time():
    contests = season_of()
    given = adjustments_for(contests)
    one = podium.rate(contests, adjustments=given)
    other = podium.rate(contests, adjustments=given[::-1])
    assert state_of(one.beliefs) == state_of(other.beliefs)


def test_a_season_without_a_pull_changes_nothing():
    contests = season_of()
    middle = _as_time(int(contests.columns.time[4]))
    plain = podium.rate(contests)
    divided = podium.rate(contests, adjustments=[Season("two", middle)])
    assert state_of(divided.beliefs) == state_of(plain.beliefs)


def test_a_reset_is_before_contests_of_its_moment_and_after_earlier_ones():
    ladder = Ladder("elo")
    rows = [
        {"contest": contest, "time": time, "player": player, "rank": rank}
        for contest, time in (("1", 0), ("2", DAY))
        for player, rank in (("ann", 1), ("bob", 2))
    ]
    contests = podium.Contests.from_records(rows)
    at_the_second = Season("s", "1970-01-02", pull=1.0, toward=1500)
    rated = podium.rate(contests, "elo", adjustments=[at_the_second])
    ladder.record(["ann", "bob"], time="1970-01-02")
    assert rated["ann"].rating == ladder["ann"].rating
    before = rated.history.filter(contest="2", player="ann")["mu_before"].item()
    assert before == 1500.0


def test_who_only_starts_has_a_rating_and_no_contest():
    rated = podium.rate(season_of(), "elo-mmr", adjustments=[Starts({"zoe": (1800, 40)})])
    zoe = rated["zoe"]
    assert (zoe.mu, zoe.sigma, zoe.contests, zoe.last_time) == (1800.0, 40.0, 0, None)
    ladder = Ladder("elo-mmr")
    ladder.adjust(Starts({"zoe": (1800, 40)}))
    assert ladder.ratings["player"].to_list() == ["zoe"]
    ladder.adjust(Season("s", "2026-01-01", pull=0.5, toward=1600))
    assert ladder["zoe"].mu == 1700.0


def test_saved_ladders_go_on_as_if_never_saved(tmp_path):
    one = Ladder("elo-mmr")
    one.adjust(Starts({"ann": (1800, 40), "bob": 1500}))
    one.record(["ann", "bob"], time="2026-01-01")
    one.save(tmp_path / "ladder.npz")
    other = Ladder.load(tmp_path / "ladder.npz")
    for ladder in (one, other):
        ladder.adjust(Season("s", "2026-02-01", pull=0.5))
        ladder.record(["bob", "ann", "cat"], time="2026-02-01")
    assert state_of(one.beliefs) == state_of(other.beliefs)


def test_a_ladder_without_times_is_adjusted_at_once():
    ladder = Ladder("elo")
    ladder.record(["ann", "bob"])
    ladder.adjust(Season("s", "1960-01-01", pull=1.0, toward=1000))
    assert ladder["ann"].rating == 1000.0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Season("", "2026-01-01"), "name of a season"),
        (lambda: Season("x", "soon"), "not a time"),
        (lambda: Season("x", "2026-01-01", pull=1.5), "pull must be a number from 0 to 1"),
        (lambda: Season("x", "2026-01-01", pull=True), "pull must be"),
        (lambda: Season("x", "2026-01-01", pull=0.5, sigma=0), "sigma must be"),
        (lambda: Season("x", "2026-01-01", pull=0.5, toward=float("nan")), "toward must be"),
        (lambda: Season("x", "2026-01-01", toward=1500), "pull is needed"),
        (lambda: Season("x", "2226-01-01"), "2226"),
        (lambda: Starts({}), "by player"),
        (lambda: Starts({"ann": "high"}), "'ann' must be a number"),
        (lambda: Starts({"ann": (1500, -1)}), "cannot start"),
        (lambda: Starts({"ann": 1e9}), "cannot start"),
        (lambda: Starts({"ann": 1500, " ann": 1400}), "two starting ratings"),
        (lambda: Starts({" ": 1500}), "is empty"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_tables_of_starts_are_read_by_their_columns():
    import polars as pl

    table = pl.DataFrame({"player": ["b", "a"], "mu": ["1500", "1600"], "sigma": ["", "70"]})
    found = Starts.from_frame(table, "2026-01-01").frame()
    assert found["player"].to_list() == ["a", "b"]
    assert found["sigma"].to_list() == [70.0, None]
    for wrong, said in (
        ({"player": ["a"]}, "no 'rating'"),
        ({"player": ["a"], "rating": ["x"]}, "must be a number, not 'x'"),
        ({"player": ["a"], "rating": [None]}, "must be a number"),
        ({"player": [], "rating": []}, "no starting rating"),
    ):
        with pytest.raises(InputError, match=said):
            Starts.from_frame(pl.DataFrame(wrong))


def test_what_comes_too_late_is_refused():
    ladder = Ladder("elo")
    ladder.record(["ann", "bob"], time="2026-01-02")
    with pytest.raises(ConflictError, match="has played already"):
        ladder.adjust(Starts({"ann": 1500}))
    with pytest.raises(InputError, match="not later than"):
        ladder.adjust(Season("s", "2026-01-02", pull=0.5))
    with pytest.raises(InputError, match="not later than"):
        ladder.adjust(Starts({"ann": 1500}, "2026-01-01"))
    with pytest.raises(InputError, match=r"podium\.Season and podium\.Starts"):
        ladder.adjust("season")  # type: ignore[arg-type]
    ladder.adjust(Season("s", "2026-02-01", pull=0.5))
    with pytest.raises(InputError, match="cannot follow"):
        ladder.record(["ann", "bob"], time="2026-01-15")


@given(st.data())
def test_who_is_brought_when_changes_nothing(data):
    """Lazily before each contest, or everybody at every adjustment: the same bits."""
    seed = data.draw(st.integers(0, 30))
    name = data.draw(st.sampled_from(["elo-mmr", "glicko2", "elo", "podium", "atcoder"]))
    contests = season_of(seed, players=7, rounds=7)
    times = contests.columns.time
    names = contests.players.to_list()
    moments = st.sampled_from([*times.tolist(), *(times + 1).tolist(), int(times[0]) - 5])
    pulls = st.floats(0.0, 1.0)
    given = [Season(f"s{k}", _as_time(data.draw(moments)), pull=data.draw(pulls)) for k in range(3)]
    for _ in range(2):
        players = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
        ratings = {each: (data.draw(st.floats(1000, 2000)), 100.0) for each in players}
        given.append(Starts(ratings, _as_time(data.draw(moments))))
    if (given[3].time[0] == given[4].time[0]) and {*given[3].players} & {*given[4].players}:
        given.pop()
    rated = podium.rate(contests, name, adjustments=given)
    ladder = by_ladder(contests, name, given)
    assert state_of(rated.beliefs) == state_of(ladder.beliefs)


def test_cuts_are_where_something_is_due():
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0)
    seasons = [Season("a", "1970-01-02", pull=0.5), Season("b", "1970-01-04")]
    found = Adjustments.of(seasons, *nothing)
    day = DAY * 1_000_000
    assert found.cuts(np.array([0, day - 1, day, 3 * day])) == [2]
    assert found.cuts(np.array([2 * day])) == []
