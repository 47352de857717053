"""What every format keeps, for 2 to 33 entrants and all kinds of settings, whatever the results."""

import json
from collections import Counter
from random import Random
from typing import Any, NamedTuple

import pytest

from engine import tournament
from engine.tournament import codec, course, draw, series
from engine.tournament.protocol import Nobody, Pairing, Player, Reason, Status
from tests.engine.tournament.playing import Play, begin, check_end, next_round, parsed, step, table, tasks, to_the_end

SINGLE, DOUBLE, ROBIN, HEATS = tournament.IDS

SETTINGS: dict[str, list[dict[str, Any]]] = {
    SINGLE: [{}, {"third_place": True}, {"best_of": 3}, {"best_of": 5, "third_place": True, "replays": 0}],
    DOUBLE: [{}, {"best_of": 3}],
    ROBIN: [{}, {"cycles": 2}, {"best_of": 3, "tiebreaks": ["sonneborn-berger", "opponents-rating", "game-score"]}],
    HEATS: [
        {},
        {"seats": 6},
        {"seats": 4, "advance": 1},
        {"seats": 4, "advance": 3},
        {"seats": 4, "rounds": 3},
        {"seats": 6, "rounds": 5, "tiebreaks": ["wins"]},
        {"tables": (2, 10), "seats": 2},
        {"tables": (2, 10), "seats": 10, "advance": 2},
        {"tables": (2, 10), "seats": 3, "rounds": 4},
    ],
}
CASES = [(name, given) for name, all_given in SETTINGS.items() for given in all_given]


def fields(format_id: str, given: dict[str, Any]) -> range:
    return range(tournament.least(format_id, parsed(format_id, **given)), 34)


def is_played(pairing: Pairing) -> bool:
    return pairing.result is not None and pairing.result.reason is Reason.PLAYED


def losses(play: Play) -> Counter[Player]:
    return Counter(
        side.player
        for pairing in play.stored.values()
        if is_played(pairing) and pairing.result
        for side, rank in zip(pairing.sides, pairing.result.ranks, strict=True)
        if rank > 1
    )


class Ended(NamedTuple):
    """Events of one kind, for each number of entrants, played to their ends."""

    format_id: str
    given: dict[str, Any]
    plays: dict[int, Play]


@pytest.fixture(scope="module", params=CASES, ids=str)
def ended(request: pytest.FixtureRequest) -> Ended:
    format_id, given = request.param
    plays = {n: begin(format_id, n, n, **given) for n in fields(format_id, given)}
    for n, play in plays.items():
        to_the_end(play, Random(n))
    return Ended(format_id, given, plays)


def test_an_event_plays_to_its_end_and_gives_everybody_a_place(ended: Ended) -> None:
    for play in ended.plays.values():
        check_end(play)
        assert (
            current(play) == max(shape.round for shape in tournament.shapes(play.topology)) or ended.format_id == DOUBLE
        )


def current(play: Play) -> int:
    return max(key.round for key in play.stored)


