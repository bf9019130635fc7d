"""What can be asked, for programs (OpenAPI 3.1) and for people (a page made from that)."""

import json
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import resources
from typing import Any

from fastapi import APIRouter, Request
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.responses import HTMLResponse, Response

from podium import __version__
from podium.web import problems, schemas
from podium.web.addresses import Addresses
from podium.web.api.asking import Document
from podium.web.caching import root_of
from podium.web.doors import Needs
from podium.web.rendering import render

_TITLE = "podium"
_ABOUT = """\
Ratings of leagues, to be read and, with a token, to be changed. Every answer comes from one \
state of the league, which its `ETag` stands for. Names are parameters, never parts of a path, so \
that any name can be asked for. Long tables come in pages: the header `Link` leads to the next \
one. Times are texts in UTC, numbers are not rounded, and `null` says that there is no such \
value. What goes wrong is a problem of RFC 9457. Changes are sent by POST, in JSON, and some of \
them as a file of any format that podium reads. Sites that may write make them for whoever has a \
token of the league with the role that each needs, or a higher one: read, record, organise, own.
"""
_TAGS = {
    "leagues": "The leagues of the site, and each as a whole.",
    "players": "Who is where, and how they came there.",
    "contests": "What took place, and what it did.",
    "reasons": "Why a rating is what it is, what it might have been, and what may come.",
    "matches": "What ends by the thousands in a second: rated, kept and answered at once.",
    "matchmaking": "Who should meet whom of those who wait.",
    "live contests": "What is not over: what would become of everybody if it ended now.",
    "whole tables": "Everything at once, for other programs.",
    "organisers": "What only organisers see.",
    "changes": "What can be done to a league: the same as on the command line, in the same words.",
    "webhooks": "What other programs are told of changes: sent to them, or as they listen.",
    "who may do what": "Tokens, and whether everybody may see a league: for those who own it.",
}
_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token of the league, which podium token LEAGUE create makes.",
}
_SHOWN = 60
"""Lines of an example on the page."""


def describe(router: APIRouter) -> None:
    """Let a router tell what it answers."""
    reference = Reference(router)
    router.add_api_route(
        "/openapi.json", reference.openapi, include_in_schema=False, response_class=Document
    )
    router.add_api_route("/", reference.page, include_in_schema=False, response_class=HTMLResponse)


class Reference:
    """The description of all routes of a router, which knows them when the first asks."""

    def __init__(self, router: APIRouter) -> None:
        self._router = router

    @cached_property
    def document(self) -> dict[str, Any]:
        """For programs."""
        tags = [{"name": name, "description": meaning} for name, meaning in _TAGS.items()]
        found = get_openapi(
            title=_TITLE,
            version=__version__,
            description=_ABOUT,
            routes=self._router.routes,
            tags=tags,
        )
        components = found["components"]["schemas"]
        components[schemas.Problem.__name__] = schemas.Problem.model_json_schema()
        found["components"]["securitySchemes"] = {"bearer": _BEARER}
        examples, roles = _examples("examples.json"), roles_of(self._router)
        sent = _examples("sent.json")
        for _, operation in _operations(found):
            name, content = operation["operationId"], operation["responses"]["200"]["content"]
            answer = content.get("application/json")
            if name in roles:
                operation |= {"security": [{"bearer": []}], "x-role": roles[name]}
            if name in examples and answer is not None:
                answer["example"] = examples[name]
            if name in sent:
                example = sent[name]
                content["application/json"]["example"] = example["answer"]
                if "sent" in example:
                    body = operation["requestBody"]["content"]
                    body[example.get("type", "application/json")]["example"] = example["sent"]
        return found

    @cached_property
    def content(self) -> dict[str, Any]:
        """For people: what the page shows."""
        known = self.document["components"]["schemas"]
        operations = [
            {
                "method": method.upper(),
                "role": operation.get("x-role"),
                "body": list(_flat(_body(operation).get("schema", {}), known, "", ())),
                "needed": _body(operation).get("schema", {}).get("required", ()),
                "files": "text/csv" in operation.get("requestBody", {}).get("content", ()),
                "sent": _lines(_body(operation).get("example")),
                "path": path,
                "id": operation["operationId"],
                "tag": operation["tags"][0],
                "about": operation["description"],
                "parameters": [_parameter(each) for each in operation.get("parameters", ())],
                "fields": list(_flat(_answer(operation).get("schema", {}), known, "", ())),
                "example": _lines(_answer(operation).get("example")),
            }
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        ]
        groups = [
            {
                "name": tag,
                "about": about,
                "asked": [each for each in operations if each["tag"] == tag],
            }
            for tag, about in _TAGS.items()
        ]
        return {"about": _ABOUT, "groups": groups, "problems": problems.KINDS}

    def openapi(self, request: Request) -> Response:
        """All that can be asked, as OpenAPI 3.1 describes it."""
        return Document({**self.document, "servers": [{"url": root_of(request.scope) or "/"}]})

    def page(self, request: Request) -> Response:
        """All that can be asked, for people."""
        links = Addresses(root_of(request.scope))
        return HTMLResponse(render("api.html", links, **self.content))


