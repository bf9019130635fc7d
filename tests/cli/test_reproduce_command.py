import json
import struct

import polars as pl
import pytest

import podium
from podium import papers

NAMES = [
    "luck-figure-3.1",
    "luck-figure-3.2",
    "luck-figure-5.1",
    "luck-beta",
    "luck-football",
]


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """Matches of two in a file."""
    path = tmp_path_factory.mktemp("matches") / "league.parquet"
    podium.simulate_matches(8, 800, draws=0.2, side_advantage=0.4, seed=6).write(path)
    return path


def width(path):
    """The width of a PNG, in pixels."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">I", data[16:20])[0]


def test_all_targets_are_listed_with_what_they_show(command):
    assert papers.names() == NAMES
    lines = command("reproduce").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == NAMES
    assert all(target.title in command("reproduce").stdout for target in papers.TARGETS)
    listed = json.loads(command("reproduce", "--json").stdout)
    assert [each["target"] for each in listed] == NAMES


def test_a_target_writes_its_picture_and_numbers_and_prints_a_table(command, tmp_path):
    shown = command("reproduce", "luck-figure-3.1", "--out", tmp_path / "new")
    assert shown.code == 0
    assert width(tmp_path / "new" / "luck-figure-3.1.png") == 1200
    numbers = pl.read_csv(tmp_path / "new" / "luck-figure-3.1.csv")
    assert numbers.columns == ["beta", "sigma", "m", "gain"]
    assert shown.stdout.split("\n")[0].startswith("beta  sigma  highest gain")
    assert "94.61" in shown.stdout
    assert "luck-figure-3.1.png" in shown.stderr


def test_json_has_the_findings_unrounded(command, tmp_path):
    shown = json.loads(command("reproduce", "luck-figure-3.1", "--out", tmp_path, "--json").stdout)
    assert shown["target"] == "luck-figure-3.1"
    assert len(shown["findings"]) == 12
    assert shown["findings"][3]["highest_gain"] == pytest.approx(94.6, abs=0.05)
    assert shown["files"] == [str(tmp_path / f"luck-figure-3.1.{end}") for end in ("png", "csv")]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("luck-figure-3.2", ["luck-figure-3.2.csv", "luck-figure-3.2.png"]),
        (
            "luck-figure-5.1",
            ["luck-figure-5.1-density.csv", "luck-figure-5.1-losses.csv", "luck-figure-5.1.png"],
        ),
    ],
)
def test_results_of_ones_own_take_the_place_of_simulated_ones(
    command, league, tmp_path, name, files
):
    assert command("reproduce", name, "--data", league, "--out", tmp_path).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    assert width(tmp_path / f"{name}.png") == 1200


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("luck-figure-31",),
            "there is no target 'luck-figure-31' (did you mean 'luck-figure-3.1'?)",
        ),
        (("chess",), "there is no target 'chess'; there are luck-figure-3.1, "),
        (("luck-football",), "luck-football needs matches of two; give them with --data PATH."),
        (
            ("luck-beta", "--data", "results.csv"),
            "luck-beta uses no results, so --data does not apply.",
        ),
        (("luck-football", "--data", "nothing.csv"), "nothing.csv"),
        (("luck-figure-3.1", "--columns", "time=date"), "options for reading results need --data"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(command, tmp_path, arguments, sentence):
    assert sentence in command("reproduce", *arguments, "--out", tmp_path).complaint
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_folder_is_found_out_first(command, league):
    complaint = command("reproduce", "luck-figure-3.1", "--out", league).complaint
    assert complaint == f"{league}: cannot be a folder, because a file has that name."


def test_columns_of_other_names_are_mapped(command, league, tmp_path):
    renamed = tmp_path / "renamed.csv"
    podium.read(league).frame().rename({"player": "handle"}).write_csv(renamed)
    shown = command(
        "reproduce",
        "luck-figure-3.2",
        "--data",
        renamed,
        "--columns",
        "player=handle",
        "--out",
        tmp_path / "out",
    )
    assert shown.code == 0
