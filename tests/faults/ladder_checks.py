"""Whether a ladder says what follows from its results, found out the long way: by sorting, recomputing, recounting."""

from collections import Counter
from typing import Any

from moto.dynamodb.models.utilities import dynamo_to_dict

from engine.ladder.ranks import BUCKETS
from functions.shared.flows import fsck, ranks, recompute
from functions.shared.flows.count import marked
from functions.shared.store.ladder_items import mark_of, rating_of_image
from functions.shared.store.ladder_records import LadderEntry, Mark, Rating
from functions.shared.store.ports import Services
from tests.faults.ladder_world import GAME
from tests.faults.world import World


def services() -> Services:
    """The services of the world that runs."""
    from functions.shared import wiring

    return wiring.services()


def items(world: World, prefix: str) -> list[dict[str, Any]]:
    """All items of a kind."""
    table = world.dynamo._backend.table("LadderTable")  # a scan of a large table would take minutes
    found = [item for partition in table.items.values() for item in partition.values()]
    return [dynamo_to_dict(dict(item.attrs)) for item in found if item.hash_key.value.startswith(prefix)]


def ratings(world: World) -> dict[str, Rating]:
    """All ratings, by player."""
    found = map(rating_of_image, items(world, f"RATING#{GAME}#"))
    return {rating.player: rating for rating in found}


def marks(world: World) -> dict[str, Mark]:
    """All marks, by player."""
    from functions.shared.store.models import LadderItem

    found = [mark_of(LadderItem.from_raw_data(item)) for item in items(world, f"MARK#{GAME}#")]
    return {mark.player: mark for mark in found}


def books(world: World) -> list[LadderEntry]:
    """All entries, in the order of their moments."""
    found, after = list[LadderEntry](), None
    while page := services().ladder.entries(GAME, after, 1000):
        found += [entry for _, entry in page]
        after = page[-1][0]
    return found


def sorted_ranks(stored: dict[str, Rating]) -> dict[str, int]:
    """The rank of each listed player, from the list of all of them."""
    points = sorted((rating.points for rating in stored.values() if rating.listed), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(points, 1)))}
    return {player: first[rating.points] for player, rating in stored.items() if rating.listed}


def check_counts(world: World) -> None:
    """Once all queues have drained: every mark, every counter, and every rank by the counters alone."""
    stored = ratings(world)
    assert marks(world) == {player: marked(rating) for player, rating in stored.items()}
    counters = services().ladder.counters(GAME)
    assert counters.deltas == []
    held = Counter(rating.points for rating in stored.values() if rating.listed)
    assert {n: count for n, count in enumerate(counters.counts()) if count} == dict(held)
    assert len(counters.counts()) == BUCKETS
    by_list = sorted_ranks(stored)
    assert {p: 1 + sum(counters.counts()[stored[p].points + 1 :]) for p in by_list} == by_list


def check_reads(world: World, players: list[str]) -> None:
    """What these players are shown."""
    stored = ratings(world)
    by_list = sorted_ranks(stored)
    for player in players:
        shown = ranks.standing(services(), GAME, player, "")
        assert (shown.row.rank, shown.of) == (by_list.get(player), len(by_list)), player
        if shown.row.rank is not None:
            lower = sum(stored[other].points < stored[player].points for other in by_list)
            assert shown.percentile == 100 * lower // len(by_list)


def check_books(world: World, matches: list[str]) -> None:
    """Each match is entered once, and from the entries alone follow all ratings."""
    entries = books(world)
    assert Counter(entry.match for entry in entries if not entry.annuls) == Counter(matches)
    ledger = recompute.Ledger({}, {})
    assert [entry.match for entry in entries if not recompute.enter(ledger, entry)] == []
    stored = {player: recompute.kept(rating) for player, rating in ratings(world).items()}
    assert stored == {player: recompute.kept(rating) for player, rating in ledger.ratings.items()}


def check_fsck(world: World, *, listed: int) -> None:
    """The recount of the operators says the same."""
    assert recounted() == {"players": listed, "uncounted": 0, "drift": 0}


def recounted(*, repair: bool = False) -> dict[str, int]:
    """What the operators' recount says."""
    total, after = Counter({"players": 0, "uncounted": 0, "drift": 0}), None
    while True:
        part = fsck.fsck(services(), GAME, after, repair=repair)
        total.update(players=part.players, uncounted=part.uncounted, drift=part.drift)
        after = part.after
        if after is None:
            return dict(total)
