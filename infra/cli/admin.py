"""`bluffhouse admin`: what operators ask of a running service, here or deployed."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from infra.client import Client

app = typer.Typer(no_args_is_help=True, help="Commands for the operators of the service.")

Url = Annotated[str, typer.Option(help="A local service.")]
Function = Annotated[str | None, typer.Option(help="The admin function of a deployed stack (its output).")]
Instant = Annotated[datetime, typer.Argument(formats=["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S"], help="In UTC.")]

_LOCAL = "http://127.0.0.1:8000"


@app.command()
def declare_outage(start: Instant, until: Instant, url: Url = _LOCAL, function: Function = None) -> None:
    """Extend the deadlines that fell into an outage of ours, in every live match, once."""
    command = {"command": "declare-outage", "from": _ms(start), "until": _ms(until)}
    answer = _send(command, url, function)
    state = "is written in" if answer["finished"] else "is being written in; the referee goes on with it"
    typer.echo(f"The outage {answer['outage']} {state}.")


@app.command()
def redrive(url: Url = _LOCAL, function: Function = None) -> None:
    """Derive again from the matches what their stream's consumers should have made of them."""
    shard, after, matches = 0, None, 0
    while True:
        part = _send({"command": "redrive", "shard": shard, "after": after}, url, function)
        matches += part["matches"]
        if part["shard"] is None:
            break
        shard, after = part["shard"], part["after"]
    typer.echo(f"Looked at {matches} matches.")


def _ms(instant: datetime) -> int:
    return int(instant.replace(tzinfo=UTC).timestamp() * 1000)


def _send(command: dict[str, Any], url: str, function: str | None) -> dict[str, Any]:
    try:
        answer = _invoke(function, command) if function else Client(url).ok("POST", "/_local/admin", command)
    except OSError as error:
        typer.echo(f"bluffhouse: no service answers at {url} ({error.strerror})", err=True)
        raise typer.Exit(1) from None
    if not answer.get("ok"):
        typer.echo(f"bluffhouse: {answer.get('error', 'the command failed')}", err=True)
        raise typer.Exit(1)
    return dict(answer)


def _invoke(function: str, command: dict[str, Any]) -> dict[str, Any]:
    import botocore.session  # a local service needs no AWS client

    client = botocore.session.get_session().create_client("lambda")
    answer = client.invoke(FunctionName=function, Payload=json.dumps(command).encode())
    payload: dict[str, Any] = json.loads(answer["Payload"].read())
    return payload if "FunctionError" not in answer else {"ok": False, "error": payload.get("errorMessage", "")}
