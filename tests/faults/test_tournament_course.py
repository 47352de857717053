"""A running tournament: results in any order, withdrawals, deadlines, rulings, cancellation, two at once."""

import random
from functools import partial

import pytest

from engine.match import play
from engine.match.record import Match, Status
from engine.tournament.protocol import Key, Reason
from functions.shared.flows import lists
from functions.shared.flows.changing import change_match
from functions.shared.flows.tournaments import creating, life
from functions.shared.store.records_tournament import EntryState, Phase
from tests.faults import tournament_events as events
from tests.faults import world as worlds
from tests.faults.threads import colliding, together
from tests.faults.tournament_events import Event, at, match_at, play_at, players_of, result, started, withdraw
from tests.faults.world import World

DAY_S = 86_400
DEADLINE_S = 7 * DAY_S


# The matches


def test_a_match_of_a_tournament_is_what_the_tournament_says(world: World) -> None:
    event = started(world, "single-elimination", 4, match=creating.MatchOrder(best_of=3))
    record = event.match(at(event, "main/1/1").matches[0])
    assert record.fixture == (event.id, "main", 1, 1, 1)
    assert (record.rated, record.talk, record.private, record.match.status) == (True, False, False, Status.ACTIVE)
    assert record.match.clock.seconds == DEADLINE_S // 60
    assert [event.number(sitter.player) for sitter in record.match.seats if sitter is not None] == [1, 4]
    shown = world.call("GET", f"/v1/matches/{record.match.id}").body
    assert shown["tournament"] == event.id
    wanted = lists.Wanted(event.players[0], player=event.players[0])
    assert [one.match.id for one in lists.matches(event.services, wanted, None).records] == [record.match.id]


def test_who_has_a_hundred_matches_gets_the_one_of_the_tournament(world: World) -> None:
    from functions.shared.store.models import PlayerItem

    event = events.entered(world, "single-elimination", 2)
    for number in range(100):
        PlayerItem(f"PLAYER#{event.players[0]}", f"LIVE#mat_{number}").save()
    events.begin(event)
    assert len(events.running(event)) == 1


def test_nonces_of_the_entry_are_those_of_the_matches_and_keys_follow_from_the_tournaments(world: World) -> None:
    from engine.tournament import draw

    event = events.announced(world, "single-elimination")
    ann, bob = events.register(2)
    events.enter(event, ann, nonce="00ff")
    world.advance(1)
    events.enter(event, bob)
    event = event._replace(players=(ann, bob))
    events.begin(event)
    match = match_at(event, "main/1/1")
    assert [sitter.nonce for sitter in match.seats if sitter is not None] == ["00ff", ""]
    key = bytes.fromhex(event.record.key)
    assert match.key == draw.match_key(key, event.id, Key("main", 1, 1), 1).hex()


def test_tournament_matches_of_the_same_players_have_no_limit_of_rematches(world: World) -> None:
    event = started(world, "single-elimination", 2, match=creating.MatchOrder(best_of=9))
    events.play_on(event, events.by_strength(event))
    ratings = event.services.ladder.ratings("misfortune", event.players)
    assert [rating.version for rating in ratings.values()] == [5, 5]


# Results in any order


def test_results_that_come_double_and_out_of_order_count_once(world: World) -> None:
    event = started(world, "double-elimination", 4)
    rng, seen = random.Random(5), []
    for _ in range(40):
        for match_id in events.running(event):
            events.finish(event, match_id, events.by_strength(event)(match_id))
        seen += events.records(world)
        rng.shuffle(seen)
        world.invoke("SettleFunction", {"Records": seen + seen[::-1]})
    assert event.record.phase is Phase.FINISHED
    assert events.table(event) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert sum(len(one.matches) for one in event.pairings) == 6


