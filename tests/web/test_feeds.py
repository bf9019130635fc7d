"""What is new: the log without what is nobody's business, and a feed that readers take."""

import json
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest

import podium
from podium.web import feeds
from podium.web.addresses import Addresses
from tests.web.conftest import HOSTILE

ATOM = "{http://www.w3.org/2005/Atom}"
LINKS = Addresses("", "club")
BASE = "https://example.org/"


@pytest.fixture
def league(tmp_path: Path):
    with podium.League.create(tmp_path / "club.db", "elo", who="boss") as league:
        yield league


def log_of(league, *args, **kwargs):
    with league.snapshot() as view:
        return feeds.public_log(view, *args, **kwargs)


def test_each_change_is_a_sentence_with_who_moved(league):
    league.record(["ann", "bob"], id="round-1", time="2026-01-01")
    league.record(["ann", "bob"], id="round-2", time="2026-01-02")
    league.amend(
        "round-2",
        podium.Contests.from_records(
            [
                {"contest": "round-2", "time": "2026-01-02", "player": "bob", "rank": 1},
                {"contest": "round-2", "time": "2026-01-02", "player": "ann", "rank": 2},
            ]
        ),
        name="Second",
        why="they were swapped",
    )
    amended, second, first, made = log_of(league)
    assert amended["text"] == "Second was put right: 2 ratings moved, most bob +32."
    assert amended["why"] == "they were swapped"
    assert {move["player"] for move in amended["moves"]} == {"ann", "bob"}
    assert all(move["change"] == move["after"] - move["before"] for move in amended["moves"])
    assert second["text"].startswith("Second was recorded: 2 ratings moved, most ")
    assert first["text"] == "round-1 was recorded: 2 ratings moved."  # of newcomers, from nothing
    assert made["text"] == "The league was opened, to be rated by elo."


def test_every_action_has_words(league):
    season = podium.simulate(players=6, rounds=3, seed=1)
    league.record(season)
    league.disqualify("round-01", "player-0001", why="late")
    league.remove("round-02")
    league.set_rules(podium.Rules(titles=[(1000, "pupil")]))
    league.revise("glicko2", name="new")
    league.rollback()
    league.undo()
    rolled_back = log_of(league)[0]["text"]
    league.redo()
    league.reinstate("round-01", "player-0001")
    league.add("round-03", [{"player": "late", "rank": 7}])
    league.undo()
    texts = {entry["action"]: entry["text"] for entry in log_of(league)}
    assert texts["record"].startswith("3 contests were recorded: 6 ratings moved")
    assert texts["disqualify"].startswith("player-0001 was disqualified in round-01: ")
    assert texts["remove"].startswith("round-02 was taken out of the league")
    assert texts["rules"].startswith("The rules of display were changed")
    assert texts["revise"].startswith("The league is rated by glicko2 from now on, as revision new")
    assert texts["rollback"].startswith("The league is rated as before again, by revision first")
    assert texts["reinstate"].startswith("player-0001 was reinstated in round-01: ")
    assert texts["add"].startswith("round-03 has late results: 7 ratings moved")
    assert log_of(league)[0]["text"].startswith(
        "Taken back: round-03 has late results: 7 ratings moved"
    )
    assert rolled_back.startswith("Taken back: the league is rated by revision new again")
    assert texts["redo"].startswith("Made again: the league is rated by revision first again")


def test_neither_who_changed_it_nor_what_was_before_is_told(league):
    league.record(["ann", "bob"], id="round-1", who="a secret hand")
    league.amend("round-1", name="First", who="a secret hand")
    for entry in log_of(league):
        assert "secret" not in json.dumps(entry)
        assert not {"who", "before", "after", "details"} & set(entry)


def test_old_names_are_not_told_not_even_by_what_was_before_a_renaming(league):
    league.record(["old name", "bob", "cat"], id="round-1", time="2026-01-01")
    league.disqualify("round-1", "old name")
    league.record(["bob", "old name"], id="round-2", time="2026-01-02")
    league.rename("old name", "between", keep_old=False)
    league.rename("between", "new name")
    league.record(["old name", "cat"], id="round-3", time="2026-01-03")  # somebody else
    league.record(["twin", "cat"], id="round-4", time="2026-01-04")
    league.disqualify("round-4", "twin")
    league.merge("twin", "bob")
    entries = log_of(league)
    newer, older = entries[:4], entries[4:]
    assert "between" not in json.dumps(entries)
    assert "old name" not in json.dumps(older)
    assert "twin" not in json.dumps(entries)
    assert newer[1]["player"] == "bob"  # was the twin
    out = next(each for each in entries if each["contest"] == "round-1" and each["player"])
    assert out["player"] == "new name"
    names = [move["player"] for each in entries for move in each["moves"]]
    assert "old name" in names  # who has that name now


