"""Threads of which one runs at a time, in the order of a time that only they move: the same history for the same seed.

What a task does until it sleeps happens at one moment. So whoever sleeps before each call of the database lets the
others in, at any place, as functions that run at once do.
"""

import threading
from collections.abc import Callable
from heapq import heappop, heappush

from engine.types import EpochMs

BEAT_MS = 2000


class Abandoned(BaseException):
    """The history is over: no task goes on."""


class _Task:
    def __init__(self, name: str, work: Callable[[], object]) -> None:
        self.name = name
        self.work = work
        self.go = threading.Semaphore(0)
        self.thread: threading.Thread | None = None


class Tasks:
    """What is to run, and when. Only `run` and `abandon` are for the outside; tasks call the rest, or whoever prepares
    them."""

    def __init__(self, now: EpochMs) -> None:
        self.now = now
        self._agenda: list[tuple[EpochMs, int, _Task]] = []
        self._count = 0
        self._back = threading.Semaphore(0)
        self._running: _Task | None = None
        self._error: BaseException | None = None
        self._is_over = False

    @property
    def name(self) -> str:
        """Whose turn it is; empty outside of tasks."""
        return "" if self._running is None else self._running.name

    def spawn(self, name: str, work: Callable[[], object], after_ms: int = 0) -> None:
        """Lets something else run, from so many milliseconds from now on."""
        self._put(_Task(name, work), after_ms)

    def sleep(self, ms: int) -> None:
        """Goes on so much later; what is due by then runs first. Outside of tasks only the time moves."""
        task = self._running
        if task is None or not self._agenda or self._agenda[0][0] > self.now + ms:
            self.now += ms
            return
        self._put(task, ms)
        self._back.release()
        task.go.acquire()
        if self._is_over:
            raise Abandoned

    def rest(self, ms: int) -> None:
        """Goes on at the first beat after so long, as all who rest: so they come at once."""
        self.sleep(-(-(self.now + ms) // BEAT_MS) * BEAT_MS - self.now)

    def run(self) -> None:
        """Runs tasks until there are none. Raises what a task raised."""
        while self._agenda:
            at, _, task = heappop(self._agenda)
            self.now = max(self.now, at)
            self._resume(task)
            if self._error is not None:
                self.abandon()
                raise self._error

    def abandon(self) -> None:
        """Ends all tasks where they are."""
        self._is_over = True
        for _, _, task in self._agenda:
            if task.thread is not None:
                self._resume(task)
        self._agenda.clear()

    def _put(self, task: _Task, ms: int) -> None:
        self._count += 1
        heappush(self._agenda, (self.now + ms, self._count, task))

    def _resume(self, task: _Task) -> None:
        self._running = task
        if task.thread is None:
            task.thread = threading.Thread(target=self._work, args=(task,), name=task.name, daemon=True)
            task.thread.start()
        else:
            task.go.release()
        self._back.acquire()
        self._running = None

    def _work(self, task: _Task) -> None:
        try:
            task.work()
        except Abandoned:
            pass
        except BaseException as error:  # noqa: BLE001 - whatever it was, `run` raises it
            error.add_note(f"in {task.name}, at {self.now}")
            self._error = self._error or error
        finally:
            self._back.release()
