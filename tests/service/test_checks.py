"""The check that the others lean on can fail."""

import pytest

from infra.client import Client
from infra.local.service import LocalService
from tests.service.checks import nothing_stored, stored
from tests.service.playing import act, create, read, table


def test_a_change_does_not_go_unnoticed(service: LocalService, ann: Client, bob: Client) -> None:
    match = table(ann, bob, game="liars-poker")
    acting = (ann, bob)[read(ann, match)["to_act"][0]]
    before = stored(service)
    for change in (
        lambda: create(ann),
        lambda: act(acting, match, {"type": "bid", "count": 1, "digit": 0}),
        lambda: ann.ok("POST", "/v1/me/tokens", {"scopes": ["read"], "label": "x"}),
    ):
        with pytest.raises(AssertionError), nothing_stored(service):
            change()
        assert stored(service) != before
        before = stored(service)
    with nothing_stored(service):
        read(ann, match)
