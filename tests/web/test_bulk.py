"""Whole tables: the same rows in every form, from one state, and few at once."""

import csv
import io
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
import urllib3
from starlette.testclient import TestClient

import podium
from podium.league import Filters, View, documents, streaming
from podium.web import bulk, create_app

EXPORT = "/api/v1/leagues/club/export"


@pytest.fixture(scope="module")
def view(league_file: Path) -> Iterator[View]:
    with podium.League(league_file) as league, league.snapshot() as view:
        yield view


def rows_of(view: View, table: str) -> list[dict[str, object]]:
    return [row for piece in bulk.TABLES[table](view) for row in documents(piece)]


def test_the_history_is_that_of_all_players(view):
    everything = pl.concat(list(streaming.history(view, rows=100)))
    assert everything["contest"].unique(maintain_order=True).to_list() == (
        view.contests()["contest"].to_list()
    )
    for name in view.leaderboard(None)["player"]:
        theirs = everything.filter(everything["player"] == name).drop("player")
        assert theirs.equals(view.history_of(name))


def test_the_standings_are_those_of_all_contests(view):
    everything = pl.concat(list(streaming.all_standings(view, rows=70)))
    for contest in view.contests()["contest"]:
        theirs = everything.filter(everything["contest"] == contest)
        assert theirs.drop("contest", "time", "name").equals(view.contest(contest))


@pytest.mark.parametrize("system", ["elo", "trueskill", "glicko2"])
def test_the_ranks_that_were_expected_are_those_of_each_contest_alone(tmp_path, system):
    teams = [["ann", "bob"], ["cat", "dan"]]
    with podium.League.create(tmp_path / "league.db", system) as league:
        for number, standings in enumerate(
            (["ann", "bob", "cat"], ["bob", "ann"], ["dan", "cat", "ann"], ["eva"], ["eva", "dan"])
        ):
            league.record(
                standings, id=f"c{number}", time=f"2026-01-0{number + 1}", rated=number != 2
            )
        if system == "trueskill":
            league.record(teams, id="pairs", time="2026-01-07")
        with league.snapshot() as view:
            everything = pl.concat(list(streaming.all_standings(view)))
            alone = pl.concat([view.contest(each) for each in view.contests()["contest"]])
    assert everything["expected_rank"].equals(alone["expected_rank"])
    assert everything["expected_rank"].null_count() < everything.height


def test_unrated_contests_and_teams_are_in_the_standings_and_not_in_the_history(tmp_path):
    with podium.League.create(tmp_path / "league.db", "trueskill") as league:
        league.record([["ann", "bob"], ["cat", "dan"]], id="pairs", time="2026-01-01")
        league.record(["ann", "cat"], id="for fun", time="2026-01-02", rated=False)
        with league.snapshot() as view:
            played = pl.concat(list(streaming.all_standings(view)))
            rated = pl.concat(list(streaming.history(view)))
    assert played["contest"].to_list() == ["pairs"] * 4 + ["for fun"] * 2
    assert played["team"].to_list()[:4] == ["ann, bob"] * 2 + ["cat, dan"] * 2
    assert rated["contest"].unique().to_list() == ["pairs"]


def test_a_league_without_contests_has_tables_with_columns(tmp_path):
    path = tmp_path / "club.db"
    podium.League.create(path).close()
    with TestClient(create_app(path)) as client:
        for table in bulk.TABLES:
            assert len(client.get(f"{EXPORT}/{table}.csv").text.splitlines()) == 1
            assert client.get(f"{EXPORT}/{table}.ndjson").text == ""
            assert pl.read_parquet(client.get(f"{EXPORT}/{table}.parquet").content).height == 0


@pytest.mark.parametrize("table", bulk.TABLES)
def test_all_forms_say_the_same(client, view, table):
    wanted = rows_of(view, table)
    lines = client.get(f"{EXPORT}/{table}.ndjson")
    assert lines.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in lines.text.splitlines()]
    assert [row | row.pop("attributes", {}) for row in found] == wanted
    frame = pl.read_parquet(client.get(f"{EXPORT}/{table}.parquet").content)
    assert documents(frame) == wanted
    text = client.get(f"{EXPORT}/{table}.csv")
    assert text.headers["content-type"].startswith("text/csv")
    found = list(csv.DictReader(io.StringIO(text.text)))
    assert [list(row) for row in found] == [list(row) for row in wanted]
    numbers = [name for name in ("rating", "mu", "change", "weight") if name in found[0]]
    for row, known in zip(found, wanted, strict=True):
        for name in numbers:
            assert (float(row[name]) if row[name] else None) == known[name]


def test_files_have_safe_names_and_the_state_that_they_come_from(client):
    answer = client.get(f"{EXPORT}/history.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="club-history.csv"'
    assert answer.headers["etag"]
    assert bulk.file_name('x"/..\n', "ü", "csv") == "x_____-_.csv"


def test_formulas_get_an_apostrophe_in_csv_and_nowhere_else(tmp_path):
    path = tmp_path / "club.db"
    with podium.League.create(path) as league:
        league.record(["=1+1", "@cmd"], id="+x", time="2026-01-01")
    with TestClient(create_app(path)) as client:
        assert "'=1+1" in client.get(f"{EXPORT}/leaderboard.csv").text
        assert '"=1+1"' in client.get(f"{EXPORT}/leaderboard.ndjson").text
        assert "'+x" in client.get(f"{EXPORT}/contests.csv").text


@pytest.mark.parametrize("form", bulk.FORMS)
def test_a_leaderboard_with_filters_comes_in_any_form(view, form):
    filters = Filters(None, min_contests=5)
    body, kind = bulk.leaderboard(view, filters, form)
    wanted = view.board(filters).document()
    if form == "json":
        assert json.loads(body) == wanted
    elif form == "parquet":
        wanted = [row | row.pop("attributes") for row in wanted["leaderboard"]]
        assert documents(pl.read_parquet(body)) == wanted
    else:
        names = [row["player"] for row in csv.DictReader(io.StringIO(body.decode()))]
        assert names == [row["player"] for row in wanted["leaderboard"]]
    assert kind == bulk.MEDIA_TYPES[form]


def test_a_leaderboard_of_nobody_is_empty_json(tmp_path):
    with (
        podium.League.create(tmp_path / "club.db") as league,
        league.snapshot() as view,
    ):
        assert json.loads(bulk.leaderboard(view, Filters(None), "json")[0])["leaderboard"] == []


def test_an_error_before_the_first_row_is_a_problem(league_file, monkeypatch):
    def broken(*_: object) -> Iterator[bytes]:
        raise podium.errors.StorageError("the disk is full.")

    monkeypatch.setattr(bulk, "stream", broken)
    with TestClient(create_app(league_file)) as client:
        assert client.get(f"{EXPORT}/history.csv").status_code == 503


def test_who_hangs_up_ends_the_reading(league_file, monkeypatch, serving):
    def endless(*_: object) -> Iterator[bytes]:
        try:
            while True:
                yield b"x" * 2**20
        finally:
            closed.set()

    closed = threading.Event()
    monkeypatch.setattr(bulk, "stream", endless)
    with serving(create_app(league_file)) as address:
        pool = urllib3.PoolManager()
        answer = pool.request("GET", f"{address}{EXPORT}/history.csv", preload_content=False)
        assert answer.read(10) == b"x" * 10
        answer.close()
        pool.clear()
        assert closed.wait(30)
