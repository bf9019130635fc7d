import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium import Beliefs, Contests, Ladder, PodiumError, rate, simulate, systems
from podium.texts import normalised
from tests.comparing import assert_same_beliefs
from tests.strategies import NAMES, contests, match_lists

SYSTEMS = [
    systems.EloMMR(),
    systems.EloMMR(rho=0.0, drift_per_day=3.0, noob_delay=(0.6, 0.8)),
    systems.EloMMR(rho=np.inf, split_ties=True),
    systems.EloMMR(history=2),
    systems.EloMMX(drift_per_day=0.5),
]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).map(normalised).filter(bool)
"""Any name that can be written down: all characters but halves of them."""


def played(rounds=5, system="elo-mmr", **parameters) -> Ladder:
    """A ladder after some contests."""
    ladder = Ladder(system, **parameters)
    for number in range(rounds):
        ladder.record([NAMES[number % 5], *NAMES[5:9]], time=number * 86_400, weight=1 + number)
    return ladder


@pytest.mark.parametrize(
    "system", SYSTEMS, ids=["plain", "rho 0", "rho infinite", "history 2", "elo-mmx"]
)
def test_what_is_saved_is_loaded_to_the_bit(tmp_path, system):
    beliefs = played(rounds=40, system=system).beliefs
    beliefs.save(tmp_path / "beliefs.npz")
    loaded = Beliefs.load(tmp_path / "beliefs.npz")
    assert_same_beliefs(loaded, beliefs)
    assert (loaded.table[: len(loaded)] == beliefs.table[: len(beliefs)]).all()
    used = beliefs.arena[0]
    assert loaded.pool[:used].tobytes() == beliefs.pool[:used].tobytes()


@settings(max_examples=25)
@given(contests(max_contests=8), st.integers(0, 8), st.sampled_from(SYSTEMS))
def test_the_same_results_give_the_same_file_to_the_byte(tmp_path_factory, whole, cut, system):
    folder = tmp_path_factory.mktemp("files")
    rate(whole, system).beliefs.save(folder / "at once.npz")
    rate(whole[:cut], system).beliefs.save(folder / "half.npz")
    rate(whole[cut:], beliefs=folder / "half.npz").beliefs.save(folder / "resumed.npz")
    Beliefs.load(folder / "resumed.npz").copy().save(folder / "again.npz")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert files["at once.npz"] == files["resumed.npz"] == files["again.npz"]


@settings(max_examples=25)
@given(contests(), st.integers(0, 5), st.sampled_from(SYSTEMS))
def test_a_run_resumed_from_a_file_is_one_run(tmp_path_factory, whole, cut, system):
    path = tmp_path_factory.mktemp("resumed") / "beliefs.npz"
    rate(whole[:cut], system).beliefs.save(path)
    resumed = rate(whole[cut:], beliefs=path)
    at_once = rate(whole, system)
    assert_same_beliefs(resumed.beliefs, at_once.beliefs)
    rows = whole[:cut].rows
    assert resumed.history.equals(at_once.history[rows:])


@settings(max_examples=15)
@given(contests(max_contests=8), st.sampled_from(SYSTEMS))
def test_resuming_after_every_contest_is_one_run(whole, system):
    beliefs = Beliefs(system)
    for number in range(len(whole)):
        beliefs = rate(whole[number : number + 1], beliefs=beliefs).beliefs
    assert_same_beliefs(beliefs, rate(whole, system).beliefs)


