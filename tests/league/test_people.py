"""Players are people: numbers that stay, what is known of them, and whose it is after a merger."""

import json

import polars as pl
import pytest

import podium
from podium import Contests, League, errors
from podium.league.attributes import Attribute
from podium.ratings.conditions import Condition
from tests.league.tables import all_tables, execute

FIELDS = ["display", "hidden", "country", "birth_year"]


def contest(id: str, day: int, *players: str) -> Contests:
    return Contests.from_records(
        [
            {"contest": id, "time": day * 86_400, "player": name, "rank": rank}
            for rank, name in enumerate(players, 1)
        ]
    )


@pytest.fixture
def league(where):
    with League.create(where, "elo") as made:
        made.record(contest("c1", 1, "ann", "bob", "cat"))
        made.record(contest("c2", 2, "bob", "dan"))
        made.define_attributes("country", "birth_year:number")
        yield made


def known(league: League) -> dict[str, dict]:
    """What the league knows of everybody, by name."""
    rows = league.people(with_hidden=True).to_dicts()
    return {row.pop("player"): row for row in rows}


def ids(league: League) -> dict[str, int]:
    return {name: row["id"] for name, row in known(league).items()}


def own(row: dict) -> list:
    return [row[name] for name in FIELDS]


# Numbers


def test_numbers_stay_through_new_names_mergers_and_what_is_taken_back(league):
    before = ids(league)
    assert sorted(before.values()) == [1, 2, 3, 4]
    league.rename("ann", "anna")
    assert ids(league) == {"anna": before["ann"]} | {n: before[n] for n in ("bob", "cat", "dan")}
    league.undo()
    league.merge("cat", "dan")
    assert ids(league) == {name: before[name] for name in ("ann", "bob", "dan")}
    league.undo()
    assert ids(league) == before
    league.redo()
    assert ids(league) == {name: before[name] for name in ("ann", "bob", "dan")}


def test_a_number_is_never_given_to_somebody_else(league):
    league.record(contest("c3", 3, "eve", "fay"))
    first = ids(league)
    league.undo()
    league.record(contest("c4", 4, "gus"))
    assert ids(league)["gus"] == 7
    league.redo()
    assert {name: ids(league)[name] for name in ("eve", "fay")} == {"eve": 5, "fay": 6}
    assert first == {name: ids(league)[name] for name in first}
    league.merge("eve", "gus")
    league.record(contest("c5", 5, "hal"))
    assert ids(league)["hal"] == 8


def test_a_number_comes_back_whoever_dropped_the_player(league):
    league.record(contest("c3", 3, "eve"))  # 5
    league.record(contest("c4", 4, "eve"))  # 6
    eve = ids(league)["eve"]
    league.undo(5)
    assert ids(league)["eve"] == eve
    league.undo(6)
    assert "eve" not in ids(league)
    league.record(contest("c5", 5, "fay"))
    league.redo(5)
    assert ids(league)["eve"] == eve
    assert league.player("eve").id == eve


def test_exports_carry_numbers_and_all_that_is_known(league, places, tmp_path):
    league.record(contest("c3", 3, "eve"))
    league.undo()
    league.define_attributes("fee:number", public=False)
    league.describe("bob", {"display": "Bob, the =1+1", "country": "NO", "fee": 12.5})
    league.describe("cat", {"birth_year": 1999})
    league.describe("zoe", {"country": "SE"}, new=True)
    league.rename("ann", "anna")
    league.hide("dan")
    for format in ("csv", "parquet"):
        league.export(tmp_path / format, format=format)
        with League.restore(tmp_path / format, places()) as again:
            assert known(again) == known(league)
            assert again.attributes == league.attributes
            assert again.verify().sound
            league.record(contest("c9", 9, "new"))
            again.record(contest("c9", 9, "new"))
            assert ids(again)["new"] == ids(league)["new"]
            league.undo()
            again.undo()
            again.undo()  # of what is in the log that came with it
            assert not known(again)["dan"]["hidden"]


