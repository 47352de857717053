"""What the suites over all games must be told of each one, from its rules page and not from its code.

Each registered game has a module here, named as the game's own; a game without one fails the suites.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from random import Random
from typing import Any, NamedTuple, Protocol, cast

from engine.deal import Chance, Stream
from engine.games.protocol import Step
from engine.types import Action, Json, Options, Seat
from tests.engine.cases import find


class Moment(NamedTuple):
    """A decision of a match, and what it led to."""

    state: Any
    choices: Mapping[Seat, Action]
    step: Step[Any]


class Relabelling(NamedTuple):
    """The same match with the seats renamed: the new place of each seat, and what an action and the chance become."""

    seats: tuple[Seat, ...]
    action: Callable[[Action], Action]
    chance: Callable[[Chance], Chance]


class Twin(NamedTuple):
    """A decision that closes, to one viewer, like the one that it was made from."""

    state: Any
    choices: Mapping[Seat, Action]
    chance: Chance


class Adapter(Protocol):
    """A game's module of this package."""

    CLOCK_ONLY: frozenset[str]
    """The types of action that only the clock can make."""

    def relabellings(self, options: Options, seats: int) -> Iterable[Relabelling]:
        """Renamings of the seats that the rules do not tell apart; at least one."""

    def totals(self, state: Any) -> Json:
        """What the rules say never changes: sums of stakes, chips, cards."""

    def parts(self, state: Any, seat: Seat, action: Action) -> Mapping[str, list[Json]]:
        """The optional parts of a listed action, by field: every value that may be added, at most one a seat."""

    def worlds(self, state: Any, viewer: Seat | None, rng: Random) -> Iterable[Any]:
        """States that differ from this one only in what the viewer may not know."""

    def twins(self, moment: Moment, chance: Chance, viewer: Seat | None, rng: Random) -> Iterable[Twin]:
        """Decisions that differ from this one only in what the viewer may not know even after it has closed."""


_WANTED = ("CLOCK_ONLY", "relabellings", "totals", "parts", "worlds", "twins")


def of(game_id: str) -> Adapter:
    """The adapter of a registered game. Fails when a new game has not declared one."""
    module = find(game_id)
    name = f"{__name__}.{cast(Any, module).__name__.rpartition('.')[2]}"
    try:
        adapter = import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise AssertionError(f"{game_id} has to declare {', '.join(_WANTED)} in {name}") from None
    lacking = [attribute for attribute in _WANTED if not hasattr(adapter, attribute)]
    assert not lacking, f"{name} lacks {', '.join(lacking)}"
    return cast(Adapter, adapter)


class Changed:
    """A stream whose draws or order are changed on their way."""

    def __init__(
        self,
        stream: Stream,
        below: Callable[[int, int], int] = lambda drawn, n: drawn,
        order: Callable[[tuple[Any, ...]], tuple[Any, ...]] = lambda items: items,
    ) -> None:
        self._stream, self._change, self._order = stream, below, order

    def below(self, n: int) -> int:
        """The changed draw."""
        return self._change(self._stream.below(n), n)

    def shuffle(self, items: Iterable[Any]) -> tuple[Any, ...]:
        """The shuffled items, their order changed."""
        return self._order(self._stream.shuffle(items))


def as_stream(changed: Changed) -> Stream:
    """The changed stream, for the eyes of the type checker."""
    return cast(Stream, changed)
