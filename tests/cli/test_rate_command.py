import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import podium
from podium.ratings import arithmetic


def test_it_says_what_was_rated_and_shows_the_best_players(command, season, contests):
    shown = command("rate", season, "--top", 3)
    assert shown.code == 0
    summary, _, header, *rows = shown.stdout.splitlines()
    assert summary.startswith(f"12 contests, 60 players, {contests.rows} rows: rated by elo-mmr in")
    assert header.split()[:3] == ["place", "player", "rating"]
    best = podium.rate(contests).leaderboard(3)["player"].to_list()
    assert [row.split()[1] for row in rows] == best


def test_the_json_document_has_numbers_that_are_not_rounded(command, season, contests):
    shown = command("rate", season, "--json", "--top", 2, "--set", "rho=inf")
    document = json.loads(shown.stdout)
    board = podium.rate(contests, rho=float("inf")).leaderboard(2)
    assert document["parameters"]["rho"] == "inf"
    assert document["rows"] == contests.rows
    assert [row["rating"] for row in document["leaderboard"]] == board["rating"].to_list()
    assert document["leaderboard"][0]["last_time"].endswith("T00:00:00Z")


def test_the_folder_holds_what_the_library_computes(command, season, contests, tmp_path):
    assert command("rate", season, "--out", tmp_path / "new" / "ratings").code == 0
    found = podium.Rated.load(tmp_path / "new" / "ratings")
    expected = podium.rate(contests)
    assert_frame_equal(found.ratings, expected.ratings, check_exact=True)
    assert_frame_equal(found.history, expected.history, check_exact=True)


def test_what_was_written_is_listed_and_no_other_file(command, season, tmp_path):
    (tmp_path / "my-notes.txt").write_text("mine")
    done = command("rate", season, "--out", tmp_path)
    written = "about.json, beliefs.npz, history.parquet, ratings.parquet"
    assert done.stderr.endswith(f"In {tmp_path}: {written}.\n")


def test_tables_can_be_csv_and_history_can_be_left_out(command, season, tmp_path):
    command("rate", season, "--out", tmp_path / "ratings", "--csv", "--no-history")
    files = {file.name for file in (tmp_path / "ratings").iterdir()}
    assert files == {"about.json", "beliefs.npz", "ratings.csv"}


def test_a_list_of_numbers_can_be_set(command, season, contests):
    options = ("--set", "noob_delay=0.6,0.8", "--set", "split_ties=yes")
    document = json.loads(command("rate", season, *options, "--json").stdout)
    expected = podium.rate(contests, noob_delay=(0.6, 0.8), split_ties=True).leaderboard(1)
    assert document["leaderboard"][0]["rating"] == expected["rating"].item()


def test_columns_can_have_other_names(command, contests, tmp_path):
    frame = contests.frame().rename({"player": "handle", "rank": "place"})
    frame.write_csv(tmp_path / "results.csv")
    options = ("--columns", "player=handle", "--columns", "rank=place")
    assert command("rate", tmp_path / "results.csv", *options).code == 0


def test_the_lowest_score_can_be_the_best(command, contests, tmp_path):
    contests.frame().rename({"rank": "score"}).write_csv(tmp_path / "results.csv")
    shown = command("rate", tmp_path / "results.csv", "--lowest-score-wins", "--json")
    best = podium.rate(contests).leaderboard(1)
    assert json.loads(shown.stdout)["leaderboard"][0]["rating"] == best["rating"].item()


@pytest.mark.parametrize("extension", ["parquet", "csv"])
def test_going_on_from_a_folder_gives_what_one_run_gives(command, contests, tmp_path, extension):
    _write_halves(contests, tmp_path)
    flags = ["--csv"] if extension == "csv" else []
    command("rate", tmp_path / "first.csv", "--set", "rho=0.5", "--out", tmp_path / "r", *flags)
    resumed = ("--resume", tmp_path / "r", "--out", tmp_path / "r")
    assert command("rate", tmp_path / "second.csv", *resumed, *flags).code == 0
    found = podium.Rated.load(tmp_path / "r")
    expected = podium.rate(contests, rho=0.5)
    assert_frame_equal(found.ratings, expected.ratings, check_exact=True, check_dtypes=False)
    assert_frame_equal(found.history, expected.history, check_exact=True, check_dtypes=False)


