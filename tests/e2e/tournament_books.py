"""A tournament derived anew from what the service publishes: entries, nonces, key, and the proofs of its matches."""

from typing import Any, NamedTuple

from engine import deal, games
from engine import tournament as engine
from engine.deal import Chance
from engine.tournament import draw, settings
from engine.tournament.protocol import Entrant, Facts, Key, Pairing
from engine.verify import verify
from functions.shared.render.tournament_standings import number
from infra.cli.tournament_report import items
from infra.client import Client
from tests.engine.tournament.playing import Play, step, store, tasks


class Published(NamedTuple):
    """What the service says of a tournament that is over."""

    client: Client
    body: Any
    entries: list[Any]
    pairings: dict[Key, Any]
    rounds: dict[tuple[str, int], Any]
    rows: list[Any]


def published(client: Client, event: str) -> Published:
    """Reads all of it."""
    path = f"/v1/tournaments/{event}"
    rounds = {
        (stage["stage"], part["round"]): part
        for stage in client.ok("GET", path + "/bracket")["stages"]
        for part in stage["rounds"]
    }
    pairings = {
        Key(one["stage"], one["round"], one["place"]): one for part in rounds.values() for one in part["pairings"]
    }
    entries = list(items(client, path + "/entries"))
    return Published(
        client, client.ok("GET", path), entries, pairings, rounds, list(items(client, path + "/standings"))
    )


def check(found: Published, **given: Any) -> None:
    """Draws, bracket and table follow from the key, the nonces and the matches; each match from its actions. `given`
    are the settings of the order."""
    body, key = found.body, bytes.fromhex(found.body["deal"]["key"])
    assert deal.commitment(body["id"], key).hex() == body["deal"]["commitment"]
    game: Any = games.find(body["game"])
    parsed = settings.parse(body["format"], game.SEATS, given)
    assert draw.ruleset(body["format"], parsed) == body["deal"]["ruleset"]
    topology = engine.topology(body["format"], body["entrants"], parsed)
    playing = [entry for entry in found.entries if entry["status"] in ("playing", "out") and entry["rating"]]
    field = tuple(Entrant(one["player"]["id"], one["seed"], 1000 * one["rating"]) for one in playing)
    ordered = sorted(playing, key=lambda one: (one["at"], one["player"]["id"]))
    nonces = [bytes.fromhex(one["nonce"]) for one in ordered]
    chance = draw.chance(key, body["id"], body["format"], parsed, nonces)
    play = Play(topology, field, {}, {}, set(), 0)
    _replay(found, play, key, chance)
    _compare(found, play)


def _replay(found: Published, play: Play, key: bytes, chance: Chance) -> None:
    made, round_ = engine.start(play.topology, play.field, chance), 1
    while made:
        first = [pairing for pairing in made if pairing.key[:2] == made[0].key[:2]]
        assert draw.digest(found.body["id"], first) == found.rounds[made[0].key[:2]]["digest"]
        store(play, made)
        while waiting := tasks(play):
            step(play, waiting[0], lambda _, pairing, number: _facts(found, pairing, number, key))
        if not engine.by_rounds(play.topology):
            break
        round_ += 1
        made = engine.next_round(play.topology, play.field, play.stored.values(), round_, chance)


def _facts(found: Published, pairing: Pairing, game: int, key: bytes) -> Facts:
    """How a match ended, once its proof is found right: its key is that of its place, its seats are those of the
    draw."""
    match = found.pairings[pairing.key]["matches"][game - 1]
    proof = found.client.ok("GET", f"/v1/matches/{match}/proof")
    verify(proof)
    assert bytes.fromhex(proof["key"]) == draw.match_key(key, found.body["id"], pairing.key, game)
    shown = found.client.ok("GET", f"/v1/matches/{match}")
    assert shown["result"] == proof["result"]
    seats = [seat["player"]["id"] for seat in shown["seats"]]
    assert seats == [pairing.sides[side].player for side in pairing.games[game - 1].seats]
    acted = {action["seat"] for action in proof["actions"] if action["by"] == "player"}
    left = tuple(seat["left"] or "" for seat in shown["seats"])
    result = proof["result"]
    ranks, scores = tuple(result["ranks"]), tuple(result["scores"])
    return Facts(result["reason"], ranks, scores, left, tuple(seat in acted for seat in range(len(seats))))


def _compare(found: Published, play: Play) -> None:
    for key, pairing in play.stored.items():
        shown = found.pairings[key]
        players = [None if side["player"] is None else side["player"]["id"] for side in shown["sides"]]
        assert players == [side.player or None for side in pairing.sides]
        assert shown["status"] == pairing.status
        if pairing.result is not None:
            result = (shown["result"]["reason"], shown["result"]["ranks"], shown["result"]["scores"])
            assert result == (pairing.result.reason, list(pairing.result.ranks), list(pairing.result.scores))
    unplayed = [one for key, one in found.pairings.items() if key not in play.stored]
    assert all(one["result"] is None for one in unplayed)
    rows = engine.standings(play.topology, play.field, play.stored.values())
    assert [(row.rank, row.player, number(row.points)) for row in rows] == [
        (row["rank"], row["player"]["id"], row["points"]) for row in found.rows
    ]


def check_ladder(found: Published) -> None:
    """Each player's history in the ladder has the tournament's matches once each, and ends at the rating that is
    shown."""
    mine: dict[str, list[str]] = {entry["player"]["id"]: [] for entry in found.entries}
    for pairing in found.pairings.values():
        for side in pairing["sides"]:
            if side["player"] is not None:
                mine[side["player"]["id"]] += pairing["matches"]
    for player, matches in mine.items():
        standing = found.client.ok("GET", f"/v1/ladders/{found.body['game']}/players/{player}?limit=100")
        assert sorted(row["match"] for row in standing["history"]) == sorted(matches)
        assert standing["played"] == len(matches)
        assert not matches or standing["history"][0]["after"] == standing["rating"]
