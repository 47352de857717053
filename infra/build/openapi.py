"""Writes openapi.json from the routes and the structs of their bodies: `python -m infra.build.openapi`."""

import inspect
import json
import os
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.games import IDS
from engine.match.record import Status
from functions.shared.flows.tournaments.life import Status as TournamentStatus
from functions.shared.http.answer import JSON
from functions.shared.http.problem import CONTENT_TYPE, STATUS, ProblemBody
from functions.shared.http.request import DEFAULT_LIMIT, MAX_LIMIT
from functions.shared.problems import Problem
from infra.local import template
from infra.local.service import TEMPLATE

if TYPE_CHECKING:
    from functions.shared.http.app import Operation  # it loads the store, which wants the service's environment

PATH = Path(__file__).parents[2] / "functions" / "pages" / "openapi.json"

_ALWAYS = (Problem.UNAUTHENTICATED, Problem.RATE_LIMITED, Problem.INTERNAL, Problem.TRY_AGAIN)
_REFERENCE = "#/components/schemas/{name}"

_TEXT = {"type": "string"}
_QUERY: dict[str, dict[str, Any]] = {
    "count": {"type": "integer", "minimum": 1, "maximum": 1000},
    "digit": {"type": "integer", "minimum": 0, "maximum": 9},
    "game": {"type": "string", "enum": list(IDS)},
    "joinable": {"type": "boolean"},
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
    "mine": {"type": "boolean"},
    "rank": {"type": "integer", "minimum": 1, "maximum": 10**7},
    "window": {"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
    "my_turn": {"type": "boolean"},
    "status": {"type": "string", "enum": [status.value for status in Status]},
    "dry_run": {"type": "boolean"},
    "/v1/tournaments?status": {"type": "string", "enum": [status.value for status in TournamentStatus]},
    "/v1/tournaments/{tournament}/bracket?round": {"type": "integer", "minimum": 1, "maximum": 1000},
    "/v1/matches/{match}/log?after": {"type": "integer", "minimum": 0, "maximum": 10**9},
}
"""What query parameters are, on one route or on all; the others are any text."""

_REQUIRED = {("/v1/players", "name"), ("/v1/matches/{match}/odds", "digit"), ("/v1/matches/{match}/odds", "count")}

_MOMENT: dict[str, dict[str, Any]] = {
    "server_time": {"type": "string", "format": "date-time"},
    "poll_after": {"type": "integer", "minimum": 0, "description": "Seconds until it is worth asking again"},
}
_OF_THE_MOMENT = {
    "Items_EventBody_": ["server_time", "poll_after"],
    "Items_Head_": ["server_time"],
    "Items_MessageBody_": ["server_time"],
    "Items_dict_str__typing.Any__": ["server_time"],
    "Legal": ["server_time"],
    "MatchBody": ["server_time", "poll_after"],
    "Items_SeekBody_": ["server_time"],
    "LadderPage": ["server_time"],
    "NeighboursBody": ["server_time"],
    "StandingBody": ["server_time"],
    "SoughtBody": ["server_time"],
    "Odds": ["server_time"],
    "TournamentBody": ["server_time"],
    "Items_TournamentHead_": ["server_time"],
    "EnteredBody": ["server_time"],
    "Items_EntryBody_": ["server_time"],
    "BracketBody": ["server_time"],
    "StandingsPage": ["server_time"],
    "RulingBody": ["server_time"],
    "Items_AuditBody_": ["server_time"],
}
"""The answers with fields that no struct has, since they are not in the ETag."""

_HEADERS: dict[str, dict[str, Any]] = {
    "ETag": {"description": "Of the body, `server_time` and `poll_after` left out", "schema": _TEXT},
    "Idempotency-Replayed": {
        "description": "There when the request had been carried out before",
        "schema": {"type": "string", "const": "true"},
    },
    "Location": {"description": "The path of what was created", "schema": _TEXT},
    "RateLimit": {"description": "The bucket that is empty, and for how long", "schema": _TEXT},
    "RateLimit-Policy": {"description": "The size of the bucket, and how soon it fills", "schema": _TEXT},
    "Retry-After": {"description": "In how many seconds to come again", "schema": {"type": "integer", "minimum": 1}},
    "WWW-Authenticate": {"description": "How to say who asks", "schema": {"type": "string", "const": "Bearer"}},
}
_NOT_ALWAYS = {"Idempotency-Replayed", "Location"}

_CREATED = {
    ("POST", "/v1/matches"): ("match", "/id"),
    ("POST", "/v1/matches/{match}/rematch"): ("match", "/id"),
    ("POST", "/v1/players"): ("player", "/player/id"),
    ("POST", "/v1/me/tokens"): ("token", "/id"),
    ("POST", "/v1/webhooks"): ("webhook", "/id"),
    ("POST", "/v1/tournaments"): ("tournament", "/id"),
}
"""Where the answer to a creation has the path parameter of what was created."""


def operations() -> "list[Operation]":
    """Every route of every function."""
    names = ("players", "games", "matches", "ladders", "seeks", "webhooks", "tournaments", "pages")
    apps = [import_module(f"functions.{name}.handler").app for name in names]
    return [operation for app in apps for operation in app.operations]


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document of the service."""
    found = operations()
    shapes = [operation.body for operation in found if operation.body is not None]
    shapes += [shape for operation in found for shape in operation.answers.values() if _is_json(shape)]
    schemas, components = msgspec.json.schema_components([*shapes, ProblemBody], ref_template=_REFERENCE)
    by_shape = dict(zip(map(repr, [*shapes, ProblemBody]), schemas, strict=True))
    _describe_the_moment(components)
    paths: dict[str, Any] = {}
    for operation in found:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, by_shape)
    for created, (parameter, where) in _CREATED.items():
        _link(paths, created, parameter, where)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Bluffhouse",
            "version": "1",
            "description": "Bluffing games in your own time: one HTTP request a turn.",
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "headers": {name: header | {"required": name not in _NOT_ALWAYS} for name, header in _HEADERS.items()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _is_json(shape: Any) -> bool:
    return shape is not None and not isinstance(shape, str)


def _describe_the_moment(components: dict[str, Any]) -> None:
    """Adds the fields that no struct has, since they are not in the ETag (functions.shared.http.answer)."""
    for name, fields in _OF_THE_MOMENT.items():
        component = components[name]
        component["properties"] |= {field: _MOMENT[field] for field in fields}
        component["required"] += fields


def _link(paths: dict[str, Any], created: tuple[str, str], parameter: str, where: str) -> None:
    """Tells of a creation's answer where all operations on what was created find its id."""
    method, path = created
    operations = [
        operation for one, methods in paths.items() if f"{{{parameter}}}" in one for operation in methods.values()
    ]
    paths[path][method.lower()]["responses"]["201"]["links"] = {
        operation["operationId"]: {
            "operationId": operation["operationId"],
            "parameters": {f"path.{parameter}": f"$response.body#{where}"},
        }
        for operation in operations
    }


def _operation(operation: "Operation", schemas: dict[str, Any]) -> dict[str, Any]:
    summary, _, rest = inspect.cleandoc(operation.endpoint.__doc__ or "").partition(". ")
    described: dict[str, Any] = {
        "operationId": _operation_id(operation),
        "summary": summary.rstrip("."),
        "parameters": _parameters(operation),
        "responses": _responses(operation, schemas),
        "security": [{"token": []}] if operation.token else [{}, {"token": []}],
    }
    if rest:
        described["description"] = rest
    if operation.body is not None:
        content = {"application/json": {"schema": schemas[repr(operation.body)]}}
        described["requestBody"] = {"content": content, "required": not operation.body_optional}
    return described


def _operation_id(operation: "Operation") -> str:
    words = re.findall(r"[a-z]+", f"{operation.method} {operation.path.removeprefix('/v1')}".lower())
    return "_".join(words)


def _parameters(operation: "Operation") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": _TEXT}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    for name, what in operation.query.items():
        schema = _QUERY.get(f"{operation.path}?{name}", _QUERY.get(name, _TEXT))
        described = {"name": name, "in": "query", "description": what, "schema": schema}
        found.append(described | ({"required": True} if (operation.path, name) in _REQUIRED else {}))
    if operation.method == "POST":
        key = {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]+$"}
        found.append({"name": "Idempotency-Key", "in": "header", "schema": key})
    if operation.method == "GET":
        found.append({"name": "If-None-Match", "in": "header", "schema": _TEXT})
    return found


def _responses(operation: "Operation", schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, shape in operation.answers.items():
        names = ["ETag"] if operation.method == "GET" else []
        names += ["Idempotency-Replayed"] if operation.method == "POST" else []
        names += ["Location"] if status == 201 else []
        found[str(status)] = {"description": "Done"} | _headers(names)
        if isinstance(shape, str):
            found[str(status)]["content"] = {shape: {"schema": {"type": "object"} if shape == JSON else _TEXT}}
        elif shape is not None:
            found[str(status)]["content"] = {"application/json": {"schema": schemas[repr(shape)]}}
    if operation.method == "GET":
        found["304"] = {"description": "The body is the one that you have"} | _headers(["ETag"])
    problem = {CONTENT_TYPE: {"schema": schemas[repr(ProblemBody)]}}
    of_status = {
        401: ["WWW-Authenticate"],
        429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
        503: ["Retry-After"],
    }
    for status, codes in sorted(_problems(operation).items()):
        names = of_status.get(status, [])
        described = {"description": "Problem: " + ", ".join(codes), "content": problem}
        found[str(status)] = described | _headers(names)
    return found


def _headers(names: list[str]) -> dict[str, Any]:
    if not names:
        return {}
    return {"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names}}


def _problems(operation: "Operation") -> dict[int, list[str]]:
    codes = [*operation.problems, *_ALWAYS]
    statuses = [(STATUS[code][0], code) for code in dict.fromkeys(codes)]
    if operation.body is not None:
        statuses += [(400, Problem.INVALID_REQUEST), (413, Problem.TOO_LARGE), (422, Problem.INVALID_REQUEST)]
    elif operation.query:
        statuses += [(400, Problem.INVALID_REQUEST)]
    by_status: dict[int, list[str]] = {}
    for status, code in statuses:
        by_status.setdefault(status, []).append(code.value)
    return by_status


def text() -> str:
    """The document as it is kept and served."""
    return json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _prepare() -> None:
    """Sets what the handlers' modules read from their environment when they are imported."""
    for function in template.load(TEMPLATE).functions.values():
        for name, value in function.environment.items():
            os.environ.setdefault(name, value)


if __name__ == "__main__":
    _prepare()
    PATH.write_text(text(), encoding="utf-8")
