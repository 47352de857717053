"""The matrix's operations on players, their seeks and their webhooks."""

from functions.shared.clock import rfc3339
from tests.faults.matrix_play import ACE, DUCE, RESIGN, acting, active
from tests.faults.matrix_stage import KEY, Setting, Stage, asking, firing, posting, told
from tests.faults.matrix_stories import Kind, Operation
from tests.service.moments import services
from tests.service.standings import give

SEEK = {"game": "misfortune"}
HOOK = {"url": "https://hooks.example.com/", "events": ["*"]}


def register(stage: Stage) -> Setting:
    def new(name: str, key: str) -> str:
        return told(stage.world.call("POST", "/v1/players", {"name": name}, None, key))

    return Setting(lambda: new("somebody", KEY), lambda: new("Somebody", KEY[::-1]))


def recover(stage: Stage) -> Setting:
    made = stage.world.call("POST", "/v1/players", {"name": "somebody"}).body
    body = {"name": "somebody", "recovery_code": made["recovery_code"]}

    def trade(key: str) -> str:
        return told(stage.world.call("POST", "/v1/players/recover", body, None, key))

    return Setting(lambda: trade(KEY), lambda: trade(KEY[::-1]))


def rename(stage: Stage) -> Setting:
    ann, bob = stage.world.players(2)
    return Setting(*(asking(one, "PATCH", "/v1/me", {"name": "somebody"}) for one in (ann, bob)))


