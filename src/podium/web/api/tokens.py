"""Who may do what to a league, and who may see it: for those who own it."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from podium.league import League, documents
from podium.texts import LONGEST
from podium.web import schemas
from podium.web.api.asking import Document, Hosted, Reading, asking, refuse_names
from podium.web.api.writing import Model, Writing, checked, parsed
from podium.web.doors import Needs, Visitor, writing
from podium.web.gates import Gate
from podium.web.schemas import KEPT

R = TypeVar("R")
Owner = Annotated[Visitor, Depends(Needs("own"))]

asked = APIRouter(prefix="/leagues/{key}", tags=["who may do what"], route_class=Reading)
router = APIRouter(prefix="/leagues/{key}", tags=["who may do what"], route_class=Writing)


class NewToken(BaseModel):
    """A token to be made."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, KEPT] = Field(
        description="whose it is: what is done with it is logged in this name",
        min_length=1,
        max_length=LONGEST,
    )
    role: Literal["read", "record", "organise", "own"] = Field(
        description="what it lets one do, each all that those before it do"
    )
    expires: str | None = Field(
        None,
        description="the date or time from which on it is good for nothing; null for never",
        max_length=40,
    )


class NewAccess(BaseModel):
    """Who is to see a league."""

    model_config = ConfigDict(extra="forbid")

    access: Literal["public", "private"] = Field(
        description="whether everybody may see the league, or only who has a token"
    )


def _sends(model: type[BaseModel], example: dict[str, Any]) -> dict[str, Any]:
    """What a request sends, as OpenAPI says it."""
    content = {"application/json": {"schema": model.model_json_schema(), "example": example}}
    return {"requestBody": {"required": True, "content": content}}


def _answers(example: Any) -> dict[int | str, dict[str, Any]]:
    """What is answered, for example."""
    return {200: {"content": {"application/json": {"example": example}}}}


TOKEN = {"id": 2, "name": "bob", "role": "record", "expires": "2026-12-31T00:00:00Z"}
"""The token of the examples."""
SENT = {
    "create_token": {"name": "bob", "role": "record", "expires": "2026-12-31"},
    "change_access": {"access": "private"},
}
"""Bodies of the examples."""
ANSWERED = {
    "tokens": [
        {**TOKEN, "created": "2026-05-10T09:30:00Z", "creator": "ann", "revoked": None},
    ],
    "create_token": {**TOKEN, "token": "podium_2_Zc1…"},
    "revoke_token": TOKEN,
    "access": {"access": "public"},
    "change_access": {"access": "private"},
}
"""Answers of the examples."""


def _said(model: type[Model], body: bytes) -> Model:
    """What a body says."""
    said = parsed(body)
    refuse_names(said, list(model.model_fields), "field")
    return checked(model, said)


def _in_charge(hosted: Any, visitor: Visitor, change: Callable[[League], R]) -> R:
    """Let an owner change who may do what, if they still are one when it is done."""
    return change(writing(hosted).guarded(Gate(visitor.token, "own")))


@asked.get(
    "/tokens",
    response_model=list[schemas.ListedToken],
    response_class=Document,
    responses=_answers(ANSWERED["tokens"]),
)
def tokens(hosted: Hosted, _: Owner) -> Document:
    """Who may do what, the latest first: without the texts, which nobody keeps."""
    with asking(hosted) as view:
        return Document(documents(view.tokens()))


@router.post(
    "/tokens",
    response_model=schemas.NewToken,
    response_class=Document,
    responses=_answers(ANSWERED["create_token"]),
    openapi_extra=_sends(NewToken, SENT["create_token"]),
)
async def create_token(request: Request, hosted: Hosted, visitor: Owner) -> Document:
    """Let somebody do something: the text that lets them is in this answer, and in no other."""
    wanted = _said(NewToken, await request.body())

    def make(league: League) -> dict[str, Any]:
        text = league.create_token(
            wanted.name, wanted.role, expires=wanted.expires, who=visitor.name
        )
        return {**league.identified(text).document(), "token": text}

    return Document(await run_in_threadpool(_in_charge, hosted, visitor, make))


@router.delete(
    "/tokens",
    response_model=schemas.Token,
    response_class=Document,
    responses=_answers(ANSWERED["revoke_token"]),
)
def revoke_token(
    hosted: Hosted,
    visitor: Owner,
    id: Annotated[int, Query(description="The number of the token.", ge=1, le=2**31 - 1)],
) -> Document:
    """Let a token be good for nothing from now on, and sign out who came by it."""

    def revoke(league: League) -> dict[str, Any]:
        return league.revoke_token(id, who=visitor.name).document()

    return Document(_in_charge(hosted, visitor, revoke))


@asked.get(
    "/access",
    response_model=schemas.Access,
    response_class=Document,
    responses=_answers(ANSWERED["access"]),
)
def access(hosted: Hosted, _: Annotated[Visitor, Depends(Needs("read"))]) -> Document:
    """Whether everybody may see the league, or only who has a token."""
    with asking(hosted) as view:
        return Document({"access": view.access})


@router.put(
    "/access",
    response_model=schemas.Access,
    response_class=Document,
    responses=_answers(ANSWERED["change_access"]),
    openapi_extra=_sends(NewAccess, SENT["change_access"]),
)
async def change_access(request: Request, hosted: Hosted, visitor: Owner) -> Document:
    """Let everybody see the league, or only who has a token."""
    to = _said(NewAccess, await request.body()).access

    def change(league: League) -> None:
        league.set_access(to, who=visitor.name)

    await run_in_threadpool(_in_charge, hosted, visitor, change)
    return Document({"access": to})
