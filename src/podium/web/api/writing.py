"""How something is sent: a route that changes, and what its body says, in JSON or as a file."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Annotated, Any, TypeVar

import pydantic_core
from fastapi import Header, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from podium.errors import InputError

Model = TypeVar("Model", bound=BaseModel)
R = TypeVar("R")
_AT_ONCE = 2**16
"""Bytes that are read without making others wait for it."""
LONGEST_KEY = 200
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="What you call the request. If the same request comes again with the same key "
        "within a day, as after an answer that was lost, it is answered as the first time, and "
        "nothing is done twice.",
        min_length=1,
        max_length=LONGEST_KEY,
        openapi_examples={"a key": {"value": "3f0e6a52-9d1b"}},
    ),
]


class Writing(APIRoute):
    """A route of the API by which something is sent: nobody keeps its answers."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Who answers."""
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            answer = await handle(request)
            answer.headers.setdefault("Cache-Control", "no-store")
            return answer

        return answered


class Said(BaseModel):
    """What every change can be told besides what it is."""

    model_config = ConfigDict(extra="forbid")

    why: str | None = Field(None, description="the reason, for the log", max_length=1000)
    dry_run: bool = Field(False, description="whether nothing is changed, and only said what would")
    expecting: str | None = Field(
        None,
        description="the state that you have seen the league in; in another, nothing is changed",
        max_length=64,
    )
    top: int | None = Field(
        100, description="of how many moves the answer tells, the largest; null for all", ge=0
    )


async def quickly(body: bytes, work: Callable[..., R], *given: Any) -> R:
    """What comes of a body: at once if it is short, else in a thread, so that nobody waits."""
    if len(body) > _AT_ONCE:
        return await run_in_threadpool(work, *given)
    return work(*given)


def parsed(body: bytes) -> dict[str, Any]:
    """An object of JSON; raise for anything else.

    Example:
        >>> parsed(b'{"contest": "week-3"}')
        {'contest': 'week-3'}
    """
    try:
        found = pydantic_core.from_json(body or b"{}", allow_inf_nan=False)
    except ValueError as error:
        raise InputError(f"the body is no JSON ({error}).") from None
    if not isinstance(found, dict):
        raise InputError('the body is an object of JSON, such as {"contest": "week-3"}.')
    return found


def checked(model: type[Model], said: Mapping[str, Any]) -> Model:
    """What was said of a model's fields, or which of them is wrong and how."""
    fields = model.model_fields
    try:
        return model.model_validate({name: said[name] for name in said if name in fields})
    except ValidationError as error:
        raise RequestValidationError(
            [{**each, "loc": ("body", *each["loc"])} for each in error.errors(include_url=False)]
        ) from None
