"""The pages: which address shows what."""

import datetime
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from podium.errors import InputError, NotFoundError
from podium.hindsight import looking
from podium.hindsight.looking import LookBack
from podium.league import Filters, View
from podium.league.remembering import Remembered
from podium.web import bulk, charts, content, feeds
from podium.web.addresses import Addresses, query
from podium.web.caching import STATE
from podium.web.catalogue import Catalogue, Hosted
from podium.web.content import Content, Titles
from podium.web.dates import moment
from podium.web.listening import listening
from podium.web.rendering import render

SVG = "image/svg+xml"
_LONGEST = 1_000
_MOST_PAGES = 10**6
_FORMS = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
_FOUND = 10
"""Names that a search as one types shows."""
_MOST_ROWS = 300_000
"""Results of a league at which a page looks back: seconds of work."""
_NAMES = 20_000
"""Characters of a field of names."""

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Asked:
    """What a reader asks for: which league, as of when, and the rest of the address."""

    request: Request

    @cached_property
    def hosted(self) -> Hosted:
        """The league; raise if there is none of that key."""
        catalogue: Catalogue = self.request.app.state.catalogue
        return catalogue.named(self.request.path_params["key"])

    @cached_property
    def at(self) -> Any:
        """As of when."""
        return moment(self.text("at"))

    @cached_property
    def links(self) -> Addresses:
        """The addresses of the league, all as of the same date."""
        root = self.request.scope.get("root_path", "").rstrip("/")
        return Addresses(root, self.hosted.key, self.text("at"))

    def text(self, name: str, most: int = _LONGEST) -> str | None:
        """A parameter; None if it is empty."""
        value = _checked(name, self.request.query_params.get(name, "")).strip()
        if len(value) > most:
            raise InputError(f"{name} has {len(value):,} characters; at most {most:,} are read.")
        return value or None

    def exactly(self, name: str) -> str:
        """A name out of the path or the query, which is not to be stripped."""
        path = self.request.path_params
        value = path[name] if name in path else self.request.query_params.get(name, "")
        _checked(name, value)
        if len(value) > _LONGEST:
            raise InputError(
                f"a name of {len(value):,} characters is asked for; {_LONGEST:,} is most."
            )
        if not value:
            raise InputError(f"the address lacks {name!r}, as in ?{name}=….")
        return str(value)

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number."""
        text = self.text(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise InputError(f"{name} must be a whole number from {low} to {high:,}, not {text!r}.")
        return int(text)

    @property
    def page(self) -> int:
        """Which page of a long table."""
        return self.whole("page", 1, 1, _MOST_PAGES)

    def names(self, name: str) -> list[str]:
        """A parameter that can be repeated."""
        found = [each for each in self.request.query_params.getlist(name) if each.strip()]
        if any(len(each) > _LONGEST for each in found):
            raise InputError(f"a name is longer than {_LONGEST:,} characters.")
        return [_checked(name, each) for each in found]

    def filters(self) -> Filters:
        """Which players a leaderboard shows."""
        least = self.text("min_contests")
        return Filters(
            None,
            at=self.at,
            active_since=self.text("active_since"),
            min_contests=None if least is None else self.whole("min_contests", 0, 0, _MOST_PAGES),
            title=self.text("title"),
            matching=self.text("q"),
            where=self.names("where"),
            season=self.text("season"),
        )

    def others(self, *left_out: str) -> list[tuple[str, str]]:
        """All parameters but those."""
        pairs = self.request.query_params.multi_items()
        return [(name, value) for name, value in pairs if value and name not in left_out]

    @property
    def path(self) -> str:
        """The address of the page without its parameters.

        It is written anew from what was understood: there are many ways to ask for the same page,
        and the answer is kept for all of them.
        """
        return quote(self.request.scope["path"])

    def page_address(self, number: int) -> str:
        """The same page of another number."""
        return self.path + query([*self.others("page"), ("page", None if number == 1 else number)])

    def answer(
        self, template: str, here: str, make: Callable[[View], Content], *, kept: bool = True
    ) -> Response:
        """A page, from one state of the league; it may be `kept` if it depends on that alone."""
        with self.hosted.snapshot() as view:
            state = view.state
            found = make(view)
            links = self.links.showing(content.displays(view, found))
        said: dict[str, Any] = {name: self.text(name) for name in ("q", *_FILTERS)}
        said["where"] = self.names("where")
        around = {
            "hosted": self.hosted,
            "several": len(self.request.app.state.catalogue) > 1,
            "here": here,
            "here_address": self.path,
            "kept": self.others("at", "season"),
            "today": self.path + query(self.others("at")),
            "page_address": self.page_address,
            "charts": charts,
            "asked": {**said, "any": any(said.values())},
        }
        body = render(template, links, **around | found)
        headers = {STATE: state} if kept else {"Cache-Control": "no-cache"}
        return HTMLResponse(body, headers=headers)


_FILTERS = ("title", "active_since", "min_contests", "ties", "season")


def _checked(what: str, text: str) -> str:
    if "\0" in text:
        raise InputError(f"{what} holds the character 0, which no name has.")
    return text


def _asked(request: Request) -> Asked:
    return Asked(request)


Asking = Annotated[Asked, Depends(_asked)]


@router.get("/", name="leagues")
def leagues(request: Request) -> Response:
    """All leagues, or the only one."""
    catalogue: Catalogue = request.app.state.catalogue
    root = request.scope.get("root_path", "").rstrip("/")
    listed = catalogue.listed()
    if len(catalogue) == len(listed) == 1:
        return RedirectResponse(f"{root}/{listed[0].key}/", status_code=307)
    shown = []
    for each in listed:
        with each.snapshot() as view:
            about = view.about()
        address = Addresses(root, each.key).leaderboard()
        shown.append({**about, "title": each.title, "about": each.about, "address": address})
    title = request.app.state.title
    return HTMLResponse(render("leagues.html", Addresses(root), title=title, leagues=shown))


@router.get("/{key}")
def without_slash(asked: Asking) -> Response:
    """A league's address without the slash at its end."""
    more = query(asked.others())
    return RedirectResponse(asked.links.as_of(None).leaderboard() + more, status_code=307)


