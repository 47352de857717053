"""Lists of matches, newest first. They show what is stored and settle nothing."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from engine import games
from engine.match import play
from engine.match.record import Status, seat_of
from engine.types import Seat
from functions.shared.flows.seats import LIVE_LIMIT, RatingIn, fits, ratings_of
from functions.shared.flows.visibility import may_see
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord, Page

CHUNK = 50
"""Places read at once: what a filter leaves out was read all the same."""

READS = 6
"""Reads for one page at most. A page may be short, even empty, while there is a next one."""

FOREIGN_READS = 1000
"""Of somebody else's matches: were a page short because private ones were left out, it would tell of them."""

Source: TypeAlias = Callable[[str | None], Page]
"""Gives the places of a list after a key, or its first ones."""


class Wanted(NamedTuple):
    """What a caller (None: nobody that is known) wants to see of the matches."""

    caller: str | None
    status: Status | None = None
    game: str | None = None
    player: str | None = None
    joinable: bool = False
    limit: int = 20


class Found(NamedTuple):
    """A page of matches, and the cursor of the next one."""

    records: list[MatchRecord]
    next: str | None


def matches(services: Services, wanted: Wanted, cursor: str | None) -> Found:
    """A page of public matches by status (open by default), of one player's, or of those that the caller may join.

    `cursor` is the `next` of the page before, asked for with the same wishes.
    """
    sources = _sources(services, wanted)
    names = list(sources)
    name, _, key = (cursor or f"{names[0]}|").partition("|")
    found: list[MatchRecord] = []
    rating = ratings_of(services, wanted.caller or "")
    before = key or None
    for _ in range(READS if wanted.player in (None, wanted.caller) else FOREIGN_READS):
        page = sources[name](before)
        read = {r.match.id: r for r in services.matches.get_many([place.id for place in page.places])}
        for place in page.places:
            before = place.key
            record = read.get(place.id)
            # An invitation to a public match stands among the public ones.
            if record is not None and _is_wanted(record, wanted, rating) and (record.private or name != "invited"):
                found.append(record)
            if len(found) == wanted.limit:
                return Found(found, f"{name}|{before}")
        if page.more:
            continue
        if name == names[-1]:
            return Found(found, None)
        name, before = names[names.index(name) + 1], None
    return Found(found, f"{name}|{before or ''}")


def _sources(services: Services, wanted: Wanted) -> Mapping[str, Source]:
    """The lists to go through, one after the other, by a name that stands in the cursor."""
    store, player = services.matches, wanted.player
    if player is not None:
        lists: dict[str, Source] = {
            "live": lambda before: store.of_player(player, ended=False, before=before, limit=CHUNK),
            "ended": lambda before: store.of_player(player, ended=True, before=before, limit=CHUNK),
        }
        # What has just ended is listed as live until it is settled.
        names = ("live",) if wanted.status in (Status.OPEN, Status.ACTIVE) else ("live", "ended")
        return {name: lists[name] for name in names}
    status, caller = wanted.status or Status.OPEN, wanted.caller
    public: dict[str, Source] = {status: lambda before: _merged(services, status, wanted.game, before)}
    if wanted.joinable and caller is not None:
        return {"invited": lambda before: store.invited(caller, before, CHUNK)} | public
    return public


def _merged(services: Services, status: Status, game: str | None, before: str | None) -> Page:
    pages = [services.matches.listed(status, one, before, CHUNK) for one in ([game] if game else games.IDS)]
    # Below the last place of a page that goes on, its game may have newer matches that were not read.
    floor = max((page.places[-1].key for page in pages if page.more), default="")
    places = sorted((place for page in pages for place in page.places if place.key >= floor), reverse=True)
    return Page(tuple(places[:CHUNK]), bool(floor) or len(places) > CHUNK)


def _is_wanted(record: MatchRecord, wanted: Wanted, rating: RatingIn) -> bool:
    match = record.match
    if not may_see(record, wanted.caller):
        return False
    if wanted.status not in (None, match.status) or wanted.game not in (None, match.game):
        return False
    return not wanted.joinable or _is_joinable(record, wanted.caller, rating)


def _is_joinable(record: MatchRecord, caller: str | None, rating: RatingIn) -> bool:
    match = record.match
    if match.status is not Status.OPEN or None not in match.seats:
        return False
    return caller is None or (seat_of(match, caller) is None and fits(record, caller, rating))


def my_turn(services: Services, wanted: Wanted, cursor: str | None) -> Found:
    """A page of the live matches that wait for `wanted.player`, the earliest deadline first: of at most 100."""
    player, now = wanted.player or "", services.now()
    rating = ratings_of(services, player)
    live = services.matches.of_player(player, ended=False, before=None, limit=LIVE_LIMIT).places
    records = services.matches.get_many([place.id for place in live])
    waiting = {
        _deadline(record, seat): record
        for record in records
        if (seat := seat_of(record.match, player)) is not None
        and play.may_act(record.match, seat, now)
        and _is_wanted(record, wanted, rating)
    }
    places = sorted(place for place in waiting if place > (cursor or ""))
    page = places[: wanted.limit]
    return Found([waiting[place] for place in page], page[-1] if len(page) < len(places) else None)


def _deadline(record: MatchRecord, seat: Seat) -> str:
    """A place in the list by the own deadline; it stays until the match moves on."""
    limit = play.deadline(record.match, seat)
    return f"{(1 << 53) if limit is None else limit:016d}#{record.match.id}"
