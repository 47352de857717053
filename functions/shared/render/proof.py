"""A proof as it is served: the document of `engine.proof`, to the letter, with nothing beside it."""

from typing import Any

import msgspec

from engine.types import Data
from functions.shared.render.match import ResultBody


class ActionBody(msgspec.Struct):
    """An action in the order of commitment, opened."""

    n: int
    turn: int
    seat: int
    by: str
    at: str
    action: dict[str, Any]


class ProofBody(msgspec.Struct):
    """All that a match was made of: anybody can derive it again."""

    spec: str
    match: str
    game: str
    ruleset: str
    options: dict[str, Any]
    seats: int
    bots: list[int]
    """The seats of house bots."""
    commitment: str
    key: str
    nonces: list[str]
    clock: dict[str, Any]
    started_at: str | None
    """Null for a match that never started."""
    actions: list[ActionBody]
    events: list[dict[str, Any]]
    """Who left otherwise than by resigning, and when clocks stood still; each after so many actions."""
    status: str
    ended_at: str
    result: ResultBody | None
    checksums: dict[str, Any]


def body(proof: Data) -> ProofBody:
    """The proof that `engine.proof.prove` gave."""
    result = None if proof["result"] is None else ResultBody(**proof["result"])
    acts = [ActionBody(**action) for action in proof["actions"]]
    return ProofBody(**{**proof, "actions": acts, "result": result})