def test_going_on_from_another_arithmetic_is_noted(command, contests, tmp_path, monkeypatch):
    _write_halves(contests, tmp_path)
    command("rate", tmp_path / "first.csv", "--out", tmp_path / "r")
    now = arithmetic.ARITHMETIC
    monkeypatch.setattr(arithmetic, "ARITHMETIC", now + 1)
    going_on = ("rate", tmp_path / "second.csv", "--resume", tmp_path / "r", "--out")
    done = command(*going_on, tmp_path / "r", "--json")
    assert done.code == 0
    assert done.stderr == (
        f"Note: what was rated by arithmetic {now} goes on by arithmetic {now + 1}, so that the "
        "result is not that of one run, to the bit; rating all contests again makes it so.\n"
    )
    about = json.loads((tmp_path / "r" / "about.json").read_text())
    assert (about["arithmetic"], about["machine"]) == (now + 1, {})


def test_going_on_from_a_file_of_beliefs_takes_its_system(command, contests, tmp_path):
    _write_halves(contests, tmp_path)
    command("rate", tmp_path / "first.csv", "--system", "elo-mmx", "--out", tmp_path / "r")
    beliefs = tmp_path / "r" / "beliefs.npz"
    shown = command("rate", tmp_path / "second.csv", "--resume", beliefs, "--json")
    document = json.loads(shown.stdout)
    assert document["system"] == "elo-mmx"
    assert document["contests_in_all"] == len(contests)
    best = podium.rate(contests, "elo-mmx").leaderboard(1)
    assert document["leaderboard"][0]["rating"] == best["rating"].item()


def test_going_on_with_another_system_is_refused(command, season, ratings):
    refused = command("rate", season, "--resume", ratings, "--system", "elo-mmx")
    assert "leave the system out to go on with the same one" in refused.complaint


def test_going_on_with_earlier_contests_is_refused(command, season, ratings):
    refused = command("rate", season, "--resume", ratings)
    assert "contest 'round-01'" in refused.complaint
    assert "going on needs later contests" in refused.complaint


def test_what_is_not_said_when_going_on_is_as_before(command, contests, tmp_path):
    system = podium.system("elo-mmr", rho=0.5, sig_limit=60)
    podium.rate(contests[:6], system).save(tmp_path / "r")
    contests[6:].write(tmp_path / "rest.csv")
    going_on = ("rate", tmp_path / "rest.csv", "--resume", tmp_path / "r", "--json")
    document = json.loads(command(*going_on, "--set", "rho=0.5").stdout)
    assert document["parameters"]["sig_limit"] == 60
    other = command("rate", tmp_path / "rest.csv", "--resume", tmp_path / "r", "--set", "rho=1")
    assert "of elo-mmr with rho=0.5, not rho=1.0" in other.complaint


def test_going_on_from_nothing_is_refused(command, season, tmp_path):
    assert "no beliefs.npz" in command("rate", season, "--resume", tmp_path).complaint
    missing = command("rate", season, "--resume", tmp_path / "none.npz").complaint
    assert "there is no such file" in missing


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--system", "elo-mrm"], "did you mean 'elo-mmr'?"),
        (["--set", "weight_limt=0.3"], "did you mean 'weight_limit'?"),
        (["--set", "rho=-1"], "rho must be a number of at least 0, not -1.0"),
        (["--set", "rho=much"], "rho must be a number, not 'much'"),
        (["--set", "rho"], "write it as --set KEY=VALUE"),
        (["--set", "rho=1", "--set", "rho=2"], "'rho' is given twice"),
        (["--columns", "player"], "write it as --columns OURS=THEIRS"),
        (["--columns", "player=handle"], "there is no column 'handle' to take as 'player'"),
        (["--columns", "plaier=player"], "there is no column 'plaier' to map"),
        (["--threads", "0"], "see 'podium rate --help'"),
        (["--top", "many"], "see 'podium rate --help'"),
        (
            ["--topp", "3"],
            "no such option '--topp' (did you mean '--top'?); see 'podium rate --help'",
        ),
    ],
)
def test_a_wrong_option_is_one_sentence(command, season, options, sentence):
    assert sentence in command("rate", season, *options).complaint


def test_a_missing_file_is_named(command, tmp_path):
    assert "nothing.csv" in command("rate", tmp_path / "nothing.csv").complaint


