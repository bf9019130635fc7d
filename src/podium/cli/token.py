"""``podium token``: who may do what to a league by way of a site."""

from typing import Annotated

from podium.cli import options
from podium.cli.changes import Who
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import opened
from podium.errors import InputError
from podium.texts import sentence
from podium.wording import NOTHING, listed, suggestion

EXAMPLES = """\
[bold]Examples[/]

$ podium token club.db create ann organise
$ podium token club.db create scoreboard record --days 90
$ podium token club.db create bob read --expires 2026-12-31
$ podium token club.db list
$ podium token club.db revoke 3

A token is for one person or program and one league. Its role is one of read (see a league that is \
private), record (also record results, and post those of a contest that is under way), organise \
(also change whatever can be changed, and see hidden players) and own (also say who may do what, \
and have a copy of everything). Changes that are made with it are logged in its name.

Who has it signs in with it on a site that podium serve --writable shows, or sends it to the API:

$ curl -H "Authorization: Bearer podium_1_…" https://example.org/api/v1/leagues/club
"""
ACTIONS = ("create", "list", "revoke")
_DAY = 86400 * 10**6
_MOST_DAYS = 36500


def command(
    where: options.League,
    action: Annotated[str, argument("[create|list|revoke]", "What to do.")] = "list",
    name: Annotated[
        str | None, argument("[NAME|ID]", "Whose token to make, or the number of one to revoke.")
    ] = None,
    role: Annotated[
        str | None, argument("[ROLE]", "Of a new token: read, record, organise or own.")
    ] = None,
    *,
    expires: Annotated[
        str | None, option("DATE", "A new token is good until then; otherwise until it is revoked.")
    ] = None,
    days: Annotated[
        int | None, option("N", "The same as so many days from now.", min=1, max=_MOST_DAYS)
    ] = None,
    who: Who = None,
    json: options.Json = False,
) -> None:
    """Make, list or revoke tokens, by which people and programs use a league through a site.

    The text of a new token is shown once. The league keeps no more of it than what is needed to
    know it again.
    """
    if action not in ACTIONS:
        raise InputError(
            f"what podium token does is {listed(ACTIONS)}, not {action!r}"
            f"{suggestion(action, ACTIONS)}."
        )
    if action != "create" and (role or expires or days):
        raise InputError(f"a role, --expires and --days are for a new token, not for {action}.")
    if action == "create":
        _create(where, name, role, _moment(expires, days), who, json)
    elif action == "revoke":
        _revoke(where, name, who, json)
    else:
        _list(where, name, json)


def _moment(expires: str | None, days: int | None) -> str | None:
    """When a new token is to expire."""
    from podium.league.database import now
    from podium.results.times import from_microseconds

    if days is None:
        return expires
    if expires is not None:
        raise InputError("--expires and --days say the same; one of them is enough.")
    return from_microseconds(now() + days * _DAY).isoformat()


def _create(
    where: str, name: str | None, role: str | None, expires: str | None, who: str | None, json: bool
) -> None:
    if name is None or role is None:
        raise InputError(
            f"a new token needs the name of its owner and a role, as in podium token "
            f"{sentence(where)} create ann organise."
        )
    with opened(where) as league:
        text = league.create_token(name, role, expires=expires, who=who)
        made = league.identified(text)
    if json:
        print_json({**made.document(), "token": text})
        return
    until = "" if made.expires is None else f" until {_day(made.document()['expires'])}"
    output().print(f"Token {made.id} lets {sentence(name)} {role}{until}:", soft_wrap=True)
    output().print(f"\n{text}\n", soft_wrap=True)
    note(
        "It is shown only now: give it to its owner, who keeps it as a password. podium token "
        f"{sentence(where)} revoke {made.id} ends it."
    )


def _revoke(where: str, number: str | None, who: str | None, json: bool) -> None:
    if number is None or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise InputError(
            f"the number of a token is needed, as podium token {sentence(where)} list shows it, "
            f"not {number!r}."
        )
    with opened(where) as league:
        token = league.revoke_token(int(number), who=who)
    if json:
        print_json(token.document())
        return
    output().print(
        f"Token {token.id}, of {sentence(token.name)}, is good for nothing from now on; whoever "
        f"was signed in by it is not any more.",
        soft_wrap=True,
    )


def _list(where: str, name: str | None, json: bool) -> None:
    from podium.cli.leagues import asking
    from podium.league import documents

    if name is not None:
        raise InputError(f"list shows all tokens, and takes no {name!r}.")
    with asking(where) as view:
        tokens = documents(view.tokens())
    if json:
        print_json(tokens)
        return
    if not tokens:
        note(f"There are no tokens; podium token {sentence(where)} create ann own makes one.")
        return
    print_table(
        (
            Column("number", right=True),
            Column("name", style="bold"),
            Column("role"),
            Column("made", style="dim"),
            Column("by", style="dim"),
            Column("good until"),
        ),
        [
            (
                str(each["id"]),
                each["name"],
                each["role"],
                _day(each["created"]),
                each["creator"],
                "revoked" if each["revoked"] else _day(each["expires"]),
            )
            for each in tokens
        ],
    )


def _day(time: str | None) -> str:
    """A time of a document, to the minute.

    Example:
        >>> _day("2026-12-31T00:00:00Z")
        '2026-12-31 00:00'
    """
    return NOTHING if time is None else time[:16].replace("T", " ")
