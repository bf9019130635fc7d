import pytest

import podium


@pytest.mark.parametrize("extension", ["csv", "parquet", "jsonl"])
def test_the_file_holds_what_the_library_simulates(command, tmp_path, extension):
    path = tmp_path / f"season.{extension}"
    options = ("--players", 30, "--rounds", 5, "--participation", 0.5, "--ties", 0.3, "--seed", 9)
    shown = command("simulate", path, *options)
    assert shown.code == 0
    assert shown.stdout.startswith("5 contests, ")
    expected = podium.simulate(30, 5, participation=0.5, ties=0.3, seed=9)
    assert podium.read(path) == expected


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--players", 1), "players must be a whole number of at least 2, not 1."),
        (("--participation", 1.5), "participation must be a number from 0 to 1, not 1.5."),
        (("--start", "soon"), "'soon' is not a time"),
        (("--players", "many"), "see 'podium simulate --help'"),
    ],
)
def test_a_wrong_option_is_one_sentence(command, tmp_path, options, sentence):
    assert sentence in command("simulate", tmp_path / "season.csv", *options).complaint
    assert not (tmp_path / "season.csv").exists()


def test_an_unknown_format_is_refused(command, tmp_path):
    assert command("simulate", tmp_path / "season.docx").complaint
