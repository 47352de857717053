import itertools
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local import server
from infra.local.wire import MAX_BODY, MAX_HEAD, Malformed, Reader, Reply, Request, encode
from tests.infra.toys import Client, ask, serving

HOST = b"Host: x\r\n"
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def everything(pieces):
    """Give all requests in the pieces of a connection, and the status of what ends it."""
    reader, requests = Reader(), []
    try:
        for piece in pieces:
            reader.feed(piece)
            while (request := reader.next()) is not None:
                requests.append(request)
    except Malformed as error:
        return requests, error.status
    return requests, None


def one(data):
    requests, status = everything([data])
    assert status is None
    (request,) = requests
    return request


# ------------------------------------------------------------------ what is read


def test_a_request_is_read_whole():
    request = one(b"POST http://example.org/a?b HTTP/1.1\r\nHost: x\r\nX-A:\t 1 \r\nContent-Length: 3\r\n\r\nabc")
    headers = [("host", "x"), ("x-a", "1"), ("content-length", "3")]
    assert request == Request("POST", "/a?b", "HTTP/1.1", headers, b"abc", keep_alive=True)


@pytest.mark.parametrize(
    ("head", "keep_alive"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n", True),
        (b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", False),
        (b"GET / HTTP/1.1\r\nHost: x\r\nConnection: x\r\nconnection: Close\r\n", False),
        (b"GET / HTTP/1.0\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n", True),
    ],
)
def test_a_connection_is_kept_as_version_and_header_say(head, keep_alive):
    assert one(head + b"\r\n").keep_alive is keep_alive


def test_chunks_are_joined_and_extensions_and_trailers_skipped():
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
    body = b"3\r\nabc\r\n0A ; name=value\r\n0123456789\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n"
    requests, status = everything([head + body + GET])
    assert status is None
    assert [request.body for request in requests] == [b"abc0123456789", b""]


def test_empty_lines_before_a_request_are_skipped():
    assert one(b"\r\n" + GET).method == "GET"


MESSAGES = st.lists(
    st.one_of(
        st.just(GET),
        st.binary(max_size=30).map(
            lambda body: b"PUT /x HTTP/1.1\r\nHost: y\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        ),
        st.lists(st.binary(min_size=1, max_size=20), max_size=4).map(
            lambda chunks: (
                b"POST /c HTTP/1.1\r\nHost: y\r\nTransfer-Encoding: chunked\r\n\r\n"
                + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
                + b"0\r\n\r\n"
            )
        ),
    ),
    max_size=5,
).map(b"".join)


@given(data=MESSAGES, cuts=st.lists(st.integers(0, 400), max_size=12))
def test_how_bytes_arrive_in_pieces_changes_nothing(data, cuts):
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[start:end] for start, end in itertools.pairwise(edges)]
    assert everything(pieces) == everything([data])


@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.text(alphabet="GET /HTP1.:\r\n\tx0aContent-LengthTransfer-Encodingchunked", max_size=200).map(str.encode),
        st.tuples(st.just(GET[:-2]), st.binary(max_size=100)).map(b"".join),
    )
)
def test_no_bytes_do_more_than_end_their_connection(data):
    requests, status = everything([data])
    assert status is None or 400 <= status < 600
    assert len(requests) <= len(data)


# ------------------------------------------------------------------ what is refused


