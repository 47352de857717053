"""Tournaments in a world without HTTP: players, entries, results as a test wants them, and whoever moves them on."""

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from engine.match import play
from engine.match.advance import advance
from engine.match.play import Request
from engine.match.record import Match, Status, sitters
from engine.tournament.protocol import Reason
from functions.shared import wiring
from functions.shared.flows import accounts
from functions.shared.flows.changing import change_match
from functions.shared.flows.marks import Key, key_of
from functions.shared.flows.tournaments import creating, entering, life, reading
from functions.shared.flows.tournaments.creating import TournamentOrder
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord
from functions.shared.store.records_tournament import PairingRecord, Phase, TournamentRecord
from tests.faults.breaking import Killed, plain
from tests.faults.world import START, Hook, World

STARTS = START + 3_600_000
"""When the events start: an hour after the worlds begin."""

Results = Callable[[str], Sequence[int]]
"""By match: the order in which its seats finish, the winner first."""


class Event(NamedTuple):
    """A tournament in a world, and who takes part, in the order of entry."""

    world: World
    id: str
    players: tuple[str, ...]
    organizer: str
    hook: Hook = plain
    """Stands round every call of the database that the referee and the consumer of the streams make."""
    is_forgotten: bool = False
    """Whether the records that a stopped function had been given never come again."""

    @property
    def services(self) -> Services:
        """What the flows need."""
        return wiring.services()

    @property
    def record(self) -> TournamentRecord:
        """The tournament as it is stored."""
        found = self.services.tournaments.get(self.id)
        assert found is not None
        return found

    @property
    def pairings(self) -> Sequence[PairingRecord]:
        """All that is stored of its pairings."""
        return self.services.tournaments.all_pairings(self.id)

    def match(self, match_id: str) -> MatchRecord:
        """A match as it is stored."""
        found = self.services.matches.get(match_id)
        assert found is not None
        return found

    def number(self, player: str) -> int:
        """A player by their number in the order of entry, from 1."""
        return self.players.index(player) + 1


def keyed(owner: str, route: str, given: str | None = None) -> Key:
    """The key of a request."""
    return key_of(wiring.services(), owner, route, given, None)


def register(count: int) -> list[str]:
    """New players."""
    services = wiring.services()
    names = [f"t-{services.random_bytes(6).hex()}" for _ in range(count)]
    return [accounts.register(services, name, keyed("", name), services.now()).profile.id for name in names]


def order_of(format_id: str, **fields: Any) -> TournamentOrder:
    """An order with what a test does not care about."""
    game = fields.pop("game", "liars-poker" if format_id == "heats" else "misfortune")
    return TournamentOrder("An event", game, format_id, fields.pop("starts_at", STARTS), **fields)


def announced(world: World, format_id: str, **fields: Any) -> Event:
    """A tournament that nobody has entered."""
    services = wiring.services()
    (organizer,) = register(1)
    order = order_of(format_id, **fields)
    made = creating.create(services, organizer, order, keyed(organizer, "create"), services.now())
    return Event(world, made.record.id, (), organizer)


def enter(event: Event, player: str, **fields: Any) -> entering.Entered:
    """An entry of the player's own."""
    by = fields.pop("by", player)
    key = fields.pop("key", None) or keyed(by, "enter")
    seed, nonce = fields.pop("seed", None), fields.pop("nonce", None)
    code = fields.pop("code", None)
    assert not fields
    services = event.services
    return entering.enter(services, event.record, player, by, seed, nonce, lambda: code, key, services.now())


def entered(world: World, format_id: str, n: int, **fields: Any) -> Event:
    """A tournament with n entries, a second apart."""
    event = announced(world, format_id, **fields)
    players = register(n)
    for player in players:
        enter(event, player)
        world.advance(1)
    return event._replace(players=tuple(players))


def begin(event: Event) -> None:
    """The hour comes, and the referee."""
    event.world.clock.set(max(event.world.clock.now(), event.record.starts_at))
    sweep(event)
    deliver(event)


def sweep(event: Event) -> None:
    """The referee runs once. Where it is stopped, the next minute's goes on."""
    with suppress(Killed), event.world.around(event.hook):
        event.world.sweep()


STREAMS = {"MatchesTable": "ended", "TournamentsTable": "work"}
"""Those of which the settling function gets records, and the attribute that such a record has."""


def records(world: World, tables: Iterable[str] = tuple(STREAMS)) -> list[dict[str, Any]]:
    """What the settling function would get of the tables' streams."""
    taken = ((table, one) for table in tables for one in world.dynamo.take_records(table, 100_000))
    return [one for table, one in taken if STREAMS[table] in one["dynamodb"].get("NewImage", {})]


