"""Many at once on one item: one of them wins, the others are told so, and nothing is written in part."""

from functools import partial

import pytest

from engine.match import play as rules_of_play
from functions.shared.flows import play
from functions.shared.flows.marks import key_of
from functions.shared.flows.settle import settle, settle_by_id
from functions.shared.store.records import Job, JobKind, Remembered
from tests.storage.backend import Store
from tests.storage.examples import DAY, NOW, joined, open_match, outcome, profile, token, told
from tests.storage.lives import add_token, created, finished, started
from tests.storage.threads import done, gained

pytestmark = pytest.mark.usefixtures("restless")


def listed(store: Store, player: str, *, ended: bool = False) -> list[str]:
    page = store.matches.of_player(player, ended=ended, before=None, limit=50)
    return [place.id for place in page.places]


def test_of_sixteen_saves_on_one_version_one_is_stored(store: Store) -> None:
    record = store.matches.create(open_match("ann"), "ann", None)
    for _ in range(10):
        jobs = [partial(store.matches.save, record, told(record, 1, f"word-{i}")) for i in range(16)]
        winners = [result for result in gained(jobs) if result is not None]
        assert len(winners) == 1
        assert store.matches.get(record.match.id) == winners[0]
        record = winners[0]
    assert record.version == 11


def test_of_saves_and_transactions_on_one_version_one_is_stored(store: Store) -> None:
    for _ in range(5):
        record = store.matches.create(open_match("ann", size=3), "ann", None)
        jobs = [partial(store.matches.save, record, told(record, 1, f"word-{i}")) for i in range(8)]
        jobs += [partial(store.matches.seat, record, joined(record, f"p-{i}"), f"p-{i}") for i in range(8)]
        winners = [result for result in gained(jobs) if result is not None]
        assert len(winners) == 1
        assert store.matches.get(record.match.id) == winners[0]
        seated = [f"p-{i}" for i in range(8) if record.match.id in listed(store, f"p-{i}")]
        assert seated == [sitter.player for sitter in winners[0].match.seats[1:] if sitter]


def test_of_fifty_players_one_gets_the_last_seat(store: Store) -> None:
    players = [f"p-{i}" for i in range(50)]
    record = store.matches.create(open_match("ann"), "ann", None)
    jobs = [partial(store.matches.seat, record, joined(record, player), player) for player in players]
    winners = [result for result in gained(jobs) if result is not None]
    assert len(winners) == 1
    assert store.matches.get(record.match.id) == winners[0]
    seated = winners[0].match.seats[1]
    assert seated is not None
    assert [player for player in players if listed(store, player)] == [seated.player]


def test_choices_that_two_seats_seal_at_the_same_moment_both_count(store: Store) -> None:
    services = store.services
    for round_ in range(50):
        record = started(store, created(store, game="misfortune"))
        actions = [rules_of_play.legal(record.match, seat).actions[round_ % 5] for seat in (0, 1)]
        keys = [
            key_of(services, player, "POST", f"key-{round_}", {"turn": 1, "action": action})
            for player, action in zip(("ann", "bob"), actions, strict=True)
        ]
        jobs = [partial(play.act, services, record, seat, keys[seat], 1, actions[seat], NOW) for seat in (0, 1)]
        outcomes = gained(jobs)
        assert [outcome is not None and not outcome.replayed for outcome in outcomes] == [True, True]
        stored = store.matches.get(record.match.id)
        assert stored is not None
        assert (stored.match.moves, stored.match.seals, stored.version) == (2, (), record.version + 2)
        assert stored.match.turn == 2
        chosen = [entry for entry in stored.match.log if entry.move]
        assert [entry.seat for entry in chosen] == [0, 1]
        assert [entry.key for entry in chosen] == [key.stored for key in keys]


def test_of_two_settlements_at_the_same_moment_one_does_it(store: Store) -> None:
    for _ in range(10):
        record = finished(store, started(store, created(store)))
        results = gained([partial(settle, store.services, record)] * 2)
        assert sum(result is not None for result in results) == 1
        stored = store.matches.get(record.match.id)
        assert stored is not None
        rated = record._replace(rated_as=stored.rated_as)
        assert stored == rated._replace(settled=True, due=None, version=record.version + 1)
        for player in ("ann", "bob"):
            assert record.match.id not in listed(store, player)
            assert listed(store, player, ended=True).count(record.match.id) == 1


