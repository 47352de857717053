"""Writes openapi.json from the routes and the structs of their bodies: `python -m infra.build.openapi`."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from functions.shared.http.app import Operation
from functions.shared.http.problem import CONTENT_TYPE, STATUS, ProblemBody
from functions.shared.problems import Problem

PATH = Path(__file__).parents[2] / "functions" / "pages" / "openapi.json"

_ALWAYS = (Problem.UNAUTHENTICATED, Problem.RATE_LIMITED, Problem.INTERNAL, Problem.TRY_AGAIN)
_REFERENCE = "#/components/schemas/{name}"


def operations() -> list[Operation]:
    """Every route of every function."""
    from functions.games import handler as games
    from functions.matches import handler as matches
    from functions.pages import handler as pages
    from functions.players import handler as players

    apps = (players.app, games.app, matches.app, pages.app)
    return [operation for app in apps for operation in app.operations]


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document of the service."""
    found = operations()
    shapes = [operation.body for operation in found if operation.body is not None]
    shapes += [shape for operation in found for shape in operation.answers.values() if _is_json(shape)]
    schemas, components = msgspec.json.schema_components([*shapes, ProblemBody], ref_template=_REFERENCE)
    by_shape = dict(zip(map(repr, [*shapes, ProblemBody]), schemas, strict=True))
    paths: dict[str, Any] = {}
    for operation in found:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, by_shape)
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
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _is_json(shape: Any) -> bool:
    return shape is not None and not isinstance(shape, str)


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    summary, _, rest = (operation.endpoint.__doc__ or "").strip().partition(". ")
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


def _operation_id(operation: Operation) -> str:
    words = re.findall(r"[a-z]+", f"{operation.method} {operation.path.removeprefix('/v1')}".lower())
    return "_".join(words)


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    text = {"type": "string"}
    found: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    found += [
        {"name": name, "in": "query", "description": what, "schema": text} for name, what in operation.query.items()
    ]
    if operation.method == "POST":
        key = {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]+$"}
        found.append({"name": "Idempotency-Key", "in": "header", "schema": key})
    if operation.method == "GET":
        found.append({"name": "If-None-Match", "in": "header", "schema": text})
    return found


def _responses(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, shape in operation.answers.items():
        found[str(status)] = {"description": "Done"}
        if isinstance(shape, str):
            found[str(status)]["content"] = {shape: {"schema": {"type": "string"}}}
        elif shape is not None:
            found[str(status)]["content"] = {"application/json": {"schema": schemas[repr(shape)]}}
    if operation.method == "GET":
        found["304"] = {"description": "The body is the one that you have"}
    problem = {CONTENT_TYPE: {"schema": schemas[repr(ProblemBody)]}}
    for status, codes in sorted(_problems(operation).items()):
        found[str(status)] = {"description": "Problem: " + ", ".join(codes), "content": problem}
    return found


def _problems(operation: Operation) -> dict[int, list[str]]:
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


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
