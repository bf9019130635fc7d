"""What other programs are told of changes."""

import datetime
import json
from typing import Any

import pytest
from sqlalchemy import select, update

import podium
from podium.errors import ConflictError, InputError, NotFoundError
from podium.league import League, notices, schema
from podium.league.database import now
from podium.league.public import public_log

TITLES = [(1200, "pupil"), (1500, "expert"), (1600, "master")]
HOOK = "https://example.org/hook"


@pytest.fixture
def league(where: str) -> Any:
    """A league with titles, in both kinds of database."""
    with League.create(where, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        yield league


def told(league: League, after: int = 0) -> list[tuple[str, Any]]:
    """The kinds and the data of all notices after one."""
    return [(each["type"], each["data"]) for each in league.notices(after, n=10_000)]


def kinds(league: League, after: int = 0) -> list[str]:
    return [kind for kind, _ in told(league, after)]


def latest(league: League) -> int:
    return league.signs().notice


def moves(league: League, after: int = 0) -> dict[str, tuple[Any, Any]]:
    """The ratings that changed, before and after, by player."""
    return {
        each["player"]: (each["before"], each["after"])
        for kind, data in told(league, after)
        if kind == "rating.changed"
        for each in data["moves"]
    }


def as_changed(change: podium.league.Change) -> dict[str, tuple[Any, Any]]:
    rows = change.moves.select("player", "before", "after").rows()
    return {player: (before, after) for player, before, after in rows}


def season(league: League) -> None:
    league.record(["ann", "bob", "cat"], id="spring", time="2026-05-01")
    league.record(["bob", "ann", "dan"], id="summer", time="2026-08-01")


def test_recording_tells_of_contests_ratings_and_titles(league: League) -> None:
    change = league.record(["ann", "bob"], id="spring", time="2026-05-01", why="the first")
    first, second, *titles = league.notices()
    assert first["type"] == "contest.rated"
    assert first["data"] == {
        "contests": [
            {"contest": "spring", "time": "2026-05-01T00:00:00Z", "name": None, "players": 2}
        ],
        "rated": 1,
    }
    assert second["type"] == "rating.changed"
    assert [(each["player"], each["id"]) for each in second["data"]["moves"]] == [
        (player, league.player(player).id) for player in change.moves["player"]
    ]
    assert moves(league) == as_changed(change)
    assert [each["data"]["player"] for each in titles] == ["ann", "bob"][: len(titles)]
    entry = league.log(1)["number"].item()
    time = league.log(1)["time"].item()
    assert {each["entry"] for each in league.notices()} == {entry}
    assert {each["timestamp"] for each in league.notices()} == {f"{time.isoformat()}Z"}
    assert [each["number"] for each in league.notices()] == list(range(1, 3 + len(titles)))
    assert len({each["id"] for each in league.notices()}) == 2 + len(titles)


def test_what_is_not_rated_is_told_when_it_is(league: League) -> None:
    league.record(["ann", "bob"], id="spring", time="2026-05-01", rated=False)
    assert told(league) == []
    league.amend("spring", rated=True)
    assert kinds(league)[:3] == ["contest.rated", "correction.made", "rating.changed"]


def test_a_dry_run_tells_nobody_anything(league: League) -> None:
    season(league)
    before = latest(league)
    league.record(["ann", "bob"], time="2026-09-01", dry_run=True)
    league.record(["ann", "bob"], time="2026-09-01", floor=0.0, dry_run=True)
    league.remove("summer", dry_run=True)
    assert latest(league) == before


def test_a_change_that_comes_to_nothing_tells_nobody_anything(league: League) -> None:
    season(league)
    before = latest(league)
    with pytest.raises(ConflictError):
        league.record(["bob", "ann"], id="spring", time="2026-05-01")
    assert latest(league) == before


def test_corrections_say_what_was_put_right_and_whose_ratings_changed(league: League) -> None:
    season(league)
    before = latest(league)
    change = league.disqualify("spring", "bob", why="did not play")
    kind, data = told(league, before)[0]
    assert kind == "correction.made"
    assert data == {
        "action": "disqualify",
        "of": None,
        "contest": "spring",
        "player": "bob",
        "id": league.player("bob").id,
        "why": "did not play",
        "moved": change.moves.height,
    }
    assert moves(league, before) == as_changed(change)


def test_what_is_taken_back_and_made_again_is_told(league: League) -> None:
    season(league)
    league.disqualify("spring", "bob")
    for turn, action in ((league.undo, "undo"), (league.redo, "redo")):
        before = latest(league)
        change = turn()
        kind, data = told(league, before)[0]
        assert (kind, data["action"], data["of"]) == ("correction.made", action, "disqualify")
        assert moves(league, before) == as_changed(change)


def test_a_contest_that_comes_back_is_rated_and_its_players_are_told_of(league: League) -> None:
    season(league)
    league.undo()
    before = latest(league)
    change = league.redo()
    assert kinds(league, before)[:2] == ["contest.rated", "correction.made"]
    assert moves(league, before) == as_changed(change)
    league.remove("summer")
    before = latest(league)
    league.undo()
    assert kinds(league, before)[0] == "contest.rated"


def test_a_player_who_is_forgotten_by_an_undo_is_told_of_by_name(league: League) -> None:
    season(league)
    before = latest(league)
    league.undo()
    assert moves(league, before)["dan"][1] is None


def test_seasons_starts_revisions_rollbacks_and_rules_tell_of_ratings(league: League) -> None:
    season(league)
    for change in (
        lambda: league.season("2026-b", "2026-07-01", pull=0.5, toward=1500),
        lambda: league.start({"ann": 1900.0}),
        lambda: league.revise("elo"),
        lambda: league.rollback(),
        lambda: league.set_rules(podium.Rules(display="conservative")),
    ):
        before = latest(league)
        made = change()
        assert made.moves.height
        assert moves(league, before) == as_changed(made)
        assert "correction.made" not in kinds(league, before)


def test_titles_are_not_reached_by_another_measure(league: League) -> None:
    season(league)
    before = latest(league)
    league.set_rules(podium.Rules(titles=[(0, "everybody")]))
    league.revise("elo")
    assert "title.reached" not in kinds(league, before)


def titles_of(league: League, after: int = 0) -> list[tuple[str, str, str | None]]:
    return [
        (data["player"], data["title"], data["before"])
        for kind, data in told(league, after)
        if kind == "title.reached"
    ]


def test_a_title_is_told_when_it_is_higher_than_before(league: League) -> None:
    for day in range(1, 8):
        before = latest(league)
        was = league.player("ann").title if day > 1 else None
        league.record(["ann", "bob", "cat"], time=f"2026-05-{day:02}")
        now_held = league.player("ann").title
        reached = [each for each in titles_of(league, before) if each[0] == "ann"]
        assert reached == ([("ann", now_held, was)] if now_held != was else [])
    assert league.player("ann").title == "master"


def test_a_provisional_rating_reaches_no_title_until_it_is_settled(where: str) -> None:
    rules = podium.Rules(titles=TITLES, provisional_until=3)
    with League.create(where, "elo-mmr", rules=rules) as league:
        for day in (1, 2):
            league.record(["ann", "bob"], time=f"2026-05-{day:02}")
        assert titles_of(league) == []
        league.record(["ann", "bob"], time="2026-05-03")
        found = {player: title for player, title, _ in titles_of(league)}
        assert found["ann"] == league.player("ann").title


def test_a_title_that_is_kept_is_reached_once(where: str) -> None:
    rules = podium.Rules(titles=[(1500, "expert")], keep_titles=True)
    with League.create(where, "elo", rules=rules) as league:
        league.record(["ann", "bob"], time="2026-05-01")
        assert [each[0] for each in titles_of(league)] == ["ann"]
        for day in range(2, 6):
            league.record(["bob", "ann"], time=f"2026-05-{day:02}")
        assert league.player("ann").rating < 1500
        before = latest(league)
        for day in range(6, 16):
            league.record(["ann", "bob"], time=f"2026-05-{day:02}")
        assert league.player("ann").rating > 1500
        assert "ann" not in [each[0] for each in titles_of(league, before)]


def test_many_players_are_told_in_several_notices_without_losing_any(where: str) -> None:
    names = [f"p{number}" for number in range(2345)]
    with League.create(where, "elo-mmr") as league:
        change = league.record(names, id="large", time="2026-05-01")
        sizes = [len(data["moves"]) for kind, data in told(league) if kind == "rating.changed"]
        assert sizes == [1000, 1000, 345]
        assert moves(league) == as_changed(change)


def test_many_contests_are_named_up_to_a_limit_and_counted(
    path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "MOST_CONTESTS", 25)
    monkeypatch.setattr(notices, "TOGETHER", 10)
    with League.create(path) as league:
        league.record(podium.simulate(players=6, rounds=40, seed=1))
        parts = [data for kind, data in told(league) if kind == "contest.rated"]
    assert [len(each["contests"]) for each in parts] == [10, 10, 5]
    assert {each["rated"] for each in parts} == {40}


def test_of_very_many_titles_the_highest_are_told(
    path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "MOST_TITLES", 3)
    with League.create(path, rules=podium.Rules(titles=[(0, "all")])) as league:
        league.record(["ann", "bob", "cat", "dan", "eve"], time="2026-05-01")
        assert [each[0] for each in titles_of(league)] == ["ann", "bob", "cat"]


def test_hidden_players_are_told_to_nobody(league: League) -> None:
    season(league)
    before = latest(league)
    league.disqualify("spring", "bob", why="bob was away")
    league.rename("cat", "Catherine")
    league.hide("bob")
    everything = json.dumps(league.notices(n=10_000))
    assert '"bob"' not in everything
    assert "bob was away" not in everything
    correction = told(league, before)[0][1]
    assert (correction["player"], correction["id"]) == ("hidden player", None)
    assert correction["why"] == "hidden player was away"
    assert "bob" not in moves(league)
    league.show("bob")
    assert "bob" in moves(league)


def test_a_notice_in_which_nobody_is_left_is_not_told(league: League) -> None:
    season(league)
    before = latest(league)
    league.start({"eve": 1900.0})
    assert list(moves(league, before)) == ["eve"]
    league.hide("eve")
    assert [each for each in told(league, before) if each[0] != "correction.made"] == []


def test_that_somebody_is_hidden_is_told_to_nobody(league: League) -> None:
    season(league)
    before = latest(league)
    league.hide("bob")
    league.undo()
    league.redo()
    assert latest(league) == before


def test_players_have_the_names_of_today_and_those_who_became_one_are_one(league: League) -> None:
    season(league)
    league.rename("cat", "Catherine")
    assert "cat" not in moves(league)
    assert "Catherine" in moves(league)
    before = latest(league)
    league.merge("Catherine", "dan")
    assert "Catherine" not in moves(league, before)
    (correction,) = [data for kind, data in told(league, before) if kind == "correction.made"]
    assert (correction["action"], correction["player"]) == ("merge", "dan")
    assert "Catherine" not in json.dumps(league.notices(n=10_000))


def test_what_is_told_of_corrections_is_in_the_public_log(league: League) -> None:
    season(league)
    league.disqualify("spring", "bob")
    league.undo()
    league.amend("summer", name="The summer")
    entries = {each["number"]: each for each in public_log(league)}
    for each in league.notices(n=1000):
        if each["type"] == "correction.made":
            logged = entries[each["entry"]]
            assert logged["action"] == each["data"]["action"]
            assert logged["contest"] == each["data"]["contest"]
            assert logged["details"]["moved"] == each["data"]["moved"]


def test_webhooks_get_what_they_want_and_only_while_they_are_active(league: League) -> None:
    every, _ = league.add_webhook(HOOK)
    titles, _ = league.add_webhook(HOOK, ["title.reached"])
    idle, _ = league.add_webhook(HOOK)
    league.set_webhook(idle, False)
    season(league)
    waiting = dict(league.webhooks().select("id", "waiting").rows())
    assert waiting[every] == latest(league)
    assert waiting[titles] == len(titles_of(league))
    assert waiting[idle] == 0
    found = league.deliveries(titles)
    assert set(found["kind"]) == {"title.reached"}
    assert found["attempts"].to_list() == [0] * found.height


def test_the_log_says_which_webhooks_there_were_and_nothing_secret_of_them(league: League) -> None:
    number, secret = league.add_webhook("https://example.org/key-4711?token=4712", who="ann")
    league.set_webhook(number, False, who="bob")
    league.remove_webhook(number, who="cat")
    rows = league.log().filter(action="webhook").sort("number")
    assert rows["who"].to_list() == ["ann", "bob", "cat"]
    said = json.dumps(rows["details"].to_list())
    assert "https://example.org" in said
    for each in (secret, "4711", "4712"):
        assert each not in said
    assert [each["action"] for each in public_log(league)] == ["init"]
    assert secret not in str(league.webhooks().rows())


@pytest.mark.parametrize(
    ("address", "kinds", "sentence"),
    [
        ("ftp://example.org/", None, "begins with https://"),
        ("https://ann:pw@example.org/", None, "no login"),
        (HOOK, ["title.reach"], "did you mean 'title.reached'"),
        (HOOK, [], "is told something"),
    ],
)
def test_a_webhook_has_an_address_and_kinds(
    path: Any, address: str, kinds: Any, sentence: str
) -> None:
    with League.create(path) as league:
        with pytest.raises(InputError, match=sentence):
            league.add_webhook(address, kinds)
        assert league.webhooks().height == 0


def test_webhooks_that_are_not_there_are_said_to_be_so(path: Any) -> None:
    with League.create(path) as league:
        for ask in (
            lambda: league.remove_webhook(7),
            lambda: league.set_webhook(7, True),
            lambda: league.send_again(7),
            lambda: league.deliveries(7),
            lambda: league.webhook(2**40),
        ):
            with pytest.raises(NotFoundError, match="there is no webhook"):
                ask()


def test_a_league_has_so_many_webhooks_and_no_more(
    path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.league.webhooks.MOST", 2)
    with League.create(path) as league:
        for _ in range(2):
            league.add_webhook(HOOK)
        with pytest.raises(ConflictError, match="at most 2 webhooks"):
            league.add_webhook(HOOK)


def kept(league: League) -> list[int]:
    return [each["number"] for each in league.notices(n=100_000)]


def test_the_latest_notices_are_kept_and_those_on_their_way(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, _ = league.add_webhook(HOOK, ["contest.rated"])
    league.record(["ann", "bob"], id="first", time="2026-05-01")
    league.set_webhook(number, False)
    league.set_webhook(number, True)
    monkeypatch.setattr(notices, "KEPT", 5)
    monkeypatch.setattr(notices, "_OFTEN", 1)
    league.set_rules(podium.Rules())
    for day in range(2, 10):
        league.record(["ann", "bob"], time=f"2026-05-{day:02}")
    waiting = set(league.deliveries(number)["notice"])
    assert set(kept(league)) == waiting | set(range(latest(league) - 4, latest(league) + 1))
    with league.noting() as connection:
        connection.execute(update(schema.deliveries).values(due=None, delivered=now()))
        notices.forget(connection)
    assert kept(league) == list(range(latest(league) - 4, latest(league) + 1))
    assert set(league.deliveries(number)["notice"]) <= set(kept(league))


def test_old_notices_go_and_numbers_go_on_nevertheless(league: League) -> None:
    season(league)
    last = latest(league)
    long_ago = now() - notices.KEPT_FOR - 1
    with league.noting() as connection:
        connection.execute(update(schema.notices).values(time=long_ago))
        notices.forget(connection)
        assert notices.range_of(connection) == (last, last)
    league.record(["ann", "bob"], time="2026-09-01")
    assert kept(league)[:2] == [last, last + 1]


def test_what_a_site_keeps_changes_no_state_and_is_in_no_export(
    league: League, tmp_path: Any
) -> None:
    season(league)
    number, _ = league.add_webhook(HOOK)
    before = league.state
    assert league.send_again(number) == 0
    assert league.state == before
    league.export(tmp_path / "export")
    assert not [each.name for each in (tmp_path / "export").iterdir() if "notice" in each.name]
    assert league.verify().sound


def test_many_small_contests_in_one_file_tell_of_each_player_once(league: League) -> None:
    change = league.record(podium.simulate(players=8, rounds=10, seed=2), floor=0.0)
    found = [
        each for kind, data in told(league) if kind == "rating.changed" for each in data["moves"]
    ]
    assert sorted(each["player"] for each in found) == sorted(change.moves["player"])


def test_a_league_that_is_rated_anew_by_a_migration_tells_of_it(path: Any) -> None:
    with League.create(path, "elo-mmr") as league:
        season(league)
        before = latest(league)
        with league._database.writing() as connection:
            connection.execute(update(schema.revisions).values(arithmetic=0))
            r = schema.ratings
            connection.execute(update(r).values(shown=r.c.shown + 100.0))
    migration = League.migrate(path)
    with League(path) as league:
        assert migration.moves.height
        assert moves(league, before) == as_changed(migration)
        assert "title.reached" not in kinds(league, before)


def test_times_are_those_of_the_log(league: League) -> None:
    season(league)
    with league.noting() as connection:
        times = connection.execute(
            select(schema.notices.c.time, schema.log.c.time).join(
                schema.log, schema.log.c.id == schema.notices.c.entry
            )
        ).all()
    assert all(one == other for one, other in times)
    assert datetime.datetime.fromisoformat(league.notices()[0]["timestamp"]).tzinfo is not None
