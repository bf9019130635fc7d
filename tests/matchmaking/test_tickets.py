"""Tickets: what files say, and sentences about what they cannot."""

import json

import pytest

import podium
from podium.matchmaking import Ticket, read_tickets


def test_a_csv_has_a_ticket_in_every_row(tmp_path):
    path = tmp_path / "tickets.csv"
    path.write_text(
        "id,players,since,roles,latency_eu,latency_us,avoid,recent,mode\n"
        "t1,ann,5,tank;healer,20,110,bob,cat;dan,ranked\n"
        "t2,bob;cat,2026-05-01 12:00,bob: tank; cat: healer,,90,,,\n"
    )
    one, two = read_tickets(path)
    assert one.players == ("ann",)
    assert one.roles == {"ann": ["tank", "healer"]}
    assert one.latency == {"eu": 20.0, "us": 110.0}
    assert (one.avoid, one.recent) == (("bob",), ("cat", "dan"))
    assert one.extra == {"mode": "ranked"}
    assert two.players == ("bob", "cat")
    assert two.roles == {"bob": ["tank"], "cat": ["healer"]}
    assert (two.id, two.latency, two.extra) == ("t2", {"us": 90.0}, {})


def test_a_json_has_a_list_of_them(tmp_path):
    path = tmp_path / "tickets.json"
    path.write_text(json.dumps([{"players": ["ann", "bob"], "since": 3}, {"players": "cat"}]))
    assert read_tickets(path) == [Ticket(["ann", "bob"], since=3), Ticket("cat")]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "name\nann\n", "line 1: tickets need a column players"),
        ("a.csv", "players,since\nann\n", "line 2: has 1 cells, and the first line has 2"),
        ("a.csv", "players,players\nann,bob\n", "line 1: a column stands twice"),
        ("a.csv", "players,latency_eu\nann,near\n", "line 2: ticket 'ann': the latency to 'eu'"),
        ("a.csv", "players,roles\nann,bob: tank\n", "line 2: ticket 'ann' has roles of 'bob'"),
        ("a.csv", 'players\n"ann\n', "is no CSV"),
        ("a.csv", "players,since\nann,5\nbob,soon\n", "line 3: 'soon' is not a time"),
        ("a.csv", "players,since\nann,nan\n", "line 2: a time must be finite"),
        ("a.json", "{", "line 1: is no JSON"),
        (
            "a.json",
            f'[{{"players": "ann", "since": {"9" * 5000}}}]',
            "a number has too many digits",
        ),
        ("a.json", '[{"players": "ann", "since": [3]}]', "ticket 1: [3] is not a time"),
        ("a.json", '[{"players": 3}]', "ticket 1: a ticket needs a name or a list of names, not 3"),
        ("a.json", "{}", "a list of tickets is needed"),
        ("a.json", '[{"players": []}]', "ticket 1: a ticket needs a name"),
        ("a.json", '[{"player": "ann"}]', "ticket 1: a ticket has no field 'player' (did you"),
        ("a.json", '[{"players": ["ann", "ann"]}]', "names a player twice"),
        ("a.json", '[{"players": [" "]}]', "is empty"),
        ("a.json", "[3]", "ticket 1: a ticket is an object, not 3"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(podium.InputError) as caught:
        read_tickets(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(podium.NotFoundError, match="no such file of tickets"):
        read_tickets(tmp_path / "none.csv")


def test_names_are_spelled_one_way():
    assert Ticket(" ann ").players == ("ann",)
    assert Ticket("A\u0301nn").players == Ticket("\u00c1nn").players


def test_names_beside_are_spelled_the_same_way():
    """Else who writes a name otherwise would meet whom they avoid."""
    ticket = Ticket(
        [" ann ", "A\u0301nn"],
        roles={" ann ": ["tank"], "A\u0301nn": ["healer"]},
        avoid=["bob ", "A\u0301da"],
        recent=[" cat", ["dan ", "E\u0301va"]],
    )
    assert ticket.roles == {"ann": ["tank"], "\u00c1nn": ["healer"]}
    assert ticket.avoid == ("bob", "\u00c1da")
    assert ticket.recent == ("cat", ("dan", "\u00c9va"))
    assert Ticket("ann", avoid=" bob ").avoid == ("bob",)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"players": None}, "a ticket needs a name or a list of names, not None"),
        ({"players": "ann", "latency": {1: 20}}, "a region must be a text, not 1"),
        ({"players": "ann", "roles": {1: ["tank"]}}, "has roles of 1, who is not in it"),
    ],
)
def test_what_no_ticket_says_is_refused(said, sentence):
    with pytest.raises(podium.InputError, match=sentence):
        Ticket(**said)