def deliver(event: Event, calls: int = 400) -> None:
    """The streams' records, until there are no more. What could not be settled comes again, and so does all that a
    function that was stopped had been given."""
    waiting: dict[str, list[dict[str, Any]]] = {table: [] for table in STREAMS}
    for _ in range(calls):
        for table, found in waiting.items():
            found += records(event.world, [table])
        if not any(waiting.values()):
            return
        waiting = {table: settled(event, found) if found else [] for table, found in waiting.items()}
    raise AssertionError("the streams never end")


def settled(event: Event, waiting: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is left of the records after a call of the settling function."""
    try:
        with event.world.around(event.hook):
            failures = event.world.invoke("SettleFunction", {"Records": waiting})["batchItemFailures"]
    except Killed:
        return [] if event.is_forgotten else waiting
    if not failures:
        return []
    numbers = [record["dynamodb"]["SequenceNumber"] for record in waiting]
    return waiting[numbers.index(failures[0]["itemIdentifier"]) :]


def running(event: Event) -> list[str]:
    """The matches that are being played."""
    return [
        one.matches[game.number - 1]
        for one in event.pairings
        for game in one.pairing.games
        if game.started and not game.void and game.end is None and one.pairing.result is None
    ]


def finish(event: Event, match_id: str, order: Sequence[int]) -> None:
    """Ends a match: everybody acts, then seats resign, the last of the order first."""
    now = event.world.clock.now()

    def step(match: Match) -> Match:
        match = advance(match, now)
        while match.status is Status.ACTIVE and not all(sitter.acted for sitter in sitters(match)):
            seat = play.awaited(match)[0]
            match = play.act(match, Request(seat, now), match.turn, play.legal(match, seat).actions[0])
        for seat in reversed(order):
            if match.status is Status.ACTIVE:
                match = play.resign(match, Request(seat, now))
        return match

    change_match(event.services, match_id, step, now)


def by_strength(event: Event) -> Results:
    """The earlier somebody entered, the stronger."""
    return lambda match_id: _by_number(event, event.match(match_id))


def at_random(event: Event, seed: int) -> Results:
    """Chance decides, the same for the same pairing and game."""

    def results(match_id: str) -> Sequence[int]:
        record = event.match(match_id)
        assert record.fixture is not None
        order = _by_number(event, record)
        random.Random(f"{seed}/{record.fixture._replace(tournament='')}").shuffle(order)
        return order

    return results


def _by_number(event: Event, record: MatchRecord) -> list[int]:
    players = [sitter.player for sitter in sitters(record.match)]
    return sorted(range(len(players)), key=lambda seat: event.number(players[seat]))


def play_on(event: Event, results: Results) -> None:
    """Plays to the end: all matches that run, then whatever follows."""
    for _ in range(200):
        if event.record.phase in (Phase.FINISHED, Phase.CANCELLED):
            return
        matches = running(event)
        for match_id in matches:
            finish(event, match_id, results(match_id))
            event.world.advance(1)
        deliver(event)
        if running(event) == matches:
            # Nothing came of it by itself.
            event.world.advance(60)
            sweep(event)
            deliver(event)
    raise AssertionError("the tournament never ends")


def table(event: Event) -> list[tuple[int, int]]:
    """The final standings: rank and number of each player."""
    page = reading.standings(event.services, event.record, None, 10_000)
    assert page.is_final
    return [(row.rank, event.number(row.player)) for row in page.rows]


def started(world: World, format_id: str, n: int, **fields: Any) -> Event:
    """A tournament with n players that has begun."""
    event = entered(world, format_id, n, **fields)
    begin(event)
    return event


def at(event: Event, where: str) -> PairingRecord:
    """A stored pairing, by `stage/round/place`."""
    key = life.key_of(where)
    return event.services.tournaments.pairings(event.id, [key])[key]


def match_at(event: Event, where: str) -> Match:
    """The last match of a pairing."""
    return event.match(at(event, where).matches[-1]).match


def play_at(event: Event, where: str, *, upset: bool = False) -> None:
    """Ends the last match of a pairing: the stronger one wins, unless it is an upset."""
    match_id = at(event, where).matches[-1]
    order = list(by_strength(event)(match_id))
    finish(event, match_id, order[::-1] if upset else order)
    deliver(event)


def withdraw(event: Event, number: int, by: str | None = None) -> None:
    """A player withdraws."""
    player = event.players[number - 1]
    entering.withdraw(event.services, event.record, player, by or player, event.world.clock.now())


def players_of(event: Event, where: str) -> list[int]:
    """Who plays in a pairing, by number."""
    return [event.number(side.player) for side in at(event, where).pairing.sides if side.player]


def result(event: Event, where: str) -> tuple[Reason, tuple[int, ...]]:
    """How a pairing ended."""
    found = at(event, where).pairing.result
    assert found is not None
    return found.reason, found.ranks
