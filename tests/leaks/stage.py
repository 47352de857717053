"""A service with known players, whose match is put into one world after another, and asked the same questions in each.

Time stands still, ids and tokens are given, so that two answers differ only in what the worlds differ in.
"""

import re
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import urlsplit

from engine.match.record import Status, sitters
from engine.types import EpochMs, Seat
from functions.shared import clock, ids
from functions.shared.flows.accounts import ALL_SCOPES, hash_of
from functions.shared.store import packing
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, Profile, Token
from infra.local.service import LocalService
from tests.leaks import event

NOW: EpochMs = 2_000_000_000_000
"""When every question is asked."""

_PLAYERS = 13
_REQUEST_ID = re.compile(rb'"request_id":"[^"]*"')


def services() -> Services:
    """What the service's handlers use."""
    from functions.shared import wiring  # it names the tables of the environment that a service has set

    return wiring.services()


class Player(NamedTuple):
    """A player, and all secrets of theirs."""

    id: str
    name: str
    token: str
    recovery_code: str


def _player(number: int) -> Player:
    player = ids.new(ids.PLAYER, NOW, lambda size: bytes([number + 1]) * size)
    return Player(player, f"player-{number:02d}", f"bh_canary-token-of-player-{number:02d}", f"CANARYCODE{number:02d}")


PLAYERS = tuple(_player(number) for number in range(_PLAYERS))
OUTSIDER, GUEST, STRANGER = PLAYERS[-3:]
"""Who has no seat: anybody, somebody who may be invited, and one more, whom nobody asks anything."""


class Viewer(NamedTuple):
    """Somebody who asks."""

    name: str
    seat: Seat | None
    token: str | None


def at_seat(seat: Seat) -> Viewer:
    """The player of a seat: seats are taken in the order of `PLAYERS`."""
    return Viewer(f"seat {seat}", seat, PLAYERS[seat].token)


ANYBODY = Viewer("a spectator without a token", None, None)
SPECTATOR = Viewer("a spectator with a token", None, OUTSIDER.token)
INVITED = Viewer("an invited player", None, GUEST.token)


class Asked(NamedTuple):
    """A request, less who sends it."""

    method: str
    target: str
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.target} {'' if self.body is None else self.body[:200]!r}"


class Answer(NamedTuple):
    """All of an answer but the ids of the request: order of headers, bytes of the body, `date` included."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Stage:
    """The service, its players, a tournament, and the one match that the questions are about."""

    def __init__(self, service: LocalService) -> None:
        self.service = service
        self.record: MatchRecord | None = None
        """The match as it is stored."""
        self.faults_are_meant = False
        parts = urlsplit(service.url)
        self._address = (str(parts.hostname), int(parts.port or 80))
        for player in PLAYERS:
            profile = Profile(player.id, player.name, NOW - 1, hash_of(player.recovery_code), version=1)
            services().players.register(profile, _token(player), None)
        event.put(services(), tuple(player.id for player in PLAYERS[:4]), NOW)

    def put(self, record: MatchRecord, bound: int | None = None) -> None:
        """Makes this world the one that is stored, as the service itself would have stored it, and lets the consumers
        of its stream do their work. `bound`: the size of an item from which on old events are put away; 0 takes away
        all that can be."""
        if self.record is not None:
            self.record = self.stored()
            if self.record.match.ended_at:
                self.service.settle()
        was = self.record
        before, packing.BOUND = packing.BOUND, packing.BOUND if bound is None else bound
        try:
            if _goes_on(was, record):
                self.record = self._saved(was, record)
            else:
                self.clear()
                self.record = self.add(record)
            if bound == 0:
                self.record = _put_away(self.record)
        finally:
            packing.BOUND = before
            _forget()
        self.service.settle()

    def _saved(self, was: MatchRecord, record: MatchRecord) -> MatchRecord:
        if was.parts:
            self._delete("MatchesTable", f"MAT#{was.match.id}", "LOG#")
        return services().matches.save(was, record._replace(version=was.version, due=None))

    def add(self, record: MatchRecord) -> MatchRecord:
        """Stores one more match, with the entries in its players' lists; what has ended is settled."""
        store = services().matches
        first, *others = [sitter.player for sitter in sitters(record.match) if not sitter.bot]
        # What has ended is settled as soon as it is stored as not yet settled: not before all sit there.
        stored = store.create(record._replace(settled=bool(record.match.ended_at)), first, None)
        for player in others:
            stored = store.seat(stored, stored, player)
        if record.match.ended_at:
            store.save(stored, stored._replace(settled=False))
            _forget()
            self.service.settle()
            settled = store.get(record.match.id)
            assert settled is not None
            assert settled.settled
            return settled
        return stored

    def clear(self) -> None:
        """Takes the match out of the store, with all that stands of it in lists, and empties the inboxes."""
        if self.record is None:
            return
        match = self.record.match
        self.service.settle()
        self._delete("MatchesTable", f"MAT#{match.id}", "")
        seated = {sitter.player for sitter in sitters(match)}
        for player in {*seated, OUTSIDER.id, GUEST.id, STRANGER.id}:
            self._delete("PlayersTable", f"PLAYER#{player}", match.id)
            self._delete("PlayersTable", f"INBOX#{player}", "EVENT#")
        self.record = None

    def empty_inboxes(self) -> None:
        """Forgets what players were told of other matches."""
        self.service.settle()
        for player in PLAYERS:
            self._delete("PlayersTable", f"INBOX#{player.id}", "EVENT#")

    def _delete(self, table: str, pk: str, *named: str) -> None:
        dynamo = self.service.dynamo
        assert dynamo is not None
        wanted = {":pk": {"S": pk}}
        found = dynamo.query(TableName=table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues=wanted)
        for item in found["Items"]:
            if any(name in item["sk"]["S"] for name in named):
                dynamo.delete_item(TableName=table, Key={name: item[name] for name in ("pk", "sk")})

    def ask(self, viewer: Viewer, questions: Sequence[Asked]) -> list[Answer]:
        """The answers to a viewer, one for each question."""
        with socket.create_connection(self._address, timeout=30) as connection, connection.makefile("rb") as incoming:
            connection.sendall(b"".join(_written(question, viewer.token) for question in questions))
            answers = [_read(incoming) for _ in questions]
        if not self.faults_are_meant:
            faults = [str(asked) for asked, answer in zip(questions, answers, strict=True) if answer.status >= 500]
            assert not faults, faults
        return answers

    def stored(self) -> MatchRecord:
        """The match as it is stored now."""
        assert self.record is not None
        found = services().matches.get(self.record.match.id)
        assert found is not None
        return found

    def unchanged(self) -> bool:
        """Whether nothing was written since the match was put: no question has changed anything."""
        assert self.record is not None
        return self.stored().version == self.record.version


