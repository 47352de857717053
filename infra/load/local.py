"""How many moves a second the local service makes: `make bench-local`.

Each match is Liar's Poker between two client programs that share a connection; a move is one POST, and its answer tells
the next one what it needs. The programs raise by little, and challenge more the higher the bid. All of them run in one
thread, which asks the next question when it has the answer to the last.
"""

import random
import selectors
import statistics
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any, NamedTuple

from infra.load.caller import Caller, Post
from infra.load.serving import Serving, cpu_seconds, serving

MATCHES_AT_ONCE = (1, 4, 16)
SECONDS = 6.0
WARM_UP_S = 1.0

Program = Generator[Post, Any, None]
"""Asks, and is sent the answers."""


class Figures(NamedTuple):
    """What was measured with so many matches at once."""

    matches: int
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def measure(service: Serving, matches: int, seconds: float = SECONDS) -> Figures:
    """Plays for so long after a warm-up; the figures leave the warm-up out."""
    with ExitStack() as closing:
        selector = closing.enter_context(selectors.DefaultSelector())
        players = [_Player(Caller(service.url), number) for number in range(matches)]
        for player in players:
            closing.callback(player.caller.socket.close)
            selector.register(player.caller.socket, selectors.EVENT_READ, player)
        _play(selector, time.perf_counter() + WARM_UP_S)
        cpu, begin = cpu_seconds(service.pid), time.perf_counter()
        times = sorted(_play(selector, begin + seconds))
        cpu, seconds = cpu_seconds(service.pid) - cpu, time.perf_counter() - begin
    p99 = times[int(len(times) * 0.99)]
    return Figures(
        matches, len(times) / seconds, 1000 * statistics.median(times), 1000 * p99, 1_000_000 * cpu / len(times)
    )


class _Player:
    """A program, its connection, and when it asked."""

    def __init__(self, caller: Caller, number: int) -> None:
        self.caller = caller
        self._program = _program(random.Random(number), number)  # noqa: S311 - a program that plays, no secret
        self._ask(next(self._program))

    def _ask(self, post: Post) -> None:
        self.is_move = post.path.endswith("/actions")
        self.asked_at = time.perf_counter()
        self.caller.send(post)

    def go_on(self) -> float | None:
        """Read; with an answer, ask the next question. Gives the seconds that a move took, if this was its answer."""
        answer = self.caller.take()
        if answer is None:
            return None
        taken = time.perf_counter() - self.asked_at if self.is_move else None
        self._ask(self._program.send(answer))
        return taken


def _play(selector: selectors.BaseSelector, end: float) -> list[float]:
    """Plays on until `end`; gives the seconds of each move."""
    times = []
    while time.perf_counter() < end:
        for key, _ in selector.select(1.0):
            taken = key.data.go_on()
            if taken is not None:
                times.append(taken)
    return times


def _program(chance: random.Random, number: int) -> Program:
    tokens = []
    for side in "ab":
        answer = yield Post("/v1/players", None, {"name": f"load-{time.time_ns() % 10**9}-{number}-{side}"})
        tokens.append(answer["token"])
    while True:
        match = yield Post("/v1/matches", tokens[0], {"game": "liars-poker"})
        match = yield Post(f"/v1/matches/{match['id']}/join", tokens[1])
        path = f"/v1/matches/{match['id']}/actions"
        while match["status"] == "active":
            move = {"turn": match["turn"], "action": _choose(match["view"]["bids"], chance)}
            match = yield Post(path, tokens[match["to_act"][0]], move)


def _choose(bids: list[dict[str, int]], chance: random.Random) -> dict[str, object]:
    if not bids:
        return {"type": "bid", "count": 1, "digit": chance.randrange(10)}
    count, digit = bids[-1]["count"], bids[-1]["digit"]
    if count == 16 or chance.random() < (count - 1) / 6:
        return {"type": "challenge"}
    higher = digit + 1 + chance.randrange(3)
    return {"type": "bid", "count": count + higher // 10, "digit": higher % 10}


def main() -> None:
    """Prints a line for each number of matches at once."""
    sys.stdout.write("matches  moves/s  p50 ms  p99 ms  CPU µs/move\n")
    for matches in MATCHES_AT_ONCE:
        with serving() as service:
            f = measure(service, matches)
        sys.stdout.write(f"{f.matches:7}  {f.moves_per_s:7.0f}  {f.p50_ms:6.2f}  {f.p99_ms:6.2f}  {f.cpu_us:11.0f}\n")


if __name__ == "__main__":
    main()
