"""What all players share goes with their beliefs wherever these go."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium import Beliefs, Contests, Ladder, StorageError, rate, rate_ladders, simulate, systems
from podium.ratings.explanations import explain
from podium.ratings.predictions import predict
from tests.comparing import assert_same_beliefs
from tests.strategies import contests
from tests.tides import Tides

SEASON = simulate(players=12, rounds=20, participation=0.6, seed=2)


def alone(whole: Contests) -> Beliefs:
    """Beliefs after every contest has been folded by itself, on those before it."""
    beliefs = Beliefs(Tides())
    for number in range(len(whole)):
        beliefs = rate(whole[number : number + 1], beliefs=beliefs).beliefs
    return beliefs


def test_contests_change_what_is_shared():
    beliefs = rate(SEASON, Tides()).beliefs
    assert beliefs.shared[2] == len(SEASON)
    assert (beliefs.shared != Tides().new_shared()).all()
    assert (Beliefs(Tides(pace=7.0)).shared == [7.0, 0.0, 0.0]).all()
    sharing = {name for name in systems.names() if len(Beliefs(systems.build(name)).shared)}
    assert sharing == {"podium"}


@settings(max_examples=25)
@given(contests(max_contests=8), st.integers(0, 8))
def test_however_contests_are_folded_they_share_the_same(tmp_path_factory, whole, cut):
    folder = tmp_path_factory.mktemp("shared")
    at_once = rate(whole, Tides())
    assert_same_beliefs(alone(whole), at_once.beliefs)
    assert_same_beliefs(rate(whole, Tides(), threads=1).beliefs, at_once.beliefs)
    half = rate(whole[:cut], Tides()).beliefs
    half.save(folder / "half.npz")
    resumed = rate(whole[cut:], Tides(), beliefs=Beliefs.load(folder / "half.npz", Tides()))
    assert_same_beliefs(resumed.beliefs, at_once.beliefs)
    assert resumed.history.equals(at_once.history[whole[:cut].rows :])
    at_once.beliefs.save(folder / "at once.npz")
    resumed.beliefs.save(folder / "resumed.npz")
    assert (folder / "resumed.npz").read_bytes() == (folder / "at once.npz").read_bytes()


@settings(max_examples=15)
@given(contests(max_contests=6))
def test_a_ladder_shares_what_a_run_does(whole):
    ladder = Ladder(Tides())
    for contest in whole:
        tied = itertools.groupby(contest.standings, key=lambda row: row[0])
        order = [tuple(name for _, name in rows) for _, rows in tied]
        ladder.record(order, time=contest.time, weight=contest.weight)
    rated = rate(whole, Tides())
    assert ladder.beliefs.shared.tobytes() == rated.beliefs.shared.tobytes()
    assert ladder.ratings.equals(rated.ratings)


def test_a_copy_and_a_part_share_nothing_with_the_whole_afterwards():
    beliefs = rate(SEASON[:10], Tides()).beliefs
    before = beliefs.shared.tobytes()
    packed = beliefs.packed(np.arange(3))
    late = {"time": "2100-01-01", "future": True}
    for other in (
        beliefs.copy(),
        beliefs.part(np.arange(5)),
        Beliefs.unpacked(Tides(), list("abc"), packed),
    ):
        assert other.shared.tobytes() == before
        Ladder.from_beliefs(other, copy=False).record(["x", "y", "z"], **late)
        assert other.shared.tobytes() != before
        assert beliefs.shared.tobytes() == packed.shared.tobytes() == before
    Ladder.from_beliefs(beliefs, copy=False).record(["x", "y", "z"], **late)
    assert beliefs.shared.tobytes() != packed.shared.tobytes() == before


def test_what_a_system_starts_with_is_never_changed():
    start = np.array([30.0, 0.0, 0.0])

    class Careless(Tides):
        def new_shared(self):
            return start

    rate(SEASON, Careless())
    assert start.tolist() == [30.0, 0.0, 0.0]


def test_parts_that_are_put_together_share_what_the_first_does():
    early, late = (rate(SEASON[:count], Tides()).beliefs.packed(np.arange(2)) for count in (3, 9))
    together = type(early).concat([early, late])
    assert len(together.table) == 4
    assert together.shared.tobytes() == early.shared.tobytes()
    assert late.take(np.array([1])).shared.tobytes() == late.shared.tobytes()


def test_predictions_and_explanations_start_from_what_is_shared():
    before, contest = rate(SEASON[:19], Tides()).beliefs, SEASON[19:]
    then = before.shared.tobytes()
    happened = rate(contest, beliefs=before).history
    predicted = predict(before, contest).table
    assert predicted["mu"].to_list() == happened["mu"].to_list()
    name = contest.players[int(contest.columns.player[0])]
    explained = explain(before, contest, name)
    mine = happened.filter(happened["player"] == name)
    assert explained.change.rating == mine["rating"].item()
    assert before.shared.tobytes() == then


def test_every_ladder_shares_by_itself():
    results = SEASON.frame().with_columns(ladder=SEASON.frame()["contest"].str.tail(1))
    ladders = Contests.from_frame(results)
    rated = rate_ladders(ladders, Tides(), jobs=2)
    for name, part in ladders.by_ladder().items():
        assert_same_beliefs(rated[name].beliefs, rate(part, Tides()).beliefs)


def test_a_file_that_shares_something_else_is_refused(tmp_path):
    path = tmp_path / "beliefs.npz"
    rate(SEASON, Tides()).beliefs.save(path)
    with np.load(path) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    without = {name: part for name, part in parts.items() if name != "shared"}
    for shared in ({"shared": parts["shared"][:2]}, {"shared": np.zeros(3, np.float32)}, {}):
        np.savez(path, **without, **shared)
        with pytest.raises(StorageError, match="not a file of beliefs, or a damaged one"):
            Beliefs.load(path, Tides())


def test_files_of_systems_that_share_nothing_are_as_before(tmp_path):
    rate(SEASON, "elo-mmr").beliefs.save(tmp_path / "beliefs.npz")
    with np.load(tmp_path / "beliefs.npz") as arrays:
        assert arrays.files == ["about", "table", "pool", "arena", "names", "name_ends"]
