"""Tokens, sessions and limits of a league, in both kinds of database."""

import threading

import polars as pl
import pytest

import podium
from podium.errors import AccessError, ConflictError, InputError, NotFoundError
from podium.league import access

DAY = 86400


@pytest.fixture
def league(where):
    with podium.League.create(where) as league:
        yield league


def _logged(league, action):
    return league.log().filter(pl.col("action") == action)


def test_a_token_is_known_again_by_its_text_and_by_nothing_else(league):
    first, second = league.create_token("ann", "own"), league.create_token("bob", "read")
    assert (league.identified(first).name, league.identified(first).role) == ("ann", "own")
    assert league.identified(f"  {second}\n").name == "bob"
    _, _, secret = first.split("_", 2)
    for text in (f"podium_2_{secret}", f"podium_3_{secret}", secret, first[:-1], f"{first}x", ""):
        with pytest.raises(AccessError, match=r"this is no token of the league\."):
            league.identified(text)


def test_a_token_that_was_revoked_lets_nobody_in(league):
    text = league.create_token("ann", "own", who="bob")
    assert league.revoke_token(1, who="bob").name == "ann"
    with pytest.raises(AccessError, match="of 'ann', was revoked"):
        league.identified(text)
    with pytest.raises(ConflictError, match="token 1, of 'ann', is revoked already"):
        league.revoke_token(1)
    with pytest.raises(NotFoundError, match="there is no token 7"):
        league.revoke_token(7)
    made, revoked = _logged(league, "token").sort("number")["details"]
    assert '"made"' in made
    assert '"revoked"' in revoked
    assert set(_logged(league, "token")["who"]) == {"bob"}


def test_a_token_expires_when_it_was_said_to(league, monkeypatch):
    moment = access.now()
    text = league.create_token("ann", "own", expires=moment / 1e6 + DAY)
    expires = league.identified(text).expires
    monkeypatch.setattr(access, "now", lambda: expires)
    with pytest.raises(AccessError, match="of 'ann', has expired"):
        league.identified(text)


@pytest.mark.parametrize(
    ("name", "role", "expires", "sentence"),
    [
        ("", "own", None, "has the name of its owner"),
        (" ", "own", None, "has the name of its owner"),
        ("x" * 2000, "own", None, "has the name of its owner"),
        ("ann", "boss", None, "the role of a token is one of 'read', 'record'"),
        ("ann", "own", "2020-01-01", "a token expires later than now"),
        ("ann", "own", "soon", "soon"),
    ],
)
def test_what_is_no_token_is_not_made(league, name, role, expires, sentence):
    with pytest.raises(InputError, match=sentence):
        league.create_token(name, role, expires=expires)
    assert league.tokens().is_empty()


def test_who_may_see_a_league_is_logged_once_and_changes_its_state(league):
    before = league.state
    league.set_access("public")
    assert league.state == before
    for _ in range(2):
        league.set_access("private", who="ann")
    assert league.access == "private"
    assert league.state != before
    assert _logged(league, "access").height == 1
    with pytest.raises(InputError, match="a league is public or private, not 'secret'"):
        league.set_access("secret")


def test_signing_in_and_what_is_counted_change_no_state_of_the_league(league):
    token = league.identified(league.create_token("ann", "own"))
    before = league.state, league.pulse()
    with league.noting() as connection:
        session, _ = access.sign_in(connection, token)
        access.spend(connection, "ann", 1.0, 1)
    assert (league.state, league.pulse()) == before
    assert league.signed_in(session) == token
    with league.noting() as connection:
        access.sign_out(connection, session)
    with pytest.raises(AccessError, match="nobody is signed in"):
        league.signed_in(session)


class TestLimits:
    @pytest.fixture
    def clock(self, monkeypatch):
        """A clock that stands still until it is told."""
        moment = [10**15]
        monkeypatch.setattr(access, "now", lambda: moment[0])

        def go_on(seconds: float) -> None:
            moment[0] += int(seconds * 1e6)

        return go_on

    @staticmethod
    def spend(league, subject="ann", every=10.0, burst=3):
        with league.noting() as connection:
            return access.spend(connection, subject, every, burst)

    def test_something_may_be_done_so_often_in_a_row_and_then_now_and_then(self, league, clock):
        assert [self.spend(league) for _ in range(5)] == [0.0, 0.0, 0.0, 10.0, 10.0]
        assert league.waiting("ann", 10.0, 3) == 10.0
        assert league.waiting("bob", 10.0, 3) == 0.0
        clock(9.0)
        assert self.spend(league) == 1.0
        clock(1.0)
        assert league.waiting("ann", 10.0, 3) == 0.0
        assert [self.spend(league) for _ in range(2)] == [0.0, 10.0]

    def test_who_has_waited_long_may_do_no_more_at_once_than_others(self, league, clock):
        for _ in range(3):
            self.spend(league)
        clock(1000 * DAY)
        with league.noting() as connection:  # and nobody has cleared away meanwhile
            held = [access.spend(connection, "ann", 10.0, 3) for _ in range(4)]
        assert held == [0.0, 0.0, 0.0, 10.0]

    def test_others_are_counted_by_themselves_and_cleared_away(self, league, clock):
        for _ in range(4):
            self.spend(league, "ann")
        assert self.spend(league, "bob") == 0.0
        clock(1000.0)
        self.spend(league, "cat")
        with league.noting() as connection:
            assert connection.exec_driver_sql("SELECT subject FROM limits").scalars().all() == [
                "cat"
            ]

    @pytest.mark.usefixtures("league")
    def test_those_who_count_at_once_count_together(self, where):
        """Each with connections of its own, as processes have them."""
        burst, found, barrier = 7, [], threading.Barrier(4)

        def try_often() -> None:
            with podium.League(where) as mine:
                barrier.wait()
                for _ in range(5):
                    found.append(self.spend(mine, "ann", every=3600.0, burst=burst))

        threads = [threading.Thread(target=try_often) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(found) == 20
        assert found.count(0.0) == burst

    def test_who_counts_waits_for_no_change_of_the_league(self, where, league, kind):
        """On a server; in a file only one writes at a time."""
        if kind != "postgresql":
            pytest.skip("a file has one writer")
        self.spend(league, "old", every=1e-6)
        with podium.League(where, wait=5) as other, league.noting() as connection:
            access.spend(connection, "long change", 1e-6, 1)
            assert self.spend(other, "sign-in") == 0.0
