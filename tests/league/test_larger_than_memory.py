"""Results that a scan gives piece by piece are recorded as if they came at once."""

import numpy as np
import polars as pl
import pytest

import podium
from podium import ConflictError, InputError, League
from podium.league import schema
from tests.league.tables import all_tables, columns_of

SYSTEMS = ["elo", "glicko2"]
SMALL = 20_000
"""Bytes, of which a few dozen rows are a piece."""


@pytest.fixture
def season(tmp_path):
    """Results in two files that overlap in time, of players of whom many come in late."""
    rng = np.random.default_rng(1)
    rows = [
        {
            "contest": f"c{number}",
            "time": 10**9 + 60 * (number // 2),
            "player": f"player{who:02}",
            "score": str(9 - place // 2) + ".50" * (number > 90),
            "weight": 1.0 + number % 3,
        }
        for number in range(120)
        for place, who in enumerate(rng.permutation(8 + number // 4)[:5].tolist())
    ]
    frame = pl.DataFrame(rows)
    odd = pl.col("contest").str.tail(1).cast(pl.Int64) % 2 == 1
    files = [tmp_path / "odd.csv", tmp_path / "even.csv"]
    frame.filter(odd).write_csv(files[0])
    frame.filter(~odd).write_csv(files[1])
    return files


def _by_name(where):
    """The tables with names for the numbers of players, without how checkpoints are laid out.

    Of what was told, the kinds: the rest has numbers in it.
    """
    tables, found = all_tables(where), {}
    tables["notices"] = [row[:-1] for row in tables["notices"]]
    name = {row[0]: row[1] for row in tables["players"]}
    for table in (each for each in schema.metadata.sorted_tables if each.name in tables):
        own = [f"{table.name}.{each.name}" for each in columns_of(table)]
        which = {
            place
            for place, column in enumerate(own)
            if column.endswith(".player_id") or column == "players.id"
        }
        if not table.name.startswith("checkpoint"):
            rows = (
                tuple(name[each] if place in which else each for place, each in enumerate(row))
                for row in tables[table.name]
            )
            found[table.name] = sorted(rows, key=repr)
    assert len(found["standings"]) >= 600
    return found


def _same(one, other):
    expected = _by_name(other)
    for table, rows in _by_name(one).items():
        assert rows == expected[table], table


def _recorded(where, results, system="elo-mmr", before=None, **how):
    with League.create(where, system) as league:
        if before is not None:
            league.record(before)
        change = league.record(results, **how)
        assert league.verify().sound
        log = league.log().select("action", "contest", "details").rows()
    return change, log


def _scanned(files):
    scan = podium.scan(files, memory=SMALL)
    assert sum(1 for _ in scan) > 3
    return scan


@pytest.mark.parametrize(
    "how",
    [{}, {"rated": False}, {"near": True}, {"floor": 1480.0}],
    ids=["rated", "unrated", "near", "floor"],
)
def test_a_league_is_the_same_as_of_everything_at_once(places, season, how):
    whole, pieces = places(), places()
    expected, log = _recorded(whole, podium.read(season), **how)
    found, other = _recorded(pieces, _scanned(season), **how)
    assert found.document() == expected.document()
    assert len(found.recorded) == 120
    assert other == log
    _same(pieces, whole)


@pytest.mark.parametrize("system", SYSTEMS)
def test_so_it_is_by_every_kind_of_system(tmp_path, season, system):
    whole, pieces = str(tmp_path / "whole.db"), str(tmp_path / "pieces.db")
    expected, _ = _recorded(whole, podium.read(season), system)
    found, _ = _recorded(pieces, _scanned(season), system)
    assert found.document() == expected.document()
    _same(pieces, whole)


@pytest.mark.parametrize("minute", [-5, 30, 70])
def test_what_the_league_has_may_be_earlier_later_or_between(tmp_path, season, minute):
    """Only how often contests are rated differs: later ones, after every piece."""
    rows = [
        {"contest": "own", "time": 10**9 + 60 * minute, "player": f"player{who:02}", "rank": rank}
        for rank, who in enumerate((3, 1, 40), 1)
    ]
    before = podium.Contests.from_records(rows)
    whole, pieces = str(tmp_path / "whole.db"), str(tmp_path / "pieces.db")
    expected, _ = _recorded(whole, podium.read(season), before=before)
    found, _ = _recorded(pieces, _scanned(season), before=before)
    assert {**found.document(), "replayed": 0} == {**expected.document(), "replayed": 0}
    _same(pieces, whole)


def test_what_is_known_is_left_and_the_rest_is_recorded(path, season):
    everything = podium.read(season)
    with League.create(path) as league:
        league.record(everything[:70])
        change = league.record(_scanned(season))
        assert change.what == "recorded 50 contests; 70 more were known already"
        assert change.known == everything.ids.to_list()[:70]
        again = league.record(_scanned(season))
        assert (again.what, again.applied) == ("all 120 contests are known already", False)
        assert league.log().height == 3
        assert league.verify().sound


def test_a_dry_run_says_all_and_changes_nothing(where, season):
    with League.create(where) as league:
        league.record(["player01", "player02"], time=10**9 - 60)
        before = all_tables(where)
        tried = league.record(_scanned(season), dry_run=True)
        assert all_tables(where) == before
        assert not tried.applied
        done = league.record(_scanned(season))
        assert {**tried.document(), "applied": True} == done.document()


def test_an_error_in_the_last_piece_leaves_the_league_as_it_was(where, season):
    with League.create(where) as league:
        last = podium.read(season).ids[-1]
        league.record(["ann", "bob"], id=last, time=10**9 - 60)
        before = all_tables(where)
        with pytest.raises(ConflictError, match=f"contest '{last}' is in the league with other"):
            league.record(_scanned(season))
        assert all_tables(where) == before
        assert league.record(_scanned(season), leave_known=True).known == [last]


def test_a_newcomer_of_the_last_piece_is_near_to_those_of_before_only(where, season):
    with League.create(where) as league:
        late = max(podium.read(season).players)
        league.record([late.title(), "Player 01"], time=10**9 - 60)
        before = all_tables(where)
        with pytest.raises(ConflictError, match="2 newcomers almost called"):
            league.record(_scanned(season), strict=True)
        assert all_tables(where) == before
        near = league.record(_scanned(season), near=True).near
        assert near.rows() == [("player01", "Player 01"), (late, late.title())]


def test_ladders_in_different_pieces_are_refused_as_in_one(path, season, tmp_path):
    early = pl.concat([pl.read_csv(file, infer_schema_length=None) for file in season])
    ladder = pl.when(pl.col("time") < 10**9 + 1800).then(pl.lit("asia")).otherwise(pl.lit("europe"))
    early.with_columns(ladder=ladder).write_csv(tmp_path / "both.csv")
    with League.create(path) as league:
        before = all_tables(str(path))
        with pytest.raises(InputError, match="2 ladders, 'asia', 'europe', but a league is one"):
            league.record(_scanned(tmp_path / "both.csv"))
        assert all_tables(str(path)) == before
        with pytest.raises(InputError, match="weight is for standings of one contest"):
            league.record(_scanned(season), weight=2.0)


def test_progress_only_goes_on(path, season):
    seen = []
    with League.create(path) as league:
        league.record(_scanned(season), progress=lambda *said: seen.append(said))
    done, total = zip(*seen, strict=True)
    assert set(total) == {3 * 600}
    assert list(done) == sorted(done)
    assert done[-1] == total[-1]
