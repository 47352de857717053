"""Where a player stands, and why (api.md, "Ladder")."""

import pytest

from engine.ladder import elo
from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import problem
from tests.service.laddering import crowd, entry, won
from tests.service.moments import DAY, HOUR, admin, deaf, jump, record_of, services
from tests.service.playing import act, at, create, me, table

ENTRY = {"rank", "player", "rating", "provisional", "played", "won", "drawn", "lost", "last_played_at"}
GAME = "misfortune"


def test_a_first_result_lists_both_and_each_row_says_why(service: LocalService, ann: Client, bob: Client) -> None:
    match = won(service, ann, bob, game="half-deck-poker")
    top = ann.ok("GET", "/v1/ladders/half-deck-poker")
    assert (top["of"], top["next_cursor"], top["prev_cursor"]) == (2, None, None)
    first, second = top["items"]
    assert set(first) == set(second) == ENTRY
    assert (first["rank"], first["player"]["id"], first["rating"]) == (1, me(ann), 1560)
    assert (second["rank"], second["player"]["id"], second["rating"]) == (2, me(bob), 1440)
    assert [(one["played"], one["won"], one["drawn"], one["lost"]) for one in (first, second)] == [
        (1, 1, 0, 0),
        (1, 0, 0, 1),
    ]
    assert first["provisional"]
    assert first["last_played_at"] == ann.ok("GET", f"/v1/matches/{match}")["ended_at"]

    own = entry(bob, "half-deck-poker", me(ann))
    assert {name: own[name] for name in ENTRY} == first
    assert (own["of"], own["percentile"], own["next_cursor"]) == (2, 50, None)
    (row,) = own["history"]
    assert (row["match"], row["before"], row["after"], row["k"], row["rank"]) == (match, 1500, 1560, "120.000", 1)
    assert (row["reason_code"], row["annulment"], row["algorithm"], row["games"]) == (None, False, "elo/1", 0)
    assert row["exact"] == {"before": 1_500_000, "after": 1_560_000, "k": 120_000}
    (opponent,) = row["opponents"]
    assert (opponent["player"]["id"], opponent["rank"], opponent["rating"]) == (me(bob), 2, 1500)
    assert (opponent["expected"], opponent["score"]) == (500_000, 1_000_000)
    assert opponent["exact"] == {"before": 1_500_000, "after": 1_440_000, "k": 120_000}


