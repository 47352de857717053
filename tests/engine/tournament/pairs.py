"""A single pairing and the events that tests feed it, by side."""

from typing import Any

from engine.tournament import course, find, series
from engine.tournament.protocol import (
    Deadline,
    Ended,
    Event,
    Facts,
    Key,
    Origin,
    Pairing,
    Settings,
    Side,
    Source,
    Started,
    Status,
)

KNOCK_OUT, ROBIN, HEATS = "single-elimination", "round-robin", "heats"


def pair(best_of: int = 1, format_id: str = KNOCK_OUT, seeds: tuple[int, int] = (1, 2), **given: Any) -> Pairing:
    """Two players, a and b, ready to begin."""
    sides = tuple(Side(Source(Origin.SEED, seed), player, seed) for player, seed in zip("ab", seeds, strict=True))
    empty = Pairing(Key("main", 1, 1), sides)
    return course.arranged(find(format_id), Settings(best_of=best_of, **given), empty)


def at_table(size: int) -> Pairing:
    """A table of heats, ready to begin: side i has seat i."""
    sides = tuple(Side(Source(Origin.SEED, seed), f"p{seed}", seed) for seed in range(1, size + 1))
    ready = Pairing(Key("main", 1, 1), sides, Status.READY)
    return series.with_game(ready, tuple(range(size)))


def after(pairing: Pairing, event: Event, format_id: str = KNOCK_OUT, **given: Any) -> Pairing:
    return course.after(find(format_id), Settings(best_of=pairing.best_of, **given), pairing, event)


def seated(pairing: Pairing, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is given by side, by seat of the last game."""
    return tuple(values[index] for index in pairing.games[-1].seats)


def facts(
    pairing: Pairing,
    ranks: tuple[int, ...],
    scores: tuple[int, ...] = (0, 0),
    left: tuple[str, ...] = ("", ""),
    acted: tuple[bool, ...] = (True, True),
) -> Facts:
    """How the last game ended, given by side."""
    return Facts(
        "played",
        seated(pairing, ranks) if ranks else (),
        seated(pairing, scores),
        seated(pairing, left),
        seated(pairing, acted),
    )


def play(pairing: Pairing, *results: tuple[int, ...], format_id: str = KNOCK_OUT, **more: Any) -> Pairing:
    """The pairing after games with these ranks by side."""
    for ranks in results:
        number = len(pairing.games)
        pairing = after(pairing, Started(number), format_id)
        pairing = after(pairing, Ended(number, facts(pairing, ranks, **more)), format_id)
    return pairing


def overdue(pairing: Pairing, ranks: tuple[int, ...], format_id: str = KNOCK_OUT, **more: Any) -> Pairing:
    """The pairing after its deadline, while its last game is running and stands so."""
    number = len(pairing.games)
    pairing = after(pairing, Started(number), format_id)
    return after(pairing, Deadline(number, facts(pairing, ranks, **more)), format_id)
