"""Who waits for opponents shows to nobody, nor what they accept, nor their nonces: not before a match is made of it."""

import json
import re
from collections.abc import Iterator

import pytest

from engine import games
from functions.shared import ids
from functions.shared.store.records import Seek, SeekStatus
from tests.leaks.stage import NOW, OUTSIDER, SPECTATOR, STRANGER, Answer, Asked, Stage, Viewer, differences, services

CLOCK = {"kind": "per-move", "seconds": 259_200, "on_timeout": "default-action"}
FOREIGN = ids.new(ids.SEEK, NOW, lambda size: b"\x05" * size)
_OWN = re.compile(rb"sek_[0-9A-Z]{26}")


def foreign(game: str, rating_range: tuple[int, int] | None, nonce: str = "") -> Seek:
    """A seek of somebody else's that does not accept the viewer, or is not accepted."""
    return Seek(FOREIGN, STRANGER.id, game, 2, CLOCK, 1500, rating_range, nonce, NOW, NOW + 1000, NOW + 1000)


def worlds(game: str) -> Iterator[Seek | None]:
    """Nobody else waits, or a stranger does, to whom others are not good enough."""
    yield None
    for rating_range, nonce in (((1600, 1700), ""), ((1501, 4095), "c0ffee" * 20), ((0, 1499), "bada55")):
        yield foreign(game, rating_range, nonce)


def told(stage: Stage, viewer: Viewer, asked: list[Asked]) -> tuple[list[Asked], list[Answer]]:
    """The answers; then the viewer seeks, looks at it, and takes it back. Ids, which are chance, are left out."""
    answers = stage.ask(viewer, asked)
    (seek,) = [match[0] for match in [_OWN.findall(answers[-1].body)]]
    more = [Asked("GET", "/v1/seeks"), Asked("GET", f"/v1/seeks/{seek.decode()}")]
    more.append(Asked("DELETE", f"/v1/seeks/{seek.decode()}"))
    answers += stage.ask(viewer, more)
    return [*asked, *more], [_without_ids(answer) for answer in answers]


def _without_ids(answer: Answer) -> Answer:
    kept = tuple(pair for pair in answer.headers if pair[0].lower() not in ("etag", "location"))
    return Answer(answer.status, kept, _OWN.sub(b"", answer.body))


@pytest.mark.parametrize("game", [game for game in games.IDS if game != "micro-poker"])
def test_what_others_seek_shows_to_nobody(stage: Stage, game: str) -> None:
    asked = [
        Asked("GET", "/v1/seeks"),
        Asked("GET", f"/v1/seeks/{FOREIGN}"),
        Asked("DELETE", f"/v1/seeks/{FOREIGN}"),
        Asked("GET", f"/v1/players/{STRANGER.id}"),
        Asked("GET", f"/v1/ladders/{game}/players/{STRANGER.id}"),
        Asked("GET", "/v1/matches?status=open"),
        Asked("POST", "/v1/seeks", json.dumps({"game": game, "clock": {"kind": "none"}}).encode()),
        Asked("POST", "/v1/seeks", json.dumps({"game": game}).encode()),
    ]
    expected: list[Answer] = []
    for seek in worlds(game):
        if seek is not None:
            services().seeks.begin(seek, None)
        again, found = told(stage, SPECTATOR, asked)
        assert found[asked.index(asked[-1])].status == 201
        assert not differences(again, expected or found, found)
        expected = expected or found
        if seek is not None:
            assert services().seeks.of_player(STRANGER.id) == [seek]
            services().seeks.end(seek, SeekStatus.CANCELLED, NOW)
    assert services().seeks.of_player(OUTSIDER.id) == []
