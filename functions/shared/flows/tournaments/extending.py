"""Outages of ours: the deadline of a pairing that was being played moves by as long as one took."""

from engine.clock import Pause
from functions.shared.flows.tournaments import life
from functions.shared.flows.tournaments.moves import ATTEMPTS, rest
from functions.shared.store.ports import ConflictError, Services
from functions.shared.store.records_tournament import Change


def extend(services: Services, where: str, outage: Pause) -> None:
    """Writes a declared outage into an open pairing, once; `where` is as the due index names it, less `TRN#`.

    A deadline before the outage was not touched by it. Raises `ConflictError` when others keep getting in between.
    """
    tournament, _, text = where.partition("|")
    if not text:
        return
    key = life.key_of(text)
    for attempt in range(ATTEMPTS):
        pairing = services.tournaments.pairings(tournament, [key]).get(key)
        if pairing is None or not life.is_open(pairing.pairing) or outage.id in pairing.outages:
            return
        lost = outage.end - max(outage.start, pairing.since)
        if lost <= 0 or pairing.deadline <= outage.start:
            return
        deadline = pairing.deadline + lost
        due = deadline if pairing.due == pairing.deadline else pairing.due
        after = pairing._replace(deadline=deadline, due=due, outages=(*pairing.outages, outage.id))
        try:
            services.tournaments.commit(Change(tournament, pairings=(after,)))
        except ConflictError:
            rest(services, attempt)
            continue
        return
    raise ConflictError(where)
