"""What a seat may know of a match of Micro Poker (rules/micro-poker.md, "Views")."""

from engine.games.micro_claims import claims, parts, remarks, truth, written
from engine.games.micro_hands import role
from engine.games.micro_state import State, strangers_of, true_claims
from engine.types import Json, Seat


def view(state: State, seat: Seat | None) -> dict[str, Json]:
    """The own cards, what has been declared, and how many cards lie in the deck and in each bank.

    A stranger sees in `strangers` the hands of all, the card drawn last at the end, with role and true claim, for as
    long as it is one. `remarks` is there while a free stranger declares: those that it may add to a true declaration
    (`honest`) and to a false one (`lying`), at most one a seat. What was shown of a finished turn is in the match's
    log. The cards in the banks are shown once the match is over.
    """
    strangers = strangers_of(state.tourist, state.seats)
    phase = "over" if state.ended else "decision" if state.declared else "declarations"
    is_stranger = seat is not None and seat != state.tourist and not state.ended
    return {
        "seat": seat,
        "options": dict(state.options),
        "turn": state.turn,
        "phase": phase,
        "tourist": state.tourist,
        "deck": len(state.table.deck),
        "banks": [len(bank) for bank in state.table.banks],
        "cards": None if seat is None else list(state.table.hands[seat]),
        "strangers": [_open(state, stranger) for stranger in strangers] if is_stranger else None,
        "remarks": None if seat is None or phase != "declarations" else _free_remarks(state, seat),
        "declarations": [
            {"seat": stranger, **parts(written(state.options["declaration"], said))}
            for stranger, said in zip(strangers, state.declared, strict=False)
        ],
        "ended": state.ended or None,
        "banked": [list(bank) for bank in state.table.banks] if state.ended else None,
    }


def _open(state: State, stranger: Seat) -> dict[str, Json]:
    hand = state.table.hands[stranger]
    best = claims(state.options["declaration"])[truth(state.options, hand)]
    return {"seat": stranger, "cards": list(hand), "role": role(hand), "best": dict(best)}


def _free_remarks(state: State, seat: Seat) -> dict[str, Json] | None:
    is_free = seat != state.tourist and role(state.table.hands[seat]) == "free"
    if not is_free or state.options["table_talk"] == "none":
        return None
    declaration, truths = state.options["declaration"], true_claims(state, seat)
    return {"honest": remarks(declaration, truths, True), "lying": remarks(declaration, truths, False)}
