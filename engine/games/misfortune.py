"""Misfortune (rules/misfortune.md): thirteen cards each, and a claim about every pair of them."""

from collections.abc import Mapping
from functools import cache
from itertools import chain
from typing import NamedTuple

from engine.deal import Chance
from engine.errors import IllegalAction
from engine.games import fields
from engine.games.options import Choice, Option, Range
from engine.games.protocol import Event, Legal, Standing, Step, competition_ranks
from engine.types import Action, Json, Options, Seat

ID = "misfortune"
TITLE = "Misfortune"
SUMMARY = "Lay a card face down, claim that it is higher or lower than your opponent's, and mind what the table hides."
RULES_VERSION = 1
SEATS = (2, 2)
MOVE_SECONDS = 259_200

ROUNDS = 13
SUITS = "ch"
"""The suit of each seat."""
ORDERS = {"low": "A23456789TJQK", "high": "23456789TJQKA"}
"""The ranks from the lowest to the highest, by the option `ace`."""
PRAYER = "equal"
CLAIMS = ("higher", "lower", PRAYER)

OPTIONS: tuple[Option, ...] = (
    Choice("ace", ("low", "high"), "Whether the ace is below the two or above the king."),
    Choice("leftover", ("void", "split", "showdown"), "What becomes of cards that still lie face down at the end."),
    Range("prayer_from_round", 1, ROUNDS, 1, "The first round in which a fool's prayer is allowed."),
    Choice("recall", ("open", "event-only"), "Whether shown cards stay in view, or only until the next round is over."),
)

RULES = """\
You hold the thirteen cards of one suit, your opponent those of another; only ranks count. Each round both of you lay a
card face down and claim, at the same moment, whether it is higher or lower than the other one. Bluff as you like.

- The same claim twice is a conflict: the two cards and all that lie there from before are shown, and whoever's claim is
  right takes them all. If the two are equal, each takes half.
- Two different claims are an agreement, be they true or not: the cards stay face down, for the next conflict.
- Claim that the cards are equal and you say a fool's prayer. It ends the game: you win if they are equal and lose if
  not. If both of you pray, the game is drawn.
- After thirteen rounds the most cards win. What still lies face down then is shown and, by default, counts for nobody.

Let your time run out and you lay your lowest card and claim that it is lower.
"""


class Round(NamedTuple):
    """A round that was played: card and claim of each seat."""

    cards: tuple[str, str]
    claims: tuple[str, str]


class State(NamedTuple):
    """A match between two rounds. Which cards lie face down follows from the rounds played."""

    options: Options
    hands: tuple[tuple[str, ...], tuple[str, ...]]
    """What each seat still holds, the lowest first."""
    played: tuple[Round, ...]
    collected: tuple[int, int]
    """How many cards each seat has taken."""


@cache
def _suit(ace: str, seat: Seat) -> tuple[str, ...]:
    return tuple(rank + SUITS[seat] for rank in ORDERS[ace])


@cache
def _plays(claims: tuple[str, ...]) -> dict[str, tuple[Action, ...]]:
    cards = (rank + suit for suit in SUITS for rank in ORDERS["low"])
    return {card: tuple({"type": "play", "card": card, "claim": claim} for claim in claims) for card in cards}


def _claims(state: State) -> tuple[str, ...]:
    return CLAIMS if len(state.played) + 1 >= state.options["prayer_from_round"] else CLAIMS[:2]


def _is_agreement(done: Round) -> bool:
    return done.claims[0] != done.claims[1] and PRAYER not in done.claims


def _is_over(state: State) -> bool:
    return len(state.played) == ROUNDS or (bool(state.played) and PRAYER in state.played[-1].claims)


def _agreed(played: tuple[Round, ...]) -> int:
    """How many of the last rounds were agreements, one after the other: their cards lie face down."""
    count = 0
    while count < len(played) and _is_agreement(played[-1 - count]):
        count += 1
    return count


def _higher(state: State, cards: tuple[str, str]) -> Seat | None:
    """The seat whose card is higher; None when they are equal."""
    order = ORDERS[state.options["ace"]]
    ranks = [order.index(card[0]) for card in cards]
    return None if ranks[0] == ranks[1] else int(ranks[1] > ranks[0])


def bound(options: Options, seats: int) -> int:
    """One decision a round."""
    return ROUNDS


def new(options: Options, seats: int, chance: Chance) -> State:
    """The first round. Nothing is left to chance."""
    return State(options, (_suit(options["ace"], 0), _suit(options["ace"], 1)), (), (0, 0))


def pending(state: State) -> tuple[Seat, ...]:
    """Both seats, until the last card or a prayer."""
    return () if _is_over(state) else (0, 1)


def legal_actions(state: State, seat: Seat) -> Legal:
    """Each card of the hand, the lowest first, with each claim."""
    if _is_over(state):
        return Legal()
    plays = _plays(_claims(state))
    return Legal(tuple(chain.from_iterable([plays[card] for card in state.hands[seat]])))


def check(state: State, seat: Seat, action: Action) -> Action:
    """A card that the seat still holds, and a claim. Raises `IllegalAction`."""
    fields.kind(action, ("play",))
    fields.exactly(action, "card", "claim")
    if action["card"] not in state.hands[seat]:
        raise IllegalAction("card must be one of: " + ", ".join(state.hands[seat]))
    fields.one_of(action, "claim", _claims(state))
    return action


def missed_action(state: State, seat: Seat) -> Action:
    """The lowest card, claimed to be lower."""
    return {"type": "play", "card": state.hands[seat][0], "claim": "lower"}


