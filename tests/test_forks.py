"""Processes that are forked: nothing hangs, and what is lost is said.

Every case runs in a process of its own, which is ended if it hangs.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import podium
from podium import League, StorageError, forks
from tests.league.conftest import kind, places, postgresql  # noqa: F401

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
_LONGEST = 120
"""Seconds after which a process hangs; they take a few."""


def run(script: str, *arguments: str) -> None:
    """A script of `tests.forking` must end well, and by itself."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.forking", script, *arguments],
        cwd=Path(__file__).parents[1],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            _, said = process.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            raise AssertionError("it hangs") from None
    assert process.returncode == 0, said


def test_ladders_work_in_a_child_of_a_process_that_has_used_everything(tmp_path):
    run("ladders", str(tmp_path))


@pytest.mark.slow
def test_what_needs_polars_is_refused_in_one_sentence_that_names_the_remedy(tmp_path):
    run("refused", str(tmp_path))


@pytest.mark.slow
def test_all_works_in_a_child_of_a_process_that_has_only_imported_it(tmp_path):
    run("imported", str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("script", ["leagues", "often", "views"])
def test_a_league_that_is_open_is_shared_with_children(script, places):  # noqa: F811
    run(script, places(), places())


def test_a_child_finds_a_ladder_whole_and_unlocked_while_threads_record():
    run("locked")


def test_the_threads_of_kernels_are_made_anew_in_a_child():
    run("pools")


def test_whose_parent_has_used_polars_without_podium_hears_the_same():
    run("others")


def test_pools_of_multiprocessing_that_fork_answer_from_a_ladder():
    run("processes")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_are_started_otherwise_have_everything(method, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import multiprocessing, podium

        def rated(seed):
            season = podium.simulate(players=10, rounds=3, seed=seed)
            season.write(f"{tmp_path}/{{seed}}.csv")
            return podium.rate(podium.read(f"{tmp_path}/{{seed}}.csv")).top(1)[0].name

        if __name__ == "__main__":
            here = [rated(seed) for seed in (1, 2)]
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                assert pool.map(rated, (1, 2)) == here
        """)
    )
    subprocess.run([sys.executable, str(script)], check=True, timeout=_LONGEST)


SERVER = """
import podium
league = podium.League({where!r})
ladder = podium.Ladder("elo-mmr")
ladder.record(["ann", "bob", "cat"])
{used}

def app(environ, start):
    import os
    try:
        if environ["PATH_INFO"] == "/record":
            league.record(["ann", "bob"])
            ladder.record(["ann", "bob"])
            said = str(len(league))
        elif environ["PATH_INFO"] == "/frame":
            said = repr(podium.Contests.from_records(
                [dict(contest="x", time=0, player="ann", rank=1)]))
        else:
            best = league.leaderboard(1)["player"].item() + ladder.leaderboard(1)["player"].item()
            said = f"{{os.getpid()}} {{best}} {{ladder.win_probability('ann', 'bob') > 0.5}}"
        status = "200 OK"
    except podium.StorageError as error:
        status, said = "503 Service Unavailable", str(error)
    start(status, [("Content-Type", "text/plain")])
    return [said.encode()]
"""
USED = "podium.simulate(players=5, rounds=2, seed=1)"


@pytest.mark.slow
@pytest.mark.parametrize("has_used", [False, True])
def test_a_server_that_forks_after_loading_answers(has_used, tmp_path):
    pytest.importorskip("gunicorn", reason="needs gunicorn, of podium[dev]")
    import urllib.error
    import urllib.request

    where = str(tmp_path / "league.db")
    with League.create(where) as league:
        league.record(["ann", "bob"], time="2026-05-01")
    (tmp_path / "serving.py").write_text(SERVER.format(where=where, used=USED if has_used else ""))
    command = ["-m", "gunicorn", "--preload", "--workers", "3", "--bind", "127.0.0.1:0"]
    with subprocess.Popen(
        [sys.executable, *command, "--chdir", str(tmp_path), "serving:app"],
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            address = next(
                line.split("Listening at: ")[1].split()[0]
                for line in server.stderr
                if "Listening at: " in line
            )

            def get(path: str) -> str:
                try:
                    with urllib.request.urlopen(address + path, timeout=_LONGEST) as answer:
                        return str(answer.read().decode())
                except urllib.error.HTTPError as error:
                    return f"{error.code} {error.read().decode()}"

            said = [get("/").split(maxsplit=1) for _ in range(30)]
            assert {rest for _, rest in said} == {"annann True"}
            assert str(server.pid) not in {process for process, _ in said}
            assert sorted(int(get("/record")) for _ in range(20)) == list(range(2, 22))
            read = {get("/frame") for _ in range(10)}
            if has_used:
                assert all(each.startswith("503 tables cannot be worked with") for each in read)
            else:
                assert read == {"<Contests: 1 contest, 1 row, 1 player, 1970-01-01 to 1970-01-01>"}
        finally:
            server.terminate()
            server.communicate(timeout=_LONGEST)
    with League(where) as league:
        assert league.verify().sound
        assert len(league) == 21


def test_the_sentence_says_what_why_and_what_helps(monkeypatch: pytest.MonkeyPatch):
    forks.refuse_lost_threads()
    monkeypatch.setattr(forks, "_lost", True)
    with pytest.raises(StorageError, match="forked from one that had used Polars") as refused:
        podium.read(Path("season.csv"))
    assert "multiprocessing.get_context('spawn')" in str(refused.value)
    assert "\n" not in str(refused.value)
