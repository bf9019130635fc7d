"""What is new in a league: the log as the public may see it, and an Atom feed."""

import datetime
import uuid
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

from podium.documents import iso
from podium.league import View, documents
from podium.league.public import public_log as entries_of
from podium.markup import readable
from podium.results.times import Time
from podium.texts import visible
from podium.web.addresses import Addresses
from podium.wording import change_of, counted

ENTRIES = 50
"""In a feed."""
_ATOM = "http://www.w3.org/2005/Atom"
_NAMESPACE = uuid.UUID("0d3c6a43-8e0b-4f6e-9f54-6b1f0a7f2c9e")
"""Of the names of feeds and entries; another would let readers see everything twice."""
_LONGEST = 60
"""Characters of a name in a sentence."""
_DONE = {
    "init": "The league was opened, to be rated by {system}",
    "record": "{what} recorded",
    "amend": "{contest} was put right",
    "add": "{contest} has late results",
    "disqualify": "{player} was disqualified in {contest}",
    "reinstate": "{player} was reinstated in {contest}",
    "remove": "{contest} was taken out of the league",
    "rename": "{player} has another name than before",
    "merge": "Two players turned out to be one, {player}",
    "revise": "The league is rated by {system} from now on, as revision {to}",
    "rollback": "The league is rated as before again, by revision {to}",
    "guest": "{player} is {guest}",
    "season": "Season {season} begins {begins}",
    "start": "{started} a starting rating",
    "rules": "The rules of display were changed",
    "attributes": "The attributes of players were changed",
    "describe": "What is known of {player} was changed",
    "hide": "The league was changed",
    "show": "The league was changed",
    "migrate": "The league was brought up to date with podium",
}
"""What an action of the log is in words."""
_REMOVED = {
    "season": "Season {season} was taken out of the league",
    "start": "A starting rating was taken back",
}
"""The same of what is there no more."""
_TURNED = {"undo": "Taken back", "redo": "Made again"}
_OF_REVISIONS = ("revise", "rollback")


def public_log(view: View, n: int | None = None, *, at: Time | None = None) -> list[dict[str, Any]]:
    """What was changed, the latest first, each with a sentence and with who moved.

    The fields are those of `podium.web.schemas.Change`.

    Args:
        view: The league.
        n: The last so many; None for all.
        at: Only changes that were made by then.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with podium.League.create(f"{folder.name}/club.db", "elo") as league:
        ...     change = league.record(["ann", "bob"], id="round-1")
        ...     with league.snapshot() as view:
        ...         entry = public_log(view, 1)[0]
        >>> entry["action"], entry["text"].split(":")[0].rstrip(".")
        ('record', 'round-1 was recorded')
        >>> folder.cleanup()
    """
    digits = view.system.decimals
    return [_told(entry, digits) for entry in entries_of(view, n, at=at)]


def _told(entry: dict[str, Any], digits: int) -> dict[str, Any]:
    details = entry.pop("details")
    moves = [_with_change(each) for each in details["moves"]]
    moved = details.get("moved")
    text = _sentence(entry, details, moved, moves, digits)
    return {**entry, "text": text, "moved": moved, "moves": moves}


def _with_change(move: dict[str, Any]) -> dict[str, Any]:
    before, after = move["before"], move["after"]
    known = before is not None and after is not None
    return {
        "player": move["player"],
        "before": before,
        "after": after,
        "change": after - before if known else None,
    }


def _sentence(
    entry: dict[str, Any],
    details: dict[str, Any],
    moved: int | None,
    moves: list[dict[str, Any]],
    digits: int,
) -> str:
    contest = _short(entry["contest_name"] or entry["contest"])
    several = details.get("contests")
    count = counted(several, "contest") if isinstance(several, int) else "contests"
    given = details.get("players") or 0
    words = {
        "what": f"{count} were" if entry["contest"] is None else f"{contest} was",
        "contest": contest,
        "player": "some players" if entry["player"] is None else _short(entry["player"]),
        "system": _short(details.get("system")),
        "to": _short(details.get("to")),
        "guest": "a guest from now on" if details.get("guest") else "no guest any more",
        "season": _short(details.get("season")),
        "begins": f"on {str(details['start'])[:10]}" if details.get("start") else "on another day",
        "started": f"{counted(given, 'player')} {'was' if given == 1 else 'were'} given",
    }
    turned = _TURNED.get(entry["action"])
    action = str(entry["action"] if turned is None else details.get("action"))
    said = _REMOVED if details.get("removed") and action in _REMOVED else _DONE
    done = said.get(action, "The league was changed").format(**words)
    if turned is not None and action == "season":
        done = f"a change of season {words['season']}"
    if turned is not None and action in _OF_REVISIONS:
        done = f"{turned}: the league is rated by revision {words['to']} again"
    elif turned is not None:
        done = f"{turned}: {done}"
    if moved is None:
        return f"{done}."
    if not moved:
        return f"{done}; no rating moved."
    known = [each for each in moves if each["change"] is not None]
    most = ""
    if known:
        largest = max(known, key=lambda each: abs(each["change"]))
        change = change_of(largest["before"], largest["after"], digits)
        shown = f"{change:+.{digits}f}".replace("-", "−")
        most = f", most {_short(largest['player'])} {shown}"
    return f"{done}: {counted(moved, 'rating')} moved{most}."


