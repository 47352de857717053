"""Half-Deck Poker (rules/half-deck-poker.md): two hands of one card at once, from ten cards of which you know five."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.deal import Chance
from engine.games import fields
from engine.games.half_deck_settlement import Pair, Payout, Showdown, settle
from engine.games.options import Option, Range
from engine.games.protocol import Event, Legal, Standing, Step, competition_ranks
from engine.types import Action, Json, Options, Seat

ID = "half-deck-poker"
TITLE = "Half-Deck Poker"
SUMMARY = "Two hands of one-card poker at once, from ten cards of which you know five."
RULES_VERSION = 1
SEATS = (2, 2)
MOVE_SECONDS = 60

OPTIONS: tuple[Option, ...] = (
    Range("start_chips", 10, 200, 40, "Chips of each seat at the start."),
    Range("min_raise", 0, 1, 1, "The lowest raise."),
)

RULES = """\
Ten cards, 1 to 10, shuffled anew each round. You have two of them, one at Alpha and one at Beta, your opponent has the
cards opposite; the higher one wins at each place. You also see three of the six others, your opponent sees the rest.

1. Both of you raise at the same moment: you on your left card (the first seat's is Alpha, the second's Beta).
2. Whoever raised more may swap the own two cards. The bets stay where they lie, and the other one is told.
3. At the same moment, call or fold your other card, where your opponent has raised. A call puts in as much, or what you
   have left; the rest of the raise then goes back.
4. All cards are shown and the round is paid out:
   - At each place the higher card takes both bets; a fold gives them to the other side.
   - Who folded against a 1 pays 5 chips to the bank, against a 2 pays 2, unless the folded card was the 1.
   - If there was a swap: should the swapper win with the lower of the two cards, the opponent pays as many chips as the
     opponent has raised; should the swapper lose with the higher one, the swapper pays the own raise.
   - Each of you pays 1 chip to the bank.

Nobody pays more than they have. Who has no chips left after a round has lost. If that is both of you, the one who still
owed less in that round wins.

Let your time run out and you make the lowest raise, don't swap, and fold where your opponent has raised.
"""

_MOST_CHIPS = 2 * 200
_RAISES: tuple[Action, ...] = tuple({"type": "raise", "chips": chips} for chips in range(_MOST_CHIPS + 1))
_SWAPS: tuple[Action, ...] = ({"type": "swap", "swap": True}, {"type": "swap", "swap": False})
_CALL: Action = {"type": "call"}
_FOLD: Action = {"type": "fold"}
_ANSWERS = (_CALL, _FOLD)


class Done(NamedTuple):
    """A finished round: the ten cards as dealt, what was chosen, and what it left."""

    deal: tuple[int, ...]
    raises: Pair
    swapper: Seat | None
    folded: tuple[bool, bool]
    stacks: Pair
    debts: Pair


class State(NamedTuple):
    """A match between two decisions."""

    options: Options
    phase: str
    """`raising`, `swapping`, `calling` or `over`: what is asked."""
    deal: tuple[int, ...]
    """Ten cards: Alpha and Beta of seat 0, the same of seat 1, three that seat 0 sees, three that seat 1 sees. None
    once the match is over."""
    raises: Pair
    """(0, 0) until they are in."""
    swapper: Seat | None
    """Who has swapped in this round."""
    stacks: Pair
    """After the last payout: what lies on the table still counts as its owner's."""
    finished: tuple[Done, ...]


def bound(options: Options, seats: int) -> int:
    """Three decisions a round. Every round but the last takes two chips, so there are `start_chips` at most."""
    return int(3 * options["start_chips"])


def _dealt(options: Options, stacks: Pair, finished: tuple[Done, ...], chance: Chance) -> State:
    deal = chance(f"half/round={len(finished) + 1}").shuffle(range(1, 11))
    return State(options, "raising", deal, (0, 0), None, stacks, finished)


def new(options: Options, seats: int, chance: Chance) -> State:
    """The first raises, after the first deal."""
    return _dealt(options, (options["start_chips"], options["start_chips"]), (), chance)


def _raised_more(raises: Pair) -> Seat:
    """The seat of the higher raise, where there is one."""
    return 0 if raises[0] > raises[1] else 1


def pending(state: State) -> tuple[Seat, ...]:
    """Both seats, but for the swap, which only the higher raise is asked for."""
    match state.phase:
        case "over":
            return ()
        case "swapping":
            return (_raised_more(state.raises),)
        case _:
            return (0, 1)


def legal_actions(state: State, seat: Seat) -> Legal:
    """Every raise that the stack allows; whether to swap; call, and fold where the other has raised."""
    match state.phase:
        case "raising":
            return Legal(_RAISES[state.options["min_raise"] : state.stacks[seat] + 1])
        case "swapping" if seat == _raised_more(state.raises):
            return Legal(_SWAPS)
        case "calling":
            return Legal(_ANSWERS if state.raises[1 - seat] else _ANSWERS[:1])
        case _:
            return Legal()


def check(state: State, seat: Seat, action: Action) -> Action:
    """A raise, an answer about a swap, or a call or fold, as the phase asks. Raises `IllegalAction`."""
    match state.phase:
        case "raising":
            fields.kind(action, ("raise",))
            fields.exactly(action, "chips")
            fields.integer(action, "chips", state.options["min_raise"], state.stacks[seat])
        case "swapping":
            fields.kind(action, ("swap",))
            fields.exactly(action, "swap")
            fields.one_of(action, "swap", (True, False))
        case _:
            fields.kind(action, ("call", "fold") if state.raises[1 - seat] else ("call",))
            fields.exactly(action)
    return action


