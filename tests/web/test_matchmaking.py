"""Matches over the API: tickets and rules in, matches out, and nothing kept."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter

import podium
from podium.matchmaking import Matchmaker, Rules, Ticket
from podium.web import create_app, schemas
from podium.web.api.matchmaking import MOST_TICKETS
from podium.web.security import LARGEST
from tests.web.small import MATCHED, small_league

MATCH = "/api/v1/leagues/club/match"
NAMES = ["ann", "bob", "cat", "dan", "eva", "a stranger"]
TICKETS = [{"players": [name], "since": 10 * place} for place, name in enumerate(NAMES)]
RULES = {"one_sided": [[0, 0.7], [60, 0.95]]}


class Site:
    def __init__(self, client: TestClient, league: podium.League) -> None:
        self.client, self.league = client, league
        self.token = league.create_token("a game", "read")

    def send(self, body: Any, status: int = 200) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = self.client.post(MATCH, json=body, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_league(tmp_path_factory.mktemp("ready") / "club.db")


@pytest.fixture
def site(ready: Path, tmp_path: Path) -> Iterator[Site]:
    path = Path(shutil.copy(ready, tmp_path / "club.db"))
    app = create_app(path, writable=True, secret=b"0123456789abcdef" * 3)
    with TestClient(app) as client, podium.League(path) as league:
        yield Site(client, league)


def test_what_is_answered_is_what_the_library_says(site):
    found = site.send({"tickets": TICKETS, "rules": RULES, "now": 60})
    TypeAdapter(schemas.Round).validate_python(found, extra="forbid")
    tickets = [Ticket(each["players"], each["since"]) for each in TICKETS]
    own = Matchmaker(Rules(**RULES), site.league).match(tickets, 60).document()
    assert found.pop("state") == site.league.state
    assert found == own
    assert found["matches"]


def test_nothing_is_kept_and_nothing_changes(site):
    before = site.league.state
    first = site.send({"tickets": TICKETS, "now": 60})
    assert site.send({"tickets": TICKETS[::-1], "now": 60}) == first
    assert site.league.state == before
    assert "a stranger" not in site.league


def test_a_hidden_player_is_a_newcomer_to_whoever_may_not_see_them(site):
    site.league.hide("ann")
    pair = site.send({"tickets": [{"players": ["ann"]}, {"players": ["bob"]}]})
    other = site.send({"tickets": [{"players": ["nobody"]}, {"players": ["bob"]}]})
    assert max(pair["matches"][0]["chances"]) == max(other["matches"][0]["chances"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"tickets": [{"players": []}]}, "tickets, ticket 1: a ticket needs a name"),
        ({"tickets": [{"player": ["ann"]}]}, "did you mean 'players'"),
        ({"tickets": [], "rules": {"teams": 1}}, "the rules: teams must be a whole number"),
        ({"tickets": [], "rules": {"team": 2}}, "there is no rule 'team'"),
        (
            {"tickets": [], "rules": {"exact_up_to": 501}},
            "exact_up_to may be 500 at most on a site",
        ),
        ({"tickets": [{"players": ["ann"], "since": "soon"}]}, "tickets, ticket 1: 'soon' is not"),
        ({"tickets": [], "ruls": {}}, "there is no field 'ruls'"),
        ({"tickets": [{"players": ["a\0b"]}]}, "the character 0"),
        ({"tickets": [], "rules": {"team_size": 3}}, "rates players, not teams"),
        ({"tickets": [{"players": ["ann"]}, {"players": ["ann"], "id": "x"}]}, "two tickets"),
    ],
)
def test_what_is_wrong_is_said(site, body, said):
    answer = site.send(body, 422)
    assert said in answer["detail"]


def test_teams_are_not_looked_for_in_too_many_places(site):
    far = {f"region-{number}": 40.0 for number in range(50)}
    tickets = [{"players": [f"player-{number}"], "latency": far} for number in range(41)]
    points = [[number, number] for number in range(100)]
    body = {"tickets": tickets, "rules": {"teams": 4, "latency": points}}
    assert "41 tickets with 50 regions and 100 points" in site.send(body, 422)["detail"]
    site.send({**body, "rules": {"latency": points}})  # pairs are looked at once


TICKET_FIELDS = ("players", "since", "roles", "latency", "avoid", "recent", "extra", "id")
ABSURD = (
    *(None, True, -1, 1.5, 10**30, 1e308, "", "x", "\n", "\0", "a\nb", "2026-01-01", [], [None]),
    *([1], [["ann"]], [[["ann"]]], {}, {"ann": 1}, {"ann": ["tank"]}, {"eu": -1}, {"eu": 1e9}),
)


@pytest.mark.parametrize("field", TICKET_FIELDS)
def test_whatever_a_ticket_says_is_matched_or_refused_with_a_sentence(site, field):
    headers = {"Authorization": f"Bearer {site.token}"}
    for value in ABSURD:
        ticket = {"players": ["ann"], field: value}
        rules = {"rematch": 2, "latency": 50, "same": ["mode"]}
        body = {"tickets": [ticket, {"players": ["bob"]}], "rules": rules, "now": 60}
        answer = site.client.post(MATCH, json=body, headers=headers)
        assert answer.status_code in (200, 422), (value, answer.text)
        if answer.status_code == 422:
            assert answer.json()["detail"].endswith(".")
            assert "\n" not in answer.json()["detail"]
        else:
            TypeAdapter(schemas.Round).validate_python(answer.json(), extra="forbid")


def test_what_is_too_much_is_refused(site):
    many = [{"players": [f"p{number}"]} for number in range(MOST_TICKETS + 1)]
    assert "tickets" in site.send({"tickets": many}, 422)["detail"]
    far = [{"players": [f"p{n}"], "latency": {f"r{n}": 5}} for n in range(101)]
    told = site.send({"tickets": far}, 422)["detail"]
    assert "tickets name 101 regions, of which there may be 100" in told
    headers = {"Authorization": f"Bearer {site.token}", "Content-Type": "application/json"}
    huge = site.client.post(MATCH, content=b" " * (LARGEST + 1), headers=headers)
    assert huge.status_code == 413
    assert "at most" in huge.json()["detail"]
    for body in (b"{", b"[]", b'{"tickets": [{"players": ["a"], "since": NaN}]}', b"\xff"):
        answer = site.client.post(MATCH, content=body, headers=headers)
        assert answer.status_code == 422, answer.text


def test_an_empty_queue_is_one(site):
    assert site.send({"tickets": []})["matches"] == []


def test_it_needs_a_token_and_a_site_that_takes_them(site, ready):
    assert site.client.post(MATCH, json={"tickets": []}).status_code == 401
    with TestClient(create_app(ready)) as reading:
        assert reading.post(MATCH, json={"tickets": []}).status_code == 405


def test_the_description_knows_it(site):
    described = site.client.get("/api/v1/openapi.json").json()
    found = described["paths"]["/api/v1/leagues/{key}/match"]["post"]
    assert found["x-role"] == "read"
    assert found["requestBody"]["content"]["application/json"]["example"] == MATCHED
    told = found["responses"]["200"]["content"]["application/json"]["example"]
    TypeAdapter(schemas.Round).validate_python(told, extra="forbid")
    assert told["matches"]