def _operations(described: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in described["paths"].values():
        yield from path.items()


def roles_of(router: APIRouter) -> dict[str, str]:
    """Which role each route of a router needs, if it needs one."""
    return {
        route.name: dependency.call.role
        for route in routes_of(router)
        for dependency in route.dependant.dependencies
        if isinstance(dependency.call, Needs)
    }


def routes_of(router: APIRouter) -> Iterator[APIRoute]:
    """All routes, also those of routers in it."""
    for each in router.routes:
        inner = getattr(each, "original_router", None)
        if inner is not None:
            yield from routes_of(inner)
        elif isinstance(each, APIRoute):
            yield each


@cache
def _examples(file: str) -> dict[str, Any]:
    """What a small league answered, by what was asked or sent; a test does it again."""
    text = resources.files("podium.web.api").joinpath(file).read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _answer(operation: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = operation["responses"]["200"]["content"].get("application/json", {})
    return found


def _body(operation: dict[str, Any]) -> dict[str, Any]:
    """The JSON that is sent, if something is."""
    content: dict[str, Any] = operation.get("requestBody", {}).get("content", {})
    found: dict[str, Any] = content.get("application/json", {})
    return found


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter["schema"]
    kind = next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)
    several = kind.get("type") == "array"
    limits = [
        f"{word} {kind[name]:,}{what}"
        for name, word, what in (
            ("minimum", "at least", ""),
            ("maximum", "at most", ""),
            ("maxLength", "at most", " characters"),
            ("minItems", "at least", " times"),
            ("maxItems", "at most", " times"),
        )
        if name in kind and not (name == "minimum" and kind[name] == kind.get("maximum"))
    ]
    if "enum" in kind:
        limits.append(" or ".join(kind["enum"]))
    if schema.get("default") is not None:
        limits.append(f"by default {schema['default']}")
    return {
        "name": parameter["name"],
        "required": parameter.get("required", False),
        "type": "text, repeated" if several else _WORDS.get(kind.get("type", ""), "text"),
        "about": parameter.get("description", ""),
        "limits": ", ".join(limits),
    }


_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "object": "object",
    "array": "list",
    "null": "null",
}


def _flat(
    schema: dict[str, Any], known: dict[str, Any], path: str, above: tuple[str, ...]
) -> Iterator[dict[str, str]]:
    """All fields of a document, as docs/documents.md lists them."""
    schema, name = _resolved(schema, known)
    if name in above:
        return
    if schema.get("type") == "array" and "items" in schema:
        yield from _flat(schema["items"], known, f"{path}[]", above)
        return
    for key, field in schema.get("properties", {}).items():
        inner, _ = _resolved(field, known)
        here = f"{path}.{key}" if path else key
        yield {"field": here, "type": _type(field, known), "meaning": field.get("description", "")}
        if inner.get("type") == "array" or "properties" in inner:
            yield from _flat(inner, known, here, (*above, name))


def _resolved(schema: dict[str, Any], known: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """What a schema refers to, if it does, and what that is called; without null."""
    options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if len(options) == 1:
        schema = options[0]
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return known[name], name
    return schema, ""


def _type(schema: dict[str, Any], known: dict[str, Any]) -> str:
    found, _ = _resolved(schema, known)
    word = (
        "time" if found.get("format") == "date-time" else _WORDS.get(found.get("type", ""), "value")
    )
    nullable = any(each.get("type") == "null" for each in schema.get("anyOf", ()))
    return f"{word} or null" if nullable else word


def _lines(example: Any) -> str | None:
    if example is None:
        return None
    lines = json.dumps(example, indent=2, ensure_ascii=False).splitlines()
    return "\n".join([*lines[:_SHOWN], "…"] if len(lines) > _SHOWN else lines)
