"""A match before its start: seats, nonces, and the start itself."""

from engine import games
from engine.clock import Clock, full, per_move
from engine.errors import Code, Refused
from engine.games import options
from engine.match import play
from engine.match.record import (
    Entry,
    Match,
    Sitter,
    Status,
    all_options,
    chance,
    logged,
    not_before,
    replaced,
    rules,
    seat_of,
    sitters,
)
from engine.types import Data, EpochMs, Seat

NONCE_BYTES = 64


def create(
    match_id: str, game_id: str, size: int | None, given: Data, clock: Clock | None, key: bytes, at: EpochMs
) -> Match:
    """A match with `size` free seats (by default the game's minimum) and a secret 32-byte key.

    Raises `Refused` (invalid-request) for an unknown game, a table that it can't have, or options out of bounds.
    """
    game = games.find(game_id)
    if game is None:
        raise Refused(Code.INVALID_REQUEST, "must be one of: " + ", ".join(games.IDS), ("game",))
    low, high = game.SEATS
    size = low if size is None else size
    if not low <= size <= high:
        raise Refused(Code.INVALID_REQUEST, f"{game.TITLE} has {low} to {high} seats", ("seats",))
    chosen = options.chosen(game.OPTIONS, given, size)
    free: tuple[Sitter | None, ...] = (None,) * size
    clock = clock or per_move(game.MOVE_SECONDS)
    return Match(match_id, game_id, game.RULES_VERSION, chosen, clock, key.hex(), at, free)


def _require_open(match: Match) -> None:
    if match.status is not Status.OPEN:
        raise Refused(Code.MATCH_NOT_OPEN, f"the match is {match.status}; this is possible while it is open")


def checked_nonce(nonce: str) -> str:
    """The nonce in lower case. Raises `Refused` (invalid-request) unless it is hexadecimal, up to 64 bytes."""
    try:
        data = bytes.fromhex(nonce)
    except ValueError:
        data = None
    if data is None or data.hex() != nonce.lower() or len(data) > NONCE_BYTES:
        raise Refused(Code.INVALID_REQUEST, f"must be hexadecimal, up to {NONCE_BYTES} bytes", ("nonce",))
    return data.hex()


def join(match: Match, sitter: Sitter, at: EpochMs, key: str = "", wish: Seat | None = None) -> Match:
    """Takes the seat that is wished for, if it is free, else the lowest free one; the last seat starts the match.

    Raises `Refused`: already-joined, match-full, match-not-open.
    """
    if seat_of(match, sitter.player) is not None:
        raise Refused(Code.ALREADY_JOINED, "you have a seat in this match")
    if None not in match.seats and match.status is Status.ACTIVE:
        raise Refused(Code.MATCH_FULL, "all seats are taken; look for another match")
    _require_open(match)
    at = not_before(match, at)
    seat = wish if wish is not None and match.seats[wish] is None else match.seats.index(None)
    seats = (*match.seats[:seat], sitter, *match.seats[seat + 1 :])
    entry = Entry(at, 0, "joined", seat, {"player": sitter.player}, key=key)
    match = logged(match._replace(seats=seats), entry)
    return match if None in seats else _begin(match, at)


def leave(match: Match, seat: Seat, at: EpochMs, key: str = "") -> Match:
    """Frees a seat of an open match; when the creator leaves, it is aborted. Raises `Refused`."""
    _require_open(match)
    at = not_before(match, at)
    seats = (*match.seats[:seat], None, *match.seats[seat + 1 :])
    match = logged(match, Entry(at, 0, "unseated", seat, key=key))
    if seat == match.host:
        return abort(match, at)
    # Whoever sits down here next is not the one whose clock was to stand still.
    return match._replace(seats=seats, pauses=tuple(pause for pause in match.pauses if pause.seat != seat))


def abort(match: Match, at: EpochMs) -> Match:
    """Ends an open match that will not begin."""
    _require_open(match)
    at = not_before(match, at)
    return logged(match._replace(status=Status.ABORTED, ended_at=at), Entry(at, 0, "aborted"))


def start(match: Match, seat: Seat, at: EpochMs, key: str = "") -> Match:
    """Starts with the seats that are taken, numbered anew without gaps. Only the creator may.

    Raises `Refused`: forbidden, match-not-open, conflict (fewer seats taken than the game or an option needs).
    """
    if seat != match.host:
        raise Refused(Code.FORBIDDEN, "only the creator of a match starts it")
    _require_open(match)
    places = [place for place, sitter in enumerate(match.seats) if sitter is not None]
    taken = sitters(match)
    low = rules(match).SEATS[0]
    if len(taken) < low:
        raise Refused(Code.CONFLICT, f"{rules(match).TITLE} needs {low} seats; {len(taken)} are taken")
    try:
        chosen = options.chosen(rules(match).OPTIONS, match.options, len(taken))
    except Refused as refused:
        option = refused.loc[-1]
        raise Refused(Code.CONFLICT, f"with {len(taken)} seats, {option} {refused.detail}") from refused
    pauses = tuple(p if p.seat is None else p._replace(seat=places.index(p.seat)) for p in match.pauses)
    table = match._replace(seats=taken, options=chosen, pauses=pauses, host=places.index(seat))
    return _begin(table, not_before(match, at), key)


def set_nonce(match: Match, seat: Seat, nonce: str) -> Match:
    """Gives or replaces a seat's own nonce (hexadecimal, checked) while the match is open. The match itself where the
    seat has that nonce already. Raises `Refused`."""
    _require_open(match)
    sitter = match.seats[seat]
    return match if sitter is not None and sitter.nonce == nonce else replaced(match, seat, nonce=nonce)


def _begin(match: Match, at: EpochMs, key: str = "") -> Match:
    match = logged(match, Entry(at, 0, "started", key=key))
    ms, periods = full(match.clock)
    seats = tuple(sitter._replace(reserve_ms=ms, periods=periods) for sitter in sitters(match))
    state = rules(match).new(all_options(match), len(seats), chance(match))
    match = match._replace(status=Status.ACTIVE, started_at=at, turn=1, opened_at=at, state=state, seats=seats)
    return play.settle(match, at)
