"""The guide to live matches runs: its snippets, and its service."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.test_documentation import run_snippets

PAGE = "docs/live.md"
TEXT = (Path(__file__).parents[2] / PAGE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names():
    return run_snippets(PAGE)


def test_the_service_of_the_guide_rates_matches(names):
    with TestClient(names["app"]) as client:
        won = client.post("/matches", json={"id": "1", "standings": ["ann", "bob"]}).json()
        assert won["ratings"][0]["player"] == "ann"
        again = client.post("/matches", json={"id": "1", "standings": ["ann", "bob"]}).json()
        assert again == {**won, "known": True}
        other = client.post("/matches", json={"id": "1", "standings": ["bob", "ann"]})
        assert other.status_code == 409
        assert client.post("/matches", json={"id": "2", "standings": []}).status_code == 422
        assert client.get("/players/ann").json()["place"] == 1
        assert client.get("/players/nobody").status_code == 404
        assert client.get("/chances/ann/bob").json() > 0.5
        board = client.get("/leaderboard").json()
        assert [row["place"] for row in board] == [1, 2, 3, 4]
        assert board[0]["player"] == "ann"
        near = client.get("/leaderboard", params={"around": "bob"}).json()
        assert near == board
    assert names["league"].verify().sound


def test_the_service_is_under_fifty_lines():
    snippets = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert len(snippets[-1].splitlines()) < 50


def test_what_the_guide_shows_first(names):
    assert names["ratings"]["ann"].rating > 1500
    assert names["late"].late
