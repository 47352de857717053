"""`bluffhouse admin`: what operators ask of a running service, here or deployed."""

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from functions.shared.store.ladder_records import entry_from
from infra.cli import books
from infra.client import Client, UnexpectedAnswer

app = typer.Typer(no_args_is_help=True, help="Commands for the operators of the service.")

Url = Annotated[str, typer.Option(help="A local service.")]
Function = Annotated[str | None, typer.Option(help="The admin function of a deployed stack (its output).")]
Instant = Annotated[datetime, typer.Argument(formats=["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S"], help="In UTC.")]

_LOCAL = "http://127.0.0.1:8000"
_SHOWN = 20
"""Differences that are listed."""


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


@app.command()
def annul(match: str, url: Url = _LOCAL, function: Function = None) -> None:
    """Take a match's rated result back by a compensating entry; later results stay."""
    answer = _send({"command": "annul", "match": match}, url, function)
    entry = entry_from(answer["entry"])
    typer.echo(f"{match} is annulled{'' if answer['annulled'] else ' already'}.")
    for line in entry.lines:
        typer.echo(f"{line.player}: {line.before / 1000:.3f} to {line.after / 1000:.3f}")


@app.command()
def replay_ladder(game: str, url: Url = _LOCAL, function: Function = None) -> None:
    """Recompute all ratings of a ladder from its immutable results, and compare them bit for bit."""
    found = books.replay(game, lambda command: _send(command, url, function))
    typer.echo(f"{found.entries} entries, {found.players} players: {len(found.wrong)} differ.")
    for wrong in found.wrong[:_SHOWN]:
        typer.echo(wrong)
    if found.wrong:
        raise typer.Exit(1)


@app.command()
def fsck(
    game: str,
    repair: Annotated[bool, typer.Option(help="Put right what is wrong.")] = False,
    url: Url = _LOCAL,
    function: Function = None,
) -> None:
    """Count a ladder again, and compare ratings, list and counters."""
    after, total = None, Counter[str]()
    while True:
        part = _send({"command": "fsck", "game": game, "after": after, "repair": repair}, url, function)
        total.update({name: part[name] for name in ("players", "uncounted", "drift")})
        after = part["after"]
        if after is None:
            break
    typer.echo(f"{total['players']} players, {total['uncounted']} not counted as they are, drift {total['drift']}.")
    if total["uncounted"] or total["drift"]:
        typer.echo("Repaired." if repair else "Run it again with --repair.")
        raise typer.Exit(0 if repair else 1)


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
