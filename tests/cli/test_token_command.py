"""Tokens and access on the command line."""

import json

import pytest

import podium


def test_a_token_is_shown_once_and_lets_its_owner_in(command, league):
    done = command("token", league, "create", "ann", "organise")
    assert done.code == 0
    first, _, text, *_ = done.stdout.split("\n")
    assert first == "Token 1 lets ann organise:"
    assert done.stderr.startswith("It is shown only now")
    with podium.League(league) as opened:
        assert opened.identified(text).role == "organise"
    shown = command("token", league, "list").stdout + command("token", league, "--json").stdout
    assert text not in shown
    assert text not in command("log", league, "--json").stdout


def test_tokens_are_listed_and_revoked(command, league):
    command("token", league, "create", "ann", "own", "--who", "bob")
    command("token", league, "create", "cat", "read", "--expires", "2999-12-31")
    rows = command("token", league).stdout.splitlines()
    assert rows[0].split() == ["number", "name", "role", "made", "by", "good", "until"]
    assert rows[1].split()[:3] == ["2", "cat", "read"]
    assert rows[1].endswith("2999-12-31 00:00")
    assert rows[2].split()[:3] == ["1", "ann", "own"]
    assert "bob" in rows[2]
    done = command("token", league, "revoke", 1)
    assert done.stdout == (
        "Token 1, of ann, is good for nothing from now on; whoever was signed in by it is not any "
        "more.\n"
    )
    assert command("token", league).stdout.splitlines()[2].endswith("revoked")
    assert command("token", league, "revoke", 1).complaint == (
        "token 1, of 'ann', is revoked already."
    )
    assert "made id 1 name ann role own" in command("log", league).stdout


def test_a_token_as_json(command, league):
    made = json.loads(
        command("token", league, "create", "ann", "own", "--days", 2, "--json").stdout
    )
    with podium.League(league) as opened:
        assert opened.identified(made.pop("token")).document() == made
    assert set(made) == {"id", "name", "role", "expires"}
    listed = json.loads(command("token", league, "list", "--json").stdout)
    assert [each["expires"] for each in listed] == [made["expires"]]
    assert json.loads(command("token", league, "revoke", 1, "--json").stdout) == made


def test_without_tokens_it_is_said_how_to_make_one(command, league):
    done = command("token", league)
    assert done.stdout == ""
    assert "create ann own makes one" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("creat", "not 'creat' (did you mean 'create'?)."),
        ("create", "a new token needs the name of its owner and a role"),
        ("create ann", "a new token needs the name of its owner and a role"),
        ("create ann boss", "the role of a token is one of 'read', 'record', 'organise', 'own'"),
        ("create ann own --expires 2020-01-01", "a token expires later than now."),
        ("create ann own --expires 2999-01-01 --days 3", "one of them is enough."),
        ("list --days 3", "are for a new token, not for list."),
        ("list ann", "list shows all tokens, and takes no 'ann'."),
        ("revoke 1 own", "are for a new token, not for revoke."),
        ("revoke", "the number of a token is needed"),
        ("revoke ann", "the number of a token is needed"),
        ("revoke 7", "there is no token 7; podium token LEAGUE list shows all."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_and_makes_no_token(
    command, league, arguments, sentence
):
    assert sentence in command("token", league, *arguments.split()).complaint
    with podium.League(league) as opened:
        assert opened.tokens().is_empty()


def test_a_league_is_made_private_and_public(command, league):
    said = command("access", league).stdout
    assert said == f"{league} is public: everybody sees it on a site.\n"
    said = command("access", league, "private", "--who", "ann").stdout
    assert said == f"{league} is private: on a site, who has a token sees it and nobody else.\n"
    assert json.loads(command("access", league, "--json").stdout) == {"access": "private"}
    assert command("access", league, "secret").complaint == (
        "a league is public or private, not 'secret'."
    )
    assert json.loads(command("access", league, "public", "--json").stdout) == {"access": "public"}
    log = json.loads(command("log", league, "--json").stdout)
    assert [(each["action"], each["who"]) for each in log[:2]][1] == ("access", "ann")


def test_a_private_league_is_neither_published_nor_served_to_everybody(command, league, tmp_path):
    command("access", league, "private")
    for asked in (("publish", league, tmp_path / "site"), ("serve", league, "--port", 0)):
        refused = command(*asked)
        assert refused.code == 7
        assert refused.complaint == (
            f"{league}: is private, for those who have a token, which only podium serve --writable "
            f"(writable=True) asks for; podium access LEAGUE public lets everybody see it."
        )
    assert not (tmp_path / "site").exists()
