"""Tokens and access by way of the API, and on a server of PostgreSQL."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import podium
from podium.web import create_app
from podium.web.api import tokens
from tests.league.conftest import Server, postgresql  # noqa: F401 - a fixture
from tests.web.small import small_league, steady

BASE = "/api/v1/leagues/club"
SECRET = b"0123456789abcdef" * 3


@pytest.fixture
def club(tmp_path) -> Iterator[FastAPI]:
    app = create_app(small_league(tmp_path / "club.db"), writable=True, secret=SECRET)
    yield app
    app.state.catalogue.close()


@pytest.fixture
def owner(club: FastAPI) -> TestClient:
    """Who owns the league, by way of the API."""
    text = club.state.catalogue["club"].writer.create_token("ann", "own", who="ann")
    return TestClient(club, headers={"authorization": f"Bearer {text}"})


def test_an_owner_lets_others_in_and_out_again(club, owner):
    made = owner.post(f"{BASE}/tokens", json={"name": "bob", "role": "read"}).json()
    bob = TestClient(club, headers={"authorization": f"Bearer {made['token']}"})
    assert owner.put(f"{BASE}/access", json={"access": "private"}).json() == {"access": "private"}
    assert TestClient(club).get(f"{BASE}/leaderboard").status_code == 401
    assert bob.get(f"{BASE}/leaderboard").status_code == 200
    assert bob.get(f"{BASE}/access").json() == {"access": "private"}
    assert bob.post(f"{BASE}/tokens", json={"name": "eve", "role": "own"}).status_code == 403
    assert owner.delete(f"{BASE}/tokens?id={made['id']}").status_code == 200
    assert bob.get(f"{BASE}/leaderboard").status_code == 401
    listed = owner.get(f"{BASE}/tokens")
    assert made["token"] not in listed.text
    assert [(each["name"], each["creator"]) for each in listed.json()] == [
        ("bob", "ann"),
        ("ann", "ann"),
    ]
    log = club.state.catalogue["club"].league.log()
    assert log["action"][:3].to_list() == ["token", "access", "token"]
    assert set(log["who"][:3]) == {"ann"}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{}", "name is missing; role is missing."),
        ('{"name": "", "role": "own"}', "name must have at least 1 characters"),
        ('{"name": "a\\u0000", "role": "own"}', "name holds the character 0"),
        ('{"name": "bob", "role": "boss"}', "role must be 'read', 'record', 'organise' or 'own'"),
        ('{"name": "bob", "role": "own", "expires": "soon"}', "soon"),
        ('{"name": "bob", "role": "own", "expires": "2001-01-01"}', "expires later than now"),
        ('{"name": "bob", "role": "own", "until": "2999"}', "there is no field 'until'"),
        ("[]", "the body is an object of JSON"),
        ("{", "the body is no JSON"),
        ("\udcff", "the body is no JSON"),
    ],
)
def test_what_is_wrong_with_a_new_token_is_said(owner, body, sentence):
    answer = owner.post(f"{BASE}/tokens", content=body.encode("utf-8", "surrogateescape"))
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]
    assert len(owner.get(f"{BASE}/tokens").json()) == 1


def test_what_cannot_be_revoked_is_said(owner):
    assert owner.delete(f"{BASE}/tokens").status_code == 422
    assert owner.delete(f"{BASE}/tokens?id=x").status_code == 422
    assert owner.delete(f"{BASE}/tokens?id=7").status_code == 404
    number = owner.post(f"{BASE}/tokens", json={"name": "bob", "role": "own"}).json()["id"]
    assert owner.delete(f"{BASE}/tokens?id={number}").status_code == 200
    assert owner.delete(f"{BASE}/tokens?id={number}").status_code == 409


def test_the_examples_are_what_is_answered(owner):
    made = owner.post(f"{BASE}/tokens", json=tokens.SENT["create_token"]).json()
    expected: dict[str, Any] = tokens.ANSWERED["create_token"]
    assert {**made, "token": expected["token"]} == expected
    listed = steady(owner.get(f"{BASE}/tokens").json())
    assert listed[:1] == tokens.ANSWERED["tokens"]
    revoked = owner.delete(f"{BASE}/tokens?id={made['id']}").json()
    assert revoked == tokens.ANSWERED["revoke_token"]
    assert owner.get(f"{BASE}/access").json() == tokens.ANSWERED["access"]
    changed = owner.put(f"{BASE}/access", json=tokens.SENT["change_access"]).json()
    assert changed == tokens.ANSWERED["change_access"]


def test_they_are_described_with_the_role_that_they_need(club):
    paths = TestClient(club).get("/api/v1/openapi.json").json()["paths"]
    described = paths["/api/v1/leagues/{key}/tokens"]
    assert {method: each["x-role"] for method, each in described.items()} == dict.fromkeys(
        ("get", "post", "delete"), "own"
    )
    body = described["post"]["requestBody"]["content"]["application/json"]
    assert body["example"] == tokens.SENT["create_token"]
    assert body["schema"]["required"] == ["name", "role"]


@pytest.fixture
def on_a_server(postgresql: Server) -> Iterator[tuple[FastAPI, FastAPI, podium.League]]:  # noqa: F811
    """Two processes of a site with a league in PostgreSQL, and somebody who changes it."""
    where = postgresql.new_database()
    with podium.League.create(where) as league:
        league.record(["ann", "bob"], id="round-1", time="2026-01-01")
        apps = [create_app({"club": where}, writable=True, secret=SECRET) for _ in range(2)]
        yield apps[0], apps[1], league
        for each in apps:
            each.state.catalogue.close()


def _until(condition: Any) -> None:
    """Wait for something that is to become true soon."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end


def test_on_a_server_all_processes_follow_when_a_league_becomes_private(on_a_server):
    *apps, league = on_a_server
    strangers = [TestClient(app, follow_redirects=False) for app in apps]
    assert all(each.get("/club/").status_code == 200 for each in strangers)
    league.set_access("private")
    for each in strangers:  # what a server has said is believed for a quarter of a second
        _until(lambda each=each: each.get("/club/").status_code == 303)
        assert each.get("/club/").status_code == 303
    token = league.create_token("ann", "own")
    for each in strangers:
        bearer = {"authorization": f"Bearer {token}"}
        assert each.get(BASE, headers=bearer).status_code == 200
    league.revoke_token(1)
    for each in strangers:  # a token is looked up each time
        assert each.get(BASE, headers=bearer).status_code == 401
    league.set_access("public")
    for each in strangers:
        _until(lambda each=each: each.get("/club/").status_code == 200)


def test_on_a_server_a_session_of_one_process_is_one_of_the_other(on_a_server):
    *apps, league = on_a_server
    league.set_access("private")
    browser, other = (TestClient(app, follow_redirects=False) for app in apps)
    _until(lambda: other.get("/club/").status_code == 303)
    browser.post("/club/sign-in", data={"token": league.create_token("ann", "own")})
    cookie = {"cookie": f"podium-session={browser.cookies['podium-session']}"}
    assert other.get("/club/", headers=cookie).status_code == 200
    league.revoke_token(1)
    assert other.get("/club/", headers=cookie).status_code == 303
