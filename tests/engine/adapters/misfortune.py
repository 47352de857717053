"""Misfortune for the suites over all games (rules/misfortune.md)."""

from collections.abc import Iterator, Mapping
from random import Random

from engine.deal import Chance
from engine.games.misfortune import Round, State
from engine.types import Action, Json, Options, Seat
from tests.engine.adapters import Moment, Relabelling, Twin

CLOCK_ONLY: frozenset[str] = frozenset()

_SUITS = ("c", "h")
_OTHER_SUIT = {"c": "h", "h": "c"}


def relabellings(options: Options, seats: int) -> Iterator[Relabelling]:
    """The seats hold the same ranks of two suits, and suits mean nothing."""

    def swapped(action: Action) -> Action:
        rank, suit = action["card"]
        return {**action, "card": rank + _OTHER_SUIT[suit]}

    yield Relabelling((1, 0), swapped, lambda chance: chance)


def totals(state: State) -> Json:
    """Each seat's thirteen cards are in its hand or on the table, and conflicts alone bring cards in."""
    cards = [sorted([*state.hands[seat], *(done.cards[seat] for done in state.played)]) for seat in (0, 1)]
    return [cards, sum(state.collected) - _decided(state)]


def _decided(state: State) -> int:
    """How many cards have been taken, by the claims alone: all that lie there at each conflict; and the leftover."""
    taken = lying = 0
    for done in state.played:
        lying += 2
        if "equal" in done.claims:
            return taken
        if done.claims[0] == done.claims[1]:
            taken, lying = taken + lying, 0
    is_over = len(state.played) == 13
    return taken + (lying if is_over and state.options["leftover"] != "void" else 0)


def parts(state: State, seat: Seat, action: Action) -> Mapping[str, list[Json]]:
    """No action has optional parts."""
    return {}


def worlds(state: State, viewer: Seat | None, rng: Random) -> Iterator[State]:
    """An opponent's cards in hand and face down may be any of those that were never shown, in any order. With
    `recall` = `event-only` that includes all that were shown before the last round."""
    ended = len(state.played) == 13 or any("equal" in done.claims for done in state.played[-1:])
    lying = _lying_from(state.played)
    shown_from = _lying_from(state.played[:-1])
    has_shown = ended or lying == len(state.played)
    known = set(range(shown_from, len(state.played))) if has_shown else set()
    if state.options["recall"] == "open":
        known |= set(range(len(state.played) if ended else lying))
    for _ in range(2):
        yield _permuted(state, known, viewer, rng)


def twins(moment: Moment, chance: Chance, viewer: Seat | None, rng: Random) -> Iterator[Twin]:
    """An agreement shows nothing, but the last one and any conflict or prayer show all that lies there."""
    state, choices, _ = moment
    claims = (choices[0]["claim"], choices[1]["claim"])
    played = (*state.played, Round((choices[0]["card"], choices[1]["card"]), claims))
    closed = State(state.options, _hands(state, played), played, state.collected)
    for world in worlds(closed, viewer, rng):
        # The world of the closed decision, one round back.
        last = world.played[-1]
        before = state._replace(hands=_hands(state, world.played[:-1]), played=world.played[:-1])
        yield Twin(before, {s: {"type": "play", "card": last.cards[s], "claim": claims[s]} for s in (0, 1)}, chance)


def _lying_from(played: tuple[Round, ...]) -> int:
    """The first of the rounds at the end whose cards lie face down."""
    first = len(played)
    while first and set(played[first - 1].claims) == {"higher", "lower"}:
        first -= 1
    return first


def _hands(state: State, played: tuple[Round, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The cards that the rounds leave, in the order in which the hands hold them."""
    order = "A23456789TJQK" if state.options["ace"] == "low" else "23456789TJQKA"
    gone = {card for done in played for card in done.cards}
    first, second = (tuple(rank + suit for rank in order if rank + suit not in gone) for suit in _SUITS)
    return first, second


def _permuted(state: State, known: set[int], viewer: Seat | None, rng: Random) -> State:
    """The state with the opponent's cards that are not known dealt anew among table and hand; of the viewer's own
    cards, those that were shown and are gone change places with one another."""
    played = list(state.played)
    for seat in (0, 1):
        open_rounds = [number for number in range(len(played)) if number not in known]
        cards = [state.played[number].cards[seat] for number in open_rounds]
        if seat == viewer:
            lying = _lying_from(state.played)
            open_rounds = [number for number in open_rounds if number < lying]
            cards = [state.played[number].cards[seat] for number in open_rounds]
        else:
            cards += state.hands[seat]
        rng.shuffle(cards)
        for number, card in zip(open_rounds, cards, strict=False):
            changed = (card, played[number].cards[1]) if seat == 0 else (played[number].cards[0], card)
            played[number] = played[number]._replace(cards=changed)
    rounds = tuple(played)
    return state._replace(hands=_hands(state, rounds), played=rounds)