def test_the_number_of_matches_is_right(ended: Ended) -> None:
    format_id, given, plays = ended
    for n, play in plays.items():
        played = sum(map(is_played, play.stored.values()))
        expected = {
            SINGLE: {n - 1 + (n >= 4 and given.get("third_place", False))},
            DOUBLE: {2 * n - 2, 2 * n - 1},
            ROBIN: {given.get("cycles", 1) * n * (n - 1) // 2},
            HEATS: {sum(shape.pairings for shape in tournament.shapes(play.topology))},
        }[format_id]
        assert played in expected
        games = sum(len(series.live(pairing)) for pairing in play.stored.values())
        if given.get("best_of", 1) == 1:
            assert games == played
        else:
            assert given["best_of"] // 2 < games / played <= given["best_of"]


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_until_the_end_something_can_be_done_and_nobody_waits_for_nobody(format_id: str, given: dict[str, Any]) -> None:
    """Each stored pairing waits for somebody who is still to come, can be played, or is settled."""
    for n in (2, 3, 5, 6, 11):
        if n not in fields(format_id, given):
            continue
        play, rng = begin(format_id, n, n, **given), Random(n)
        while open_tasks := tasks(play):
            for pairing in play.stored.values():
                if pairing.status is Status.WAITING:
                    sources = [side.source.of for side in pairing.sides if not course.is_known(side)]
                    assert sources
                    before = [play.stored.get(of) or tournament.blank(play.topology, of) for of in sources if of]
                    assert all(p.result is None for p in before)
                elif pairing.status in (Status.READY, Status.PLAYING):
                    assert series.running(pairing) is not None
            step(play, rng.choice(open_tasks))
            if not tasks(play):
                next_round(play)


@pytest.mark.parametrize("n", range(2, 34))
@pytest.mark.parametrize("format_id", [SINGLE, DOUBLE])
def test_byes_go_to_the_top_seeds_and_never_meet_in_the_first_round(format_id: str, n: int) -> None:
    play = begin(format_id, n)
    first = [p for key, p in play.stored.items() if key.stage in ("main", "winners") and key.round == 1]
    byes = [[side.nobody is Nobody.BYE for side in pairing.sides] for pairing in first]
    assert not any(all(pair) for pair in byes)
    seeded = {side.seed for p, pair in zip(first, byes, strict=True) if any(pair) for side in p.sides if side.player}
    assert seeded == set(range(1, 2 ** (n - 1).bit_length() - n + 1))
    assert all(p.result and p.result.reason is Reason.BYE for p, pair in zip(first, byes, strict=True) if any(pair))


@pytest.mark.parametrize("n", range(2, 34))
def test_in_a_double_elimination_all_but_the_champion_lose_exactly_twice(n: int) -> None:
    for seed in range(6):
        play = begin(DOUBLE, n, seed)
        to_the_end(play, Random(seed))
        lost = losses(play)
        champion, *others = [row.player for row in table(play)]
        assert lost[champion] <= 1
        assert {lost[player] for player in others} == {2}


@pytest.mark.parametrize("n", range(2, 34))
def test_the_second_grand_final_comes_into_being_if_and_only_if_the_losers_side_wins_the_first(n: int) -> None:
    seen = set()
    for seed in range(8):
        play = begin(DOUBLE, n, seed)
        to_the_end(play, Random(seed))
        first = next(p for key, p in play.stored.items() if key[:2] == ("final", 1))
        second = [p for key, p in play.stored.items() if key[:2] == ("final", 2)]
        assert first.result is not None
        is_needed = first.result.ranks[1] == 1
        assert [p.status for p in second] == [Status.SETTLED] * is_needed
        assert [[s.player for s in p.sides] for p in second] == [[s.player for s in first.sides]] * is_needed
        seen.add(is_needed)
    assert seen == {True, False}


@pytest.mark.parametrize("n", range(2, 34))
def test_in_a_single_elimination_all_but_the_champion_lose_once(n: int) -> None:
    play = begin(SINGLE, n, n)
    to_the_end(play, Random(n))
    champion, *others = [row.player for row in table(play)]
    assert losses(play) == Counter(others)
    assert champion not in losses(play)


@pytest.mark.parametrize("n", range(2, 34))
@pytest.mark.parametrize("cycles", [1, 2])
def test_in_a_round_robin_each_meets_each_on_both_sides_and_rests_once_a_cycle_when_odd(n: int, cycles: int) -> None:
    play = begin(ROBIN, n, n, cycles=cycles)
    to_the_end(play, Random(n))
    met = Counter(tuple(side.player for side in pairing.sides) for pairing in play.stored.values())
    pairs = {pair: count for pair, count in met.items() if all(pair)}
    assert set(pairs.values()) == {1}
    assert len(pairs) == cycles * n * (n - 1) // 2
    assert all(((b, a) in pairs) == (cycles == 2) for a, b in pairs)
    rests = Counter(player for pair in met.elements() if not all(pair) for player in pair if player)
    assert rests == ({entrant.player: cycles for entrant in play.field} if n % 2 else {})


@pytest.mark.parametrize(("format_id", "given"), [c for c in CASES if c[0] == HEATS], ids=str)
def test_in_heats_nobody_is_left_out_and_no_table_is_too_small_or_too_large(
    format_id: str, given: dict[str, Any]
) -> None:
    for n in fields(format_id, given):
        play = begin(format_id, n, n, **given)
        to_the_end(play, Random(n))
        chosen = play.topology.settings
        for number in range(1, current(play) + 1):
            tables = [pairing for key, pairing in play.stored.items() if key.round == number]
            sizes = [len(pairing.sides) for pairing in tables]
            assert max(sizes) - min(sizes) <= 1
            assert chosen.least <= min(sizes)
            assert max(sizes) <= max(chosen.seats, 2 * chosen.least - 1)
            seated = [side.player for pairing in tables for side in pairing.sides]
            assert len(set(seated)) == len(seated)
            assert len(seated) == n or (number > 1 and not chosen.rounds)
            assert all(sorted(p.games[0].seats) == list(range(len(p.sides))) for p in tables)


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_two_runs_with_the_same_results_in_another_order_store_the_same_bytes(
    format_id: str, given: dict[str, Any]
) -> None:
    for n in (3, 6, 13):
        stored = []
        for order in (1, 2):
            play = begin(format_id, n, 5, **given)
            to_the_end(play, Random(order))
            stored.append(json.dumps([codec.dump(pairing) for _, pairing in sorted(play.stored.items())]))
        assert stored[0] == stored[1]


@pytest.mark.parametrize(("format_id", "given"), CASES, ids=str)
def test_what_is_stored_can_be_written_and_read_at_every_point(format_id: str, given: dict[str, Any]) -> None:
    play, rng = begin(format_id, 6, 5, **given), Random(3)
    while tasks(play) or next_round(play):
        for pairing in play.stored.values():
            assert codec.load(json.loads(json.dumps(codec.dump(pairing)))) == pairing
        step(play, rng.choice(tasks(play)))


@pytest.mark.parametrize("format_id", [SINGLE, DOUBLE])
def test_a_result_touches_its_pairing_and_those_that_follow_it_directly(format_id: str) -> None:
    play = begin(format_id, 33, 4, third_place=True) if format_id == SINGLE else begin(format_id, 33, 4)
    while open_tasks := tasks(play):
        before = dict(play.stored)
        task = open_tasks[0]
        step(play, task)
        written = {key for key, pairing in play.stored.items() if before.get(key) != pairing}
        # A follower that is a bye in the losers' bracket passes on at once.
        near = {task[0], *tournament.following(play.topology, task[0])}
        byes = {k for k in written - near if any(s.nobody for p in near for s in before.get(p, play.stored[p]).sides)}
        assert written <= near | byes


def test_the_digest_of_a_round_depends_on_the_draw_and_on_nothing_else() -> None:
    play = begin(HEATS, 12, 1, seats=4)
    digest = draw.digest("trn_test", play.stored.values())
    to_the_end(play, Random(1), limit=6)
    first = [pairing for key, pairing in play.stored.items() if key.round == 1]
    assert any(pairing.status is Status.SETTLED for pairing in first)
    assert draw.digest("trn_test", reversed(first)) == digest
    assert draw.digest("trn_other", first) != digest
    first[0] = first[0]._replace(sides=first[0].sides[::-1])
    assert draw.digest("trn_test", first) != digest
