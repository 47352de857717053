"""What runs without being asked: the referee and the counters' publication by their schedules, and deploys."""

from functools import partial

from tests.faults.history_world import History
from tests.faults.world import STACK

MINUTE_MS = 60_000
SCHEDULED = [schedule.function for schedule in STACK.schedules]


def start(history: History) -> None:
    """Runs the schedules while there are clients."""
    for function in SCHEDULED:
        rng = history.random(f"begin of {function}")
        history.tasks.spawn(f"schedule of {function}", partial(_run, history, function), 1000 * rng.randrange(60))
    rng = history.random("deploys")
    for number in range(rng.choice((0, 0, 1, 2)) if history.faults.is_on else 0):
        is_cut = rng.random() < 0.7
        history.tasks.spawn(f"deploy {number}", partial(_deploy, history, is_cut), rng.randrange(10 * MINUTE_MS))


def _run(history: History, function: str) -> None:
    rng, faults, tasks = history.random(f"schedule of {function}"), history.faults, history.tasks
    while history.busy:
        tasks.rest(MINUTE_MS)
        if faults.happens("schedule never for a while", 4):
            tasks.sleep(rng.randrange(15 * MINUTE_MS))
        if faults.happens("schedule late", 4):
            tasks.sleep(rng.randrange(MINUTE_MS))
        if faults.happens("schedule twice, two at once", 8):
            tasks.spawn(f"another {function}", partial(history.fire, function, {}), rng.randrange(50))
        history.fire(function, {})


def _deploy(history: History, is_cut: bool) -> None:
    if history.busy:
        history.faults.done["deploy in the middle"] += 1
        history.deploy(cut=is_cut)
