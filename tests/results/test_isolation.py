"""Reading in a process of its own gives the same contests, the same errors, and survives death."""

from random import Random

import numpy as np
import polars as pl
import pytest

from podium import (
    Contests,
    InputError,
    NotFoundError,
    PodiumError,
    StorageError,
    read,
    read_standings,
)
from podium.errors import NoResultsError
from podium.results import isolation
from tests.results.formats.mutants import parquet

TABLE = pl.DataFrame(
    {
        "contest": ["b", "b", "a", "a", "a"],
        "ladder": ["x", "x", "x", "y", "y"],
        "time": ["2026-05-01", "2026-05-01", "2026-05-01", "2099-01-02", "2099-01-02"],
        "player": ["Zoe\u0308", " 007", "n" * 2000, "ann", "bob"],
        "rank": [1, 2, 1, 1, 1],
        "weight": [1.0, 1.0, 0.5, 2.0, 2.0],
        "perf_ceiling": [None, None, 1.5e3, 7.0, 7.0],
        "team": ["red", "blue", None, "red", "red"],
        "share": [0.5, 1.0, 1.0, 0.25, 1.0],
        "margin": [3.0, 3.0, None, None, None],
        "outcome": [0.75, 0.25, None, 0.5, 0.5],
        "side": ["home", "away", "neutral", "neutral", "neutral"],
        "name": ["The b", "The b", None, "", ""],
        "score": [9.5, 7.0, None, 1.0, 1.0],
        "status": [None, "late", None, "DNF", None],
    }
)


def same_to_the_bit(one: Contests, other: Contests) -> bool:
    for own, its in zip(one.columns, other.columns, strict=True):
        if (own is None) != (its is None):
            return False
        if own is not None and (
            own.dtype != its.dtype or own.tobytes() != np.asarray(its).tobytes()
        ):
            return False
    for name in ("players", "ids", "teams", "about", "ladder", "given"):
        own, its = (getattr(part, name) for part in (one, other))
        if (own is None) != (its is None) or (own is not None and not own.equals(its)):
            return False
    return True


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_contests_are_the_same_to_the_bit():
    TABLE.write_csv("results.csv")
    options = {"future": True, "unlimited": True}
    plain = read("results.csv", **options)
    assert same_to_the_bit(read("results.csv", isolated=True, **options), plain)
    TABLE.rename({"player": "handle"}).write_parquet("results.parquet")
    options |= {"columns": {"player": "handle"}, "sort": False, "rerank": True}
    plain = read("results.parquet", **options)
    assert same_to_the_bit(read("results.parquet", isolated=3 * 2**30, **options), plain)


@pytest.mark.slow
def test_errors_have_the_same_kind_and_sentence(folder):
    (folder / "limit.csv").write_text("contest,time,player,rank\ncup,2999-01-01,ann,1\n")
    (folder / "cut.parquet").write_bytes(b"PAR1")
    (folder / "none.json").write_text('{"1": {"title": "a", "scores": []}}')
    for path, kind in (
        ("limit.csv", InputError),
        ("cut.parquet", StorageError),
        ("none.json", NoResultsError),
    ):
        said = []
        for isolated in (False, True):
            with pytest.raises(kind) as caught:
                read(path, isolated=isolated)
            assert caught.type is kind
            said.append(str(caught.value))
        assert said[0] == said[1]
    with pytest.raises(NotFoundError):
        read("missing.csv", isolated=True)


@pytest.mark.slow
def test_standings_can_be_read_so(folder):
    (folder / "now.txt").write_text("ann\nbob\n")
    contests = read_standings("now.txt", time="2026-05-01", isolated=True)
    assert same_to_the_bit(contests, read_standings("now.txt", time="2026-05-01"))


