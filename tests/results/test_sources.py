"""Many files, folders and patterns are read as one file would be."""

import os
import re
import zipfile

import polars as pl
import pytest

import podium
from podium.results import sources
from podium.results.formats import limits

HEADER = "contest,time,player,rank\n"


def week(number, time=None):
    day = time or f"2026-01-{number:02}"
    return f"{HEADER}week {number},{day},ann,1\nweek {number},{day},bob,2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in (1, 2, 10):
        (tmp_path / f"week-{number}.csv").write_text(week(number))
    return tmp_path


def names(given, format=None):
    return [str(source.path) for source in sources.found(given, format)]


def refusal(given, kind=podium.InputError, **options):
    with pytest.raises(kind) as caught:
        podium.read(given, **options)
    return str(caught.value)


def test_a_pattern_stands_for_its_files_in_natural_order(folder):
    assert names("week-*.csv") == ["week-1.csv", "week-2.csv", "week-10.csv"]
    assert names(str(folder / "*-[12].csv")) == [str(folder / f"week-{n}.csv") for n in (1, 2)]


def test_files_are_read_as_one_file_would_be(folder):
    whole = HEADER + "".join(week(number).removeprefix(HEADER) for number in (1, 2, 10))
    (folder / "all.tsv").write_text(whole.replace(",", "\t"))
    for given in ("week-*.csv", ["week-10.csv", "week-1.csv", folder / "week-2.csv"]):
        assert podium.read(given) == podium.read("all.tsv")


def test_contests_of_one_time_in_two_files_are_ordered_by_identifier(folder):
    (folder / "week-1.csv").write_text(week(1, "2026-01-10"))
    assert podium.read(["week-10.csv", "week-1.csv"]).ids.to_list() == ["week 1", "week 10"]


def test_a_name_that_is_there_is_no_pattern(folder):
    (folder / "week-[12].csv").write_text(week(7))
    assert names("week-[12].csv") == ["week-[12].csv"]


def test_a_folder_stands_for_its_tables_without_hidden_ones_and_ratings(folder):
    podium.rate(podium.read("week-1.csv")).save(folder / "ratings")
    podium.rate(podium.read("week-1.csv")).save(folder)  # among the results
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "week-3.csv").write_text("nonsense")
    (folder / "notes.txt").write_text("nonsense")
    (folder / "more").mkdir()
    os.replace(folder / "week-2.csv", folder / "more" / "week-2.csv")
    assert names(folder) == [
        str(folder / name) for name in ("more/week-2.csv", "week-1.csv", "week-10.csv")
    ]
    assert len(podium.read(folder)) == 3
    assert len(podium.read("week*")) == len(podium.read("**/*.csv")) - 1 == 2


def test_a_folder_may_mix_tables_and_contest_files(folder):
    (folder / "cup.json").write_text(
        '{"name": "cup", "time_seconds": 0, "standings": [["ann", 0, 0], ["cat", 1, 1]]}'
    )
    assert podium.read(folder).ids.to_list() == ["cup", "week 1", "week 2", "week 10"]
    assert len(podium.read(folder, format="csv")) == 3


def test_folders_of_partitions_are_columns(tmp_path):
    for region in ("europe", "asia%20east"):
        for season in (2024, 2025):
            home = tmp_path / f"ladder={region}" / f"contest={season}"
            home.mkdir(parents=True)
            frame = pl.DataFrame({"time": [season], "player": ["ann"], "rank": [1]})
            frame.write_parquet(home / "part-0.parquet")
    contests = podium.read(tmp_path)
    assert contests.ladders == ["asia east", "europe"]
    assert contests.ids.to_list() == ["2024", "2024", "2025", "2025"]
    one = tmp_path / "ladder=europe" / "contest=2025" / "part-0.parquet"
    assert podium.read(one)[0].ladder == "europe"


def test_a_file_says_more_than_its_folder(tmp_path):
    home = tmp_path / "player=bob"
    home.mkdir()
    (home / "week.csv").write_text(week(1))
    assert podium.read(tmp_path)[0].players == ["ann", "bob"]


def test_files_of_different_types_are_joined(folder):
    frame = pl.DataFrame(
        {"contest": [5, 5], "time": [1_767_600_000] * 2, "player": ["ann", "bob"], "rank": [2, 1]}
    )
    frame.with_columns(weight=pl.lit(2.0)).write_parquet(folder / "five.parquet")
    contests = podium.read(["week-1.csv", "five.parquet", "week-10.csv"])
    assert contests.ids.to_list() == ["week 1", "5", "week 10"]
    assert contests.columns.weight.tolist() == [1.0, 2.0, 1.0]


