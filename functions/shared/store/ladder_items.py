"""The items of the ladder table, from and to the values that the flows know (README, "Tables")."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.ladder.elo import CEILING
from engine.ladder.ranks import band
from engine.ladder.standing import Standing
from functions.shared.store import ladder_counts
from functions.shared.store.ladder_records import (
    Delta,
    DueRating,
    LadderEntry,
    LadderPlace,
    Mark,
    Meetings,
    Rating,
    Snapshot,
    entry_from,
)
from functions.shared.store.models import LadderItem
from functions.shared.store.ports import NewerRecordError

Key = tuple[str, str]

_OF_KEYS = ("game", "player", "due", "version")
"""Fields of a rating that stand in attributes of their own."""

_RATING = tuple(field for field in Rating._fields if field not in _OF_KEYS)


def entry_key(match_id: str, *, annulment: bool) -> Key:
    """`RESULT#match | R` or `| ANNULMENT`."""
    return f"RESULT#{match_id}", "ANNULMENT" if annulment else "R"


def rating_key(game: str, player: str) -> Key:
    """`RATING#game#player | R`."""
    return f"RATING#{game}#{player}", "R"


def mark_key(game: str, player: str) -> Key:
    """`MARK#game#player | M`."""
    return f"MARK#{game}#{player}", "M"


def meetings_key(game: str, players: Sequence[str]) -> Key:
    """`PAIR#game#digest | P`: players without order."""
    digest = hashlib.sha256(" ".join(sorted(players)).encode()).hexdigest()[:32]
    return f"PAIR#{game}#{digest}", "P"


def history_partition(game: str, player: str) -> str:
    """`HIST#game#player`."""
    return f"HIST#{game}#{player}"


def counts_partition(game: str) -> str:
    """`COUNTS#game`: the snapshot, and the deltas that it has not taken in."""
    return f"COUNTS#{game}"


def entries_partition(game: str) -> str:
    """Where the index `lists` has the entries of a game."""
    return f"entries#{game}"


def band_partition(game: str, number: int) -> str:
    """Where the index `lists` has a band of a ladder."""
    return f"band#{game}#{number:03d}"


def due_partition(game: str) -> str:
    """Where the index `due` has the listed players of a ladder."""
    return f"due#{game}"


def entry_item(entry: LadderEntry) -> LadderItem:
    """An entry; the index keeps it in the order of moments."""
    pk, sk = entry_key(entry.match, annulment=entry.annuls)
    body = msgspec.json.encode(entry).decode()
    return LadderItem(pk, sk, body=body, lp=entries_partition(entry.game), la=f"{entry.at:013d}#{entry.match}#{sk}")


def entry_of(item: LadderItem) -> LadderEntry:
    """The entry that `entry_item` was given. Raises `NewerRecordError`."""
    try:
        return entry_from(msgspec.json.decode(item.body))
    except TypeError as error:
        raise NewerRecordError(f"an entry of {item.pk} with fields that are not known here") from error


def history_item(entry: LadderEntry, player: str, version: int) -> LadderItem:
    """Says where an entry stands in a player's history: behind those of lower versions."""
    pk, sk = entry_key(entry.match, annulment=entry.annuls)
    place = f"{version:010d}#{entry.at:013d}#{pk.removeprefix('RESULT#')}#{sk}"
    return LadderItem(history_partition(entry.game, player), place)


def entry_key_at(place: str) -> Key:
    """The key of the entry that a row of a history stands for."""
    _, _, match_id, kind = place.split("#")
    return entry_key(match_id, annulment=kind != "R")


def rating_item(rating: Rating) -> LadderItem:
    """A rating; the index has it while it is listed."""
    pk, sk = rating_key(rating.game, rating.player)
    body = msgspec.json.encode([getattr(rating, name) for name in _RATING]).decode()
    dp = None if rating.due is None else due_partition(rating.game)
    return LadderItem(pk, sk, v=rating.version, body=body, dp=dp, da=rating.due)


