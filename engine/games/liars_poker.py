"""Liar's Poker (rules/liars-poker.md): bids on the digits of all serial numbers, until all others challenge."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from engine.deal import Chance
from engine.errors import IllegalAction
from engine.games import fields
from engine.games.options import Choice, Option, Range
from engine.games.protocol import Event, Legal, Standing, Step, competition_ranks
from engine.types import Action, Json, Options, Seat

ID = "liars-poker"
TITLE = "Liar's Poker"
SUMMARY = "Bid on how often a digit occurs in everybody's secret serial numbers, until the others call your bluff."
RULES_VERSION = 1
SEATS = (2, 10)
MOVE_SECONDS = 259_200

ORDERS = {"zero-low": "0123456789", "zero-high": "1234567890", "ace-high": "2345678901"}
_ROUNDS = {2: 5, 3: 3, 4: 2}

OPTIONS: tuple[Option, ...] = (
    Range("digits", 4, 12, 8, "Digits of a serial number."),
    Choice("rank_order", tuple(ORDERS), "Which digit is the lowest and which the highest."),
    Choice("bidder_rebid", ("off", "once"), "Whether a bidder whom all have challenged may raise once a round."),
    Range("stake", 1, 1000, 1, "What each other seat pays or gets when a bid is settled."),
    Range("rounds", 1, lambda n: 50 // n, lambda n: _ROUNDS.get(n, 1), "Rounds of a match."),
    Choice("starter", ("rotate", "bidder", "loser"), "Who opens the next round."),
)

RULES = """\
Everybody holds a serial number that only its owner sees. In turn, bid how often a digit occurs in all serial numbers
together, or challenge the bid that stands.

- A bid must be higher than the last one: a larger count of any digit, or the same count of a higher digit.
- When everybody else has challenged the same bid, one after the other, all serial numbers are shown. A new bid clears
  the challenges.
- If the bid holds, its bidder takes one stake from each other player. If not, the bidder pays one to each.
- After the last round the most stakes win.

