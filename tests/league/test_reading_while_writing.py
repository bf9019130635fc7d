"""Many read a league while one changes it: nobody waits, nobody sees half a change."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import podium
from podium import BusyError, InputError, League, NotFoundError, PodiumError, Rules
from podium.league import database, sqlite
from podium.league.database import Database
from tests.league.test_nothing_lost import as_ordinary_user
from tests.ratings.test_threads import in_threads

SEASON = podium.simulate(players=12, rounds=9, seed=2)


@pytest.fixture
def league(where: str) -> Iterator[League]:
    with League.create(where, "elo") as made:
        made.record(SEASON[:4])
        yield made


def beside(path: Path) -> list[str]:
    """What stands beside a league."""
    return sorted(each.name for each in path.parent.iterdir() if each != path)


def journal(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def with_rollback_journal(path: Path) -> None:
    """As earlier versions of podium made a league."""
    sqlite.make_one_file(path)
    assert journal(path) == "delete"


# Nobody waits


def test_who_asks_does_not_wait_for_who_changes(league, where):
    before = league.leaderboard(None)
    with League(where, wait=0) as reader, league._database.writing() as connection:
        connection.exec_driver_sql("UPDATE ratings SET shown = 0")
        assert reader.leaderboard(None).equals(before)
        with League.reading(where, wait=0) as another:
            assert another.leaderboard(None).equals(before)
            assert another.pulse() == reader.state


def test_who_changes_does_not_wait_for_who_asks(league, where):
    with League(where, wait=0) as writer, league.snapshot() as view:
        before, state = view.leaderboard(None), view.state
        writer.record(SEASON[4:6])
        assert (view.leaderboard(None).equals(before), view.state) == (True, state)
        assert len(view) == 4
        assert len(writer) == 6
        assert writer.state != state


@pytest.mark.parametrize("readers", [3, pytest.param(64, marks=pytest.mark.slow)])
def test_nobody_sees_a_mixture_of_two_states(where, readers):
    with League.create(where, "elo") as writer, League.reading(where) as shared:
        writer.record(["ann", "bob"], time="2026-05-01")
        is_over, known = threading.Event(), {writer.state: 1}

        def read(_: int) -> set[str]:
            seen = set()
            while not is_over.is_set():
                with shared.snapshot() as view:
                    state, contests = view.state, len(view)
                    board = view.leaderboard(None)
                    assert board["contests"].sum() == 2 * contests == 2 * view.log().height - 2
                    assert view.state == state
                seen.add((state, contests))
            return seen

        def write(_: int) -> set[str]:
            try:
                for number in range(12):
                    writer.record(["ann", f"p{number}"], id=f"c{number}")
                    known[writer.state] = number + 2
            finally:
                is_over.set()
            return set()

        found = set().union(
            *in_threads(readers + 1, lambda number: (read if number else write)(number))
        )
        assert found <= set(known.items())
        assert writer.verify().sound


@pytest.mark.usefixtures("league")
def test_forty_threads_have_views_at_once(where):
    together = threading.Barrier(40)
    with League.reading(where, wait=0) as shared:

        def read(_: int) -> int:
            with shared.snapshot() as view:
                together.wait()
                return len(view)

        assert in_threads(40, read) == [4] * 40


# Files


def test_a_league_has_a_write_ahead_log_and_at_rest_it_is_one_file(path):
    with League.create(path, "elo") as league:
        league.record(SEASON)
        assert beside(path) == ["league.db-shm", "league.db-wal"]
    assert beside(path) == []
    assert journal(path) == "wal"
    with League(path) as league:
        league.leaderboard()
    with League.reading(path) as league:
        league.pulse()
    with contextlib.closing(Database(path, wait=1.0)) as one, one.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    assert beside(path) == []


def test_the_write_ahead_log_is_short_after_a_change_whoever_reads(path):
    log = sqlite.beside(path)[0]
    with League.create(path, "elo") as league, League.reading(path) as reader:
        with reader.snapshot() as view:
            before = view.state
            league.record(SEASON)
            assert view.state == before
            assert log.stat().st_size > 0
        league.remove(SEASON.ids[0])
        assert log.stat().st_size == 0
        assert reader.state == league.state
    assert beside(path) == []


def test_a_write_ahead_log_that_grew_is_worth_a_moment(path, monkeypatch):
    monkeypatch.setattr(sqlite, "_MUCH", 0)
    monkeypatch.setattr(sqlite, "_MOMENT", 1)
    with League.create(path, "elo") as league, league.snapshot() as view:
        before = view.state
        with League(path) as writer:
            writer.record(SEASON)
        assert view.state == before
        assert league.state != before


def test_a_change_that_fails_leaves_no_long_write_ahead_log(path):
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with League.create(path, "elo") as league:
        before = league.state
        with pytest.raises(KeyboardInterrupt):
            league.record(podium.simulate(players=300, rounds=30, seed=1), progress=interrupt)
        assert sqlite.beside(path)[0].stat().st_size == 0
        assert league.state == before


def test_a_league_of_an_earlier_podium_is_read_as_it_is_and_changed_with_a_log(path):
    with League.create(path, "elo") as league:
        league.record(SEASON[:4])
    with_rollback_journal(path)
    content = path.read_bytes()
    with League(path) as league, League.reading(path) as reader:
        assert len(league) == len(reader) == 4
        assert league.state == reader.pulse()
        assert path.read_bytes() == content
        league.record(SEASON[4:5])
        assert reader.pulse() == league.state
        assert len(reader) == 5
    assert journal(path) == "wal"
    assert beside(path) == []


def test_where_there_can_be_no_write_ahead_log_changes_are_made_without(path, monkeypatch):
    monkeypatch.setattr(sqlite, "settle", lambda *_, **__: None)
    with League.create(path, "elo") as league, League.reading(path) as reader:
        before = reader.pulse()
        league.record(SEASON)
        assert journal(path) == "delete"
        assert reader.pulse() == league.state != before
        assert league.verify().sound


def test_a_reader_in_the_way_of_a_log_is_let_alone(path):
    League.create(path, "elo").close()
    with_rollback_journal(path)
    with League(path, wait=0) as league, contextlib.closing(sqlite3.connect(path)) as other:
        other.isolation_level = None
        other.execute("BEGIN")
        other.execute("SELECT * FROM league").fetchall()
        with contextlib.suppress(BusyError):
            league.record(SEASON[:2])  # a rollback journal needs the league for itself in the end
        other.execute("COMMIT")
        assert journal(path) == "delete"
        league.record(SEASON[2:4])
        assert journal(path) == "wal"


def test_who_has_a_rollback_journal_comes_to_write_though_somebody_is_always_reading(path):
    with League.create(path, "elo") as league:
        league.record(SEASON[:2])
    with_rollback_journal(path)
    script = f"import podium; print(podium.League({str(path)!r}).remove({SEASON.ids[0]!r}).what)"
    with League.reading(path) as reader, subprocess.Popen([sys.executable, "-c", script]) as writer:

        def read(_: int) -> int:
            while writer.poll() is None:
                with reader.snapshot() as view:
                    assert {len(view) for _ in range(50)} in ({1}, {2})
            return writer.wait()

        assert in_threads(8, read) == [0] * 8
        assert len(reader) == 1
    assert journal(path) == "wal"


def test_what_was_acknowledged_is_found_beside_a_file_that_was_left_open(path, tmp_path):
    left = tmp_path / "left"
    left.mkdir()
    with League.create(path, "elo") as league, league.snapshot() as view:
        assert len(view) == 0
        league.record(SEASON)
        for each in (path, sqlite.beside(path)[0]):
            shutil.copy(each, left)
        state = league.state
    with League.reading(left / path.name) as copy:
        assert (copy.state, len(copy)) == (state, len(SEASON))
    with League(left / path.name) as copy:
        assert copy.verify().sound
        copy.remove(SEASON.ids[0])
    assert beside(left / path.name) == []


def test_to_open_a_league_twice_keeps_the_locks_of_the_process(path):
    """SQLite's are the process's: whoever opens and closes the file itself lets go of them."""
    with League.create(path, "elo") as league:
        league.record(SEASON)
        shared = sqlite.beside(path)[1].stat().st_ino
        League(path).close()
        League.reading(path).close()
        subprocess.run(
            [sys.executable, "-c", f"import podium; len(podium.League({str(path)!r}))"], check=True
        )
        assert sqlite.beside(path)[1].stat().st_ino == shared


def test_another_file_at_the_same_path_is_noticed(path, tmp_path):
    other = tmp_path / "other.db"
    with League.create(path, "elo") as league:
        league.record(SEASON[:4])
    with League.create(other, "glicko") as league:
        league.record(SEASON[:7])
    with League(path) as league, League.reading(path) as reader:
        before = reader.pulse(), league.state
        assert (len(league), len(reader)) == (4, 4)
        with reader.snapshot() as view:
            assert len(view) == 4
            other.replace(path)
            assert len(view) == 4
        assert (len(league), len(reader), reader.system.name) == (7, 7, "glicko")
        after = reader.pulse(), league.state
        assert after[0] == after[1] not in before
        path.unlink()
        for ask in (reader.pulse, lambda: len(reader), lambda: len(league)):
            with pytest.raises(NotFoundError, match="there is no such league any more"):
                ask()


def test_what_is_no_league_and_takes_the_place_of_one_is_a_sentence(path, tmp_path):
    League.create(path, "elo").close()
    with League.reading(path) as reader:
        reader.pulse()
        for content, said in (
            (b"contest,time\n" * 99, "is not a league"),
            (b"", "holds no league"),
        ):
            (tmp_path / "other").write_bytes(content)
            (tmp_path / "other").replace(path)
            for ask in (reader.pulse, lambda: len(reader)):
                with pytest.raises(PodiumError, match=said):
                    ask()


# Read only

CHANGES: dict[str, Callable[[League], object]] = {
    "record": lambda league: league.record(SEASON[4:6]),
    "record one by one": lambda league: league.record(SEASON[6:], floor=0.0),
    "amend": lambda league: league.amend(SEASON.ids[1], weight=2.0),
    "call": lambda league: league.amend(SEASON.ids[1], name="Final"),
    "disqualify": lambda league: league.disqualify(SEASON.ids[2], "player-0001"),
    "remove": lambda league: league.remove(SEASON.ids[0]),
    "rename": lambda league: league.rename("player-0002", "Bob"),
    "merge": lambda league: league.merge("alone", "Bob"),
    "set_rules": lambda league: league.set_rules(Rules(display="mean", hidden_until=2)),
    "revise": lambda league: league.revise("glicko"),
    "rollback": lambda league: league.rollback(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_league_open_for_reading_cannot_be_changed(league, where, name):
    with League.reading(where) as reader:
        assert reader.is_readonly
        assert not league.is_readonly
        with pytest.raises(InputError, match=r"is open for reading only; podium\.League"):
            CHANGES[name](reader)
        with pytest.raises(InputError, match="is open for reading only"):
            reader.set_rules(Rules(display="mean"), dry_run=True)


def test_nor_behind_its_back(league, where):
    with League.reading(where) as reader, reader._database.reading() as connection:
        for statement in ("DELETE FROM ratings", "DROP TABLE players", "CREATE TABLE x (y INT)"):
            with pytest.raises(Exception, match=r"read.?only"):
                connection.exec_driver_sql(statement)
            if not reader._database.is_sqlite:
                connection.rollback()
    assert league.verify().sound


def test_a_league_open_for_reading_answers_all_questions(league, where, tmp_path):
    with League.reading(where) as reader:
        assert reader.leaderboard(None).equals(league.leaderboard(None))
        assert reader.verify().sound
        assert reader.player("player-0001") == league.player("player-0001")
        reader.export(tmp_path / "export")
        assert repr(reader) == repr(league)


def test_a_file_in_a_folder_that_is_read_only_is_read(path):
    with League.create(path, "elo") as league:
        league.record(SEASON)
    content = path.read_bytes()
    with as_ordinary_user() as folder:
        where = folder / "league.db"
        where.write_bytes(content)
        where.chmod(0o444)
        folder.chmod(0o555)
        try:
            with League.reading(where) as reader:
                assert len(reader) == len(SEASON)
                assert reader.pulse() == reader.state
                assert reader.verify().sound
                with pytest.raises(BusyError, match="was changed while it was read; ask again"):
                    _touched_while_read(reader, where)
                assert len(reader) == len(SEASON)
            assert list(folder.iterdir()) == [where]
        finally:
            folder.chmod(0o755)


def _touched_while_read(reader: League, where: Path) -> None:
    with reader.snapshot() as view:
        assert len(view) == len(SEASON)
        os.utime(where, ns=(1, 1))


def test_who_may_only_read_sees_the_changes_of_who_may_write():
    if os.getuid() != 0:
        pytest.skip("needs to be root, to be two users")
    script = """
    import sys, podium
    with podium.League.create(sys.argv[1], "elo") as league:
        for line in sys.stdin:
            league.record(["ann", "bob"], id=line.strip())
            print(league.state, flush=True)
    """
    with as_ordinary_user() as folder:
        where, user = folder / "league.db", os.geteuid()
        folder.chmod(0o555)
        os.seteuid(0)
        writer = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), where],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        os.seteuid(user)

        def record(id: str) -> str:
            print(id, file=writer.stdin, flush=True)
            return writer.stdout.readline().strip()

        with writer:
            first = record("first")
            with League.reading(where) as reader:
                assert (reader.pulse(), reader.state, len(reader)) == (first, first, 1)
                with reader.snapshot() as view:
                    second = record("second")
                    assert (view.state, len(view)) == (first, 1)
                assert (reader.pulse(), reader.state, len(reader)) == (second, second, 2)
        folder.chmod(0o755)


# States


def test_the_state_is_another_after_every_change_and_else_the_same(places, monkeypatch):
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    where = places()
    with League.create(where, "elo") as league, League.reading(where) as reader:
        league.record(SEASON[:4])
        league.record(["alone", "player-0003"], id="x")
        seen = [reader.state]
        for name, change in CHANGES.items():
            for _ in range(2):
                with reader.snapshot() as view:
                    assert view.state == reader.pulse() == league.pulse() == seen[-1]
            league.set_rules(Rules(caution=7.0), dry_run=True)
            assert not league.record(league.results(SEASON.ids[3])).applied
            assert reader.pulse() == seen[-1], name
            assert change(league).applied, name
            seen.append(league.state)
        assert len(set(seen)) == len(seen) == 1 + len(CHANGES)
        assert reader.pulse() == seen[-1]
        assert all(len(each) <= 32 and each.isalnum() for each in seen)


def test_a_league_that_is_migrated_has_another_state(path):
    from tests.league.older import made_older

    with League.create(path, "elo") as league:
        league.record(SEASON)
        before = league.state
    made_older(str(path))
    League.migrate(path)
    with League(path) as league:
        assert league.state != before


def test_a_server_is_asked_for_its_pulse_now_and_then_only(postgresql, monkeypatch):
    moment = [100.0]
    monkeypatch.setattr(database.clock, "monotonic", lambda: moment[0])
    where = postgresql.new_database()
    with League.create(where, "elo") as league:
        before = league.pulse()
        league.record(SEASON[:1])
        assert league.pulse() == before
        moment[0] += 0.3
        assert league.pulse() == league.state != before


def test_a_pulse_does_not_wait_for_who_has_a_rollback_journal(path):
    League.create(path, "elo").close()
    with_rollback_journal(path)
    with League.reading(path) as league, contextlib.closing(sqlite3.connect(path)) as other:
        before = league.pulse()
        other.isolation_level = None
        other.execute("BEGIN EXCLUSIVE")
        assert league.pulse() == before
        other.execute("INSERT INTO log VALUES (2, 0, 'ann', 'init', NULL, NULL, NULL, '{}', 0, 0)")
        other.execute("COMMIT")
        assert league.pulse() == league.state != before


def test_threads_ask_for_the_pulse_at_once(league, where, monkeypatch):
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    with League.reading(where) as reader:

        def ask(number: int) -> bool:
            if number == 0:
                for each in range(5):
                    league.record(["ann", "bob"], id=f"x{each}")
            return all(reader.pulse() for _ in range(50))

        assert all(in_threads(6, ask))
        assert reader.pulse() == league.state


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_nothing_of_a_file_is_shared_with_a_child_of_a_fork(path):
    script = f"""
    import os, pathlib, podium, signal

    def open_files():
        names = [os.readlink(each) for each in pathlib.Path("/proc/self/fd").iterdir()
                 if each.is_symlink()]
        return sorted(name for name in names if "league.db" in name)

    where = {str(path)!r}
    writer = podium.League.create(where, "elo")
    writer.record(["ann", "bob"], time="2026-05-01")
    reader = podium.League.reading(where)
    before = reader.pulse()
    assert len(reader) == len(writer) == 1
    assert open_files()
    child = os.fork()
    if child == 0:
        status = 1
        signal.alarm(300)  # one that hangs is ended
        try:
            assert open_files() == [], open_files()
            assert reader.pulse() == before
            writer.record(["ann", "cat"], id="x")
            assert reader.pulse() == reader.state != before
            assert len(reader) == 2
            reader.close(); writer.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert reader.pulse() == reader.state != before
    writer.record(["ann", "cat"], id="y")
    assert len(reader) == len(writer) == 3
    assert writer.verify().sound
    writer.close(); reader.close()
    assert not open_files()
    """
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr
    assert beside(path) == []
