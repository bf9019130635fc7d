"""What can be sent, for the description of the API: bodies of JSON, files, and their parameters."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from podium.web.api.writing import Said
from podium.web.operations import Operation
from podium.web.uploads import HowToRead

_FILES = ("text/csv", "application/vnd.apache.parquet", "application/octet-stream")
"""Types of files that are named; there are more."""
_ANYTHING = {"$ref": "#/$defs/JsonValue"}


def identifier(operation: type[Operation]) -> str:
    """What an operation is called in the description of the API.

    Example:
        >>> from podium.web.operations import SetRules
        >>> identifier(SetRules)
        'set_rules'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", operation.__name__).lower()


def parameters(operation: type[Operation] | None) -> dict[str, FieldInfo]:
    """What can be said in the address of a file that is given for an operation, or checked."""
    if operation is None:
        return dict(HowToRead.model_fields)
    own = {**operation.model_fields}
    if operation.takes is not None:
        del own[operation.takes]
    return {**HowToRead.model_fields, **Said.model_fields, **own}


def described(operation: type[Operation] | None) -> dict[str, Any]:
    """What a request for an operation, or for a check, sends, as OpenAPI says it."""
    takes_files = operation is None or operation.takes is not None
    file = {"schema": {"type": "string", "format": "binary"}}
    content: dict[str, Any] = dict.fromkeys(_FILES, file) if takes_files else {}
    needed = True
    if operation is not None:
        schema = body_schema(operation)
        needed = bool(schema.get("required"))
        content = {"application/json": {"schema": schema}, **content}
    return {
        "requestBody": {"required": needed, "content": content},
        "parameters": _in_query(operation) if takes_files else [],
    }


def body_schema(operation: type[Operation]) -> dict[str, Any]:
    """The object of JSON that asks for an operation."""
    own, more = operation.model_json_schema(), Said.model_json_schema()
    found = {
        "title": f"{operation.__name__}Body",
        "type": "object",
        "additionalProperties": False,
        "properties": {**own.get("properties", {}), **more["properties"]},
        "required": own.get("required", []),
    }
    plain: dict[str, Any] = _plain(found)
    return plain


def _plain(schema: Any) -> Any:
    """The same without what only makes it longer."""
    if schema == _ANYTHING:
        return {}
    if isinstance(schema, dict):
        is_field = "description" in schema
        return {
            key: _plain(each)
            for key, each in schema.items()
            if not (is_field and key == "title" and isinstance(each, str))
        }
    return [_plain(each) for each in schema] if isinstance(schema, list) else schema


def sent_as(
    body: type[BaseModel], of_files: Mapping[str, FieldInfo] | None = None
) -> dict[str, Any]:
    """What a request sends as JSON or, if it may be said so in its address, as a file."""
    file = {"schema": {"type": "string", "format": "binary"}}
    own = body.model_json_schema()
    schema = _plain({**own, "title": f"{body.__name__}Body"})
    schema.pop("$defs", None)
    content: dict[str, Any] = {"application/json": {"schema": schema}}
    if of_files is not None:
        content |= dict.fromkeys(_FILES, file)
    said = {} if of_files is None else of_files
    called = {"type": "string", "maxLength": 1000}
    about = "of a file: what it is called, which tells what it is"
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": field.is_required(),
            "description": field.description,
            "schema": _of_text(field),
        }
        for name, field in said.items()
    ]
    if of_files is not None:
        parameters.append({"name": "name", "in": "query", "description": about, "schema": called})
    return {"requestBody": {"required": True, "content": content}, "parameters": parameters}


def _in_query(operation: type[Operation] | None) -> list[dict[str, Any]]:
    """The parameters that can be said of a file."""
    about = "of a file: what it is called, which tells what it is"
    called = {"type": "string", "maxLength": 1000}
    found = [{"name": "name", "in": "query", "description": about, "schema": called}]
    return found + [
        {
            "name": name,
            "in": "query",
            "description": f"of a file: {field.description}",
            "schema": _of_text(field),
        }
        for name, field in parameters(operation).items()
    ]


def _of_text(field: FieldInfo) -> dict[str, Any]:
    """The schema of a parameter; lists and pairs are repeated."""
    kept: Any = Annotated[field.annotation, field]
    whole = TypeAdapter(kept).json_schema()
    options = [each for each in whole.get("anyOf", ()) if each.get("type") != "null"]
    kind = options[0] if options else whole
    if kind.get("type") in ("object", "array"):
        return {"type": "array", "items": {"type": "string"}}
    said = {**kind, "default": whole.get("default")}
    left_out = ("description", "examples", "title")
    return {key: each for key, each in said.items() if each is not None and key not in left_out}
