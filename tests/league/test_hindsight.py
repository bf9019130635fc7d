"""A look back that is stored stands beside the league, and says what it does not know."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import pytest
from sqlalchemy import func, select

import podium
from podium import InputError, League, NotFoundError, PodiumError
from podium.league import schema
from tests.league.older import made_older
from tests.league.tables import all_tables, execute

SEASON = podium.simulate(players=15, rounds=12, participation=0.6, ties=0.2, seed=6)
OWN = {each.name for each in schema.OF_HINDSIGHT}
ANN, BOB = "player-0003", "player-0007"


@pytest.fixture
def league(where: str) -> Iterator[League]:
    with League.create(where) as made:
        made.record(SEASON[:9])
        yield made


def counts(where: str) -> dict[str, Any]:
    """All that counts of a league."""
    return {name: rows for name, rows in all_tables(where).items() if name not in OWN}


def rows_kept(league: League) -> int:
    with league._database.reading() as connection:
        return connection.execute(select(func.count()).select_from(schema.look_back_rows)).scalar()


def numbers(table: pl.DataFrame) -> pl.DataFrame:
    return table.select(pl.exclude("name", "participants", "rank"), pl.col("rank").cast(pl.Int64))


def test_what_is_stored_is_what_was_seen_to_the_bit(league):
    assert league.stored_look_back() is None
    found = league.store_look_back(q=20.0)
    again = podium.look_back(league.results().without_teams(), q=20.0)
    assert rows_kept(league) == SEASON[:9].rows
    for name in SEASON[:9].players:
        stored = league.looked_back_at(name)
        assert numbers(stored).equals(numbers(found.player(name)))
        assert numbers(stored).equals(numbers(again.player(name)))
    sizes = dict(zip(SEASON.ids, SEASON.sizes.tolist(), strict=True))
    assert stored["participants"].to_list() == [sizes[each] for each in stored["contest"]]
    kept = league.stored_look_back()
    assert kept.about == {
        name: value for name, value in found.document().items() if name not in ("best", "players")
    }
    assert kept.about["parameters"]["q"] == 20.0
    assert (kept.until, kept.entry) == (SEASON[8].time, 2)
    assert kept.is_current


def test_nothing_that_counts_changes(league, where, tmp_path):
    before, state, log = counts(where), league.state, league.log()
    league.export(tmp_path / "before")
    league.store_look_back()
    assert counts(where) == before
    assert league.state == league.pulse() == state
    assert league.log().equals(log)
    assert league.verify(export=True).differences == []
    league.export(tmp_path / "after")
    for path in (tmp_path / "before").iterdir():
        assert path.read_bytes() == (tmp_path / "after" / path.name).read_bytes()
    with League.restore(tmp_path / "after", tmp_path / "restored.db") as other:
        assert other.stored_look_back() is None
    league.backup(tmp_path / "copy.db")
    with League.reading(tmp_path / "copy.db") as copy:
        assert copy.stored_look_back() == league.stored_look_back()
        assert copy.looked_back_at(ANN).equals(league.looked_back_at(ANN))
        with pytest.raises(InputError, match="open for reading only"):
            copy.store_look_back()


def test_it_says_what_has_happened_since(league):
    league.store_look_back()
    first = league.looked_back_at(ANN)
    league.record(SEASON[9:11])
    league.set_access("private")
    league.describe(ANN, {"display": "Ann"})
    league.rename(BOB, "bob")
    kept = league.stored_look_back()
    assert (kept.contests_since, kept.corrections_since, kept.is_current) == (2, 0, False)
    assert kept.summary.endswith("after entry 2 of the log; 2 contests since")
    assert league.looked_back_at(ANN).equals(first)
    assert league.looked_back_at(BOB).equals(league.looked_back_at("bob"))
    league.amend(SEASON.ids[3], weight=2.0)
    league.undo()
    kept = league.stored_look_back()
    assert (kept.contests_since, kept.corrections_since) == (2, 2)
    assert kept.summary.endswith("; 2 contests and 2 corrections since")
    assert league.verify(export=True).differences == []
    league.store_look_back()
    kept = league.stored_look_back()
    assert kept.is_current
    assert kept.about["contests"] == 11
    assert kept.summary.endswith("no contest since")
    assert rows_kept(league) == SEASON[:11].rows


def test_a_contest_that_has_gone_is_shown_no_more_nor_is_another_of_its_number(league):
    league.store_look_back()
    last = SEASON.ids[8]
    name = league.contest(last)["player"][0]
    before = league.looked_back_at(name)
    assert before["contest"][-1] == last
    league.remove(last)
    assert league.looked_back_at(name).equals(before.head(before.height - 1))
    league.record([name, "new"], id="another", time="2026-08-01")
    assert league.looked_back_at(name).equals(before.head(before.height - 1))
    assert league.looked_back_at("new").is_empty()


def test_nothing_is_kept_of_who_is_forgotten_or_merged(league):
    league.record(["zoe", ANN], time="2026-08-01")
    league.store_look_back()
    everything = rows_kept(league)
    number = league["zoe"].id
    league.undo()
    assert rows_kept(league) == everything - 1
    with pytest.raises(NotFoundError, match="no player 'zoe'"):
        league.looked_back_at("zoe")
    league.redo()
    assert league["zoe"].id == number
    assert league.looked_back_at("zoe").is_empty()
    league.record(["kit", "kat"], time="2026-09-01")
    league.store_look_back()
    everything = rows_kept(league)
    league.merge("kit", ANN)
    assert rows_kept(league) == everything - 1
    assert "2026-09-01" not in league.looked_back_at("kit")["time"].dt.strftime("%Y-%m-%d")
    assert league.stored_look_back().corrections_since == 1


def test_hidden_players_are_not_shown_and_nothing_new_is_kept_of_them(league):
    league.store_look_back()
    everything = rows_kept(league)
    told = numbers(league.looked_back_at(BOB))
    league.hide(ANN)
    with pytest.raises(NotFoundError, match=f"no player '{ANN}'"):
        league.looked_back_at(ANN)
    with league.snapshot(with_hidden=True) as view:
        count = view.looked_back_at(ANN).height
        assert count > 0
    assert league.stored_look_back().is_current
    league.store_look_back()
    assert rows_kept(league) == everything - count
    assert np.allclose(numbers(league.looked_back_at(BOB))["estimate"], told["estimate"])
    league.show(ANN)
    assert league.looked_back_at(ANN).is_empty()


def test_who_goes_while_somebody_looks_is_not_kept(league, monkeypatch):
    league.record(["zoe", ANN], time="2026-08-01")
    look = podium.look_back

    def slow(*arguments, **how):
        league.undo()
        return look(*arguments, **how)

    monkeypatch.setattr("podium.hindsight.looking.look_back", slow)
    league.store_look_back()
    assert rows_kept(league) == SEASON[:9].rows + 1  # that of the other, in a contest not shown
    assert league.looked_back_at(ANN)["contest"].to_list() == (
        league.history_of(ANN)["contest"].to_list()
    )
    kept = league.stored_look_back()
    assert (kept.contests_since, kept.corrections_since) == (0, 1)


def test_teams_are_taken_apart(where):
    with League.create(where, "weng-lin") as league:
        league.record([["ann", "bob"], ["cat", "dan"]], time="2026-01-01")
        league.record([["ann", "dan"], ["cat", "bob"]], time="2026-01-02")
        league.store_look_back()
        assert league.looked_back_at("cat")["rank"].to_list() == [3, 3]


def test_without_one_it_says_how_one_is_made(league):
    with pytest.raises(NotFoundError, match=r"podium look-back LEAGUE --store makes one"):
        league.looked_back_at(ANN)
    assert league.drop_look_back() is False
    league.store_look_back()
    assert league.drop_look_back() is True
    assert league.stored_look_back() is None
    assert rows_kept(league) == 0


def test_what_cannot_be_looked_back_at_leaves_the_one_before(league, where):
    league.store_look_back()
    before = all_tables(where)
    with pytest.raises(InputError, match="weights must be one of"):
        league.store_look_back(weights="heavy")
    assert all_tables(where) == before


def test_a_league_without_contests_has_nothing_to_look_back_at(where):
    with League.create(where) as league, pytest.raises(InputError, match="no contests"):
        league.store_look_back()


def test_progress_goes_to_the_end(league):
    seen = []
    league.store_look_back(progress=lambda done, total: seen.append(done / total))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_a_league_of_the_version_before_is_brought_up_to_date(league, where):
    league.close()
    made_older(where, "0007")
    with pytest.raises(PodiumError, match="podium migrate"):
        League(where)
    League.migrate(where)
    with League(where) as after:
        assert after.stored_look_back() is None
        after.store_look_back()
        assert after.looked_back_at(ANN).height
        assert after.verify(export=True).differences == []


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("UPDATE look_back SET about = '['", "what should be JSON is none"),
        ("UPDATE look_back SET entry = 'x'", "look_back.entry is not what it should be"),
        ("UPDATE look_back_rows SET estimate = 'x'", "estimate is not what it should be"),
    ],
)
def test_what_is_damaged_is_said_in_a_sentence_and_put_right_by_storing_again(
    path, damage, sentence
):
    with League.create(path) as league:
        league.record(SEASON[:3])
        league.store_look_back()
        name = SEASON[:3].players[0]
        execute(str(path), damage)
        asked = league.looked_back_at if "rows" in damage else lambda _: league.stored_look_back()
        with pytest.raises(PodiumError, match=sentence):
            asked(name)
        league.store_look_back()
        assert league.verify().sound
        assert league.looked_back_at(name).height


_KILLED = """
import os, signal, sys
import podium
from podium.league import hindsight