def _goes_on(was: MatchRecord | None, record: MatchRecord) -> TypeGuard[MatchRecord]:
    """Whether a world can be written over the one that is stored, without a change in any list."""
    if was is None or was.match.id != record.match.id:
        return False
    return was.match.status is record.match.status is Status.ACTIVE


def _forget() -> None:
    """Lets what was planted be read as it is stored: some of it is no state that a match could come to."""
    packing._kept.clear()


def _put_away(record: MatchRecord) -> MatchRecord:
    while True:
        saved = services().matches.save(record, record)
        if saved.match.put_away == record.match.put_away:
            return saved
        record = saved


def _token(player: Player) -> Token:
    token_id = ids.new(ids.TOKEN, NOW, lambda size: bytes([PLAYERS.index(player)]) * size)
    return Token(token_id, hash_of(player.token), player.id, ALL_SCOPES, "first", NOW - 1, None)


def _written(question: Asked, token: str | None) -> bytes:
    headers = [("host", "bluffhouse.test"), *question.headers]
    if token is not None:
        headers.append(("authorization", f"Bearer {token}"))
    if question.body is not None:
        headers.append(("content-length", str(len(question.body))))
        if "content-type" not in dict(question.headers):
            headers.append(("content-type", "application/json"))
    lines = [f"{question.method} {question.target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode() + (question.body or b"")


def _read(incoming: Any) -> Answer:
    status = int(incoming.readline().split()[1])
    headers: list[tuple[str, str]] = []
    while line := incoming.readline().strip().decode():
        name, _, value = line.partition(":")
        headers.append((name, value.strip()))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    body = _REQUEST_ID.sub(b'"request_id":""', incoming.read(length))
    return Answer(status, tuple(pair for pair in headers if pair[0].lower() != "apigw-requestid"), body)


def value_of(answer: Answer, header: str) -> str | None:
    """A header of an answer."""
    return next((value for name, value in answer.headers if name.lower() == header), None)


@contextmanager
def staged(**settings: Any) -> Iterator[Stage]:
    """A service whose clock stands at `NOW`."""
    before, clock.source = clock.source, lambda: NOW
    try:
        service = LocalService(manual_clock=True, **settings)
        service.start()
        try:
            yield Stage(service)
        finally:
            service.stop()
    finally:
        clock.source = before


def differences(questions: Iterable[Asked], first: Iterable[Answer], second: Iterable[Answer]) -> list[str]:
    """What two worlds answered differently."""
    return [
        f"{question}\n  {_around(one, other)}\n  {_around(other, one)}"
        for question, one, other in zip(questions, first, second, strict=True)
        if one != other
    ]


def _around(answer: Answer, other: Answer) -> str:
    """The part of an answer where another one differs."""
    if (answer.status, answer.headers) != (other.status, other.headers):
        headers = sorted(set(answer.headers) - set(other.headers))
        start = f"{answer.status} {headers} "
    else:
        start = ""
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(answer.body, other.body, strict=False))))
    return f"{start}…{answer.body[max(0, same - 60) : same + 90]!r}"
