"""What is hidden beside the play: nonces, the secret key, join codes, invitations, marks of requests; and a private
match, which to a stranger is one that isn't there."""

import json
import re
from collections.abc import Iterator
from random import Random

import pytest

from engine import games
from engine.match import lobby
from engine.match.record import Match
from engine.types import Json
from functions.shared import ids
from functions.shared.store.records import MatchRecord
from tests.engine.cases import Case, tables
from tests.leaks.asking import cannot_tell, cannot_tell_after
from tests.leaks.routes import Position, every_read, refused, some_reads
from tests.leaks.scenes import BEGAN, EVERY_CASE, decisions, lobby_of, record_of
from tests.leaks.stage import (
    ANYBODY,
    GUEST,
    INVITED,
    PLAYERS,
    SPECTATOR,
    STRANGER,
    Answer,
    Asked,
    Stage,
    Viewer,
    at_seat,
    differences,
)
from tests.leaks.worlds import World

DEFAULTS = [case for case in EVERY_CASE if not case.given and case.seats < 5]
LOBBIES = [Case(game_id, 4) for game_id in games.IDS if 4 in tables(game_id)]

every_game = pytest.mark.parametrize("case", DEFAULTS, ids=str)


def open_match(case: Case) -> Match:
    """A lobby with one seat taken beside the creator's, if the game has as many and one more."""
    return lobby_of(case, min(2, case.seats - 1))


def private(match: Match, code: str = "JJJJJJJJJJJJJJJJ", *invited: str) -> MatchRecord:
    return record_of(match)._replace(private=True, join_code=code, invited=invited, talk=True)


def doors(match: Match, viewer: Viewer, rng: Random, joins: bool = False) -> Iterator[World]:
    """The lobby with other nonces, other marks, other invitations; for who has no seat, and takes none, with another
    join code."""
    own = (GUEST.id,) if viewer is INVITED else ()
    is_private = viewer.seat is not None or viewer is INVITED
    for number in range(3):
        seats = tuple(
            taken._replace(nonce=rng.randbytes(20 * number).hex())
            if taken is not None and seat != viewer.seat
            else taken
            for seat, taken in enumerate(match.seats)
        )
        log = tuple(
            entry if entry.seat == viewer.seat else entry._replace(key=ids.code(rng.randbytes(10))[: len(entry.key)])
            for entry in match.log
        )
        code = "K" * 16 if joins or viewer.seat is not None else ids.code(rng.randbytes(10))
        invited = (*own, [STRANGER, PLAYERS[6], PLAYERS[7]][number].id)
        record = record_of(match._replace(seats=seats, log=log))._replace(invited=invited)
        yield World(f"lobby {number}", record._replace(private=is_private, join_code=code if is_private else ""))


@every_game
def test_an_open_lobby_shows_no_nonce_code_or_invitation(stage: Stage, case: Case) -> None:
    match = open_match(case)
    for viewer in (at_seat(0), INVITED, SPECTATOR, ANYBODY):
        rng = Random(f"{viewer.name} {case}")
        asked = some_reads(stage.service.stack, match, 12, rng)
        asked += refused(stage.service.stack, Position(match, viewer.seat), rng)
        assert cannot_tell(stage, viewer, asked, list(doors(match, viewer, rng)))


def _post(match: Match, what: str, body: Json) -> Asked:
    method = "PUT" if what == "nonce" else "POST"
    return Asked(method, f"/v1/matches/{match.id}/{what}", json.dumps(body).encode(), (("idempotency-key", what),))


@pytest.mark.parametrize("case", LOBBIES, ids=str)
def test_the_answers_to_joining_and_leaving_show_no_nonce_code_or_invitation(stage: Stage, case: Case) -> None:
    match = lobby_of(case, 1)
    for viewer in (INVITED, SPECTATOR):
        same = list(doors(match, viewer, Random(str(case)), joins=True))
        cannot_tell_after(stage, viewer, _post(match, "join", {}), every_read(stage.service.stack, match), same)
    match = lobby_of(case, 2)
    same = list(doors(match, at_seat(1), Random(str(case))))
    public = [World(world.name, world.record._replace(private=False, join_code="")) for world in same]
    cannot_tell_after(stage, at_seat(1), _post(match, "leave", {}), every_read(stage.service.stack, match), public)


