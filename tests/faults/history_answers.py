"""Whether what the clients were told was true: each request was carried out once or not at all, as its answers say;
what an answer shows is part of what is stored in the end; no answer is older than one that came before it was asked
for."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from engine.match.record import Match
from functions.shared.clock import rfc3339
from functions.shared.flows.marks import key_of
from tests.faults.history_world import Attempt, History, Sent
from tests.faults.world import Reply

Item = dict[str, Any]
Marks = Mapping[tuple[str, str], tuple[str, ...]]

IN_THE_LOG = ("join", "leave", "start", "actions", "rematch")
"""The routes of a match whose requests stand in its log, the second rematch in that of the first."""

STATUSES = ("open", "active", "finished", "aborted")


def check(history: History, players: Mapping[tuple[str, str], Item], matches: Mapping[str, Match]) -> Counter[str]:
    """Looks at all requests and their answers. Gives what became of them, by kind."""
    marks = _marks(matches)
    known = remembered(players)
    outcomes: Counter[str] = Counter()
    for sent in history.sent:
        outcomes[_outcome(sent)] += sent.request.method != "GET"
        if sent.request.method == "POST":
            _check_once(history, sent, known, marks)
        for reply in sent.replies:
            _check_shown(reply.body, matches)
    _check_order([attempt for sent in history.sent for attempt in sent.attempts])
    return +outcomes


def remembered(players: Mapping[tuple[str, str], Item]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The ids that are remembered of each creation, by owner and mark."""
    found = {}
    for (pk, sk), item in players.items():
        if pk.startswith("IDEM#"):
            found[pk.removeprefix("IDEM#"), sk] = tuple(json.loads(item["body"]["S"])[1])
    return found


def _marks(matches: Mapping[str, Match]) -> dict[str, list[tuple[str, str]]]:
    """By the mark of a request: in which match it is logged, and as what."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for match in matches.values():
        for entry in match.log:
            if entry.key and not entry.type.startswith(("paused", "resumed")):
                found[entry.key[:12]].append((match.id, entry.type))
        for choice in match.seals:
            found[choice.key[:12]].append((match.id, "sealed"))
    return found


def _outcome(sent: Sent) -> str:
    what = " ".join([sent.request.method, *(part for part in sent.request.path.split("/")[2:] if "_" not in part)])
    if sent.heard is None:
        return f"{what}: given up"
    return f"{what}: {sent.heard.code or 'done'}"


def _check_once(history: History, sent: Sent, known: Marks, marks: Mapping[str, list[tuple[str, str]]]) -> None:
    """It was carried out once if an answer says so, and not at all if it was refused before it was sent again."""
    request = sent.request
    key = key_of(history.services, sent.owner, f"POST {request.path}", request.key, None)
    logged = marks.get(key.mark, [])
    assert len(logged) == len(set(logged)), sent.request
    effects = len({match for match, _ in logged}) + ((sent.owner, key.mark) in known)
    is_noted = request.path.split("/")[-1] in IN_THE_LOG or (sent.owner, key.mark) in known
    done = [reply for reply in sent.replies if reply.status < 300]
    assert effects <= 1, request
    if done:
        assert len({(reply.status, _made(reply)) for reply in done}) == 1, request
        assert effects == 1 or not is_noted or _came_to_what_was(request.path), (request, done)
        assert {reply.code for reply in _after(sent, done[0])} <= _may_follow(request.path), request
    elif sent.heard is not None and _is_last(sent):
        assert effects == 0, (request, sent.heard)


def _came_to_what_was(path: str) -> bool:
    """Whether a request may come to what was so already: a second rematch by who sits in the first one."""
    return path.endswith("/rematch")


def _may_follow(path: str) -> set[str]:
    """What a request can be answered when it comes again after it was carried out: its token has ended, or the token
    that it made."""
    return {"", "unauthenticated"} | ({"not-found"} if path == "/v1/me/tokens" else set())


def _made(reply: Reply) -> str:
    """What stands for the thing that an answer is about."""
    body = reply.body or {}
    if "token" in body:
        return str(body["token"])
    return str(body.get("id", ""))


def _after(sent: Sent, reply: Reply) -> list[Reply]:
    """The answers to what was sent after this one had come."""
    ended = next(one.ended for one in sent.attempts if one.reply is reply)
    return [
        one.reply
        for one in sent.attempts
        if one.reply is not None and one.reply.status != 503 and one.began > (ended or 0)
    ]


def _is_last(sent: Sent) -> bool:
    """Whether the answer that was heard is that to the last attempt, and all others were over before that began."""
    last = next(one for one in sent.attempts if one.reply is sent.heard)
    return all(one is last or (one.ended is not None and one.ended < last.began) for one in sent.attempts)


def _check_shown(body: Any, matches: Mapping[str, Match]) -> None:
    """What was shown of matches is part of what they came to."""
    for shown in _shown(body):
        match = matches[shown["id"]]
        assert shown["turn"] <= match.turn
        if shown["result"] is not None:
            assert match.result is not None
            expected = match.result.reason, list(match.result.ranks), list(match.result.scores)
            assert (shown["result"]["reason"], shown["result"]["ranks"], shown["result"]["scores"]) == expected
        for event in shown.get("last_events", ()):
            entry = match.log[event["n"] - 1]
            told = event["at"], event["turn"], event["type"], event["seat"]
            assert told == (rfc3339(entry.at), entry.turn, entry.type, entry.seat)


def _check_order(attempts: list[Attempt]) -> None:
    """What was answered before a question was asked is not taken back by its answer."""
    seen: dict[str, tuple[int, int]] = {}
    moments = [(attempt.ended, 0, number) for number, attempt in enumerate(attempts) if attempt.reply is not None]
    moments += [(attempt.began, 1, number) for number, attempt in enumerate(attempts) if attempt.reply is not None]
    floors: dict[int, dict[str, tuple[int, int]]] = {}
    for _, is_begin, number in sorted(moments, key=lambda one: (one[0] or 0, one[1], one[2])):
        reply = attempts[number].reply
        shown = {one["id"]: _stage(one) for one in _shown(reply.body if reply is not None else None)}
        if is_begin:
            floors[number] = {match: seen[match] for match in shown if match in seen}
            continue
        for match, stage in shown.items():
            assert stage >= floors.get(number, {}).get(match, stage), (match, stage)
            seen[match] = max(stage, seen.get(match, stage))


def _stage(shown: Any) -> tuple[int, int]:
    return shown["turn"], min(STATUSES.index(shown["status"]), 2)


def _shown(body: Any) -> Iterator[Any]:
    """The matches in a body."""
    if isinstance(body, list):
        for part in body:
            yield from _shown(part)
    elif isinstance(body, dict):
        if str(body.get("id", "")).startswith("mat_") and "turn" in body:
            yield body
        else:
            yield from _shown(list(body.values()))
