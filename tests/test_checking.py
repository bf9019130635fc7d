"""A check says what would be read, and changes nothing."""

import polars as pl
import pytest

import podium
from podium.errors import InputError, PodiumError
from tests.weeks import WEEKS, standings

RESULTS = (
    "Event,Date,Name,Place,Colour\n"
    "spring,2026-03-01,ann adams,1,red\nspring,2026-03-01,bob,2,blue\n"
    "summer,2026-06-01,Ann Adams,1,red\nsummer,2026-06-01,cat,2,red\n"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(RESULTS)
    return path


@pytest.fixture
def league(tmp_path):
    with podium.League.create(tmp_path / "league.db") as made:
        text = standings("week-1", "2026-01-05", WEEKS["week-1"])
        (tmp_path / "week-1.csv").write_text(text)
        made.record(podium.read(tmp_path / "week-1.csv"))
        yield made


def test_a_check_holds_what_reading_gives(file):
    found = podium.check(file)
    assert found.error is None
    (only,) = found.files
    assert only.contests == podium.read(file)
    understood = {each.ours: each.theirs for each in only.understanding.columns}
    assert understood == {"contest": "Event", "time": "Date", "player": "Name", "rank": "Place"}
    assert only.understanding.unused == ["Colour"]
    assert only.first["player"].to_list() == ["ann adams", "bob", "Ann Adams", "cat"]
    assert found.near.rows() == [("Ann Adams", "ann adams")]
    assert found.league is None


def test_options_are_those_of_reading(file):
    found = podium.check(file, columns={"player": "Colour"}, rerank=True)
    assert "'red' stands twice" in str(found.error)
    with pytest.raises(InputError, match="there is no option 'dtaes'"):
        podium.check(file, dtaes="dmy")


def test_a_refused_file_shows_what_was_understood_until_then(tmp_path):
    path = tmp_path / "club-night-2026-03-05.csv"
    path.write_text("Name,Place\nann,1\nbob,2\n")
    (only,) = podium.check(path).files
    with pytest.raises(PodiumError) as refused:
        podium.read(path)
    assert str(only.error) == str(refused.value)
    assert type(only.error) is type(refused.value)
    assert only.contests is None
    assert [each.theirs for each in only.understanding.columns] == ["Name", "Place"]
    assert only.first.rows() == [("ann", "1"), ("bob", "2")]
    assert only.from_name == {"contest": "club-night", "time": "2026-03-05"}
    (taken,) = podium.check(path, from_name=True).files
    assert taken.contests is not None
    assert taken.contests.ids.to_list() == ["club-night"]


def test_a_text_that_is_no_table_shows_its_first_lines(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text('contest,time,player,rank\na,2026-01-01,"ann,1\n')
    (only,) = podium.check(path).files
    assert "the quotes do not match" in str(only.error)
    assert only.first["line"].to_list() == ["contest,time,player,rank", 'a,2026-01-01,"ann,1']


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(podium.NotFoundError):
        podium.check(tmp_path / "nothing.csv")


def test_rows_that_stand_twice_are_counted(tmp_path):
    path = tmp_path / "matches.csv"
    row = "2026-01-01,ann,bob,1\n"
    path.write_text("time,player_a,player_b,outcome\n" + row + row + "2026-01-02,ann,bob,1\n")
    (only,) = podium.check(path).files
    assert only.repeated_rows == 1
    assert only.same_results["like"].to_list() == ["2026-01-01 ann - bob"]


def test_many_files_are_checked_each_and_together(file, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text(standings("spring", "2026-03-01", ("bob", "ann adams", "Cat")))
    found = podium.check([file, more])
    assert [each.error for each in found.files] == [None, None]
    assert found.in_two_files.rows() == [("spring", str(file), str(more))]
    assert ("Cat", "cat") in found.near.rows()


@pytest.mark.parametrize("opened", [True, False])
def test_a_league_is_compared(league, tmp_path, opened):
    files = {
        "same": standings("week-1", "2026-01-05", WEEKS["week-1"]),
        "new": standings("week-2", "2026-01-12", ("bob", "Ann", "alice", "zoe")),
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    before = league.contests()
    paths = [tmp_path / f"{name}.csv" for name in files]
    where = league if opened else tmp_path / "league.db"
    found = podium.check(paths, league=where).league
    assert found is not None
    assert (found.same, found.other, found.error) == (["week-1"], [], None)
    assert found.newcomers == ["Ann", "alice", "zoe"]
    assert found.near.rows() == [("Ann", "ann")]
    (tmp_path / "same.csv").write_text(standings("week-1", "2026-01-05", ("bob", "ann")))
    assert podium.check(paths, league=where).league.other == ["week-1"]
    assert league.contests().equals(before)


def test_what_a_league_would_refuse_is_said(league, tmp_path):
    league.rename("ann", "caroline")
    path = tmp_path / "twice.csv"
    path.write_text(standings("week-2", "2026-01-12", ("ann", "caroline")))
    found = podium.check(path, league=league)
    assert found.error is None
    assert "are one player in this league" in found.league.error


def test_a_child_reads_what_is_checked(file):
    found, plain = podium.check(file, isolated=True), podium.check(file)
    assert found.files[0].contests == plain.files[0].contests
    assert found.files[0].first.equals(plain.files[0].first)
    assert isinstance(found.near, pl.DataFrame)


def test_dates_beyond_all_calendars_are_shown_as_numbers(tmp_path):
    path = tmp_path / "odd.parquet"
    beyond = pl.Series([-800_000, -800_000]).cast(pl.Int32).cast(pl.Date)
    pl.DataFrame({"contest": ["a", "a"], "time": beyond, "player": ["b", "c"]}).write_parquet(path)
    (only,) = podium.check(path).files
    assert only.error is not None
    assert only.document()["first"][0]["time"] == -800_000


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        (
            "a.pgn",
            '[Event "x"]\n[White "?"]\n[Black "b"]\n[Result "1-0"]\n',
            "games of chess (PGN)",
        ),
        ("a.csv", 'player,rank\n"ann,1\n', "a table of text"),
        (
            "a.json",
            '{"success": true, "data": [{"pos": "x", "name": "a"}]}',
            "a scoreboard of CTFd",
        ),
        ("a.json", '{"more": 1}', "JSON"),
    ],
)
def test_a_file_that_is_refused_is_still_recognised(tmp_path, name, text, format):
    (tmp_path / name).write_text(text)
    (only,) = podium.check(tmp_path / name).files
    assert only.error is not None
    assert only.understanding.format.startswith(format)