def missed_action(state: State, seat: Seat) -> Action:
    """The lowest raise; no swap; a fold where the other has raised, else a call."""
    match state.phase:
        case "raising":
            return _RAISES[state.options["min_raise"]]
        case "swapping":
            return _SWAPS[1]
        case _:
            return _FOLD if state.raises[1 - seat] else _CALL


def resolve(state: State, choices: Mapping[Seat, Action], chance: Chance) -> Step[State]:
    """Raises lead to a swap or to the calls, the calls to the payout and the next deal."""
    match state.phase:
        case "raising":
            raises = choices[0]["chips"], choices[1]["chips"]
            phase = "calling" if raises[0] == raises[1] else "swapping"
            events = tuple(Event("raise", seat, {"chips": raises[seat]}) for seat in (0, 1))
            return Step(state._replace(phase=phase, raises=raises), events)
        case "swapping":
            ((seat, action),) = choices.items()
            swapper = seat if action["swap"] else None
            event = Event("swap", seat, {"swap": action["swap"]})
            return Step(state._replace(phase="calling", swapper=swapper), (event,))
        case _:
            answers = choices[0]["type"], choices[1]["type"]
            return _paid_out(state, answers, chance)


def _paid_out(state: State, answers: tuple[str, str], chance: Chance) -> Step[State]:
    folded = answers[0] == "fold", answers[1] == "fold"
    cards = _lying(state.deal, 0, state.swapper), _lying(state.deal, 1, state.swapper)
    payout = settle(state.stacks, Showdown(cards, state.raises, state.swapper, folded))
    done = Done(state.deal, state.raises, state.swapper, folded, payout.stacks, payout.debts)
    finished = (*state.finished, done)
    if all(payout.stacks):
        after = _dealt(state.options, payout.stacks, finished, chance)
    else:
        after = State(state.options, "over", (), (0, 0), None, payout.stacks, finished)
    return Step(after, (Event(answers[0], 0), Event(answers[1], 1), _payout_event(after, done, payout)))


def _payout_event(after: State, done: Done, payout: Payout) -> Event:
    data = {
        "round": len(after.finished),
        **_cards(done),
        "winners": list(payout.winners),
        "calls": list(payout.calls),
        "fines": list(payout.fines),
        "bonuses": list(payout.bonuses),
        "debts": list(payout.debts),
        "stacks": list(payout.stacks),
        "bank": _bank(after),
    }
    return Event("payout", None, data)


def _lying(deal: tuple[int, ...], seat: Seat, swapper: Seat | None) -> Pair:
    """A seat's cards at Alpha and at Beta."""
    alpha, beta = deal[2 * seat : 2 * seat + 2]
    return (beta, alpha) if seat == swapper else (alpha, beta)


def _seen(deal: tuple[int, ...], seat: Seat) -> list[int]:
    """The three cards beside its own that a seat sees."""
    return sorted(deal[4 + 3 * seat : 7 + 3 * seat])


def _cards(done: Done) -> dict[str, Json]:
    """All cards of a finished round, as they lay in the end."""
    (alpha0, beta0), (alpha1, beta1) = (_lying(done.deal, seat, done.swapper) for seat in (0, 1))
    return {
        "alpha": [alpha0, alpha1],
        "beta": [beta0, beta1],
        "seen": [_seen(done.deal, 0), _seen(done.deal, 1)],
    }


def _bank(state: State) -> int:
    return int(2 * state.options["start_chips"]) - sum(state.stacks)


def view(state: State, seat: Seat | None) -> dict[str, Json]:
    """The own cards and the three seen, what both have chosen so far, stacks, bank and debts, and of finished rounds
    everything."""
    has_raised = state.phase in ("swapping", "calling")
    return {
        "seat": seat,
        "round": len(state.finished) + (state.phase != "over"),
        "phase": state.phase,
        **_known(state, seat),
        "raises": list(state.raises) if has_raised else None,
        "swapper": state.swapper,
        "stacks": list(state.stacks),
        "bank": _bank(state),
        "debts": list(state.finished[-1].debts) if state.finished else [0, 0],
        "finished": [_shown(done) for done in state.finished],
    }


def _known(state: State, seat: Seat | None) -> dict[str, Json]:
    """The five cards that a seat sees while a round runs."""
    if seat is None or state.phase == "over":
        return {"cards": None, "seen": None}
    alpha, beta = _lying(state.deal, seat, state.swapper)
    return {"cards": {"alpha": alpha, "beta": beta}, "seen": _seen(state.deal, seat)}


def _shown(done: Done) -> dict[str, Json]:
    return {
        **_cards(done),
        "raises": list(done.raises),
        "swapper": done.swapper,
        "folded": list(done.folded),
        "debts": list(done.debts),
        "stacks": list(done.stacks),
    }


def standing(state: State) -> Standing:
    """By chips after the last payout; when both have none, by the smaller debt of that round."""
    debts = (0, 0) if any(state.stacks) else state.finished[-1].debts
    keys = [(chips, -debt) for chips, debt in zip(state.stacks, debts, strict=True)]
    return Standing(competition_ranks(keys), state.stacks)


def dump(state: State) -> Json:
    """Lists in the order of the state's fields."""
    return list(state[1:])


def load(data: Json, options: Options, seats: int) -> State:
    """The state of `dump`, read from JSON."""
    phase, deal, raises, swapper, stacks, finished = data
    return State(
        options,
        phase,
        tuple(deal),
        _pair(raises),
        swapper,
        _pair(stacks),
        tuple(
            Done(tuple(dealt), _pair(bets), by, (folded[0], folded[1]), _pair(left), _pair(debts))
            for dealt, bets, by, folded, left, debts in finished
        ),
    )


def _pair(values: list[int]) -> Pair:
    return values[0], values[1]
