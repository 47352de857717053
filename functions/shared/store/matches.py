"""Matches in DynamoDB: an action is one write, whatever the game; index keys change with the status only."""

from collections.abc import Sequence

import msgspec
from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.exceptions import PutError
from pynamodb.expressions.condition import Condition

from engine.match.record import Status, sitters
from engine.types import EpochMs
from functions.shared.store import notices, packing
from functions.shared.store.availability import SOMEBODY_ELSE, code_of, guarded
from functions.shared.store.due import indexed_due, shard_of
from functions.shared.store.models import Attributes, LogItem, MatchItem, MessageItem, PlayerItem, connection
from functions.shared.store.ports import ConflictError
from functions.shared.store.records import DueItem, LogPart, MatchRecord, Message, Page, Place, Remembered
from functions.shared.store.remembering import remembered_item, unless_remembered
from functions.shared.store.transactions import Put, transact

_SK = "M"
_LISTED = {Status.OPEN: "open", Status.ACTIVE: "active", Status.FINISHED: "done"}


def _listing(record: MatchRecord) -> tuple[str | None, str | None]:
    match = record.match
    if record.private or match.status not in _LISTED:
        return None, None
    since = {Status.OPEN: match.created_at, Status.ACTIVE: match.started_at}.get(match.status, match.ended_at)
    return f"{_LISTED[match.status]}#{match.game}", f"{since:013d}#{match.id}"


def _attributes(record: MatchRecord, news: str | None) -> Attributes:
    match = record.match
    lp, la = _listing(record)
    due = record.due
    texts = {"lp": lp, "la": la, "dp": None if due is None else shard_of(match.id), "news": news}
    numbers = {"v": record.version, "da": due, "ended": None if record.settled else match.ended_at or None}
    attributes: Attributes = {"pk": {"S": f"MAT#{match.id}"}, "sk": {"S": _SK}, "body": {"B": packing.pack(record)}}
    attributes |= {name: {"S": text} for name, text in texts.items() if text is not None}
    return attributes | {name: {"N": str(number)} for name, number in numbers.items() if number is not None}


def _prepared(before: MatchRecord | None, after: MatchRecord) -> tuple[MatchRecord, Attributes, LogItem | None]:
    """The record as it will be stored, its item, and the part of the log to put away."""
    record = after._replace(version=after.version + 1, due=indexed_due(after))
    news = ",".join(notices.kinds(before, record)) or None
    item, log = _attributes(record, news), None
    if len(item["body"]["B"]) > packing.BOUND:
        record, part = packing.put_away(record)
        if part is not None:
            item = _attributes(record, news)
            log = LogItem(f"MAT#{record.match.id}", f"LOG#{part.first:08d}", body=packing.pack_part(part))
    return record, item, log


def _expected(before: MatchRecord | None) -> Condition:
    return MatchItem.pk.does_not_exist() if before is None else MatchItem.v == before.version


def _puts(before: MatchRecord | None, after: MatchRecord) -> tuple[MatchRecord, list[Put]]:
    """The record as it will be stored, and what a transaction writes of it."""
    record, item, log = _prepared(before, after)
    return record, [(MatchItem.from_raw_data(item), _expected(before)), *([(log, None)] if log else [])]


def _put(item: Attributes, before: MatchRecord) -> None:
    """The write of a move, in DynamoDB's own words: pynamodb would take as long to find them as the game takes."""
    put = {
        "TableName": MatchItem.Meta.table_name,
        "Item": item,
        "ConditionExpression": "v = :v",
        "ExpressionAttributeValues": {":v": {"N": str(before.version)}},
    }
    try:
        connection().dispatch("PutItem", put)
    except (BotoCoreError, ClientError) as error:
        failed = PutError(f"the match could not be saved: {error}", error)
        if code_of(failed) in SOMEBODY_ELSE:
            raise ConflictError(before.match.id) from error
        raise failed from error


