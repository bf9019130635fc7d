"""Seasons, resets and starting ratings of a league: exact under whatever is changed, and undone."""

import numpy as np
import polars as pl
import pytest

import podium
from podium import ConflictError, InputError, League, NotFoundError, Season, Starts
from tests.league.tables import all_tables

SYSTEMS = ("elo-mmr", "podium", "glicko2", "elo")


def results(seed: int = 1, rounds: int = 24):
    return podium.simulate(players=14, rounds=rounds, participation=0.5, seed=seed)


def day(contests, number: int):
    return np.datetime64(int(contests.columns.time[number]), "us").item()


def replayed(league: League) -> podium.Rated:
    """What one run over everything makes of it."""
    seasons = [
        Season(name, start, pull=pull, toward=toward, sigma=sigma, future=True)
        for name, start, _, pull, toward, sigma in league.seasons().rows()
    ]
    starts = [Starts.from_frame(league.starts(), future=True)] if league.starts().height else []
    return podium.rate(league.results(), league.system, adjustments=[*seasons, *starts])


def agrees(league: League) -> None:
    """All that the league says now is what comes of one run, and of a replay of its own."""
    assert league.verify().differences == []
    rated = replayed(league).ratings.sort("player")
    shown = league.leaderboard(None, with_hidden=True).sort("player")
    columns = ["player", "rating", "mu", "sigma", "contests", "last_time"]
    assert shown.select(columns).equals(rated.select(columns).cast(shown.select(columns).schema))
    beliefs = league.beliefs()
    now = podium.Ladder.from_beliefs(beliefs).ratings.sort("player")
    assert now.select(columns).equals(rated.select(columns))


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_league_with_seasons_and_starts_is_one_run_over_everything(where, system):
    contests = results()
    names = contests.players.to_list()
    with League.create(where, system) as league:
        league.start({names[0]: 1900.0, names[1]: (1200.0, 80.0), "never there": 1700.0})
        agrees(league)
        league.record(contests[:16])
        league.season("two", day(contests, 8), pull=0.5)
        agrees(league)
        league.season("three", day(contests, 20), pull=0.25, toward=1200, sigma=300)
        league.start({names[2]: (1650.0, 90.0), names[0]: 1550.0}, day(contests, 12))
        agrees(league)
        league.record(contests[16:])
        agrees(league)
        league.disqualify("round-03", league.contest("round-03")["player"][0])
        agrees(league)
        league.remove("round-09")
        agrees(league)
        league.season("two", day(contests, 5), pull=0.1)
        agrees(league)
        league.remove_start(names[0], day(contests, 12))
        agrees(league)
        league.remove_season("three")
        agrees(league)
        league.remove_start("never there")
        agrees(league)
        league.rename(names[3], "anna")
        league.amend("round-10", time=day(contests, 2))
        agrees(league)


def test_every_change_is_taken_back_and_made_again_to_the_bit(where):
    contests = results()
    names = contests.players.to_list()
    with League.create(where, "elo-mmr") as league:
        league.record(contests)
        steps = (
            lambda: league.season("two", day(contests, 8), pull=0.5),
            lambda: league.season("two", day(contests, 6), pull=0.7, sigma=250),
            lambda: league.start({names[0]: 1900.0, "zoe": 1500.0}),
            lambda: league.start({names[0]: 1800.0, names[1]: (1300, 90)}, day(contests, 10)),
            lambda: league.season("three", day(contests, 20)),
            lambda: league.merge(names[0], names[-1]) if _apart(league, names) else None,
            lambda: league.remove_season("two"),
            lambda: league.remove_start("zoe"),
        )
        states = []
        done = 0
        for step in steps:
            before = tables_of(where)
            if step() is not None:
                states.append(before)
                done += 1
        last = tables_of(where)
        for before in reversed(states):
            league.undo()
            assert tables_of(where) == before
            assert league.verify().sound
        for _ in range(done):
            league.redo()
        assert tables_of(where) == last
        agrees(league)