def test_a_bad_column_is_named_with_its_file(command, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("contest,time,player\n1,2026-01-01,ann\n")
    complaint = command("rate", path).complaint
    assert "there is no column 'rank', 'score' or 'outcome'" in complaint


def test_matches_with_scores_are_refused_in_one_line(command, tmp_path):
    path = tmp_path / "matches.csv"
    path.write_text("contest,time,player_a,player_b,outcome\nfinal,2026-01-01,ann,bob,0.3\n")
    assert command("rate", path, "-s", "elo").complaint.startswith(
        "match 'final' has the score 0.7, but elo takes wins, draws and losses"
    )


def test_a_contest_too_large_for_a_system_is_refused_in_one_line(command, season, monkeypatch):
    monkeypatch.setattr(podium.systems.Elo, "most_players", 2)
    complaint = command("rate", season, "-s", "elo").complaint
    assert complaint.startswith("contest 'round-01' is of ")
    assert " players, but elo rates contests of at most 2; elo-mmr, " in complaint


def test_a_file_where_the_folder_should_be_is_refused(command, season, tmp_path):
    (tmp_path / "ratings").write_text("mine")
    complaint = command("rate", season, "--out", tmp_path / "ratings").complaint
    assert "cannot be a folder, because a file has that name" in complaint
    assert (tmp_path / "ratings").read_text() == "mine"
    assert "cannot be written" in command("rate", season, "--out", tmp_path / "ratings/x").complaint


def _write_halves(contests: podium.Contests, folder: Path) -> None:
    halves: list[tuple[str, pl.DataFrame]] = [
        ("first", contests[:7].frame()),
        ("second", contests[7:].frame()),
    ]
    for name, frame in halves:
        frame.write_csv(folder / f"{name}.csv")


def test_limits_and_the_clock_are_lifted_when_that_is_asked_for(command, tmp_path):
    path, deep = tmp_path / "results.jsonl", "[" * 65 + "]" * 65
    row = '{"contest": "cup", "time": "2999-01-01", "player": "ann", "rank": 1, "more": %s}\n'
    path.write_text(row % deep)
    assert command("rate", path, "--future").complaint.startswith(
        f"{path}, line 1: is JSON of more than 64 brackets in each other"
    )
    assert "more than two years from now" in command("rate", path, "--unlimited").complaint
    assert "ann" in command("rate", path, "--unlimited", "--future").stdout


@pytest.mark.slow
def test_files_of_strangers_are_read_in_a_process_of_their_own(command, tmp_path, monkeypatch):
    path = tmp_path / "results.csv"
    path.write_text("contest,time,player,rank\ncup,2026-05-01,ann,1\ncup,2026-05-01,bob,2\n")
    plain, isolated = (command("leaderboard", path, *how) for how in ((), ("--isolated",)))
    assert isolated.stdout == plain.stdout
    monkeypatch.setenv("PODIUM_MEMORY", "7")
    assert command("rate", path, "--isolated").complaint.startswith(
        f"{path}: isolated or PODIUM_MEMORY is a number of bytes"
    )


@pytest.mark.parametrize("options", [[], ["--csv"], ["--ignore-ladders"], ["--ladder", "asia"]])
@pytest.mark.parametrize("system", ["elo-mmr", "glicko2"])
def test_piece_by_piece_everything_is_as_at_once(command, tmp_path, options, system):
    """Files that overlap in time, of two ladders if any are heeded, and going on from them."""
    rng = np.random.default_rng(1)
    rows = [
        {
            "contest": f"c{n}",
            "time": int(time),
            "player": f"p{who}",
            "rank": rank + 1,
            "ladder": "asia" if n % 3 else "europe",
        }
        for n, time in enumerate(rng.integers(10**9, 10**9 + 90, 120).tolist())
        for rank, who in enumerate(rng.permutation(9)[:4].tolist())
    ]
    frame = pl.DataFrame(rows)
    if not options or options == ["--csv"]:
        frame = frame.drop("ladder") if system == "elo-mmr" else frame
    later = pl.col("time") >= 10**9 + 60
    (tmp_path / "early").mkdir()
    for number in range(3):
        own = frame.filter(pl.col("contest").str.tail(1).cast(pl.Int64) % 3 == number)
        own.filter(~later).write_csv(tmp_path / "early" / f"{number}.csv")
    frame.filter(later).write_parquet(tmp_path / "later.parquet")
    said = []
    for name, memory in (("whole", []), ("pieces", ["--memory", "20kB"])):
        out = tmp_path / name
        asked = ["--system", system, "--out", out, *options, *memory]
        command("rate", tmp_path / "early", *asked)
        going_on = ["--resume", out, *asked, "--json"]
        document = json.loads(command("rate", tmp_path / "later.parquet", *going_on).stdout)
        said.append({**document, "seconds": 0, "out": ""})
    assert said[0] == said[1]
    files = [path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.*")]
    assert len(files) >= 4
    for file in files:
        whole, pieces = (tmp_path / name / file for name in ("whole", "pieces"))
        if file.suffix == ".parquet":
            assert pl.read_parquet(pieces).equals(pl.read_parquet(whole)), file
        else:
            assert pieces.read_bytes() == whole.read_bytes(), file


def test_a_memory_that_is_no_size_is_refused(command, tmp_path):
    assert "is not a size" in command("rate", tmp_path, "--memory", "lots").complaint
