"""Commands on results with a column `ladder`."""

import json
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import podium
from podium.extras import is_installed

EUROPE = podium.simulate(players=25, rounds=8, participation=0.7, seed=1)
ASIA = podium.simulate(players=20, rounds=6, ties=0.2, seed=2)


def with_ladders(**parts: podium.Contests) -> pl.DataFrame:
    return pl.concat(
        [part.frame().with_columns(ladder=pl.lit(name)) for name, part in parts.items()]
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "results.csv"
    with_ladders(europe=EUROPE, asia=ASIA).write_csv(path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ratings of both ladders."""
    for name, contests in (("europe", EUROPE), ("asia", ASIA)):
        podium.rate(contests).save(tmp_path / "ratings" / name)
    return tmp_path / "ratings"


def assert_holds(folder: Path, expected: podium.Rated) -> None:
    found = podium.Rated.load(folder)
    assert_frame_equal(found.ratings, expected.ratings, check_exact=True, check_dtypes=False)
    assert_frame_equal(found.history, expected.history, check_exact=True, check_dtypes=False)


def test_every_ladder_is_rated_and_written_by_itself(command, results, tmp_path):
    shown = command("rate", results, "--top", 2, "--out", tmp_path / "r")
    assert shown.code == 0
    lines = shown.stdout.splitlines()
    rows = EUROPE.rows + ASIA.rows
    assert lines[0].startswith(f"2 ladders, 14 contests, 25 players, {rows} rows: rated by elo-mmr")
    assert lines[2] == "asia"
    assert lines[7] == "europe"
    best = podium.rate(ASIA).leaderboard(2)["player"].to_list()
    assert [line.split()[1] for line in lines[4:6]] == best
    assert f"podium leaderboard {tmp_path / 'r' / 'asia'} reads one" in shown.stderr
    assert_holds(tmp_path / "r" / "asia", podium.rate(ASIA))
    assert_holds(tmp_path / "r" / "europe", podium.rate(EUROPE))
    assert command("leaderboard", tmp_path / "r" / "europe").code == 0


def test_the_json_document_has_every_ladder(command, results):
    document = json.loads(command("rate", results, "--top", 1, "--json").stdout)
    assert list(document["ladders"]) == ["asia", "europe"]
    assert document["contests"] == 14
    assert document["rows"] == EUROPE.rows + ASIA.rows
    europe = document["ladders"]["europe"]
    assert europe["rows"] == EUROPE.rows
    assert europe["contests"] == europe["contests_in_all"] == 8
    expected = podium.rate(EUROPE).leaderboard(1)
    assert [row["rating"] for row in europe["leaderboard"]] == expected["rating"].to_list()


def test_only_the_first_boards_of_many_ladders_are_shown(command, tmp_path):
    parts = {f"season {number}": ASIA[:1] for number in range(12)}
    with_ladders(**parts).write_csv(tmp_path / "results.csv")
    shown = command("rate", tmp_path / "results.csv", "--top", 1)
    headings = [line for line in shown.stdout.splitlines() if line.startswith("season")]
    assert headings == [f"season {number}" for number in range(5)]
    assert "The first 5 of 12 ladders; --ladder NAME shows another." in shown.stderr


def test_another_column_can_be_the_ladder(command, tmp_path):
    frame = with_ladders(europe=EUROPE, asia=ASIA).rename({"ladder": "region"})
    frame.write_parquet(tmp_path / "results.parquet")
    shown = command("rate", tmp_path / "results.parquet", "--columns", "ladder=region", "--json")
    assert list(json.loads(shown.stdout)["ladders"]) == ["asia", "europe"]


def test_one_ladder_of_the_results_can_be_taken(command, results, tmp_path):
    out = tmp_path / "r"
    assert command("rate", results, "--ladder", "asia", "--out", out).code == 0
    assert_holds(out, podium.rate(ASIA))
    document = json.loads(command("leaderboard", results, "--ladder", "asia", "--json").stdout)
    assert document["players"] == 20
    name = ASIA[0].players[0]
    document = json.loads(command("player", results, name, "--ladder", "asia", "--json").stdout)
    assert len(document["history"]) == 6
    best, second = ASIA[0].players[:2]
    document = json.loads(
        command("predict", results, best, second, "--ladder", "asia", "--json").stdout
    )
    ladder = podium.Ladder.from_beliefs(podium.rate(ASIA).beliefs)
    assert document["win_probability"] == ladder.win_probability(best, second)


def test_one_ladder_of_a_folder_can_be_taken(command, folder):
    for source in ((folder, "--ladder", "asia"), (folder / "asia",)):
        document = json.loads(command("leaderboard", *source, "--json").stdout)
        assert document["players"] == 20
    name = ASIA[0].players[0]
    document = json.loads(command("player", folder, name, "--ladder", "asia", "--json").stdout)
    assert len(document["history"]) == 6
    belief = ("--ladder", "asia", "--belief", folder / "belief.png")
    assert "holds the latest beliefs only" in command("player", folder, name, *belief).complaint


@pytest.mark.parametrize(
    "words", [["leaderboard", "{}"], ["player", "ann", "{}"], ["predict", "{}", "ann", "bob"]]
)
def test_what_shows_one_ladder_asks_which(command, results, folder, words):
    def said(path: Path) -> str:
        return command(*(str(path) if word == "{}" else word for word in words)).complaint

    assert said(results) == (
        f"{results}: is of the ladders 'asia', 'europe'; choose one with --ladder NAME, or take "
        f"all together with --ignore-ladders."
    )
    assert said(folder) == (
        f"{folder}: holds ratings of the ladders 'asia', 'europe'; choose one with --ladder NAME, "
        f"or give its folder, e.g. {folder / 'asia'}."
    )


def test_a_single_ladder_need_not_be_named(command, tmp_path):
    with_ladders(asia=ASIA).write_csv(tmp_path / "results.csv")
    document = json.loads(command("leaderboard", tmp_path / "results.csv", "--json").stdout)
    assert document["players"] == 20


def test_ladders_can_be_ignored(command, results, tmp_path):
    contests = podium.simulate(players=20, rounds=6, seed=3)
    odd = contests.frame().with_columns(ladder=pl.col("contest").str.tail(1))
    odd.write_csv(tmp_path / "results.csv")
    ignoring = ("--ignore-ladders", "--json")
    document = json.loads(command("rate", tmp_path / "results.csv", *ignoring).stdout)
    best = podium.rate(contests).leaderboard(1)
    assert document["leaderboard"][0]["rating"] == best["rating"].item()
    assert "every contest needs an identifier of its own" in (
        command("rate", results, "--ignore-ladders").complaint
    )
    assert command("rate", results, "--ignore-ladders", "--ladder", "asia").complaint == (
        "--ladder takes one ladder and --ignore-ladders all; say one of them."
    )


def test_a_ladder_that_is_not_there_is_named_with_those_that_are(command, results, season, folder):
    for source in (results, folder):
        assert command("leaderboard", source, "--ladder", "erope").complaint == (
            f"{source}: there is no ladder 'erope' (did you mean 'europe'?); there are 'asia', "
            f"'europe'."
        )
    assert command("rate", season, "--ladder", "asia").complaint == (
        f"{season}: has no column ladder, so --ladder does not apply."
    )
    assert command("leaderboard", folder / "asia", "--ladder", "asia").complaint == (
        f"{folder / 'asia'}: holds the ratings of one ladder, so --ladder is not needed."
    )


def _write_halves(tmp_path: Path) -> None:
    with_ladders(europe=EUROPE[:5], asia=ASIA).write_csv(tmp_path / "first.csv")
    with_ladders(europe=EUROPE[5:], africa=ASIA).write_csv(tmp_path / "second.csv")


@pytest.mark.parametrize("same", [True, False])
def test_going_on_ladder_by_ladder_gives_what_one_run_gives(command, tmp_path, same):
    _write_halves(tmp_path)
    first, second = tmp_path / "r", tmp_path / ("r" if same else "s")
    command("rate", tmp_path / "first.csv", "--set", "rho=0.5", "--out", first)
    shown = command("rate", tmp_path / "second.csv", "--resume", first, "--out", second)
    assert shown.code == 0, shown.stderr
    assert_holds(second / "europe", podium.rate(EUROPE, rho=0.5))
    assert_holds(second / "asia", podium.rate(ASIA, rho=0.5))
    assert_holds(second / "africa", podium.rate(ASIA, rho=0.5))


def test_one_ladder_can_go_on_by_itself(command, tmp_path):
    _write_halves(tmp_path)
    command("rate", tmp_path / "first.csv", "--out", tmp_path / "r")
    EUROPE[5:].write(tmp_path / "rest.csv")
    second = tmp_path / "second.csv"
    for arguments in (
        (second, "--ladder", "europe", "--resume", tmp_path / "r"),
        (tmp_path / "rest.csv", "--resume", tmp_path / "r" / "europe"),
    ):
        document = json.loads(command("rate", *arguments, "--json").stdout)
        best = podium.rate(EUROPE).leaderboard(1)
        assert document["leaderboard"][0]["rating"] == best["rating"].item()
    refused = command("rate", second, "--ladder", "africa", "--resume", tmp_path / "r").complaint
    assert refused.endswith("there are 'asia', 'europe'.")


def test_many_ladders_do_not_go_on_from_one_nor_one_from_many(command, results, season, folder):
    asia = folder / "asia"
    for resume in (asia, asia / "beliefs.npz"):
        assert command("rate", results, "--resume", resume).complaint == (
            f"{resume}: holds the ratings of one ladder, but {results} is of the ladders 'asia', "
            f"'europe'; choose one with --ladder NAME."
        )
    assert command("rate", season, "--resume", folder).complaint == (
        f"{folder}: holds ratings of the ladders 'asia', 'europe', but {season} has no column "
        f"ladder; go on from one of them, e.g. {asia}."
    )


def test_what_cannot_be_written_is_refused_before_rating(command, results, folder, tmp_path):
    assert command("rate", results, "--out", folder / "asia").complaint.startswith(
        f"{folder / 'asia'}: holds ratings that are not of ladders; choose another folder"
    )
    (folder / "europe").rename(folder / "oceania")
    assert command("rate", results, "--out", folder).complaint.startswith(
        f"{folder / 'oceania'}: is there already, but not one of the ladders to write"
    )
    with_ladders(**{"eu/west": EUROPE, "asia": ASIA}).write_csv(tmp_path / "results.csv")
    refused = command("rate", tmp_path / "results.csv", "--out", tmp_path / "r").complaint
    assert refused.startswith("ladder 'eu/west' cannot be the name of a folder")
    assert not (tmp_path / "r").exists()
    assert command("rate", tmp_path / "results.csv").code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--jobs", "0"], "see 'podium rate --help'"),
        (["--backend", "dsk"], "there is no backend 'dsk' (did you mean 'dask'?)"),
        (["--scheduler", "tcp://127.0.0.1:1"], "is for the backends dask and ray"),
    ],
)
def test_a_wrong_option_is_one_sentence(command, results, options, sentence):
    assert sentence in command("rate", results, *options).complaint


@pytest.mark.parametrize("option", [("--jobs", 2), ("--backend", "dask"), ("--scheduler", "x")])
def test_options_for_many_cores_are_for_ladders(command, season, option):
    assert command("rate", season, *option).complaint == (
        f"{season}: is rated as one ladder, so --jobs, --backend and --scheduler do not apply."
    )


@pytest.mark.slow
def test_processes_and_clusters_write_the_same_files(command, results, dask_scheduler, tmp_path):
    everywhere = {
        "here": ("--jobs", 1),
        "local": ("--jobs", 2),
        "dask": ("--backend", "dask", "--scheduler", dask_scheduler),
    }
    if is_installed("ray"):
        everywhere["ray"] = ("--backend", "ray", "--jobs", 2)
    for name, options in everywhere.items():
        shown = command("rate", results, "--out", tmp_path / name, *options)
        assert (shown.code, shown.stderr.count("\n")) == (0, 2)
    contents = [
        {
            str(path.relative_to(tmp_path / name)): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in everywhere
    ]
    assert all(each == contents[0] for each in contents)
    assert len(contents[0]) == 8