@pytest.mark.usefixtures("restless")
def test_two_referees_and_a_consumer_at_once_come_to_one_event(world: World) -> None:
    event = events.entered(world, "round-robin", 4)
    world.clock.set(events.STARTS)
    colliding(world, "TRN#", [world.sweep, world.sweep, world.sweep])
    for _ in range(40):
        if event.record.phase is Phase.FINISHED:
            break
        for match_id in events.running(event):
            events.finish(event, match_id, events.by_strength(event)(match_id))
        found = events.records(world)
        world.advance(61)
        jobs = [partial(world.invoke, "SettleFunction", {"Records": found})] * 2 if found else []
        colliding(world, "TRN#", [*jobs, *jobs]) if jobs else world.sweep()
        together([*jobs, world.sweep])
    assert events.table(event) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert [len(one.matches) for one in event.pairings] == [1] * 6


# Withdrawals


@pytest.mark.parametrize("format_id", ["single-elimination", "double-elimination", "round-robin", "heats"])
def test_a_withdrawal_forfeits_what_is_open_and_what_comes_and_the_event_ends(world: World, format_id: str) -> None:
    fields = {"match": creating.MatchOrder(seats=3)} if format_id == "heats" else {}
    event = started(world, format_id, 6, **fields)
    withdraw(event, 2)
    withdraw(event, 2)
    events.deliver(event)
    events.play_on(event, events.by_strength(event))
    table = {number: rank for rank, number in events.table(event)}
    assert table[1] == 1
    assert table[2] > 2
    entry = event.services.tournaments.entry(event.id, event.players[1])
    assert entry is not None
    assert entry.state is EntryState.WITHDRAWN
    # Whoever was forfeited against has gained no rating by it.
    for one in event.pairings:
        for match_id in filter(None, one.matches):
            found = event.match(match_id)
            if found.match.result is not None and found.match.result.reason == "forfeit":
                assert found.rated_as is not None
                assert found.rated_as.reason == "forfeit"


def test_a_withdrawal_at_every_moment_of_a_double_elimination_leads_to_an_end() -> None:
    for moment in range(8):
        for number in (1, 2, 5):
            with worlds.running() as world:
                event = started(world, "double-elimination", 5)
                for _ in range(moment):
                    matches = events.running(event)
                    if matches:
                        events.finish(event, matches[0], events.by_strength(event)(matches[0]))
                        events.deliver(event)
                if event.record.phase is Phase.RUNNING:
                    withdraw(event, number)
                events.play_on(event, events.by_strength(event))
                table = events.table(event)
                assert sorted(who for _, who in table) == [1, 2, 3, 4, 5]
                assert max(rank for rank, _ in table) <= 5


def test_a_closed_account_withdraws_from_what_runs(world: World) -> None:
    event = events.entered(world, "single-elimination", 3)
    ann = world.player()
    events.enter(event, ann.id)
    event = event._replace(players=(*event.players, ann.id))
    events.begin(event)
    assert players_of(event, "main/1/1") == [1, 4]
    ann.ok("DELETE", "/v1/me")
    for _ in range(3):
        world.advance(60)
        world.sweep()
    events.deliver(event)
    assert result(event, "main/1/1") == (Reason.FORFEIT, (1, 2))
    assert players_of(event, "main/2/1") == [1]


# Deadlines


def overdue(event: Event) -> None:
    event.world.advance(DEADLINE_S + 60)
    event.world.sweep()
    events.deliver(event)


def one_move(event: Event, where: str, seats: tuple[int, ...]) -> None:
    """Some seats act in the first decision of a match, and nobody after that."""
    now = event.world.clock.now()

    def step(match: Match) -> Match:
        for seat in seats:
            action = play.legal(match, seat).actions[0]
            match = play.act(match, play.Request(seat, now), match.turn, action)
        return match

    change_match(event.services, at(event, where).matches[-1], step, now)


SLOW = {"kind": "per-move", "seconds": 2_592_000}


