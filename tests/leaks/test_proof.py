"""A proof opens everything: before the end there is none, and how that is said tells nothing; of a private match a
stranger can't tell that there is one."""

from random import Random

import pytest

from tests.leaks.asking import cannot_tell
from tests.leaks.routes import PROOF
from tests.leaks.scenes import EVERY_CASE, Case, Scene, decisions, lobby_of, record_of, representatives
from tests.leaks.stage import ANYBODY, SPECTATOR, Asked, Stage, at_seat, differences
from tests.leaks.worlds import own_choices, worlds

DEFAULTS = [case for case in EVERY_CASE if not case.given and case.seats < 5]


@pytest.mark.parametrize("case", EVERY_CASE, ids=str)
def test_before_the_end_the_proof_tells_nothing(stage: Stage, case: Case) -> None:
    rng = Random(f"proof {case}")
    for match in representatives(decisions(case)[:-1], 2, rng):
        scene, asked = Scene(f"{case}, turn {match.turn}", match), [Asked("GET", PROOF.format(match=match.id))]
        for viewer in (at_seat(0), at_seat(case.seats - 1), rng.choice([ANYBODY, SPECTATOR])):
            for own in own_choices(scene, viewer, rng):
                same = list(worlds(scene, viewer, own, 2, rng))
                assert cannot_tell(stage, viewer, asked, same)
                (answer,) = stage.ask(viewer, asked)
                assert (answer.status, b'"code":"match-active"' in answer.body) == (409, True)


@pytest.mark.parametrize("case", DEFAULTS, ids=str)
def test_the_proof_of_a_private_match_is_to_a_stranger_as_one_that_is_not_there(stage: Stage, case: Case) -> None:
    for match in (lobby_of(case, case.seats - 1), decisions(case)[0], decisions(case)[-1]):
        asked = [Asked("GET", PROOF.format(match=match.id))]
        record = record_of(match)._replace(private=True, join_code="JJJJJJJJJJJJJJJJ")
        for viewer in (SPECTATOR, ANYBODY):
            stage.put(record)
            there = stage.ask(viewer, asked)
            stage.clear()
            assert not differences(asked, there, stage.ask(viewer, asked))
            assert there[0].status == 404