def new_match(record: MatchRecord, players: Sequence[str]) -> tuple[MatchRecord, list[Put]]:
    """A new match as it will be stored, and the writes that store it and its place in the lists of its players."""
    stored, puts = _puts(None, record)
    fresh = PlayerItem.pk.does_not_exist()
    return stored, puts + [(_live(player, record.match.id), fresh) for player in players]


class DynamoMatches:
    """`ports.Matches` over the matches and players tables."""

    @guarded
    def get(self, match_id: str) -> MatchRecord | None:
        """See `ports.Matches`."""
        answer = connection().get_item(MatchItem.Meta.table_name, f"MAT#{match_id}", _SK, consistent_read=True)
        if "Item" not in answer:
            return None
        item = answer["Item"]
        return _unpacked(item["body"]["B"], item["v"]["N"], item["da"]["N"] if "da" in item else None)

    @guarded
    def get_many(self, match_ids: Sequence[str]) -> list[MatchRecord]:
        """See `ports.Matches`."""
        items = MatchItem.batch_get([(f"MAT#{match_id}", _SK) for match_id in match_ids], consistent_read=True)
        found = {item.pk: _unpacked(item.body, item.v, item.da) for item in items}
        return [found[f"MAT#{match_id}"] for match_id in match_ids if f"MAT#{match_id}" in found]

    @guarded
    def create(
        self,
        record: MatchRecord,
        player: str,
        remembered: Remembered | None,
        origin: tuple[MatchRecord, MatchRecord] | None = None,
    ) -> MatchRecord:
        """See `ports.Matches`."""
        stored, puts = new_match(record, [player])
        puts += [(_invitation(invited, record.match.id), None) for invited in record.invited]
        if remembered is not None:
            puts.append((remembered_item(remembered), unless_remembered(remembered)))
        if origin is not None:
            puts += _puts(*origin)[1]
        transact(puts)
        return stored

    @guarded
    def save(self, before: MatchRecord, after: MatchRecord) -> MatchRecord:
        """See `ports.Matches`."""
        record, item, log = _prepared(before, after)
        if log is not None:
            transact([(MatchItem.from_raw_data(item), _expected(before)), (log, None)])
        else:
            _put(item, before)
        return record

    @guarded
    def seat(self, before: MatchRecord, after: MatchRecord, player: str) -> MatchRecord:
        """See `ports.Matches`."""
        live = _live(player, after.match.id)
        invitation = [_invitation(player, after.match.id)] if player in after.invited else []
        return self._transact(before, after, puts=[(live, None)], deletes=invitation)

    @guarded
    def unseat(self, before: MatchRecord, after: MatchRecord, player: str) -> MatchRecord:
        """See `ports.Matches`."""
        return self._transact(before, after, deletes=[_live(player, after.match.id)])

    @guarded
    def close(self, before: MatchRecord, after: MatchRecord) -> MatchRecord:
        """See `ports.Matches`."""
        match = after.match
        players = [sitter.player for sitter in sitters(match) if not sitter.bot]
        done = [(PlayerItem(f"PLAYER#{p}", f"DONE#{match.ended_at:013d}#{match.id}"), None) for p in players]
        gone = [_live(player, match.id) for player in players]
        gone += [_invitation(player, match.id) for player in after.invited if player not in players]
        return self._transact(before, after, puts=done, deletes=gone)

    @guarded
    def log_parts(self, match_id: str, first: int, last: int) -> Sequence[LogPart]:
        """See `ports.Matches`."""
        between = LogItem.sk.between(f"LOG#{first:08d}", f"LOG#{last:08d}")
        items = LogItem.query(f"MAT#{match_id}", between, consistent_read=True)
        return [packing.unpack_part(int(item.sk.removeprefix("LOG#")), item.body) for item in items]

    @guarded
    def listed(self, status: str, game: str, before: str | None, limit: int) -> Page:
        """See `ports.Matches`."""
        older = None if before is None else MatchItem.la < before
        partition = f"{_LISTED[Status(status)]}#{game}"
        items = MatchItem.lists.query(partition, older, scan_index_forward=False, limit=limit)
        places = tuple(Place(item.la or "", item.pk.removeprefix("MAT#")) for item in items)
        return Page(places, len(places) == limit)

    @guarded
    def of_player(self, player: str, *, ended: bool, before: str | None, limit: int) -> Page:
        """See `ports.Matches`."""
        prefix = "DONE#" if ended else "LIVE#"
        return _own_list(player, prefix, before, limit)

    @guarded
    def invited(self, player: str, before: str | None, limit: int) -> Page:
        """See `ports.Matches`."""
        return _own_list(player, "INVITE#", before, limit)

    @guarded
    def due(self, shard: int, until: EpochMs, limit: int, after: str | None = None) -> Sequence[DueItem]:
        """See `ports.Matches`."""
        start = None if after is None else msgspec.json.decode(after)
        query = MatchItem.due.query(f"due#{shard}", MatchItem.da <= until, limit=limit, last_evaluated_key=start)
        return [_due(item) for item in query]

    @guarded
    def say(self, match_id: str, message: Message, remembered: Remembered | None) -> None:
        """See `ports.Matches`."""
        body = msgspec.json.encode(message).decode()
        item = MessageItem(f"MAT#{match_id}", f"MSG#{message.id}", body=body)
        puts: list[Put] = [(item, MessageItem.pk.does_not_exist())]
        if remembered is not None:
            puts.append((remembered_item(remembered), unless_remembered(remembered)))
        transact(puts)

    @guarded
    def last_message(self, match_id: str) -> Message | None:
        """See `ports.Matches`."""
        every = MessageItem.sk.startswith("MSG#")
        query = MessageItem.query(f"MAT#{match_id}", every, consistent_read=True, scan_index_forward=False, limit=1)
        return next((Message(*msgspec.json.decode(item.body)) for item in query), None)

    @guarded
    def messages(self, match_id: str, after: str | None, limit: int) -> Sequence[Message]:
        """See `ports.Matches`."""
        later = MessageItem.sk.between(f"MSG#{after or ''}", "MSG#~")
        query = MessageItem.query(f"MAT#{match_id}", later, consistent_read=True, limit=limit + 1)
        found = [Message(*msgspec.json.decode(item.body)) for item in query]
        return [message for message in found if message.id != after][:limit]

    def _transact(
        self,
        before: MatchRecord | None,
        after: MatchRecord,
        puts: Sequence[Put] = (),
        deletes: Sequence[PlayerItem] = (),
    ) -> MatchRecord:
        record, own = _puts(before, after)
        transact([*own, *puts], deletes)
        return record


