"""Clients as the API asks them to be: whoever hears nothing sends the same request once more, with the same key."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NamedTuple

from engine.types import EpochMs
from functions.shared.flows.accounts import LONG_KEY
from tests.faults.history_world import History, Request, Sent
from tests.faults.world import Reply

ATTEMPTS = 240
"""Some requests need many, where all goes wrong."""

IDLE = 10
"""After so many looks at which there was nothing to do, a client goes away for good."""

PATIENCE = 14
"""So many own actions in a match; then a client resigns."""

RESIGNS, THINKS = 0.01, 0.1
"""How likely a client resigns instead of acting, or thinks about it, now and then until it is too late."""

REFUSED_ACTIONS = ("stale-turn", "not-your-turn", "match-over")
"""An action can come too late; nothing else can be wrong with one that was listed as legal."""


class Errand(NamedTuple):
    """Something that a client does at a moment, besides playing. It gives what else there is to do then."""

    at: EpochMs
    do: Callable[["Client"], "Errand | None"]


class Client:
    """A player, who decides by what the answers say and by chance of their own."""

    def __init__(self, history: History, name: str) -> None:
        self.history = history
        self.name = name
        self.id = ""
        self.token = ""
        self.code = ""
        self.rng = history.random(name)
        self.errands: list[Errand] = []
        self.is_closed = False
        """Whether the account is."""
        self._requests = 0
        self._acted: dict[str, int] = {}

    def run(self) -> None:
        """The client's whole day."""
        reply = self.insist("POST", "/v1/players", {"name": self.name})
        self.welcomed(reply.body["player"]["id"], reply.body)
        idle = 0
        while idle < IDLE and not self.is_closed:
            is_busy = self._run_errands()
            for head in [] if self.is_closed else self.look("/v1/matches?my_turn=true")["items"]:
                self._move(head["id"])
                is_busy = True
            idle = 0 if is_busy else min(idle + 1, IDLE - bool(self.errands))
            if idle % 3 == 2 and not self.errands and self._is_done():
                return
            self.pause(1, 3 + 4 * idle)

    def welcomed(self, player: str, body: Any) -> None:
        """Notes who one is from now on."""
        self.id, self.token, self.code = player, body["token"], body["recovery_code"]

    def pause(self, shortest_s: float, longest_s: float) -> None:
        """Does nothing for a while."""
        self.history.tasks.rest(round(1000 * self.rng.uniform(shortest_s, longest_s)))

    def later(self, do: Callable[["Client"], Errand | None], shortest_s: float, longest_s: float) -> Errand:
        """The errand, so much later."""
        return Errand(self.history.tasks.now + round(1000 * self.rng.uniform(shortest_s, longest_s)), do)

    def ask(self, method: str, path: str, body: Any = None, *, may_give_up: bool = True) -> Reply | None:
        """Sends a request until it is answered, and gives the answer; None: the client has given up."""
        self._requests += 1
        key = f"{self.name}-{self._requests}".ljust(LONG_KEY, "-") if method == "POST" else None
        sent = Sent(self.id, Request(method, path, body, self.token or None, key))
        self.history.sent.append(sent)
        for attempt in range(ATTEMPTS):
            reply = self._attempt(sent)
            if reply is not None and reply.status != 503:
                sent.heard, sent.heard_at = reply, self.history.tasks.now
                return reply
            if may_give_up and self.history.faults.happens("client gives up", 2):
                return None
            self.history.tasks.sleep(self.rng.randrange(200, 1000 * min(10, 2 ** (attempt + 1))))
        raise AssertionError(f"{ATTEMPTS} times no answer: {sent.request}")

    def insist(self, method: str, path: str, body: Any = None) -> Reply:
        """The answer of a request that succeeds; the client never gives up."""
        reply = self.ask(method, path, body, may_give_up=False)
        assert reply is not None
        assert reply.status < 300, (method, path, reply)
        return reply

    def try_to(self, method: str, path: str, body: Any = None, *, refused: Collection[str]) -> Reply | None:
        """The answer of a request that succeeds; None if it was refused for one of these reasons, or given up."""
        reply = self.ask(method, path, body)
        if reply is None or reply.status < 300:
            return reply
        assert reply.code in refused, (self.name, method, path, body, reply)
        return None

    def look(self, path: str) -> Any:
        """What is shown there now."""
        return self.insist("GET", path).body

    def _run_errands(self) -> bool:
        now = self.history.tasks.now
        due = [errand for errand in self.errands if errand.at <= now]
        for errand in due:
            if self.is_closed:
                break
            self.errands.remove(errand)
            following = errand.do(self)
            self.errands += [following] if following else []
        return bool(due)

    def _move(self, match: str) -> None:
        legal = self.look(f"/v1/matches/{match}/legal-actions")
        if not legal["actions"]:
            return
        self._acted[match] = self._acted.get(match, 0) + 1
        if self.rng.random() < THINKS:
            self.pause(1, self.rng.choice((5, 30, 150)))
        body = {"turn": legal["turn"], "action": self.rng.choice(legal["actions"])}
        if self._acted[match] > PATIENCE or self.rng.random() < RESIGNS:
            body = {"action": {"type": "resign"}}
        self.try_to("POST", f"/v1/matches/{match}/actions", body, refused=REFUSED_ACTIONS)

    def _is_done(self) -> bool:
        """Whether nothing is going on any more."""
        mine = self.look("/v1/matches?mine=true&limit=100")["items"]
        if any(head["status"] in ("open", "active") for head in mine) or self.look("/v1/seeks")["items"]:
            return False
        events = self.look("/v1/tournaments?mine=true")["items"]
        return all(event["status"] in ("finished", "cancelled") for event in events)

    def _attempt(self, sent: Sent) -> Reply | None:
        """Sends a request once. It may get lost on its way, or its answer; or come twice, at once or much later."""
        faults, tasks = self.history.faults, self.history.tasks
        if faults.happens("request lost", 2):
            return None
        if sent.request.key is not None and faults.happens("request twice", 4):
            after_ms = self.rng.choice((0, self.rng.randrange(5000), self.rng.randrange(60_000)))
            tasks.spawn(f"{self.name}, again", partial(self.history.serve, sent), after_ms)
        reply = self.history.serve(sent)
        return None if faults.happens("answer lost", 2) else reply
