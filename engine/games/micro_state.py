"""A match of Micro Poker between two decisions, and what follows from it at once."""

from functools import cache
from typing import NamedTuple

from engine.cards import pack, unpack
from engine.games.micro_claims import Claim, Declaration, truth
from engine.games.micro_scoring import Table, after
from engine.types import Json, Options, Seat


class State(NamedTuple):
    """A match between two decisions. Strangers are asked until they have declared, then the tourist is."""

    options: Options
    seats: int
    turn: int
    tourist: Seat
    table: Table
    declared: tuple[Declaration, ...]
    """The strangers' declarations, by seat; none until all are in."""
    ended: str
    """Why the match is over, or nothing."""


@cache
def strangers_of(tourist: Seat, seats: int) -> tuple[Seat, ...]:
    """All seats but the tourist, ascending."""
    return tuple(sorted(after(tourist, seats)))


def true_claims(state: State, seat: Seat) -> dict[Seat, Claim]:
    """The true claims about the hands of the strangers but `seat`."""
    return {
        stranger: truth(state.options, state.table.hands[stranger])
        for stranger in strangers_of(state.tourist, state.seats)
        if stranger != seat
    }


def dump(state: State) -> Json:
    """Lists in the order of the state's fields, cards packed into texts."""
    table = state.table
    return [
        state.turn,
        state.tourist,
        [pack(table.deck), [pack(hand) for hand in table.hands], [pack(bank) for bank in table.banks]],
        [[said.claim, [list(remark) for remark in said.remarks]] for said in state.declared],
        state.ended,
    ]


def load(data: Json, options: Options, seats: int) -> State:
    """The state of `dump`, read from JSON."""
    turn, tourist, (cards, hands, banks), declared, ended = data
    table = Table(unpack(cards), tuple(map(unpack, hands)), tuple(map(unpack, banks)))
    said = tuple(Declaration(claim, tuple((seat, about) for seat, about in remarks)) for claim, remarks in declared)
    return State(options, seats, turn, tourist, table, said, ended)
