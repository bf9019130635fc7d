"""Who may do what on organisers' pages, and what only owners do."""

import io
import zipfile
from pathlib import Path

import pytest
from fastapi import FastAPI

import podium
from podium.web import create_app
from podium.web.operations import OPERATIONS
from tests.web.filling import Sign, Visitor, csv_of, last_entry, upload


def test_what_is_sent_without_the_text_of_the_form_is_not_done(
    olga: Visitor, desk_file: Path
) -> None:
    before = last_entry(desk_file)
    form = olga.open("hide", player="cat").form("player")
    for text in ("", "something else", None):
        page = olga.send(form, form.filled({"csrf": text, "step": "confirm"}))
        assert page.status == 403, text
    answer = olga.client.post(
        form.action, data=form.filled({}), headers={"Origin": "https://elsewhere.example"}
    )
    assert answer.status_code == 403
    assert last_entry(desk_file) == before


def test_a_form_of_one_session_is_none_of_another(sign: Sign) -> None:
    one, other = sign("organise"), sign("own")
    form = one.open("hide", player="cat").form("player")
    assert other.send(form, form.filled({"step": "preview"})).status == 403


ADDRESSES = {
    "read": ("",),
    "record": ("record", "names?q=a", "contest-names", "log/16"),
    "organise": (
        *(name for name in OPERATIONS if name != "record"),
        *("contests", "contest?id=round-1", "contest.csv?id=round-1", "players", "players.csv"),
        *("player?name=ann", "seasons", "revisions", "log", "export.zip"),
    ),
    "own": ("tokens", "webhooks", "backup.db"),
}
"""Where each role and those above it may go."""


@pytest.mark.parametrize("role", ADDRESSES)
def test_pages_are_for_those_whose_role_they_are_for(
    role: str, sign: Sign, roles: dict[str, str]
) -> None:
    visitor = sign(role)
    allowed = list(roles)[: list(roles).index(role) + 1]
    for needed, addresses in ADDRESSES.items():
        for address in addresses:
            status = visitor.open(address).status
            meant = (200,) if needed in allowed else (403,)
            if role == "record" and address == "log/16":
                meant = (404,)  # the log shows them what they have done themselves
            assert status in meant, f"{role} at {address}: {status}"


def test_nobody_is_led_to_where_one_signs_in(desk_app: FastAPI) -> None:
    nobody = Visitor(desk_app)
    assert nobody.open("amend").path == "/club/sign-in"
    assert nobody.client.post("/club/organise/amend", data={"step": "confirm"}).status_code == 401


def test_the_navigation_has_what_the_role_allows(sign: Sign) -> None:
    assert "/club/organise/tokens" not in sign("organise").open().source
    assert "/club/organise/players" not in sign("record").open().source
    assert "/club/organise/record" not in sign("read").open().source


def test_pages_are_kept_by_nobody(olga: Visitor) -> None:
    for address in ("", "record", "log", "players", "names?q=a", "players.csv"):
        answer = olga.client.get(f"/club/organise/{address}".rstrip("/"))
        assert answer.headers["cache-control"] == "no-store", address
        assert "podium-state" not in answer.headers
        assert "etag" not in answer.headers


def test_hidden_players_and_private_attributes_are_the_organisers_own(sign: Sign) -> None:
    page = sign("organise").open("players")
    assert "dan" in page.text
    assert "12345" in page.text
    assert "dan" in sign("organise").client.get("/club/organise/names?q=dan").json()
    assert sign("record").client.get("/club/organise/names?q=dan").json() == []


def test_whoever_may_only_record_is_shown_no_hidden_player_in_a_preview(sign: Sign) -> None:
    rows = ("contest,time,player,rank", "early,2026-04-01,ann,1", "early,2026-04-01,bob,2")
    preview = upload(sign("record"), csv_of(*rows)).send("chose", step="preview")
    assert "hidden player" in preview.text
    assert " dan " not in preview.text
    preview = upload(sign("organise"), csv_of(*rows)).send("chose", step="preview")
    assert " dan " in preview.text


def test_a_token_is_shown_once_and_can_be_revoked(
    sign: Sign, desk_app: FastAPI, desk_file: Path
) -> None:
    omar = sign("own")
    page = omar.open("tokens").send("make", step="make", name="fred", role="record", expires="")
    text = page.source.split('id="token" readonly value="')[1].split('"')[0]
    assert "Record results" in Visitor(desk_app).signed_in(text).open("record").text
    again = omar.open("tokens")
    assert text not in again.source
    assert "fred" in again.text
    assert last_entry(desk_file)["who"] == "omar"
    revoked = next(form for form in again.forms if form.values("id") == ["5"])
    page = omar.send(revoked, revoked.filled({"step": "revoke"}))
    assert "Token 5 is revoked" in page.text
    answer = Visitor(desk_app).client.post("/club/sign-in", data={"token": text})
    assert answer.status_code == 403