def test_each_row_can_be_computed_by_hand(service: LocalService, ann: Client, bob: Client) -> None:
    """Ladder.md's vector: a new player beats a new one three times."""
    for _ in range(3):
        won(service, ann, bob)
        jump(service, DAY)
    history = entry(ann, GAME, me(ann))["history"]
    assert [row["exact"]["after"] for row in history] == [1_615_173, 1_593_386, 1_560_000]
    assert [row["k"] for row in history] == ["85.714", "100.000", "120.000"]
    for row in history:
        (other,) = row["opponents"]
        gap = abs(row["exact"]["before"] - other["exact"]["before"])
        expected = round(1_000_000 / (1 + 10 ** (-((gap + 500) // 1000) / 400)))
        assert (other["expected"], other["score"]) == (expected, 1_000_000)
        change = row["exact"]["k"] * (other["score"] - other["expected"]) / 1_000_000
        assert abs(row["exact"]["after"] - row["exact"]["before"] - change) <= 1
        assert row["exact"]["after"] - row["exact"]["before"] == other["exact"]["before"] - other["exact"]["after"]


def test_a_table_of_three_is_computed_from_one_row(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    won(service, ann, bob, cyd, game="micro-poker")
    for client in (ann, bob, cyd):
        row = entry(ann, "micro-poker", me(client))["history"][0]
        own = elo.Entrant(me(client), row["exact"]["before"], row["games"], row["rank"])
        others = [
            elo.Entrant(one["player"]["id"], one["exact"]["before"], one["games"], one["rank"])
            for one in row["opponents"]
        ]
        change, *_ = elo.changes([own, *others])
        assert (change.after, change.k) == (row["exact"]["after"], row["exact"]["k"])
        pairs = {one["player"]["id"]: (one["expected"], one["score"]) for one in row["opponents"]}
        assert {pair.opponent: (pair.expected, pair.score) for pair in change.pairs} == pairs


def test_who_has_no_rated_result_has_no_rank(service: LocalService, ann: Client, bob: Client) -> None:
    own = entry(ann, GAME, me(ann))
    assert (own["rank"], own["percentile"], own["history"], own["last_played_at"]) == (None, None, [], None)
    assert (own["rating"], own["played"], own["provisional"]) == (1500, 0, True)
    assert me(ann) not in str(ann.ok("GET", f"/v1/ladders/{GAME}?limit=100"))
    assert ann.ok("GET", f"/v1/ladders/{GAME}/around/{me(ann)}")["items"] == []


def test_what_is_not_rated_stands_in_the_history_with_its_reason(
    service: LocalService, ann: Client, bob: Client
) -> None:
    """Nothing moves for an unrated match, one with a house bot, one that was too short, one against the same player
    once too often (reports.md, 28 and 34)."""
    expected: list[str | None] = []
    for _ in range(2):
        won(service, ann, bob)
        expected.append(None)
    won(service, ann, bob)
    expected.append("rematch-limit")
    before = entry(ann, GAME, me(ann))
    service.advance(1)
    won(service, ann, bob, rated=False)
    expected.append("unrated")
    service.advance(1)
    short = table(ann, bob)
    at(act(bob, short, {"type": "resign"}))
    service.settle()
    expected.append("too-short")
    service.advance(1)
    alone = create(ann, GAME, bots=1)
    at(act(ann, alone, {"type": "resign"}))
    service.settle()
    expected.append("unrated")
    after = entry(ann, GAME, me(ann))
    assert [row["reason_code"] for row in after["history"]][::-1] == expected
    assert {name: after[name] for name in ENTRY} == {name: before[name] for name in ENTRY}
    for row in after["history"]:
        if row["reason_code"] is not None:
            assert (row["before"], row["k"], row["exact"]["k"]) == (row["after"], None, None)
            assert all((one["expected"], one["score"]) == (None, None) for one in row["opponents"])
    assert [one["player"]["id"] for one in after["history"][0]["opponents"]] == []


def test_who_lets_games_time_out_in_series_is_let_off_once(
    service: LocalService, ann: Client, bob: Client, cyd: Client
) -> None:
    """A no-show is rated, but for the first in thirty days: nobody gains by it again and again."""
    rows = []
    for rival in (ann, cyd):
        match = table(rival, bob, clock={"kind": "per-move", "seconds": 10, "on_timeout": "forfeit"})
        at(act(rival, match, rival.ok("GET", f"/v1/matches/{match}/legal-actions")["actions"][0]))
        service.advance(60)
        assert record_of(match).match.result.reason == "timeout"
        rows.append(entry(bob, GAME, me(bob))["history"][0])
        jump(service, 29 * DAY)
    assert [(row["reason_code"], row["before"], row["after"]) for row in rows] == [
        ("too-short", 1500, 1500),
        (None, 1500, 1440),
    ]
    assert [entry(bob, GAME, me(rival))["rating"] for rival in (ann, cyd)] == [1500, 1560]


def test_an_aborted_match_moves_no_rating(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    jump(service, 10 * DAY)
    service.advance(60)
    assert record_of(match).match.status == "aborted"
    own = entry(ann, GAME, me(ann))
    assert (own["played"], own["rating"]) == (0, 1500)
    assert [row["reason_code"] for row in own["history"]] == ["aborted"]


def test_a_finish_that_is_told_many_times_is_one_result(service: LocalService, ann: Client, bob: Client) -> None:
    match = won(service, ann, bob)
    once = entry(ann, GAME, me(ann))
    record = {"dynamodb": {"Keys": {"pk": {"S": f"MAT#{match}"}}, "SequenceNumber": "1"}}
    service._invoke("SettleFunction", {"Records": [record] * 5})
    service.settle()
    assert entry(ann, GAME, me(ann)) | {"server_time": ""} == once | {"server_time": ""}


def test_ones_own_last_result_is_in_ones_own_rank_at_once(service: LocalService, ann: Client, bob: Client) -> None:
    from functions.shared.flows.rate import rate

    crowd(service, "liars-poker", {f"own-{n}": 1500 + 10 * n for n in range(5)})
    match = won(service, ann, bob, game="liars-poker")
    (before,) = entry(ann, "liars-poker", me(ann))["history"]
    assert before["after"] == 1560
    service.advance(1)
    with deaf(service):
        second = table(ann, bob, game="liars-poker")
        for client in (ann, bob, ann, bob):
            if actions := client.ok("GET", f"/v1/matches/{second}/legal-actions")["actions"]:
                at(act(client, second, actions[0]))
        at(act(bob, second, {"type": "resign"}))
        rate(services(), record_of(second))  # its stream tells nobody to count it
        own = entry(ann, "liars-poker", me(ann))
        assert (own["rank"], own["rating"], own["of"], own["percentile"]) == (1, 1593, 7, 85)
        listed = ann.ok("GET", "/v1/ladders/liars-poker")["items"][0]
        assert (listed["player"]["id"], listed["rating"], listed["rank"]) == (me(ann), 1560, 1)
        around = ann.ok("GET", f"/v1/ladders/liars-poker/around/{me(ann)}?window=2")["items"]
        assert [one["rating"] for one in around] == [1593, 1540, 1530]
    assert match != second


def test_an_annulled_match_is_taken_back_by_a_further_row(service: LocalService, ann: Client, bob: Client) -> None:
    match = won(service, ann, bob)
    won(service, ann, bob)
    assert admin(service, "annul", match=match)["ok"]
    service.settle()
    own = entry(ann, GAME, me(ann))
    newest, _, oldest = own["history"]
    assert (newest["match"], newest["annulment"], oldest["match"], oldest["annulment"]) == (match, True, match, False)
    assert newest["exact"]["after"] - newest["exact"]["before"] == -60_000
    assert (newest["reason_code"], newest["k"]) == (None, None)
    assert (own["played"], own["won"], own["rating"]) == (1, 1, newest["after"])


def test_a_history_goes_by_pages(service: LocalService, ann: Client, bob: Client) -> None:
    matches = []
    for _ in range(5):
        matches.append(won(service, ann, bob))
        jump(service, 13 * HOUR)
    found = []
    path = f"/v1/ladders/{GAME}/players/{me(ann)}?limit=2"
    page = bob.ok("GET", path)
    found += page["history"]
    while page["next_cursor"] is not None:
        page = bob.ok("GET", f"{path}&cursor={page['next_cursor']}")
        assert len(page["history"]) <= 2
        found += page["history"]
    assert [row["match"] for row in found] == matches[::-1]
    assert found == bob.ok("GET", f"/v1/ladders/{GAME}/players/{me(ann)}")["history"]
    problem(bob.call("GET", f"/v1/ladders/{GAME}/players/{me(bob)}?cursor={page['next_cursor']}"), 400, INVALID)


INVALID = "invalid-request"


@pytest.mark.parametrize("path", ["chess", "chess/players/{me}", "chess/around/{me}", "{game}/players/x"])
def test_an_unknown_ladder_or_player_is_not_there(ann: Client, path: str) -> None:
    unknown = "ply_" + "0" * 26
    paths = [path.format(me=me(ann), game=GAME)]
    paths += [f"{GAME}/players/{unknown}", f"{GAME}/around/{unknown}", f"{GAME}/around/mat_{'0' * 26}"]
    for each in paths:
        problem(ann.call("GET", f"/v1/ladders/{each}"), 404, "not-found")


@pytest.mark.parametrize(
    "query",
    [
        *("?limit=0", "?limit=-1", "?limit=101", "?limit=1000000000", "?cursor=x", "?cursor=", "?rank=0", "?rank=x"),
        *("/players/{me}?limit=0", "/players/{me}?cursor=x"),
        *("/around/{me}?window=0", "/around/{me}?window=-1", "/around/{me}?window=51", "/around/{me}?window=1.5"),
    ],
)
def test_what_can_not_be_asked_for_is_refused(ann: Client, query: str) -> None:
    problem(ann.call("GET", f"/v1/ladders/{GAME}{query.format(me=me(ann))}"), 400, INVALID)


def test_a_ladder_is_public_and_a_bad_token_is_none(anybody: Client, ann: Client, service: LocalService) -> None:
    for path in (GAME, f"{GAME}/players/{me(ann)}", f"{GAME}/around/{me(ann)}"):
        reply = anybody.call("GET", f"/v1/ladders/{path}")
        assert reply.status == 200
        again = anybody.call("GET", f"/v1/ladders/{path}", headers={"if-none-match": reply.headers["etag"]})
        assert again.status == 304
        assert "server_time" in reply.body
        wrong = Client(service.url)
        wrong.token = "bh_nobody"
        problem(wrong.call("GET", f"/v1/ladders/{path}"), 401, "unauthenticated")
        wrong.token = ann.ok("POST", "/v1/me/tokens", {"scopes": ["play"], "label": "p"})["token"]
        problem(wrong.call("GET", f"/v1/ladders/{path}"), 403, "forbidden")
        wrong.close()