def test_an_export_of_an_earlier_version_has_no_numbers(league, places, tmp_path):
    league.export(tmp_path / "out")
    (tmp_path / "out" / "players.parquet").unlink()
    about = json.loads((tmp_path / "out" / "league.json").read_text())
    del about["attributes"], about["last_player"]
    (tmp_path / "out" / "league.json").write_text(json.dumps(about))
    with League.restore(tmp_path / "out", places()) as again:
        assert sorted(ids(again).values()) == [1, 2, 3, 4]
        assert again.verify().sound


@pytest.mark.parametrize(
    ("column", "value"), [("id", 1), ("player", "ann"), ("birth_year", "young"), ("id", -3)]
)
def test_a_damaged_table_of_players_makes_no_league(league, places, tmp_path, column, value):
    league.export(tmp_path / "out", format="csv")
    path = tmp_path / "out" / "players.csv"
    table = pl.read_csv(path, infer_schema=False)
    changed = [*table[column].to_list()[:-1], str(value)]
    table.with_columns(pl.Series(column, changed)).write_csv(path)
    with pytest.raises(errors.InputError, match=r"players\.csv"):
        League.restore(tmp_path / "out", places())


# Attributes


def test_attributes_are_plain_words_of_a_kind():
    assert Attribute("Birth year", "number").name == "birth_year"
    for name in ("", "9lives", "a b!", "rating", "player", "x" * 41, None, "display"):
        with pytest.raises(errors.InputError):
            Attribute(name)
    with pytest.raises(errors.InputError, match="did you mean 'number'"):
        Attribute("age", "numbr")


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        ("text", " Zoe\u0308 ", "Zoë"),
        ("number", "2005.0", "2005"),
        ("number", "-0", "0"),
        ("number", 1.5, "1.5"),
        ("number", "1e3", "1000"),
        ("date", "2005-03-31", "2005-03-31"),
        ("link", "https://example.org/~ann?a=b#c", "https://example.org/~ann?a=b#c"),
    ],
)
def test_values_have_one_spelling(kind, given, kept):
    assert Attribute("it", kind).checked(given) == kept


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", "  "),
        ("text", "a\0b"),
        ("text", "x" * 1001),
        ("text", True),
        ("number", "inf"),
        ("number", "nan"),
        ("number", "1_000"),
        ("number", "٣"),
        ("number", "young"),
        ("date", "2005-13-01"),
        ("date", "31.3.2005"),
        ("date", "2005-3-1"),
        ("link", "javascript:alert(1)"),
        ("link", "JaVaScRiPt://example.org/%0aalert(1)"),
        ("link", "data:text/html,x"),
        ("link", "//example.org"),
        ("link", "https://"),
        ("link", "https://good.org@evil.org/"),
        ("link", 'https://example.org/"onclick="x'),
        ("link", "https://example.org/\u202egnp"),
        ("link", "https://example.org/a b"),
        ("link", "https://[::1"),
    ],
)
def test_values_that_are_none_are_refused_in_a_sentence(kind, given):
    with pytest.raises(errors.InputError):
        Attribute("it", kind).checked(given)


def test_what_is_known_is_a_change_like_any_other(league, where):
    before = all_tables(where)
    tried = league.describe("bob", {"country": "NO", "display": "Bobby"}, dry_run=True)
    assert not tried.applied
    assert all_tables(where) == before
    done = league.describe("bob", {"country": "NO", "display": "Bobby"}, who="ann", why="asked")
    assert done.what == tried.what == "described 'bob': 'display', 'country'"
    assert own(known(league)["bob"]) == ["Bobby", False, "NO", None]
    entry = league.log(1).row(0, named=True)
    assert (entry["who"], entry["why"], entry["action"], entry["player"]) == (
        *("ann", "asked"),
        *("describe", "bob"),
    )
    assert json.loads(entry["before"]) == {"people": {"bob": {"country": None, "display": None}}}
    assert not league.describe("bob", {"country": "NO"}).applied
    league.describe("bob", {"country": None, "birth_year": 2001})
    assert own(known(league)["bob"]) == ["Bobby", False, None, 2001]
    league.undo()
    league.undo()
    after = all_tables(where)
    assert {name: rows for name, rows in after.items() if name != "log"} == {
        name: rows for name, rows in before.items() if name != "log"
    }
    league.redo()
    league.redo()
    assert own(known(league)["bob"]) == ["Bobby", False, None, 2001]
    assert league.verify().sound


