"""An organizer's rulings: an open pairing is settled, a settled one overturned (tournaments.md, "Rulings")."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from engine.errors import Code, Refused
from engine.games.protocol import competition_ranks
from engine.tournament import advance, course, find, follow, following, ordinal, series
from engine.tournament.protocol import Event, Key, Lookup, Pairing, Pairings, Player, Ruled, Status, Topology, Withdrawn


class Impact(NamedTuple):
    """The followers that a ruling would undo, by how far they have come."""

    open: tuple[Key, ...] = ()
    """No match has begun; these include walkovers."""
    playing: tuple[Key, ...] = ()
    played: tuple[Key, ...] = ()

    @property
    def begun(self) -> tuple[Key, ...]:
        """Those that need `cascade`."""
        return self.playing + self.played


def impact(
    topology: Topology,
    pairing: Pairing,
    ranks: tuple[int, ...],
    lookup: Lookup,
    later: Iterable[Pairing] = (),
    withdrawn: Collection[Player] = (),
) -> Impact:
    """What a ruling would undo: the dry run of `rule`, which it refuses alike."""
    return _impact(_before_and_after(topology, pairing, ranks, lookup, later, withdrawn)[1:])


def rule(
    topology: Topology,
    pairing: Pairing,
    ranks: tuple[int, ...],
    lookup: Lookup,
    later: Iterable[Pairing] = (),
    cascade: bool = False,
    withdrawn: Collection[Player] = (),
) -> tuple[Pairing, ...]:
    """All pairings that a ruling changes, the pairing itself first, to be written in one conditional act.

    `ranks` are by side: 1, 2, 2, 4; of two sides also (2, 2), which puts both out; (1, 1) only where a pairing may be
    drawn. `lookup` gives what is stored of any pairing. `later` are the pairings of later rounds, where rounds depend
    on the results before them (heats): they become void, and the next round is to be made anew by `next_round`.
    `withdrawn` are those who withdrew while no pairing of theirs was open: wherever the ruling puts them, they lose
    without play, as do those who withdrew in a pairing that it undoes.

    Raises `Refused`: invalid-request for ranks that are impossible, conflict for a pairing that has nobody to rule on,
    and conflict when followers have begun that would be undone and `cascade` is not given.
    """
    changes = _before_and_after(topology, pairing, ranks, lookup, later, withdrawn)
    begun = _impact(changes[1:]).begun
    if begun and not cascade:
        names = ", ".join(map(str, begun))
        raise Refused(Code.CONFLICT, f"this would undo pairings that have begun: {names}", ("cascade",))
    return tuple(after for before, after in changes if before != after)


def reach(topology: Topology, key: Key) -> tuple[Key, ...]:
    """All pairings of a bracket that a ruling on one may touch, itself first, each after those that it takes its sides
    from: up to 145 of 10,000 entrants. Itself alone where rounds are made one after the other."""
    found, waiting = {key}, [key]
    while waiting:
        new = set(following(topology, waiting.pop())) - found
        found |= new
        waiting += new
    return tuple(sorted(found, key=lambda one: (ordinal(topology, one), one)))


def begin(
    topology: Topology,
    pairing: Pairing,
    ranks: tuple[int, ...],
    followers: Pairings,
    withdrawn: Collection[Player] = (),
) -> tuple[Pairing, ...]:
    """What of a ruling comes first, where `rule` gives more pairings than can be written at once: the pairing and its
    followers, of which `followers` holds what is stored.

    The others of `reach` are to be brought on in that order: each by `Withdrawn` for those of its sides who have
    withdrawn, as long as it is open, then by None for what it owes. That leads to what `rule` gives.
    """
    return advance(topology, _marked(pairing, withdrawn), Ruled(ranks), followers)


def _before_and_after(
    topology: Topology,
    pairing: Pairing,
    ranks: tuple[int, ...],
    lookup: Lookup,
    later: Iterable[Pairing],
    withdrawn: Collection[Player],
) -> list[tuple[Pairing, Pairing]]:
    """The pairing itself, then everything else that changes."""
    _require_possible(topology, pairing, ranks)
    blank = find(topology.format).blank
    changed = _followed(topology, pairing, Ruled(ranks), lookup)
    before = {key: lookup(key) or blank(topology, key) for key in changed if key != pairing.key}
    gone = {*withdrawn, *(side.player for old in before.values() for side in old.sides if side.withdrew)}
    if before and gone:
        changed = _without(gone, topology, pairing, ranks, lookup)
    ruled = changed.pop(pairing.key, pairing)
    found = [(pairing, ruled), *((lookup(key) or blank(topology, key), after) for key, after in changed.items())]
    if find(topology.format).REBUILDS and _standing(pairing) != _standing(ruled):
        live = [old for old in later if old.status is not Status.VOID]
        if any(old.key.round <= pairing.key.round for old in live):
            raise ValueError("a pairing of this round or an earlier one does not follow")
        found += [(old, course.voided(old)) for old in live]
    return found


def _followed(topology: Topology, pairing: Pairing, event: Event, lookup: Lookup) -> dict[Key, Pairing]:
    return {after.key: after for after in follow(topology, pairing, event, lookup)}


def _marked(pairing: Pairing, gone: Collection[Player]) -> Pairing:
    sides = tuple(side._replace(withdrew=side.withdrew or side.player in gone) for side in pairing.sides)
    return pairing._replace(sides=sides)


def _without(
    gone: set[Player], topology: Topology, pairing: Pairing, ranks: tuple[int, ...], lookup: Lookup
) -> dict[Key, Pairing]:
    """What a ruling changes when these players have withdrawn: wherever it puts them, they lose without play."""
    changed = _followed(topology, _marked(pairing, gone), Ruled(ranks), lookup)

    def known(key: Key) -> Pairing | None:
        return changed.get(key) or lookup(key)

    waiting = list(changed)
    while waiting:
        after = changed[waiting.pop()]
        for side in after.sides:
            if side.player in gone and not series.is_out(side) and not course.is_done(after):
                new = _followed(topology, changed[after.key], Withdrawn(side.player), known)
                changed |= new
                waiting += new
    return changed


def _standing(pairing: Pairing) -> tuple[tuple[int, ...], tuple[bool, ...]] | None:
    """What later rounds may depend on."""
    return None if pairing.result is None else (pairing.result.ranks, pairing.result.out)


def _impact(changes: list[tuple[Pairing, Pairing]]) -> Impact:
    found: dict[str, list[Key]] = {"open": [], "playing": [], "played": []}
    for before, after in changes:
        undone = [
            old for old in series.live(before) if any(new.number == old.number and new.void for new in after.games)
        ]
        if before.result is not None and any(game.end for game in undone):
            found["played"].append(before.key)
        elif any(game.started for game in undone):
            found["playing"].append(before.key)
        elif any(side.player for side in before.sides):
            found["open"].append(before.key)
    return Impact(*(tuple(sorted(keys)) for keys in found.values()))


def _require_possible(topology: Topology, pairing: Pairing, ranks: tuple[int, ...]) -> None:
    rules = find(topology.format)
    if pairing.status is Status.VOID or not all(side.player for side in pairing.sides):
        raise Refused(Code.CONFLICT, f"pairing {pairing.key} is {pairing.status}: a ruling needs a player on each side")
    if rules.TABLES:
        size = len(pairing.sides)
        if len(ranks) != size or ranks != competition_ranks([-rank for rank in ranks]):
            raise Refused(Code.INVALID_REQUEST, f"must be {size} ranks such as 1, 2, 2, 4, by side", ("ranks",))
        return
    legal = [series.FIRST, series.SECOND, series.NOBODY_WON, *([] if rules.KNOCK_OUT else [series.DRAW])]
    if ranks not in legal:
        raise Refused(Code.INVALID_REQUEST, "must be one of " + ", ".join(str(list(r)) for r in legal), ("ranks",))