def _apart(league, names):
    """Whether two never met, so that they can be one."""
    met = league.meetings([names[0], names[-1]], n=None)
    return not met.height


def tables_of(where):
    """All tables but the log and what may be cut otherwise; numbers of players by name."""
    tables = all_tables(where)
    kept = ("seasons", "starts", "standings", "events", "ratings", "contests")
    return {name: tables[name] for name in kept}


def test_starts_follow_a_merge_and_come_back(where):
    with League.create(where, "elo") as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
        league.record(["anna", "bob"], id="2", time="2026-01-02")
        league.start({"ann": 1800.0, "anna": 1700.0})
        league.start({"ann": 1900.0}, "2026-01-02")
        before = league.starts()
        rating = league.player("ann").rating
        league.merge("ann", "anna")
        agrees(league)
        assert league.starts().select("player", "rating").rows() == [
            ("anna", 1700.0),
            ("anna", 1900.0),
        ]
        league.undo()
        agrees(league)
        assert league.starts().equals(before)
        assert league.player("ann").rating == rating


def test_what_stands_in_the_way_of_undoing_is_named(where):
    with League.create(where, "elo") as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
        league.season("a", "2026-02-01", pull=0.5)
        league.season("a", "2026-03-01", pull=0.5)
        with pytest.raises(
            ConflictError, match=r"entry 4, the change of season 'a', is in the way"
        ):
            league.undo(3)
        league.start({"zoe": 1500.0})
        league.start({"zoe": 1600.0}, "2026-01-05")
        with pytest.raises(ConflictError, match=r"entry 6.*touches 'zoe'"):
            league.undo(5)
        league.rename("zoe", "zoë")
        league.undo(6)
        assert league.starts()["player"].to_list() == ["zoë"]
        with pytest.raises(ConflictError, match="renaming of 'zoe'"):
            league.undo(5)
        league.undo(7)
        league.undo(5)
        assert "zoe" not in league
        assert league.verify().sound


def test_a_record_whose_newcomer_was_given_a_rating_is_not_taken_back_before_that(where):
    with League.create(where, "elo") as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
        league.start({"ann": 1500.0})
        with pytest.raises(ConflictError, match="touches 'ann'"):
            league.undo(2)
        league.undo()
        league.undo()
        assert len(league) == 0


def test_a_dry_run_changes_nothing_and_says_who_would_move(where):
    contests = results()
    with League.create(where, "elo-mmr") as league:
        league.record(contests)
        state = league.state
        tried = league.season("two", day(contests, 8), pull=0.5, dry_run=True)
        given = league.start({"zoe": 1800.0}, dry_run=True)
        assert league.state == state
        assert (tried.applied, given.newcomers) == (False, ["zoe"])
        done = league.season("two", day(contests, 8), pull=0.5)
        assert done.moves.equals(tried.moves)
        assert done.moves.height == league.count(with_hidden=True)


def test_revisions_out_of_force_follow_seasons_when_they_come_back(where):
    contests = results()
    with League.create(where, "elo-mmr") as league:
        league.record(contests)
        league.revise("glicko2")
        league.season("two", day(contests, 8), pull=0.5)
        league.start({"zoe": 1800.0})
        agrees(league)
        league.rollback()
        agrees(league)
        league.remove_season("two")
        league.rollback("glicko2")
        agrees(league)


def test_answers_of_the_past_know_resets(where):
    with League.create(where, "elo") as league:
        league.record(["ann", "bob"], id="1", time="2025-06-01")
        league.season("2026", "2026-01-01", pull=1.0, toward=1000)
        league.record(["ann", "cat"], id="2", time="2026-06-01")
        before = league.leaderboard(at="2025-12-31")
        assert before["player"].to_list() == ["ann", "bob"]
        assert set(league.leaderboard(at="2026-01-01")["rating"]) == {1000.0}
        assert league.player("bob", at="2026-03-01").rating == 1000.0
        assert league.player("bob").rating == 1000.0
        assert league.history_of("ann")["mu_before"].to_list() == [1500.0, 1000.0]
        assert league.before("2")[0].names is not None
        assert league.explain("2", "ann").document()["change"]["rating_before"] == 1000.0
        assert league.win_probability("ann", "bob", at="2026-02-01") == 0.5


