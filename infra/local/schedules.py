"""Calls the functions that the template puts on a schedule: by real time, or by a clock that is moved by hand."""

import math
import threading
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from engine.types import EpochMs
from infra.local.context import ACCOUNT, REGION
from infra.local.template import Schedule

Fire = Callable[[Schedule, EpochMs], None]


MOST = 240
"""Occurrences of a schedule that are fired in one go, four hours of minutes. Past more of them it fires at as many
moments, evenly spread, the last one included: functions have to bear late schedules anyway, and a clock that is moved
by weeks shall not take minutes."""


class Scheduler:
    """Knows when each schedule is due next, the first time one period after `start`."""

    def __init__(self, schedules: Sequence[Schedule], start: EpochMs) -> None:
        self._due = {schedule: start + 1000 * schedule.seconds for schedule in schedules}

    def next_due(self) -> EpochMs | None:
        """Give the moment at which something is due next, or None when there are no schedules."""
        return min(self._due.values(), default=None)

    def run_until(self, end: EpochMs, fire: Fire) -> None:
        """Call `fire` for the occurrences up to `end`, in order."""
        occurrences: list[tuple[EpochMs, Schedule]] = []
        for schedule, due in self._due.items():
            moments = range(due, end + 1, 1000 * schedule.seconds)
            self._due[schedule] = due + len(moments) * moments.step
            spread = moments[:: -max(1, math.ceil(len(moments) / MOST))]
            occurrences += [(at, schedule) for at in spread]
        for at, schedule in sorted(occurrences):
            fire(schedule, at)

    def skip_to(self, now: EpochMs) -> None:
        """Leave out the occurrences that were missed before `now`, as when the machine slept."""
        for schedule, at in self._due.items():
            period = 1000 * schedule.seconds
            if at < now:
                self._due[schedule] = now - (now - at) % period + period


class ScheduleThread:
    """Fires schedules by the real time."""

    def __init__(self, scheduler: Scheduler, now: Callable[[], EpochMs], fire: Fire) -> None:
        self._scheduler = scheduler
        self._now = now
        self._fire = fire
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="schedules", daemon=True)

    def start(self) -> None:
        """Fire in the background."""
        self._thread.start()

    def stop(self) -> None:
        """End after the call under way."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while (due := self._scheduler.next_due()) is not None:
            if self._stopped.wait(max(0, due - self._now()) / 1000):
                return
            now = self._now()
            self._scheduler.run_until(min(now, due), self._fire)
            self._scheduler.skip_to(now)


def event(schedule: Schedule, at: EpochMs) -> dict[str, Any]:
    """Make the event that EventBridge Scheduler sends when a schedule has no input of its own."""
    moment = datetime.fromtimestamp(at // 1000, UTC)
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "account": ACCOUNT,
        "time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/{schedule.function}{schedule.name}"],
        "detail": "{}",
    }
