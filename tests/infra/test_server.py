"""The server of the local service: many connections, calls that block, and chores in between."""

import selectors
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from infra.local import server
from tests.infra.toys import Client, ask, echo, serving


@pytest.fixture(scope="module")
def port():
    with serving(echo) as gateway:
        yield gateway.port


def test_many_clients_get_their_own_answers(port):
    def talk(number):
        with Client(port) as client:
            bodies = [f"{number}/{turn}" for turn in range(30)]
            for body in bodies:
                event = client.ask(
                    "POST", f"/v1/players?n={number}", "Content-Type: text/plain", body=body.encode()
                ).json
                assert (event["body"], event["queryStringParameters"]) == (body, {"n": str(number)})
        return number

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(talk, range(12))) == list(range(12))


def test_calls_that_wait_for_each_other_run_at_the_same_time():
    together = threading.Barrier(6, timeout=20)

    def handler(event, context):
        together.wait()
        return {"statusCode": 200}

    with serving(handler) as gateway, ThreadPoolExecutor(6) as pool:
        assert [reply.status for reply in pool.map(lambda _: ask(gateway.port, "GET", "/"), range(6))] == [200] * 6


def test_a_call_that_blocks_holds_up_nobody_else_and_its_connection_goes_on():
    release = threading.Event()

    def handler(event, context):
        if event["rawPath"] == "/slow":
            assert release.wait(20)
        return {"statusCode": 200, "body": event["rawPath"]}

    with serving(handler) as gateway, Client(gateway.port) as slow, Client(gateway.port) as quick:
        slow.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in range(50):
            assert quick.ask("GET", "/quick").body == b"/quick"
        release.set()
        assert [slow.read().body, slow.read().body] == [b"/slow", b"/next"]
        assert slow.ask("GET", "/after").body == b"/after"


def test_connections_survive_that_the_thread_that_serves_them_changes_all_the_time(monkeypatch):
    class LateSelector(selectors.DefaultSelector):
        """Gives the other threads their chance as soon as it knows a connection again."""

        def register(self, *arguments):
            key = super().register(*arguments)
            time.sleep(0.01)
            return key

    monkeypatch.setattr(server.selectors, "DefaultSelector", LateSelector)
    monkeypatch.setattr(server, "PATIENCE", 0.0005)
    switches = set()

    def handler(event, context):
        switches.add(threading.current_thread())
        time.sleep(0.002)
        return {"statusCode": 200, "body": event["rawPath"]}

    def talk(number):
        with Client(gateway.port) as client:
            for turn in range(40):
                path = f"/{number}/{turn}"
                client.send(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 2)
                assert [client.read().body, client.read().body] == [path.encode()] * 2
        return number

    with serving(handler) as gateway, ThreadPoolExecutor(8) as pool:
        assert list(pool.map(talk, range(8))) == list(range(8))
    assert len(switches) > 1


def test_a_chore_is_done_between_two_answers_by_the_thread_that_gives_them():
    done, busy = [], threading.Lock()

    def handler(event, context):
        with busy:
            done.append(("answer", threading.current_thread()))
        return {"statusCode": 200}

    def chore():
        with busy:
            done.append(("chore", threading.current_thread()))
        return 60.0

    with serving(handler, chore=chore) as gateway, Client(gateway.port) as client:
        for _ in range(10):
            client.ask("GET", "/")
    kinds = [kind for kind, _ in done]
    first = kinds.index("answer")
    assert kinds.count("answer") == 10
    assert "chore" in kinds[:first]
    assert all("chore" in kinds[place + 1 : place + 3] for place, kind in enumerate(kinds[:-2]) if kind == "answer")
    assert len({thread for _, thread in done}) == 1