def test_at_the_deadline_who_never_acted_forfeits_and_two_such_are_both_out(world: World) -> None:
    event = started(world, "single-elimination", 4, match=creating.MatchOrder(clock=SLOW))
    one_move(event, "main/1/1", (1,))
    overdue(event)
    assert result(event, "main/1/1") == (Reason.FORFEIT, (2, 1))
    assert result(event, "main/1/2") == (Reason.DOUBLE_FORFEIT, (2, 2))
    assert result(event, "main/2/1") == (Reason.WALKOVER, (1, 2))
    assert event.record.phase is Phase.FINISHED
    assert match_at(event, "main/1/1").status is Status.FINISHED
    assert match_at(event, "main/1/2").status is Status.ABORTED
    assert events.table(event)[0] == (1, 4)


def test_at_the_deadline_a_match_in_which_both_acted_ends_as_it_stands(world: World) -> None:
    event = started(world, "single-elimination", 2, match=creating.MatchOrder(clock=SLOW))
    one_move(event, "main/1/1", (0, 1))
    overdue(event)
    reason, ranks = result(event, "main/1/1")
    assert reason is Reason.DEADLINE
    assert sorted(ranks) == [1, 2]
    match = match_at(event, "main/1/1")
    assert match.result is not None
    assert (match.result.reason, match.ended_at) == ("timeout", events.STARTS + 1000 * DEADLINE_S)
    assert event.record.phase is Phase.FINISHED
    assert event.record.ended_at == events.STARTS + 1000 * DEADLINE_S


def test_a_series_that_is_not_over_at_the_deadline_goes_by_its_games(world: World) -> None:
    event = started(world, "single-elimination", 2, match=creating.MatchOrder(best_of=5, clock=SLOW))
    play_at(event, "main/1/1", upset=True)
    overdue(event)
    assert result(event, "main/1/1") == (Reason.DEADLINE, (2, 1))
    assert event.record.phase is Phase.FINISHED


def test_a_match_that_ended_in_time_counts_as_it_ended_though_nobody_settled_it_by_the_deadline(world: World) -> None:
    event = started(world, "single-elimination", 2, match=creating.MatchOrder(clock=SLOW))
    one_move(event, "main/1/1", (0,))
    match_id, now = at(event, "main/1/1").matches[-1], world.clock.now()
    change_match(event.services, match_id, lambda match: play.resign(match, play.Request(0, now)), now)
    overdue(event)
    # Who was left as the winner has not acted, and need not.
    assert result(event, "main/1/1") == (Reason.PLAYED, (2, 1))
    assert events.table(event) == [(1, 2), (2, 1)]


def test_an_outage_moves_the_deadlines_that_it_fell_into_once(world: World) -> None:
    event = started(world, "single-elimination", 2, match=creating.MatchOrder(clock=SLOW))
    deadline = at(event, "main/1/1").deadline
    world.clock.set(deadline + 1000)
    order = {"command": "declare-outage", "from": deadline - 7_200_000, "until": deadline}
    for _ in range(2):
        world.invoke("AdminFunction", order)
        assert at(event, "main/1/1").deadline == deadline + 7_200_000
    events.sweep(event)
    assert event.record.phase is Phase.RUNNING
    world.advance(7200)
    events.sweep(event)
    events.deliver(event)
    assert event.record.phase is Phase.FINISHED


def test_the_end_is_not_later_than_was_published(world: World) -> None:
    event = started(world, "double-elimination", 5, match=creating.MatchOrder(clock=SLOW))
    latest = life.latest_end(event.record)
    assert latest == events.STARTS + 7 * 1000 * DEADLINE_S
    for _ in range(40):
        if event.record.phase is Phase.FINISHED:
            break
        for match_id in events.running(event):
            where = event.match(match_id).fixture
            assert where is not None
            one_move(event, f"{where.stage}/{where.round}/{where.place}", (0, 1))
        overdue(event)
    assert event.record.phase is Phase.FINISHED
    assert event.record.ended_at <= latest
