"""What a format has to answer: one module with these constants and functions for each."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from engine.deal import Chance
from engine.tournament.protocol import Entrant, Flow, Key, Pairing, Row, Shape, Topology


class Format(Protocol):
    """One format: a module with these constants and functions. Every function is pure."""

    ID: str
    """The name in requests and records."""
    KNOCK_OUT: bool
    """Whether a pairing needs a winner."""
    BY_ROUNDS: bool
    """Whether a round is created when the last one has closed; else it is a bracket, known from the start."""
    REBUILDS: bool
    """Whether a round depends on the results before it, so that a ruling undoes the later ones."""
    TABLES: bool
    """Whether a pairing is a table of two or more, played as one game whose ranks are the result."""
    MOST: int
    """The most entrants."""
    TIEBREAKS: tuple[str, ...]
    """The criteria that it knows; none where places do not go by points."""

    def depth(self, topology: Topology) -> int:
        """How many deadlines follow one another at most."""

    def ordinal(self, topology: Topology, key: Key) -> int:
        """How many rounds follow one another up to that of a pairing, itself included: 1…`depth`."""

    def shapes(self, topology: Topology) -> tuple[Shape, ...]:
        """All rounds in the order of display, those that may never come to be included."""

    def blank(self, topology: Topology, key: Key) -> Pairing:
        """A pairing of which nothing is stored. Raises `LookupError` for a key that the topology does not have."""

    def flows(self, topology: Topology, pairing: Pairing) -> tuple[Flow, ...]:
        """What the pairing says of its followers' sides; settled or not, these are always the same keys and indexes."""

    def ends(self, topology: Topology) -> tuple[Key, ...]:
        """The pairings after which a bracket is over, once each is settled or void."""

    def make_round(
        self, topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing], number: int, chance: Chance
    ) -> tuple[Pairing, ...]:
        """Round `number`, given all pairings so far; round 1 is the start. Empty when the event is over."""

    def exit_level(self, topology: Topology, key: Key, won: bool) -> int:
        """The level of `Exit` for who goes no further after winning or losing here; only of a bracket."""

    def standings(self, topology: Topology, field: Sequence[Entrant], pairings: Iterable[Pairing]) -> tuple[Row, ...]:
        """The table, the best first."""
