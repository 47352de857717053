"""Values that can't occur by chance, planted wherever a match hides something; and who may know each of them.

A game's hidden cards are told apart by this page alone: a game that it does not know fails the suite.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from engine.games.half_deck_poker import State as HalfDeck
from engine.games.liars_poker import State as Liars
from engine.games.misfortune import State as Misfortune
from engine.match import play
from engine.match.record import Match, rules, sitters
from engine.types import Seat
from functions.shared.store.records import MatchRecord
from tests.leaks import event
from tests.leaks.scenes import record_of, seal
from tests.leaks.stage import PLAYERS, STRANGER


class Canary(NamedTuple):
    """A text that must reach nobody but some seats."""

    place: str
    text: str
    seats: tuple[Seat, ...] = ()


class Planted(NamedTuple):
    """A record full of canaries."""

    record: MatchRecord
    canaries: tuple[Canary, ...]


def half_deck_poker(state: HalfDeck) -> tuple[Any, list[Canary]]:
    """Ten cards of twelve digits: two and three for each seat."""
    deal = tuple(710_310_900_331 + 7 * number for number in range(10))
    holders = (0, 0, 1, 1, 0, 0, 0, 1, 1, 1)
    found = [Canary("a card", str(card), (holder,)) for card, holder in zip(deal, holders, strict=True)]
    return state._replace(deal=deal), found


def liars_poker(state: Liars) -> tuple[Any, list[Canary]]:
    """Serials that no bid and no time contains."""
    serials = tuple(f"{90_817_263 + 11_111 * seat}"[: state.options["digits"]] for seat in range(state.seats))
    return state._replace(serials=serials), [Canary("a serial", s, (seat,)) for seat, s in enumerate(serials)]


def misfortune(state: Misfortune) -> tuple[Any, list[Canary]]:
    """The cards that lie face down get longer names; the hands are public but for those."""
    lying = state.played[-1]
    assert set(lying.claims) == {"higher", "lower"}
    cards = cast(tuple[str, str], tuple(f"{card}-facedown{seat}" for seat, card in enumerate(lying.cards)))
    found = [Canary("a card that lies face down", card, (seat,)) for seat, card in enumerate(cards)]
    hands = [Canary("a card in hand", f'"{card}"', (seat,)) for seat in (0, 1) for card in state.hands[seat]]
    return state._replace(played=(*state.played[:-1], lying._replace(cards=cards))), found + hands


def micro_poker(state: Any) -> tuple[Any, list[Canary]]:
    """Every card of the deck, of a bank and of the hands is one: strangers know each other's."""
    strangers = tuple(seat for seat in range(state.seats) if seat != state.tourist)
    table = state.table
    found = [Canary("a card in the deck", f'"{card}"') for card in table.deck]
    found += [Canary("a card in a bank", f'"{card}"') for bank in table.banks for card in bank]
    for seat, hand in enumerate(table.hands):
        known = (seat,) if seat == state.tourist else strangers
        found += [Canary(f"a card of seat {seat}", f'"{card}"', known) for card in hand]
    return state, found


PLANTS: Mapping[str, Callable[[Any], tuple[Any, list[Canary]]]] = {
    "half-deck-poker": half_deck_poker,
    "liars-poker": liars_poker,
    "micro-poker": micro_poker,
    "misfortune": misfortune,
}


def planted(match: Match) -> Planted:
    """The match with canaries in its state, its choices, its log and all around; its last asked seat has not chosen."""
    assert match.game in PLANTS, f"tests/leaks/canaries.py does not say what {match.game} hides"
    state, cards = PLANTS[match.game](match.state)
    public = json.dumps([entry.data for entry in match.log])
    canaries = [card for card in cards if card.text not in public]
    match = match._replace(state=state)
    *early, _ = play.asked(match)
    for seat in early:
        match = seal(match, seat, rules(match).legal_actions(match.state, seat).actions[0], 1000 + seat)
    match, more = _choices(match)
    match, others = _around(match)
    record = record_of(match)._replace(private=False, join_code="CANARYJOINCODE01", invited=(STRANGER.id,))
    door = [
        Canary("the join code", record.join_code, tuple(range(len(match.seats)))),
        Canary("who is invited", STRANGER.id),
    ]
    return Planted(record, (*canaries, *more, *others, *door, *secrets()))


def _choices(match: Match) -> tuple[Match, list[Canary]]:
    seals = tuple(
        sealed._replace(
            action={**sealed.action, "canary": f"canary-choice-of-{sealed.seat}"}, key=f"canarymark{sealed.seat}"
        )
        for sealed in match.seals
    )
    found = [Canary("a sealed choice", f"canary-choice-of-{sealed.seat}") for sealed in seals]
    found += [Canary("a mark of a request", sealed.key) for sealed in seals]
    return match._replace(seals=seals), found


def _around(match: Match) -> tuple[Match, list[Canary]]:
    key = bytes(range(200, 232))
    nonces = [bytes([170 + seat]) * 24 for seat in range(len(match.seats))]
    seats = tuple(s._replace(nonce=nonces[seat].hex()) for seat, s in enumerate(sitters(match)))
    log = tuple(
        entry._replace(
            key=f"canarymarkofevent{number}",
            committed=1_357_924_680_000 + number if entry.move else 0,
            secret={"cards": [f"canary-told-to-seat-1-{number}"]},
            to=(1,),
            brief={"faded": f"canary-forgotten-{number}"} if entry.turn + 1 < match.turn else {},
        )
        for number, entry in enumerate(match.log)
    )
    found = [Canary("a nonce", text) for nonce in nonces for text in _written(nonce)]
    found += [Canary("the secret key", text) for text in _written(key)]
    found += [Canary("a mark of a request", "canarymarkofevent"), Canary("a moment of sealing", "13579246")]
    found += [Canary("a secret of an event", "canary-told-to-seat-1", (1,)), Canary("a memory", "canary-forgotten")]
    return match._replace(key=key.hex(), seats=seats, log=log), found


def secrets() -> Iterator[Canary]:
    """What no answer and no line ever shows again."""
    for player in PLAYERS:
        for secret in (player.token, player.recovery_code):
            for text in _written(secret.encode()):
                yield Canary("a token or a recovery code", text)
            yield Canary("a token or a recovery code", secret)
    for text in (*_written(event.KEY), *_written(event.NONCE), event.CODE):
        yield Canary("a secret of a tournament", text)


def _written(data: bytes) -> Iterator[str]:
    """How bytes could be written."""
    yield data.hex()
    yield data.hex().upper()
    yield base64.b64encode(data).decode().rstrip("=")
    yield base64.urlsafe_b64encode(data).decode().rstrip("=")
