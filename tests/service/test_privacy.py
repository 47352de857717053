"""Secrets that a player can watch for from outside, through whole matches. tests/leaks compares worlds from inside."""

from collections.abc import Iterator, Sequence
from typing import Any

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.playing import act, at, lay, legal, me, read, table

OF_THE_REQUEST = ("date", "apigw-requestid", "content-length")


def answers(client: Client, match: str, player: str) -> dict[str, Reply]:
    """What every GET that may have to do with a match answers, less what belongs to the request itself."""
    under = [f"/v1/matches/{match}{rest}" for rest in ("", "/log?limit=100", "/legal-actions")]
    lists = [f"/v1/matches?{query}" for query in ("status=active", f"player={player}", "status=finished")]
    if client.token is not None:
        lists += ["/v1/matches?mine=true", "/v1/matches?my_turn=true", f"/v1/matches/{match}/odds?digit=1&count=1"]
    found = {}
    for path in (*under, *lists, f"/v1/players/{player}"):
        reply = client.call("GET", path)
        headers = {name: text for name, text in reply.headers.items() if name not in OF_THE_REQUEST}
        body = {name: value for name, value in reply.body.items() if name != "request_id"}
        found[path] = Reply(reply.status, headers, body)
    return found


def bids(clients: Sequence[Client], match: str) -> Iterator[Reply]:
    """Plays a round of Liar's Poker: a few bids, then challenges."""
    for count in range(1, 100):
        turn = read(clients[0], match)["turn"]
        (client,) = [client for client in clients if read(client, match)["you"]["to_act"]]
        offered = legal(client, match)["actions"]
        reply = act(client, match, offered[0] if count < 6 else offered[-1], turn)
        assert reply.status == 200
        yield reply
        if any(event["type"] == "settled" for event in read(client, match)["last_events"]):
            return


def test_a_serial_number_is_seen_by_its_holder_only_until_its_round_is_settled(
    anybody: Client, ann: Client, bob: Client, cyd: Client, service: LocalService
) -> None:
    stranger = Client(service.url)
    stranger.token = stranger.ok("POST", "/v1/players", {"name": "privacy-0"})["token"]
    players = (ann, bob, cyd)
    match = table(*players, game="liars-poker", rated=False)
    serials = {client: read(client, match)["view"]["serial"] for client in players}
    assert len(set(serials.values())) == 3
    for reply in bids(players, match):
        if any(event["type"] == "settled" for event in reply.body["last_events"]):
            break
        for client in (*players, anybody, stranger):
            text = str(answers(client, match, me(bob)))
            for holder, serial in serials.items():
                assert (serial in text) == (holder is client)
    fresh = {client: read(client, match)["view"]["serial"] for client in players}
    for client in (*players, anybody, stranger):
        text = str(answers(client, match, me(bob)))
        assert all(serial in text for serial in serials.values())
        assert [serial for serial in fresh.values() if serial in text] == ([fresh[client]] if client in fresh else [])
    stranger.close()


def test_nothing_tells_that_a_choice_has_been_sealed(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob)
    others: tuple[Client, ...] = (anybody, bob, cyd)
    before = [answers(client, match, me(ann)) for client in others]
    refused = act(bob, match, {"type": "play", "card": "7c", "claim": "higher"}, 1)
    at(lay(ann, match, "7", "higher", 1))
    assert [answers(client, match, me(ann)) for client in others] == before
    again: Any = act(bob, match, {"type": "play", "card": "7c", "claim": "higher"}, 1)
    assert (
        (again.status, again.body["detail"]) == (refused.status, refused.body["detail"]) == (422, again.body["detail"])
    )
