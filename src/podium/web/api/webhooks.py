"""Webhooks: which programs are told of changes, and what became of that; the owner's business."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from podium.league import documents
from podium.web import gates, sending
from podium.web.answers import Again, Delivered, MadeWebhook, Tried, Webhook
from podium.web.api.asking import MOST_ROWS, Document, Hosted
from podium.web.api.writing import Writing
from podium.web.doors import Needs, Visitor, limited, writing

router = APIRouter(prefix="/leagues/{key}/webhooks", tags=["webhooks"], route_class=Writing)

Owner = Annotated[Visitor, Depends(Needs("own"))]
Number = Annotated[
    int,
    Path(
        description="The number of the webhook.",
        ge=1,
        lt=2**31,
        openapi_examples={"a webhook": {"value": 1}},
    ),
]


class NewWebhook(BaseModel):
    """Where to tell what."""

    model_config = ConfigDict(extra="forbid")

    address: str = Field(
        description="where notices are sent to, by http or https", examples=["https://example.org"]
    )
    kinds: list[str] | None = Field(
        None,
        description="what is told: contest.rated, rating.changed, title.reached, correction.made; "
        "null for everything",
        examples=[["title.reached"]],
    )


class Which(BaseModel):
    """What is to be sent again."""

    model_config = ConfigDict(extra="forbid")

    notice: int | None = Field(
        None,
        description="the number of the notice; null for all that were given up",
        ge=1,
        lt=2**31,
    )


def document_of(hosted: Any, number: int) -> dict[str, Any]:
    """A webhook, as JSON says it."""
    found = documents(hosted.league.webhooks())
    return next(each for each in found if each["id"] == number)


def _count(hosted: Any, visitor: Visitor) -> None:
    limited(hosted, gates.subject(visitor.token), every=gates.EVERY, burst=gates.BURST)


@router.get("", response_model=list[Webhook], response_class=Document)
def webhooks(hosted: Hosted, _visitor: Owner) -> Document:
    """The programs that are told of changes; not their secrets."""
    return Document(documents(hosted.league.webhooks()))


@router.post("", response_model=MadeWebhook, response_class=Document)
def add_webhook(request: Request, hosted: Hosted, visitor: Owner, said: NewWebhook) -> Document:
    """Let a program be told of changes; the secret that signs what it is told is shown only now."""
    _count(hosted, visitor)
    known = hosted, request.app.state.outside
    number, secret = sending.add(*known, said.address, said.kinds, visitor.name)
    return Document({**document_of(hosted, number), "secret": secret})


@router.get("/deliveries", response_model=list[Delivered], response_class=Document)
def deliveries(
    hosted: Hosted,
    _visitor: Owner,
    webhook: Annotated[
        int | None, Query(description="The number of one webhook.", ge=1, lt=2**31)
    ] = None,
    n: Annotated[int, Query(description="How many.", ge=1, le=MOST_ROWS)] = 100,
    failed: Annotated[bool, Query(description="Only those that were given up.")] = False,
) -> Document:
    """What webhooks were told, or are still to be told, the latest first."""
    return Document(documents(hosted.league.deliveries(webhook, n=n, failed=failed)))


@router.delete("/{number}", response_model=Webhook, response_class=Document)
def remove_webhook(hosted: Hosted, visitor: Owner, number: Number) -> Document:
    """Let a program be told nothing any more; what it was."""
    hosted.league.webhook(number)
    _count(hosted, visitor)
    was = document_of(hosted, number)
    writing(hosted).remove_webhook(number, who=visitor.name)
    return Document(was)


@router.post("/{number}/rest", response_model=Webhook, response_class=Document)
def rest_webhook(hosted: Hosted, visitor: Owner, number: Number) -> Document:
    """Let a program be told of no changes until it is resumed."""
    return _set(hosted, visitor, number, False)


@router.post("/{number}/resume", response_model=Webhook, response_class=Document)
def resume_webhook(hosted: Hosted, visitor: Owner, number: Number) -> Document:
    """Let a program be told of changes again."""
    return _set(hosted, visitor, number, True)


def _set(hosted: Any, visitor: Visitor, number: int, active: bool) -> Document:
    _count(hosted, visitor)
    writing(hosted).set_webhook(number, active, who=visitor.name)
    return Document(document_of(hosted, number))


@router.post("/{number}/test", response_model=Tried, response_class=Document)
def try_webhook(request: Request, hosted: Hosted, visitor: Owner, number: Number) -> Document:
    """Send a message that says nothing, now and once, and see what becomes of it."""
    hosted.league.webhook(number)
    _count(hosted, visitor)
    outcome = sending.send_test(hosted, request.app.state.outside, number)
    return Document({"status": outcome.status, "problem": outcome.problem})


@router.post("/{number}/send-again", response_model=Again, response_class=Document)
def send_again(
    request: Request, hosted: Hosted, visitor: Owner, number: Number, said: Which | None = None
) -> Document:
    """Let a notice be sent again, or all that were given up."""
    _count(hosted, visitor)
    notice = None if said is None else said.notice
    count = writing(hosted).send_again(number, notice)
    request.app.state.chores.wake(hosted)
    return Document({"again": count})
