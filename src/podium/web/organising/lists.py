"""What a league holds, for its organisers: players, contests, seasons, systems and the log."""

from typing import Any

import polars as pl
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from podium.errors import NotFoundError, PodiumError
from podium.league import View, documents
from podium.league.attributes import Attribute
from podium.league.journal import journal, noted
from podium.ratings.spreadsheets import as_csv
from podium.web.content import Pages
from podium.web.operations import OPERATIONS
from podium.web.organising.desk import Desk, Organiser, Reader, Recorder, common
from podium.web.organising.people import plain
from podium.web.organising.trying import FIRST, shown_moves, tried
from podium.wording import listed

router = APIRouter(include_in_schema=False)

ROWS = 50
_LATEST = 10
_SUGGESTED = 10
_DISQUALIFIED = 100


@router.get("/{key}/organise")
def overview(request: Request, visitor: Reader) -> Response:
    """What is going on, and what can be done."""
    desk = Desk(request, visitor)
    with desk.snapshot() as view:
        organises = desk.allows("organise")
        entries, count = journal(view, _LATEST) if organises else ([], 0)
        content = {
            **common(view),
            "about": view.about(),
            "latest": documents(view.contest_page(5)[0]),
            "access": view.access,
            "live": [
                {"contest": each.contest, "name": each.name, "players": each.table.height}
                for each in view.live_contests()
            ],
        }
    return desk.show(
        "overview.html",
        "",
        entries=entries,
        count=count,
        said=desk.asked("said"),
        operations=OPERATIONS,
        **content,
    )


@router.get("/{key}/organise/names")
def names(request: Request, visitor: Recorder) -> Response:
    """Names of players with a text in them, for who types one."""
    desk = Desk(request, visitor)
    text = desk.asked("q").strip()
    if not text:
        return _json([])
    with desk.snapshot() as view:
        board = view.leaderboard(_SUGGESTED, matching=text, with_hidden=True)
        found = board["player"].to_list()
        if len(found) < _SUGGESTED:  # those who have no contest yet are on no board
            people = view.people(matching=text, with_hidden=desk.allows("organise"))["player"]
            found += [each for each in people.head(2 * _SUGGESTED) if each not in found]
    return _json(found[:_SUGGESTED])


def _json(names: list[str]) -> Response:
    return JSONResponse(names, headers={"Cache-Control": "no-store"})


@router.get("/{key}/organise/contest-names")
def contest_names(request: Request, visitor: Recorder) -> Response:
    """Identifiers of contests with a text in them or in their names."""
    desk = Desk(request, visitor)
    with desk.snapshot() as view:
        found, _ = view.contest_page(_SUGGESTED, matching=desk.asked("q").strip() or None)
    return _json([str(each) for each in found["contest"]])


@router.get("/{key}/organise/contests")
def contests(request: Request, visitor: Organiser) -> Response:
    """All contests, to choose one."""
    desk = Desk(request, visitor)
    page, sought = desk.page_number(), desk.asked("q").strip()
    with desk.snapshot() as view:
        found, count = view.contest_page(ROWS, skip=(page - 1) * ROWS, matching=sought or None)
        content = common(view)
    pages = Pages.of(page, ROWS, count)
    rows = documents(found)
    return desk.show("contests.html", "contests", rows=rows, pages=pages, sought=sought, **content)


@router.get("/{key}/organise/contest")
def contest(request: Request, visitor: Organiser) -> Response:
    """One contest, and what can be done to it."""
    desk = Desk(request, visitor)
    identifier = desk.asked("id")
    with desk.snapshot() as view:
        result = view.result(identifier)
        about = result.document(0)
        page = desk.page_number()
        pages = Pages.of(page, ROWS, result.standings.height)
        rows = documents(result.standings.slice(pages.skip, pages.size))
        out = _disqualified(view, about["contest"])
        content = common(view)
        links = desk.links.showing(view.displays([row["player"] for row in rows]))
    return desk.show(
        "contest.html",
        "contests",
        links=links,
        contest=about,
        rows=rows,
        pages=pages,
        disqualified=out,
        **content,
    )


