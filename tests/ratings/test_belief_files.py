"""A file of beliefs is refused in a sentence or can be used, whatever somebody has written into it.

``PODIUM_CASES=100000 pytest tests/ratings/test_belief_files.py`` tries as many mutants.
"""

import io
import json
import os
import subprocess
import sys
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from podium import Beliefs, Ladder, PodiumError, systems
from tests.ratings import damaging

CASES = int(os.environ.get("PODIUM_CASES", "400"))
BATCH = 2000


def refusal(path) -> str:
    with pytest.raises(PodiumError) as refused:
        Beliefs.load(path)
    return str(refused.value)


@pytest.fixture
def saved(tmp_path):
    """A ladder whose blocks have grown, saved, and its parts."""
    ladder = Ladder("elo-mmr")
    for number in range(20):
        ladder.record(["ann", "bob", f"p{number}"], time=number * 86_400)
    path = tmp_path / "beliefs.npz"
    ladder.save(path)
    return path


def altered(path, **arrays) -> None:
    """Other arrays in place of those in a file."""
    parts = damaging.members(path.read_bytes())
    changed = {f"{name}.npy": damaging.as_bytes(array) for name, array in arrays.items()}
    path.write_bytes(damaging.packed(list({**parts, **changed}.items())))


def parts_of(path) -> dict:
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_mutants_of_files_of_every_system_are_refused_or_can_be_used(tmp_path):
    outcomes, failures = Counter(), []
    for first in range(0, CASES, BATCH):
        count = min(BATCH, CASES - first)
        arguments = [str(first), str(count), str(tmp_path)]
        done = subprocess.run(
            [sys.executable, "-m", "tests.ratings.damaging", *arguments],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            number = (tmp_path / "last").read_text()
            failures.append(f"mutant {number} ended the process: {done.returncode} {done.stderr}")
            print(failures[-1])
            continue
        said = json.loads(done.stdout)
        outcomes.update(said["outcomes"])
        failures += said["wrong"]
    print(dict(outcomes))
    assert not failures
    assert outcomes["usable"] > 0.05 * CASES
    assert outcomes["refused"] > 0.5 * CASES


@pytest.mark.parametrize("number", [8721, 42674])
def test_mutants_that_once_came_through_do_so_no_more(tmp_path, number):
    """An average that made a kernel loop, and factors that leave a rating without a sigma."""
    assert damaging.outcome(damaging.mutant(number)[1], tmp_path).startswith("refused")


@pytest.mark.parametrize("kind", damaging.KINDS, ids=lambda kind: kind.__name__)
def test_mutations_mutate(kind):
    content = damaging.valid(0)
    assert any(kind(np.random.default_rng(seed), content) != content for seed in range(5))


@pytest.mark.parametrize("field", ["block", "room", "first", "count"])
@pytest.mark.parametrize("value", [10**9, -1, -(12 * 10**8), 1001])
def test_a_block_that_is_not_in_the_pool_is_refused(saved, field, value):
    table = parts_of(saved)["table"]
    table[field][0] = value
    altered(saved, table=table)
    said = refusal(saved)
    assert said.startswith(f"{saved}: these beliefs cannot be used: ")


def test_blocks_that_overlap_are_refused(saved):
    table = parts_of(saved)["table"]
    table["block"][3] = table["block"][4]
    altered(saved, table=table)
    assert refusal(saved) == f"{saved}: these beliefs cannot be used: two blocks overlap."


@pytest.mark.parametrize("link", [0.0, 12.5, 10.0**9, np.nan, -2.0, "itself", "used"])
def test_free_blocks_that_are_no_list_are_refused(saved, link):
    parts = parts_of(saved)
    arena, pool, table = parts["arena"], parts["pool"], parts["table"]
    number = int(np.flatnonzero(arena[1:] >= 0)[0]) + 1
    head = int(arena[number])
    pool[head] = {"itself": head, "used": table["block"][0]}.get(link, link)
    altered(saved, pool=pool)
    assert "these beliefs cannot be used" in refusal(saved)


@pytest.mark.parametrize("head", [-2, 5, 12 * 10**6, -12, 2**62])
def test_a_list_of_free_blocks_begins_in_the_pool(saved, head):
    arena = parts_of(saved)["arena"]
    arena[3] = head
    altered(saved, arena=arena)
    assert refusal(saved) == f"{saved}: these beliefs cannot be used: the free blocks are no lists."


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("mu", np.nan),
        ("mu", np.inf),
        ("sigma", -1.0),
        ("sigma", np.nan),
        ("w0", 0.0),
        ("scale", -1.0),
        ("contests", -1),
        ("last_time", 2**62),
        ("last_time", 20 * 86_400_000_000),
    ],
)
def test_numbers_that_no_contest_makes_are_refused(saved, column, value):
    table = parts_of(saved)["table"]
    table[column][1] = value
    altered(saved, table=table)
    assert "these beliefs cannot be used" in refusal(saved)


