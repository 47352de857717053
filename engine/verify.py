"""Derives the match of a proof anew and compares: commitment, deals, each action, what time did, the result.

What only those know who were there is not derived: that the commitment and the nonces are those of the start, when
players acted within their time, when somebody was taken out, clocks were paused or the match was ended from outside,
and that a house bot chose what its program does.
"""

import re
from collections.abc import Iterable

from engine import clock, deal, games, instants
from engine.errors import Refused
from engine.games import options
from engine.games.protocol import Game
from engine.match import lobby, play
from engine.match.record import By, Left, Match, Sitter, Status, last_event_at, sitters
from engine.proof import CHECKSUMS, LISTS, checksums, prove
from engine.proof_form import Disproved, check, difference, place
from engine.types import Data, EpochMs, Json

_RULESET = re.compile(r"([a-z-]+)@([1-9][0-9]{0,8})(?: .*)?")
_DERIVED = ("actions", "events", "status", "ended_at", "result")


def verify(proof: Json) -> None:
    """Raises `Disproved`, which names the first thing that is wrong, unless the proof holds."""
    check(proof)
    damaged = _damaged(proof)
    try:
        _derive(proof)
    except Disproved as found:
        # A checksum tells what was changed; the rules tell it more exactly, or what followed from it.
        if damaged is None or found.where.startswith(damaged.where + ","):
            raise
    if damaged is not None:
        raise damaged


def _damaged(proof: Data) -> Disproved | None:
    """The first field, action or event that does not fit its checksum."""
    body = {name: value for name, value in proof.items() if name != CHECKSUMS}
    for name, fitting in checksums(body).items():
        given = proof[CHECKSUMS][name]
        if given == fitting:
            continue
        pairs = enumerate(zip(given, fitting, strict=False), 1) if name in LISTS else ()
        where = next((f"{LISTS[name]} {number}" for number, (one, other) in pairs if one != other), name)
        if where == name and name in LISTS:
            return Disproved(name, f"there are {len(fitting)} of them, and {len(given)} checksums")
        return Disproved(where, "it has been changed: its checksum is of something else")
    return None


def _derive(proof: Data) -> None:
    opened = _opened(proof)
    if proof["started_at"] is None:
        _never_started(proof)
        return
    made = prove(_played(_started(opened, proof), proof))
    for name in _DERIVED:
        found = difference(proof[name], made[name], name)
        if found is not None:
            raise found


def _opened(proof: Data) -> Match:
    """The match with its seats free, everything about it checked that does not depend on what was done."""
    if proof["spec"] != deal.SPEC:
        raise Disproved("spec", f"it must be {deal.SPEC}")
    game = _game(proof)
    seats, (low, high) = proof["seats"], game.SEATS
    if not low <= seats <= high:
        raise Disproved("seats", f"{game.TITLE} has {low} to {high}")
    if len(proof["nonces"]) != seats:
        raise Disproved("nonces", f"there must be one for each of the {seats} seats")
    if proof["bots"] != sorted(set(proof["bots"]) & set(range(seats))):
        raise Disproved("bots", "it must be the seats of house bots, each once, ascending")
    if proof["commitment"] != deal.commitment(proof["match"], bytes.fromhex(proof["key"])).hex():
        raise Disproved("commitment", "key and match do not fit it")
    chosen = _chosen(game, proof)
    expected = deal.ruleset(proof["game"], game.RULES_VERSION, chosen)
    if proof["ruleset"] != expected:
        raise Disproved("ruleset", f"with these options it is {expected}")
    at = 0 if proof["started_at"] is None else instants.read(proof["started_at"])
    known = (proof["match"], proof["game"], game.RULES_VERSION, chosen, _clock(proof), proof["key"], at)
    return Match(*known, (None,) * seats)


def _game(proof: Data) -> Game[object]:
    if proof["game"] not in games.IDS:
        raise Disproved("game", "it must be one of " + ", ".join(games.IDS))
    found = _RULESET.fullmatch(proof["ruleset"])
    game = None if found is None or found[1] != proof["game"] else games.find(found[1], int(found[2]))
    if game is None:
        raise Disproved("ruleset", "it must begin with the game, @ and a version of its rules that is known here")
    return game


def _chosen(game: Game[object], proof: Data) -> Data:
    """The options that differ from their defaults."""
    given, seats = proof["options"], proof["seats"]
    for option in game.OPTIONS:
        if option.name not in given:
            raise Disproved(place("options", option.name), "it is missing")
    try:
        return options.chosen(game.OPTIONS, given, seats)
    except Refused as refused:
        raise Disproved(place("options", refused.loc[-1]), refused.detail) from refused


def _clock(proof: Data) -> clock.Clock:
    try:
        found = clock.parse(proof["clock"])
    except Refused as refused:
        raise Disproved(place("clock", refused.loc[-1]), refused.detail) from refused
    unlike = difference(proof["clock"], clock.describe(found), "clock")
    if unlike is not None:
        raise unlike
    return found


