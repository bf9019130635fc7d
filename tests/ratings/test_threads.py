"""Ladders that threads share: whatever they do, it is as if one thread had done it, to the bit."""

import copy
import hashlib
import math
import os
import pickle
import random
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import podium
from podium import Beliefs, InputError, Ladder, NotFoundError, systems
from tests.comparing import assert_same_beliefs

CASES = int(os.environ.get("PODIUM_CASES", 20_000))
"""Operations in all."""
THREADS = 8
_FAILS = 13.0
"""The weight of a contest in which the system fails."""


@pytest.fixture(autouse=True)
def _in_turns() -> Iterator[None]:
    """Let threads take turns a thousand times as often as they do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


class Watch:
    """The contests that were folded, in the order in which they took effect."""

    def __init__(self) -> None:
        self.order: list[tuple[Any, ...]] = []
        self.own = threading.local()

    def watched(self, system: systems.System) -> systems.System:
        """The same system, which takes note of what it is asked to do, and fails if it is told to.

        Contests are noted as they begin: who reads before one has ended gets a wrong answer.
        """
        watch, kind = self, type(system)

        class Watched(kind):  # type: ignore[misc, valid-type]
            def update(self, beliefs: Beliefs, contest: Any) -> None:
                if contest.weight[0] == _FAILS:
                    raise InputError("this system fails.")
                watch.order.append(watch.own.doing)
                super().update(beliefs, contest)

            def rating(self, *args: Any) -> Any:
                watch.own.seen = len(watch.order)
                return super().rating(*args)

            def aged(self, *args: Any) -> Any:
                watch.own.seen = len(watch.order)
                return super().aged(*args)

        return Watched(**system.parameters)


def a_contest(rng: random.Random, players: int) -> tuple[list[Any], dict[str, float]]:
    """Two players or some more, now and then with a tie, a weight or a failing system."""
    size = 2 if rng.random() < 0.7 else rng.randrange(3, 30)
    names = [f"p{min(rng.randrange(players), rng.randrange(players))}" for _ in range(size)]
    standings: list[Any] = list(dict.fromkeys(names))
    if len(standings) > 2 and rng.random() < 0.3:
        standings[:2] = [tuple(standings[:2])]
    chance = rng.random()
    weight = _FAILS if chance < 0.03 else 2.0 if chance < 0.1 else 1.0
    return standings, {"weight": weight}


def as_values(answer: Any) -> Any:
    """What can be compared."""
    return answer.rows() if hasattr(answer, "rows") else answer


QUESTIONS: dict[str, Callable[..., Any]] = {
    "player": lambda ladder, a, _: ladder[a],
    "place": lambda ladder, a, _: ladder.player(a),
    "top": lambda ladder, *_: ladder.top(5),
    "board": lambda ladder, *_: ladder.leaderboard(3),
    "win": lambda ladder, a, b: ladder.win_probability(a, b),
    "newcomer": lambda ladder, a, _: ladder.win_probability(a, "nobody knows me"),
    "quality": lambda ladder, a, b: ladder.quality([a, b]),
    "ranks": lambda ladder, a, b: ladder.rank_probabilities([a, b, "c", "d"]),
}


def twin(ladder: Ladder) -> Beliefs:
    """Those of a copy, whose places fit them."""
    other = copy.deepcopy(ladder)
    assert other.top(5) == Ladder.from_beliefs(other.beliefs).top(5)
    return other.beliefs


def digest(beliefs: Beliefs) -> str:
    """The same for beliefs that are the same to the bit."""
    packed = beliefs.packed(np.arange(len(beliefs)))
    parts = [repr((beliefs.names, beliefs.rounds, beliefs.time)).encode()]
    parts += [packed.table.tobytes(), packed.memory.tobytes(), packed.shared.tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


COPIES: dict[str, Callable[..., Beliefs]] = {
    "copied": lambda ladder, _: twin(ladder),
    "pickled": lambda ladder, _: copy.copy(ladder.beliefs),
    "branched": lambda ladder, _: Ladder.from_beliefs(ladder.beliefs).beliefs,
    "saved": lambda ladder, path: (ladder.save(path), Beliefs.load(path, ladder.system))[1],
}


def work(ladder: Ladder, watch: Watch, seed: int, count: int, players: int, path: Any) -> list[Any]:
    """Some operations of one thread; what was read, and from the state after how many contests."""
    rng, read, copies = random.Random(seed), [], min(0.02, 100 / count)
    for _ in range(count):
        chance = rng.random()
        a, b = (f"p{number}" for number in rng.sample(range(players), 2))
        if chance < 0.5:
            watch.own.doing = a_contest(rng, players)
            with suppress(InputError):  # of one that the system fails
                ladder.record(watch.own.doing[0], **watch.own.doing[1])
        elif chance < 0.999 - copies:
            asked = rng.choice(list(QUESTIONS))
            with suppress(NotFoundError):  # for somebody who has not come yet
                answer = as_values(QUESTIONS[asked](ladder, a, b))
                read.append((watch.own.seen, (asked, a, b), answer))
        elif chance < 1.0 - copies:
            assert len(list(ladder)) <= len(ladder)
        else:
            made = rng.choice(list(COPIES))
            beliefs = COPIES[made](ladder, path)
            read.append((beliefs.rounds, (made, a, b), digest(beliefs)))
    return read


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What each of so many threads returns; what one raises is raised here."""
    start, found = threading.Barrier(count), dict[int, Any]()

    def run(number: int) -> None:
        start.wait()
        try:
            found[number] = work(number)
        except BaseException as error:
            found[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for each in found.values():
        if isinstance(each, BaseException):
            raise each
    return [found[number] for number in range(count)]


SHARES = {"elo-mmr": 0.5, "weng-lin": 0.25, "glicko2": 0.25}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARES)
def test_what_threads_do_is_what_one_does_in_the_order_in_which_it_took_effect(name, tmp_path):
    """Records, failing records, questions, predictions, copies and files, to the bit."""
    count = int(CASES * SHARES[name])
    watch, players = Watch(), 40 + count // 20
    shared = Ladder(watch.watched(systems.build(name)))
    found = in_threads(
        THREADS,
        lambda number: work(
            shared, watch, number, count // THREADS, players, tmp_path / f"{number}.npz"
        ),
    )
    after = defaultdict(list)
    for seen, asked, answer in (each for part in found for each in part):
        after[seen].append((asked, answer))
    order, alone, compared = list(watch.order), Ladder(shared.system), 0
    watch.own.doing = ()
    for number in range(len(order) + 1):
        for (asked, a, b), answer in after[number]:
            compared += 1
            if asked in QUESTIONS:
                assert as_values(QUESTIONS[asked](alone, a, b)) == answer, (asked, a, b)
            else:
                assert digest(alone.beliefs) == answer, asked
        if number < len(order):
            standings, about = order[number]
            alone.record(standings, **about)
    assert_same_beliefs(shared.beliefs, alone.beliefs)
    assert shared.top(10) == alone.top(10)
    assert compared == sum(map(len, found)) > 0.3 * count
    assert len(order) > 0.4 * count