def test_who_only_starts_is_on_the_leaderboard_and_can_be_predicted(where):
    with League.create(where, "elo-mmr") as league:
        league.start({"zoe": (1900.0, 60.0), "ann": (1500.0, 60.0)})
        board = league.leaderboard()
        assert board["player"].to_list() == ["zoe", "ann"]
        assert board["contests"].to_list() == [0, 0]
        assert board["last_time"].to_list() == [None, None]
        zoe = league.player("zoe")
        assert (zoe.place, zoe.contests, zoe.last_time) == (1, 0, None)
        assert league.win_probability("zoe", "ann") > 0.8
        league.record(["ann", "zoe"], id="1", time="2026-01-01")
        agrees(league)


def test_an_export_carries_seasons_and_starts(where, tmp_path):
    contests = results()
    for number, format in enumerate(("parquet", "csv")):
        place = where if number == 0 else str(tmp_path / "other.db")
        with League.create(place, "elo-mmr") as league:
            league.record(contests)
            league.season("two", day(contests, 8), pull=0.5)
            league.season("three", day(contests, 12))
            league.start({"zoe": (1900.0, 60.0), contests.players[0]: 1500.0}, day(contests, 3))
            league.export(tmp_path / format, format=format)
            with League.restore(tmp_path / format, tmp_path / f"{format}.db") as again:
                agrees(again)
                assert again.seasons().equals(league.seasons())
                assert again.starts().equals(league.starts())
                assert again.leaderboard(None).equals(league.leaderboard(None))


def test_what_cannot_be_is_refused(where):
    with League.create(where, "elo-mmr") as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
        league.season("a", "2026-02-01")
        state = league.state
        with pytest.raises(ConflictError, match="begins at"):
            league.season("b", "2026-02-01")
        with pytest.raises(NotFoundError, match=r"no season 'B' .*did you mean|no season 'B'"):
            league.remove_season("B")
        with pytest.raises(NotFoundError, match="has no starting rating"):
            league.remove_start("ann")
        with pytest.raises(NotFoundError, match="no player 'zed'"):
            league.remove_start("zed")
        with pytest.raises(InputError, match="pull must be"):
            league.season("c", "2026-02-02", pull=7)
        with pytest.raises(InputError, match="time is for ratings by player"):
            league.start(Starts({"ann": 1500}), "2026-01-01")
        with pytest.raises(InputError, match="cannot start with"):
            league.start({"ann": 9_999_999.0})
        with pytest.raises(InputError, match="no player can begin there"):
            league.start({"ann": (1500.0, 900_000.0)})
        assert league.state == state
        assert not league.season("a", "2026-02-01").applied
        assert league.state == state


def test_names_almost_known_are_pointed_out(where):
    with League.create(where, "elo") as league:
        league.record(["Ann Lee", "bob"], id="1", time="2026-01-01")
        change = league.start({"ann lee": 1500.0, "BOB ": 1500.0}, near=True)
        assert change.near["name"].sort().to_list() == ["BOB", "ann lee"]


def test_a_season_of_many_starting_ratings_is_one_entry(where):
    table = pl.DataFrame(
        {"player": [f"p{k}" for k in range(500)], "rating": np.linspace(1000, 2000, 500)}
    )
    with League.create(where, "elo-mmr") as league:
        league.start(Starts.from_frame(table))
        assert league.log()["action"].to_list() == ["start", "init"]
        assert league.count() == 500
        league.undo()
        assert league.count() == 0
        assert "p7" not in league