def add_token(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    own = ann.ok("GET", "/v1/me/tokens")["items"][0]["id"]
    another = ann.ok("POST", "/v1/me/tokens", {"scopes": ["account"], "label": "other"})["token"]
    body = {"scopes": ["read"], "label": "one"}
    end = asking(ann._replace(token=another), "DELETE", f"/v1/me/tokens/{own}")
    return Setting(posting(ann, "/v1/me/tokens", body), end)


def end_token(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    made = ann.ok("POST", "/v1/me/tokens", {"scopes": ["account"], "label": "other"})
    body = {"scopes": ["account"], "label": "third"}
    another = posting(ann._replace(token=made["token"]), "/v1/me/tokens", body)
    return Setting(asking(ann, "DELETE", f"/v1/me/tokens/{made['id']}"), another)


def begin_vacation(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    return Setting(posting(ann, "/v1/me/vacation", {"days": 3}), acting(bob, match, DUCE, 1))


def end_vacation(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    ann.ok("POST", "/v1/me/vacation", {"days": 3})
    for _ in range(2):
        stage.minute()
    return Setting(asking(ann, "DELETE", "/v1/me/vacation"), acting(bob, match, DUCE, 1))


def close(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.ok("POST", "/v1/seeks", SEEK)
    return Setting(asking(ann, "DELETE", "/v1/me"), acting(bob, match, RESIGN))


def work_on_a_vacation(stage: Stage) -> Setting:
    ann, bob, match = active(stage)
    ann.act(match, 1, ACE)
    ann.ok("POST", "/v1/me/vacation", {"days": 3})
    stage.world.advance(60)
    return Setting(firing(stage, "RefereeFunction"), acting(bob, match, DUCE, 1))


def seek(stage: Stage) -> Setting:
    ann, bob = stage.world.players(2)
    return Setting(posting(ann, "/v1/seeks", SEEK), posting(bob, "/v1/seeks", SEEK))


def seek_and_meet(stage: Stage) -> Setting:
    ann, bob, cyd = stage.world.players(3)
    cyd.ok("POST", "/v1/seeks", SEEK)
    stage.world.advance(1)
    return Setting(posting(ann, "/v1/seeks", SEEK), posting(bob, "/v1/seeks", SEEK))


def cancel_a_seek(stage: Stage) -> Setting:
    ann, bob = stage.world.players(2)
    waiting = ann.ok("POST", "/v1/seeks", SEEK)["seek"]["id"]
    stage.world.advance(1)
    return Setting(asking(ann, "DELETE", f"/v1/seeks/{waiting}"), posting(bob, "/v1/seeks", SEEK))


def pair_seeks(stage: Stage) -> Setting:
    """Two whose ranges meet as they widen."""
    ann, bob = stage.world.players(2)
    for caller, points in ((ann, 1400), (bob, 1600)):
        give(services(), caller.id, "misfortune", points)
    waiting = [caller.ok("POST", "/v1/seeks", SEEK)["seek"]["id"] for caller in (ann, bob)]
    stage.minute()
    stage.world.advance(3540)
    return Setting(firing(stage, "RefereeFunction"), asking(bob, "DELETE", f"/v1/seeks/{waiting[1]}"))


def expire_a_seek(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    waiting = ann.ok("POST", "/v1/seeks", SEEK)["seek"]["id"]
    stage.world.advance(14 * 86_400)
    return Setting(firing(stage, "RefereeFunction"), asking(ann, "DELETE", f"/v1/seeks/{waiting}"))


def add_webhook(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    return Setting(posting(ann, "/v1/webhooks", HOOK), asking(ann, "DELETE", "/v1/me"))


def replay_webhook(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    path = f"/v1/webhooks/{ann.ok('POST', '/v1/webhooks', HOOK)['id']}"
    stage.streams.drain()
    since = {"since": rfc3339(stage.world.clock.now())}
    return Setting(posting(ann, f"{path}/replay", since), asking(ann, "DELETE", path))


def remove_webhook(stage: Stage) -> Setting:
    (ann,) = stage.world.players(1)
    path = f"/v1/webhooks/{ann.ok('POST', '/v1/webhooks', HOOK)['id']}"
    stage.streams.drain()
    since = {"since": rfc3339(stage.world.clock.now())}
    return Setting(asking(ann, "DELETE", path), posting(ann, f"{path}/replay", since))


OPERATIONS = (
    Operation("register", "POST /v1/players", Kind.REQUEST, register, "another takes that name"),
    Operation("recover", "POST /v1/players/recover", Kind.REQUEST, recover, "another uses that code"),
    Operation("rename", "PATCH /v1/me", Kind.REQUEST, rename, "another takes that name"),
    Operation("make a token", "POST /v1/me/tokens", Kind.REQUEST, add_token, "the caller's token is ended"),
    Operation("end a token", "DELETE /v1/me/tokens/{token}", Kind.REQUEST, end_token, "it makes another"),
    Operation(
        "begin a vacation", "POST /v1/me/vacation", Kind.REQUEST, begin_vacation, "a phase of a match of theirs closes"
    ),
    Operation(
        "end a vacation", "DELETE /v1/me/vacation", Kind.REQUEST, end_vacation, "a phase of a match of theirs closes"
    ),
    Operation("close an account", "DELETE /v1/me", Kind.REQUEST, close, "their opponent resigns"),
    Operation(
        "work left by a vacation",
        "RefereeFunction",
        Kind.SCHEDULE,
        work_on_a_vacation,
        "a phase of a match of theirs closes",
    ),
    Operation("seek, and wait", "POST /v1/seeks", Kind.REQUEST, seek, "one seeks who would meet it"),
    Operation("seek, and meet", "POST /v1/seeks", Kind.REQUEST, seek_and_meet, "another seeks who would meet the same"),
    Operation("cancel a seek", "DELETE /v1/seeks/{seek}", Kind.REQUEST, cancel_a_seek, "one seeks who meets it"),
    Operation("seeks meet as they widen", "RefereeFunction", Kind.SCHEDULE, pair_seeks, "one of them is cancelled"),
    Operation("a seek expires", "RefereeFunction", Kind.SCHEDULE, expire_a_seek, "it is cancelled"),
    Operation("make a webhook", "POST /v1/webhooks", Kind.REQUEST, add_webhook, "the account is closed"),
    Operation(
        "replay to a webhook", "POST /v1/webhooks/{webhook}/replay", Kind.REQUEST, replay_webhook, "it is removed"
    ),
    Operation("remove a webhook", "DELETE /v1/webhooks/{webhook}", Kind.REQUEST, remove_webhook, "it is replayed to"),
)
