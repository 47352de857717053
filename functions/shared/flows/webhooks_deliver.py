"""Tells webhooks of what came into the inboxes: at least once, each on its own."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from engine.types import EpochMs
from functions.shared.delivery.parcels import Outcome, Parcel, Send
from functions.shared.flows import webhooks_catch_up as catch_up
from functions.shared.flows.webhooks import secret_of, wants
from functions.shared.flows.webhooks_catch_up import CatchUp
from functions.shared.flows.webhooks_setbacks import fall_behind
from functions.shared.store.ports import ConflictError, Services, UnavailableError
from functions.shared.store.webhook_records import Change, HookStatus, Told, Webhook, Woken

ROUNDS = 3
"""Parcels that a webhook is sent in one run, each within 15 s (delivery.sending): less than the function's minute."""


class Fresh(NamedTuple):
    """New events for a webhook that is live."""

    webhook: Webhook
    told: tuple[Told, ...]


class Report(NamedTuple):
    """What one run came to."""

    sent: int
    """Messages that arrived."""
    undone: frozenset[str]
    """Players whose changes have to come again: the database was out of reach."""


def deliver(services: Services, changes: Sequence[Change], send: Send, now: EpochMs) -> Report:
    """Sends new events to webhooks that are live, and to those that were woken what they have missed.

    It may be given a change late, twice, or out of order: a message that comes twice has the same id. A target that
    fails falls behind, which is its own affair.
    """
    undone: set[str] = set()
    fresh: list[Fresh] = []
    runs: list[CatchUp] = []
    for player, told in _by_player(changes).items():
        try:
            fresh += _fresh(services, player, told, now)
        except (ConflictError, UnavailableError):
            undone.add(player)
    for woken in dict.fromkeys(change for change in changes if isinstance(change, Woken)):
        try:
            run = catch_up.begin(services, woken.player, woken.webhook, now)
        except (ConflictError, UnavailableError):
            undone.add(woken.player)
        else:
            runs += [] if run is None else [run]
    sent = 0
    for turn in range(ROUNDS):
        parcels = [_parcel(services, one) for one in fresh] + [run.parcel for run in runs]
        outcomes = send(parcels, now) if parcels else []
        sent += sum(outcome.sent for outcome in outcomes)
        going_on: list[CatchUp] = []
        for one, outcome in zip(fresh, outcomes, strict=False):
            try:
                _note(services, one, outcome, now)
            except (ConflictError, UnavailableError):
                undone.add(one.webhook.player)
        for run, outcome in zip(runs, outcomes[len(fresh) :], strict=True):
            try:
                next_run = catch_up.go_on(services, run, outcome, now)
                if next_run is not None and turn == ROUNDS - 1:
                    catch_up.leave(services, next_run, now)
                elif next_run is not None:
                    going_on.append(next_run)
            except UnavailableError:
                undone.add(run.webhook.player)
        fresh, runs = [], going_on
    return Report(sent, frozenset(undone))


def _note(services: Services, fresh: Fresh, outcome: Outcome, now: EpochMs) -> None:
    """Stores what came of new events, if that has to be known."""
    webhook = fresh.webhook
    if outcome.sent < len(fresh.told):
        fall_behind(services, webhook, fresh.told[outcome.sent].place, outcome.failure, now)
    elif webhook.failures:
        try:
            services.webhooks.save(webhook, webhook._replace(failures=0))
        except ConflictError:
            return  # there are newer tidings of it


def _by_player(changes: Sequence[Change]) -> dict[str, list[Told]]:
    found: defaultdict[str, list[Told]] = defaultdict(list)
    for change in changes:
        if isinstance(change, Told):
            found[change.player].append(change)
    return found


def _fresh(services: Services, player: str, told: Sequence[Told], now: EpochMs) -> list[Fresh]:
    """The new events by the player's live webhooks. To who has none this is one read that may be a moment old; where
    there are any it has to be known whether they are live, or else an event could slip through."""
    if not services.webhooks.of_player(player, strong=False):
        return []
    found = []
    for webhook in services.webhooks.of_player(player):
        wanted = tuple(sorted((one for one in told if wants(webhook, one.notice.type)), key=lambda one: one.place))
        if not wanted or webhook.status is HookStatus.DISABLED:
            continue
        if webhook.live:
            found.append(Fresh(webhook, wanted))
        else:
            fall_behind(services, webhook, wanted[0].place, None, now)
    return found


def _parcel(services: Services, fresh: Fresh) -> Parcel:
    messages = tuple(catch_up.message_of(one.notice) for one in fresh.told)
    return Parcel(fresh.webhook.url, secret_of(services, fresh.webhook), messages)