@router.get("/{key}/")
def leaderboard(asked: Asking) -> Response:
    """The leaderboard."""
    filters, ties = asked.filters(), asked.text("ties") is not None

    def make(view: View) -> Content:
        said: dict[str, Any] = dict(asked.others("at", "page", "ties", "where"))
        said["where"] = asked.names("where")
        forms = [(_FORMS[form], asked.links.download(form, **said)) for form in bulk.FORMS]
        found = content.leaderboard(view, filters, page=asked.page, ties=ties)
        return {**found, "downloads": forms}

    return asked.answer("leaderboard.html", "leaderboard", make)


@router.get("/{key}/leaderboard.{form}")
def download(asked: Asking, form: str) -> Response:
    """The leaderboard as a file."""
    if form not in bulk.FORMS:
        raise NotFoundError(f"a leaderboard comes as {', '.join(bulk.FORMS)}, not as {form!r}.")
    filters = asked.filters()
    with asked.hosted.snapshot() as view:
        body, kind = bulk.leaderboard(view, filters, form)
        state = view.state
    name = f"{asked.hosted.key}-leaderboard.{form}"
    disposition = f'attachment; filename="{name}"'
    return Response(
        body, media_type=kind, headers={STATE: state, "Content-Disposition": disposition}
    )


@router.get("/{key}/player")
@router.get("/{key}/player/{name}")
def player(asked: Asking) -> Response:
    """A player."""
    name = asked.exactly("name")

    def make(view: View) -> Content:
        links = asked.links.as_of(None)
        found = content.player(view, name, at=asked.at, page=asked.page)
        known = found["player"]["player"]
        whole = asked.request.app.state.address or ""
        embed = {"badge": whole + links.badge(known), "curve": whole + links.curve(known)}
        return {**found, "embed": embed}

    return asked.answer("player.html", "player", make)


