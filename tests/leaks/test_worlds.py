"""What a viewer may not know changes no byte of any answer: every game, option, phase and viewer, on every route.

Each scene is put into worlds that are the same to a viewer (tests/leaks/worlds.py), who asks the same in all of them.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

import pytest

from engine import games
from engine.match import play
from engine.match.log import LAST_EVENTS
from engine.match.record import Match, sitters
from engine.types import Seat
from tests.engine.cases import Case, tables
from tests.engine.cases import cases as more_cases
from tests.leaks.asking import cannot_tell
from tests.leaks.routes import Position, reads, refused
from tests.leaks.scenes import BEGAN, DAY_S, EVERY_CASE, Scene, lobby_of, played, record_of, scenes
from tests.leaks.stage import ANYBODY, NOW, SPECTATOR, Asked, Stage, Viewer, at_seat
from tests.leaks.worlds import World, own_choices, worlds


class Effort(NamedTuple):
    """How much of everything is looked at; None: all."""

    scenes: int | None
    seats: int
    worlds: int
    """Beside the first one."""
    reads: int | None
    """Questions beside the bare ones about the match."""
    refusals: int | None


SAMPLE = Effort(scenes=2, seats=2, worlds=2, reads=5, refusals=4)
DEFAULTS = SAMPLE._replace(scenes=3, seats=3, reads=8, refusals=8)
"""For games without options of their own."""
ALL = Effort(None, 10, 3, None, None)


def viewers(scene: Scene, effort: Effort, rng: Random) -> list[Viewer]:
    """Seats that are asked and such that are not, who leaves and who has left, and spectators with and without a
    token."""
    seats = list(range(len(scene.match.seats)))
    special = [seat for seat in seats if seat == scene.leaver or sitters(scene.match)[seat].left]
    asked = [seat for seat in play.asked(scene.match) if seat not in special]
    others = [seat for seat in seats if seat not in special and seat not in asked]
    for group in (special, asked, others):
        rng.shuffle(group)
    chosen = [*asked[: effort.seats - 1], *special[:1], *others, *asked[effort.seats - 1 :], *special[1:]]
    spectators = [ANYBODY, SPECTATOR]
    return [*map(at_seat, chosen[: effort.seats]), *(spectators if effort is ALL else [rng.choice(spectators)])]


def questions(stage: Stage, scene: Scene, first: World, viewer: Viewer, effort: Effort, rng: Random) -> list[Asked]:
    """What a viewer asks in all worlds alike."""
    stack = stage.service.stack
    own, others = reads(stack, first.record.match)
    refusals = refused(stack, Position(first.record.match, viewer.seat), rng)
    return [*own, *_some(others, effort.reads, rng), *_some(refusals, effort.refusals, rng)]


def _some(asked: list[Asked], most: int | None, rng: Random) -> list[Asked]:
    return asked if most is None else rng.sample(asked, min(most, len(asked)))


def tells_nothing(stage: Stage, scene: Scene, effort: Effort) -> int:
    """Compares what each viewer is told in the worlds of a scene; the number of answers compared."""
    rng = Random(scene.name)
    compared = 0
    for viewer in viewers(scene, effort, rng):
        for own in own_choices(scene, viewer, rng):
            same = list(worlds(scene, viewer, own, effort.worlds, rng))
            asked = questions(stage, scene, same[0], viewer, effort, rng)
            compared += cannot_tell(stage, viewer, asked, same)
    return compared


@pytest.mark.parametrize("case", EVERY_CASE, ids=str)
def test_what_a_viewer_may_not_know_changes_no_answer(stage: Stage, case: Case) -> None:
    effort = SAMPLE if case.given else DEFAULTS
    for scene in scenes(case, effort.scenes):
        assert tells_nothing(stage, scene, effort)


def fading(case: Case, seat: Seat) -> Iterator[Match]:
    """Moments of a match in which a seat lets the clock act for it, up to three times, once a dozen events are told."""

    def absent(match: Match) -> Mapping[Seat, str]:
        return {seat: "miss"} if len(match.log) > 12 else {}

    for days in (0, 1, 2, 3):
        lobby = lobby_of(case, case.seats, BEGAN - days * DAY_S * 1000)
        # Of a match that began a few days ago, the moments of today.
        yield from (m for m in played(lobby, case, absent) if (play.closes_at(m) or 0) > NOW > m.opened_at)


@pytest.mark.parametrize("game_id", games.IDS)
def test_where_the_log_is_kept_shows_nowhere(stage: Stage, game_id: str) -> None:
    """Old events are put away when an item grows, and how large it is depends on what is hidden."""
    case = Case(game_id, tables(game_id)[0], (), "mixed", 1)
    for seat in range(case.seats):
        for match in [match for match in fading(case, seat) if len(match.log) > LAST_EVENTS][:16]:
            same = [World("in one place", record_of(match), 1 << 20), World("put away", record_of(match), 0)]
            for viewer in (at_seat(seat), ANYBODY):
                cannot_tell(stage, viewer, reads(stage.service.stack, match)[0], same)


@pytest.mark.soak
@pytest.mark.parametrize("case", [case for game in games.IDS for case in more_cases(game)], ids=str)
def test_what_a_viewer_may_not_know_changes_no_answer_to_any_question(stage: Stage, case: Case) -> None:
    for scene in scenes(case, ALL.scenes):
        assert tells_nothing(stage, scene, ALL)