def _short(name: str | None) -> str:
    if name is None:
        return "–"
    shown = visible(name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def atom(view: View, links: Addresses, title: str, base_url: str) -> bytes:
    """The latest contests and changes as an Atom feed.

    Args:
        view: The league.
        links: The addresses of its pages.
        title: What the league is called.
        base_url: The address of the site, to which those of pages are relative: with the scheme
            and the host, such as https://example.org/.
    """
    page, _ = view.contest_page(ENTRIES)
    entries = [_contest_entry(each, links) for each in documents(page)]
    entries += [
        _change_entry(each, links)
        for each in public_log(view, ENTRIES)
        if each["action"] != "record"  # the contests themselves are entries
    ]
    entries.sort(key=lambda each: (each["time"], each["id"]), reverse=True)
    entries = entries[:ENTRIES]
    created = view.about()["created"]
    address = urljoin(base_url, links.feed())
    home = urljoin(base_url, links.leaderboard())
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    _add(feed, "id", _identifier(created, "feed"))
    _add(feed, "title", title)
    _add(feed, "updated", max((each["time"] for each in entries), default=_never()))
    ElementTree.SubElement(feed, "link", rel="self", type="application/atom+xml", href=address)
    ElementTree.SubElement(feed, "link", rel="alternate", type="text/html", href=home)
    author = ElementTree.SubElement(feed, "author")
    _add(author, "name", title)
    _add(feed, "generator", "podium")
    for each in entries:
        entry = ElementTree.SubElement(feed, "entry")
        _add(entry, "id", _identifier(created, each["id"]))
        _add(entry, "title", each["title"])
        _add(entry, "updated", each["time"])
        href = urljoin(base_url, each["link"])
        ElementTree.SubElement(entry, "link", rel="alternate", type="text/html", href=href)
        ElementTree.SubElement(entry, "category", term=each["kind"])
        _add(entry, "summary", each["text"]).set("type", "text")
    ElementTree.indent(feed)
    body = ElementTree.tostring(feed, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'.encode()


def _contest_entry(contest: dict[str, Any], links: Addresses) -> dict[str, str]:
    players = counted(contest["players"], "player")
    rated = "" if contest["rated"] else ", unrated"
    return {
        "kind": "contest",
        "id": f"contest/{contest['contest']}",
        "title": contest["name"] or contest["contest"],
        "time": contest["time"],
        "link": links.contest(contest["contest"]),
        "text": f"A contest of {players}{rated}.",
    }


def _change_entry(change: dict[str, Any], links: Addresses) -> dict[str, str]:
    why = f" Why: {change['why']}" if change["why"] else ""
    return {
        "kind": "change",
        "id": f"change/{change['number']}",
        "title": change["text"],
        "time": change["time"],
        "link": links.changes(),
        "text": f"{change['text']}{why}",
    }


def _add(parent: ElementTree.Element, tag: str, text: str) -> ElementTree.Element:
    found = ElementTree.SubElement(parent, tag)
    found.text = readable(text)
    return found


def _identifier(created: str, what: str) -> str:
    """A name for a part of the league that was made at a moment, wherever it is shown.

    Example:
        >>> _identifier("2026-05-01T18:30:00.123456Z", "change/7")
        'urn:uuid:c1a57962-7ef1-57d9-9ab7-2d47d37ba156'
    """
    return f"urn:uuid:{uuid.uuid5(_NAMESPACE, f'{created}/{what}')}"


def _never() -> str:
    return iso(datetime.datetime(1970, 1, 1))
