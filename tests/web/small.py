"""A small league whose answers are the examples of the API's description."""

from pathlib import Path
from typing import Any

import podium

TITLES = [(1200, "pupil", "green"), (1500, "expert")]

ASKED = {
    "leagues": "/leagues",
    "league": "/leagues/club",
    "leaderboard": "/leagues/club/leaderboard?n=2",
    "players": "/leagues/club/players?q=an",
    "player": "/leagues/club/player?name=ann&last=1",
    "history": "/leagues/club/history?name=ann&n=1",
    "look_back": "/leagues/club/look-back?name=ann",
    "contests": "/leagues/club/contests?n=2",
    "contest": "/leagues/club/contest?id=round-2&top=2",
    "standings": "/leagues/club/standings?contest=round-2&n=2",
    "explanation": "/leagues/club/explanation?contest=round-2&player=ann",
    "what_if": "/leagues/club/what-if?contest=round-2&player=ann",
    "prediction": "/leagues/club/prediction?player=ann&player=bob&player=zoe",
    "chances": "/leagues/club/chances?player=ann&player=bob",
    "rules": "/leagues/club/rules",
    "system": "/leagues/club/system",
    "seasons": "/leagues/club/seasons",
    "revisions": "/leagues/club/revisions",
    "changes": "/leagues/club/changes?n=2",
    "live": "/leagues/club/live?id=summer&n=2",
}
"""What is asked of it, for each question of the API."""


def with_a_live_contest(path: Path) -> Path:
    """The same league while a third round runs."""
    rows = [
        {"contest": "summer", "time": "2026-05-03", "player": name, "rank": rank}
        for rank, name in enumerate(("dan", "ann", "bob", "zoe"), start=1)
    ]
    with podium.League(path) as league:
        standings = podium.Contests.from_records(rows)
        league.post_live("summer", standings, name="The summer round", who="ann")
    return path


def with_a_look_back(path: Path) -> Path:
    """The same league, which keeps a look back."""
    with podium.League(path) as league:
        league.store_look_back()
    return path


def small_league(path: Path) -> Path:
    """Two rounds of five players, the second with a name, in a season."""
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        for number, standings in enumerate(
            (["ann", "bob", ("cat", "dan"), "eva"], ["bob", "ann", "dan", ("cat", "eva")]), 1
        ):
            league.record(standings, id=f"round-{number}", time=f"2026-05-0{number}", who="ann")
        league.amend("round-2", name="The second round", who="ann", why="it has a name")
        league.season("2026", "2026-01-01", who="ann", why="as every year")
    return path


def steady(document: Any) -> Any:
    """A document without what is other in every league: its state, and when it was changed."""
    if isinstance(document, list):
        return [steady(each) for each in document]
    if not isinstance(document, dict):
        return document
    fixed = {"created": "2026-05-10T09:30:00Z", "state": "6f0c2a91d4b83e57"}
    fixed["made"] = "2026-05-10T09:40:00Z"
    if "prediction" in document:
        fixed["updated"] = "2026-05-10T09:45:00Z"
    if "action" in document:
        fixed["time"] = "2026-05-10T09:30:00Z"
    return {key: fixed.get(key, steady(value)) for key, value in document.items()}


def changing_league(path: Path) -> Path:
    """The same, with something for every change to be done to."""
    small_league(path)
    with podium.League(path) as league:
        league.define_attributes("country", who="ann")
        league.describe("ann", {"country": "NO"}, who="ann")
        league.start({"fay": 1650}, who="ann")
        league.hide("dan", who="ann")
        league.revise("elo-r", name="second", who="ann")
        league.rollback(who="ann")
        league.disqualify("round-1", "eva", who="ann")
        league.set_guest("bob", who="ann")
        league.undo(who="ann")
    return path


SENT: dict[str, Any] = {
    "record": {
        "results": [
            {"contest": "round-3", "time": "2026-05-03", "player": "dan", "rank": 1},
            {"contest": "round-3", "time": "2026-05-03", "player": "ann", "rank": 2},
            {"contest": "round-3", "time": "2026-05-03", "player": "zoe", "rank": 3},
        ],
        "why": "the third round",
    },
    "amend": {
        "contest": "round-2",
        "results": [
            {"player": "ann", "rank": 1},
            {"player": "bob", "rank": 2},
            {"player": "dan", "rank": 3},
            {"player": "cat", "rank": 4},
            {"player": "eva", "rank": 5},
        ],
        "top": 2,
        "why": "ann was first",
    },
    "add": {"contest": "round-2", "rows": [{"player": "zoe", "rank": 2}], "tied": False, "top": 2},
    "disqualify": {"contest": "round-2", "player": "bob", "why": "two accounts", "top": 2},
    "reinstate": {"contest": "round-1", "player": "eva", "top": 2},
    "remove": {"contest": "round-2", "dry_run": True, "top": 2},
    "rename": {"player": "eva", "to": "eve"},
    "merge": {"player": "eva", "into": "fay", "keep": "second", "top": 2},
    "guest": {"player": "cat", "guest": True},
    "describe": {"player": "ann", "values": {"country": "SE", "display": "Ann Lee"}},
    "describe_all": {"rows": [{"player": "bob", "country": "NO"}, {"player": "cat", "club": "A"}]}
    | {"define": True},
    "define_attributes": {"attributes": ["club", "birth_year:number"], "public": True},
    "remove_attributes": {"attributes": ["country"]},
    "hide": {"player": "eva", "why": "by their wish"},
    "show": {"player": "dan"},
    "set_season": {"season": "2027", "start": "2026-05-02", "pull": 0.5, "top": 2},
    "remove_season": {"season": "2026"},
    "start": {"rows": [{"player": "gus", "rating": 1700, "sigma": 60}], "why": "known elsewhere"},
    "remove_start": {"player": "fay"},
    "undo": {"entry": None, "why": "a mistake", "top": 2},
    "redo": {},
    "set_rules": {"titles": [[1200, "pupil", "green"], [1600, "expert"]], "keep_titles": True},
    "revise": {"parameters": {"rho": "inf"}, "revision": "third", "top": 2, "dry_run": True},
    "rollback": {"revision": "second", "top": 2},
}
"""What is sent to it, for each change of the API."""
OWN = {
    "log": "log?n=1",
    "people": "people?q=dan&with_hidden=true",
    "attributes": "attributes",
    "starts": "starts",
}
"""What organisers ask of it."""
MATCHED = {
    "tickets": [
        {"players": ["ann"], "since": 1790000000, "latency": {"eu": 20, "us": 110}},
        {"players": ["bob"], "since": 1790000031, "latency": {"eu": 35, "us": 120}},
        {"players": ["a newcomer"], "since": 1790000040, "latency": {"eu": 140, "us": 30}},
    ],
    "rules": {"one_sided": [[0, 0.7], [60, 0.9]], "latency": 60},
    "now": 1790000041,
}
"""Who waits for a match."""
POSTED = {
    "matches": [
        {"standings": ["ann", "bob"], "id": "match-91", "time": "2026-05-04T18:30:00Z"},
        {"standings": [{"tie": ["cat", "eva"]}, "bob"], "id": "match-92", "time": "2026-05-05"},
    ]
}
"""Matches that have ended."""
FILE = b"contest,time,player,rank\nround-3,2026-05-03,ann,1\nround-3,2026-05-03,Dan,2\n"
"""What is sent to be checked."""
