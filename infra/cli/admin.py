"""`bluffhouse admin`: what operators ask of a running service, here or deployed."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from infra.client import Client, UnexpectedAnswer

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
    answer = _invoke(function, command) if function else _post(url, command)
    if not answer.get("ok"):
        raise _fail(answer.get("error", "the command failed"))
    return answer


def _post(url: str, command: dict[str, Any]) -> dict[str, Any]:
    client = Client(url)
    try:
        return dict(client.ok("POST", "/_local/admin", command))
    except OSError as error:
        raise _fail(f"no service answers at {url} ({error.strerror})") from None
    except UnexpectedAnswer as error:
        raise _fail(str(error)) from None
    finally:
        client.close()


def _fail(reason: str) -> typer.Exit:
    typer.echo(f"bluffhouse: {reason}", err=True)
    return typer.Exit(1)


def _invoke(function: str, command: dict[str, Any]) -> dict[str, Any]:
    import botocore.session  # a local service needs no AWS client

    client = botocore.session.get_session().create_client("lambda")
    answer = client.invoke(FunctionName=function, Payload=json.dumps(command).encode())
    payload: dict[str, Any] = json.loads(answer["Payload"].read())
    return payload if "FunctionError" not in answer else {"ok": False, "error": payload.get("errorMessage", "")}
