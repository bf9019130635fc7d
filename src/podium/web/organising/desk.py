"""An organiser at work: who it is, on which league, and how pages are answered."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData

from podium.errors import InputError, PodiumError
from podium.league import League, View
from podium.texts import LONGEST
from podium.web.addresses import Addresses, query
from podium.web.caching import root_of
from podium.web.catalogue import Hosted
from podium.web.content import Titles
from podium.web.doors import Needs, Visitor, checked_form, hosted_by, limited, writing
from podium.web.gates import BURST, EVERY, subject
from podium.web.rendering import render

Reader = Annotated[Visitor, Depends(Needs("read"))]
Recorder = Annotated[Visitor, Depends(Needs("record"))]
Organiser = Annotated[Visitor, Depends(Needs("organise"))]
Owner = Annotated[Visitor, Depends(Needs("own"))]

_NO_STORE = {"Cache-Control": "no-store"}
_MOST_PAGES = 10**6
NAVIGATION = (
    ("", "Overview", "read"),
    ("record", "Record", "record"),
    ("live", "Live", "record"),
    ("contests", "Contests", "organise"),
    ("players", "Players", "organise"),
    ("seasons", "Seasons", "organise"),
    ("rules", "Rules", "organise"),
    ("revisions", "Systems", "organise"),
    ("log", "Log", "organise"),
    ("tokens", "Access", "own"),
)
"""Pages that all others lead to: where, what they are called, and who has them."""


@dataclass(frozen=True)
class Desk:
    """Somebody who works on a league."""

    request: Request
    visitor: Visitor

    @cached_property
    def hosted(self) -> Hosted:
        """The league, as the site has it."""
        return hosted_by(self.request)

    @cached_property
    def league(self) -> League:
        """The league, to be changed."""
        return writing(self.hosted)

    @cached_property
    def links(self) -> Addresses:
        """The addresses of the league."""
        return Addresses(root_of(self.request.scope), self.hosted.key)

    def allows(self, role: str) -> bool:
        """Whether they may do what a role does."""
        return self.visitor.token.allows(role)

    def snapshot(self) -> AbstractContextManager[View]:
        """One state of the league, with hidden players if they may see them."""
        return self.hosted.snapshot(with_hidden=self.allows("organise"))

    def asked(self, name: str) -> str:
        """A parameter of the address, as it stands there."""
        return checked_text(name, self.request.query_params.get(name, ""))

    def page_number(self) -> int:
        """Which page of a long table."""
        text = self.asked("page")
        if not text:
            return 1
        if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= _MOST_PAGES):
            raise InputError(f"page must be a whole number from 1 on, not {text!r}.")
        return int(text)

    def page_address(self, number: int) -> str:
        """The same page of another number."""
        pairs = self.request.query_params.multi_items()
        others = [(name, value) for name, value in pairs if name != "page"]
        path = self.request.scope["path"].rsplit("/organise", 1)[-1].strip("/")
        return self.links.organise(path) + query(
            [*others, ("page", None if number == 1 else number)]
        )

    async def form(self) -> FormData:
        """What was posted from a page of theirs; who posts too much is told to wait."""
        form = await checked_form(self.request, self.visitor)
        await run_in_threadpool(
            limited, self.hosted, subject(self.visitor.token), every=EVERY, burst=BURST
        )
        return form

    def show(self, template: str, here: str = "", status: int = 200, **context: Any) -> Response:
        """A page, which nobody keeps; a form with what is wrong about it is one like any other."""
        body = render(
            f"organise/{template}",
            context.pop("links", self.links),
            hosted=self.hosted,
            visitor=self.visitor,
            csrf=self.visitor.csrf,
            allows=self.allows,
            navigation=[each for each in NAVIGATION if self.allows(each[2])],
            here=here,
            page_address=self.page_address,
            **context,
        )
        return HTMLResponse(body, status, _NO_STORE)

    def changed(self) -> None:
        """Let those who listen, and what the site does by itself, look at what was changed."""
        self.request.app.state.streams.stir(self.hosted)
        self.request.app.state.chores.wake(self.hosted)

    def go(self, path: str = "", **parameters: Any) -> Response:
        """Lead on to another page of theirs."""
        address = self.links.organise(path, **parameters)
        return RedirectResponse(address, status_code=303, headers=_NO_STORE)


def common(view: View) -> dict[str, Any]:
    """What every page with ratings on it needs."""
    return {"digits": view.system.decimals, "titles": Titles.of(view.rules)}


def told(error: PodiumError | None) -> str:
    """What is wrong, as a sentence that stands by itself."""
    return "" if error is None else f"{str(error)[:1].upper()}{str(error)[1:]}"


def checked_text(name: str, text: object, most: int = LONGEST) -> str:
    """A text of a form or an address; what no text has, or is too long, is an error."""
    if not isinstance(text, str):
        raise InputError(f"{name} is a text, not a file.")
    if "\0" in text:
        raise InputError(f"{name} holds the character 0, which no text has.")
    if len(text) > most:
        raise InputError(f"{name} has {len(text):,} characters; at most {most:,} are read.")
    return text


def working(
    do: Callable[[Desk, FormData], Response],
) -> Callable[[Request, Visitor], Any]:
    """What answers a form that was posted: it is read, checked, and then worked on in a thread."""

    async def answer(request: Request, visitor: Visitor) -> Response:
        desk = Desk(request, visitor)
        form = await desk.form()
        try:
            return await run_in_threadpool(do, desk, form)
        finally:
            await form.close()

    return answer