def test_a_display_name_that_is_the_name_is_none(league):
    assert not league.describe("bob", {"display": "bob"}).applied


def test_a_later_change_of_the_same_is_in_the_way_and_no_other(league):
    league.describe("bob", {"country": "NO"})  # 5
    league.describe("bob", {"birth_year": 1990})  # 6
    league.describe("ann", {"country": "SE"})  # 7
    league.undo(5)
    league.redo(5)
    league.describe("bob", {"country": "DK"})  # 10
    with pytest.raises(errors.ConflictError, match=r"entry 10.*touches 'bob'"):
        league.undo(5)
    with pytest.raises(errors.ConflictError, match=r"attribute 'birth_year'|attribute 'country'"):
        league.undo(4)
    league.rename("bob", "rob")
    league.undo(10)
    assert own(known(league)["rob"]) == [None, False, "NO", 1990]


def test_names_are_followed_when_what_is_known_is_taken_back(league):
    league.describe("bob", {"country": "NO"})
    league.rename("bob", "rob")
    league.undo(5)
    assert own(known(league)["rob"]) == [None, False, None, None]
    league.undo(6)
    league.redo(5)
    assert own(known(league)["bob"]) == [None, False, "NO", None]


def test_attributes_go_with_their_values_and_come_back_with_them(league):
    league.describe("bob", {"country": "NO", "birth_year": 1990})
    league.describe("ann", {"country": "SE"})
    before, attributes = known(league), league.attributes
    change = league.remove_attributes("country")
    assert change.what == "removed the attribute 'country' with 2 values"
    assert [each.name for each in league.attributes] == ["birth_year"]
    assert league.verify().sound
    with pytest.raises(errors.ConflictError, match="attribute 'country'"):
        league.undo(5)
    league.undo()
    assert known(league) == before
    assert league.attributes == attributes


def test_another_kind_has_to_fit_all_values(league):
    league.define_attributes("born")
    league.describe("bob", {"born": "1990.0"})
    league.define_attributes("born:number")
    assert known(league)["bob"]["born"] == 1990
    with pytest.raises(errors.ConflictError, match="'bob': born must be a date"):
        league.define_attributes("born:date")
    league.undo()
    assert known(league)["bob"]["born"] == "1990.0"


def test_unknown_attributes_and_players_are_named(league):
    with pytest.raises(errors.NotFoundError, match=r"no attribute 'contry'.*'country'"):
        league.describe("bob", {"contry": "NO"})
    with pytest.raises(errors.NotFoundError, match=r"no player 'bab'.*'bob'.*--new"):
        league.describe("bab", {"country": "NO"})
    with pytest.raises(errors.InputError, match="'bob': birth_year must be a number"):
        league.describe("bob", {"birth_year": "young"})


# Tables


def test_a_table_describes_players_by_any_of_their_names(league):
    league.rename("ann", "anna")
    table = pl.DataFrame(
        {
            "Player": ["ann", "bob", "cat"],
            "Country": ["NO", "", None],
            "birth year": [2005, None, 1999],
            "hidden": [None, "yes", "no"],
        }
    )
    change = league.describe_all(table)
    assert change.what == "described 3 players: 'hidden', 'country', 'birth_year'"
    found = known(league)
    assert own(found["anna"]) == [None, False, "NO", 2005]
    assert own(found["bob"]) == [None, True, None, None]
    assert own(found["cat"]) == [None, False, None, 1999]
    league.describe_all(pl.DataFrame({"player": ["anna"], "country": ["-"]}))
    assert own(known(league)["anna"]) == [None, False, None, 2005]
    league.undo()
    league.undo()
    assert {*map(str, map(own, known(league).values()))} == {"[None, False, None, None]"}


