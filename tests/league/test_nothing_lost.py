"""Whatever happens to a process, a disk or a server: a change is there in full, or not at all."""

import contextlib
import itertools
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from sqlalchemy.engine import make_url

import podium
from podium import Contests, League, PodiumError
from podium.league import schema
from tests.league import changing
from tests.league.conftest import Server, unprivileged
from tests.league.older import made_older
from tests.league.tables import all_tables, execute

SCRIPT = Path(changing.__file__)


def python(*arguments: str) -> subprocess.Popen[str]:
    """The script `changing`, with pipes to it and from it."""
    roots = [str(SCRIPT.parents[2]), *sys.path]
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
    )


class Victim:
    """A process that changes leagues in copies of itself, which are killed in the middle."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._turns = itertools.cycle(["itself", "from outside"])
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")

    def killed(
        self, where: str, twin: Path, share: float, action: str = "change"
    ) -> tuple[int, int]:
        """Let it be killed after about that share of a change.

        The number of that change, and of the last that was acknowledged, or -1.
        """
        turn = (where, twin, action, share, next(self._turns))
        print(*turn, sep="\t", file=self._process.stdin)
        begun, acknowledged = self._line().split()
        return int(begun), int(acknowledged)


@pytest.fixture(scope="module")
def victim() -> Iterator[Victim]:
    with python() as process:
        yield Victim(process)
        assert process.stdin is not None
        process.stdin.close()


def begun(where: str) -> str:
    """A league with some contests."""
    with League.create(where, changing.SYSTEM) as league:
        for number in range(8):
            league.record(changing.standings(random.Random(number), f"contest {number}"))
    return where


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> bytes:
    """The file of a league."""
    path = tmp_path_factory.mktemp("content") / "league.db"
    begun(str(path))
    return path.read_bytes()


_CHANGES = 3
"""In about so many changes a process is killed, so that some are acknowledged before."""


def kill_ten_times(victim: Victim, where: str, reference: Path, rng: random.Random, settle) -> int:
    """Kill who changes a new league, which is then what an undisturbed twin of it is.

    How many changes had been acknowledged.
    """
    lost = kept = 0
    with League(reference) as twin:
        for _ in range(10):
            before = changing.applied(twin)
            number, acknowledged = victim.killed(where, reference, _CHANGES * rng.random())
            kept += max(0, acknowledged + 1 - before)
            settle()
            with League(where) as league:
                seen = changing.applied(league)
                assert seen > acknowledged, "a change that was acknowledged is lost"
                assert seen in (number, number + 1)
                lost += seen == number
                assert league.verify().differences == []
            while changing.applied(twin) < seen:
                changing.change(twin, changing.applied(twin))
            assert all_tables(where) == all_tables(str(reference))
    assert lost > 0, "no process was killed before its change was made"
    return kept


MANY = int(os.environ.get("PODIUM_CASES", "100"))
"""How many processes are killed, and a third as many clients of a server."""
SECONDS = float(os.environ.get("PODIUM_SECONDS", "0"))
"""How long several processes write at once; by default, until each has made a few changes."""


@pytest.mark.parametrize(
    "kills", [pytest.param(10, id="ten"), pytest.param(MANY, marks=pytest.mark.slow, id="many")]
)
def test_a_process_killed_many_times_leaves_all_of_a_change_or_nothing(
    victim, content, tmp_path, kills
):
    rng = random.Random(kills)
    where, reference = tmp_path / "league.db", tmp_path / "reference.db"
    kept = 0
    for _ in range(kills // 10):
        for each in (where, reference):
            each.write_bytes(content)
        kept += kill_ten_times(victim, str(where), reference, rng, lambda: None)
    print(f"{kills} kills, {kept} changes acknowledged before, none lost")


def wait_for_others(server: Server, where: str) -> None:
    """Until the server has noticed who is gone."""
    name = make_url(where).database
    with server.connect() as connection:
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
        while connection.execute(others, (name,)).fetchone() != (0,):
            pass


@pytest.mark.parametrize(
    "kills",
    [pytest.param(10, id="ten"), pytest.param(MANY // 3, marks=pytest.mark.slow, id="many")],
)
def test_a_client_that_is_killed_leaves_all_of_a_change_or_nothing(
    victim, content, postgresql, tmp_path, kills
):
    rng = random.Random(kills)
    kept = 0
    for _ in range(kills // 10):
        reference = tmp_path / "reference.db"
        reference.write_bytes(content)
        where = begun(postgresql.new_database())
        kept += kill_ten_times(
            victim, where, reference, rng, lambda where=where: wait_for_others(postgresql, where)
        )
    print(f"{kills} kills, {kept} changes acknowledged before, none lost")


def test_a_process_killed_while_it_migrates_leaves_the_old_league_or_the_new(victim, tmp_path):
    where, old = tmp_path / "league.db", tmp_path / "old.db"
    begun(str(old))
    made_older(str(old))
    rng = random.Random(1)
    versions = set()
    for _ in range(8):
        shutil.copy(old, where)
        for kind in ("journal", "wal", "shm"):
            (tmp_path / f"league.db-{kind}").unlink(missing_ok=True)
        victim.killed(str(where), old, rng.random(), "migrate")
        with contextlib.closing(sqlite3.connect(where)) as connection:
            versions |= set(connection.execute("SELECT version_num FROM alembic_version"))
        League.migrate(where)
        with League(where) as league:
            assert league.verify().differences == []
    assert versions <= {("0001",), (schema.VERSION,)}


# Several at once


def test_processes_that_write_at_once_all_succeed(where):
    League.create(where, changing.SYSTEM).close()
    names = ["ann", "bob", "cat"]
    processes = [python(where, name, "12", str(SECONDS)) for name in names]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    made = {}
    for name, process in zip(names, processes, strict=True):
        said, _ = process.communicate()
        assert process.returncode == 0
        made[name] = int(said)
    with League(where) as league:
        log = league.log()
        for name, count in made.items():
            actions = log.filter(pl.col("who") == name)["action"].to_list()
            tens = count // 10
            assert [actions.count(each) for each in ("record", "amend", "remove")] == [
                count,
                tens,
                tens,
            ]
        assert len(league) == sum(count - count // 10 for count in made.values())
        print(f"{sum(made.values())} contests by {len(names)} processes")
        assert league.verify().differences == []
        numbers = league.log()["number"].to_list()
        assert numbers == list(range(len(numbers), 0, -1))


@contextlib.contextmanager
def somebody_else_changing(where: str) -> Iterator[None]:
    """A change that takes long."""
    league = League(where)
    with league._database.writing() as connection:
        assert connection
        yield
    league.close()


@pytest.mark.parametrize("wait", [0, 0.2])
def test_who_does_not_wait_is_told_that_somebody_else_is_at_work(where, wait):
    begun(where)
    with League(where, wait=wait) as league:
        before = league.leaderboard(None)
        number = changing.applied(league)
        with (
            somebody_else_changing(where),
            pytest.raises(
                PodiumError, match=r"another process is changing it.*nothing was changed"
            ),
        ):
            changing.change(league, number)
        assert league.leaderboard(None).equals(before)
        changing.change(league, number)
        assert changing.applied(league) == number + 1


def test_readers_see_what_was_before_a_change_while_it_is_made(where):
    begun(where)
    season = podium.simulate(players=10, rounds=3, seed=4)
    with League(where) as league, League(where) as reader:
        before = reader.leaderboard(None)
        seen = []

        def look(*_: int) -> None:
            seen.append(reader.leaderboard(None))

        league.record(season, progress=look)
        assert seen
        assert all(each.equals(before) for each in seen)
        assert not reader.leaderboard(None).equals(before)


# Disks


def refusal(league: League, results: Contests) -> str:
    """What is said about a change that cannot be made, which leaves everything as it was."""
    before = all_tables_of(league)
    with pytest.raises(PodiumError) as refused:
        league.record(results)
    assert all_tables_of(league) == before
    said = str(refused.value)
    assert said.endswith("nothing was changed.")
    assert "\n" not in said
    return said


def all_tables_of(league: League):
    return all_tables(league.where)


MUCH = {"players": 400, "rounds": 40, "seed": 1}


def test_a_full_disk_changes_nothing():
    if os.getuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs to be root, to have a small disk")
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "none", folder], capture_output=True
        )
        if mounted.returncode != 0:
            pytest.skip(f"a small disk cannot be mounted: {mounted.stderr.decode()}")
        try:
            where = begun(f"{folder}/league.db")
            with League(where) as league:
                said = refusal(league, podium.simulate(**MUCH))
                assert said == f"{where}: the disk is full; nothing was changed."
                assert league.verify().sound
                changing.change(league, changing.applied(league))
                assert league.verify().sound
        finally:
            subprocess.run(["umount", folder], check=True)


def test_a_file_that_may_not_grow_changes_nothing(path):
    where = begun(str(path))
    season = podium.simulate(**MUCH)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with League(where) as league:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50_000, limits[1]))
        try:
            said = refusal(league, season)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert "disk" in said
        league.record(season)
        assert league.verify().sound


@contextlib.contextmanager
def as_ordinary_user() -> Iterator[Path]:
    """Be somebody whom permissions bind, with a folder that they own."""
    user = unprivileged()
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        if not user:
            yield Path(folder)
            return
        os.chown(folder, user["user"], user["group"])
        os.setegid(user["group"])
        os.seteuid(user["user"])
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)
            os.setegid(0)


def test_a_file_that_is_read_only_can_be_read(path):
    begun(str(path))
    content = path.read_bytes()
    season = podium.simulate(players=5, rounds=2, seed=1)
    with as_ordinary_user() as folder:
        where = folder / "league.db"
        where.write_bytes(content)
        where.chmod(0o444)
        with League(where) as league:
            assert league.verify().sound
            assert refusal(league, season) == f"{where}: it is read-only; nothing was changed."
        where.chmod(0o644)
        folder.chmod(0o555)
        with League(where) as league:
            assert len(league) > 0
            assert "nothing was changed" in refusal(league, season)
        folder.chmod(0o755)
        with League(where) as league:
            league.record(season)
            assert league.verify().sound


def test_a_league_cannot_be_made_where_nothing_can_be_written():
    with as_ordinary_user() as folder:
        folder.chmod(0o555)
        with pytest.raises(PodiumError, match=r"league\.db: it cannot be opened"):
            League.create(folder / "league.db")
        folder.chmod(0o755)
        assert not list(folder.iterdir())


# Servers


def cut_off(server: Server, where: str) -> None:
    """End all connections to a database."""
    name = make_url(where).database
    with server.connect() as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
        )
    wait_for_others(server, where)


def test_a_connection_that_ends_in_the_middle_changes_nothing(postgresql):
    where = begun(postgresql.new_database())
    season = podium.simulate(players=30, rounds=20, seed=1)
    before = all_tables(where)
    said = "the connection to the database was lost; nothing was changed."
    with League(where) as league:
        for moment in itertools.count():
            calls = itertools.count()

            def perhaps_cut(*_: int, moment: int = moment, calls=calls) -> None:
                if next(calls) == moment:
                    cut_off(postgresql, where)

            try:
                league.record(season, progress=perhaps_cut)
            except PodiumError as error:
                assert str(error) == f"{league.where}: {said}"  # noqa: PT017
                assert all_tables(where) == before
                assert league.verify().sound
            else:
                break
        assert moment > 2
        assert next(calls) <= moment
        assert league.verify().sound


def test_a_server_that_crashes_in_the_middle_loses_nothing_else(own_postgresql):
    where = begun(own_postgresql.new_database())
    before = all_tables(where)
    season = podium.simulate(players=30, rounds=20, seed=1)
    is_up = True

    def crash(*_: int) -> None:
        nonlocal is_up
        if is_up:
            is_up = False
            own_postgresql.stop("immediate")

    with League(where) as league:
        with pytest.raises(PodiumError, match="the connection to the database was lost"):
            league.record(season, progress=crash)
        with pytest.raises(PodiumError, match="there is no connection to the database"):
            league.leaderboard()
        own_postgresql.start()
        assert all_tables(where) == before
        assert league.verify().sound
        league.record(season)
        assert league.verify().sound


def test_an_interruption_in_the_middle_changes_nothing(where):
    begun(where)
    before = all_tables(where)

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with League(where) as league:
        with pytest.raises(KeyboardInterrupt):
            league.record(podium.simulate(players=5, rounds=3, seed=1), progress=interrupt)
        assert all_tables(where) == before
        changing.change(league, changing.applied(league))
        assert league.verify().sound


# Files that are not what they should be


@pytest.mark.parametrize("share", [0.0005, 0.1, 0.5, 0.9, 0.97])
def test_a_truncated_file_is_refused_or_found_unsound(path, content, share):
    path.write_bytes(content[: int(len(content) * share)])
    assert trouble(path)
    path.write_bytes(content)
    with League(path) as league:
        assert league.verify().sound


def trouble(path: Path) -> str:
    """What is said about a damaged league: a sentence, or what verify finds."""
    try:
        with League(path) as league:
            return "; ".join(league.verify().differences)
    except PodiumError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return str(error)


@pytest.mark.parametrize("seed", range(40))
def test_random_bytes_in_a_file_are_noticed_or_change_nothing(path, content, seed):
    path.write_bytes(content)
    with League(path) as league:
        before = league.leaderboard(None)
    rng = random.Random(seed)
    damaged = bytearray(content)
    start = rng.randrange(100, len(damaged) - 64)
    damaged[start : start + 64] = rng.randbytes(64)
    path.write_bytes(damaged)
    if not trouble(path):
        with League(path) as league:
            assert league.leaderboard(None).equals(before)


def test_other_files_are_refused(path):
    results = "contest,time,player,rank\n1,2026-01-01,ann,1\n"
    path.write_text(results)
    assert trouble(path) == f"{path}: is not a league; podium init LEAGUE makes one."
    with pytest.raises(PodiumError, match="is not a league"):
        League.create(path)
    with pytest.raises(PodiumError, match="is not a league"):
        League.migrate(path)
    assert path.read_text() == results
    path.write_bytes(b"")
    assert trouble(path) == f"{path}: holds no league; podium init makes one."
    with pytest.raises(PodiumError, match="holds no league"):
        League.migrate(path)
    path.unlink()
    assert trouble(path) == f"{path}: there is no such league; podium init {path} makes one."
    path.mkdir()
    assert "is a folder" in trouble(path)


def test_a_database_of_something_else_is_left_alone(places):
    where = places()
    if "://" not in where:
        sqlite3.connect(where).close()
    create = "CREATE TABLE wines (name TEXT)"
    if "://" in where:
        from sqlalchemy import create_engine, text

        engine = create_engine(where.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.execute(text(create))
        engine.dispose()
    else:
        execute(where, create)
    for attempt in (League, League.create, League.migrate):
        with pytest.raises(PodiumError, match=r"is a database of something else.*'wines'"):
            attempt(where)


def test_a_league_is_not_made_twice(where):
    begun(where)
    before = all_tables(where)
    with pytest.raises(PodiumError, match="there is a league already"):
        League.create(where)
    assert all_tables(where) == before


def test_a_league_of_a_later_version_is_refused(where):
    begun(where)
    execute(where, "UPDATE alembic_version SET version_num = '9000'")
    for attempt in (League, League.migrate):
        with pytest.raises(PodiumError, match="was made by a later version of podium"):
            attempt(where)


@pytest.mark.usefixtures("first_arithmetic")
def test_a_league_of_the_first_version_is_brought_up_to_date(where):
    begun(where)
    before = all_tables(where)
    made_older(where)
    with pytest.raises(PodiumError, match=r"was made by an earlier version.*podium migrate"):
        League(where)
    change = League.migrate(where)
    assert change.applied
    assert change.what == f"brought the league from version 0001 to {schema.VERSION}"
    assert not League.migrate(where).applied
    after = all_tables(where)
    assert len(after.pop("log")) == len(before.pop("log")) + 1
    assert before.pop("notices")
    assert after.pop("notices") == []  # which there were none of in that version
    assert before.pop("league")[0][:2] == after.pop("league")[0][:2]
    rated = [[row[:6] for row in tables.pop("revisions")] for tables in (before, after)]
    assert rated[0] == rated[1]
    assert after == before
    with League(where) as league:
        assert league.log(1)["action"].to_list() == ["migrate"]
        assert league.rules == podium.Rules()
        assert league.verify().sound
        changing.change(league, 100)
        assert league.verify().sound


def test_nobody_changes_the_log(where):
    begun(where)
    before = all_tables(where)
    for statement in (
        "UPDATE log SET who = 'nobody'",
        "DELETE FROM log",
        "DELETE FROM log WHERE id=1",
    ):
        with pytest.raises(Exception, match="the log of a league only grows"):
            execute(where, statement)
    assert all_tables(where) == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ratings SET mu = mu + 1e-12 WHERE player_id = 1",
        "UPDATE ratings SET shown = shown + 1",
        "UPDATE ratings SET contests = contests + 1",
        "UPDATE ratings SET last_time = last_time + 1",
        "DELETE FROM ratings WHERE player_id = 2",
        "UPDATE events SET performance = performance + 1e-9 WHERE position = 1",
        "UPDATE events SET number = number + 1",
        "DELETE FROM events WHERE position = 2",
        "DELETE FROM beliefs WHERE player_id = 3",
        "DELETE FROM checkpoints",
        "DELETE FROM checkpoint_parts",
        "UPDATE checkpoints SET time = time + 1",
        "UPDATE checkpoints SET contests = contests + 1",
        "UPDATE standings SET rank = 3 - rank WHERE rank < 3",
        "UPDATE standings SET player_id = 99 WHERE position = 1",
        "DELETE FROM standings WHERE position = 1",
        "UPDATE standings SET eligible = NOT eligible WHERE position = 1",
        "UPDATE contests SET weight = 3 * weight",
        "UPDATE contests SET time = 0",
        "UPDATE contests SET rated = NOT rated",
        "DELETE FROM contests WHERE id = 2",
        "DELETE FROM players WHERE id = 2",
        "UPDATE revisions SET parameters = replace(parameters, '1500', '1400')",
    ],
)
def test_whatever_is_changed_behind_its_back_is_found(path, content, statement):
    path.write_bytes(content)
    execute(str(path), statement)
    assert trouble(path)


def test_beliefs_changed_behind_its_back_are_found(path, content):
    where = str(path)
    path.write_bytes(content)
    for table, column in (
        ("beliefs", "record"),
        ("beliefs", "memory"),
        ("checkpoint_parts", "beliefs"),
    ):
        execute(where, f"UPDATE {table} SET {column} = {column} || x'00'")
        assert trouble(path), (table, column)
        path.write_bytes(content)
        execute(where, f"UPDATE {table} SET {column} = x'00'")
        assert trouble(path), (table, column)
        path.write_bytes(content)
        assert not trouble(path)


def test_a_log_that_cannot_be_read_is_found(path, content):
    for column, value in (("details", "'{'"), ("before", "x'00'")):
        path.write_bytes(content)
        last = f"UPDATE log SET {column} = {value} WHERE id = (SELECT max(id) FROM log)"
        execute(str(path), "DROP TRIGGER log_only_grows_update", last)
        assert "of the log cannot be read" in trouble(path)