@router.get("/{key}/look-back")
@router.get("/{key}/look-back/{name}")
def look_back(asked: Asking) -> Response:
    """A player in hindsight: what the league keeps of that, or else computed when asked for.

    To store is no change of the league, so that no state tells whether this page is another one.
    """
    name = asked.exactly("name")

    def make(view: View) -> Content:
        view.player(name, at=asked.at)  # before long work: who is not there, or hidden
        stored = view.stored_look_back() if asked.at is None else None
        if stored is not None:
            return content.stored_look_back(view, name, stored, page=asked.page)
        state = asked.hosted.key, view.state, asked.at
        kept: Remembered[LookBack] = asked.request.app.state.looked_back
        found = kept.found(state, lambda: _look_back(view, asked.at))
        return content.look_back(view, name, found, at=asked.at, page=asked.page)

    return asked.answer("look_back.html", "player", make, kept=asked.at is not None)


def _look_back(view: View, at: datetime.datetime | None) -> LookBack:
    """All results until then, smoothed."""
    contests = view.results()
    if at is not None:
        contests = contests.between(None, at + datetime.timedelta(microseconds=1))
    if contests.rows > _MOST_ROWS:
        raise InputError(
            f"this league has {contests.rows:,} results, and a page looks back at up to "
            f"{_MOST_ROWS:,}; podium look-back LEAGUE --store lets it show any number."
        )
    return looking.look_back(contests.without_teams())


@router.get("/{key}/badge.svg")
@router.get("/{key}/badge/{name}.svg")
def badge(asked: Asking) -> Response:
    """A player's badge."""
    name = asked.exactly("name")
    with asked.hosted.snapshot() as view:
        found, titles, digits = view.player(name, at=asked.at), Titles.of(view.rules), view.system
        state = view.state
    body = charts.badge(
        found.display or found.name,
        found.rating,
        found.title,
        titles.tone(found.title),
        digits=digits.decimals,
        provisional=found.provisional,
    )
    return Response(body, media_type=SVG, headers={STATE: state})


@router.get("/{key}/curve.svg")
@router.get("/{key}/curve/{name}.svg")
def curve(asked: Asking) -> Response:
    """A player's curve, for other sites."""
    name, theme = asked.exactly("name"), asked.text("theme")
    if theme not in (None, "light", "dark"):
        raise InputError(f"theme must be light or dark, not {theme!r}.")
    with asked.hosted.snapshot() as view:
        career, digits = view.career(name, at=asked.at), view.system.decimals
        titles, state = Titles.of(view.rules).toned, view.state
    body = charts.curve_svg(career.document(), titles=titles, theme=theme, digits=digits)
    return Response(body, media_type=SVG, headers={STATE: state})


@router.get("/{key}/titles.css")
def style(asked: Asking) -> Response:
    """The colours of titles that only this league has."""
    with asked.hosted.snapshot() as view:
        body, state = Titles.of(view.rules).sheet, view.state
    return Response(body, media_type="text/css", headers={STATE: state})


@router.get("/{key}/names.json")
def names(asked: Asking) -> Response:
    """Players whose names have a text in them, the best first: for a search as one types.

    The API says the same, but to programs: a browser that is signed in is not, there.
    """
    sought, most = asked.text("q"), asked.whole("n", _FOUND, 1, 100)
    with asked.hosted.snapshot() as view:
        found = view.leaderboard(most, matching=sought)["player"].to_list()
        state = view.state
    return Response(
        json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"),
        media_type="application/json",
        headers={STATE: state},
    )


@router.get("/{key}/contests")
def contests(asked: Asking) -> Response:
    """All contests."""

    def make(view: View) -> Content:
        return content.contests(view, page=asked.page, at=asked.at, matching=asked.text("q"))

    return asked.answer("contests.html", "contests", make)


@router.get("/{key}/contest")
@router.get("/{key}/contest/{id}")
def contest(asked: Asking) -> Response:
    """One contest."""
    identifier = asked.exactly("id")

    def make(view: View) -> Content:
        return content.contest(
            view, identifier, at=asked.at, page=asked.page, matching=asked.text("q")
        )

    return asked.answer("contest.html", "contests", make)


