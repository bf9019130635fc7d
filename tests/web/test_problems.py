"""What went wrong is told: as a problem to programs, as a page to people, never with a trace."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from podium.errors import (
    BusyError,
    ConflictError,
    InputError,
    NoResultsError,
    NotFoundError,
    PodiumError,
    RemovalError,
    StorageError,
)
from podium.web import create_app, problems

RAISED: dict[str, Exception] = {
    "missing": NotFoundError("there is no player 'x'."),
    "wrong": InputError("n must be less."),
    "nobody": NoResultsError("nobody's results."),
    "changed": ConflictError("the league has changed."),
    "removed": RemovalError("it removes much."),
    "busy": BusyError("/srv/secret/club.db: somebody is writing."),
    "broken": StorageError("/srv/secret/club.db: is damaged."),
    "other": PodiumError("something."),
    "odd": RuntimeError("a secret"),
}


@pytest.fixture(scope="module")
def asked() -> Iterator[TestClient]:
    app = FastAPI(openapi_url=None)
    problems.install(app)

    @app.get("/api/v1/{what}")
    @app.get("/page/{what}")
    def fail(what: str) -> None:
        raise RAISED[what]

    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("what", "status", "kind"),
    [
        ("missing", 404, "not-found"),
        ("wrong", 422, "wrong-input"),
        ("nobody", 422, "wrong-input"),
        ("changed", 409, "conflict"),
        ("removed", 409, "removal"),
        ("busy", 503, "busy"),
        ("broken", 503, "storage"),
        ("other", 422, "wrong-input"),
        ("odd", 500, "unexpected"),
    ],
)
def test_kinds_of_errors_are_kinds_of_problems(asked, what, status, kind):
    answer = asked.get(f"/api/v1/{what}")
    found = answer.json()
    assert answer.status_code == found["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert set(found) == {"type", "title", "status", "detail", "instance"}
    assert found["type"] == f"/api/v1/#problem-{kind}"
    page = asked.get(f"/page/{what}")
    assert page.status_code == status
    assert page.headers["content-type"].startswith("text/html")
    assert found["title"] in page.text


def test_who_is_busy_says_when_to_ask_again(asked):
    assert int(asked.get("/api/v1/busy").headers["retry-after"]) > 0


@pytest.mark.parametrize("what", ["busy", "broken", "odd"])
def test_what_the_server_alone_should_know_is_in_its_log_under_a_number(asked, what, caplog):
    with caplog.at_level(logging.WARNING, "podium.web"):
        for path in ("api/v1", "page"):
            answer = asked.get(f"/{path}/{what}")
            assert "secret" not in answer.text
            assert "Traceback" not in answer.text
    found = asked.get(f"/api/v1/{what}").json()
    number = found["instance"].removeprefix("urn:uuid:")
    assert number in caplog.text
    assert "secret" in caplog.text


def test_an_address_that_there_is_not_and_writing_are_problems_too(asked):
    missing = asked.get("/api/v1/a/b")
    assert (missing.status_code, missing.json()["type"]) == (404, "/api/v1/#problem-no-address")
    writing = asked.post("/api/v1/wrong")
    assert (writing.status_code, writing.json()["type"]) == (405, "/api/v1/#problem-read-only")
    assert writing.headers["allow"] == "GET, HEAD"
    assert asked.get("/nowhere").headers["content-type"].startswith("text/html")


def test_behind_a_prefix_all_that_is_linked_to_is_on_the_site(league_file):
    with TestClient(create_app(league_file, prefix="/ratings")) as client:
        missing = client.get("/ratings/api/v1/nothing").json()
        assert missing["type"] == "/ratings/api/v1/#problem-no-address"
        assert missing["detail"].endswith("; /ratings/api/v1/ tells what there is.")
        refused = client.post("/ratings/api/v1/leagues").json()
        assert refused["type"] == "/ratings/api/v1/#problem-read-only"
        page = client.get("/ratings/club/a/b/c")
        assert "the leagues are at /ratings/." in page.text


@pytest.mark.parametrize("prefix", ["", "/ratings"])
@pytest.mark.parametrize("path", ["nothing.css", "", "api/x", "%00", "style.css/x"])
def test_below_the_files_an_error_is_a_page_of_the_same_site(league_file, prefix, path):
    with TestClient(create_app(league_file, prefix=prefix)) as client:
        page = client.get(f"{prefix}/static/{path}")
    assert page.status_code == 404
    assert f'href="{prefix}/static/style.css' in page.text
    assert "static/static" not in page.text


def test_where_a_league_is_kept_is_not_told():
    class Hosted:
        league = type("League", (), {"where": "/srv/secret/club.db"})

    app = FastAPI(openapi_url=None)
    app.state.catalogue = {"club": Hosted}
    problems.install(app)

    @app.get("/api/v1/x")
    def fail() -> None:
        raise InputError("/srv/secret/club.db: is no league.")

    with TestClient(app) as client:
        assert client.get("/api/v1/x").json()["detail"] == "club: is no league."


def test_without_a_page_of_errors_the_sentence_is_plain_text(asked, monkeypatch):
    def missing(*_: Any, **__: Any) -> str:
        raise OSError

    monkeypatch.setattr(problems, "render", missing)
    answer = asked.get("/page/missing")
    assert answer.status_code == 404
    assert "there is no player 'x'." in answer.text
