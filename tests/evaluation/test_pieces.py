"""Systems side by side on contests in pieces: what one run in memory finds, to the bit."""

from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import podium
from podium import Contests, InputError, evaluate
from podium.evaluation import comparison
from podium.evaluation.backtest import Replay, backtest

OPTIONS = {"skip": 0.23, "min_contests": 4, "top": 3, "resamples": 20}


def in_pieces(contests: Contests, *sizes: int) -> list[Contests]:
    """Pieces of these sizes, again and again, as files have them: each with its own players."""
    ends = np.cumsum(np.resize(sizes, len(contests)))
    bounds = [0, *ends[ends < len(contests)].tolist(), len(contests)]
    return [Contests.from_frame(contests[first:last].frame()) for first, last in pairwise(bounds)]


def assert_same(one: podium.Evaluation, other: podium.Evaluation) -> None:
    """All of it but the times that rating took."""
    for field in fields(podium.Evaluation):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        if field.name == "systems":
            ours, theirs = ours.drop("cpu_seconds"), theirs.drop("cpu_seconds")
        if isinstance(ours, pl.DataFrame):
            assert ours.equals(theirs), field.name
        else:
            assert ours == theirs, field.name


def leagues() -> Iterator[tuple[str, Contests, list[str]]]:
    crowds = podium.simulate(players=150, rounds=14, participation=0.7, ties=0.1, seed=3)
    yield "crowds", crowds, ["elo-mmr", "elo", "glicko2", "elo-mmr drift_per_day=3"]
    small = podium.simulate(players=16, rounds=60, participation=0.6, ties=0.1, seed=6)
    yield "contests", small, ["elo-mmr", "trueskill", "codeforces"]
    matches = podium.simulate_matches(12, 300, draws=0.2, side_advantage=0.4, seed=6)
    yield "matches", matches, ["elo", "glicko", "elo-mmr", "glicko2"]
    rows = small.frame().with_columns(ladder=pl.col("contest").cast(pl.String).str.tail(1))
    yield "ladders", Contests.from_frame(rows), ["elo", "elo-mmr"]
    team = pl.Series([f"t{number % 3}" for number in range(small.rows)])
    drivers = Contests.from_frame(small.frame().with_columns(team=team))
    yield "teams of drivers", drivers, ["elo", "elo-mmr"]


LEAGUES = {name: rest for name, *rest in leagues()}


@pytest.mark.parametrize("weighting", ["participation", "contest"])
@pytest.mark.parametrize("name", LEAGUES)
def test_pieces_are_evaluated_as_one_run_to_the_bit(name, weighting):
    contests, systems = LEAGUES[name]
    whole = evaluate(contests, systems, weighting=weighting, **OPTIONS)
    for sizes in ((1,), (7, 1, 3)):
        pieces = in_pieces(contests, *sizes)
        assert_same(evaluate(pieces, systems, weighting=weighting, **OPTIONS), whole)


def test_a_scan_is_evaluated_as_what_is_read(tmp_path):
    matches = LEAGUES["matches"][0]
    matches.write(tmp_path / "matches.parquet")
    scan = podium.scan(tmp_path / "matches.parquet", memory=10_000)
    assert len(list(scan)) > 5
    whole = podium.read(tmp_path / "matches.parquet")
    systems = ["glicko", "elo-mmr"]
    assert_same(
        evaluate(scan, systems, baseline="best", **OPTIONS),
        evaluate(whole, systems, baseline="best", **OPTIONS),
    )


@pytest.mark.parametrize("system", ["elo-mmr", "glicko", "topcoder", "luck"])
def test_a_replay_believes_what_a_backtest_does(system):
    contests = LEAGUES["matches"][0]
    whole = backtest(contests, system)
    replay = Replay(podium.system(system))
    parts = [replay.add(part) for part in in_pieces(contests, 5)]
    for name in ("rating", "earlier"):
        pieces = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(pieces, getattr(whole, name))
    assert parts[-1].beliefs.names == whole.beliefs.names