@router.get("/{key}/live")
@router.get("/{key}/live/{id}")
def live(asked: Asking) -> Response:
    """A contest that is not over, or all of them; one that is recorded has its own page."""
    if asked.text("at") is not None:  # what runs has no past
        return RedirectResponse(asked.path + query(asked.others("at")), status_code=303)
    if not (asked.request.path_params.get("id") or asked.text("id")):
        return asked.answer("lives.html", "live", content.live_contests, kept=False)
    identifier = asked.exactly("id")
    with asked.hosted.snapshot() as view:
        sign = view.signs().live.get(identifier)
        if (sign is None or sign.recorded) and view.has_contest(identifier):
            links = asked.links.as_of(None)
            return RedirectResponse(links.contest(identifier), status_code=303)
    return asked.answer("live.html", "live", partial(_live, asked, identifier), kept=False)


def _live(asked: Asked, identifier: str, view: View) -> Content:
    kept = {name: asked.text(name) for name in ("q", "player", "curve")}
    found = content.live(
        view,
        identifier,
        page=asked.page,
        matching=kept["q"],
        player=kept["player"],
        curve=kept["curve"] is not None,
    )

    def address(number: int) -> str:
        return asked.links.live(identifier, **kept, page=None if number == 1 else number)

    return {**found, "page_address": address}


@router.get("/{key}/live-rows")
def live_rows(asked: Asking) -> Response:
    """What of such a page changes: kept for all who ask for the same rows of the same version."""
    identifier, mark = asked.exactly("id"), asked.text("mark")
    found: Content = {}

    def make(view: View) -> Content:
        found.update(_live(asked, identifier, view))
        return found

    answer = asked.answer("live_parts.html", "live", make)
    if found["mark"] != mark:  # which stands for the standings, and for the state of the league
        del answer.headers[STATE]
        answer.headers["Cache-Control"] = "no-store"
    return answer


@router.get("/{key}/live-stream")
async def live_stream(request: Request) -> Response:
    """The events by which such a page knows that there is something new."""
    asked = Asked(request)
    return await listening(request.app.state.streams, asked.hosted, asked.exactly("id"))


@router.get("/{key}/why")
@router.get("/{key}/why/{contest}/{player}")
def why(asked: Asking) -> Response:
    """Why a contest did to a player's rating what it did."""
    identifier, name = asked.exactly("contest"), asked.exactly("player")

    def make(view: View) -> Content:
        return content.why(view, identifier, name, at=asked.at)

    return asked.answer("why.html", "contests", make)


@router.get("/{key}/compare")
def compare(asked: Asking) -> Response:
    """Players side by side."""

    def make(view: View) -> Content:
        return content.compare(view, asked.names("player"), at=asked.at)

    return asked.answer("compare.html", "compare", make)


@router.get("/{key}/predict")
def predict(asked: Asking) -> Response:
    """The chances of a field."""
    lines = (asked.text("names", _NAMES) or "").splitlines()
    names, top = [*asked.names("player"), *lines], asked.whole("top", 3, 1, content.FIELD)
    calibrated = asked.text("calibrated") is not None

    def make(view: View) -> Content:
        found = content.predict(view, names, top=top, at=asked.at, calibrated=calibrated)
        return {**found, "top": top, "calibrated": calibrated}

    return asked.answer("predict.html", "predict", make)


@router.get("/{key}/about")
def about(asked: Asking) -> Response:
    """Which system rates by which rules."""
    return asked.answer("about.html", "about", lambda view: content.about(view, at=asked.at))


@router.get("/{key}/changes")
def changes(asked: Asking) -> Response:
    """What was changed, when and why."""

    def make(view: View) -> Content:
        return content.changes(view, page=asked.page, at=asked.at)

    return asked.answer("changes.html", "changes", make)


@router.get("/{key}/feed.atom")
def feed(asked: Asking) -> Response:
    """Contests and changes as an Atom feed."""
    address = asked.request.app.state.address
    base = address or str(asked.request.base_url).rstrip("/")
    with asked.hosted.snapshot() as view:
        body, state = feeds.atom(view, asked.links, asked.hosted.title, base), view.state
    # Without an address of its own, the feed names the host that was asked for, and is not kept.
    kept = {STATE: state} if address else {}
    return Response(body, media_type="application/atom+xml", headers=kept)
