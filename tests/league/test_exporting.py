"""Exports that are damaged, and what else an export keeps."""

import json

import pytest

from podium import Contests, League, PodiumError


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
    with pytest.raises(PodiumError, match=says):
        League.restore(export, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_an_export_of_before_is_restored(export, tmp_path):
    about = json.loads((export / "league.json").read_text())
    del about["players_without_contests"]
    (export / "league.json").write_text(json.dumps(about))
    with League.restore(export, tmp_path / "copy.db") as copy:
        assert copy.verify().sound
