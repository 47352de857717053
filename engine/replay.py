"""Derives a match anew from what it was given: its key, nonces, options, sitters, and what was done in it.

Everything else (deals, legality, settlements, time-outs, seats that miss their actions, the result) follows from these,
so a match that equals its replay was played by the rules and dealt from its key.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.match import lobby, play
from engine.match.record import By, Entry, Left, Match, Sitter, Status
from engine.types import Action, EpochMs

OVER = (Status.FINISHED, Status.ABORTED)


class Deed(NamedTuple):
    """Something that somebody did in a match that had started, in the order of commitment."""

    entry: Entry
    at: EpochMs

    @property
    def is_forfeit(self) -> bool:
        """Whether a seat was taken out; else it is an action of a player or a bot."""
        return self.entry.type == "left"


def replay(match: Match) -> Match:
    """The match as its rules and its key make it from its log's actions. It equals `match` if that is what happened.

    The match has ended and its log is complete. Raises `ValueError` where it has not or is not, `Refused` where an
    action was not possible.
    """
    if match.status not in OVER:
        raise ValueError(f"the match is {match.status}: only a match that has ended can be replayed")
    if match.put_away:
        raise ValueError(f"the first {match.put_away} events of the log are missing")
    again = _lobby(match)
    for deed in _deeds(match):
        while again.turn < deed.entry.turn:
            again = play.time_out(again)
        again = _do(again, deed)
    while again.status is Status.ACTIVE:
        again = play.time_out(again)
    return again


def action_of(entry: Entry) -> Action:
    """The action that a log entry is about, as it was checked."""
    return {"type": entry.type, **entry.data, **entry.secret}


def _lobby(match: Match) -> Match:
    """From the creation to the start, or to the end of a match that never started."""
    known = {sitter.player: sitter for sitter in match.seats if sitter is not None}
    entries = [entry for entry in match.log if entry.turn == 0]
    # One seat more than were ever taken: who started the match is in the log, be it its last seat or its creator.
    size = 2 + max((entry.seat for entry in entries if entry.seat is not None), default=-1)
    free: tuple[Sitter | None, ...] = (None,) * max(size, len(match.seats))
    fields = (match.id, match.game, match.rules_version, match.options, match.clock, match.key, match.created_at)
    again = Match(*fields, free)
    for entry in entries:
        match entry.type:
            case "joined":
                again = lobby.join(again, _as_seated(entry, known), entry.at, entry.key)
            case "unseated" if entry.seat is not None:
                again = lobby.leave(again, entry.seat, entry.at, entry.key)
            case "started":
                again = lobby.start(again, 0, entry.at, entry.key)
            case "aborted":  # which follows from the creator's leaving, or is the end of its own
                again = lobby.abort(again, entry.at) if again.status is Status.OPEN else again
            case _:
                raise ValueError(f"a match that is open has no event {entry.type}")
    return again if again.status is not Status.ABORTED else again._replace(seats=again.seats[: len(match.seats)])


def _as_seated(entry: Entry, known: dict[str, Sitter]) -> Sitter:
    """The sitter at the moment of sitting down. Of who left before the start nothing but the log is kept."""
    player, name = entry.data["player"], entry.data["name"]
    sitter = known.get(player, Sitter(player, name, 0))
    return Sitter(player, name, sitter.rating, sitter.bot, sitter.nonce)


def _deeds(match: Match) -> Iterator[Deed]:
    """The actions of players and bots as they were committed, and forfeits, which have no number among them.

    A seat is taken out before the choices of its turn that were committed later or at the same moment.
    """
    made = [entry for entry in match.log if entry.move and entry.by != By.CLOCK]
    taken_out = [entry for entry in match.log if entry.type == "left" and entry.data["reason"] == Left.FORFEIT]
    for entry in sorted(made, key=lambda entry: entry.move):
        deed = Deed(entry, entry.committed or entry.at)
        while taken_out and (taken_out[0].turn, taken_out[0].at) <= (entry.turn, deed.at):
            forfeit = taken_out.pop(0)
            yield Deed(forfeit, forfeit.at)
        yield deed
    yield from (Deed(entry, entry.at) for entry in taken_out)


def _do(match: Match, deed: Deed) -> Match:
    entry = deed.entry
    if entry.seat is None:
        raise ValueError(f"nobody did {entry.type}")
    if deed.is_forfeit:
        return play.forfeit(match, entry.seat, deed.at)
    request = play.Request(entry.seat, deed.at, By(entry.by), entry.key)
    if entry.type == play.RESIGN["type"]:
        return play.resign(match, request)
    return play.act(match, request, entry.turn, action_of(entry))