def test_ones_own_token_is_revoked_only_if_one_is_sure(sign: Sign) -> None:
    omar = sign("own")
    own = next(form for form in omar.open("tokens").forms if form.values("id") == ["4"])
    refused = omar.send(own, own.filled({"step": "revoke"}))
    assert "tick that you are sure" in refused.text
    omar.send(own, own.filled({"step": "revoke", "sure": "on"}))
    assert omar.open("tokens").path == "/club/sign-in"


def test_a_league_becomes_private_and_public_again(sign: Sign, desk_app: FastAPI) -> None:
    omar, nobody = sign("own"), Visitor(desk_app)
    omar.open("tokens").send("access", access="private")
    assert nobody.client.get("/club/", follow_redirects=False).status_code == 303
    omar.open("tokens").send("access", access="public")
    assert nobody.client.get("/club/", follow_redirects=False).status_code == 200


def test_an_export_and_a_backup_are_leagues_again(
    sign: Sign, desk_file: Path, tmp_path: Path
) -> None:
    omar = sign("own")
    answer = omar.client.get("/club/organise/export.zip?format=parquet")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path / "export")
    copy = tmp_path / "copy.db"
    copy.write_bytes(omar.client.get("/club/organise/backup.db").content)
    with (
        podium.League.restore(tmp_path / "export" / "club", tmp_path / "restored.db") as restored,
        podium.League(copy) as copied,
        podium.League(desk_file) as league,
    ):
        board = league.leaderboard()
        assert restored.leaderboard().equals(board)
        assert copied.leaderboard().equals(board)


def test_public_pages_of_a_writable_site_lead_to_the_forms(
    desk_app: FastAPI, desk_file: Path, olga: Visitor
) -> None:
    nobody = Visitor(desk_app).client
    assert 'href="/club/organise"' in nobody.get("/club/").text
    assert "/club/organise/contest?id=round-1" in nobody.get("/club/contest/round-1").text
    assert "/club/organise/player?name=ann" in nobody.get("/club/player/ann").text
    assert nobody.get("/club/player/ann").text == olga.client.get("/club/player/ann").text
    reading = create_app(desk_file)
    assert "For organisers" not in Visitor(reading).client.get("/club/").text
    reading.state.catalogue.close()


def test_too_much_in_a_short_time_has_to_wait(
    olga: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from podium.web.organising import desk

    monkeypatch.setattr(desk, "BURST", 2)
    monkeypatch.setattr(desk, "EVERY", 3600.0)
    page = olga.open("hide", player="cat")
    statuses = [page.send("player", step="preview").status for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_a_webhook_is_added_paused_and_removed(sign: Sign, desk_file: Path) -> None:
    omar = sign("own")
    page = omar.open("webhooks").send("address", step="add", address="http://127.0.0.1:9/hook")

    assert 'role="alert"' in page.source  # this server does not ask its own neighbours
    assert page.form("address").values("address") == ["http://127.0.0.1:9/hook"]
    with podium.League(desk_file) as league:
        league.add_webhook("https://example.org/hook", ["title.reached"], who="omar")
    page = omar.open("webhooks")
    assert "https://example.org/hook" in page.text
    hook = page.form("pause")
    assert "is told nothing" in omar.send(hook, hook.filled({"step": "pause"})).text
    assert "is told of changes again" in omar.send(hook, hook.filled({"step": "resume"})).text
    assert "is removed" in omar.send(hook, hook.filled({"step": "remove"})).text
    assert last_entry(desk_file)["who"] == "omar"


def test_whoever_may_only_record_is_not_asked_about_hidden_players(
    sign: Sign, desk_file: Path
) -> None:
    with podium.League(desk_file) as league:
        league.rename("dan", "Daniel Hidden")
    rows = ("contest,time,player,rank", "w,2026-05-03,ann,1", "w,2026-05-03,daniel hiden,2")
    page = upload(sign("record"), csv_of(*rows))
    assert "Daniel Hidden" not in page.source
    assert "Daniel Hidden" not in page.send("chose", step="preview").source
    assert "Daniel Hidden" in upload(sign("organise"), csv_of(*rows)).source


def test_a_token_that_is_revoked_between_preview_and_confirmation_changes_nothing(
    olga: Visitor, desk_file: Path
) -> None:
    preview = olga.open("hide", player="cat").send("player", step="preview")
    with podium.League(desk_file) as league:
        league.revoke_token(3)
    before = last_entry(desk_file)
    assert preview.send("expecting", step="confirm").status == 401
    assert last_entry(desk_file) == before
