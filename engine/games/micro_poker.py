"""Micro Poker (rules/micro-poker.md): a tourist among strangers, who must lie or tell the truth about their hands.

The declarations of all strangers are one decision, the tourist's is the next. Hands are looked at in `micro_hands`,
claims in `micro_claims`; cards move in `micro_scoring`; `micro_view` tells who sees what.
"""

from collections.abc import Mapping
from functools import cache

from engine.cards import VALUES, deck, is_face
from engine.deal import Chance
from engine.errors import IllegalAction
from engine.games import fields
from engine.games.micro_claims import (
    declarations,
    declare,
    lowest_false,
    must_fit,
    parts,
    read,
    remarks,
    reread,
    truth,
    written,
)
from engine.games.micro_hands import role
from engine.games.micro_scoring import HAND_CARDS, Table, can_go_on, draw, give_back, refill, reward
from engine.games.micro_state import State, strangers_of, true_claims
from engine.games.micro_state import dump as dump
from engine.games.micro_state import load as load
from engine.games.micro_view import view as view
from engine.games.options import Choice, Option, Range
from engine.games.protocol import Event, Legal, Standing, Step, competition_ranks
from engine.types import NOTHING, Action, Options, Seat

ID = "micro-poker"
TITLE = "Micro Poker"
SUMMARY = "One player in turn decides which stranger to trust or to accuse; the last card drawn makes liars of most."
RULES_VERSION = 1
SEATS = (3, 6)
MOVE_SECONDS = 259_200

OPTIONS: tuple[Option, ...] = (
    Range("jokers", 0, 2, 2, "Jokers in the deck. Who draws one may lie or tell the truth."),
    Choice("joker_hand", ("wild", "blank"), "Whether a joker stands for any card in a hand, or for nothing."),
    Choice("table_talk", ("remarks", "none"), "Whether strangers may remark on each other's hands."),
    Choice("declaration", ("category", "category-rank"), "Whether a hand's rank is declared beside its category."),
    Choice("scoring", ("base", "trust-only"), "What decisions pay: cards for each, or cards for trust alone."),
    Choice("hand_rule", ("reset-all", "chosen-only"), "Whose hands are replaced after a turn."),
    Range("max_turns", 1, lambda n: 30 * n, lambda n: 8 * n, "Turns after which the match ends."),
)

RULES = """\
In turn each player is the tourist, and all others are strangers. Everybody holds two cards; each stranger draws a
third. Strangers see each other's hands. The tourist sees none of them, and has to find out whom to believe.

**What a stranger is** follows from the card drawn last: a jack, queen or king makes an honest one, a joker a free one,
any other card a liar.

**Declarations.** All strangers declare at once what they hold: high card, pair, flush, straight, three of a kind or
straight flush, the last being the best. An honest stranger names the best hand that the three cards make, a liar any
other. Strangers may add a remark on each other stranger's hand: true from the honest, false from liars. A free stranger
chooses, and then sticks to it in all it says. A-2-3 and Q-K-A are straights, K-A-2 is none. By default a joker stands
for whatever card makes the hand best.

**Decision.** The tourist trusts one stranger or accuses one, whose hand is then shown. Cards go to banks, where nobody
looks at them until the end:

- trust an honest stranger: the stranger banks its hand, the tourist as many cards from the deck;
- trust one who lied: the stranger banks its hand and one card of the tourist's bank;
- accuse one who lied: the tourist takes one card of the stranger's bank;
- accuse an honest one: the stranger takes one card of the tourist's bank.

For an empty bank the deck pays. Scored by trust only, the tourist banks its own two cards for trusting an honest
stranger; one who lied and was trusted banks just its hand; accusing a liar pays nothing; accusing an honest stranger
costs the tourist the last card of its bank.

Then the strangers' hands go back to the deck, all take new cards, and the next player is the tourist. The game ends
when the deck runs out, when it can't serve the next turn, or after the last turn that was agreed. The most cards in
the bank win, then their values, then the face cards among them.

Let your time run out and you declare truly if you may, else the lowest lie. A tourist who does so decides nothing.
"""

PASS: Action = {"type": "pass"}


@cache
def _decisions(tourist: Seat, seats: int) -> tuple[Action, ...]:
    return tuple(
        {"type": kind, "seat": stranger} for kind in ("trust", "accuse") for stranger in strangers_of(tourist, seats)
    )


def bound(options: Options, seats: int) -> int:
    """Two decisions a turn."""
    return int(2 * options["max_turns"])


def new(options: Options, seats: int, chance: Chance) -> State:
    """Two cards for each seat, from seat 0, and the first draws of a drawn tourist's strangers."""
    tourist = chance("micro/first").below(seats)
    cards = chance("micro/deal").shuffle(deck(options["jokers"]))
    dealt = HAND_CARDS * seats
    hands = tuple(cards[i : i + HAND_CARDS] for i in range(0, dealt, HAND_CARDS))
    table = Table(cards[dealt:], hands, ((),) * seats)
    return State(options, seats, 1, tourist, draw(table, tourist), (), "")


def pending(state: State) -> tuple[Seat, ...]:
    """All strangers, then the tourist."""
    if state.ended:
        return ()
    return (state.tourist,) if state.declared else strangers_of(state.tourist, state.seats)