def _due(item: MatchItem) -> DueItem:
    place = {"pk": {"S": item.pk}, "sk": {"S": item.sk}, "dp": {"S": item.dp}, "da": {"N": str(int(item.da or 0))}}
    key = f"{item.pk}|{item.sk}" if item.pk.startswith("SEEK#") else item.pk
    return DueItem(key, int(item.da or 0), msgspec.json.encode(place).decode())


def _unpacked(body: bytes, version: float | str, due: float | str | None) -> MatchRecord:
    """The record of an item's attributes: numbers, as the model gives them, or their texts, as DynamoDB does."""
    return packing.unpack(body, int(version), None if due is None else int(due))


def _own_list(player: str, prefix: str, before: str | None, limit: int) -> Page:
    upto = PlayerItem.sk.between(prefix, prefix + ("~" if before is None else before))
    query = PlayerItem.query(f"PLAYER#{player}", upto, scan_index_forward=False, consistent_read=True, limit=limit + 1)
    keys = [key for item in query if (key := item.sk.removeprefix(prefix)) != before][:limit]
    return Page(tuple(Place(key, key.rsplit("#", 1)[-1]) for key in keys), len(keys) == limit)


def _live(player: str, match_id: str) -> PlayerItem:
    return PlayerItem(f"PLAYER#{player}", f"LIVE#{match_id}")


def _invitation(player: str, match_id: str) -> PlayerItem:
    return PlayerItem(f"PLAYER#{player}", f"INVITE#{match_id}")
