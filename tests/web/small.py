"""A small league whose answers are the examples of the API's description."""

from pathlib import Path
from typing import Any

import podium

TITLES = [(1200, "pupil"), (1500, "expert")]

ASKED = {
    "leagues": "/leagues",
    "league": "/leagues/club",
    "leaderboard": "/leagues/club/leaderboard?n=2",
    "players": "/leagues/club/players?q=an",
    "player": "/leagues/club/player?name=ann&last=1",
    "history": "/leagues/club/history?name=ann&n=1",
    "contests": "/leagues/club/contests?n=2",
    "contest": "/leagues/club/contest?id=round-2&top=2",
    "standings": "/leagues/club/standings?contest=round-2&n=2",
    "explanation": "/leagues/club/explanation?contest=round-2&player=ann",
    "what_if": "/leagues/club/what-if?contest=round-2&player=ann",
    "prediction": "/leagues/club/prediction?player=ann&player=bob&player=zoe",
    "chances": "/leagues/club/chances?player=ann&player=bob",
    "rules": "/leagues/club/rules",
    "system": "/leagues/club/system",
    "revisions": "/leagues/club/revisions",
    "changes": "/leagues/club/changes?n=2",
}
"""What is asked of it, for each question of the API."""


def small_league(path: Path) -> Path:
    """Two rounds of five players, the second with a name."""
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        for number, standings in enumerate(
            (["ann", "bob", ("cat", "dan"), "eva"], ["bob", "ann", "dan", ("cat", "eva")]), 1
        ):
            league.record(standings, id=f"round-{number}", time=f"2026-05-0{number}", who="ann")
        league.amend("round-2", name="The second round", who="ann", why="it has a name")
    return path


def steady(document: Any) -> Any:
    """A document without what is other in every league: its state, and when it was changed."""
    if isinstance(document, list):
        return [steady(each) for each in document]
    if not isinstance(document, dict):
        return document
    fixed = {"created": "2026-05-10T09:30:00Z", "state": "6f0c2a91d4b83e57"}
    if "action" in document:
        fixed["time"] = "2026-05-10T09:30:00Z"
    return {key: fixed.get(key, steady(value)) for key, value in document.items()}