def resolve(state: State, choices: Mapping[Seat, Action], chance: Chance) -> Step[State]:
    """Both claims become known, and what they lead to: a conflict, an agreement, or the answer to a prayer."""
    plays = (choices[0], choices[1])
    done = Round((plays[0]["card"], plays[1]["card"]), (plays[0]["claim"], plays[1]["claim"]))
    hands = (_less(state.hands[0], done.cards[0]), _less(state.hands[1], done.cards[1]))
    after = State(state.options, hands, (*state.played, done), state.collected)
    events = [Event("play", seat, {"claim": p["claim"]}, {"card": p["card"]}, (seat,)) for seat, p in enumerate(plays)]
    taken = (0, 0)
    if PRAYER in done.claims:
        events.append(_uncovering(after, "prayer", {"winner": _answer(after)}))
    elif not _is_agreement(done):
        taken = _conflict(after)
        events.append(_uncovering(after, "conflict", {"taken": list(taken)}))
    else:
        events.append(Event("agreement", None, {"face_down": 2 * _agreed(after.played)}))
        if len(after.played) == ROUNDS:
            taken = _leftover(after)
            events.append(_uncovering(after, "leftover", {"taken": list(taken)}))
    collected = (state.collected[0] + taken[0], state.collected[1] + taken[1])
    return Step(after._replace(collected=collected), tuple(events))


def _less(hand: tuple[str, ...], card: str) -> tuple[str, ...]:
    place = hand.index(card)
    return hand[:place] + hand[place + 1 :]


def _pot(state: State) -> tuple[Round, ...]:
    """The last round and the agreements right before it: what a conflict is for, and what the end uncovers."""
    return state.played[-1 - _agreed(state.played[:-1]) :]


def _uncovering(state: State, kind: str, data: dict[str, Json]) -> Event:
    """The event that shows the pot, beginning with the cards of `from_round`."""
    pot = _pot(state)
    data = {"from_round": len(state.played) - len(pot) + 1, **data}
    cards = {"cards": [list(done.cards) for done in pot]}
    if state.options["recall"] == "open":
        return Event(kind, None, data | cards)
    return Event(kind, None, data, brief=cards)


def _answer(state: State) -> Seat | None:
    """The winner of a game that ended with a prayer; None when both prayed."""
    done = state.played[-1]
    if done.claims[0] == done.claims[1]:
        return None
    praying = done.claims.index(PRAYER)
    return praying if _higher(state, done.cards) is None else 1 - praying


def _conflict(state: State) -> tuple[int, int]:
    done, cards = state.played[-1], 2 * len(_pot(state))
    higher = _higher(state, done.cards)
    if higher is None:
        return cards // 2, cards // 2
    is_first = higher == (0 if done.claims[0] == "higher" else 1)
    return (cards, 0) if is_first else (0, cards)


def _leftover(state: State) -> tuple[int, int]:
    pot = _pot(state)
    match state.options["leftover"]:
        case "split":
            return len(pot), len(pot)
        case "showdown":
            winners = [_higher(state, done.cards) for done in pot]
            equal = winners.count(None)
            return 2 * winners.count(0) + equal, 2 * winners.count(1) + equal
        case _:
            return 0, 0


def view(state: State, seat: Seat | None) -> dict[str, Json]:
    """The own hand, the claims of every round, and of the cards: the own ones on the table and those that are shown."""
    rounds = len(state.played)
    face_down = 0 if _is_over(state) else _agreed(state.played)
    shown = _shown(state, rounds - face_down)
    return {
        "seat": seat,
        "ace": state.options["ace"],
        "round": rounds if _is_over(state) else rounds + 1,
        "hand": None if seat is None else list(state.hands[seat]),
        "collected": list(state.collected),
        "face_down": 2 * face_down,
        "played": [
            {
                "claims": list(done.claims),
                "cards": [
                    card if number in shown or (owner == seat and number >= rounds - face_down) else None
                    for owner, card in enumerate(done.cards)
                ],
            }
            for number, done in enumerate(state.played)
        ],
    }


def _shown(state: State, lying: int) -> range:
    """The rounds whose cards everybody sees. Those from `lying` on are face down."""
    if state.options["recall"] == "open" or not state.played:
        return range(lying)
    # Only the last round may have shown any: with its close, what was shown before is gone.
    return range(len(state.played) - len(_pot(state)), lying)


def standing(state: State) -> Standing:
    """By cards collected; once a prayer has been said, by its answer."""
    ranks = competition_ranks(state.collected)
    if state.played and PRAYER in state.played[-1].claims:
        winner = _answer(state)
        ranks = (1, 1) if winner is None else (1 + winner, 2 - winner)
    return Standing(ranks, state.collected)


def dump(state: State) -> Json:
    """The rounds played and the cards collected, which all else follows from."""
    return [[[*done.cards, *done.claims] for done in state.played], list(state.collected)]


def load(data: Json, options: Options, seats: int) -> State:
    """The state of `dump`, read from JSON."""
    rounds, (first, second) = data
    played = tuple(Round((c0, c1), (claim0, claim1)) for c0, c1, claim0, claim1 in rounds)
    return State(options, (_hand(options, 0, played), _hand(options, 1, played)), played, (first, second))


def _hand(options: Options, seat: Seat, played: tuple[Round, ...]) -> tuple[str, ...]:
    gone = {done.cards[seat] for done in played}
    return tuple(card for card in _suit(options["ace"], seat) if card not in gone)