def _disqualified(view: View, contest: str) -> list[str]:
    """Who was taken out of a contest, as far as the log tells, the latest first."""
    log = view.log(_DISQUALIFIED, contest=contest)
    found: dict[str, str] = {}
    for row in log.select("action", "player").to_dicts():
        if row["action"] in ("disqualify", "reinstate") and row["player"]:
            found.setdefault(row["player"], row["action"])
    there = set(view.contest(contest)["player"].to_list())
    return [name for name, last in found.items() if last == "disqualify" and name not in there]


@router.get("/{key}/organise/contest.csv")
def contest_file(request: Request, visitor: Organiser) -> Response:
    """The results of a contest as a file, to be put right and given back."""
    desk = Desk(request, visitor)
    with desk.snapshot() as view:
        frame = view.results(desk.asked("id")).frame(given=True)
    return _file(as_csv(frame), f"{desk.hosted.key}-contest.csv")


def _file(text: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/{key}/organise/players")
def players(request: Request, visitor: Organiser) -> Response:
    """All players with all that is known of them."""
    desk = Desk(request, visitor)
    page, sought = desk.page_number(), desk.asked("q").strip()
    with desk.snapshot() as view:
        people = view.people(matching=sought or None, with_hidden=True)
        pages = Pages.of(page, ROWS, people.height)
        attributes = view.attributes
        rows = _people(people.slice(pages.skip, pages.size), attributes)
        content = common(view)
    return desk.show(
        "players.html",
        "players",
        rows=rows,
        pages=pages,
        attributes=attributes,
        sought=sought,
        **content,
    )


def _people(people: pl.DataFrame, attributes: list[Attribute]) -> list[dict[str, Any]]:
    """What is known of players, with values as one types them."""
    names = [each.name for each in attributes]
    return [
        {
            key: plain(each) if key in names and each is not None else each
            for key, each in row.items()
        }
        for row in documents(people)
    ]


@router.get("/{key}/organise/players.csv")
def players_file(request: Request, visitor: Organiser) -> Response:
    """The same as a file, to be changed and given back."""
    desk = Desk(request, visitor)
    with desk.snapshot() as view:
        people = view.people(matching=desk.asked("q").strip() or None, with_hidden=True)
    return _file(as_csv(people.drop("id")), f"{desk.hosted.key}-players.csv")


@router.get("/{key}/organise/player")
def player(request: Request, visitor: Organiser) -> Response:
    """One player, and what can be done."""
    desk = Desk(request, visitor)
    with desk.snapshot() as view:
        found = view.player(desk.asked("name"))
        people = view.people(matching=found.name, with_hidden=True)
        known = _people(people.filter(people["player"] == found.name), view.attributes)[0]
        aliases = view.aliases()
        others = aliases.filter(aliases["player"] == found.name)["alias"].to_list()
        starts = view.starts()
        given = documents(starts.filter(starts["player"] == found.name))
        history = documents(view.history_of(found.name).tail(10))[::-1]
        content = {**common(view), "attributes": view.attributes}
    return desk.show(
        "player.html",
        "players",
        player=found,
        known=known,
        aliases=others,
        starts=given,
        history=history,
        **content,
    )


@router.get("/{key}/organise/seasons")
def seasons(request: Request, visitor: Organiser) -> Response:
    """Seasons and starting ratings."""
    desk = Desk(request, visitor)
    page = desk.page_number()
    with desk.snapshot() as view:
        starts = view.starts()
        pages = Pages.of(page, ROWS, starts.height)
        content = {
            **common(view),
            "seasons": documents(view.seasons())[::-1],
            "starts": documents(starts.slice(pages.skip, pages.size)),
        }
    return desk.show("seasons.html", "seasons", pages=pages, **content)


@router.get("/{key}/organise/revisions")
def revisions(request: Request, visitor: Organiser) -> Response:
    """By which systems the league is and was rated, and what differs between two of them."""
    desk = Desk(request, visitor)
    one, other = desk.asked("one"), desk.asked("other")
    problem, moves, moved = "", [], 0
    with desk.snapshot() as view:
        found = documents(view.revisions())
        content = common(view)
        if one and other:
            try:
                table = view.compare(one, other)
                moved, moves = table.height, shown_moves(table.head(FIRST), frozenset())
            except NotFoundError as error:
                problem = str(error)
    return desk.show(
        "revisions.html",
        "revisions",
        revisions=found,
        one=one,
        other=other,
        moves=moves,
        moved=moved,
        problem=problem,
        **content,
    )


@router.get("/{key}/organise/log")
def log(request: Request, visitor: Organiser) -> Response:
    """The whole log, with who, and what can be taken back."""
    desk = Desk(request, visitor)
    page = desk.page_number()
    with desk.snapshot() as view:
        entries, count = journal(view, ROWS, (page - 1) * ROWS)
        content = common(view)
    pages = Pages.of(page, ROWS, count)
    return desk.show("log.html", "log", entries=entries, pages=pages, **content)


@router.get("/{key}/organise/log/{number}")
def entry(request: Request, visitor: Recorder, number: int) -> Response:
    """One entry: what was done, by whom and why, and whether it can be taken back."""
    desk = Desk(request, visitor)
    with desk.snapshot() as view:
        found = noted(view, number)
        if not desk.allows("organise") and found.who != visitor.name:
            raise NotFoundError("the log shows you what you have done yourself.")
        content = common(view)
        there = found.contest is not None and bool(view.contest_page(1, matching=found.contest)[1])
        moves = _moves(found.details)
        links = desk.links.showing(view.displays([each["player"] for each in moves]))
        recorded = _identifiers(found.details)
    reason = ""
    if found.turn and desk.allows("organise"):
        reason = _hindrance(desk, found.turn, number)
    return desk.show(
        "entry.html",
        "log" if desk.allows("organise") else "record",
        links=links,
        entry=found,
        there=there,
        moves=moves,
        moved=found.details.get("moved"),
        recorded=recorded,
        reason=reason,
        done=bool(desk.asked("done")),
        details=told(found.details),
        **content,
    )


def _hindrance(desk: Desk, turn: str, number: int) -> str:
    """Why an entry cannot be taken back or made again; nothing if it can."""
    operation = OPERATIONS[turn].model_validate({"entry": number})
    try:
        tried(desk, operation.make)
    except PodiumError as error:
        return str(error)
    return ""


def _moves(details: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in details.get("moves") or [] if isinstance(each, dict)]


def _identifiers(details: dict[str, Any]) -> list[str]:
    found = details.get("identifiers") or []
    return [str(each) for each in found][:12] if isinstance(found, list) else []


_NOT_TOLD = ("moves", "moved", "titles", "colours", "parameters", "of", "action", "identifiers")
_BEFORE_AND_AFTER = ("time", "weight", "rated", "name", "players")


def told(details: dict[str, Any]) -> list[tuple[str, str]]:
    """What the log says of a change, in a few words.

    Example:
        >>> told({"weight": [1.0, 2.0], "rated": True, "moved": 3})
        [('weight', '1.0 → 2.0'), ('rated', 'yes')]
    """
    return [
        (name.replace("_", " "), _word(name, value))
        for name, value in details.items()
        if name not in _NOT_TOLD and value not in (None, [], {})
    ]


def _word(name: str, value: Any) -> str:
    if isinstance(value, list) and name in _BEFORE_AND_AFTER:
        return " → ".join(_word("", each) for each in value)
    if isinstance(value, list):
        return listed(map(str, value), most=6)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_word('', each)}" for key, each in list(value.items())[:6])
    return "–" if value is None else str(value)
