"""Guests take part without being rated, and without counting for others."""

import polars as pl
import pytest

import podium
from podium import Contests, Filters, League, PodiumError, errors
from podium.league import documents
from podium.league.public import public_log
from tests.league.tables import all_tables

SEASON = podium.simulate(players=8, rounds=6, participation=0.8, ties=0.2, seed=4)
VISITOR = "player-0003"


def without(contests: Contests, *names: str) -> Contests:
    """The same results without some players, those behind them moving up."""
    frame = contests.frame()
    return Contests.from_frame(frame.filter(~pl.col("player").is_in(names)), rerank=True)


def ratings(league: League) -> pl.DataFrame:
    return league.leaderboard(None, with_hidden=True)


def eligible(league: League, contest: str) -> dict[str, bool]:
    return dict(league.contest(contest).select("player", "eligible").rows())


def test_the_others_are_rated_as_if_a_guest_had_not_been_there(where, tmp_path):
    with (
        League.create(where, "elo-mmr") as league,
        League.create(tmp_path / "without.db", "elo-mmr") as other,
    ):
        league.record(SEASON[:3])
        other.record(SEASON[:3])
        assert league.set_guest(VISITOR).what == f"{VISITOR!r} is a guest"
        before = league[VISITOR]
        assert before.guest
        league.record(SEASON[3:])
        other.record(without(SEASON[3:], VISITOR))
        assert ratings(league).equals(ratings(other))
        assert league[VISITOR].rating == before.rating
        for contest in SEASON.ids[3:]:
            assert eligible(league, contest).get(VISITOR, False) is False
        league.set_guest(VISITOR, False)
        assert not league[VISITOR].guest
        assert ratings(league).equals(ratings(other))
        assert league.verify().sound


def test_guests_of_one_recording_are_named(where):
    with League.create(where, "elo-mmr") as league:
        league.record(SEASON[:1], guests=[VISITOR, "player-0001"])
        league.record(SEASON[1:2])
        out = {name for name, rated in eligible(league, SEASON.ids[0]).items() if not rated}
        assert out == {VISITOR, "player-0001"} & set(eligible(league, SEASON.ids[0]))
        assert all(eligible(league, SEASON.ids[1]).values())
        assert documents(league.log())[1]["details"]["guests"] == ["player-0001", VISITOR]
        again = league.record(SEASON[:1])
        assert not again.applied
        assert again.known == [SEASON.ids[0]]


