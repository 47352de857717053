"""A match in sentences, from its published log: what a spectator could have followed."""

from collections.abc import Callable, Sequence
from typing import Any

Event = dict[str, Any]

_SENTENCES: dict[str, Callable[[Event], str]] = {
    "started": lambda e: "The match starts.",
    "finished": lambda e: f"The match is over ({e['reason']}).",
    "aborted": lambda e: "The match is aborted.",
    "joined": lambda e: "sits down.",
    "unseated": lambda e: "gives up the seat.",
    "resign": lambda e: "resigns.",
    "left": lambda e: f"is out: {e['reason']}.",
    # Liar's Poker
    "bid": lambda e: f"bids {e['count']} × {e['digit']}.",
    "challenge": lambda e: "challenges.",
    "stand": lambda e: "stands by the bid.",
    "settled": lambda e: (
        f"Round {e['round']} is settled: {e['found']} were there, the bid {'holds' if e['holds'] else 'was a bluff'}. "
        f"Serials {' '.join(e['serials'])}, stakes {e['net']}."
    ),
    # Misfortune
    "play": lambda e: f"claims {e['claim']}.",
    "agreement": lambda e: f"Agreement: {e['face_down']} cards lie face down.",
    "conflict": lambda e: f"Conflict: {_pairs(e)} are shown, and taken {e['taken']}.",
    "prayer": lambda e: f"A fool's prayer: {_pairs(e)} are shown.",
    "leftover": lambda e: f"Left over: {_pairs(e)}, taken {e['taken']}.",
    # Half-Deck Poker
    "raise": lambda e: f"raises {e['chips']}.",
    "swap": lambda e: "swaps." if e["swap"] else "does not swap.",
    "call": lambda e: "calls.",
    "fold": lambda e: "folds.",
    "payout": lambda e: f"Payout: the stacks are {e['stacks']}.",
    # Micro Poker
    "turn": lambda e: f"is the tourist of turn {e['number']}; {e['deck']} cards are in the deck.",
    "hand": lambda e: "",
    "declare": lambda e: f"declares {e['hand']}{_remarks(e)}.",
    "trust": lambda e: f"trusts seat {e['chosen']}.",
    "accuse": lambda e: f"accuses seat {e['chosen']}.",
    "pass": lambda e: "lets the time run out.",
    "shown": lambda e: f"shows {' '.join(e['cards'])}: {e['role']}, {'lying' if e['lying'] else 'telling the truth'}.",
    "banked": lambda e: f"banks {e['cards']} from the {e['from']}.",
    "fined": lambda e: "loses a banked card.",
    "ended": lambda e: f"The game ends: {e['reason']}.",
}


def sentences(events: Sequence[Event], names: Sequence[str]) -> list[str]:
    """A line for each event, with the names of the seats. An event that has no sentence is told by its type."""
    told = []
    for event in events:
        tell = _SENTENCES.get(event["type"])
        text = f"{event['type']}." if tell is None else tell(event)
        if text:
            told.append(text if event["seat"] is None else f"{names[event['seat']]} {text}")
    return told


def _pairs(event: Event) -> str:
    return ", ".join(" ".join(pair) for pair in event.get("cards", [])) or "the cards"


def _remarks(event: Event) -> str:
    remarks = event.get("remarks") or []
    return "".join(f", seat {remark['seat']} has {remark['hand']}" for remark in remarks)