def _never_started(proof: Data) -> None:
    for name, empty in (("actions", []), ("events", []), ("status", Status.ABORTED), ("result", None)):
        found = difference(proof[name], empty, name)
        if found is not None:
            raise found


def _started(match: Match, proof: Data) -> Match:
    for seat, nonce in enumerate(proof["nonces"]):
        bot = By.BOT if seat in proof["bots"] else ""
        match = lobby.join(match, Sitter(f"seat {seat}", "", 0, bot, nonce), match.created_at)
    return match


def _played(match: Match, proof: Data) -> Match:
    """The match after everything that did not follow from the rules and the clock, and all that then did."""
    for after, where, step in _steps(proof):
        match = _run_out(match, after)
        if match.status is not Status.ACTIVE:
            raise Disproved(where, f"the match was {match.status} before it")
        if match.moves > after:
            raise Disproved(where, f"there were {match.moves} actions before it, those of the clock among them")
        try:
            match = _happened(match, where, step) if "type" in step else _acted(match, where, step, proof["bots"])
        except Refused as refused:
            raise Disproved(where, refused.detail) from refused
    return _run_out(match)


def _steps(proof: Data) -> Iterable[tuple[int, str, Data]]:
    """Actions of players and bots, forfeits and pauses: after how many actions, by what name, and what."""
    found: list[tuple[int, int, str, Data]] = []
    for number, action in enumerate(proof["actions"], 1):
        if action["n"] != number:
            raise Disproved(f"action {number}, n", f"it must be {number}")
        if action["by"] != By.CLOCK:
            found.append((number - 1, 1, f"action {number}", action))
    for number, event in enumerate(proof["events"], 1):
        if event.get("reason", Left.FORFEIT) == Left.FORFEIT:
            found.append((event["after"], 0, f"event {number}", event))
    # What is no action comes before the action that was next, and keeps its order.
    found.sort(key=lambda step: step[:2])
    return [(after, where, step) for after, _, where, step in found]


def _run_out(match: Match, moves: int | None = None) -> Match:
    """The match when its clock has made so many actions that it has that many in all; or has ended it."""
    while match.status is Status.ACTIVE and (moves is None or match.moves < moves):
        where = f"action {match.moves + 1}"
        bots = [seat for seat in play.awaited(match) if sitters(match)[seat].bot]
        if bots:
            raise Disproved(where, f"it is missing: the house bot of seat {bots[0]} has to answer")
        if play.closes_at(match) is None:
            raise Disproved(where, f"it is missing: the match waits for the seats {list(play.awaited(match))}")
        match = play.time_out(match)
    return match


def _acted(match: Match, where: str, step: Data, bots: list[int]) -> Match:
    seat, by = step["seat"], By(step["by"])
    _require_seat(match, seat, where)
    if (by is By.BOT) != (seat in bots):
        raise Disproved(place(where, "by"), "a house bot has the seat" if seat in bots else "no house bot has the seat")
    at = match.opened_at if by is By.BOT else instants.read(step["at"])
    if step["action"].get("type") == play.RESIGN["type"]:
        if step["action"] != play.RESIGN or by is By.BOT:
            raise Disproved(place(where, "action"), "to resign takes a player, and no further field")
        _require_time(match, at, where)
        return play.resign(match, play.Request(seat, at))
    limit = play.deadline(match, seat) if seat in play.asked(match) else None
    # It came in time; where that was before another's, its moment was moved behind that.
    if limit is not None and limit <= at and at == last_event_at(match):
        at = limit - 1
    return play.act(match, play.Request(seat, at, by), step["turn"], step["action"])


def _happened(match: Match, where: str, step: Data) -> Match:
    """Somebody is taken out; clocks stand still, or go on; the match is ended from outside."""
    at, kind, seat = instants.read(step["at"]), step["type"], step.get("seat")
    if seat is not None or kind == "left":
        _require_seat(match, seat, where)
    _require_time(match, at, where)
    if kind == "adjudicated":
        return play.adjudicate(match, at)
    if kind == "called-off":
        return play.call_off(match, at)
    if kind == "left":
        return play.forfeit(match, step["seat"], at)
    until = instants.read(step["until"])
    if kind == "resumed":
        return play.resume(match, str(step["pause"]), until)
    return play.pause(match, clock.Pause(str(step["pause"]), seat, instants.read(step["from"]), until), at)


def _require_seat(match: Match, seat: Json, where: str) -> None:
    if seat is None or seat >= len(match.seats):
        raise Disproved(place(where, "seat"), f"it must be 0 to {len(match.seats) - 1}")


def _require_time(match: Match, at: EpochMs, where: str) -> None:
    """Time does its part first: nothing else happens at or after the moment when it closes a decision."""
    closes_at = play.closes_at(match)
    if closes_at is not None and closes_at <= at:
        raise Disproved(place(where, "at"), f"time had run out at {instants.write(closes_at)}")