def test_columns_become_attributes_of_their_kind_if_that_is_wanted(league):
    table = pl.DataFrame(
        {
            "player": ["ann", "bob"],
            "club": ["Blue", None],
            "joined": ["2020-01-31", "2021-05-01"],
            "elo": [1500.5, 1200],
            "home": ["https://example.org/", None],
        }
    )
    with pytest.raises(errors.InputError, match=r"'club', 'joined', 'elo', 'home'; .*--define"):
        league.describe_all(table)
    league.describe_all(table, define=True)
    assert {each.name: each.kind for each in league.attributes} == {
        "country": "text",
        "birth_year": "number",
        "club": "text",
        "joined": "date",
        "elo": "number",
        "home": "link",
    }
    league.undo()
    assert [each.name for each in league.attributes] == ["country", "birth_year"]
    league.redo()
    assert known(league)["ann"]["elo"] == 1500.5
    assert league.verify().sound


def test_a_column_of_zeros_is_of_numbers(league):
    table = pl.DataFrame({"player": ["ann", "bob"], "debt": [0, 0]})
    league.describe_all(table, define=True)
    assert {each.name: each.kind for each in league.attributes}["debt"] == "number"
    assert known(league)["ann"]["debt"] == 0


def test_new_players_come_without_results_and_go_again(league):
    table = pl.DataFrame({"player": ["ann", "zoe"], "country": ["NO", "SE"]})
    with pytest.raises(errors.NotFoundError, match=r"'zoe'.*--new"):
        league.describe_all(table)
    change = league.describe_all(table, new=True)
    assert change.newcomers == ["zoe"]
    zoe = ids(league)["zoe"]
    assert league.player("zoe").contests == 0
    league.undo()
    assert "zoe" not in league
    league.record(contest("c7", 7, "yan"))
    league.redo(5)
    assert ids(league)["zoe"] == zoe
    league.record(contest("c8", 8, "zoe", "ann"))
    league.undo(5)
    assert own(known(league)["zoe"]) == [None, False, None, None]
    assert league.player("zoe").contests == 1


def test_whoever_is_described_stays_when_their_results_are_taken_back(league):
    league.record(contest("c3", 3, "eve"))  # 5
    league.describe("eve", {"country": "NO"})  # 6
    eve = ids(league)["eve"]
    league.undo(5)
    assert own(known(league)["eve"]) == [None, False, "NO", None]
    league.undo(6)
    assert "eve" not in ids(league)
    league.redo(5)
    league.redo(6)
    assert ids(league)["eve"] == eve
    assert own(known(league)["eve"]) == [None, False, "NO", None]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"name": ["ann"]}, "needs the column 'player'"),
        ({"player": ["ann", "ann"], "country": ["NO", "SE"]}, "row 2: 'ann' stands there twice"),
        ({"player": ["ann", None], "country": ["NO", "SE"]}, "row 2: there is no player"),
        ({"player": ["ann"], "country": ["NO"], "Country ": ["SE"]}, "two columns"),
        ({"player": ["ann"], "hidden": ["perhaps"]}, "hidden must be yes or no"),
        ({"player": ["ann"], "rating": ["5"]}, "'rating'"),
        ({"player": ["ann", "bob"], "birth_year": ["5", "young"]}, "'bob': birth_year must be"),
    ],
)
def test_a_wrong_table_changes_nothing(league, where, columns, sentence):
    before = all_tables(where)
    with pytest.raises(errors.PodiumError, match=sentence):
        league.describe_all(pl.DataFrame(columns), define=True, new=True)
    assert all_tables(where) == before


