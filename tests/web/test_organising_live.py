"""Contests that run, on organisers' pages: posted, fetched, ended, and by whom."""

from pathlib import Path

import pytest

import podium
from tests.web.filling import Sign, Visitor, csv_of, last_entry

NOW = ("player,score", "ann,7", "bob,9", "zoe,1")
LATER = ("player,score", "ann,17", "bob,9", "zoe,1")


def live(path: Path, contest: str = "now") -> list[str]:
    with podium.League(path) as league:
        return league.live(contest).table["player"].to_list()


def test_standings_are_posted_again_and_again_and_ended(sign: Sign, desk_file: Path) -> None:
    rick = sign("record")
    page = rick.open("live")
    assert "No contest is live" in page.text
    page = page.send("pasted", csv_of(*NOW, name="now.csv"), "post", contest="now", name="The cup")
    assert "Contest now is live: 3 players, version 1." in page.text
    assert "The cup" in page.text
    assert live(desk_file) == ["bob", "ann", "zoe"]
    page = page.send("pasted", step="post", contest="now", pasted="\n".join(LATER))
    assert "version 2" in page.text
    assert live(desk_file) == ["ann", "bob", "zoe"]
    assert last_entry(desk_file)["who"] == "rick"
    assert "The cup" in rick.open("").text
    assert "live no more" in page.send("end", step="end").text
    assert last_entry(desk_file)["action"] == "live"
    assert "No contest is live" in rick.open("live").text


def test_standings_are_read_as_it_is_said(olga: Visitor, desk_file: Path) -> None:
    page = olga.open("live")
    table = "who;time taken\nann;7\nbob;9\n"
    said = {"read__column-player": "who", "read__column-score": "time taken"}
    page = page.send(
        "pasted", step="post", contest="now", pasted=table, read__lowest_score_wins="on", **said
    )
    assert "version 1" in page.text, page.text
    assert live(desk_file) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"contest": ""}, "The identifier of the contest is needed"),
        ({"contest": "now"}, "The standings are one file"),
        ({"contest": "now", "pasted": "a,b\n1,2\n"}, "player"),
        ({"contest": "round-1", "pasted": "\n".join(NOW)}, "is recorded already"),
        ({"contest": "now", "pasted": "player,score\n"}, "Pasted.csv"),
    ],
)
def test_what_cannot_be_posted_is_said_and_stays_typed(
    olga: Visitor, values: dict[str, str], sentence: str
) -> None:
    page = olga.open("live").send("pasted", step="post", **values)
    assert page.status == 200
    assert sentence in page.text
    assert page.form("pasted").values("contest") == [values["contest"]]
    assert page.form("pasted").values("pasted") == [values.get("pasted", "")]


def test_who_organises_says_from_where_standings_are_fetched(
    desk_file: Path, roles: dict[str, str]
) -> None:
    from podium.web import create_app
    from tests.web.filling import SECRET

    app = create_app(desk_file, writable=True, secret=SECRET, allow_private=True)
    olga, rick = (Visitor(app).signed_in(roles[role]) for role in ("organise", "record"))
    page = olga.open("live")
    source = "http://127.0.0.1:9/now.csv"
    page = page.send("address", step="fetch", contest="now", address=source, every="60")
    assert "The standings of contest now are fetched every 60 seconds." in page.text
    assert f"fetched every 60 seconds from {source}" in page.text
    assert source not in rick.open("live").source
    with podium.League(desk_file) as league:
        assert league.live("now").source == source
    form = page.form("stop")
    given = {**dict(form.fields), "csrf": rick.open("live").form("csrf").values("csrf")[0]}
    assert "by who may organise" in rick.send(form, {**given, "step": "stop"}).text
    assert "fetched no longer" in page.send("stop", step="stop").text
    with podium.League(desk_file) as league:
        assert league.live("now").source is None
    app.state.catalogue.close()


@pytest.mark.parametrize(
    ("address", "every", "sentence"),
    [
        ("http://127.0.0.1/", "30", "not open to all"),
        ("http://169.254.169.254/", "30", "not open to all"),
        ("file:///etc/passwd", "30", "https://"),
        ("", "30", "address"),
        ("http://127.0.0.1/", "soon", "whole number"),
    ],
)
def test_addresses_that_the_site_does_not_ask_are_refused(
    olga: Visitor, address: str, every: str, sentence: str
) -> None:
    page = olga.open("live").send(
        "address", step="fetch", contest="now", address=address, every=every
    )
    assert page.status == 200
    assert sentence in page.text
    assert "No contest is live" in page.text


def test_what_nobody_knows_is_not_done(olga: Visitor) -> None:
    page = olga.open("live")
    assert "nothing is known" in page.send("pasted", step="dance", contest="now").text.lower()
    assert "is not live" in page.send("pasted", step="end", contest="now").text
