"""How a result spreads: each pairing tells its followers what they have to know, and they theirs."""

from collections.abc import Iterable, MutableMapping

from engine.tournament import course
from engine.tournament.format import Format
from engine.tournament.protocol import Event, Flow, Key, Lookup, Pairing, Topology


def told(rules: Format, topology: Topology, pairing: Pairing, flow: Flow) -> Pairing:
    """A follower that knows what `flow` says. It is owed when its own followers have to know more than before."""
    changed = course.seated(rules, topology.settings, pairing, flow.at, flow.side)
    if changed is pairing:
        return pairing
    if not any(map(course.is_known, changed.sides)):
        changed = changed._replace(status=rules.blank(topology, pairing.key).status)
    return marked(rules, topology, pairing, changed)


def marked(rules: Format, topology: Topology, before: Pairing, after: Pairing) -> Pairing:
    """The pairing after a change, owed when its followers do not show what it says now."""
    if before.result is None or after.result is None:
        differs = before.result is not after.result
    else:
        differs = rules.flows(topology, before) != rules.flows(topology, after)
    return after._replace(owed=True) if differs and not after.owed else after


def step(
    rules: Format, topology: Topology, pairing: Pairing, event: Event | None, lookup: Lookup
) -> tuple[Pairing, ...]:
    """What an event (None: what the pairing owes) changes in it and in its direct followers; the pairing first."""
    changed = pairing
    if event is not None:
        changed = marked(rules, topology, pairing, course.after(rules, topology.settings, pairing, event))
    found: dict[Key, Pairing] = {}
    if changed.owed:
        for flow in rules.flows(topology, changed):
            follower = found.get(flow.key) or lookup(flow.key) or rules.blank(topology, flow.key)
            after = told(rules, topology, follower, flow)
            if after is not follower:
                found[flow.key] = after
        changed = changed._replace(owed=False)
    return (*((changed,) if changed != pairing else ()), *found.values())


def spread(
    rules: Format, topology: Topology, known: MutableMapping[Key, Pairing], owed: Iterable[Key], lookup: Lookup
) -> None:
    """Carries on whatever is owed, until nothing is, and writes the changed pairings to `known`, which comes before
    `lookup`."""
    waiting = list(owed)
    while waiting:
        pairing = known[waiting.pop()]
        for changed in step(rules, topology, pairing, None, lambda key: known.get(key) or lookup(key)):
            known[changed.key] = changed
            if changed.owed:
                waiting.append(changed.key)
