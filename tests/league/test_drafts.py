"""Files that wait to be confirmed, in both kinds of database."""

import pytest

import podium
from podium.errors import BusyError, InputError, NotFoundError
from podium.league import drafts

ABOUT = {"operation": "record", "files": [{"name": "week-3.csv", "size": 3}], "values": {}}


@pytest.fixture
def league(where):
    with podium.League.create(where) as league:
        yield league


def test_a_draft_is_found_by_whose_it_is_and_by_nobody_else(league):
    with league.noting() as connection:
        called = drafts.keep(connection, 1, ABOUT, b"a,b")
        found = drafts.find(connection, 1, called)
        assert (found.about, found.content) == (ABOUT, b"a,b")
        with pytest.raises(NotFoundError):
            drafts.find(connection, 2, called)


def test_a_draft_is_forgotten_after_a_day(league, monkeypatch):
    with league.noting() as connection:
        called = drafts.keep(connection, 1, ABOUT, b"a,b")
        tomorrow = drafts.now() + 86_400 * 10**6 + 1
        monkeypatch.setattr(drafts, "now", lambda: tomorrow)
        with pytest.raises(NotFoundError):
            drafts.find(connection, 1, called)
        assert drafts.waiting(connection, 1) == []
        drafts.keep(connection, 2, ABOUT, b"c,d")
        monkeypatch.undo()
        with pytest.raises(NotFoundError):  # it is not only hidden, but gone
            drafts.find(connection, 1, called)


def test_of_one_token_the_oldest_makes_room_and_others_keep_theirs(league, monkeypatch):
    monkeypatch.setattr(drafts, "MOST", 3)
    with league.noting() as connection:
        other = drafts.keep(connection, 2, ABOUT, b"x")
        own = []
        for moment in range(5):
            at = drafts.now() + moment
            with monkeypatch.context() as patch:
                patch.setattr(drafts, "now", lambda at=at: at)
                own.append(drafts.keep(connection, 1, ABOUT, b"x"))
        assert [each["id"] for each in drafts.waiting(connection, 1)] == own[:1:-1]
        assert drafts.find(connection, 2, other).id == other


def test_drafts_are_bounded_in_size_one_by_one_and_together(league, monkeypatch):
    monkeypatch.setattr(drafts, "LARGEST", 10)
    monkeypatch.setattr(drafts, "ALL", 15)
    with league.noting() as connection:
        with pytest.raises(InputError, match="at most 10"):
            drafts.keep(connection, 1, ABOUT, b"x" * 11)
        drafts.keep(connection, 1, ABOUT, b"x" * 10)
        with pytest.raises(BusyError, match="wait to be confirmed"):
            drafts.keep(connection, 2, ABOUT, b"x" * 10)
        with pytest.raises(InputError, match="characters are said"):
            drafts.keep(connection, 1, {**ABOUT, "values": {"why": "x" * 300_000}}, b"x")


def test_what_is_said_of_a_draft_can_change_and_a_draft_is_dropped_once(league):
    with league.noting() as connection:
        called = drafts.keep(connection, 1, ABOUT, b"x")
        drafts.say(connection, drafts.find(connection, 1, called), {**ABOUT, "values": {"a": "b"}})
        assert drafts.find(connection, 1, called).about["values"] == {"a": "b"}
        assert drafts.drop(connection, called)
        assert not drafts.drop(connection, called)


def test_the_journal_says_what_can_be_taken_back(league):
    from podium.league.journal import journal, noted

    league.record(["ann", "bob", "cat"], id="spring", time="2026-05-01", who="olga", why="late")
    league.disqualify("spring", "bob", who="omar")
    league.undo(who="omar")
    with league.snapshot(with_hidden=True) as view:
        entries, count = journal(view, 10)
        assert count == 4
        said = [(each.number, each.action, each.who, each.turn, each.by) for each in entries]
        assert [each[1:] for each in said] == [
            ("undo", "omar", None, None),
            ("disqualify", "omar", "redo", said[0][0]),
            ("record", "olga", "undo", None),
            ("init", said[-1][2], None, None),
        ]
        assert journal(view, 1, 2)[0] == [entries[2]]
        assert noted(view, entries[0].number).said == (
            "took back the disqualification of 'bob' in contest 'spring'"
        )
        with pytest.raises(NotFoundError):
            noted(view, 99)
