"""Client programs: players that act by what the API shows them, and the seats that they play together."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine import bots
from engine.deal import Stream
from engine.games.protocol import Legal
from engine.types import Action
from tests.faults.world import Caller, World

Choose = Callable[[Caller, Any], Action]
"""What a player does when it is asked, by the match as it sees it."""


def house(caller: Caller, seen: Any) -> Action:
    """What a house bot would do in the player's place."""
    legal = legal_of(caller, seen["id"])
    stream = Stream(caller.id.encode(), f"{seen['turn']}")
    return bots.choose(seen["game"], bots.HOUSE, seen["view"], legal, stream)


def first(caller: Caller, seen: Any) -> Action:
    """The first action that is listed."""
    return legal_of(caller, seen["id"]).actions[0]


def last(caller: Caller, seen: Any) -> Action:
    """The last action that is listed."""
    return legal_of(caller, seen["id"]).actions[-1]


def legal_of(caller: Caller, match: str) -> Legal:
    """What the player may do."""
    listed = caller.ok("GET", f"/v1/matches/{match}/legal-actions")
    return Legal(listed["actions"], listed["optional"])


def actions(
    world: World, callers: Sequence[Caller], match: str, choose: Choose
) -> Iterator[tuple[Caller, int, Action]]:
    """What is to be done next: who, in which turn, what. Whoever gets it sends it. Ends with the match.

    Everybody takes a tenth of the time that they have.
    """
    while (seen := callers[0].ok("GET", f"/v1/matches/{match}"))["status"] == "active":
        for seat in seen["to_act"]:
            caller = callers[seat]
            own = caller.ok("GET", f"/v1/matches/{match}")
            if own["turn"] == seen["turn"] and own["you"]["to_act"]:
                yield caller, own["turn"], choose(caller, own)
                world.advance(own["clock"]["seconds"] / 10)
