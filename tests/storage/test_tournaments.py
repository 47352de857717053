"""Tournaments: whatever happens is one transaction of what it touches, each part on its version."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine.tournament.protocol import Amount, Key, Origin, Pairing, Row, Settings, Side, Source, Status
from functions.shared import ids
from functions.shared.store.due import TOURNAMENT_SHARDS
from functions.shared.store.ports import ConflictError, NewerRecordError
from functions.shared.store.records import Fixture, MatchRecord, Notice
from functions.shared.store.records_tournament import (
    AuditEntry,
    Change,
    Chunk,
    EntryRecord,
    EntryState,
    NewMatch,
    PairingRecord,
    Phase,
    Registration,
    RoundRecord,
    Step,
    TournamentRecord,
)
from tests.storage.backend import Store
from tests.storage.examples import NOW, joined, new_id, open_match, outcome

GAME = "misfortune"
ANN, BOB, CYD = "ply_1", "ply_2", "ply_3"
START = NOW + 3_600_000


def scheduled(store: Store, capacity: int = 8, **fields: Any) -> TournamentRecord:
    """A tournament that has been stored."""
    record = TournamentRecord(
        id=fields.pop("id", None) or new_id(ids.TOURNAMENT),
        name="Fools' Cup",
        game=fields.pop("game", GAME),
        options={},
        format="single-elimination",
        starts_at=fields.pop("starts_at", START),
        registration=Registration(NOW, START, capacity, 15, (1000, 2000), "code"),
        seeding="rating",
        settings=Settings(best_of=3),
        clock={"kind": "per-move", "seconds": 60},
        round_deadline=3600,
        unrated=False,
        time_zone="Europe/Berlin",
        key="0f" * 32,
        organizers=(ANN,),
        created_at=NOW,
        **fields,
    )
    store.tournaments.commit(Change(record.id, after=record, joined=(ANN,)))
    return record._replace(version=1)


def stored(store: Store, record: TournamentRecord) -> TournamentRecord:
    found = store.tournaments.get(record.id)
    assert found is not None
    return found


def enter(store: Store, record: TournamentRecord, player: str, at: int = NOW, *, waiting: bool = False) -> EntryRecord:
    """One more entry, with a place or without."""
    entry = EntryRecord(player, at, EntryState.WAITLISTED if waiting else EntryState.ENTERED, nonce="00ff")
    change = Change(record.id, record, entered=int(not waiting), waitlisted=int(waiting), entries=((None, entry),))
    store.tournaments.commit(change)
    return entry._replace(version=1)


def counts(store: Store, record: TournamentRecord) -> tuple[int, int]:
    found = stored(store, record)
    return found.entered, found.waitlisted


def pairing(place: int, number: int = 1, stage: str = "main", **fields: Any) -> PairingRecord:
    """A pairing that is being played."""
    sides = tuple(Side(Source(Origin.SEED, seed), f"ply_{seed}", seed) for seed in (2 * place - 1, 2 * place))
    return PairingRecord(Pairing(Key(stage, number, place), sides, Status.PLAYING), NOW, NOW + 1000, **fields)


def test_a_tournament_is_read_as_it_was_written(store: Store) -> None:
    record = scheduled(store, due=START, reason="é" * 10)
    assert store.tournaments.get(record.id) == record
    assert store.tournaments.get_many([new_id(ids.TOURNAMENT), record.id]) == [record]
    assert store.tournaments.get(new_id(ids.TOURNAMENT)) is None
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, after=record))


def test_a_change_names_the_version_that_it_replaces(store: Store) -> None:
    record = scheduled(store)
    after = record._replace(name="Sages' Cup", step=Step.RATE, phase=Phase.RUNNING)
    store.tournaments.commit(Change(record.id, record, after))
    assert stored(store, record) == after._replace(version=2)
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, record, record._replace(name="Late Cup")))
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, record, entries=((None, EntryRecord(BOB, NOW)),)))
    assert store.tournaments.entry(record.id, BOB) is None
    assert stored(store, record).name == "Sages' Cup"


def test_an_entry_and_its_count_are_written_together_and_move_no_version(store: Store) -> None:
    record = scheduled(store)
    entries = [enter(store, record, player) for player in (CYD, ANN, BOB)]
    assert counts(store, record) == (3, 0)
    assert stored(store, record).version == 1
    assert store.tournaments.entry(record.id, CYD) == entries[0]
    assert store.tournaments.some_entries(record.id, [ANN, "ply_9", ANN]) == {ANN: entries[1]}
    assert store.tournaments.some_entries(record.id, []) == {}
    assert [entry.player for entry in store.tournaments.entries(record.id)] == [ANN, BOB, CYD]
    assert [entry.player for entry in store.tournaments.entries(record.id, ANN, 1)] == [BOB]
    with pytest.raises(ConflictError):
        enter(store, record, BOB)
    assert counts(store, record) == (3, 0)


def test_the_places_are_as_many_as_the_capacity(store: Store) -> None:
    record = scheduled(store, capacity=2)
    for player in (ANN, BOB):
        enter(store, record, player)
    with pytest.raises(ConflictError):
        enter(store, record, CYD)
    first = enter(store, record, CYD, NOW + 1, waiting=True)
    assert counts(store, record) == (2, 1)
    smaller = record._replace(registration=record.registration._replace(capacity=1))
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, record, smaller))
    # A place that falls free goes to who waits, not to who comes.
    gone = EntryRecord(ANN, NOW, nonce="00ff", version=1)
    with pytest.raises(ConflictError):
        store.tournaments.commit(
            Change(record.id, record, entered=-1, entries=((gone, gone._replace(state=EntryState.WITHDRAWN)),))
        )
    up = first._replace(state=EntryState.ENTERED)
    out = gone._replace(state=EntryState.WITHDRAWN)
    store.tournaments.commit(Change(record.id, record, waitlisted=-1, entries=((gone, out), (first, up))))
    assert counts(store, record) == (2, 0)
    assert store.tournaments.first_waiting(record.id) is None


def test_nobody_waits_while_there_is_room(store: Store) -> None:
    record = scheduled(store)
    with pytest.raises(ConflictError):
        enter(store, record, ANN, waiting=True)
    assert counts(store, record) == (0, 0)


def test_who_has_waited_longest_is_first(store: Store) -> None:
    record = scheduled(store, capacity=0)
    assert store.tournaments.first_waiting(record.id) is None
    late, early = enter(store, record, ANN, NOW + 5, waiting=True), enter(store, record, BOB, NOW + 4, waiting=True)
    assert store.tournaments.first_waiting(record.id) == BOB
    checked = early._replace(state=EntryState.WAITING_CHECKED_IN)
    store.tournaments.commit(Change(record.id, record, entries=((early, checked),)))
    assert store.tournaments.first_waiting(record.id) == BOB
    gone = checked._replace(version=2), checked._replace(state=EntryState.WITHDRAWN)
    store.tournaments.commit(Change(record.id, record, waitlisted=-1, entries=(gone,)))
    assert store.tournaments.first_waiting(record.id) == late.player


def test_a_player_has_the_tournaments_that_they_entered_or_organize(store: Store) -> None:
    first, second, third = (scheduled(store) for _ in range(3))
    entry = enter(store, second, BOB)
    enter(store, third, BOB)
    enter(store, third, ANN)
    page = store.tournaments.of_player(ANN, None, 2)
    assert page.places == (third.id, second.id)
    assert store.tournaments.of_player(ANN, page.next, 2).places == (first.id,)
    assert store.tournaments.of_player(BOB, None, 5).places == (third.id, second.id)
    out = entry._replace(state=EntryState.WITHDRAWN)
    store.tournaments.commit(Change(second.id, second, entered=-1, entries=((entry, out),)))
    assert store.tournaments.of_player(BOB, None, 5).places == (third.id,)
    added = first._replace(organizers=(ANN, BOB))
    store.tournaments.commit(Change(first.id, first, added, joined=(BOB,)))
    assert store.tournaments.of_player(BOB, None, 5).places == (third.id, first.id)
    added = added._replace(version=2)
    store.tournaments.commit(Change(first.id, added, added._replace(organizers=(ANN,)), left=(BOB,)))
    assert store.tournaments.of_player(BOB, None, 5).places == (third.id,)


def test_who_played_and_withdrew_keeps_the_tournament_in_their_list(store: Store) -> None:
    record = scheduled(store)
    entry = enter(store, record, BOB)
    seeded = entry._replace(seed=1, rating=1_500_000)
    store.tournaments.commit(Change(record.id, record, entries=((entry, seeded),)))
    out = seeded._replace(state=EntryState.WITHDRAWN, version=2)
    store.tournaments.commit(Change(record.id, entries=((seeded._replace(version=2), out),)))
    assert store.tournaments.of_player(BOB, None, 5).places == (record.id,)
    assert store.tournaments.entry(record.id, BOB) == out._replace(version=3)


def test_pairings_stand_in_the_order_of_stage_round_and_place(store: Store) -> None:
    record = scheduled(store)
    made = [pairing(12), pairing(2), pairing(1, 2), pairing(1, 1, "third-place"), pairing(1)]
    store.tournaments.commit(Change(record.id, pairings=tuple(made)))
    read = [one._replace(version=1) for one in made]
    in_order = [read[4], read[1], read[0], read[2], read[3]]
    assert store.tournaments.all_pairings(record.id) == in_order
    assert store.tournaments.all_pairings(record.id, Key("main", 1, 2), 2) == in_order[2:4]
    assert store.tournaments.round_pairings(record.id, "main", 1) == in_order[:3]
    assert store.tournaments.round_pairings(record.id, "main", 1, 1, 1) == in_order[1:2]
    keys = [Key("main", 1, 12), Key("main", 2, 1), Key("main", 1, 7)]
    assert store.tournaments.pairings(record.id, keys) == {keys[0]: read[0], keys[1]: read[2]}
    assert store.tournaments.pairings(record.id, keys[:1]) == {keys[0]: read[0]}
    assert store.tournaments.pairings(record.id, keys[2:]) == {}
    assert store.tournaments.pairings(record.id, []) == {}


def test_of_two_that_change_a_pairing_one_does(store: Store) -> None:
    record = scheduled(store)
    store.tournaments.commit(Change(record.id, pairings=(pairing(1), pairing(2))))
    first, second = store.tournaments.all_pairings(record.id)
    store.tournaments.commit(Change(record.id, pairings=(first._replace(matches=("mat_1",), outages=("out_1",)),)))
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, pairings=(second, first._replace(matches=("mat_2",)))))
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, pairings=(pairing(1),)))
    after = store.tournaments.all_pairings(record.id)
    assert after == [first._replace(matches=("mat_1",), outages=("out_1",), version=2), second]


def test_a_match_begins_in_the_transaction_in_which_its_pairing_says_so(store: Store) -> None:
    record = scheduled(store)
    match = joined(open_match(ANN, GAME, 2), BOB).match
    fixture = Fixture(record.id, "main", 1, 1, 1)
    new = NewMatch(MatchRecord(match, rated=True, fixture=fixture), (ANN, BOB))
    stale = pairing(1)._replace(version=4)
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, record, pairings=(stale,), match=new))
    assert store.matches.get(match.id) is None
    store.tournaments.commit(Change(record.id, record, pairings=(pairing(1, matches=(match.id,)),), match=new))
    found = store.matches.get(match.id)
    assert found is not None
    assert found.fixture == fixture
    places = store.matches.of_player(BOB, ended=False, before=None, limit=10).places
    assert [place.id for place in places] == [match.id]


def test_a_round_is_counted_on_its_version(store: Store) -> None:
    record = scheduled(store)
    first, second = (RoundRecord("main", number, 4, 4, "digest", NOW) for number in (1, 2))
    store.tournaments.commit(Change(record.id, rounds=(second, first)))
    assert store.tournaments.rounds(record.id) == [one._replace(version=1) for one in (first, second)]
    assert store.tournaments.round(record.id, "main", 2) == second._replace(version=1)
    assert store.tournaments.round(record.id, "main", 3) is None
    closer = first._replace(open=3, version=1)
    store.tournaments.commit(Change(record.id, rounds=(closer,)))
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, rounds=(closer,)))
    assert store.tournaments.round(record.id, "main", 1) == closer._replace(version=2)


def chunk(first: int, rows: int) -> Chunk:
    return Chunk(first, tuple(Row(n + 1, f"ply_{n}", n + 1, Amount(n, 2)) for n in range(first, first + rows)))


def test_standings_are_read_from_any_row_on(store: Store) -> None:
    record = scheduled(store)
    assert store.tournaments.standings(record.id, 0, 10) == ()
    made = [chunk(0, 3), chunk(3, 3), chunk(6, 2)]
    store.tournaments.commit(Change(record.id, standings=tuple(made)))
    assert store.tournaments.standings(record.id, 0, 3) == made[:1]
    assert store.tournaments.standings(record.id, 2, 2) == made[:2]
    assert store.tournaments.standings(record.id, 4, 100) == made[1:]
    assert list(store.tournaments.standings(record.id, 7, 1)) == made[2:]


def test_the_audit_goes_backwards_page_by_page(store: Store) -> None:
    record = scheduled(store)
    entries = [
        AuditEntry(new_id(ids.AUDIT, NOW + n), NOW + n, ANN, "changed", "why", {"n": n}, {"n": {"deep": [n]}})
        for n in range(4)
    ]
    for entry in entries:
        store.tournaments.commit(Change(record.id, audit=(entry,)))
    assert store.tournaments.audit(record.id, None, 3) == entries[:0:-1]
    assert store.tournaments.audit(record.id, entries[1].id, 3) == entries[:1]


def places(records: Sequence[TournamentRecord]) -> tuple[str, ...]:
    return tuple(f"{record.starts_at:013d}#{record.id}" for record in records)


def test_lists_go_by_the_start_those_ahead_forwards_and_the_others_backwards(store: Store) -> None:
    late, early, other = scheduled(store, starts_at=START + 5), scheduled(store), scheduled(store, game="liars-poker")
    page = store.tournaments.listed(Phase.OPEN, GAME, None, 1)
    assert page.places == places([early])
    assert store.tournaments.listed(Phase.OPEN, GAME, page.next, 10).places == places([late])
    assert store.tournaments.listed(Phase.OPEN, "liars-poker", None, 10).places == places([other])
    for record in (early, late):
        store.tournaments.commit(Change(record.id, record, record._replace(phase=Phase.RUNNING)))
    assert store.tournaments.listed(Phase.OPEN, GAME, None, 10).places == ()
    page = store.tournaments.listed(Phase.RUNNING, GAME, None, 1)
    assert page.places == places([late])
    assert store.tournaments.listed(Phase.RUNNING, GAME, page.next, 10).places == places([early])


def due(store: Store, until: int) -> list[tuple[str, int]]:
    found = [one for shard in range(TOURNAMENT_SHARDS) for one in store.tournaments.due(shard, until, 10)]
    return sorted((one.key, one.at) for one in found)


def test_what_is_due_is_found_by_its_moment_until_it_is_not(store: Store) -> None:
    record = scheduled(store, due=START)
    made = pairing(3, due=NOW + 7)
    store.tournaments.commit(Change(record.id, pairings=(made, pairing(2))))
    name = f"TRN#{record.id}"
    assert due(store, NOW + 6) == []
    assert due(store, NOW + 7) == [(f"{name}|main/1/3", NOW + 7)]
    assert due(store, START) == [(name, START), (f"{name}|main/1/3", NOW + 7)]
    store.tournaments.commit(Change(record.id, pairings=(made._replace(due=None, version=1),)))
    store.tournaments.commit(Change(record.id, record, record._replace(due=None)))
    assert due(store, START) == []


def test_a_list_of_what_is_due_goes_on_behind_a_place(store: Store) -> None:
    found = []
    for _ in range(2 * TOURNAMENT_SHARDS):
        scheduled(store, due=START)
    for shard in range(TOURNAMENT_SHARDS):
        after = None
        while page := store.tournaments.due(shard, START, 1, after):
            found += [one.key for one in page]
            after = page[-1].place
    assert len(found) == len(set(found)) == 2 * TOURNAMENT_SHARDS


def test_a_request_is_remembered_with_what_it_did_or_not_at_all(store: Store) -> None:
    record = scheduled(store)
    asked = outcome(BOB, made=record.id)
    after = record._replace(organizers=(ANN, BOB))
    store.tournaments.commit(Change(record.id, record, after, remembered=asked))
    assert store.players.remembered(BOB, asked.mark, NOW) == asked
    after = after._replace(version=2)
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, after, after._replace(name="Twice"), remembered=asked))
    assert stored(store, record).name == record.name
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, record, record, remembered=outcome(BOB, "other")))
    assert store.players.remembered(BOB, "other", NOW) is None
    store.tournaments.commit(Change(record.id, remembered=outcome(BOB, "third", record.id)))
    assert store.players.remembered(BOB, "third", NOW) is not None


def test_players_are_told_with_what_happens_or_not_at_all(store: Store) -> None:
    record = scheduled(store)
    told = tuple((player, Notice(f"evt_{player}", "tournament-promoted", NOW, {"n": 1})) for player in (BOB, CYD))
    after = record._replace(name="Sages' Cup")
    store.tournaments.commit(Change(record.id, record, after, told=told))
    late = tuple((player, notice._replace(id="evt_late")) for player, notice in told)
    with pytest.raises(ConflictError):
        store.tournaments.commit(Change(record.id, record, after, told=late))
    for player, notice in told:
        found = store.inbox.read(player, "", 10)
        assert found.notices == (notice,)
        assert found.places[0].startswith(f"{NOW:013d}")


def test_a_hundred_items_are_written_at_once(store: Store) -> None:
    record = scheduled(store)
    made = tuple(pairing(place) for place in range(1, 100))
    store.tournaments.commit(Change(record.id, record, record._replace(cursor="99"), pairings=made))
    assert len(store.tournaments.all_pairings(record.id)) == 99
    assert stored(store, record).cursor == "99"


@pytest.mark.parametrize("sk", ["META", "PAIR#main#001#00001", "ROUND#main#001", "STAND#00000"])
def test_what_a_later_version_wrote_is_left_to_it(store: Store, sk: str) -> None:
    """To write it back would lose what is not known here."""
    import msgspec

    from functions.shared.store.models import TournamentItem
    from functions.shared.store.tournament_items import pack, unpack

    record = scheduled(store)
    rounds = (RoundRecord("main", 1, 1, 1, "digest", NOW),)
    store.tournaments.commit(Change(record.id, pairings=(pairing(1),), rounds=rounds, standings=(chunk(0, 1),)))
    item = TournamentItem.get(f"TRN#{record.id}", sk)
    fields = unpack(item.body, list[msgspec.Raw])
    item.body = pack([*fields, "new"])
    item.save()
    reads = {
        "META": lambda: store.tournaments.get(record.id),
        "PAIR#main#001#00001": lambda: store.tournaments.all_pairings(record.id),
        "ROUND#main#001": lambda: store.tournaments.rounds(record.id),
        "STAND#00000": lambda: store.tournaments.standings(record.id, 0, 1),
    }
    with pytest.raises(NewerRecordError):
        reads[sk]()