@pytest.mark.slow
def test_the_working_folder_supplies_no_modules(folder):
    TABLE.write_csv("results.csv")
    (folder / "polars.py").write_text("raise SystemExit(3)")
    assert read("results.csv", isolated=True, future=True, unlimited=True).rows == 5


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("os.abort()", "was ended by SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("raise MemoryError", "ended with code 1"),
        ("open(folder + '/answer.json', 'w').write('{'); sys.exit(7)", "ended with code 7"),
        ("signal.pause()", "hung for 1 seconds"),
    ],
)
def test_a_child_that_dies_is_a_sentence(folder, monkeypatch, code, end):
    (folder / "results.csv").write_text("")
    program = folder / "dies"
    code = f"import os, signal, sys; folder = sys.argv[-1]; {code}"
    program.write_text(f"#!/bin/sh\nexec '{isolation.sys.executable}' -c \"{code}\" $@\n")
    program.chmod(0o700)
    monkeypatch.setattr(isolation.sys, "executable", str(program))
    monkeypatch.setattr(isolation, "_PATIENCE", 1.0 if "hung" in end else 60.0)
    with pytest.raises(InputError) as caught:
        read("results.csv", isolated=True)
    assert str(caught.value) == (
        "results.csv: is damaged, or needs more than 4.0 GiB of memory, which isolated=BYTES or "
        f"PODIUM_MEMORY=BYTES raises (the process that read it {end})."
    )


@pytest.mark.parametrize("given", [1, -5, 2**31 - 1])
def test_too_little_memory_is_refused(folder, given):
    (folder / "results.csv").write_text("")
    with pytest.raises(InputError, match="at least 2,147,483,648"):
        read("results.csv", isolated=given)


@pytest.mark.parametrize("given", ["4 GiB", "", "12"])
def test_a_wrong_limit_in_the_environment_is_refused(folder, monkeypatch, given):
    (folder / "results.csv").write_text("")
    monkeypatch.setenv("PODIUM_MEMORY", given)
    with pytest.raises(InputError, match="PODIUM_MEMORY is a number of bytes"):
        read("results.csv", isolated=True)


@pytest.mark.slow
def test_a_file_that_aborts_polars_is_a_sentence(folder):
    random = Random(325)
    random.choice([None])
    path, data = parquet(random)  # with Polars 2.1, it claims a page of 2 EiB
    (folder / path).write_bytes(data)
    with pytest.raises(PodiumError) as caught:
        read(path, isolated=True)
    assert str(caught.value).count("\n") == 0
    assert len(str(caught.value)) < 500


def test_a_child_that_cannot_be_started_is_a_sentence(folder, monkeypatch):
    (folder / "results.csv").write_text("")
    monkeypatch.setattr(isolation.sys, "executable", str(folder / "missing"))
    with pytest.raises(StorageError, match=r"^results\.csv: cannot be read \(no such file"):
        read("results.csv", isolated=True)


class TestAReaderThatIsKept:
    def test_gives_the_same_and_is_not_started_again(self, tmp_path, monkeypatch):
        starts = []
        popen = isolation.subprocess.Popen

        def counted(*given, **more):
            starts.append(1)
            return popen(*given, **more)

        path = tmp_path / "now.csv"
        path.write_text("player,rank\nann,1\nbob,2\n")
        plain = read_standings(path, time="2026-05-01")
        with isolation.kept_warm():
            monkeypatch.setattr(isolation.subprocess, "Popen", counted)
            for _ in range(3):
                assert read_standings(path, time="2026-05-01", isolated=True) == plain
            path.write_text("player,rank\nann,x\n")
            with pytest.raises(InputError, match="rank 'x' is not a whole number"):
                read_standings(path, time="2026-05-01", isolated=True)
        assert len(starts) == 1

    def test_survives_what_kills_its_forks(self, tmp_path):
        question = tmp_path / "question.json"
        question.write_text('{"function": "reading.no_such_thing", "memory": 4294967296}')
        reader = isolation.Reader()
        try:
            assert reader.run(str(tmp_path), 60.0) == "ended with code 1"
            assert reader.run(str(tmp_path / "nowhere"), 60.0) == "ended with code 1"
        finally:
            reader.close()

    def test_is_started_again_when_it_is_gone(self, tmp_path):
        path = tmp_path / "now.csv"
        path.write_text("player,rank\nann,1\nbob,2\n")
        with isolation.kept_warm():
            first = read_standings(path, time="2026-05-01", isolated=True)
            isolation._reader._process.kill()
            isolation._reader._process.wait()
            assert read_standings(path, time="2026-05-01", isolated=True) == first

    def test_does_not_wait_for_ever(self, tmp_path):
        reader = isolation.Reader()
        try:
            assert reader.run(str(tmp_path), 0.0) == "hung for 0 seconds"
            assert reader._process is None
        finally:
            reader.close()