Let your time run out and you challenge; where you can't, you make the lowest bid.
"""

CHALLENGE: Action = {"type": "challenge"}
STAND: Action = {"type": "stand"}


class Bid(NamedTuple):
    """A bid, by its place among all bids of the match, and how many seats after the bidder have challenged it."""

    seat: Seat
    rank: int
    challenges: int


class Round(NamedTuple):
    """A settled round: the bid that was challenged, how often its digit was there, and the serials by seat."""

    bid: Bid
    found: int
    serials: tuple[str, ...]


class State(NamedTuple):
    """A match between two decisions. Who is asked follows from the last bid and its challenges."""

    options: Options
    seats: int
    round: int
    opener: Seat
    serials: tuple[str, ...]
    bids: tuple[Bid, ...]
    rebid: tuple[Seat, ...]
    """The seats that have used their extra bid in this round."""
    net: tuple[int, ...]
    settled: tuple[Round, ...]


@cache
def all_bids(rank_order: str, highest: int) -> tuple[Action, ...]:
    """Every bid up to a count of `highest`, from the lowest to the highest."""
    digits = [int(d) for d in ORDERS[rank_order]]
    return tuple({"type": "bid", "count": count, "digit": d} for count in range(1, highest + 1) for d in digits)


@cache
def _challenge_or_bid(rank_order: str, highest: int) -> tuple[Action, ...]:
    return (*all_bids(rank_order, highest), CHALLENGE)


@cache
def _stand_or_bid(rank_order: str, highest: int) -> tuple[Action, ...]:
    return (*all_bids(rank_order, highest), STAND)


def _table(state: State) -> tuple[str, int]:
    return state.options["rank_order"], state.options["digits"] * state.seats


def _bid(state: State, rank: int) -> Action:
    return all_bids(*_table(state))[rank]


def bound(options: Options, seats: int) -> int:
    """Each round has at most 10 × digits × seats bids, and each bid at most seats − 1 answers."""
    return int(options["rounds"] * 10 * options["digits"] * seats * seats)


def _deal(options: Options, seats: int, number: int, chance: Chance) -> tuple[str, ...]:
    def serial(seat: Seat) -> str:
        stream = chance(f"liars/round={number}/seat={seat}")
        return "".join(str(stream.below(10)) for _ in range(options["digits"]))

    return tuple(serial(seat) for seat in range(seats))


def new(options: Options, seats: int, chance: Chance) -> State:
    """The first decision: a drawn seat opens the first round."""
    opener = chance("liars/first").below(seats)
    return State(options, seats, 1, opener, _deal(options, seats, 1, chance), (), (), (0,) * seats, ())


def _is_asked_again(state: State) -> bool:
    return bool(state.bids) and state.bids[-1].challenges == state.seats - 1


def pending(state: State) -> tuple[Seat, ...]:
    """The seat after the last bid and its challenges; the bidder, when all others have challenged."""
    if not state.serials:
        return ()
    if not state.bids:
        return (state.opener,)
    last = state.bids[-1]
    if last.challenges == state.seats - 1:
        return (last.seat,)
    return ((last.seat + 1 + last.challenges) % state.seats,)


def legal_actions(state: State, seat: Seat) -> Legal:
    """All higher bids, and the challenge of the standing bid (or, asked again, to stand by it)."""
    if seat not in pending(state):
        return Legal()
    if not state.bids:
        return Legal(all_bids(*_table(state)))
    choices = _stand_or_bid if _is_asked_again(state) else _challenge_or_bid
    return Legal(choices(*_table(state))[state.bids[-1].rank + 1 :])


def check(state: State, seat: Seat, action: Action) -> Action:
    """A bid higher than the standing one, or an answer to it. Raises `IllegalAction`."""
    answer = "stand" if _is_asked_again(state) else "challenge"
    if fields.kind(action, ("bid", answer) if state.bids else ("bid",)) == answer:
        fields.exactly(action)
        return action
    fields.exactly(action, "count", "digit")
    rank = _rank(state, action)
    if state.bids and rank <= state.bids[-1].rank:
        standing = _bid(state, state.bids[-1].rank)
        raise IllegalAction(
            f"a bid must be higher than {standing['count']} × {standing['digit']}: "
            "a larger count, or the same count of a higher digit"
        )
    return action


def _rank(state: State, bid: Action) -> int:
    rank_order, highest = _table(state)
    count = fields.integer(bid, "count", 1, highest)
    digit = fields.integer(bid, "digit", 0, 9)
    return (count - 1) * 10 + ORDERS[rank_order].index(str(digit))


def missed_action(state: State, seat: Seat) -> Action:
    """The challenge (asked again: to stand), else the lowest bid."""
    if not state.bids:
        return _bid(state, 0)
    return STAND if _is_asked_again(state) else CHALLENGE


def resolve(state: State, choices: Mapping[Seat, Action], chance: Chance) -> Step[State]:
    """A bid stands until the others answer; when all have challenged it, the round is settled."""
    ((seat, action),) = choices.items()
    if action["type"] == "bid":
        event = Event("bid", seat, {"count": action["count"], "digit": action["digit"]})
        rebid = (*state.rebid, seat) if _is_asked_again(state) else state.rebid
        bids = (*state.bids, Bid(seat, _rank(state, action), 0))
        return Step(state._replace(bids=bids, rebid=rebid), (event,))
    event = Event(action["type"], seat)
    if action["type"] == "challenge":
        last = state.bids[-1]
        last = last._replace(challenges=last.challenges + 1)
        state = state._replace(bids=(*state.bids[:-1], last))
        if last.challenges < state.seats - 1 or _may_rebid(state, last):
            return Step(state, (event,))
    state, settlement = _settle(state, chance)
    return Step(state, (event, settlement))


def _may_rebid(state: State, last: Bid) -> bool:
    return (
        state.options["bidder_rebid"] == "once"
        and state.seats >= 3
        and last.seat not in state.rebid
        and last.rank + 1 < 10 * state.options["digits"] * state.seats
    )


def _settle(state: State, chance: Chance) -> tuple[State, Event]:
    last = state.bids[-1]
    bid = _bid(state, last.rank)
    found = "".join(state.serials).count(str(bid["digit"]))
    holds = found >= bid["count"]
    stake = state.options["stake"] if holds else -state.options["stake"]
    change = tuple(stake * (state.seats - 1) if seat == last.seat else -stake for seat in range(state.seats))
    net = tuple(map(sum, zip(state.net, change, strict=True)))
    settled = (*state.settled, Round(last, found, state.serials))
    over = state.round == state.options["rounds"]
    number = state.round if over else state.round + 1
    serials = () if over else _deal(state.options, state.seats, number, chance)
    opener = _next_opener(state, last, holds)
    event = Event(
        "settled",
        None,
        {"round": state.round, "bidder": last.seat, "found": found, "holds": holds, "net": list(change)}
        | {"serials": list(state.serials)},
    )
    return State(state.options, state.seats, number, opener, serials, (), (), net, settled), event


def _next_opener(state: State, last: Bid, holds: bool) -> Seat:
    match state.options["starter"]:
        case "rotate":
            return (state.opener + 1) % state.seats
        case "loser" if holds:
            return (last.seat - 1) % state.seats
        case _:
            return last.seat


def view(state: State, seat: Seat | None) -> dict[str, Json]:
    """The own serial, the bids and challenges of the running round, stakes, and the serials of settled rounds.

    The bids of settled rounds are in the match's log.
    """
    return {
        "seat": seat,
        "round": state.round,
        "rounds": state.options["rounds"],
        "opener": state.opener,
        "serial": state.serials[seat] if seat is not None and state.serials else None,
        "bids": [_shown(state, bid) for bid in state.bids],
        "asked_again": _is_asked_again(state),
        "rebid": list(state.rebid),
        "net": list(state.net),
        "settled": [
            {
                "round": number,
                "serials": list(done.serials),
                "bid": _shown(state, done.bid),
                "found": done.found,
                "holds": done.found >= _bid(state, done.bid.rank)["count"],
            }
            for number, done in enumerate(state.settled, 1)
        ],
    }


def _shown(state: State, bid: Bid) -> dict[str, Json]:
    action = _bid(state, bid.rank)
    challengers = [(bid.seat + 1 + i) % state.seats for i in range(bid.challenges)]
    return {"seat": bid.seat, "count": action["count"], "digit": action["digit"], "challenged_by": challengers}


def standing(state: State) -> Standing:
    """By stakes won in settled rounds; equal stakes share a rank."""
    return Standing(competition_ranks(state.net), state.net)


def dump(state: State) -> Json:
    """Lists in the order of the state's fields."""
    return list(state[2:])


def load(data: Json, options: Options, seats: int) -> State:
    """The state of `dump`, read from JSON."""
    number, opener, serials, bids, rebid, net, settled = data
    return State(
        options,
        seats,
        number,
        opener,
        tuple(serials),
        tuple(Bid(*bid) for bid in bids),
        tuple(rebid),
        tuple(net),
        tuple(Round(Bid(*bid), found, tuple(shown)) for bid, found, shown in settled),
    )