def test_a_match_that_many_settle_by_its_id_is_settled_once(store: Store) -> None:
    record = finished(store, started(store, created(store)))
    assert done([partial(settle_by_id, store.services, record.match.id)] * 8) != []
    stored = store.matches.get(record.match.id)
    assert stored is not None
    assert (stored.settled, stored.version) == (True, record.version + 1)


def test_a_name_that_sixteen_want_is_given_to_one(store: Store) -> None:
    profiles = [profile("ann" if i % 2 else "Ann") for i in range(16)]
    tokens = [token(one.id) for one in profiles]
    winners = done(
        [partial(store.players.register, one, first, None) for one, first in zip(profiles, tokens, strict=True)]
    )
    assert len(winners) == 1
    assert store.players.named("ann") == profiles[winners[0]].id
    assert [i for i, one in enumerate(profiles) if store.players.get(one.id)] == winners
    assert [i for i, first in enumerate(tokens) if store.players.token(first.hash)] == winners


@pytest.mark.parametrize("known", [None, outcome("ann", made="long ago", at=NOW - 2 * DAY)])
def test_one_key_creates_one_match_also_when_it_is_free_again(store: Store, known: Remembered | None) -> None:
    if known is not None:
        store.matches.create(open_match("ann"), "ann", known)
    records = [open_match("ann", invited=("bob",)) for _ in range(16)]
    jobs = [partial(store.matches.create, one, "ann", outcome("ann", made=one.match.id)) for one in records]
    winners = [result for result in gained(jobs) if result is not None]
    assert len(winners) == 1
    assert [place.id for place in store.matches.invited("bob", None, 50).places] == [winners[0].match.id]
    remembered = store.players.remembered("ann", "mark", NOW)
    assert remembered is not None
    assert remembered.ids == (winners[0].match.id,)


def test_a_recovery_code_is_spent_once_by_whoever_comes_first(store: Store) -> None:
    ann = profile("ann")
    store.players.register(ann, token(ann.id), None)
    tokens = [token(ann.id) for _ in range(8)]
    winners = done(
        [
            partial(store.players.recover, ann, ann._replace(recovery_hash=f"code-{i}"), one, None)
            for i, one in enumerate(tokens)
        ]
    )
    assert len(winners) == 1
    assert store.players.tokens(ann.id) == [tokens[winners[0]]]
    assert store.players.get(ann.id) == ann._replace(recovery_hash=f"code-{winners[0]}", version=2)


def test_no_try_is_counted_twice_or_not_at_all(store: Store) -> None:
    counts = gained([partial(store.players.count_try, "ann", "code", 1)] * 16)
    assert sorted(count for count in counts if count is not None) == list(range(1, 17))


def test_a_step_of_a_job_is_taken_by_one_of_many(store: Store) -> None:
    job = Job(JobKind.OUTAGE, "one", {"step": -1}, NOW)
    assert len(done([partial(store.jobs.start, job)] * 8)) == 1
    jobs = [partial(store.jobs.save, job, job._replace(data={"step": step})) for step in range(8)]
    winners = [result for result in gained(jobs) if result is not None]
    assert [store.jobs.get(JobKind.OUTAGE, "one")] == winners
    assert len(done([partial(store.jobs.finish, winners[0])] * 8)) == 1


def test_of_a_recovery_and_a_new_token_at_the_same_moment_one_is_told_to_come_again(store: Store) -> None:
    for number in range(10):
        ann = profile(f"ann-{number}")
        store.players.register(ann, token(ann.id), None)
        added, new = token(ann.id), token(ann.id)
        winners = done(
            [
                partial(add_token, store, ann, added),
                partial(store.players.recover, ann, ann._replace(recovery_hash="spent"), new, None),
            ]
        )
        kept = [one.id for one in store.players.tokens(ann.id)]
        assert len(winners) == 1
        assert kept == [new.id] if winners == [1] else added.id in kept
