"""`bluffhouse verify`: derives a match anew from its proof, without asking the service anything else."""

import json
from http.client import HTTPException
from pathlib import Path
from typing import Annotated, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import typer

from engine.proof_form import Disproved, read
from engine.verify import verify as derive

_MOST_BYTES = 32 * 1024 * 1024
_TIMEOUT_S = 30

UNREADABLE = 2
"""The exit code when there is nothing to verify; 1 says that the proof does not hold."""


def verify(
    source: Annotated[str, typer.Argument(metavar="FILE|URL", help="A file, - for standard input, or …/proof.")],
    token: Annotated[str, typer.Option(envvar="BLUFFHOUSE_TOKEN", help="For a private match at a URL.")] = "",
) -> None:
    """Derive a match anew from its proof: commitment, deals, every action, clocks and result.

    Exits with 0 when the proof holds, with 1 when it does not, with 2 when there is none to read.
    """
    data = _fetched(source, token) if source.startswith(("http://", "https://")) else _loaded(source)
    try:
        proof = read(data)
        derive(proof)
    except Disproved as found:
        typer.echo(f"The proof does not hold. {found.where}: {found.what}", err=True)
        raise typer.Exit(1) from None
    _tell(proof)


def _tell(proof: dict[str, Any]) -> None:
    typer.echo(f"{proof['match']}, {proof['ruleset']}, {proof['seats']} seats: the proof holds.")
    if proof["result"] is None:
        typer.echo(f"{len(proof['actions'])} actions; the match was aborted.")
    else:
        typer.echo(f"{len(proof['actions'])} actions; result {json.dumps(proof['result'])}.")
    typer.echo(f"It was dealt from a key that was committed to as {proof['commitment']}.")
    typer.echo("Compare that, and your own nonce and actions, with what you saw while the match was open.")


def _loaded(source: str) -> bytes:
    try:
        return typer.get_binary_stream("stdin").read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise _unreadable(f"{source}: {error.strerror}") from None


def _fetched(url: str, token: str) -> bytes:
    request = Request(url)  # noqa: S310 - http and https only
    if token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - as above
            data: bytes = answer.read(_MOST_BYTES + 1)
    except HTTPError as error:
        raise _unreadable(f"{url} answers {error.code}: {_detail(error)}") from None
    except (OSError, HTTPException) as error:
        raise _unreadable(f"{url} does not answer ({error})") from None
    if len(data) > _MOST_BYTES:
        raise _unreadable(f"{url} sends more than {_MOST_BYTES} bytes")
    return data


def _detail(error: HTTPError) -> str:
    """What the service says about it, if it is the service that says anything."""
    try:
        return str(json.loads(error.read(4096))["detail"])
    except (ValueError, KeyError, TypeError):
        return str(error.reason)


def _unreadable(what: str) -> typer.Exit:
    typer.echo(f"bluffhouse: {what}", err=True)
    return typer.Exit(UNREADABLE)
