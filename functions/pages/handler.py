"""Routes outside /v1, and `$default`: what no route serves, as a problem."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError

from functions.shared.http import answer
from functions.shared.http.answer import Answer
from functions.shared.http.app import App
from functions.shared.http.request import Request
from functions.shared.problems import Problem, Rejected

app = App()
handler = app.handle

HTML = "text/html; charset=utf-8"
_OPENAPI = Path(__file__).with_name("openapi.json")

_DOCS = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Bluffhouse API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{css}</style></head>
<body><div id="docs"></div><script>{script}</script>
<script>SwaggerUIBundle({{url: "/openapi.json", dom_id: "#docs", deepLinking: true}})</script></body>
</html>
"""


@cache
def _paths() -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
    paths: dict[str, dict[str, Any]] = json.loads(_OPENAPI.read_text(encoding="utf-8"))["paths"]
    return [
        (re.compile(re.sub(r"{\w+}", "[^/]+", path)), tuple(method.upper() for method in methods))
        for path, methods in paths.items()
    ]


@app.route("GET", "/openapi.json", token=False, answers={200: "application/json"})
def openapi(request: Request) -> Answer:
    """Read this description of the API."""
    return Answer(answer.Text("application/json", _OPENAPI.read_text(encoding="utf-8")))


@app.route("GET", "/docs", token=False, answers={200: HTML})
def docs(request: Request) -> Answer:
    """Read and try the API in a browser."""
    return Answer(answer.Text(HTML, _docs()))


@cache
def _docs() -> str:
    import aws_lambda_powertools.event_handler.openapi as shipped  # only this page needs the files beside it

    assets = Path(shipped.__file__).parent / "swagger_ui"
    script = (assets / "swagger-ui-bundle.min.js").read_text(encoding="utf-8")
    return _DOCS.format(css=(assets / "swagger-ui.min.css").read_text(encoding="utf-8"), script=script)


@app.resolver.not_found
def nothing_here(_: NotFoundError) -> Response[str]:
    """405 where the path has other methods, else 404; to a browser that asks before it sends, neither."""
    return app.guarded("$default", _refuse)


def _refuse() -> Response[str]:
    event = app.resolver.event
    if event.request_context.http.method == "OPTIONS":
        return Response(204)
    app.request("$default")  # an invalid token is told before anything else
    methods = [method for path, known in _paths() if path.fullmatch(event.raw_path) for method in known]
    if not methods:
        raise Rejected(Problem.NOT_FOUND, "there is no such path")
    allowed = ", ".join(methods)
    raise Rejected(Problem.METHOD_NOT_ALLOWED, f"this path has: {allowed}", headers={"allow": allowed})