def legal_actions(state: State, seat: Seat) -> Legal:
    """The declarations that the role allows, and apart from them the remarks; or whom to trust and to accuse.

    Any of the remarks, at most one a seat, fits any of the declarations listed with it. A free seat's remarks go by
    what it declares, so that none fits all: its list is empty, and its view tells which go with which (`view`).
    """
    if seat not in pending(state):
        return Legal()
    if state.declared:
        return Legal(_decisions(state.tourist, state.seats))
    declaration, hand = state.options["declaration"], state.table.hands[seat]
    kind = role(hand)
    actions = declarations(declaration, kind, truth(state.options, hand))
    if state.options["table_talk"] == "none":
        return Legal(actions)
    added = [] if kind == "free" else remarks(declaration, true_claims(state, seat), kind == "honest")
    return Legal(actions, {"remarks": added})


def check(state: State, seat: Seat, action: Action) -> Action:
    """A declaration, its remarks sorted by seat and left out when there are none, or a decision.

    Raises `IllegalAction`, for the clock's `pass` too.
    """
    if state.declared:
        kind = fields.kind(action, ("trust", "accuse"))
        fields.exactly(action, "seat")
        fields.one_of(action, "seat", strangers_of(state.tourist, state.seats))
        return {"type": kind, "seat": action["seat"]}
    fields.kind(action, ("declare",))
    declaration, hand = state.options["declaration"], state.table.hands[seat]
    if state.options["table_talk"] == "none" and action.get("remarks"):
        raise IllegalAction("there are no remarks at this table")
    truths = true_claims(state, seat)
    said = read(action, declaration, tuple(truths))
    must_fit(said, role(hand), truth(state.options, hand), truths)
    return written(declaration, said)


def missed_action(state: State, seat: Seat) -> Action:
    """The true declaration, from a liar the lowest false one, without remarks; from the tourist a pass."""
    if state.declared:
        return PASS
    hand = state.table.hands[seat]
    true = truth(state.options, hand)
    return declare(state.options["declaration"], lowest_false(true) if role(hand) == "liar" else true)


def resolve(state: State, choices: Mapping[Seat, Action], chance: Chance) -> Step[State]:
    """The declarations are published; or the tourist's decision is rewarded and the next turn begins."""
    if state.declared:
        return _close_turn(state, choices[state.tourist], chance)
    strangers = strangers_of(state.tourist, state.seats)
    declaration = state.options["declaration"]
    declared = tuple(reread(choices[seat], declaration) for seat in strangers)
    events = tuple(Event("declare", seat, parts(choices[seat])) for seat in strangers)
    return Step(state._replace(declared=declared), events)


def _close_turn(state: State, decision: Action, chance: Chance) -> Step[State]:
    options, tourist, table = state.options, state.tourist, state.table
    events = [Event(decision["type"], tourist, parts(decision))]
    chosen: Seat | None = decision.get("seat")
    fined = False
    if chosen is not None:
        hand = table.hands[chosen]
        said = state.declared[strangers_of(tourist, state.seats).index(chosen)]
        lying = said.claim != truth(options, hand)
        events.append(Event("shown", chosen, {"cards": list(hand), "role": role(hand), "lying": lying}))
        trusts = decision["type"] == "trust"
        table, payments = reward(table, options["scoring"], tourist, chosen, trusts=trusts, lying=lying)
        for seat, source, cards, of in payments:
            events.append(Event("banked", seat, {"from": source, "cards": cards} | ({} if of is None else {"of": of})))
        fined = options["scoring"] == "trust-only" and not trusts and not lying and bool(table.banks[tourist])
    if not table.deck:
        return _end(state, table, "deck-empty", events)
    if fined:
        events.append(Event("fined", tourist, {"cards": 1}))
    stream = chance(f"micro/turn={state.turn}/return")
    table = give_back(table, options["hand_rule"], tourist, chosen, fined=fined, stream=stream)
    if not can_go_on(table):
        return _end(state, table, "deck-short", events)
    if state.turn == options["max_turns"]:
        return _end(state, table, "max-turns", events)
    return _open_turn(state, refill(table, tourist), events)


def _open_turn(state: State, table: Table, events: list[Event]) -> Step[State]:
    tourist = (state.tourist + 1) % state.seats
    strangers = strangers_of(tourist, state.seats)
    state = state._replace(turn=state.turn + 1, tourist=tourist, table=draw(table, tourist), declared=())
    hands = [{"seat": seat, "cards": list(state.table.hands[seat])} for seat in strangers]
    events += (
        Event("turn", tourist, {"number": state.turn, "deck": len(state.table.deck)}, {"hands": hands}, strangers),
        Event("hand", tourist, NOTHING, {"cards": list(state.table.hands[tourist])}, (tourist,)),
    )
    return Step(state, tuple(events))


def _end(state: State, table: Table, reason: str, events: list[Event]) -> Step[State]:
    events.append(Event("ended", None, {"reason": reason, "banks": [list(bank) for bank in table.banks]}))
    return Step(state._replace(table=table, declared=(), ended=reason), tuple(events))


def standing(state: State) -> Standing:
    """By cards in the bank, then their values, then the face cards among them; after that the rank is shared."""
    banks = state.table.banks
    keys = [(len(bank), sum(VALUES[card] for card in bank), sum(map(is_face, bank))) for bank in banks]
    return Standing(competition_ranks(keys), tuple(map(len, banks)))
