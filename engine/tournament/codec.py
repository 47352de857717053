"""A pairing as plain JSON data, and back. What is as by default is left out."""

from typing import Any

from engine.tournament.protocol import (
    End,
    Game,
    Key,
    Nobody,
    Origin,
    Pairing,
    Reason,
    Result,
    Side,
    Source,
    Status,
)
from engine.types import Data, Json


def dump(pairing: Pairing) -> dict[str, Json]:
    """The pairing as a JSON object; equal pairings give equal objects."""
    data: dict[str, Json] = {
        "key": list(pairing.key),
        "status": str(pairing.status),
        "sides": [_side(side) for side in pairing.sides],
    }
    if pairing.best_of != 1:
        data["best_of"] = pairing.best_of
    if pairing.games:
        data["games"] = [_game(game) for game in pairing.games]
    if pairing.result is not None:
        data["result"] = _fields(pairing.result)
    if pairing.owed:
        data["owed"] = True
    return data


def load(data: Data) -> Pairing:
    """The pairing that `dump` was given."""
    return Pairing(
        Key(*data["key"]),
        tuple(_load_side(side) for side in data["sides"]),
        Status(data["status"]),
        data.get("best_of", 1),
        tuple(_load_game(game) for game in data.get("games", ())),
        _load_result(data["result"]) if "result" in data else None,
        data.get("owed", False),
    )


def _fields(value: Any) -> list[Json]:
    return [list(item) if isinstance(item, tuple) else str(item) for item in value]


def _side(side: Side) -> dict[str, Json]:
    data: dict[str, Json] = {"from": str(side.source.origin)}
    if side.source.of is not None:
        data["of"] = list(side.source.of)
    if side.source.seed:
        data["place"] = side.source.seed
    if side.player:
        data |= {"player": side.player, "seed": side.seed}
    if side.nobody:
        data["nobody"] = str(side.nobody)
    return data | {name: True for name in ("out", "withdrew") if getattr(side, name)}


def _load_side(data: Data) -> Side:
    source = Source(Origin(data["from"]), data.get("place", 0), Key(*data["of"]) if "of" in data else None)
    return Side(
        source,
        data.get("player", ""),
        data.get("seed", 0),
        Nobody(data.get("nobody", "")),
        data.get("out", False),
        data.get("withdrew", False),
    )


def _game(game: Game) -> dict[str, Json]:
    data: dict[str, Json] = {"number": game.number, "seats": list(game.seats)}
    if game.end is not None:
        data["end"] = _fields(game.end)
    return data | {name: True for name in ("started", "void", "stopped") if getattr(game, name)}


def _load_game(data: Data) -> Game:
    flags = {name: True for name in ("started", "void", "stopped") if data.get(name)}
    return Game(data["number"], tuple(data["seats"]), end=_load_end(data["end"]) if "end" in data else None, **flags)


def _load_end(data: Json) -> End:
    reason, ranks, scores, left, acted = data
    return End(reason, tuple(ranks), tuple(scores), tuple(left), tuple(acted))


def _load_result(data: Json) -> Result:
    reason, ranks, points, scores, out = data
    return Result(Reason(reason), tuple(ranks), tuple(points), tuple(scores), tuple(out))
