"""Several callers at once, on threads that begin together, or that have all read what they are about to write."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tests.faults.world import Call, Reply, World

T = TypeVar("T")


def together(jobs: Sequence[Callable[[], T]]) -> list[T]:
    """What the jobs give, each in a thread of its own, begun at the same moment."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], T]) -> T:
        barrier.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


def colliding(world: World, kind: str, jobs: Sequence[Callable[[], T]]) -> list[T]:
    """As `together`, and nobody goes on before all have read the item of this kind that they are about to change."""
    barrier, thread = threading.Barrier(len(jobs)), threading.local()

    def meet(operation: str, parameters: dict[str, Any], call: Call) -> dict[str, Any]:
        answer = call()
        is_it = operation == "GetItem" and parameters["Key"]["pk"]["S"].startswith(kind)
        if is_it and not hasattr(thread, "has_met"):
            thread.has_met = True
            barrier.wait()
        return answer

    with world.around(meet):
        return together(jobs)


def insist(send: Callable[[], Reply]) -> Reply:
    """Sends a request with a key until it is answered otherwise than with try-again."""
    for _ in range(200):
        reply = send()
        if reply.status != 503:
            return reply
        assert (reply.code, reply.headers["retry-after"]) == ("try-again", "1")
    raise AssertionError(f"200 times {reply}")


def codes(replies: Sequence[Reply]) -> Counter[str]:
    """How often each problem was answered; the empty text stands for success."""
    return Counter(reply.code for reply in replies)
