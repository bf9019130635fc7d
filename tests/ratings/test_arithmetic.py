"""Bits are compared, and contests follow, only under one arithmetic and on one kind of machine."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

from podium import Beliefs, Ladder, Rated, rate, simulate, systems
from podium.ratings import arithmetic
from podium.ratings.arithmetic import UNKNOWN, ArithmeticWarning, Machine, this_machine
from tests.comparing import assert_same_beliefs

pytestmark = pytest.mark.usefixtures("first_arithmetic")

SEASON = simulate(players=10, rounds=12, seed=5)
OTHER = Machine("sparc", "niagara", "", "libc 1", "0.1", "1", "1.0")
MIXED = (
    "what was rated by arithmetic 1 goes on by arithmetic 2, so that the result is not that of one "
    "run, to the bit; rating all contests again makes it so."
)


@pytest.fixture
def later(request, monkeypatch):
    """A version of podium that computes otherwise."""
    request.getfixturevalue("first_arithmetic")
    monkeypatch.setattr(arithmetic, "ARITHMETIC", 2)


@pytest.fixture
def elsewhere(monkeypatch):
    """Another kind of machine."""
    monkeypatch.setattr(arithmetic, "this_machine", lambda: OTHER)


def test_a_machine_is_described_by_what_makes_bits():
    document = this_machine().document()
    assert list(document) == list(Machine._fields)
    assert all(document[each] for each in ("architecture", "processor", "library", "numba", "llvm"))
    assert Machine.of(json.loads(this_machine().text())) == this_machine()
    for field in Machine._fields:
        assert this_machine()._replace(**{field: "other"}) != this_machine()


def test_what_a_machine_is_not_said_to_have_is_unknown():
    assert Machine.of({}) == UNKNOWN != this_machine()
    assert UNKNOWN.document() == {}
    assert Machine.of({"numba": "0.1", "colour": "red"}) == Machine(numba="0.1")


def test_importing_podium_asks_nothing_of_the_machine():
    code = (
        "import sys, podium, podium.ratings.arithmetic;"
        "assert not {'numba', 'llvmlite'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def saved(path, system="elo-mmr") -> Beliefs:
    beliefs = rate(SEASON[:8], system).beliefs
    beliefs.save(path)
    return beliefs


def test_beliefs_and_folders_say_what_made_them(tmp_path):
    saved(tmp_path / "beliefs.npz")
    for beliefs in (Beliefs.load(tmp_path / "beliefs.npz"), Beliefs(systems.build("elo"))):
        assert (beliefs.arithmetic, beliefs.machine) == (1, this_machine())
        assert beliefs.mixture is None
    rate(SEASON, "elo-mmx").save(tmp_path / "ratings")
    about = json.loads((tmp_path / "ratings" / "about.json").read_text())
    assert about["arithmetic"] == 1
    assert about["machine"] == this_machine().document()


def as_before(path) -> None:
    """Write a file as it was when nobody noted what made it."""
    with np.load(path) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    about = json.loads(parts["about"].tobytes())
    del about["arithmetic"], about["machine"]
    assert list(about) == ["format", "system", "parameters", "rounds", "time", "latest"]
    np.savez(path, **{**parts, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)})


def test_a_file_of_before_is_of_the_first_arithmetic_and_goes_on(tmp_path):
    path = tmp_path / "beliefs.npz"
    saved(path)
    as_before(path)
    loaded = Beliefs.load(path)
    assert (loaded.arithmetic, loaded.machine) == (1, UNKNOWN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = rate(SEASON[8:], beliefs=path).beliefs
    assert_same_beliefs(resumed, rate(SEASON, "elo-mmr").beliefs)
    assert resumed.machine == UNKNOWN


@pytest.mark.usefixtures("later")
def test_going_on_from_another_arithmetic_is_said_and_noted(tmp_path):
    path = tmp_path / "beliefs.npz"
    saved(path)
    as_before(path)
    with pytest.warns(ArithmeticWarning) as said:
        resumed = rate(SEASON[8:], beliefs=path).beliefs
    assert [str(each.message) for each in said] == [MIXED]
    assert said[0].filename == __file__
    assert (resumed.arithmetic, resumed.machine) == (2, UNKNOWN)
    resumed.save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ladder.load(path).record(["ann", "bob"])


@pytest.mark.usefixtures("later")
def test_a_ladder_says_so_once_when_it_records_and_not_when_it_predicts(tmp_path):
    path = tmp_path / "beliefs.npz"
    names = saved(path).names
    as_before(path)
    ladder = Ladder.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0.0 < ladder.win_probability(*names[:2]) < 1.0
        assert ladder.beliefs.part(np.arange(2)).mixture == MIXED
        assert ladder.beliefs.copy().mixture == MIXED
    with pytest.warns(ArithmeticWarning) as said:
        ladder.record(names[:2])
    assert [str(each.message) for each in said] == [MIXED]
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ladder.record(names[:2])


@pytest.mark.usefixtures("later")
def test_where_nothing_was_rated_nothing_is_mixed():
    beliefs = Beliefs(systems.build("elo"))
    beliefs.arithmetic, beliefs.machine = 1, UNKNOWN
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rated = rate(SEASON, "elo-mmr").beliefs
        Ladder.from_beliefs(beliefs, copy=False).record(["ann", "bob"])
    assert (beliefs.arithmetic, beliefs.machine) == (2, this_machine())
    assert (rated.arithmetic, rated.machine) == (2, this_machine())


def test_what_two_kinds_of_machines_rated_is_of_neither(tmp_path, request):
    path = tmp_path / "beliefs.npz"
    saved(path)
    request.getfixturevalue("elsewhere")
    assert Beliefs.load(path).machine != OTHER
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = rate(SEASON[8:], beliefs=path).beliefs
    assert (resumed.arithmetic, resumed.machine) == (1, UNKNOWN)
    assert rate(SEASON, "elo-mmr").beliefs.machine == OTHER


def test_reading_changes_nothing_of_what_made_ratings(tmp_path, request):
    rate(SEASON, "elo-mmr").save(tmp_path / "ratings")
    before = {file.name: file.read_bytes() for file in (tmp_path / "ratings").iterdir()}
    request.getfixturevalue("elsewhere")
    request.getfixturevalue("later")
    Rated.load(tmp_path / "ratings").save(tmp_path / "again")
    assert {file.name: file.read_bytes() for file in (tmp_path / "again").iterdir()} == before