def rating_of(item: LadderItem) -> Rating:
    """The rating that `rating_item` was given. Raises `NewerRecordError`."""
    return _rating(item.pk, item.body or "", int(item.v or 0), None if item.da is None else int(item.da))


def rating_of_image(image: Mapping[str, Any]) -> Rating:
    """The rating in a record of the table's stream. Raises `NewerRecordError`."""
    due = int(image["da"]["N"]) if "da" in image else None
    return _rating(image["pk"]["S"], image["body"]["S"], int(image["v"]["N"]), due)


def _rating(pk: str, body: str, version: int, due: int | None) -> Rating:
    _, game, player = pk.split("#")
    standing, *others = msgspec.json.decode(body)
    if len(standing) > len(Standing._fields) or len(others) >= len(_RATING):
        raise NewerRecordError(f"a rating of {game} with fields that are not known here")
    fields = dict(zip(_RATING[1:], others, strict=False))
    return Rating(game, player, Standing(*standing), **fields, due=due, version=version)


def meetings_item(meetings: Meetings) -> LadderItem:
    """When the same players met."""
    pk, sk = meetings_key(meetings.game, meetings.players)
    return LadderItem(pk, sk, v=meetings.version, body=msgspec.json.encode(meetings.times).decode())


def meetings_of(item: LadderItem | None, game: str, players: Sequence[str]) -> Meetings:
    """The meetings of players, who may have had none."""
    known = tuple(sorted(players))
    if item is None:
        return Meetings(game, known)
    return Meetings(game, known, tuple(msgspec.json.decode(item.body)), int(item.v or 0))


def mark_item(mark: Mark) -> LadderItem:
    """A mark; the index has the place in the list while it is listed."""
    pk, sk = mark_key(mark.game, mark.player)
    item = LadderItem(pk, sk, v=mark.version, body=msgspec.json.encode([mark.points, mark.reached_at]).decode())
    if mark.points is not None:
        item.lp = band_partition(mark.game, band(mark.points))
        item.la = LadderPlace(mark.points, mark.reached_at, mark.player).key
    return item


def mark_of(item: LadderItem) -> Mark:
    """The mark that `mark_item` was given."""
    _, game, player = item.pk.split("#")
    points, reached_at = msgspec.json.decode(item.body)
    return Mark(game, player, points, reached_at, int(item.v or 0))


def snapshot_item(snapshot: Snapshot) -> LadderItem:
    """The counters."""
    return LadderItem(
        counts_partition(snapshot.game),
        "SNAPSHOT",
        v=snapshot.version,
        body=msgspec.json.encode([snapshot.as_of, snapshot.taken]).decode(),
        counts=ladder_counts.pack(snapshot.counts),
    )


def snapshot_of(item: LadderItem) -> Snapshot:
    """The counters that `snapshot_item` was given."""
    as_of, taken = msgspec.json.decode(item.body)
    game = item.pk.removeprefix("COUNTS#")
    return Snapshot(game, ladder_counts.unpack(item.counts), as_of, int(item.v or 0), tuple(taken))


def delta_item(game: str, delta: Delta) -> LadderItem:
    """What a batch did to the counters."""
    body = msgspec.json.encode(sorted(delta.changes.items())).decode()
    return LadderItem(counts_partition(game), f"DELTA#{delta.id}", body=body)


def delta_of(item: LadderItem) -> Delta:
    """The delta that `delta_item` was given."""
    return Delta(item.sk.removeprefix("DELTA#"), dict(msgspec.json.decode(item.body)))


def place_of(item: LadderItem) -> LadderPlace:
    """The place in the list that the index names."""
    inverted, reached_at, player = (item.la or "").split("#")
    return LadderPlace(CEILING // 1000 - int(inverted), int(reached_at), player)


def due_of(item: LadderItem) -> DueRating:
    """What the index of due ratings names."""
    at = int(item.da or 0)
    place = {"pk": {"S": item.pk}, "sk": {"S": item.sk}, "dp": {"S": item.dp}, "da": {"N": str(at)}}
    return DueRating(item.pk.split("#")[2], at, msgspec.json.encode(place).decode())