def test_a_chore_is_done_when_it_said_or_when_another_thread_says_so():
    times = []
    waits = iter((0.05, 0.05))
    seen = threading.Semaphore(0)

    def chore():
        times.append(time.monotonic())
        seen.release()
        return next(waits, 60.0)

    with serving(echo, chore=chore) as gateway:
        for _ in range(3):
            assert seen.acquire(timeout=20)
        assert times[2] - times[0] >= 0.1
        assert not seen.acquire(timeout=0.2)
        gateway.wake()
        assert seen.acquire(timeout=3)  # long before it would have looked by itself


def test_a_request_that_has_come_is_answered_before_the_next_chore(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 1.0)
    done, sent = [], threading.Event()

    def chore():
        done.append("chore")
        if done.count("answer") == 1 and "wait" not in done:
            done.append("wait")
            gateway.wake()  # as a store does that the chore writes to
            assert sent.wait(20)
        return 0.0 if done.count("answer") < 2 else 60.0

    def handler(event, context):
        done.append("answer")
        return {"statusCode": 200}

    with serving(handler, chore=chore) as gateway, Client(gateway.port) as client:
        client.ask("GET", "/")
        while "wait" not in done:
            time.sleep(0.001)
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        sent.set()
        assert client.read().status == 200
    assert done[done.index("wait") + 1] == "answer"


def test_chores_leave_a_rest_in_which_the_next_request_may_come(monkeypatch):
    monkeypatch.setattr(server, "REST", 0.05)
    begun, seen = [], threading.Semaphore(0)

    def chore():
        begun.append(time.monotonic())
        seen.release()
        return 0.0 if len(begun) < 4 else 60.0

    with serving(echo, chore=chore):
        for _ in range(4):
            assert seen.acquire(timeout=20)
    assert begun[3] - begun[0] >= 3 * 0.05


def test_who_has_waited_longest_is_answered_first(monkeypatch):
    class UnjustSelector(selectors.DefaultSelector):
        """Names first who was heard last."""

        def select(self, *arguments):
            found = super().select(*arguments)
            return sorted(found, key=lambda one: one[0].data.heard if one[0].data else 0, reverse=True)

    monkeypatch.setattr(server.selectors, "DefaultSelector", UnjustSelector)
    monkeypatch.setattr(server, "PATIENCE", 1.0)
    answered, held, release = [], threading.Event(), threading.Event()

    def handler(event, context):
        answered.append(event["rawPath"])
        if event["rawPath"] == "/hold":
            held.set()
            assert release.wait(20)
        return {"statusCode": 200}

    with serving(handler) as gateway, Client(gateway.port) as a, Client(gateway.port) as b, Client(gateway.port) as c:
        for client in (b, c, a):
            client.ask("GET", "/before")
        a.send(b"GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
        assert held.wait(20)
        c.send(b"GET /c HTTP/1.1\r\nHost: x\r\n\r\n")
        b.send(b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        release.set()
        assert [client.read().status for client in (a, b, c)] == [200] * 3
    assert answered[-2:] == ["/b", "/c"]


def test_a_chore_that_blocks_holds_up_no_answer_and_is_done_by_one_thread():
    release, begun = threading.Event(), threading.Event()
    inside = []

    def chore():
        inside.append(threading.current_thread())
        if len(inside) == 1:
            begun.set()
            assert release.wait(20)
        return 60.0

    with serving(echo, chore=chore) as gateway, Client(gateway.port) as client:
        assert begun.wait(20)
        for _ in range(20):
            assert client.ask("GET", "/v1/players").status == 200
        release.set()
        inside[0].join(20)
        assert not inside[0].is_alive()  # the thread that takes over goes on alone
        assert client.ask("GET", "/v1/players").status == 200


def test_stopping_lets_a_call_end():
    begun, release = threading.Event(), threading.Event()

    def handler(event, context):
        begun.set()
        assert release.wait(20)
        return {"statusCode": 200, "body": "done"}

    with ThreadPoolExecutor(2) as pool:
        with serving(handler) as gateway:
            reply = pool.submit(ask, gateway.port, "GET", "/")
            assert begun.wait(20)
            pool.submit(release.set)
        assert reply.result().body == b"done"