league = podium.League(sys.argv[1])
insert = hindsight.insert

def half(connection, table, columns, meter):
    insert(connection, table, {name: each[: len(each) // 2] for name, each in columns.items()})
    os.kill(os.getpid(), signal.SIGKILL)

hindsight.insert = half
league.store_look_back(q=1.0)
"""


def test_a_process_killed_midway_leaves_the_one_before(league, where):
    league.store_look_back()
    before = all_tables(where)
    done = subprocess.run([sys.executable, "-c", _KILLED, where], check=False)
    assert done.returncode == -9
    assert all_tables(where) == before
    assert league.stored_look_back().about["parameters"]["q"] == 30.0
    league.store_look_back(q=1.0)
    assert league.stored_look_back().about["parameters"]["q"] == 1.0


def test_of_two_who_store_at_once_one_is_kept_and_changes_go_on(league):
    with ThreadPoolExecutor() as pool:
        stores = [pool.submit(league.store_look_back, q=each) for each in (10.0, 20.0)]
        pool.submit(league.record, SEASON[9:10]).result()
        found = {store.result().parameters.q: store.result() for store in stores}
    kept = league.stored_look_back()
    seen = found[kept.about["parameters"]["q"]]
    assert numbers(league.looked_back_at(ANN)).equals(numbers(seen.player(ANN)))
    assert len(seen.contests) + kept.contests_since == 10
    assert league.verify().sound
