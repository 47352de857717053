"""Reads template.yaml into plain data: functions, routes, stream triggers, schedules, tables.

The local service runs from it, so that what is deployed and what is tested have one description. It reads the part of
CloudFormation that the template uses, and raises `TemplateError` on what it doesn't know.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from infra.local.intrinsics import Properties, Resolver, TemplateError, parse

DEFAULT = "$default"
"""The route that takes what no other takes."""

_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_UNITS = {"minute": 60, "hour": 3600, "day": 86_400}


class Grant(NamedTuple):
    """A DynamoDB action that a function may do."""

    action: str
    resource: str
    """A table, or `table/index/name`."""


class Function(NamedTuple):
    """A Lambda function."""

    name: str
    """Its logical id."""
    handler: str
    """Dotted path: module, then attribute."""
    environment: Mapping[str, str]
    memory: int
    timeout: int
    grants: frozenset[Grant]


class Route(NamedTuple):
    """A route of the HTTP API."""

    method: str
    """`ANY` for every method; empty for the default route."""
    path: str
    """With variables in braces; `$default` for the default route."""
    function: str

    @property
    def key(self) -> str:
        """The route key, as events carry it."""
        return f"{self.method} {self.path}" if self.method else self.path


class StreamTrigger(NamedTuple):
    """A function that a table's stream calls."""

    function: str
    table: str
    batch_size: int
    patterns: tuple[Mapping[str, Any], ...]
    """A record has to match one of them; without any, each record does."""
    attempts: int
    """Calls for one record, the first included."""
    reports_failures: bool
    """Whether the answer says which record failed (ReportBatchItemFailures)."""
    bisects: bool
    """Whether a batch that failed as a whole is tried in halves (BisectBatchOnFunctionError)."""
    on_failure: str = ""
    """The queue that is told of a record that used up its attempts; empty for none."""
    window: float = 0.0
    """Seconds that a batch waits to become full (MaximumBatchingWindowInSeconds)."""


class Schedule(NamedTuple):
    """A function that time calls."""

    function: str
    name: str
    seconds: int


class Cors(NamedTuple):
    """What the API answers to scripts of other origins."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...]
    exposed: tuple[str, ...]
    max_age: int | None


class Stack(NamedTuple):
    """All of a template that the local service needs."""

    functions: Mapping[str, Function]
    routes: tuple[Route, ...]
    streams: tuple[StreamTrigger, ...]
    schedules: tuple[Schedule, ...]
    tables: tuple[Properties, ...]
    """The properties of each table, its TableName among them."""
    cors: Cors | None


def load(path: Path, parameters: Mapping[str, str] | None = None, secret: str = "") -> Stack:
    """Read a template. `parameters` replace defaults; `secret` stands for what Secrets Manager would generate.

    Local names are the logical ids. Raises `TemplateError`.
    """
    document = parse(path.read_text())
    return read(document, parameters or {}, secret)


def read(document: Properties, parameters: Mapping[str, str], secret: str) -> Stack:
    """Make a stack of a parsed template. Raises `TemplateError`."""
    resolver = Resolver(document, parameters, secret)
    shared = document.get("Globals", {}).get("Function", {})
    functions: dict[str, Function] = {}
    routes: list[Route] = []
    streams: list[StreamTrigger] = []
    schedules: list[Schedule] = []
    for name, properties in _of_type(document, "AWS::Serverless::Function"):
        functions[name] = _function(name, properties, shared, resolver)
        for event_name, event in properties.get("Events", {}).items():
            kind, detail = event["Type"], event["Properties"]
            if kind == "HttpApi":
                routes.append(Route(detail.get("Method", "").upper(), detail.get("Path", DEFAULT), name))
            elif kind == "DynamoDB":
                streams.append(_stream(name, detail, resolver))
            elif kind in ("Schedule", "ScheduleV2"):
                schedules.append(Schedule(name, event_name, _seconds(detail)))
            else:
                raise TemplateError(f"{name}: the local service has no events of type {kind}")
    tables = tuple({**properties, "TableName": name} for name, properties in _of_type(document, "AWS::DynamoDB::Table"))
    return Stack(functions, tuple(routes), tuple(streams), tuple(schedules), tables, _cors(document))


def _of_type(document: Properties, kind: str) -> Iterator[tuple[str, Properties]]:
    for name, resource in document["Resources"].items():
        if resource["Type"] == kind:
            yield name, resource.get("Properties", {})


def _function(name: str, properties: Properties, shared: Properties, resolver: Resolver) -> Function:
    merged = {**shared, **properties}
    variables = {
        **shared.get("Environment", {}).get("Variables", {}),
        **properties.get("Environment", {}).get("Variables", {}),
    }
    environment = {variable: resolver.text(value) for variable, value in variables.items()}
    grants = frozenset(_grants(properties.get("Policies", []), resolver))
    return Function(name, merged["Handler"], environment, merged["MemorySize"], merged["Timeout"], grants)


def _grants(policies: list[Properties], resolver: Resolver) -> Iterator[Grant]:
    for policy in policies:
        for statement in policy["Statement"]:
            if statement["Effect"] != "Allow" or "Condition" in statement:
                raise TemplateError(f"the local service knows allowing statements only: {statement}")
            resources = statement["Resource"]
            for resource in resources if isinstance(resources, list) else [resources]:
                for action in statement["Action"]:
                    yield Grant(action.removeprefix("dynamodb:"), resolver.name_of_arn(resource))


def _stream(function: str, detail: Properties, resolver: Resolver) -> StreamTrigger:
    filters = detail.get("FilterCriteria", {}).get("Filters", [])
    return StreamTrigger(
        function=function,
        table=resolver.table_of_stream(detail["Stream"]),
        batch_size=detail.get("BatchSize", 100),
        patterns=tuple(json.loads(entry["Pattern"]) for entry in filters),
        attempts=1 + detail["MaximumRetryAttempts"],
        reports_failures="ReportBatchItemFailures" in detail.get("FunctionResponseTypes", []),
        bisects=detail.get("BisectBatchOnFunctionError", False),
        on_failure=_queue(detail.get("DestinationConfig", {}).get("OnFailure")),
        window=detail.get("MaximumBatchingWindowInSeconds", 0),
    )


def _queue(destination: Properties | None) -> str:
    if destination is None:
        return ""
    match destination:
        case {"Type": "SQS", "Destination": {"Fn::GetAtt": [str(queue), "Arn"]}}:
            return queue
    raise TemplateError(f"the local service tells failures to queues of the template only: {destination!r}")


def _seconds(detail: Properties) -> int:
    expression = str(detail.get("ScheduleExpression", detail.get("Schedule")))
    match = _RATE.fullmatch(expression)
    if match is None:
        raise TemplateError(f"the local service knows no schedule but rate(…): {expression!r}")
    return int(match[1]) * _UNITS[match[2]]


def _cors(document: Properties) -> Cors | None:
    for _, api in _of_type(document, "AWS::Serverless::HttpApi"):
        if "CorsConfiguration" in api:
            cors = api["CorsConfiguration"]
            return Cors(
                origins=tuple(cors["AllowOrigins"]),
                methods=tuple(cors.get("AllowMethods", ())),
                headers=tuple(cors.get("AllowHeaders", ())),
                exposed=tuple(cors.get("ExposeHeaders", ())),
                max_age=cors.get("MaxAge"),
            )
    return None