def test_no_newcomer_remains_of_a_contest_that_failed():
    watch = Watch()
    ladder = Ladder(watch.watched(systems.Elo()))
    for known in range(2):
        for _ in range(3):
            with pytest.raises(InputError, match="this system fails"):
                ladder.record(["ann", "new", "newer"], weight=_FAILS)
        assert len(ladder) == 2 * known
        assert "new" not in ladder
        watch.own.doing = ()
        ladder.record(["bob", "cat"])
    assert list(ladder) == ["bob", "cat"]
    assert ladder.beliefs.rounds == 2


def test_time_does_not_begin_with_a_contest_that_failed():
    watch = Watch()
    watch.own.doing = ()
    ladder = Ladder(watch.watched(systems.Glicko(period_days=1.0)))
    ladder.record(["ann", "bob"])
    before = ladder.beliefs.copy()
    with pytest.raises(InputError):
        ladder.record(["ann", "cat"], time="2026-05-01", weight=_FAILS)
    assert (ladder.beliefs.table[:2] == before.table[:2]).all()
    assert ladder.beliefs.time is None


@pytest.mark.parametrize("name", ["luck", "elo-mmr", "trueskill"])
def test_contests_that_failed_leave_no_trace_in_the_bits(name):
    watch = Watch()
    ladder = Ladder(watch.watched(systems.build(name)))
    plain, watch.own.doing = Ladder(ladder.system), ()
    for number in range(200):
        with pytest.raises(InputError):
            ladder.record([f"late {number}", "ann"], weight=_FAILS)
        for each in (ladder, plain):
            each.record([f"p{number}", f"p{number // 2 - 1}"])
    assert_same_beliefs(ladder.beliefs, plain.beliefs)


@pytest.mark.slow
def test_a_model_that_cannot_be_compiled_leaves_all_as_it_was():
    def fails(function):
        return lambda z: function({"z": [z, None]}["z"][0])  # for Python, but not for Numba

    usual = systems.PerformanceModel("usual", _loss, _draw, _victory, strip=1.0)
    broken = systems.PerformanceModel(
        "usual", fails(_loss), fails(_draw), fails(_victory), strip=1.0
    )
    ladder = Ladder(systems.EloMMR(performance=usual))
    ladder.record(["ann", "bob", "cat"], time=0)
    ladder.record(["dan", "bob", "eve"], time=0)
    before = ladder.beliefs.copy()
    ladder.beliefs.system = systems.EloMMR(performance=broken)
    for _ in range(2):
        with pytest.raises(Exception, match=r"(?i)numba|typing|lowering"):
            ladder.record(["eve", "ann", "fay"], time=10**6)
    ladder.beliefs.system = before.system
    assert digest(ladder.beliefs) == digest(before)
    after = Ladder.from_beliefs(before)
    for each in (ladder, after):
        each.record(["eve", "ann", "fay"], time=10**6)
    assert digest(ladder.beliefs) == digest(after.beliefs)


