"""The commands about players: describe, players, attributes, hide, show, and merge with details."""

import json

import pytest

import podium


@pytest.fixture
def league(tmp_path):
    path = tmp_path / "league.db"
    with podium.League.create(path, "elo") as made:
        made.record(["ann", "bob", "cat"], id="c1", time="2026-01-01")
        made.record(["bob", "dan"], id="c2", time="2026-01-02")
    return path


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        "Player,Display,Country,Birth year,Code\n"
        "ann,Ann Lee,NO,2005,007\nbob,,SE,1999,\ncat,,NO,,\n"
    )
    return path


def test_a_table_is_read_and_printed_so_that_it_can_be_read_again(
    command, league, people, tmp_path
):
    refused = command("describe", league, people)
    assert refused.code == 2
    assert "'country', 'birth_year', 'code'; define=True or --define" in refused.stderr
    assert command("describe", league, people, "--define").code == 0
    shown = command("players", league, "--csv")
    again = tmp_path / "again.csv"
    again.write_text(shown.stdout)
    assert "known so already" in command("describe", league, again).stdout
    found = json.loads(command("players", league, "--json").stdout)
    assert found[0] == {
        "id": 1,
        "player": "ann",
        "display": "Ann Lee",
        "hidden": False,
        "attributes": {"country": "NO", "birth_year": 2005, "code": "007"},
    }


@pytest.mark.parametrize("suffix", [".xlsx", ".parquet", ".jsonl"])
def test_tables_of_other_programs_are_read(command, league, tmp_path, suffix):
    import polars as pl

    path = tmp_path / f"people{suffix}"
    frame = pl.DataFrame({"player": ["ann", "dan"], "country": ["NO", None], "year": [2005, None]})
    if suffix == ".xlsx":
        pytest.importorskip("xlsxwriter")
        frame.write_excel(path)
    elif suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_ndjson(path)
    done = command("describe", league, path, "--define")
    assert done.code == 0, done.stderr
    rows = json.loads(command("players", league, "--where", "year>=2000", "--json").stdout)
    assert [row["player"] for row in rows] == ["ann"]


def test_conditions_choose_players_and_say_what_is_wrong(command, league, people):
    command("describe", league, people, "--define")
    rows = json.loads(command("leaderboard", league, "--where", "country=NO", "--json").stdout)
    assert [(row["place"], row["player"]) for row in rows["leaderboard"]] == [
        (1, "ann"),
        (2, "cat"),
    ]
    shown = command("leaderboard", league, "--where", "country!=NO", "--where", "birth_year<2000")
    assert "bob" in shown.stdout
    assert "ann" not in shown.stdout
    assert "Ann Lee" in command("leaderboard", league).stdout
    wrong = command("leaderboard", league, "--where", "contry=NO")
    assert wrong.code == 3
    assert "did you mean 'country'" in wrong.stderr
    assert command("leaderboard", league, "--where", "country").code == 2


def test_one_player_is_described_and_a_value_removed(command, league):
    assert "has no attribute 'club'" in command("describe", league, "ann", "club=Blue").stderr
    assert command("attributes", league, "club", "fee:number", "--private").code == 0
    assert command("describe", league, "ann", "club=Blue", "fee=12").code == 0
    assert command("describe", league, "ann", "club=").code == 0
    (ann, *_) = json.loads(command("players", league, "--json").stdout)
    assert ann["attributes"] == {"club": None, "fee": 12}
    assert command("undo", league).code == 0
    (ann, *_) = json.loads(command("players", league, "--json").stdout)
    assert ann["attributes"] == {"club": "Blue", "fee": 12}
    nothing = command("describe", league, "ann")
    assert nothing.code == 2
    assert "give values, such as country=NO" in nothing.stderr


def test_attributes_are_listed_and_removed(command, league):
    assert "no attributes" in command("attributes", league).stdout
    assert command("attributes", league, "country", "born:date").code == 0
    listed = json.loads(command("attributes", league, "--json").stdout)
    assert listed == [
        {"name": "country", "kind": "text", "public": True},
        {"name": "born", "kind": "date", "public": True},
    ]
    tried = command("attributes", league, "--remove", "born", "--dry-run")
    assert tried.code == 0
    assert "Nothing was changed." in tried.stderr
    assert json.loads(command("attributes", league, "--json").stdout) == listed
    assert command("attributes", league, "--remove", "born").code == 0
    assert json.loads(command("attributes", league, "--json").stdout) == listed[:1]
    assert command("attributes", league, "x", "--remove", "country").code == 2
    assert command("attributes", league, "age:numbr").code == 2


def test_hidden_players_are_shown_with_an_option_only(command, league):
    assert command("hide", league, "bob", "--why", "asked").code == 0
    for asked in (
        ("leaderboard", league),
        ("players", league),
        ("contest", league, "c1"),
        ("explain", league, "c1", "ann"),
    ):
        assert "bob" not in command(*asked).stdout, asked
        assert "bob" in command(*asked, "--with-hidden").stdout, asked
    assert command("player", league, "bob").code == 3
    assert command("player", league, "bob", "--with-hidden").code == 0
    assert "bob" in command("log", league).stdout
    results = league.with_name("c1.csv")
    assert command("contest", league, "c1", "--out", results).code == 0
    assert "bob" in results.read_text()
    assert command("amend", league, "c1", results).code == 0
    assert command("show", league, "bob").code == 0
    assert "bob" in command("leaderboard", league).stdout


def test_predictions_of_an_organiser_know_who_is_named(command, league):
    before = command("predict", league, "bob", "dan", "--json").stdout
    command("hide", league, "bob")
    assert command("predict", league, "bob", "dan", "--json").stdout == before


def test_a_merger_asks_whose_details_stay(command, league, people):
    command("describe", league, people, "--define")
    command("describe", league, "dan", "country=DK", "display=Dan")
    refused = command("merge", league, "cat", "dan")
    assert refused.code == 4
    assert "differ in country ('NO', 'DK')" in refused.stderr
    assert command("merge", league, "cat", "dan", "--keep", "second", "--dry-run").code == 0
    assert command("merge", league, "cat", "dan", "--keep", "country=first").code == 0
    rows = json.loads(command("players", league, "--json").stdout)
    assert {row["player"]: row["attributes"]["country"] for row in rows}["dan"] == "NO"
    assert command("merge", league, "ann", "dan", "--keep", "first", "--keep", "second").code == 2
