"""ETags (api.md, "caching")."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from infra.client import Client, Reply
from infra.local.service import LocalService
from tests.service.playing import at, create, lay, me, read, table

TAG = re.compile(r'W/"[\w-]{8,}"')


def get(client: Client, path: str, tag: str | None = None) -> Reply:
    return client.call("GET", path, headers={} if tag is None else {"If-None-Match": tag})


@pytest.fixture
def paths(ann: Client, bob: Client) -> list[str]:
    """Every kind of GET, for ann."""
    match = table(ann, bob, game="liars-poker", rated=False)
    under = [f"/v1/matches/{match}{rest}" for rest in ("", "/log", "/legal-actions", "/odds?digit=1&count=1")]
    own = ["/v1/me", "/v1/me/tokens", f"/v1/players/{me(bob)}", "/v1/matches", "/v1/matches?mine=true"]
    return [*under, *own, "/v1/matches?my_turn=true", "/v1/games", "/v1/games/misfortune", "/openapi.json", "/docs"]


def test_every_get_has_a_weak_tag_and_answers_304_to_it(service: LocalService, ann: Client, paths: list[str]) -> None:
    for path in paths:
        first = get(ann, path)
        tag = first.headers["etag"]
        assert TAG.fullmatch(tag), path
        service.advance(1)  # the moment is not part of what a tag stands for
        strong = tag.removeprefix("W/")
        for known in (tag, strong, f'"other", {tag}', f'{tag},W/"other"', "*"):
            same = get(ann, path, known)
            assert (same.status, same.body, same.headers["etag"]) == (304, None, tag), (path, known)
            assert "content-type" not in same.headers
        for unknown in ('W/"other"', tag[:-2] + '"', tag.lower() + "x", "", strong.strip('"')):
            assert get(ann, path, unknown).status == 200, (path, unknown)


def test_only_a_get_is_conditional(ann: Client) -> None:
    reply = ann.call("POST", "/v1/matches", {"game": "misfortune"}, headers={"If-None-Match": "*"})
    assert reply.status == 201
    assert "etag" not in reply.headers


def test_a_problem_has_no_tag(ann: Client) -> None:
    reply = get(ann, "/v1/matches/nonsense", "*")
    assert reply.status == 404
    assert "etag" not in reply.headers


def test_a_tag_changes_when_the_view_does_and_not_otherwise(anybody: Client, ann: Client, bob: Client) -> None:
    match = table(ann, bob)
    path = f"/v1/matches/{match}"

    def tags() -> dict[Client, str]:
        return {client: get(client, path).headers["etag"] for client in (anybody, ann, bob)}

    before = tags()
    at(lay(ann, match, "7", "higher", 1))
    sealed = tags()
    assert sealed[ann] != before[ann]
    assert (sealed[bob], sealed[anybody]) == (before[bob], before[anybody])
    at(lay(bob, match, "9", "higher", 1))
    after = tags()
    assert all(after[client] not in (before[client], sealed[client]) for client in after)


def test_equal_views_have_equal_tags(anybody: Client, ann: Client, bob: Client, cyd: Client) -> None:
    match = table(ann, bob)
    tags = {client: get(client, f"/v1/matches/{match}").headers["etag"] for client in (anybody, cyd, ann, bob)}
    assert tags[anybody] == tags[cyd]
    assert len(set(tags.values())) == 3


def test_a_tag_stands_for_the_whole_body(ann: Client, bob: Client) -> None:
    """Two matches that look alike have tags of their own: nothing but the moment is left out."""
    first, second = (table(ann, bob) for _ in range(2))
    assert get(ann, f"/v1/matches/{first}").headers["etag"] != get(ann, f"/v1/matches/{second}").headers["etag"]


def test_the_tag_of_a_list_changes_with_it(ann: Client, new_player: Callable[[], Client]) -> None:
    path = "/v1/matches?mine=true"
    tag = get(ann, path).headers["etag"]
    assert get(new_player(), path).headers["etag"] == tag  # both are empty
    match = create(ann)
    changed = get(ann, path, tag)
    assert changed.status == 200
    assert [head["id"] for head in changed.body["items"]] == [match]
    assert get(ann, path, changed.headers["etag"]).status == 304


def test_what_is_answered_may_not_be_kept_unasked(ann: Client, paths: list[str]) -> None:
    assert {get(ann, path).headers["cache-control"] for path in paths} == {"no-cache"}


def test_a_tag_of_before_is_no_tag_of_now(service: LocalService, ann: Client, bob: Client) -> None:
    match: Any = table(ann, bob, clock={"kind": "per-move", "seconds": 60})
    tag = get(ann, f"/v1/matches/{match}").headers["etag"]
    service.advance(60)
    assert get(ann, f"/v1/matches/{match}", tag).status == 200
    assert read(ann, match)["turn"] == 2
