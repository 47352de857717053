"""Who goes no further in a bracket, and how far they came."""

from collections import Counter
from collections.abc import Iterable

from engine.tournament.format import Format
from engine.tournament.protocol import Exit, Pairing, Player, Reason, Topology


def of(rules: Format, topology: Topology, pairing: Pairing) -> tuple[Exit, ...]:
    """Who goes no further after this pairing, the champion included; nobody while it is not settled."""
    result = pairing.result
    if result is None or rules.BY_ROUNDS:
        return ()
    gone_on = {flow.side.player for flow in rules.flows(topology, pairing)}
    return tuple(
        Exit(side.player, rules.exit_level(topology, pairing.key, won=rank == 1))
        for side, rank in zip(pairing.sides, result.ranks, strict=True)
        if side.player and side.player not in gone_on
    )


def wins(pairings: Iterable[Pairing]) -> Counter[Player]:
    """How many pairings each player has won, byes apart."""
    return Counter(
        side.player
        for pairing in pairings
        if pairing.result is not None and pairing.result.reason is not Reason.BYE
        for side, rank in zip(pairing.sides, pairing.result.ranks, strict=True)
        if rank == 1 and side.player
    )
