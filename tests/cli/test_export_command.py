import polars as pl
import pytest


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_an_export_holds_the_ratings(command, league, tmp_path, format):
    folder = tmp_path / "export"
    done = command("export", league, folder, "--format", format)
    assert done.code == 0
    assert done.stdout.startswith(f"{league} is exported to {folder}: ")
    files = {file.name for file in folder.iterdir()}
    assert all(name in done.stdout for name in files)
    read = {"parquet": pl.read_parquet, "csv": pl.read_csv}[format]
    ratings = read(folder / f"ratings.{format}")
    assert set(ratings["player"]) == {"ann", "bob", "cat", "dan", "eve", "fay"}


def test_an_export_that_cannot_be(command, league, tmp_path):
    complaint = command("export", league, tmp_path / "export", "--format", "xml").complaint
    assert "'xml'" in complaint
    assert not (tmp_path / "export").exists()
    file = tmp_path / "file"
    file.write_text("mine")
    assert str(file) in command("export", league, file).complaint
    assert file.read_text() == "mine"


def test_an_export_lists_what_it_wrote_and_no_other_file(command, league, tmp_path):
    (tmp_path / "my-notes.txt").write_text("mine")
    assert "my-notes" not in command("export", league, tmp_path).stdout
