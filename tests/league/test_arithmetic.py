"""A league is compared to the bit only where the same arithmetic on the same machine rated it."""

import contextlib
import json
import sqlite3

import numpy as np
import pytest

import podium
from podium import League, StorageError, systems
from podium.league import edits, players, schema
from podium.ratings import arithmetic
from podium.ratings.arithmetic import UNKNOWN, this_machine
from tests.league.older import made_older
from tests.league.tables import all_tables, execute
from tests.league.test_same_answers import by_name

pytestmark = pytest.mark.usefixtures("first_arithmetic")

SEASON = podium.simulate(players=12, rounds=30, participation=0.6, seed=7)
IDS = SEASON.ids.to_list()
NEARLY = "as stored to 1e-9, rated on another kind of machine"


@pytest.fixture
def later(monkeypatch):
    """A version of podium that computes otherwise, from when this is called."""
    return lambda number=2: monkeypatch.setattr(arithmetic, "ARITHMETIC", number)


def made(where, system="elo-mmr", results=SEASON, **parameters) -> str:
    with League.create(where, system, **parameters) as league:
        league.record(results)
    return str(where)


def rated_elsewhere(where) -> None:
    execute(where, """UPDATE revisions SET machine = '{"processor": "niagara"}'""")


def verified(where) -> podium.league.verifying.Verification:
    with League(where) as league:
        return league.verify()


def machines(where) -> list[tuple]:
    with League(where) as league, league._database.reading() as connection:
        found = podium.league.revisions.load(connection)
        return [(each.arithmetic, each.machine) for each in found]