REFUSED = {
    "nonsense": (b"hello\r\n\r\n", 400),
    "a TLS greeting": (b"\x16\x03\x01\x02\x00\x01\x00", 400),
    "a bare line feed": (b"GET / HTTP/1.1\nHost: x\n\n", 400),
    "a line feed within": (b"GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400),
    "no version": (b"GET /\r\n\r\n", 400),
    "two spaces": (b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a space in the target": (b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a raw byte in the target": (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "no method": (b" / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a method that is no token": (b"G(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "a relative target": (b"GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "an authority as target": (b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "the whole server as target": (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    "HTTP/1.2": (b"GET / HTTP/1.2\r\nHost: x\r\n\r\n", 505),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
    "a header without colon": (b"GET / HTTP/1.1\r\nHost: x\r\nnope\r\n\r\n", 400),
    "a header without name": (b"GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400),
    "a space before the colon": (b"GET / HTTP/1.1\r\nHost: x\r\nX : y\r\n\r\n", 400),
    "a folded header": (b"GET / HTTP/1.1\r\nHost: x\r\nX: y\r\n z\r\n\r\n", 400),
    "a NUL in a header": (b"GET / HTTP/1.1\r\nHost: x\r\nX: \x00\r\n\r\n", 400),
    "a negative length": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    "a signed length": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", 400),
    "a length in words": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400),
    "an empty length": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\n", 400),
    "two lengths": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 400),
    "a list of lengths": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na", 400),
    "length and chunks": (
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    "chunks twice": (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 501),
    "another coding": (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    "chunks in HTTP/1.0": (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "an unknown expectation": (b"POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", 417),
    "a body that is too large": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1), 413),
    "a length beyond all": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999\r\n\r\n", 400),
    "too many headers": (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * (MAX_HEAD // 6) + b"\r\n", 431),
    "a target that is too long": (b"GET /" + b"a" * MAX_HEAD, 431),
}
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
REFUSED |= {
    "a chunk size that is none": (CHUNKED + b"xyz\r\n", 400),
    "a chunk size with a sign": (CHUNKED + b"+3\r\nabc\r\n", 400),
    "a chunk longer than its size": (CHUNKED + b"3\r\nabcd\r\n0\r\n\r\n", 400),
    "a chunk size without end": (CHUNKED + b"0" * 300, 400),
    "a chunk that is too large": (CHUNKED + b"FFFFFFFF\r\n", 413),
    "trailers without end": (CHUNKED + b"0\r\n" + b"X: y\r\n" * (MAX_HEAD // 6 + 1), 431),
    "a trailer line without end": (CHUNKED + b"0\r\n" + b"x" * (MAX_HEAD + 1), 431),
}


@pytest.mark.parametrize(("data", "status"), REFUSED.values(), ids=list(REFUSED))
def test_bytes_that_are_no_request_are_refused_whole_or_in_pieces(data, status):
    assert everything([data]) == ([], status)
    step = max(1, len(data) // 50)
    assert everything([data[at : at + step] for at in range(0, len(data), step)])[1] == status


def test_chunks_that_are_too_large_together_are_refused():
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    assert everything([CHUNKED, *[chunk] * 10])[1] is None
    assert everything([CHUNKED, *[chunk] * 10, b"1\r\n"])[1] == 413


# ------------------------------------------------------------------ what is written


def test_a_reply_says_how_long_it_is_and_whether_the_connection_goes_on():
    reply = Reply(200, [("x", "y")], b"abc")
    get, final = one(GET), one(GET)._replace(keep_alive=False)
    assert encode(reply, get, "now") == (
        b"HTTP/1.1 200 OK\r\ndate: now\r\nx: y\r\ncontent-length: 3\r\nconnection: keep-alive\r\n\r\nabc"
    )
    assert b"connection: close" in encode(reply, final, "now")
    assert b"connection: close" in encode(reply, None, "now")


# ------------------------------------------------------------------ over a socket


def ok(event, context):
    return {"statusCode": 200, "body": event["rawPath"]}


@pytest.fixture(scope="module")
def port():
    with serving(ok) as gateway:
        yield gateway.port


@pytest.mark.parametrize(("data", "status"), REFUSED.values(), ids=list(REFUSED))
def test_a_refused_sender_reads_why_and_the_service_goes_on(port, data, status):
    with Client(port) as client:
        client.send(GET + data)
        assert client.read().status == 200
        reply = client.read()
        assert (reply.status, reply.headers["connection"]) == (status, "close")
        assert reply.headers["content-type"] == "application/json"
        assert set(reply.json) == {"message"}
        assert client.is_closed()
    assert ask(port, "GET", "/").status == 200


def test_a_sender_of_too_much_reads_the_refusal_although_it_does_not_stop_sending(port):
    with Client(port) as client:
        client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1))
        client.send(b"x" * (MAX_BODY + 1))
        reply = client.read()
        assert (reply.status, reply.body) == (413, b'{"message":"Request Entity Too Large"}')


def test_the_largest_body_is_taken():
    with serving(lambda event, context: {"statusCode": 200, "body": str(len(event["body"]))}) as gateway:
        body = b"x" * MAX_BODY
        assert ask(gateway.port, "POST", "/", "Content-Type: text/plain", body=body).body == str(MAX_BODY).encode()


def test_requests_that_are_sent_at_once_are_answered_in_order(port):
    with Client(port) as client:
        client.send(b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(200)))
        assert [client.read().body for _ in range(200)] == [b"/%d" % number for number in range(200)]


def test_a_sender_who_reads_late_gets_every_answer():
    page = "x" * 100_000
    with serving(lambda event, context: {"statusCode": 200, "body": page}) as gateway, Client(gateway.port) as client:
        client.send(GET * 100)
        assert ask(gateway.port, "GET", "/").status == 200
        assert all(len(client.read().body) == len(page) for _ in range(100))
        assert client.ask("GET", "/").status == 200


def test_a_sender_who_waits_is_told_to_go_on(port):
    with Client(port) as client:
        client.send(b"POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
        assert client.read().status == 100
        client.send(b"hi" + GET)
        assert [client.read().body, client.read().body] == [b"/a", b"/"]
        client.send(b"POST /b HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi")
        assert client.read().body == b"/b"


def test_a_sender_who_has_finished_still_gets_the_answer(port):
    with Client(port) as client:
        client.send(GET)
        client.socket.shutdown(socket.SHUT_WR)
        assert client.read().status == 200
        assert client.is_closed()


@pytest.mark.parametrize("data", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"])
def test_a_sender_who_leaves_halfway_is_forgotten(port, data):
    with Client(port) as client:
        client.send(data)
        client.socket.shutdown(socket.SHUT_WR)
        assert client.is_closed()
    assert ask(port, "GET", "/").status == 200


def test_a_connection_ends_when_its_sender_asks_for_it(port):
    with Client(port) as client:
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + GET)
        assert client.read().headers["connection"] == "close"
        assert client.is_closed()


def test_old_clients_are_served(port):
    with Client(port) as client:
        client.send(b"GET /old HTTP/1.0\r\n\r\n")
        assert client.read().body == b"/old"
        assert client.is_closed()


def test_a_request_that_stands_still_times_out(monkeypatch):
    monkeypatch.setattr(server, "SWEEP", 0.05)
    monkeypatch.setattr(server, "STALLED", 0.1)
    with serving(ok) as gateway, Client(gateway.port) as client:
        client.send(b"GET / HT")
        assert client.read().status == 408
        assert client.is_closed()


def test_a_silent_connection_is_closed(monkeypatch):
    monkeypatch.setattr(server, "SWEEP", 0.05)
    monkeypatch.setattr(server, "IDLE", 0.1)
    with serving(ok) as gateway, Client(gateway.port) as client:
        assert client.ask("GET", "/").status == 200
        assert client.is_closed()