def test_a_hundred_resumptions_from_files_are_one_run(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "ladder.npz"
    Ladder("elo-mmr").save(path)
    at_once = Ladder("elo-mmr")
    for number in range(100):
        standings = rng.permutation(NAMES)[: rng.integers(2, 9)].tolist()
        resumed = Ladder.load(path)
        resumed.record(standings, time=number)
        resumed.save(path)
        at_once.record(standings, time=number)
    assert_same_beliefs(resumed.beliefs, at_once.beliefs)


def test_a_copy_goes_its_own_way():
    copied, alone, other = played(), played(), Ladder()
    other.beliefs = copied.beliefs.copy()
    assert_same_beliefs(other.beliefs, copied.beliefs)
    for number in range(20):
        other.record([f"newcomer {number}", *reversed(NAMES)], time=10**6, weight=3)
    assert_same_beliefs(copied.beliefs, alone.beliefs)
    for ladder in (copied, alone):
        for number in range(20):
            ladder.record(NAMES[number % 3 :], time=10**6)
    assert_same_beliefs(copied.beliefs, alone.beliefs)


EVERY = [
    *SYSTEMS,
    *(systems.build(name) for name in systems.names() if name not in ("elo-mmr", "elo-mmx")),
    systems.EloR(noise="simple", history=3),
    systems.EloRDraft(memory=5),
]


@pytest.mark.parametrize("system", EVERY, ids=lambda system: str(system)[:50])
@settings(max_examples=15)
@given(st.data())
def test_a_part_goes_on_as_the_whole_does(system, data):
    if system.most_players == 2:
        whole = Contests.from_matches(data.draw(match_lists()))
    else:
        whole = data.draw(contests(max_contests=8))
    cut = data.draw(st.integers(0, len(whole)))
    beliefs = rate(whole[:cut], system).beliefs
    needed = {name for contest in whole[cut:] for name in contest.players}
    names = [name for name in beliefs.names if name in needed or data.draw(st.booleans())]
    order = data.draw(st.permutations(names))
    part = beliefs.part(np.array([beliefs.index[name] for name in order], np.int64))
    assert (part.names, part.rounds, part.time) == (order, beliefs.rounds, beliefs.time)
    on_part = rate(whole[cut:], beliefs=part)
    on_whole = rate(whole[cut:], beliefs=beliefs)
    assert on_part.history.equals(on_whole.history)
    kept = on_whole.ratings.filter(on_whole.ratings["player"].is_in(on_part.beliefs.names))
    assert on_part.ratings.equals(kept)


@pytest.mark.parametrize("name", [name for name in systems.names() if name != "luck"])
def test_parts_of_long_histories_go_on_too(name):
    season = simulate(players=40, rounds=90, participation=0.5, seed=4)
    beliefs = rate(season[:60], name).beliefs
    part = beliefs.part(np.arange(len(beliefs))[::-1])
    for _ in range(2):
        assert rate(season[60:], beliefs=part).history.equals(
            rate(season[60:], beliefs=beliefs).history
        )
        part = part.part(np.arange(len(part)))


def test_a_part_goes_its_own_way():
    ladder, alone = played(40), played(40)
    part = Ladder.from_beliefs(ladder.beliefs.part(np.array([0, 3, 5])), copy=False)
    for number in range(20):
        part.record([f"newcomer {number}", *part], time=10**8, weight=3)
    assert_same_beliefs(ladder.beliefs, alone.beliefs)
    assert len(ladder.beliefs.part(np.array([], np.int64))) == 0


def test_rooms_of_a_part_are_such_as_the_pool_knows():
    part = played(40).beliefs.part(np.arange(6))
    table = part.table[: len(part)]
    assert {int(room) for room in table["room"]} <= {0, *(4 << np.arange(8)).tolist()}
    assert (table["first"] + table["count"] <= table["room"]).all()
    assert part.arena[0] == 3 * table["room"].sum()
    assert part.flaw() is None


def test_a_part_may_have_somebody_several_times_or_count_from_the_end():
    beliefs = played(40).beliefs
    part = beliefs.part(np.array([3, 3, -1]))
    assert part.names == [beliefs.names[3], beliefs.names[3], beliefs.names[-1]]
    whole, taken = beliefs.packed(np.arange(len(beliefs))), part.packed(np.arange(3))
    again = whole.take(np.array([3, 3, len(beliefs) - 1]))
    assert taken.table.tobytes() == again.table.tobytes()
    assert taken.memory.tobytes() == again.memory.tobytes()


def test_newcomers_who_are_welcome_follow_those_who_are_known():
    beliefs, enrolled = (Beliefs(systems.EloMMX(mu_new=1000.0)) for _ in range(2))
    for newcomers in (["cat"], [], ["ann", "bob"]):
        assert beliefs.welcome(newcomers).tolist() == enrolled.enrol(newcomers).tolist()
    assert beliefs.index == enrolled.index
    assert (
        beliefs.packed(np.arange(3)).table.tobytes()
        == enrolled.packed(np.arange(3)).table.tobytes()
    )


def test_newcomers_get_the_next_ids_in_order():
    beliefs = Beliefs(systems.EloMMX(mu_new=1000.0, sigma_new=200.0))
    assert beliefs.enrol(["cat", "ann"]).tolist() == [0, 1]
    assert beliefs.enrol(["bob", "ann", "dan"]).tolist() == [2, 1, 3]
    assert beliefs.names == ["cat", "ann", "bob", "dan"]
    assert beliefs.index == {"cat": 0, "ann": 1, "bob": 2, "dan": 3}
    assert beliefs.column("mu").tolist() == [1000.0] * 4
    assert beliefs.column("sigma").tolist() == [200.0] * 4
    assert beliefs.column("contests").tolist() == [0] * 4


def test_growing_changes_nobody_who_is_there_already():
    ladder = played()
    mu = ladder.beliefs.column("mu")
    ladder.beliefs.enrol([f"p{number}" for number in range(1000)])
    assert ladder.beliefs.column("mu")[: len(mu)].tobytes() == mu.tobytes()
    assert set(ladder.beliefs.column("mu")[len(mu) :]) == {1500.0}


def test_repr_counts():
    assert repr(Beliefs(systems.EloMMX())) == "<Beliefs of elo-mmx: 0 players after 0 contests>"
    ladder = Ladder()
    ladder.record(["ann"])
    assert repr(ladder.beliefs) == "<Beliefs of elo-mmr: 1 player after 1 contest>"


@given(st.lists(text, min_size=1, max_size=6, unique=True))
def test_names_may_hold_any_character(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("names") / "beliefs.npz"
    ladder = Ladder("elo-mmx")
    ladder.record(names)
    ladder.save(path)
    loaded = Ladder.load(path)
    assert list(loaded) == names
    assert loaded.ratings.equals(ladder.ratings)


def test_beliefs_of_nobody_can_be_saved(tmp_path):
    Beliefs(systems.EloMMR()).save(tmp_path / "nobody.npz")
    loaded = Beliefs.load(tmp_path / "nobody.npz")
    assert len(loaded) == 0
    assert loaded.time is None


def damaged(path) -> str:
    return (
        f"{path}: not a file of beliefs, or a damaged one; "
        f"a folder written by `podium rate` holds one as beliefs.npz."
    )


def refusal(path, system=None) -> str:
    with pytest.raises(PodiumError) as refused:
        Beliefs.load(path, system)
    return str(refused.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    path = tmp_path / "none.npz"
    assert refusal(path) == f"{path}: there is no such file of beliefs."


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_file_is_refused(tmp_path, share):
    path = tmp_path / "beliefs.npz"
    played().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert refusal(path) == damaged(path)


@settings(max_examples=60)
@given(st.data())
def test_a_changed_byte_is_noticed_or_changes_nothing(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damaged") / "beliefs.npz"
    beliefs = played(rounds=2).beliefs
    beliefs.save(path)
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        loaded = Beliefs.load(path)
    except PodiumError as error:
        assert str(error) == damaged(path)  # noqa: PT017
    else:
        assert_same_beliefs(loaded, beliefs)


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda path: path.write_text("player,rating\nann,1500\n"), id="text"),
        pytest.param(lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99)), id="image"),
        pytest.param(lambda path: path.mkdir(), id="folder"),
        pytest.param(lambda path: np.savez(path, a=np.zeros(3)), id="other arrays"),
        pytest.param(lambda path: np.savez(path, about=np.zeros(3)), id="about is no text"),
        pytest.param(
            lambda path: np.savez(path, about=np.frombuffer(b"[1]", np.uint8)), id="about is a list"
        ),
        pytest.param(lambda path: np.savez(path, np.array([{}], object)), id="pickled objects"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path, write):
    path = tmp_path / "foreign.npz"
    write(path)
    assert refusal(path) == damaged(path)


def test_a_single_array_is_refused(tmp_path):
    path = tmp_path / "array.npy"
    np.save(path, np.zeros(3))
    assert refusal(path) == damaged(path)


@pytest.mark.parametrize("missing", ["table", "pool", "arena", "names", "name_ends"])
def test_a_file_that_lacks_a_part_is_refused(tmp_path, missing):
    path = tmp_path / "beliefs.npz"
    played().save(path)
    with np.load(path) as arrays:
        parts = {name: arrays[name] for name in arrays.files if name != missing}
    np.savez(path, **parts)
    assert refusal(path) == damaged(path)


def with_about(path, **changes) -> None:
    """Change what a saved file says about itself."""
    with np.load(path) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    about = {**json.loads(parts["about"].tobytes()), **changes}
    parts["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(path, **parts)


def test_another_format_and_another_system_are_named(tmp_path):
    path = tmp_path / "beliefs.npz"
    played().save(path)
    with_about(path, system="elo-mmz")
    assert refusal(path) == (
        f"{path}: beliefs of the system 'elo-mmz', which is not known here; install the package "
        f"that has it, or register it before."
    )
    with_about(path, format="podium beliefs 7")
    assert refusal(path) == (
        f"{path}: beliefs in the format 'podium beliefs 7', which this version does not read; "
        f"rate the contests again."
    )


def test_a_given_system_must_be_that_of_the_file(tmp_path):
    path = tmp_path / "beliefs.npz"
    system = systems.EloMMR(rho=0.5, noob_delay=(0.5,))
    played(system=system).save(path)
    assert Beliefs.load(path, system).system is system
    assert refusal(path, systems.EloMMX()) == (
        "the earlier beliefs are of elo-mmr, not of elo-mmx; "
        "leave the system out to go on with the same one."
    )
    assert refusal(path, systems.EloMMR(rho=2.0, noob_delay=(0.5,))) == (
        "the earlier beliefs are of elo-mmr with rho=0.5, not rho=2.0; "
        "leave the system out to go on with the same one."
    )


def test_an_unwritable_place_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PodiumError, match=r"beliefs\.npz: cannot be written"):
        played().save(tmp_path / "file" / "beliefs.npz")
