"""The proof of a match: all that it was made of, opened when it is over, so that anybody can derive it again.

The document is JSON data (api.md, "A proof"). What follows from the rules stands in it beside what does not, and
`engine.verify` compares. A checksum for each field, each action and each event says where a copy was damaged. It does
not seal the proof, since anybody can make it; that the key was there before the first nonce is what the commitment
shows to who saw it then.
"""

import hashlib
import json
from collections.abc import Mapping

from engine import clock, instants
from engine.deal import SPEC
from engine.match.record import Entry, Match, all_options, commitment, ruleset
from engine.replay import OVER, action_of, actions, committed, opening
from engine.types import Data, Json

CHECKSUMS = "checksums"
LISTS: Mapping[str, str] = {"actions": "action", "events": "event"}
"""The fields that list objects, each of which has a checksum of its own; and what one of them is called."""

EVENTS: Mapping[str, tuple[str, ...]] = {
    "left": ("seat", "reason"),
    "paused": ("seat", "pause", "from", "until"),
    "resumed": ("seat", "pause", "until"),
    "adjudicated": (),
    "called-off": (),
}
"""What happened that was no action, by type, and the fields of it beside `type`, `after` and `at`."""

_DIGITS = 16


def prove(match: Match) -> dict[str, Json]:
    """The proof of a match that is over and has its whole log. Raises `ValueError` for any other.

    Of a match that never started it holds what was committed and nothing that was done.
    """
    if match.status not in OVER or match.put_away:
        raise ValueError("only a match that is over, with its whole log, has a proof")
    has_started = bool(match.started_at)
    body: dict[str, Json] = {
        "spec": SPEC,
        "match": match.id,
        "game": match.game,
        "ruleset": ruleset(match),
        "options": dict(all_options(match)),
        "seats": len(match.seats),
        "bots": [seat for seat, sitter in enumerate(match.seats) if sitter is not None and sitter.bot],
        "commitment": commitment(match),
        "key": match.key,
        "nonces": ["" if sitter is None else sitter.nonce for sitter in match.seats],
        "clock": clock.describe(match.clock),
        "started_at": instants.write(match.started_at) if has_started else None,
        "actions": [_action(entry) for entry in actions(match)],
        "events": _events(match) if has_started else [],
        "status": str(match.status),
        "ended_at": instants.write(match.ended_at),
        "result": _result(match),
    }
    return body | {CHECKSUMS: checksums(body)}


def canonical(value: Json) -> str:
    """The one JSON text of a value: sorted names, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def checksum(value: Json) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the value's canonical text."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:_DIGITS]


def checksums(body: Data) -> dict[str, Json]:
    """A checksum for each field of a proof, and a list of them for each list of objects."""
    return {name: [checksum(item) for item in body[name]] if name in LISTS else checksum(body[name]) for name in body}


def _action(entry: Entry) -> dict[str, Json]:
    at = instants.write(committed(entry))
    made = {"n": entry.move, "turn": entry.turn, "seat": entry.seat, "by": str(entry.by), "at": at}
    return {**made, "action": dict(action_of(entry))}


def _events(match: Match) -> list[dict[str, Json]]:
    """Who left otherwise than by resigning, when clocks stood still, and an end from outside, in their order; each
    `after` so many actions.

    Pauses are numbered: their ids name players.
    """
    standing, start = opening(match).pauses, match.started_at
    numbers = {pause.id: number for number, pause in enumerate(standing, 1)}
    found = [
        _event("paused", 0, start, pause.seat, {"pause": numbers[pause.id], "from": pause.start, "until": pause.end})
        for pause in standing
    ]
    for entry in match.log:
        if entry.turn and entry.type in EVENTS:
            data = dict(entry.data)
            if entry.type in ("paused", "resumed"):
                data["pause"] = numbers.setdefault(entry.key, len(numbers) + 1)
            found.append(_event(entry.type, entry.secret["after"], entry.at, entry.seat, data))
    return found


def _event(kind: str, after: int, at: int, seat: int | None, data: Data) -> dict[str, Json]:
    known = {name: instants.write(data[name]) if name in ("from", "until") else data[name] for name in data}
    known["seat"] = seat
    return {"type": kind, "after": after, "at": instants.write(at), **{name: known[name] for name in EVENTS[kind]}}


def _result(match: Match) -> dict[str, Json] | None:
    result = match.result
    if result is None:
        return None
    return {"reason": str(result.reason), "ranks": list(result.ranks), "scores": list(result.scores)}