@every_game
def test_the_answer_to_ones_own_nonce_shows_no_others(stage: Stage, case: Case) -> None:
    match = open_match(case)
    expected: list[Answer] = []
    for world in doors(match, at_seat(0), Random(0)):
        stage.clear()
        stage.put(world.record)
        asked = [_post(match, "nonce", {"nonce": "00ff"}), *every_read(stage.service.stack, match)]
        found = stage.ask(at_seat(0), asked)
        assert found[0].status == 200
        assert not differences(asked, expected or found, found)
        expected = found


@every_game
def test_the_secret_key_shows_in_nothing_but_its_commitment(stage: Stage, case: Case) -> None:
    for match in (open_match(case), decisions(case)[0], decisions(case)[-1]):
        records = [record_of(match._replace(key=key * 32)) for key in ("00", "ff")]
        for viewer in (at_seat(0), SPECTATOR):
            asked = every_read(stage.service.stack, match)
            told = []
            for record in records:
                stage.clear()
                stage.put(record)
                told.append([_uncommitted(answer) for answer in stage.ask(viewer, asked)])
            assert not differences(asked, told[0], told[1])


def _uncommitted(answer: Answer) -> Answer:
    """The answer less the commitment, and where there is one less the ETag, which is of the whole body."""
    body, found = re.subn(rb'"commitment":"[0-9a-f]{64}"', b"", answer.body)
    headers = tuple(pair for pair in answer.headers if not found or pair[0].lower() != "etag")
    return Answer(answer.status, headers, body)


@pytest.mark.parametrize("case", DEFAULTS, ids=str)
def test_a_private_match_is_to_a_stranger_as_one_that_is_not_there(stage: Stage, case: Case) -> None:
    """Wherever it stands in its players' lists, open, active or finished; whatever is sent to it."""
    for match in (open_match(case), decisions(case)[0], decisions(case)[-1]):
        rng = Random(f"{case} {match.turn}")
        position = Position(match, None)
        asked = every_read(stage.service.stack, match) + refused(stage.service.stack, position, rng)
        # Each code that is tried counts: those come in a test of their own.
        asked = [question for question in asked if b"join_code" not in (question.body or b"")]
        for viewer in (SPECTATOR, ANYBODY):
            stage.put(private(match, "JJJJJJJJJJJJJJJJ", GUEST.id))
            there = stage.ask(viewer, asked)
            stage.clear()
            not_there = stage.ask(viewer, asked)
            assert not differences(asked, there, not_there)


def test_a_wrong_join_code_is_answered_as_if_nothing_were_there(stage: Stage) -> None:
    """Up to the limit of tries, and beyond it; a code that can't be one, too."""
    match = open_match(DEFAULTS[0])
    codes: list[Json] = ["A" * 16, "j" * 15, "", "\u00df" * 8, 7, None, *("B" * 16 for _ in range(8))]
    asked = [_post(match, "join", {"join_code": code}) for code in codes]
    stage.put(private(match))
    there = stage.ask(SPECTATOR, asked)
    stage.clear()
    not_there = stage.ask(Viewer("another stranger", None, STRANGER.token), asked)
    assert not differences(asked, there, not_there)
    assert {answer.status for answer in there} == {404, 429}


def test_an_invitation_is_seen_by_who_was_invited_only(stage: Stage) -> None:
    match = open_match(DEFAULTS[0]._replace(salt=99))  # no other test has put it into anybody's history
    asked = every_read(stage.service.stack, match)
    stage.put(private(match, "JJJJJJJJJJJJJJJJ", GUEST.id))
    seen = stage.ask(INVITED, asked)
    assert match.id.encode() in b"".join(answer.body for answer in seen)
    stage.put(private(match, "JJJJJJJJJJJJJJJJ"))
    assert match.id.encode() not in b"".join(answer.body for answer in stage.ask(INVITED, asked))


def test_who_left_the_lobby_of_a_private_match_sees_it_no_more(stage: Stage) -> None:
    match = lobby_of(DEFAULTS[0], 2)
    left = lobby.leave(match, 1, BEGAN - 1000)
    asked = every_read(stage.service.stack, match)
    stage.put(private(left))
    there = stage.ask(at_seat(1), asked)
    stage.clear()
    assert not differences(asked, there, stage.ask(at_seat(1), asked))
