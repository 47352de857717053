"""Serves HTTP/1.1 connections from one thread, and from another as soon as a call blocks.

A thread a connection is slower here: with each read and write they pass the interpreter's lock around, and they meet
again at the lock of the local DynamoDB. So one thread, the leader, reads, answers and writes in turn; what else the
process has to do, it does in between. If an answer takes long (it sleeps between attempts, or waits for somebody else's
request), or a chore, a new leader takes over the other connections, and the old one leaves when it is done with that.
"""

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Callable
from http import HTTPStatus

from infra.local.wire import CONTINUE, Malformed, Reader, Reply, Request, encode

PATIENCE = 0.02
"""Seconds that an answer may take before another thread takes over."""
IDLE = 75.0
"""Seconds after which a silent connection is closed."""
STALLED = 30.0
"""Seconds that a begun request may stand still."""
SWEEP = 5.0
"""Seconds between looks for such. A refused sender is listened to until then, lest a reset cost it the answer."""
REST = 0.001
"""Seconds between two chores while nobody waits: who has got an answer mostly sends the next request by then."""
GRACE = 5.0
"""Seconds that calls under way may take when the server stops."""
MAX_LEADERS = 128
"""Calls that may block at a time before the others have to wait."""
BACKLOG = 1 << 18
"""Bytes of unread replies above which a connection's next request waits."""

Answer = Callable[[Request, str], Reply]
Chore = Callable[[], float]
"""Does a little of something else that waits; gives the seconds until there may be more to do."""
RECEIVE = 1 << 16
"""Bytes read at a time."""


class _Connection:
    __slots__ = ("draining", "ended", "events", "heard", "out", "peer", "reader", "socket")

    def __init__(self, sock: socket.socket, peer: str) -> None:
        self.socket = sock
        self.peer = peer
        self.reader = Reader()
        self.out = bytearray()
        self.events = 0
        """What the selector looks for; 0 while the connection is not registered."""
        self.heard = time.monotonic()
        self.ended = False
        """Whether it closes once `out` is sent: its sender has finished, or was told so."""
        self.draining = False
        """Whether what it still sends is thrown away."""


