"""How many moves a second the local service makes: `make bench-local`.

Each match is Liar's Poker between two client programs that share a connection; a move is one POST, and its answer tells
the next one what it needs. The programs raise by little, and challenge more the higher the bid.
"""

import random
import statistics
import sys
import threading
import time
from typing import NamedTuple

from infra.load.caller import Caller
from infra.load.serving import Serving, cpu_seconds, serving

MATCHES_AT_ONCE = (1, 4, 16)
SECONDS = 6.0
WARM_UP_S = 1.0


class Figures(NamedTuple):
    """What was measured with so many matches at once."""

    matches: int
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    cpu_us: float


def measure(service: Serving, matches: int, seconds: float = SECONDS) -> Figures:
    """Plays for so long after a warm-up; the figures leave the warm-up out."""
    start = threading.Barrier(matches + 1)
    begin = time.perf_counter() + WARM_UP_S
    end = begin + seconds
    latencies: list[list[float]] = [[] for _ in range(matches)]
    threads = [
        threading.Thread(target=_play, args=(service.url, start, latencies[i], begin, end, i)) for i in range(matches)
    ]
    for thread in threads:
        thread.start()
    start.wait()
    time.sleep(max(0.0, begin - time.perf_counter()))
    cpu = cpu_seconds(service.pid)
    for thread in threads:
        thread.join()
    cpu = cpu_seconds(service.pid) - cpu
    times = sorted(one for some in latencies for one in some)
    p99 = times[int(len(times) * 0.99)]
    return Figures(
        matches, len(times) / seconds, 1000 * statistics.median(times), 1000 * p99, 1_000_000 * cpu / len(times)
    )


def _play(url: str, start: threading.Barrier, latencies: list[float], begin: float, end: float, number: int) -> None:
    chance = random.Random(number)  # noqa: S311 - a program that plays, no secret
    caller = Caller(url)
    names = (f"load-{time.time_ns() % 10**9}-{number}-{side}" for side in "ab")
    tokens = [caller.post("/v1/players", None, {"name": name})["token"] for name in names]
    start.wait()
    while time.perf_counter() < end:
        _one_match(caller, tokens, chance, latencies, begin, end)
    caller.close()


def _one_match(
    caller: Caller, tokens: list[str], chance: random.Random, latencies: list[float], begin: float, end: float
) -> None:
    match = caller.post("/v1/matches", tokens[0], {"game": "liars-poker"})
    match = caller.post(f"/v1/matches/{match['id']}/join", tokens[1])
    path = f"/v1/matches/{match['id']}/actions"
    while match["status"] == "active" and time.perf_counter() < end:
        move = {"turn": match["turn"], "action": _choose(match["view"]["bids"], chance)}
        before = time.perf_counter()
        match = caller.post(path, tokens[match["to_act"][0]], move)
        after = time.perf_counter()
        if before >= begin:
            latencies.append(after - before)


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
