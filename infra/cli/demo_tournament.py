"""`bluffhouse demo-tournament`: an organizer schedules two events for client programs, and they run by themselves."""

import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Annotated, NamedTuple

import typer

from infra.cli.tournament_report import report
from infra.client import Client
from infra.load.serving import serving

DUEL, TABLE = "misfortune", "micro-poker"
CHECK_IN = 30
"""Minutes before the start."""

_NAMES = (
    *("ada", "bea", "cid", "dan", "eva", "fay", "gil", "hal", "ida", "jon", "kim"),
    *("leo", "mia", "ned", "oda", "pia", "quy", "rex", "sue", "tom", "uma", "vic"),
)
NUMBER = len(_NAMES)
_OVER = ("finished", "cancelled")


class Program(NamedTuple):
    """A client program: its name, its connection, and what it draws its luck from."""

    name: str
    client: Client
    chance: random.Random


def demo_tournament(
    duelists: Annotated[int, typer.Option(min=2, max=NUMBER, help="Entrants of the double elimination.")] = 13,
    players: Annotated[int, typer.Option(min=3, max=NUMBER, help="Entrants of the heats.")] = NUMBER,
    seed: Annotated[int, typer.Option(help="What the programs draw their luck from.")] = 1,
) -> None:
    """Start the service, schedule a double elimination and heats, let programs play them, and print what came of it."""
    with serving("--manual-clock") as service, closing(Client(service.url)) as organizer:
        organizer.token = organizer.ok("POST", "/v1/players", {"name": "organizer"})["token"]
        programs = registered(service.url, max(duelists, players), seed)
        start = next_hour(organizer)
        duels = scheduled(organizer, "Fools' Cup", DUEL, "double-elimination", start)
        heats = scheduled(organizer, "Micro Masters", TABLE, "heats", start)
        fields = {duels: programs[:duelists], heats: programs[:players]}
        held(organizer, fields, start)
        for event in fields:
            for line in report(organizer, event):
                typer.echo(line)
        for program in programs:
            program.client.close()


def registered(url: str, number: int, seed: int) -> list[Program]:
    """So many programs, each with an account of its own."""
    programs = []
    for name in _NAMES[:number]:
        client = Client(url)
        client.token = client.ok("POST", "/v1/players", {"name": name})["token"]
        programs.append(Program(name, client, random.Random(f"{seed} {name}")))  # noqa: S311 - luck, no secret
    return programs


def moved(client: Client, seconds: float = 0) -> datetime:
    """The time of the service, so many seconds later, with all that falls due until then."""
    return datetime.fromisoformat(client.ok("POST", "/_local/clock", {"advance": seconds})["now"])


def next_hour(client: Client) -> datetime:
    """A full hour that is at least one away."""
    return (moved(client) + timedelta(hours=2)).replace(minute=0, second=0, microsecond=0)


def scheduled(organizer: Client, name: str, game: str, kind: str, start: datetime) -> str:
    """A tournament with a check-in, by its id."""
    order = {
        "name": name,
        "game": game,
        "format": kind,
        "starts_at": start.isoformat(),
        "registration": {"check_in_minutes": CHECK_IN},
        "time_zone": "Europe/Berlin",
    }
    return str(organizer.ok("POST", "/v1/tournaments", order)["id"])


def held(organizer: Client, fields: Mapping[str, Sequence[Program]], start: datetime) -> None:
    """The life of tournaments, by id with who enters: they enter, check in, and play until all is over; nobody starts
    anything."""
    for event, programs in fields.items():
        for program in programs:
            nonce = program.chance.randbytes(16).hex()
            program.client.ok("POST", f"/v1/tournaments/{event}/entries", {"nonce": nonce})
            moved(organizer, 1)
    _tell(organizer, fields)
    _wait_until(organizer, start - timedelta(minutes=CHECK_IN))
    for event, programs in fields.items():
        for program in programs:
            program.client.ok("POST", f"/v1/tournaments/{event}/check-in")
    _tell(organizer, fields)
    _wait_until(organizer, start)
    _tell(organizer, fields)
    everybody = list(dict.fromkeys(program for programs in fields.values() for program in programs))
    while any(organizer.ok("GET", f"/v1/tournaments/{event}")["status"] not in _OVER for event in fields):
        for program in everybody:
            play(program)
        moved(organizer, 1)
    _tell(organizer, fields)


def play(program: Program) -> None:
    """Acts once in each match that waits for the program."""
    for match in program.client.ok("GET", "/v1/matches", query={"my_turn": "true", "limit": 100})["items"]:
        path = f"/v1/matches/{match['id']}"
        legal = program.client.ok("GET", path + "/legal-actions")
        action = program.chance.choice(legal["actions"][-6:])
        program.client.ok("POST", path + "/actions", {"turn": legal["turn"], "action": action})


def _wait_until(client: Client, at: datetime) -> None:
    moved(client, (at - moved(client)).total_seconds())


def _tell(organizer: Client, events: Iterable[str]) -> None:
    for event in events:
        body = organizer.ok("GET", f"/v1/tournaments/{event}")
        entered = body["registration"]["entered"]
        typer.echo(f"{body['server_time'][:19]}  {body['name']}: {body['status']}, {entered} entered")