_SCALE = math.pi / math.sqrt(3.0)


def _draw(z: float) -> float:
    return -_SCALE * math.tanh(0.5 * _SCALE * z)


def _victory(z: float) -> float:
    return _SCALE / (1.0 + math.exp(_SCALE * z))


def _loss(z: float) -> float:
    return -_SCALE / (1.0 + math.exp(-_SCALE * z))


class Shared(systems.Elo):
    """Counts contests in what all players share, and fails after it has counted."""

    name = "counting"
    kernel = None

    def new_shared(self):
        return np.zeros(1)

    def fold(self, *args):
        return systems.System.fold(self, *args)

    def rate_contest(self, players, standings):
        standings.shared[0] += 1.0
        players["mu"] += 1.0
        if standings.weight == _FAILS:
            raise RuntimeError("out of luck")


def test_what_all_players_share_is_as_before_when_a_contest_fails():
    ladder = Ladder(Shared())
    ladder.record(["ann", "bob"])
    with pytest.raises(RuntimeError, match="out of luck"):
        ladder.record(["ann", "bob"], weight=_FAILS)
    assert ladder.beliefs.shared.tolist() == [1.0]
    assert ladder["ann"].mu == systems.Elo().newcomer()["mu"] + 1.0


def test_a_copy_of_a_ladder_goes_its_own_way():
    ladder = Ladder("elo-mmr")
    ladder.record(["ann", "bob"])
    ladder.top(1)
    for other in (copy.deepcopy(ladder), pickle.loads(pickle.dumps(ladder))):
        assert "_ranked" not in vars(other)  # which would be read while others change it
        other.record(["bob", "cat"])
        assert (len(other), len(ladder)) == (3, 2)
        assert (other["bob"].contests, ladder["bob"].contests) == (2, 1)
        assert other.place("ann") == 1
        assert_same_beliefs(copy.copy(other.beliefs), other.beliefs)


def test_several_questions_have_one_state_while_the_lock_is_held():
    ladder = Ladder("glicko")
    ladder.record(["ann", "bob"])
    done = threading.Event()

    def record() -> None:
        ladder.record(["ann", "bob"])
        done.set()

    with ladder.beliefs.lock:
        thread = threading.Thread(target=record)
        thread.start()
        before = ladder["ann"], ladder.win_probability("ann", "bob"), ladder["bob"]
        assert before == (ladder["ann"], ladder.win_probability("ann", "bob"), ladder["bob"])
        assert not done.is_set()
    thread.join()
    assert ladder["ann"].contests == 2


def test_predictions_and_folds_from_beliefs_that_others_change_have_one_state():
    season = podium.simulate(players=30, rounds=3, seed=1)
    ladder = Ladder.from_beliefs(podium.rate(season[:2]).beliefs)
    names = [f"player-{number:04}" for number in range(30)]

    def work(number: int) -> None:
        rng = random.Random(number)
        for _ in range(60):
            if number < 2:
                ladder.record(rng.sample([*names, f"{rng.random()}"], 20))
            elif number == 2:
                whole = podium.predict(ladder.beliefs, season[2:]).table
                assert np.isfinite(whole["rating"].to_numpy()).all()
            else:
                rated = podium.rate(season[2:], beliefs=ladder.beliefs)
                assert rated.beliefs.column("contests").sum() == 20 * (rated.beliefs.rounds - 3) + (
                    season.rows
                )

    in_threads(4, work)
    assert ladder.beliefs.rounds == 122


@pytest.mark.slow
def test_threads_that_need_the_same_compiled_kernels_for_the_first_time_get_the_same():
    system = systems.EloMMR(
        performance=systems.PerformanceModel("own", _loss, _draw, _victory, strip=1.0)
    )

    def work(_: int) -> float:
        ladder = Ladder(system)
        ladder.record(["ann", "bob", "cat"])
        return ladder["ann"].mu

    assert len(set(in_threads(6, work))) == 1


def test_ratings_are_read_by_threads():
    rated = podium.rate(podium.simulate(players=200, rounds=20, seed=3))
    expected = rated.top(7), rated.ratings.rows(), rated.history.rows()
    again = podium.rate(podium.simulate(players=200, rounds=20, seed=3))
    for found in in_threads(
        6, lambda _: (again.top(7), again.ratings.rows(), again.history.rows())
    ):
        assert found == expected
