"""What must be kept secret is compared whole and in constant time."""

import hmac

import pytest

from functions.shared.http import identity
from infra.client import Client

Compared = list[tuple[str, str]]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Compared:
    """All that is compared in constant time."""
    seen: Compared = []
    real = hmac.compare_digest

    def compare(a: str | bytes, b: str | bytes) -> bool:
        seen.append(tuple(x.decode("latin-1") if isinstance(x, bytes) else x for x in (a, b)))
        return real(a, b)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    return seen


def test_a_token_is_compared_whole_and_in_constant_time(ann: Client, compared: Compared) -> None:
    identity.forget()
    ann.ok("GET", "/v1/me")
    assert any(len(a) == 64 and a == b for a, b in compared)


def test_a_join_code_is_compared_whole_and_in_constant_time(ann: Client, bob: Client, compared: Compared) -> None:
    match = ann.ok("POST", "/v1/matches", {"game": "misfortune", "visibility": "private"})
    wrong = match["join_code"][:-1] + ("0" if match["join_code"][-1] != "0" else "1")
    path = f"/v1/matches/{match['id']}/join"
    assert bob.call("POST", path, {"join_code": wrong}).status == 404
    assert (match["join_code"], wrong) in compared
    assert bob.call("POST", path, {"join_code": match["join_code"]}).status == 200


def test_a_recovery_code_is_compared_whole_and_in_constant_time(anybody: Client, compared: Compared) -> None:
    made = anybody.ok("POST", "/v1/players", {"name": "to-recover"})
    code = made["recovery_code"]
    wrong = code[:-1] + ("0" if code[-1] != "0" else "1")
    asked = {"name": "to-recover", "recovery_code": wrong}
    assert anybody.call("POST", "/v1/players/recover", asked).status == 401
    assert any(len(a) == 64 and len(b) == 64 and a != b for a, b in compared)
