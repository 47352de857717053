"""What a million moves cost at list prices, with what follows from them: `make bench-price`.

Rated matches are played as house bots do, over HTTP. Of each move is counted what it and the functions behind the
streams after it read and write, by DynamoDB's rules; what follows from the end of a match (settlement, ratings, ladder)
is told apart. Prices are those of us-east-1 on demand. How long a function runs, and how much it logs, is assumed.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from engine import bots
from engine.deal import Stream
from engine.games.protocol import Legal
from engine.types import Action
from infra.bench.capacity import Call, Meter
from infra.client import Client
from infra.local.filters import fitting
from infra.local.service import LocalService

MATCHES: Mapping[str, tuple[int, ...]] = {
    "micro-poker": (3, 4),
    "liars-poker": (2, 3, 4, 6),
    "misfortune": (2, 2, 2),
    "half-deck-poker": (2,),
}
"""Seats of the matches that are played."""

HTTP_API, INVOCATION, GB_SECOND, WRITE, READ, LOG_GB = 1.00, 0.20, 13.3334, 0.625, 0.125, 0.50
"""USD a million requests, invocations, GB-seconds and units; USD a GB of logs."""
MEMORY_GB, SECONDS, LOG_KB = 0.5, 0.015, 0.6
"""Of a call of a function."""
BATCH = 100
"""Records that a consumer gets at a time when there is much to do (template.yaml)."""

PAUSE_S = 600
"""Between two moves, at most; a tenth of what the clock allows."""

BUDGET = 3.75


class Counted(NamedTuple):
    """What moves took, or what followed from the ends of matches."""

    number: int
    read: float
    write: float
    records: int
    """That functions behind streams were given."""

    def usd(self, calls_a_record: float = 1 / BATCH, own_calls: int = 1) -> float:
        """A million of them. `calls_a_record`: 1 where each record wakes its function."""
        calls = own_calls + calls_a_record * self.records / self.number
        functions = calls * (INVOCATION + MEMORY_GB * SECONDS * GB_SECOND + LOG_KB * LOG_GB)
        return own_calls * HTTP_API + functions + (WRITE * self.write + READ * self.read) / self.number


def count(game: str, sizes: Sequence[int]) -> tuple[Counted, Counted]:
    """Plays matches with so many seats each: what moves took, and what the ends did."""
    service = LocalService(manual_clock=True)
    with ExitStack() as closing:
        service.start()
        closing.callback(service.stop)
        counting = _Counting(service)
        for number, seats in enumerate(sizes):
            clients = [Client(service.url) for _ in range(seats)]
            for seat, client in enumerate(clients):
                closing.callback(client.close)
                client.token = client.ok("POST", "/v1/players", {"name": f"bench-{number}-{seat}"})["token"]
            _play(service, counting, clients, game)
    return counting.moves, counting.ends


class _Counting:
    """Counts what moves cost and what the functions behind the streams do after them; nothing else that is asked."""

    def __init__(self, service: LocalService) -> None:
        dynamo = service.dynamo
        if dynamo is None:
            raise ValueError("the service has no store of its own")
        self.moves = self.ends = Counted(0, 0.0, 0.0, 0)
        self._now = self.moves
        self._meter, self._take = Meter(service.stack), dynamo.take_records
        self._fits = [(trigger.table, fitting(trigger.patterns)) for trigger in service.stack.streams]
        dynamo.around = self._around
        dynamo.take_records = self._taken  # type: ignore[method-assign]

    def drain(self) -> Counted:
        """What was counted since the last time, as one."""
        found, self._now = self._now._replace(number=1), Counted(0, 0.0, 0.0, 0)
        return found

    def _around(self, operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        costs = self._meter.costs
        costs.clear()
        answer = self._meter(operation, parameters, call)
        read, write = sum(cost.read for cost in costs), sum(cost.write for cost in costs)
        self._now = self._now._replace(read=self._now.read + read, write=self._now.write + write)
        return answer

    def _taken(self, table: str, limit: int) -> list[dict[str, Any]]:
        records = self._take(table, limit)
        fitting_ones = sum(fits(record) for of, fits in self._fits if of == table for record in records)
        self._now = self._now._replace(records=self._now.records + fitting_ones)
        return records


def _sum(counted: Iterable[Counted]) -> Counted:
    return Counted(*map(sum, zip(*counted, strict=True)))


def _play(service: LocalService, counting: _Counting, clients: Sequence[Client], game: str) -> None:
    match = clients[0].ok("POST", "/v1/matches", {"game": game, "seats": len(clients)})["id"]
    path = f"/v1/matches/{match}"
    for client in clients[1:]:
        client.ok("POST", f"{path}/join")
    service.settle()
    while (seen := clients[0].ok("GET", path))["status"] == "active":
        for client in [clients[seat] for seat in seen["to_act"]]:
            own = client.ok("GET", path)
            if own["turn"] != seen["turn"] or not own["you"]["to_act"]:
                continue
            action = _choice(client, path, own)
            counting.drain()
            after = client.ok("POST", f"{path}/actions", {"turn": own["turn"], "action": action})
            if after["status"] != "active":
                counting.moves = _sum((counting.moves, counting.drain()))
            service.settle()
            if after["status"] == "active":
                counting.moves = _sum((counting.moves, counting.drain()))
            else:
                service.advance(60)
                counting.ends = _sum((counting.ends, counting.drain()))
            service.advance(min(PAUSE_S, own["clock"]["seconds"] / 10))


def _choice(client: Client, path: str, own: Any) -> Action:
    listed = client.ok("GET", f"{path}/legal-actions")
    legal = Legal(listed["actions"], listed["optional"])
    return bots.choose(own["game"], bots.HOUSE, own["view"], legal, Stream(path.encode(), f"{own['turn']}"))


def main() -> None:
    """Prints a line a game, and the mean of all moves."""
    sys.stdout.write(f"USD a million moves at list prices; the budget is {BUDGET}\n")
    line = "{:17}{:>7}{:>12}{:>13}{:>9}{:>14}{:>16}{:>13}\n"
    heading = "moves", "read units", "write units", "records", "full batches", "batches of one", "1,000 ends"
    sys.stdout.write(line.format("game", *heading))
    found = {game: count(game, sizes) for game, sizes in MATCHES.items()}
    found["all"] = _sum(moves for moves, _ in found.values()), _sum(ends for _, ends in found.values())
    for game, (moves, ends) in found.items():
        each = (f"{value / moves.number:.2f}" for value in moves[1:])
        usd = (moves.usd(), moves.usd(1), ends.usd(own_calls=0) / 1000)
        cells = (*each, f"{usd[0]:.2f}", f"{usd[1]:.2f}", f"{usd[2]:.3f}")
        sys.stdout.write(line.format(game, moves.number, *cells))


if __name__ == "__main__":
    main()