def test_two_names_of_one_player_are_refused_in_a_table(league):
    league.rename("ann", "anna")
    table = pl.DataFrame({"player": ["ann", "anna"], "country": ["NO", "SE"]})
    with pytest.raises(errors.InputError, match="'anna' stands there twice"):
        league.describe_all(table)


# Mergers


def test_a_merger_keeps_what_either_has_and_undo_gives_it_back(league):
    league.describe("cat", {"display": "Cat Lee", "country": "SE"})
    league.describe("dan", {"birth_year": 1990, "country": "SE"})
    league.hide("cat")
    before = known(league)
    league.merge("cat", "dan")
    assert own(known(league)["dan"]) == ["Cat Lee", True, "SE", 1990]
    merged = known(league)
    league.undo()
    assert known(league) == before
    league.redo()
    assert known(league) == merged
    assert league.verify().sound


@pytest.mark.parametrize(
    ("keep", "wanted"),
    [
        ("first", ["Cat Lee", False, "SE", 1999]),
        ("cat", ["Cat Lee", False, "SE", 1999]),
        ("second", ["Dan", False, "NO", 1999]),
        ({"display": "dan", "country": "first"}, ["Dan", False, "SE", 1999]),
    ],
)
def test_where_two_differ_somebody_has_to_choose(league, keep, wanted):
    league.describe("cat", {"display": "Cat Lee", "country": "SE", "birth_year": 1999})
    league.describe("dan", {"display": "Dan", "country": "NO"})
    before = known(league)
    with pytest.raises(errors.DifferenceError, match=r"display \('Cat Lee', 'Dan'\)") as raised:
        league.merge("cat", "dan")
    assert raised.value.fields == {"display": ("Cat Lee", "Dan"), "country": ("SE", "NO")}
    league.merge("cat", "dan", keep=keep)
    assert own(known(league)["dan"]) == wanted
    league.undo()
    assert known(league) == before
    league.redo()
    assert own(known(league)["dan"]) == wanted


def test_a_choice_has_to_be_one(league):
    league.describe("cat", {"country": "SE"})
    league.describe("dan", {"country": "NO"})
    with pytest.raises(errors.InputError, match="'bob' is neither of the two"):
        league.merge("cat", "dan", keep="bob")
    with pytest.raises(errors.InputError, match="do not differ in 'birth_year'"):
        league.merge("cat", "dan", keep={"birth_year": "first"})
    with pytest.raises(errors.DifferenceError):
        league.merge("cat", "dan", keep={})


def test_what_is_known_since_a_merger_is_in_its_way(league):
    league.merge("cat", "dan")
    league.describe("dan", {"country": "NO"})
    with pytest.raises(errors.ConflictError, match="touches 'dan'"):
        league.undo(5)
    league.undo()
    league.undo()
    assert "cat" in league


# Finding


def test_conditions_are_names_signs_and_values():
    assert Condition.parse("birth year >= 2005") == Condition("birth_year", ">=", "2005")
    assert Condition.parse("club=a=b") == Condition("club", "=", "a=b")
    for text in ("country", "=NO", "country=", "country", "", "a\0=b", "x=" + "y" * 1000, 5):
        with pytest.raises(errors.InputError):
            Condition.parse(text)