class Server:
    """An HTTP server. `answer` gets each request with the address of its sender, at times in several threads.

    `chore` is done between two answers, by the thread that gives them.
    """

    def __init__(
        self, answer: Answer, date: Callable[[], str], host: str, port: int, chore: Chore | None = None
    ) -> None:
        """Bind the address, port 0 being any free one. Raises `OSError` when it is taken."""
        self._answer = answer
        self._chore = chore
        self._date = date
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=1024)
        self.port: int = self._listener.getsockname()[1]
        self._listener.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._wake_up, self._woken = socket.socketpair()
        self._woken.setblocking(False)
        self._connections: set[_Connection] = set()
        self._handover = threading.Lock()
        self._leaders: set[threading.Thread] = set()
        self._leader: threading.Thread | None = None
        self._current: _Connection | None = None
        """Whose request the leader answers; None while it does a chore, or nothing."""
        self._is_busy = False
        self._is_waiting = False
        self._turns = 0
        self._active = threading.Event()
        self._stopping = False
        self._watchdog = threading.Thread(target=self._watch, name="gateway-watchdog", daemon=True)

    def start(self) -> None:
        """Accept and answer, in the background."""
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._lead()
        self._watchdog.start()

    def stop(self) -> None:
        """Let the calls under way end, within `GRACE`, and close everything."""
        self._stopping = True
        self._active.set()
        self._wake_up.send(b"\0")
        self._watchdog.join()
        for leader in list(self._leaders):
            leader.join(GRACE)
        for connection in list(self._connections):
            self._close(connection)
        self._selector.close()
        for sock in (self._listener, self._wake_up, self._woken):
            sock.close()

    def wake(self) -> None:
        """Say, in any thread, that there is a chore."""
        if self._is_waiting and self._leader is not threading.current_thread():
            self._wake_up.send(b"\0")

    def _lead(self) -> None:
        self._leader = threading.Thread(target=self._serve, name="gateway", daemon=True)
        self._leaders.add(self._leader)
        self._leader.start()

    def _serve(self) -> None:
        me = threading.current_thread()
        swept = time.monotonic()
        try:
            while not self._stopping:
                # Said before looking: who has a chore from now on wakes this thread.
                self._is_waiting = True
                wait = self._do_chore()
                if self._leader is not me:
                    return
                # The selector has those first who were ready before, also when they have been answered meanwhile.
                ready = sorted(self._selector.select(min(max(wait, REST), SWEEP)), key=_heard)
                self._is_waiting = False
                for number, (key, events) in enumerate(ready):
                    if number:
                        self._do_chore()
                    if self._leader is not me:
                        return
                    if key.fileobj is self._listener:
                        self._accept()
                    elif key.data is not None:
                        self._attend(key.data, events)
                    else:
                        with contextlib.suppress(BlockingIOError):
                            self._woken.recv(RECEIVE)
                    if self._leader is not me:
                        return
                if time.monotonic() - swept > SWEEP:
                    swept = time.monotonic()
                    self._sweep(swept)
        finally:
            self._leaders.discard(me)

    def _watch(self) -> None:
        """Make a new leader whenever the present one has been in one call for too long."""
        seen = -1
        while not self._stopping:
            self._active.wait()
            time.sleep(PATIENCE)
            with self._handover:
                if self._is_busy and self._turns == seen and len(self._leaders) < MAX_LEADERS:
                    self._is_busy = False
                    if self._current is not None:
                        self._forget(self._current)
                    self._lead()
            # Cleared before looking: a leader that begins a call now finds it cleared and sets it.
            self._active.clear()
            if self._is_busy or self._turns != seen:
                self._active.set()
            seen = self._turns

    def _accept(self) -> None:
        try:
            sock, address = self._listener.accept()
        except OSError:  # the sender has gone, or no file descriptor is left: then calls under way will free some
            time.sleep(PATIENCE)
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = _Connection(sock, address[0])
        self._await(connection, selectors.EVENT_READ)
        self._connections.add(connection)

    def _attend(self, connection: _Connection, events: int) -> None:
        if events & selectors.EVENT_READ:
            try:
                data = connection.socket.recv(RECEIVE)
            except BlockingIOError:
                return
            except OSError:
                self._close(connection)
                return
            if connection.draining:
                if not data:
                    self._close(connection)
                return
            connection.heard = time.monotonic()
            connection.ended = not data
            connection.reader.feed(data)
        self._advance(connection)

    def _advance(self, connection: _Connection) -> None:
        """Answer what is complete and send the answers. On the way another thread may become the leader."""
        full = True
        while full:
            try:
                full = self._answer_complete(connection)
            except Malformed as error:
                full = False
                connection.out += encode(message(error.status), None, self._date())
                connection.ended = connection.draining = True
            try:
                sent = connection.socket.send(connection.out) if connection.out else 0
            except BlockingIOError:
                sent = 0
            except OSError:
                self._close(connection)
                return
            del connection.out[:sent]
            full = full and not connection.out
        if connection.out:
            held = connection.ended or len(connection.out) >= BACKLOG
            self._await(connection, selectors.EVENT_WRITE | (0 if held else selectors.EVENT_READ))
        elif not connection.ended:
            self._await(connection, selectors.EVENT_READ)
        elif connection.draining:
            with contextlib.suppress(OSError):  # it has gone already
                connection.socket.shutdown(socket.SHUT_WR)
            self._await(connection, selectors.EVENT_READ)
        else:
            self._close(connection)

    def _answer_complete(self, connection: _Connection) -> bool:
        """Answer the requests that are there; tell whether it stopped because too many answers wait to be sent."""
        reader, out = connection.reader, connection.out
        while len(out) < BACKLOG:
            request = reader.next()
            if request is None:
                if reader.take_expectation():
                    out += CONTINUE
                return False
            out += encode(self._call(request, connection), request, self._date())
            if not request.keep_alive:
                connection.ended = connection.draining = True
                return False
        return True

    def _call(self, request: Request, connection: _Connection) -> Reply:
        if not connection.events:  # this thread leads no more and only finishes with this connection
            return self._answer(request, connection.peer)
        self._begin(connection)
        reply = self._answer(request, connection.peer)
        self._end()
        return reply

    def _do_chore(self) -> float:
        if self._chore is None:
            return SWEEP
        self._begin(None)
        wait = self._chore()
        self._end()
        return wait

    def _begin(self, connection: _Connection | None) -> None:
        """Note what the leader is about to do, which may take long."""
        self._turns += 1
        self._current = connection
        self._is_busy = True
        if not self._active.is_set():
            self._active.set()

    def _end(self) -> None:
        with self._handover:
            if self._leader is threading.current_thread():
                self._is_busy = False

    def _sweep(self, now: float) -> None:
        """Close what has been silent for too long."""
        for connection in list(self._connections):
            silent = now - connection.heard
            if not connection.events or silent < SWEEP:
                continue
            if connection.draining or silent > IDLE:
                self._close(connection)
            elif silent > STALLED and connection.reader.waiting:
                connection.out += encode(message(HTTPStatus.REQUEST_TIMEOUT), None, self._date())
                connection.ended = connection.draining = True
                self._advance(connection)

    def _await(self, connection: _Connection, events: int) -> None:
        known, connection.events = connection.events, events
        if not known:
            # From here on the connection may be the new leader's: everything about it has to be said before.
            connection.heard = time.monotonic()
            self._selector.register(connection.socket, events, connection)
        elif known != events:
            self._selector.modify(connection.socket, events, connection)

    def _forget(self, connection: _Connection) -> None:
        if connection.events:
            connection.events = 0
            self._selector.unregister(connection.socket)

    def _close(self, connection: _Connection) -> None:
        self._forget(connection)
        self._connections.discard(connection)
        connection.socket.close()


def _heard(ready: tuple[selectors.SelectorKey, int]) -> float:
    connection: _Connection | None = ready[0].data
    return 0.0 if connection is None else connection.heard


def message(status: HTTPStatus) -> Reply:
    """An answer of the gateway itself, as an HTTP API words it."""
    text = _MESSAGES.get(status, status.phrase)
    return Reply(status, (("content-type", "application/json"),), b'{"message":"%b"}' % text.encode())


# Python 3.13 renamed these.
_MESSAGES = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Request Entity Too Large",
}