def test_a_guest_is_found_by_an_alias_and_among_newcomers(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        league.rename("ann", "anna")
        league.record(["zoe", "ann", "bob"], id="two", time="2026-01-02", guests=["ann", " zoe "])
        assert eligible(league, "two") == {"zoe": False, "anna": False, "bob": True}
        assert "zoe" in league
        assert league["zoe"].contests == 0
        assert "zoe" not in ratings(league)["player"].to_list()
        with pytest.raises(errors.NotFoundError, match="'zoe' has no rated contest"):
            league.career("zoe")


@pytest.mark.parametrize("guests", ["ann", [7], ["nobody"]])
def test_guests_who_are_none_are_refused_and_nothing_is_recorded(path, guests):
    with League.create(path, "elo-mmr") as league:
        before = league.state
        with pytest.raises(PodiumError, match=r"guests must be names|to be a guest, but has no"):
            league.record(["ann", "bob"], guests=guests)
        assert league.state == before


def test_guests_are_seen_in_any_piece_of_a_scan(path, tmp_path):
    SEASON.write(tmp_path / "season.csv")
    with League.create(path, "elo-mmr") as league:
        scan = podium.scan(tmp_path / "season.csv", memory=1)
        league.record(scan, guests=[VISITOR])
        with League.create(tmp_path / "other.db", "elo-mmr") as other:
            other.record(SEASON, guests=[VISITOR])
            assert ratings(league).drop("id").equals(ratings(other).drop("id"))
            assert VISITOR not in ratings(league)["player"].to_list()


def test_limits_and_guests_both_leave_players_out(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob", "cat", "dan"], id="one", time="2026-01-01")
        league.set_guest("ann")
        league.record(["ann", "bob", "cat", "dan"], id="two", time="2026-01-02", floor=1300.0)
        found = eligible(league, "two")
        assert found["ann"] is False
        assert found["bob"] is True
        assert found["dan"] is False


def test_who_joins_a_contest_later_is_judged_as_a_guest_then(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob", "cat", "dan"], id="one", time="2026-01-01")
        league.record(["ann", "bob"], id="two", time="2026-01-02")
        league.set_guest("cat")
        league.set_guest("ann")
        league.add("two", [{"player": "cat", "rank": 3}, {"player": "eve", "rank": 4}])
        assert eligible(league, "two") == {"ann": True, "bob": True, "cat": False, "eve": True}
        league.set_guest("cat", False)
        rows = [
            {"contest": "two", "time": "2026-01-02", "player": name, "rank": rank}
            for rank, name in enumerate(("bob", "ann", "cat", "dan"), 1)
        ]
        league.set_guest("dan")
        league.amend("two", Contests.from_records(rows), removing=True)
        assert eligible(league, "two") == {"bob": True, "ann": True, "cat": False, "dan": False}
        league.disqualify("two", "cat")
        league.reinstate("two", "cat")
        assert eligible(league, "two")["cat"] is False
        assert league.verify().sound


def test_a_guest_is_made_taken_back_and_made_again(where):
    with League.create(where, "elo-mmr") as league:
        league.record(SEASON[:2])
        before = all_tables(where)
        assert not league.set_guest(VISITOR, dry_run=True).applied
        assert all_tables(where) == before
        assert league.set_guest(VISITOR, who="ann", why="visits").applied
        assert not league.set_guest(VISITOR).applied
        assert league.set_guest(VISITOR).what == f"{VISITOR!r} is a guest already"
        entry = documents(league.log(1))[0]
        assert (entry["action"], entry["player"], entry["why"]) == ("guest", VISITOR, "visits")
        assert entry["before"] == {"player": VISITOR, "guest": False}
        assert league.undo().what == (
            f"took back entry 3, the change of who is a guest, {VISITOR!r}"
        )
        assert not league[VISITOR].guest
        league.redo()
        assert league[VISITOR].guest
        said = public_log(league)[0]
        assert (said["action"], said["player"]) == ("redo", VISITOR)
        assert [each["details"]["guest"] for each in public_log(league)[:3]] == [True, False, True]


def test_a_guest_is_followed_through_other_names(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        league.set_guest("ann")
        league.rename("ann", "anna")
        league.undo(3)
        assert not league["anna"].guest
        league.redo(3)
        assert league["anna"].guest
        league.undo(4)
        assert league["ann"].guest
        league.undo(3)
        assert not league["ann"].guest


def test_who_became_a_guest_after_a_new_name_keeps_it(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        league.rename("ann", "anna", keep_old=False)
        league.set_guest("bob")
        league.set_guest("anna")
        with pytest.raises(errors.ConflictError, match=r"entry 5, .* it touches 'anna', too"):
            league.undo(3)
        league.undo(5)
        league.undo(3)
        league.set_guest("ann")
        with pytest.raises(errors.ConflictError, match=r"it touches 'ann', too"):
            league.redo(3)
        assert league["ann"].guest
        assert league["bob"].guest


def test_what_was_said_again_of_a_guest_is_in_the_way(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        league.set_guest("ann")
        league.set_guest("bob")
        league.rename("ann", "anna")
        league.set_guest("anna", False)
        with pytest.raises(errors.ConflictError, match=r"entry 6, .* is in the way"):
            league.undo(3)
        league.undo(4)
        assert not league["bob"].guest
        league.undo(6)
        league.undo(3)
        assert not league["anna"].guest


def test_a_recording_that_brought_a_guest_is_not_taken_back_before_it(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        league.set_guest("ann")
        with pytest.raises(errors.ConflictError, match=r"entry 3, .* it touches 'ann', too"):
            league.undo(2)
        league.undo(3)
        league.undo(2)
        assert "ann" not in league


def test_a_merger_keeps_who_was_a_guest(where):
    with League.create(where, "elo-mmr") as league:
        league.record(["ann", "bob"], id="one", time="2026-01-01")
        league.record(["ann 2", "bob"], id="two", time="2026-01-02")
        league.set_guest("ann 2")
        league.merge("ann 2", "ann")
        assert not league["ann"].guest
        with pytest.raises(errors.ConflictError, match="it made 'ann 2' and another player one"):
            league.undo(4)
        league.undo(5)
        assert league["ann 2"].guest
        league.redo(5)
        league.undo(5)
        assert league["ann 2"].guest
        assert not league["ann"].guest
        league.undo(4)
        assert not league["ann 2"].guest
        assert league.verify().sound


def test_guests_are_exported(where, tmp_path):
    with League.create(where, "elo-mmr") as league:
        league.record(SEASON[:3], guests=["player-0001"])
        league.set_guest(VISITOR)
        league.record(SEASON[3:])
        for form in ("parquet", "csv"):
            league.export(tmp_path / form, format=form)
            with League.restore(tmp_path / form, tmp_path / f"{form}.db") as copy:
                assert ratings(copy).equals(ratings(league))
                assert copy[VISITOR].guest
                assert not copy["player-0001"].guest
                assert copy.undo().what == league.undo().what
                copy.undo()
                assert not copy[VISITOR].guest
                league.redo()


def test_an_export_with_a_guest_who_is_no_player_is_refused(path, tmp_path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"])
        league.export(tmp_path / "export")
    about = tmp_path / "export" / "league.json"
    about.write_text(about.read_text().replace('"guests": []', '"guests": ["zoe"]'))
    with pytest.raises(PodiumError, match=r"league\.json: names 'zoe', who is no player"):
        League.restore(tmp_path / "export", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_guest_who_was_never_rated_is_on_no_leaderboard(path):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"], guests=["ann", "bob"], time="2026-01-01")
        assert league.board(Filters(None, with_hidden=True)).table.is_empty()
        assert league.count(with_hidden=True) == 0
        assert league.verify().sound


@pytest.mark.parametrize("guest", [1, None, "yes"])
def test_whether_somebody_is_a_guest_is_yes_or_no(path, guest):
    with League.create(path, "elo-mmr") as league:
        league.record(["ann", "bob"])
        with pytest.raises(PodiumError, match="guest must be True or False"):
            league.set_guest("ann", guest)
        with pytest.raises(errors.NotFoundError, match="there is no player 'anne'"):
            league.set_guest("anne")