def test_the_last_few_and_those_by_a_date(league):
    league.record(["ann", "bob"], id="round-1")
    assert [entry["number"] for entry in log_of(league, 1)] == [2]
    assert log_of(league, at="2000-01-01") == []
    assert len(log_of(league, at="9999-01-01")) == 2


def test_a_contest_that_is_gone_is_said_to_be(league):
    league.record(["ann", "bob"], id="round-1")
    league.remove("round-1")
    removed, recorded, _ = log_of(league)
    assert not removed["contest_is_there"]
    assert not recorded["contest_is_there"]


def test_the_feed_has_the_newest_contests_and_changes(league_file):
    with podium.League(league_file) as league, league.snapshot() as view:
        feed = ElementTree.fromstring(feeds.atom(view, LINKS, "Club", BASE))
        contests = view.contests()["contest"].to_list()
    assert feed.tag == f"{ATOM}feed"
    assert feed.find(f"{ATOM}title").text == "Club"
    assert feed.find(f"{ATOM}author/{ATOM}name").text
    links = {each.get("rel"): each.get("href") for each in feed.findall(f"{ATOM}link")}
    assert links["self"] == "https://example.org/club/feed.atom"
    entries = feed.findall(f"{ATOM}entry")
    kinds = [entry.find(f"{ATOM}category").get("term") for entry in entries]
    assert kinds.count("contest") == len(contests)
    assert "change" in kinds
    identifiers = [entry.find(f"{ATOM}id").text for entry in entries]
    assert len(set(identifiers)) == len(entries)
    assert all(each.startswith("urn:uuid:") for each in identifiers)
    times = [entry.find(f"{ATOM}updated").text for entry in entries]
    assert times == sorted(times, reverse=True)
    assert feed.find(f"{ATOM}updated").text == times[0]
    for time in times:
        assert datetime.fromisoformat(time).tzinfo is not None
    for entry in entries:
        assert entry.find(f"{ATOM}link").get("href").startswith("https://example.org/club/")


def test_the_feed_is_the_same_until_something_changes_and_has_fifty_entries(tmp_path):
    with podium.League.create(tmp_path / "club.db", "elo") as league:
        league.record(podium.simulate(players=5, rounds=60, seed=1))
        with league.snapshot() as view:
            first = feeds.atom(view, LINKS, "Club", BASE)
            assert feeds.atom(view, LINKS, "Club", BASE) == first
    assert len(ElementTree.fromstring(first).findall(f"{ATOM}entry")) == feeds.ENTRIES


def test_names_of_entries_are_those_of_the_league_wherever_it_is_shown(league_file, tmp_path):
    def identifiers(path, links, base):
        with podium.League(path) as league, league.snapshot() as view:
            feed = ElementTree.fromstring(feeds.atom(view, links, "Club", base))
        return [each.text for each in feed.iter(f"{ATOM}id")]

    here = identifiers(league_file, LINKS, BASE)
    assert identifiers(league_file, Addresses("/ratings", "us"), "http://localhost/") == here
    assert identifiers(league_file, LINKS, "") == here
    for name in ("other.db", "another.db"):
        with podium.League.create(tmp_path / name, "elo") as league:
            league.record(["ann", "bob"], id="round-01", time="2026-01-01")
    one, other = (identifiers(tmp_path / name, LINKS, "") for name in ("other.db", "another.db"))
    assert not {*one} & {*other}


def test_hostile_names_stay_text(tmp_path):
    with podium.League.create(tmp_path / "club.db", "elo") as league:
        league.record([*HOSTILE[:3], "a\x07b"], id="<x>]]>\x07", time="2026-01-01")
        league.amend("<x>]]>\x07", name=HOSTILE[0], why="\x00"[:0] + "&amp;\x1b")
        league.rename("a\x07b", "\ufffe]]>")
        with league.snapshot() as view:
            body = feeds.atom(view, LINKS, HOSTILE[1], BASE)
    feed = ElementTree.fromstring(body)
    assert feed.find(f"{ATOM}title").text == HOSTILE[1]
    titles = [each.text for each in feed.iter(f"{ATOM}title")]
    assert HOSTILE[0] in titles
    assert b"<script>" not in body


def test_an_empty_league_has_a_valid_feed(league):
    with league.snapshot() as view:
        feed = ElementTree.fromstring(feeds.atom(view, LINKS, "Club", BASE))
    assert feed.find(f"{ATOM}updated").text
