"""Exports that are damaged, and what else an export keeps."""

import json

import numpy as np
import polars as pl
import pytest

import podium
from podium import Contests, League, PodiumError

pytestmark = pytest.mark.usefixtures("first_arithmetic")


@pytest.fixture
def export(tmp_path):
    """The folder of an exported league."""
    rows = [("week 1", "ann", 1), ("week 1", "bob", 2), ("week 2", "cat", 1), ("week 2", "dan", 2)]
    with League.create(tmp_path / "league.db") as league:
        league.record(
            Contests.from_records(
                [
                    {"contest": id, "time": 0, "player": player, "rank": rank}
                    for id, player, rank in rows
                ]
            )
        )
        league.rename("ann", "anna")
        league.remove("week 2")
        league.export(tmp_path / "export", format="csv")
    return tmp_path / "export"


def test_players_without_contests_are_known_after_all(export, tmp_path):
    with League.restore(export, tmp_path / "copy.db") as copy:
        for name in ("cat", "dan"):
            assert copy.history_of(name).height == 0
        assert copy.history_of("ann").height == 1
        copy.export(tmp_path / "again", format="csv")
    for file in export.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        lambda about: about.pop("rules"),
        lambda about: about["rules"].update(colour="red"),
        lambda about: about.pop("created"),
        lambda about: about.update(created="long ago"),
        lambda about: about.update(players_without_contests=5),
        lambda about: about["revisions"][0].pop("created"),
        lambda about: about.update(in_force="nothing"),
    ],
)
def test_a_description_that_is_damaged_is_a_sentence(export, tmp_path, damage):
    file = export / "league.json"
    about = json.loads(file.read_text())
    damage(about)
    file.write_text(json.dumps(about))
    with pytest.raises(PodiumError, match=r"league\.json: is damaged"):
        League.restore(export, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize(
    ("table", "old", "new", "says"),
    [
        ("results", "true", "yes", "not what podium export wrote"),
        ("results", "true\n", "\n", "lacks some of the column 'eligible'"),
        ("results", "rated", "counted", "no column 'rated'"),
        ("aliases", "alias", "called", "not what podium export wrote"),
        ("log", "who", "whom", "not what podium export wrote"),
        ("log", "T", "?", "not what podium export wrote"),
        ("log", "\n1,", "\none,", "not what podium export wrote"),
    ],
)
def test_a_table_that_is_damaged_is_a_sentence(export, tmp_path, table, old, new, says):
    file = export / f"{table}.csv"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(PodiumError, match=says) as refused:
        League.restore(export, tmp_path / "copy.db")
    assert str(refused.value).startswith(f"{file}: ")
    assert not (tmp_path / "copy.db").exists()


def test_an_export_of_before_is_restored(export, tmp_path):
    about = json.loads((export / "league.json").read_text())
    del about["players_without_contests"]
    (export / "league.json").write_text(json.dumps(about))
    with League.restore(export, tmp_path / "copy.db") as copy:
        assert copy.verify().sound


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_results_that_do_not_make_the_history_are_refused(tmp_path, format):
    with League.create(tmp_path / "league.db") as league:
        league.record(podium.simulate(players=9, rounds=6, seed=3))
        league.export(tmp_path / "export", format=format)
    League.restore(tmp_path / "export", tmp_path / "same.db").close()
    file = tmp_path / "export" / f"history.{format}"
    table = read(file)
    other = table["mu"].cast(pl.Float64).to_numpy().copy()
    other[7] = np.nextafter(other[7], np.inf)
    write(table.with_columns(mu=pl.Series(other)), file)
    contest, player = table["contest"][7], table["player"][7]
    said = rf"history\.{format}: contest '{contest}', player '{player}': mu is .* by the results"
    with pytest.raises(PodiumError, match=said):
        League.restore(tmp_path / "export", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    write(table[1:], file)
    with pytest.raises(PodiumError, match=r"in the history or by the results, not in both"):
        League.restore(tmp_path / "export", tmp_path / "copy.db")
    file.unlink()
    League.restore(tmp_path / "export", tmp_path / "copy.db").close()


@pytest.mark.parametrize(("off", "is_fine"), [(1e-10, True), (1e-6, False)])
def test_a_history_of_another_machine_is_compared_to_a_tolerance(tmp_path, off, is_fine):
    with League.create(tmp_path / "league.db") as league:
        league.record(podium.simulate(players=9, rounds=6, seed=3))
        league.export(tmp_path / "export")
    file, about = tmp_path / "export" / "history.parquet", tmp_path / "export" / "league.json"
    table = pl.read_parquet(file)
    table.with_columns(pl.col("mu") * (1.0 + off)).write_parquet(file)
    document = json.loads(about.read_text())
    document["revisions"][0]["machine"]["numpy"] = "another"
    about.write_text(json.dumps(document))
    if is_fine:
        League.restore(tmp_path / "export", tmp_path / "copy.db").close()
        return
    with pytest.raises(PodiumError, match="by the results"):
        League.restore(tmp_path / "export", tmp_path / "copy.db")


def test_a_history_of_another_arithmetic_is_not_compared(tmp_path):
    with League.create(tmp_path / "league.db") as league:
        league.record(podium.simulate(players=9, rounds=6, seed=3))
        league.export(tmp_path / "export", format="csv")
    about = tmp_path / "export" / "league.json"
    about.write_text(about.read_text().replace('"arithmetic": 1', '"arithmetic": 0'))
    (tmp_path / "export" / "history.csv").write_text("nonsense\n")
    with League.restore(tmp_path / "export", tmp_path / "copy.db") as copy:
        assert copy.verify().sound


def test_a_row_that_cannot_be_is_named_with_its_file(export, tmp_path):
    file = export / "results.csv"
    file.write_text(file.read_text().replace(",2,", ",7,"))
    with pytest.raises(PodiumError, match=rf"^{file}, row 2: rank 7 of player"):
        League.restore(export, tmp_path / "copy.db")


def read(file):
    return pl.read_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.read_parquet(file)


def write(table, file):
    table.write_csv(file) if file.suffix == ".csv" else table.write_parquet(file)