def test_a_system_without_uncertainty_keeps_its_nan(tmp_path):
    ladder = Ladder("elo")
    ladder.record(["ann", "bob"])
    ladder.save(tmp_path / "elo.npz")
    assert np.isnan(Ladder.load(tmp_path / "elo.npz")["ann"].sigma)


def test_probabilities_of_luck_sum_to_one_within_their_range(tmp_path):
    path = tmp_path / "luck.npz"
    ladder = Ladder("luck", points=251)
    ladder.record(["ann", "bob"])
    ladder.save(path)
    parts = parts_of(path)
    table, pool = parts["table"], parts["pool"]
    for column, value in (("lo", -1), ("hi", 252), ("lo", 250)):
        wrong = table.copy()
        wrong[column][0] = value
        altered(path, table=wrong)
        assert "these beliefs cannot be used" in refusal(path)
    altered(path, table=table, pool=0.5 * pool)
    assert refusal(path).endswith("cannot be used: probabilities do not sum to one.")
    altered(path, pool=pool)
    Beliefs.load(path)


def test_names_have_one_spelling_when_they_are_loaded(tmp_path):
    path = tmp_path / "names.npz"
    beliefs = Beliefs(systems.Elo())
    beliefs.enrol(["Zoe\u0308", " ann\t", "x" * 3000, "李雷"])
    beliefs.save(path)
    assert Beliefs.load(path).names == ["Zoë", "ann", "x" * 3000, "李雷"]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["ann", "ann "], "two players are called 'ann'"),
        (["Zoë", "bob", "Zoe\u0308"], "two players are called 'Zoë'"),
        (["ann", " "], "a player has no name"),
    ],
)
def test_names_that_become_one_are_refused(tmp_path, names, why):
    path = tmp_path / "names.npz"
    beliefs = Beliefs(systems.Elo())
    beliefs.enrol(names)
    beliefs.save(path)
    assert refusal(path) == f"{path}: these beliefs cannot be used: {why}."


def test_an_array_that_says_it_is_huge_takes_no_memory(saved):
    out = io.BytesIO()
    head = {"descr": "<f8", "fortran_order": False, "shape": (10**8,)}
    np.lib.format.write_array_header_1_0(out, head)
    parts = damaging.members(saved.read_bytes())
    saved.write_bytes(damaging.packed(list({**parts, "pool.npy": out.getvalue()}.items())))
    tracemalloc.start()
    assert "a damaged one" in refusal(saved)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10**7


def test_compressed_arrays_are_refused_unopened(saved):
    parts = damaging.members(saved.read_bytes())
    saved.write_bytes(damaging.packed(list(parts.items()), zipfile.ZIP_DEFLATED))
    assert "a damaged one" in refusal(saved)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    assert "a damaged one" in refusal(tmp_path / "pipe.npz")
