"""Routes stand in three places, which say the same: template.yaml, the resolvers, openapi.json."""

import json
import re
from typing import Any

from infra.client import Client
from infra.local.service import LocalService
from infra.local.template import DEFAULT
from tests.service.checks import problem


def described(anybody: Client) -> Any:
    return anybody.ok("GET", "/openapi.json")


def test_template_resolvers_and_openapi_have_the_same_routes(service: LocalService, anybody: Client) -> None:
    from infra.build import openapi  # it loads the handlers, which want the service's environment

    template = {(route.method, route.path) for route in service.stack.routes if route.path != DEFAULT}
    resolvers = {(operation.method, operation.path) for operation in openapi.operations()}
    paths = described(anybody)["paths"]
    shown = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert template == resolvers == shown
    assert len(openapi.operations()) == len(resolvers)


def test_each_route_goes_to_the_function_that_serves_it(service: LocalService) -> None:
    from infra.build import openapi

    served = {(one.method, one.path): one.endpoint.__module__ for one in openapi.operations()}
    for route in service.stack.routes:
        if route.path != DEFAULT:
            handler = service.stack.functions[route.function].handler
            assert handler.split(".")[:2] == served[route.method, route.path].split(".")[:2]


def test_the_file_is_what_the_routes_make_of_it(service: LocalService, anybody: Client) -> None:
    """Run `python -m infra.build.openapi` when this fails, and look at the difference: it is the contract."""
    from infra.build import openapi

    assert openapi.PATH.read_text(encoding="utf-8") == openapi.text()
    assert described(anybody) == json.loads(openapi.text())


def test_every_reference_leads_somewhere(anybody: Client) -> None:
    document = described(anybody)
    references = set(re.findall(r'"\$ref": "#/components/schemas/([^"]+)"', json.dumps(document)))
    assert references
    assert references <= set(document["components"]["schemas"])


def test_every_operation_has_a_name_of_its_own_and_says_what_it_does(anybody: Client) -> None:
    operations = [one for methods in described(anybody)["paths"].values() for one in methods.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    for one in operations:
        assert one["summary"]
        assert {"401", "429", "500", "503"} <= set(one["responses"])


def test_every_path_parameter_is_described(anybody: Client) -> None:
    for path, methods in described(anybody)["paths"].items():
        for one in methods.values():
            names = {parameter["name"] for parameter in one["parameters"] if parameter["in"] == "path"}
            assert names == set(re.findall(r"{(\w+)}", path))


def test_what_needs_a_token_says_so(anybody: Client) -> None:
    for path, methods in described(anybody)["paths"].items():
        for method, one in methods.items():
            reply = anybody.call(method.upper(), re.sub(r"{\w+}", "x", path), {} if method in ("post", "put") else None)
            if one["security"] == [{"token": []}]:
                problem(reply, 401, "unauthenticated")
            else:
                assert reply.status != 401 or path == "/v1/players/recover"


def test_the_page_of_the_api_is_there(anybody: Client) -> None:
    reply = anybody.call("GET", "/docs")
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/html")
    assert "SwaggerUIBundle" in reply.body
    assert not re.search(r"(src|href)=[\"']?https?:", reply.body)  # nothing is fetched from elsewhere
