"""Whatever is changed in a proof is found and named."""

import json
from random import Random
from typing import Any

import pytest

from engine.proof import CHECKSUMS, LISTS
from engine.proof_form import Disproved, read
from engine.verify import verify
from tests.verify.changes import Change, is_named, leaves, structures
from tests.verify.proofs import by_node, fault, forged, needs_node, of_each_game, proof, timed

every_game = pytest.mark.parametrize("name", of_each_game())


def all_changes(name: str) -> list[Change]:
    return [*leaves(proof(name)), *structures(proof(name))]


def changes(name: str) -> list[Change]:
    """Those of the fields, of the first action and event of each kind, and of the last ones."""
    telling = {of: _telling(proof(name)[of]) for of in LISTS}
    found = []
    for change in all_changes(name):
        of, *more = change.path[change.path[:1] == (CHECKSUMS,) :] or ("",)
        if of not in telling or not more or more[0] in telling[str(of)]:
            found.append(change)
    return found


def _telling(listed: list[Any]) -> set[int]:
    kinds = [(one.get("type"), one.get("by"), one.get("action", {}).get("type")) for one in listed]
    return {*map(kinds.index, kinds), len(listed) - 1}


def unnoticed(found: list[Change]) -> list[str]:
    return [f"{one}: {where!r}" for one in found if not is_named(where := fault(one.proof), one.path)]


@every_game
def test_a_field_that_is_changed_or_dropped_and_an_unknown_one_are_found_and_named(name: str) -> None:
    assert unnoticed(changes(name)) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted({*of_each_game(), *timed()}))
def test_any_change_at_all_is_found_and_named(name: str) -> None:
    assert unnoticed(all_changes(name)) == []


@pytest.mark.parametrize("name", timed())
def test_a_change_of_an_event_is_found_and_named(name: str) -> None:
    assert unnoticed([change for change in changes(name) if change.path[:1] == ("events",)]) == []


def no_changed_byte_passes(name: str, places: int) -> None:
    text = json.dumps(proof(name), separators=(",", ":")).encode()
    rng = Random(name)
    for place in range(0, len(text), max(1, len(text) // places)):
        other = rng.choice([byte for byte in b' 0123456789abcdefXT,:"{}[].-nul\xc3' if byte != text[place]])
        changed = text[:place] + bytes([other]) + text[place + 1 :]
        with pytest.raises(Disproved):
            verify(read(changed))


@every_game
def test_one_byte_that_is_changed_is_found(name: str) -> None:
    no_changed_byte_passes(name, 500)


@pytest.mark.soak
@every_game
def test_one_byte_that_is_changed_anywhere_is_found(name: str) -> None:
    no_changed_byte_passes(name, 1_000_000)


MAY_BE = ("clock", "events", "started_at", "nonces")
"""Where a change can make another match that could have been; and so can another action, or another moment of it."""


def could_have_been(change: Change) -> bool:
    return change.path[0] in MAY_BE or change.path[2:3] in (("action",), ("at",))


def fabricated(name: str) -> list[Change]:
    """A part of the changes, with checksums that fit."""
    some = [change for change in changes(name)[::2] if type(change.proof) is dict and "checksums" not in change.path]
    return [change._replace(proof=forged(change.proof)) for change in some if has_fields(change)]


def has_fields(change: Change) -> bool:
    return len(change.path) > 1 or change.how not in ("is missing", "has one more field", "is no list")


@every_game
def test_with_fitting_checksums_too_the_rules_find_a_change_unless_it_tells_of_a_match_that_could_have_been(
    name: str,
) -> None:
    missed = [change for change in fabricated(name) if not fault(change.proof)]
    assert [str(change) for change in missed if not could_have_been(change)] == []


LEFT_OUT = ("clock", "events", "started_at", "ended_at", "bots")
"""What the second verifier takes as it is (see its head), and a seat twice in the list of bots."""


def is_left_out(change: Change) -> bool:
    is_a_number_to_it = "." in change.how.split(" (")[0]  # 1.0 is 1 in JavaScript
    return change.path[0] in LEFT_OUT or "at" in change.path or is_a_number_to_it


@needs_node
@every_game
def test_the_second_verifier_finds_a_change_where_the_first_one_does(name: str) -> None:
    found = [change for change in changes(name) if "." not in change.how.split(" (")[0]]
    answers = by_node([change.proof for change in found])
    assert [str(change) for change, answer in zip(found, answers, strict=True) if answer == "holds"] == []


@needs_node
@every_game
def test_the_second_verifier_judges_changes_with_fitting_checksums_as_the_first_one_does(name: str) -> None:
    found = [change for change in fabricated(name) if not is_left_out(change)]
    answers = by_node([change.proof for change in found])
    holds = [not fault(change.proof) for change in found]
    unlike = [str(c) for c, one, answer in zip(found, holds, answers, strict=True) if one != (answer == "holds")]
    assert unlike == []
    assert not all(holds)
