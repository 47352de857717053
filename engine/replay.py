"""Derives a match anew from what it was given: its key, nonces, options, sitters, and what was done in it.

Everything else (deals, legality, settlements, time-outs, seats that miss their actions, the result) follows from these,
so a match that equals its replay was played by the rules and dealt from its key.
"""

from engine.clock import Pause
from engine.match import lobby, play
from engine.match.record import By, Entry, Left, Match, Sitter, Status
from engine.types import Action, EpochMs, Seat

OVER = (Status.FINISHED, Status.ABORTED)

_PAUSES = ("paused", "resumed")
_ENDINGS = ("adjudicated", "called-off")


def replay(match: Match) -> Match:
    """The match as its rules and its key make it from its log's actions. It equals `match` if that is what happened.

    The match has ended and its log is complete. Raises `ValueError` where it has not or is not, `Refused` where an
    action was not possible.
    """
    if match.status not in OVER:
        raise ValueError(f"the match is {match.status}: only a match that has ended can be replayed")
    if match.put_away:
        raise ValueError(f"the first {match.put_away} events of the log are missing")
    again = opening(match)
    for entry in _deeds(match):
        while again.turn < entry.turn:
            again = play.time_out(again)
        again = _do(again, entry)
    while again.status is Status.ACTIVE:
        again = play.time_out(again)
    return again


def action_of(entry: Entry) -> Action:
    """The action that a log entry is about, as it was checked."""
    return {"type": entry.type, **entry.data, **entry.secret}


def opening(match: Match) -> Match:
    """A match with its whole log as it was when it started, or when it ended without a start.

    Raises `ValueError` or `Refused` where its log tells of what can't be.
    """
    known = {sitter.player: sitter for sitter in match.seats if sitter is not None}
    entries = [entry for entry in match.log if entry.turn == 0]
    # One seat more than were ever taken: who started the match is in the log, be it its last seat or its creator.
    size = 2 + max((entry.seat for entry in entries if entry.seat is not None), default=-1)
    free: tuple[Sitter | None, ...] = (None,) * max(size, len(match.seats))
    fields = (match.id, match.game, match.rules_version, match.options, match.clock, match.key, match.created_at)
    again = Match(*fields, free, host=_host(match, entries))
    for entry in entries:
        match entry.type:
            case "joined":
                again = lobby.join(again, _as_seated(entry, known), entry.at, entry.key, entry.seat)
            case "unseated" if entry.seat is not None:
                again = lobby.leave(again, entry.seat, entry.at, entry.key)
            case "started":
                again = lobby.start(again, again.host, entry.at, entry.key)
            case "paused" | "resumed":
                again = _paused(again, entry)
            case "aborted":  # which follows from the creator's leaving, or is the end of its own
                again = lobby.abort(again, entry.at) if again.status is Status.OPEN else again
            case _:
                raise ValueError(f"a match that is open has no event {entry.type}")
    return again if again.status is not Status.ABORTED else again._replace(seats=again.seats[: len(match.seats)])


def _host(match: Match, entries: list[Entry]) -> Seat:
    """The creator's seat before the start, at which seats may be numbered anew."""
    creator = match.seats[match.host]
    player = "" if creator is None else creator.player
    taken = [e.seat for e in entries if e.type == "joined" and e.data["player"] == player and e.seat is not None]
    return taken[-1] if taken else match.host


def _as_seated(entry: Entry, known: dict[str, Sitter]) -> Sitter:
    """The sitter at the moment of sitting down. Of who left before the start nothing but the id is kept."""
    player = entry.data["player"]
    sitter = known.get(player, Sitter(player, "", 0))
    return Sitter(player, sitter.name, sitter.rating, sitter.bot, sitter.nonce)


def actions(match: Match) -> list[Entry]:
    """The actions of a match with its whole log, in the order of commitment: those of the clock, and those sealed in a
    decision that was still open when the match ended, as their entries would have been."""
    return sorted([entry for entry in match.log if entry.move] + _unopened(match), key=lambda entry: entry.move)


def _deeds(match: Match) -> list[Entry]:
    """What was done from the start on, by others than the clock, in the order of commitment."""
    acts = [entry for entry in actions(match) if entry.by != By.CLOCK]
    others = [entry for entry in match.log if entry.turn and _comes_from_outside(entry)]
    return sorted([*acts, *others], key=lambda entry: (entry.move or entry.secret["after"], not entry.move))


def _comes_from_outside(entry: Entry) -> bool:
    is_forfeit = entry.type == "left" and entry.data["reason"] == Left.FORFEIT
    return is_forfeit or entry.type in _PAUSES or entry.type in _ENDINGS


def _unopened(match: Match) -> list[Entry]:
    return [
        Entry(choice.at, match.turn, choice.action["type"], choice.seat, parts, choice.by, choice.key, choice.move)
        for choice in match.seals
        for parts in [{name: value for name, value in choice.action.items() if name != "type"}]
    ]


def committed(entry: Entry) -> EpochMs:
    """When an action was committed: of a sealed one, before it was published."""
    return entry.committed or entry.at


def _do(again: Match, entry: Entry) -> Match:
    if entry.type in _PAUSES:
        return _paused(again, entry)
    if entry.type in _ENDINGS:
        return (play.adjudicate if entry.type == "adjudicated" else play.call_off)(again, entry.at)
    if entry.seat is None:
        raise ValueError(f"nobody did {entry.type}")
    if entry.type == "left":
        return play.forfeit(again, entry.seat, entry.at)
    if entry.type == play.RESIGN["type"]:
        return play.resign(again, play.Request(entry.seat, entry.at, By(entry.by), entry.key))
    # It came in time; where that was before another's, its moment in the log was moved behind that.
    deadline = play.deadline(again, entry.seat)
    at = committed(entry) if deadline is None else min(committed(entry), deadline - 1)
    return play.act(again, play.Request(entry.seat, at, By(entry.by), entry.key), entry.turn, action_of(entry))


def _paused(again: Match, entry: Entry) -> Match:
    """A pause that begins or is cut short."""
    if entry.type == "resumed":
        return play.resume(again, entry.key, entry.data["until"])
    pause = Pause(entry.key, entry.seat, entry.data["from"], entry.data["until"])
    return play.pause(again, pause, entry.at, entry.committed)
