"""What a game is to the rest: one module with these constants and functions (`Game`), and the values they trade.

A game knows decisions, not requests. A **decision** asks one seat or several; the match collects a choice from each
seat that it asks, hidden from all others where there are several, and resolves them together. So a game's state is
always between two decisions, holds no half-made choice, and cannot show one.
"""

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from engine.deal import Chance
from engine.games.options import Option
from engine.types import NOTHING, Action, Data, Json, Options, Seat

S = TypeVar("S")


class Event(NamedTuple):
    """Something that happened, and who may know each part of it."""

    type: str
    seat: Seat | None = None
    data: Data = NOTHING
    """Known to everybody, for ever."""
    secret: Data = NOTHING
    """Known to the seats `to` only."""
    to: tuple[Seat, ...] = ()
    brief: Data = NOTHING
    """Known to everybody until the next decision has closed, then to nobody (a game of memory)."""


class Step(NamedTuple, Generic[S]):
    """What a decision led to. The first events are the choices, one for each seat that was asked, in seat order."""

    state: S
    events: tuple[Event, ...]


class Legal(NamedTuple):
    """What a seat may do now."""

    actions: Sequence[Action] = ()
    optional: Data = NOTHING
    """Free parts that may be added to an action: a list of values by field name, at most one a seat."""


class Standing(NamedTuple):
    """An order of the seats, by seat. Ranks are 1, 2, 2, 4; scores are integers in the game's unit."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]


class Game(Protocol[S]):
    """One game. Every function is pure: it changes none of its arguments and draws only from `chance`."""

    @property
    def ID(self) -> str:
        """The id in paths and records."""

    @property
    def TITLE(self) -> str:
        """The name for players."""

    @property
    def SUMMARY(self) -> str:
        """One sentence for a list of games."""

    @property
    def RULES(self) -> str:
        """The rules for players, Markdown."""

    @property
    def RULES_VERSION(self) -> int:
        """Moves when a recorded match would replay differently."""

    @property
    def SEATS(self) -> tuple[int, int]:
        """The smallest and the largest table."""

    @property
    def OPTIONS(self) -> tuple[Option, ...]:
        """The options, in the order in which players should read them."""

    @property
    def MOVE_SECONDS(self) -> int:
        """The default clock: seconds a move."""

    def bound(self, options: Options, seats: int) -> int:
        """The most decisions that a match can have."""

    def new(self, options: Options, seats: int, chance: Chance) -> S:
        """The state at the first decision. `options` are complete (`engine.games.options.complete`)."""

    def pending(self, state: S) -> tuple[Seat, ...]:
        """The seats that the open decision asks, ascending; none once the game is over."""

    def legal_actions(self, state: S, seat: Seat) -> Legal:
        """Every choice that the decision allows to `seat`; empty when it is not asked."""

    def check(self, state: S, seat: Seat, action: Action) -> Action:
        """The action in its canonical form, if `seat`, which is asked, may choose it. Raises `IllegalAction`."""

    def missed_action(self, state: S, seat: Seat) -> Action:
        """The choice that is made for a seat that is asked and lets its time run out."""

    def resolve(self, state: S, choices: Mapping[Seat, Action], chance: Chance) -> Step[S]:
        """Closes the decision. `choices` has exactly the pending seats, each with an action that `check` gave or with
        its `missed_action`."""

    def view(self, state: S, seat: Seat | None) -> dict[str, Json]:
        """What a seat may know, or a spectator (None), who knows what every seat knows."""

    def standing(self, state: S) -> Standing:
        """The order now, by what is settled; once nobody is pending, the result."""

    def dump(self, state: S) -> Json:
        """The state, less options and number of seats, as JSON data."""

    def load(self, data: Json, options: Options, seats: int) -> S:
        """The state that `dump` was given."""


def competition_ranks(keys: Sequence[Json]) -> tuple[int, ...]:
    """Ranks 1, 2, 2, 4 by comparable keys, the greatest first; equal keys share a rank."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)
