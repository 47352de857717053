"""`bluffhouse serve`: the whole service on this machine."""

import errno
import gc
import signal
import sys
import threading
from types import FrameType
from typing import Annotated

import typer

_FIRST = """Create a player:

  curl -sS {url}/v1/players -H 'Content-Type: application/json' -d '{{"name": "alice"}}'
"""
SWITCH_S = 0.001
"""How long a thread may keep the interpreter: who delivers an endpoint's streams, or runs the schedule, must not keep a
request waiting for 5 ms."""
_MANUAL = """The clock stands still. Move it:

  curl -sS {url}/_local/clock -d '{{"advance": 60}}'
"""


def serve(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 is any free one.")] = 8000,
    endpoint_url: Annotated[
        str | None, typer.Option(help="A DynamoDB-compatible endpoint; without it the data lives in memory.")
    ] = None,
    manual_clock: Annotated[bool, typer.Option(help="Move time by POST /_local/clock only.")] = False,
    allow_loopback_webhooks: Annotated[
        bool, typer.Option(help="Let webhooks lead to this machine, over http too, on any port.")
    ] = False,
) -> None:
    """Run the service on this machine, until Ctrl-C."""
    stopped = threading.Event()

    def stop(signum: int, frame: FrameType | None) -> None:
        # A second one ends the process at once.
        signal.signal(signum, signal.SIG_DFL)
        stopped.set()

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, stop)

    # Imported here: `--help` shall not wait for what the service needs.
    from botocore.exceptions import BotoCoreError, ClientError

    from infra.local.service import LocalService

    service = LocalService(
        port=port,
        endpoint_url=endpoint_url,
        manual_clock=manual_clock,
        loopback_webhooks=allow_loopback_webhooks,
    )
    try:
        service.start()
    except OSError as error:
        raise _fail(_why(error, port)) from None
    except (BotoCoreError, ClientError) as error:
        raise _fail(f"{endpoint_url}: {error}") from None
    # What is loaded by now stays: no collection has to walk through it, and few have to happen.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    sys.setswitchinterval(SWITCH_S)
    typer.echo(f"Bluffhouse listens on {service.url}, its data {_store(endpoint_url)}. Ctrl-C ends it.\n")
    typer.echo(_FIRST.format(url=service.url))
    if manual_clock:
        typer.echo(_MANUAL.format(url=service.url))
    stopped.wait()
    service.stop()


def _fail(reason: str) -> typer.Exit:
    typer.echo(f"bluffhouse: {reason}", err=True)
    return typer.Exit(1)


def _why(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken; choose another with --port"
    return f"can't listen on port {port}: {error.strerror}"


def _store(endpoint_url: str | None) -> str:
    return "in memory" if endpoint_url is None else f"at {endpoint_url}"