@pytest.mark.parametrize("at", [None, "1970-01-05"])
@pytest.mark.parametrize(
    ("where_", "wanted"),
    [
        (["country=NO"], ["ann", "cat"]),
        (["country!=NO"], ["bob", "dan"]),
        (["birth_year>=1999"], ["ann", "bob"]),
        (["birth_year<1999"], ["cat"]),
        (["birth_year=1999.0"], ["bob"]),
        (["country=NO", "birth_year>1980"], ["ann"]),
        (["joined<=2020-02-01"], ["ann"]),
        (["country=XX"], []),
    ],
)
def test_a_leaderboard_of_those_who_meet_conditions(league, where_, wanted, at):
    league.define_attributes("joined:date")
    league.describe("ann", {"country": "NO", "birth_year": 2005, "joined": "2020-01-31"})
    league.describe("bob", {"country": "SE", "birth_year": 1999, "joined": "2020-12-01"})
    league.describe("cat", {"country": "NO", "birth_year": 977})
    whole = league.leaderboard(None, at=at)
    found = league.leaderboard(None, at=at, where=where_)
    assert sorted(found["player"]) == wanted
    in_order = [name for name in whole["player"] if name in wanted]
    assert found["player"].to_list() == in_order
    assert found["place"].to_list() == found["rating"].rank("min", descending=True).to_list()
    assert at is not None or league.count(where=where_) == len(wanted)
    assert sorted(league.people(where=where_)["player"]) == wanted
    one = league.leaderboard(1, skip=1, at=at, where=where_)
    assert one.equals(found.slice(1, 1))


def test_conditions_that_cannot_be_asked(league):
    for condition, sentence in (
        ("countr=NO", "did you mean 'country'"),
        ("country<NO", "country is a text"),
        ("birth_year>young", "birth_year must be a number"),
    ):
        with pytest.raises(errors.PodiumError, match=sentence):
            league.leaderboard(where=[condition])
    with pytest.raises(errors.InputError, match="conditions such as"):
        league.leaderboard(where="country=NO")


def test_players_are_found_by_what_they_are_shown_as(league):
    league.describe("bob", {"display": "Robért Lee"})
    for at in (None, "1970-01-05"):
        found = league.leaderboard(matching="robert", at=at)
        assert found.select("player", "display").row(0) == ("bob", "Robért Lee")


def test_what_is_not_public_is_the_organisers(league):
    league.define_attributes("fee", public=False)
    league.describe("bob", {"fee": "paid", "country": "NO"})
    assert "fee" not in league.leaderboard().columns
    assert "fee" not in league.player("bob").document()["attributes"]
    assert league.people(where=["fee=paid"])["player"].to_list() == ["bob"]
    with pytest.raises(errors.NotFoundError, match="no attribute 'fee'"):
        league.leaderboard(where=["fee=paid"])
    with league.snapshot(with_hidden=True) as view:
        assert view.leaderboard(where=["fee=paid"])["player"].to_list() == ["bob"]


def test_a_player_document_says_who_it_is(league):
    league.describe("bob", {"display": "Bobby", "birth_year": 1990})
    document = league.player("bob").document()
    assert (document["id"], document["display"]) == (2, "Bobby")
    assert document["attributes"] == {"country": None, "birth_year": 1990}
    assert league.career("bob").document()["id"] == 2
    ladder = podium.Ladder("elo")
    ladder.record(["ann", "bob"])
    assert not {"id", "display", "attributes"} & ladder["ann"].document().keys()


def test_damage_to_what_is_known_is_found(league, where):
    league.describe("bob", {"country": "NO", "birth_year": 1990})
    assert league.verify().sound
    for damage, sentence in (
        ("UPDATE attributes SET value = 'young' WHERE attribute = 'birth_year'", "'young' is no"),
        ("UPDATE attributes SET player_id = 99 WHERE attribute = 'country'", "belong to nobody"),
        ("UPDATE league SET last_player = 1", "number that the league does not know"),
    ):
        execute(where, damage)
        assert any(sentence in each for each in league.verify().differences)


def test_the_log_of_a_player_has_what_became_known_by_a_table(league):
    league.describe_all(pl.DataFrame({"player": ["ann", "bob"], "country": ["NO", "SE"]}))
    assert league.log(player="bob")["action"].to_list() == ["describe"]
    assert league.log(player="dan").height == 0


def test_a_league_with_nothing_known_reads_as_before(where):
    with League.create(where, "elo") as league:
        league.record(["ann", "bob"], time="2026-05-01")
        assert league.attributes == []
        assert league.people()["player"].to_list() == ["ann", "bob"]
        assert league.leaderboard(1).row(0, named=True)["display"] is None
