"""What a viewer may read in a match's log."""

from engine.match.record import By, Entry, Match, published
from engine.types import Json, Seat, Turn

LAST_EVENTS = 20


def shown(entry: Entry, number: int, viewer: Seat | None, turn: Turn) -> dict[str, Json]:
    """The entry as `viewer` (None: a spectator) may know it while decision `turn` is open; `at` is in milliseconds.

    `seat` is whose event it is; the seat that an action names (`trust`, `accuse`) stands as `chosen`.
    """
    event: dict[str, Json] = {"n": number, "at": entry.at, "turn": entry.turn, "seat": entry.seat, "type": entry.type}
    if entry.by:
        event["by"] = entry.by
    data = dict(entry.data)
    if "seat" in data:
        event["chosen"] = data.pop("seat")
    event |= data
    if viewer is not None and viewer in entry.to:
        event |= entry.secret
    if turn <= entry.turn + 1:
        event |= entry.brief
    return event


def last_events(match: Match, viewer: Seat | None) -> list[dict[str, Json]]:
    """What happened since the viewer's last own action (a spectator: all), among the last 20 events.

    Whether older ones are still here hangs on the size of the item, and so on what is hidden: none of them is shown.
    """
    sitter = None if viewer is None else match.seats[viewer]
    seen = 0 if sitter is None else sitter.seen
    last = match.log[-LAST_EVENTS:]
    events = []
    for number, entry in enumerate(last, published(match) - len(last) + 1):
        is_own = entry.seat == viewer and viewer is not None and entry.by == By.PLAYER
        if number > seen and not is_own:
            events.append(shown(entry, number, viewer, match.turn))
    return events
