"""The guide runs: its snippets, its file of rules, and its service."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from podium.matchmaking import Rules
from tests.test_documentation import run_snippets

PAGE = "docs/matchmaking.md"
TEXT = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names():
    return run_snippets(PAGE)


def test_the_round_of_the_guide_is_made(names):
    taken = [each for match in names["round"].matches for each in match.tickets]
    assert sorted([*taken, *names["round"].waiting]) == ["ann", "bob", "cat", "dan"]
    assert names["round"].matches


def test_the_rules_of_the_guide_are_rules():
    (shown,) = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    rules = Rules.from_text(shown)
    assert rules.roles == {"damage": 2, "healer": 2, "tank": 1}
    assert rules.party_gap is not None
    assert rules.party_gap.at(30) == 2.5


def test_the_service_of_the_guide_runs_a_queue(names):
    client, queue = TestClient(names["app"]), names["queue"]
    for player in ("ann", "bob", "cat"):
        assert client.post(f"/tickets/{player}", json={"eu": 20}).status_code == 200
    assert client.get("/tickets/ann").json() == {"waiting": "has just come"}
    now = max(each.since for each in queue.tickets.values())
    queue.tick(now + 1.0)
    told = [client.get(f"/tickets/{player}").json() for player in ("ann", "bob", "cat")]
    assert sum("match" in each for each in told) == 2
    assert sum("waiting" in each for each in told) == 1
    match = next(each["match"] for each in told if "match" in each)
    assert match["region"] == "eu"
    winner, loser = match["tickets"]
    client.post("/results", params={"winner": winner, "loser": loser})
    assert names["ladder"][winner].rating > names["ladder"][loser].rating
    assert client.get("/tickets/nobody").status_code == 404


def test_no_client_stops_the_service_of_the_guide(names):
    client, queue = TestClient(names["app"]), names["queue"]
    for player in ("eve", " eve ", "eve\u0301", "e\u0301ve"):
        assert client.post(f"/tickets/{player}", json={"eu": 20}).status_code == 200
    assert client.post("/tickets/fay", json={"mars": 20}).status_code == 422
    assert {"eve", "ev\u00e9"} < set(queue.tickets)
    queue.tick(max(each.since for each in queue.tickets.values()) + 200.0)
    assert not queue.tickets


def test_the_service_is_under_sixty_lines():
    snippets = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert len(snippets[-1].splitlines()) < 60