def test_teams_in_pieces_are_refused_by_systems_of_players_and_taken_by_those_of_teams():
    rows = [
        {
            "contest": contest,
            "time": contest,
            "player": f"{team}{member}",
            "team": team,
            "rank": 1 + 2 * (team == loser),
        }
        for contest, loser in enumerate("abbaabab")
        for team in "ab"
        for member in range(2)
    ]
    contests = Contests.from_records(rows)
    pieces = in_pieces(contests, 3)
    how = {"min_contests": 1, "resamples": 5}
    assert_same(evaluate(pieces, "trueskill", **how), evaluate(contests, "trueskill", **how))
    for given in (contests, pieces):
        with pytest.raises(InputError, match="these are contests of teams"):
            evaluate(given, ["trueskill", "elo"], **how)


def test_what_a_system_does_not_take_is_refused_before_anything_is_rated(monkeypatch):
    matches, crowd = LEAGUES["matches"][0], LEAGUES["contests"][0]
    monkeypatch.setattr(Replay, "add", None)
    later = crowd.frame().with_columns(pl.col("time").dt.offset_by("200y"))
    pieces = [matches, Contests.from_frame(later, future=True)]
    with pytest.raises(InputError, match="luck rates contests of at most 2"):
        evaluate(pieces, ["elo-mmr", "luck"])


def test_progress_ends_with_everything():
    contests = LEAGUES["contests"][0]
    told: list[tuple[int, int]] = []
    evaluate(
        in_pieces(contests, 9),
        ["elo", "elo-mmr"],
        progress=lambda done, whole: told.append((done, whole)),
        **OPTIONS,
    )
    assert told == sorted(told)
    assert told[-1] == (2 * contests.rows, 2 * contests.rows)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (iter([]), "not an iterator"),
        ([], "there are no results"),
        (["results.csv"], "contests are needed, not list"),
        ("results.csv", "contests are needed, not str"),
        (7, "contests are needed, not int"),
    ],
)
def test_what_are_no_pieces_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        evaluate(given)


@pytest.mark.parametrize("name", LEAGUES)
def test_contests_are_measured_some_at_a_time_to_the_same_bits(name, monkeypatch):
    contests, systems = LEAGUES[name]
    whole = evaluate(contests, systems, **OPTIONS)
    monkeypatch.setattr(comparison, "_CONTESTS_AT_ONCE", 7)
    assert_same(evaluate(contests, systems, **OPTIONS), whole)


@pytest.mark.parametrize("weighting", ["participation", "contest"])
@pytest.mark.parametrize("name", LEAGUES)
def test_what_is_kept_of_contests_has_a_limit_and_the_means_stay(name, weighting, monkeypatch):
    contests, systems = LEAGUES[name]
    whole = evaluate(contests, systems, weighting=weighting, **OPTIONS)
    monkeypatch.setattr(comparison, "BLOCKS", 9)
    tallies = []

    class Tally(comparison.Tally):
        def __init__(self, *given):
            super().__init__(*given)
            tallies.append(self)

    monkeypatch.setattr(comparison, "Tally", Tally)
    found = evaluate(contests, systems, weighting=weighting, **OPTIONS)
    ladders = len(contests.ladders or [""])
    assert max(len(each.sums) for each in tallies) <= 9 + ladders
    assert found.counted.equals(whole.counted)
    ours, theirs = (each.table["value"].fill_null(np.nan).to_list() for each in (found, whole))
    assert ours == pytest.approx(theirs, rel=1e-9, nan_ok=True)
    assert found.reliability.equals(whole.reliability)
    for column in ("contests", "pair-inversion"):
        assert found.over_time[column].sum() > 0
    assert found.over_time["contests"].sum() == whole.over_time["contests"].sum()
    assert_same(
        evaluate(in_pieces(contests, 7, 1, 3), systems, weighting=weighting, **OPTIONS), found
    )


def test_blocks_of_contests_are_as_sure_as_contests(monkeypatch):
    season = podium.simulate_matches(40, 6_000, seed=2)
    whole, blocks = [], []
    for found, most in ((whole, 10**9), (blocks, 500)):
        monkeypatch.setattr(comparison, "BLOCKS", most)
        table = evaluate(season, "elo", resamples=300).table.drop_nulls()
        found += (table["high"] - table["low"]).to_list()
    assert blocks == pytest.approx(whole, rel=0.3)