def test_ranks_scores_and_matches_are_read_together(folder):
    (folder / "scores.csv").write_text("contest,time,player,score\nfinal,2026-02-01,ann,3\n")
    (folder / "duels.csv").write_text("time,player_a,player_b,outcome\n2026-01-01,ann,bob,1\n")
    contests = podium.read(["scores.csv", "week-2.csv", "duels.csv"])
    assert contests.ids.to_list() == ["2026-01-01 ann - bob", "week 2", "final"]


def test_a_contest_in_two_files_is_refused(folder):
    (folder / "again.csv").write_text(week(2).replace("week 2", " week 2"))
    assert refusal(["week-2.csv", "week-1.csv", "again.csv"]) == (
        "week-2.csv and again.csv: contest 'week 2' stands in both; give one of the files, or one "
        "of the contests another identifier."
    )


def test_a_match_in_two_files_is_refused_but_not_in_one(folder):
    head, match = "time,player_a,player_b,outcome\n", "2026-01-01,ann,bob,1\n"
    (folder / "a.csv").write_text(head + match + match)
    (folder / "b.csv").write_text(head + "2026-01-02,ann,bob,1\n")
    (folder / "c.csv").write_text(head + match)
    assert len(podium.read(["a.csv", "b.csv"])) == 3
    said = refusal(["a.csv", "b.csv", "c.csv"])
    assert said.startswith("a.csv and c.csv: match 'ann - bob' at 2026-01-01 00:00:00 stands in")


def test_what_is_wrong_is_said_of_its_file_and_line(folder):
    (folder / "week-2.csv").write_text(week(2).replace("bob,2", "bob,3"))
    assert refusal("week-*.csv").startswith("week-2.csv, line 3: rank 3")
    (folder / "week-2.csv").write_text("contest,time,player\nx,2026-01-01,ann\n")
    assert refusal("week-*.csv").startswith("week-2.csv: ")


@pytest.mark.usefixtures("folder")
def test_what_is_not_there_is_said():
    missing = podium.NotFoundError
    assert refusal("w-*.csv", missing) == "w-*.csv: there is no file of such a name."
    assert refusal(["week-1.csv", "w"], missing) == "w: there is no such file or folder."
    assert refusal(["week-1.csv", "./week-1.csv"]) == "week-1.csv: is given twice."
    assert re.match("there is nothing to read", refusal([]))


def test_ladders_in_some_of_the_files_are_refused(folder):
    (folder / "b.csv").write_text("ladder,contest,time,player,rank\neurope,x,2026-01-01,ann,1\n")
    assert refusal(["week-1.csv", "b.csv"]) == (
        "b.csv has a column ladder, but week-1.csv has none; ladders are in all files, or in none."
    )


@pytest.mark.usefixtures("folder")
def test_many_files_can_be_isolated():
    assert podium.read("week-*.csv", isolated=True) == podium.read("week-*.csv")


GAME = '[Event "Club"]\n[Date "2026.01.05"]\n[White "{}"]\n[Black "bob"]\n[Result "1-0"]\n\n1-0\n\n'


def zipped(path, **files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return path


def test_tables_in_an_archive_are_read_as_those_of_a_folder(tmp_path):
    path = zipped(
        tmp_path / "all.zip",
        weeks__one_csv=week(1),
        games_pgn=GAME.format("ann"),
        readme_txt="hello",
        _hidden_csv="x",
    )
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "all")
    found = podium.read(path)
    assert found == podium.read(tmp_path / "all")
    assert len(found) == 2
    assert podium.Contests.concat(list(podium.scan(path))) == found


def test_what_is_wrong_in_an_archive_is_said_of_its_file(tmp_path):
    path = zipped(tmp_path / "all.zip", one_csv="contest,time,player,rank\nc,2026-01-01,ann,x\n")
    with pytest.raises(podium.InputError) as refused:
        podium.read(path)
    assert str(refused.value).startswith(f"{path}/one.csv, line 2: rank 'x'")
    (only,) = podium.check(path).files
    assert str(only.error) == str(refused.value)
    assert only.path == path / "one.csv"


def test_an_archive_unpacks_within_its_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "ALWAYS", 1000)
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.csv", "contest,time,player,rank\n" + "c,2026-01-01,ann,1\n" * 10**5)
    with pytest.raises(podium.InputError, match="unpacks to more than"):
        podium.read(path)
    assert "unpacks to more than" in str(podium.check(path).error)


def test_files_of_an_archive_are_named_by_themselves(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for day in ("05", "12"):
            archive.writestr(f"season=2026/club-2026-01-{day}.csv", "player,rank\nann,1\nbob,2\n")
            archive.writestr(f"../../evil-2026-02-{day}.csv", "player,rank\nann,1\nbob,2\n")
    with pytest.raises(podium.InputError, match="contest 'club' stands in both"):
        podium.read(path, from_name=True)
    found = podium.check(path, from_name=True)
    assert [str(each.contests[0].time)[:10] for each in found.files][-2:] == [
        "2026-01-05",
        "2026-01-12",
    ]
    assert list(tmp_path.iterdir()) == [path]
