"""Histories of the whole service, each decided by a seed: clients that play, seek, hold tournaments; what goes wrong on
the way; and what has to hold when all has calmed down.

`make faults SEED=…` replays one and says what happened.
"""

from collections import Counter
from typing import NamedTuple

from engine import games
from tests.faults import history_checks as checks
from tests.faults import history_schedules as schedules
from tests.faults import history_stories as stories
from tests.faults.history_clients import Client
from tests.faults.history_streams import Streams
from tests.faults.history_world import History, begun

CLIENTS = 4
ROUNDS = 500
"""Drains that bring nothing to an end would go on for ever."""

CLEAN_EVERY = 20
"""In so many histories there is one in which nothing goes wrong."""


class Report(NamedTuple):
    """What a history was."""

    seed: int
    digest: str
    calls: int
    faults: Counter[str]
    outcomes: Counter[str]
    """What became of the requests, matches, seeks and tournaments."""


def run(seed: int) -> Report:
    """Lives through a history and looks at what it leaves. Raises `AssertionError`."""
    with begun(str(seed), has_faults=seed % CLEAN_EVERY != 0) as history:
        try:
            clients = prepare(history, seed)
            streams = Streams(history)
            streams.start()
            schedules.start(history)
            for number, client in enumerate(clients):
                history.spawn(client.name, client.run, 100 * number)
            history.tasks.run()
            history.faults.is_on = False
            drain(history, streams)
            outcomes = checks.check(history)
        except BaseException as error:
            error.add_note(f"again: make faults SEED={seed}")
            raise
        return Report(seed, history.digest, history.calls, history.faults.done, outcomes)


def prepare(history: History, seed: int) -> list[Client]:
    """The clients, and what they will be up to: a match of each game in turn, and something else."""
    clients = [Client(history, f"client-{number}") for number in range(CLIENTS)]
    rng = history.random("stories")
    stories.table(rng.sample(clients, rng.choice((2, 3))), games.IDS[seed % len(games.IDS)])
    match seed // len(games.IDS) % 4:
        case 0:
            stories.seeks(rng.sample(clients, 3), rng.choice(games.IDS))
        case 1:
            stories.tournament(rng.sample(clients, CLIENTS))
        case 2:
            stories.accounts(rng.sample(clients, 2))
            stories.seeks(rng.sample(clients, 2), rng.choice(games.IDS))
        case _:
            stories.table(rng.sample(clients, 3), rng.choice(games.IDS))
    return clients


def drain(history: History, streams: Streams) -> None:
    """Everybody does what is left, nothing goes wrong any more, and the time goes on to whatever is due."""
    for _ in range(ROUNDS):
        while streams.drain():
            pass
        for function in schedules.SCHEDULED:
            history.fire(function, {})
        if streams.drain():
            continue
        due = next_due(history)
        if due is None:
            return
        history.tasks.sleep(max(0, due - history.tasks.now) + 1000)
    raise AssertionError(f"something is due for ever: {due}")


def next_due(history: History) -> int | None:
    """When something is due next, of what is not the ladder's own."""
    tables = (name for name in ("MatchesTable", "TournamentsTable"))
    items = [item for name in tables for item in history.dynamo.scan(TableName=name)["Items"]]
    return min((int(item["da"]["N"]) for item in items if "da" in item), default=None)