def moved(path, table: str, column: str, by: float, field: str | None = None) -> None:
    """Change the numbers of a column, or of a field of the records in it, relatively."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        if field is None:
            connection.execute(f"UPDATE {table} SET {column} = {column} * (1.0 + {by!r})")
            return
        kind = np.float64 if field == "all" else np.dtype(systems.EloMMR.table_fields)
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        for row, data in rows:
            numbers = np.frombuffer(data, kind).copy()
            part = numbers if field == "all" else numbers[field]
            part[:] = part * (1.0 + by)
            key = (numbers.tobytes(), row)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", key)


KEPT = [
    ("ratings", "rating", None),
    ("ratings", "shown", None),
    ("ratings", "mu", None),
    ("events", "performance", None),
    ("events", "sigma", None),
    ("beliefs", "record", "mu"),
    ("beliefs", "memory", "all"),
]


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: " ".join(filter(None, kept)))
def test_other_last_bits_are_sound_only_from_another_kind_of_machine(path, kept):
    made(path)
    moved(path, *kept[:2], 1e-12, kept[2])
    assert verified(path).differences
    rated_elsewhere(str(path))
    found = verified(path)
    assert found.sound
    assert found.notes == [NEARLY]
    assert found.verdict == NEARLY
    assert found.document()["notes"] == [NEARLY]
    moved(path, *kept[:2], 1e-6, kept[2])
    assert not verified(path).sound


@pytest.mark.parametrize(
    ("system", "near", "far"),
    [
        (systems.EloMMR(), 1e-6, 5e-6),
        (systems.TrueSkill(), 1e-8, 5e-8),
        (systems.TrueSkill(mu_new=0.0), 5e-9, 5e-8),
    ],
)
def test_differences_are_measured_on_the_scale_of_the_ratings(path, system, near, far):
    made(path, system)
    rated_elsewhere(str(path))
    execute(str(path), f"UPDATE ratings SET mu = mu + {near!r}")
    assert verified(path).verdict == NEARLY
    execute(str(path), f"UPDATE ratings SET mu = mu + {far!r}")
    assert not verified(path).sound


def test_beliefs_of_single_precision_agree_less_closely(path):
    matches = podium.simulate_matches(players=8, matches=30, seed=1)
    made(path, systems.Luck(points=301, storage="single"), matches)
    rated_elsewhere(str(path))
    execute(str(path), "UPDATE ratings SET mu = mu + 1e-4")
    assert verified(path).verdict == "as stored to 1e-6, rated on another kind of machine"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET number = number + 1 WHERE contest_id = 3",
        "UPDATE ratings SET contests = contests + 1 WHERE player_id = 3",
        "UPDATE ratings SET last_time = last_time + 1 WHERE player_id = 3",
        "UPDATE ratings SET sigma = NULL WHERE player_id = 3",
        "DELETE FROM events WHERE contest_id = 7",
        "DELETE FROM beliefs WHERE player_id = 2",
        "UPDATE checkpoint_parts SET beliefs = substr(beliefs, 1, 99) WHERE checkpoint_id = 2",
    ],
)
def test_what_no_rounding_does_is_unsound_wherever_it_was_rated(path, statement):
    made(path)
    rated_elsewhere(str(path))
    execute(str(path), statement)
    assert not verified(path).sound


def test_the_same_bits_from_another_kind_of_machine_need_no_note(where):
    made(where)
    rated_elsewhere(where)
    found = verified(where)
    assert (found.sound, found.notes, found.verdict) == (True, [], "all as stored")


def test_a_league_knows_what_rated_it(where):
    made(where)
    assert machines(where) == [(1, this_machine())]
    with League(where) as league:
        league.revise("elo-mmx")
        beliefs = league.beliefs()
        assert (beliefs.arithmetic, beliefs.machine) == (1, this_machine())
    assert machines(where) == [(1, this_machine())] * 2


def test_what_two_kinds_of_machines_rated_is_of_neither_until_it_is_rated_anew(path):
    made(path)
    other = this_machine()._replace(processor="niagara")
    for change in (
        lambda league: league.record(SEASON[29:], leave_known=True),
        lambda league: league.amend(IDS[29], weight=2.0),
        lambda league: league.remove(IDS[3]),
    ):
        execute(str(path), f"UPDATE revisions SET machine = '{other.text()}'")
        with League(path) as league:
            was = change(league).applied
        assert machines(path) == [(1, UNKNOWN if was else other)]
        assert verified(path).sound
    with League(path) as league:
        league.amend(IDS[0], weight=2.0)
    assert machines(path) == [(1, this_machine())]
    moved(path, "ratings", "mu", 1e-12)
    assert not verified(path).sound


def test_an_empty_league_is_of_the_machine_that_rates_it_first(path):
    League.create(path).close()
    rated_elsewhere(str(path))
    with League(path) as league:
        league.record(SEASON[:5], floor=0.0)
    assert machines(path) == [(1, this_machine())]


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_a_league_of_before_is_of_the_first_arithmetic_and_an_unknown_machine(where, version):
    made(where)
    made_older(where, version)
    change = League.migrate(where)
    assert change.what == f"brought the league from version {version} to {schema.VERSION}"
    assert (change.replayed, change.moves.height) == (0, 0)
    assert machines(where) == [(1, UNKNOWN)]
    with League(where) as league:
        league.remove(IDS[20])
    assert machines(where) == [(1, UNKNOWN)]
    assert verified(where).verdict == "all as stored"


def test_ratings_of_another_arithmetic_are_read_but_neither_compared_nor_changed(where, later):
    made(where)
    execute(where, "UPDATE ratings SET mu = mu + 7 WHERE player_id = 1")
    before = all_tables(where)
    later()
    found = verified(where)
    hint = "was rated by arithmetic 1; podium migrate brings it to 2"
    assert found.sound
    assert (found.contests, found.events) == (30, 0)
    assert found.verdict == f"revision 'first' {hint}"
    with League(where) as league:
        assert league.leaderboard().height == 10
        assert league.before(IDS[5])[0].arithmetic == 1
        for change in (
            lambda: league.remove(IDS[3]),
            lambda: league.remove(IDS[3], dry_run=True),
            lambda: league.record(SEASON[:1]),
            lambda: league.revise("elo-mmx"),
        ):
            with pytest.raises(StorageError) as refused:
                change()
            assert str(refused.value) == f"the league {hint}; nothing was changed."
    assert all_tables(where) == before


def test_results_are_verified_under_any_arithmetic(path, later):
    made(path)
    execute(str(path), "UPDATE standings SET position = 99 WHERE contest_id = 3 AND position = 1")
    later()
    assert not verified(path).sound


def test_ratings_of_a_later_arithmetic_are_left_to_a_later_podium(where):
    made(where)
    execute(where, "UPDATE revisions SET arithmetic = 3")
    hint = "was rated by arithmetic 3; this podium computes by 1, and a later one is needed"
    assert verified(where).verdict == f"revision 'first' {hint}"
    with League(where) as league, pytest.raises(StorageError, match=hint):
        league.remove(IDS[3])
    with pytest.raises(StorageError, match=hint):
        League.migrate(where)


def unsettled(where) -> None:
    """Let an earlier arithmetic have given one player much more and another hardly more."""
    for table in ("ratings", "events"):
        which = "player_id" if table == "ratings" else "contest_id"
        execute(where, f"UPDATE {table} SET mu = mu + 0.5, rating = rating + 0.5 WHERE {which} = 1")
    execute(where, "UPDATE ratings SET shown = shown + 0.5 WHERE player_id = 1")
    execute(where, "UPDATE ratings SET shown = shown + 5e-7 WHERE player_id = 2")
    execute(where, "UPDATE ratings SET shown = shown - 2e-6 WHERE player_id = 3")


def test_migrating_rates_anew_and_says_who_moved(places, later):
    where = made(places())
    sound = all_tables(where)
    unsettled(where)
    later()
    change = League.migrate(where)
    assert change.applied
    assert change.what == "rated the league anew, by arithmetic 2"
    assert change.replayed == 30
    with League(where) as league:
        with league._database.reading() as connection:
            names = players.all_names(connection)
        assert change.moves["player"].to_list() == [names[1], names[3]]
        assert league.log(1)["action"].item() == "migrate"
        details = json.loads(league.log(1)["details"].item())
        assert [each["player"] for each in details.pop("moves")] == [names[1], names[3]]
        assert details == {"from": schema.VERSION, "to": schema.VERSION, "moved": 2}
    assert change.moves["change"].round(9).to_list() == [-0.5, 2e-6]
    assert machines(where) == [(2, this_machine())]
    assert verified(where).verdict == "all as stored"
    now = all_tables(where)
    told = [now.pop("notices"), sound.pop("notices")]  # of who moved, too
    assert told[0][: len(told[1])] == told[1]
    assert [row[1] for row in told[0][len(told[1]) :]] == ["rating.changed"]
    for table in sound.keys() - {"log", "revisions", "checkpoints", "checkpoint_parts"}:
        assert now[table] == sound[table], table
    assert not League.migrate(where).applied
    with League(where) as league:
        league.remove(IDS[4])
        assert league.verify().sound


def test_tables_and_ratings_are_brought_up_to_date_together(where, later):
    made(where)
    made_older(where)
    later()
    change = League.migrate(where)
    assert change.what == (
        f"brought the league from version 0001 to {schema.VERSION} "
        "and rated the league anew, by arithmetic 2"
    )
    assert machines(where) == [(2, this_machine())]
    assert verified(where).sound


def test_revisions_out_of_force_are_rated_anew_now_or_once_they_are_wanted(places, later):
    where = places()
    with League.create(where) as league:
        league.record(SEASON[:20])
        league.revise("elo-mmx")
        league.record(SEASON[20:])  # which the first has not followed
        league.revise("topcoder")
    unsettled(where)
    later()
    change = League.migrate(where)
    assert change.replayed == 60
    assert [number for number, _ in machines(where)] == [1, 2, 2]
    assert verified(where).verdict == "all as stored"
    with League(where) as league:
        league.rollback("elo-mmx")
        league.rollback("first")
        assert league.verify().verdict == "all as stored"
        with League.create(places()) as alone:
            alone.record(SEASON)
            assert by_name(alone) == by_name(league)
    assert machines(where) == [(2, this_machine())] * 3


def test_a_migration_that_fails_leaves_the_league_as_it_was(where, later, monkeypatch):
    made(where)
    before = all_tables(where)

    def failing(*_args, **_how):
        raise StorageError("the disk is full")

    later()
    monkeypatch.setattr(edits, "write_outcome", failing)
    with pytest.raises(StorageError, match="disk is full"):
        League.migrate(where)
    later(1)
    assert all_tables(where) == before
    assert verified(where).sound


def test_a_restored_league_is_of_the_arithmetic_that_restores_it(path, tmp_path, later):
    with League.create(path) as league:
        league.record(SEASON)
        league.export(tmp_path / "export")
    about = json.loads((tmp_path / "export" / "league.json").read_text())
    assert about["revisions"][0]["arithmetic"] == 1
    assert about["revisions"][0]["machine"] == this_machine().document()
    later()
    with League.restore(tmp_path / "export", tmp_path / "copy.db") as copy:
        assert copy.verify().sound
    assert machines(tmp_path / "copy.db") == [(2, this_machine())]


def test_progress_of_a_migration_is_told(path, later):
    made(path)
    later()
    seen = []
    League.migrate(path, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0
