"""``podium webhook``: which programs are told of changes of a league."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from podium.cli import options
from podium.cli.changes import Who
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, is_address, opened
from podium.errors import BusyError, InputError
from podium.texts import sentence
from podium.wording import NOTHING, counted, listed, suggestion

if TYPE_CHECKING:
    from podium.cli.remote import RemoteLeague

EXAMPLES = """\
[bold]Examples[/]

$ podium webhook club.db create https://example.org/hook
$ podium webhook club.db create https://example.org/hook --kind title.reached
$ podium webhook club.db list
$ podium webhook club.db test 1
$ podium webhook club.db deliveries 1
$ podium webhook club.db send-again 1
$ podium webhook club.db rest 1
$ podium webhook club.db remove 1

A program is told when contests are rated (contest.rated), ratings change (rating.changed), \
somebody has a higher title (title.reached) and something is put right (correction.made), by \
whatever means that was done. What is due is sent by podium serve --writable; docs/webhooks.md \
has what is sent, and how to know that it is yours.
"""
ACTIONS = (
    "create",
    "list",
    "remove",
    "rest",
    "resume",
    "test",
    "deliveries",
    "send-again",
)


def command(
    where: options.League,
    action: Annotated[str, argument(f"[{'|'.join(ACTIONS)}]", "What to do.")] = "list",
    which: Annotated[
        str | None,
        argument("[ADDRESS|ID]", "Where a new one is told, or the number of one that is there."),
    ] = None,
    *,
    kind: Annotated[
        list[str] | None,
        option("KIND", "What a new one is told, again for more; everything if not given."),
    ] = None,
    notice: Annotated[
        int | None,
        option("N", "Send that notice again, rather than all that were given up.", min=1),
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Of deliveries, only those that were given up.")
    ] = False,
    who: Who = None,
    json: options.Json = False,
) -> None:
    """Arrange, list, try or remove webhooks, by which other programs are told of changes."""
    if action not in ACTIONS:
        raise InputError(
            f"what podium webhook does is {listed(ACTIONS)}, not {action!r}"
            f"{suggestion(action, ACTIONS)}."
        )
    for given, said, theirs in (
        (kind, "--kind", "create"),
        (notice, "--notice", "send-again"),
        (failed, "--failed", "deliveries"),
    ):
        if given and action != theirs:
            raise InputError(f"{said} is for {theirs}, not for {action}.")
    if action == "create":
        _create(where, which, kind, who, json)
    elif action == "list":
        _list(where, which, json)
    elif action == "deliveries":
        _deliveries(where, None if which is None else _number(where, which), failed, json)
    elif action == "test":
        _test(where, _number(where, which), json)
    elif action == "send-again":
        _send_again(where, _number(where, which), notice, json)
    else:
        _change(where, action, _number(where, which), who, json)


def _number(where: str, which: str | None) -> int:
    if which is None or not (which.isascii() and which.isdigit() and len(which) < 10):
        raise InputError(
            f"the number of a webhook is needed, as podium webhook {sentence(where)} list shows "
            f"it, not {which!r}."
        )
    return int(which)


def _create(
    where: str, address: str | None, kinds: list[str] | None, who: str | None, json: bool
) -> None:
    if address is None:
        raise InputError(
            f"a new webhook needs an address, as in podium webhook {sentence(where)} create "
            f"https://example.org/hook."
        )
    with opened(where) as league:
        number, secret = league.add_webhook(address, kinds or None, who=who)
        made = _document(league, number)
    if json:
        print_json({**made, "secret": secret})
        return
    output().print(f"Webhook {number} is told {listed(made['kinds'])}.", soft_wrap=True)
    output().print(f"\n{secret}\n", soft_wrap=True)
    note(
        "This secret signs what is sent, and is shown only now: give it to the program that is "
        "told. podium serve --writable sends what is due."
    )


def _document(league: Any, number: int) -> dict[str, Any]:
    """A webhook, as JSON says it."""
    from podium.league import documents

    return next(each for each in documents(league.webhooks()) if each["id"] == number)


def _list(where: str, which: str | None, json: bool) -> None:
    from podium.league import documents

    if which is not None:
        raise InputError(f"list shows all webhooks, and takes no {which!r}.")
    with asking(where) as view:
        webhooks = documents(view.webhooks())
    if json:
        print_json(webhooks)
        return
    if not webhooks:
        note(
            f"There are no webhooks; podium webhook {sentence(where)} create "
            f"https://example.org/hook makes one."
        )
        return
    print_table(
        (
            Column("number", right=True),
            Column("address", style="bold"),
            Column("is told"),
            Column("waiting", right=True),
            Column("failed", right=True),
            Column("last arrived", style="dim"),
        ),
        [
            (
                str(each["id"]),
                each["address"],
                ", ".join(each["kinds"]) if each["active"] else "nothing, it rests",
                str(each["waiting"]),
                str(each["failed"]),
                _moment(each["delivered"]),
            )
            for each in webhooks
        ],
    )


def _deliveries(where: str, number: int | None, failed: bool, json: bool) -> None:
    from podium.league import documents

    with asking(where) as view:
        found = documents(view.deliveries(number, failed=failed))
    if json:
        print_json(found)
        return
    if not found:
        note("There is nothing that was sent, or is to be sent, of what is kept.")
        return
    print_table(
        (
            Column("webhook", right=True),
            Column("notice", right=True),
            Column("of"),
            Column("change", right=True),
            Column("tried", right=True),
            Column("what came of it"),
        ),
        [
            (
                str(each["webhook"]),
                str(each["notice"]),
                each["kind"],
                str(each["entry"]),
                str(each["attempts"]),
                _outcome(each),
            )
            for each in found
        ],
    )


def _outcome(each: dict[str, Any]) -> str:
    if each["delivered"] is not None:
        return f"arrived {_moment(each['delivered'])}"
    why = f": {each['problem']}" if each["problem"] else ""
    if each["due"] is None:
        return f"given up{why}"
    return f"due {_moment(each['due'])}{why}"


def _test(where: str, number: int, json: bool) -> None:
    outcome = _tried(where, number)
    status, problem = outcome["status"], outcome["problem"]
    if json:
        print_json(outcome)
        raise typer.Exit(0 if problem is None else BusyError.exit_code)
    if problem is not None:
        raise BusyError(f"webhook {number} was not reached: {problem}")
    output().print(f"Webhook {number} has taken a message (HTTP {status}).")


def _tried(where: str, number: int) -> dict[str, Any]:
    """What became of a message that says nothing: sent from here, or by the site itself."""
    if is_address(where):
        with opened(where) as league:
            return cast("RemoteLeague", league).try_webhook(number)
    from podium.web.catalogue import Catalogue
    from podium.web.outside import Outside
    from podium.web.sending import send_test

    with Catalogue.of(where) as catalogue:
        outcome = send_test(next(iter(catalogue.values())), Outside(allow_private=True), number)
    return {"status": outcome.status, "problem": outcome.problem}


def _send_again(where: str, number: int, notice: int | None, json: bool) -> None:
    with opened(where) as league:
        count = league.send_again(number, notice)
    if json:
        print_json({"again": count})
        return
    output().print(f"{counted(count, 'notice')} to be sent again.")


def _change(where: str, action: str, number: int, who: str | None, json: bool) -> None:
    with opened(where) as league:
        league.webhook(number)
        was = _document(league, number)
        if action == "remove":
            league.remove_webhook(number, who=who)
        else:
            league.set_webhook(number, action == "resume", who=who)
            was = _document(league, number)
    if json:
        print_json(was)
        return
    done = {"remove": "is removed", "rest": "rests", "resume": "is told of changes again"}
    output().print(f"Webhook {number} {done[action]}.")


def _moment(time: str | None) -> str:
    """A time of a document, to the minute.

    Example:
        >>> _moment("2026-12-31T09:30:00Z")
        '2026-12-31 09:30'
    """
    return NOTHING if time is None else time[:16].replace("T", " ")
