"""A match at which only its players look, when they ask for something: the flows over a store that is a variable."""

from engine.match.record import Match, Status
from functions.shared.flows import absence, play
from functions.shared.flows.marks import Key
from functions.shared.store.ports import Services
from functions.shared.store.records import MatchRecord
from tests.faults.month_events import Asked, Away, Back, Declared, Event, Looked
from tests.faults.month_plan import Plan
from tests.faults.month_stories import Story, request
from tests.faults.month_variable import Matches, Players, services_over
from tests.faults.world import START

END_OF_TIME = START * 2


def unwatched(plan: Plan, story: Story) -> Match:
    """How the match ends, time being noticed as late as it can be. The requests are answered as in its story."""
    matches = Matches(story.created)
    services = services_over(matches, Players(plan, story.table.at))
    for event, expected in story.events:
        assert _happen(services, matches, event) == expected, f"table {story.table.number}: {event}"
    record = story.created
    while record.match.status in (Status.OPEN, Status.ACTIVE):
        record = play.current(services, _stored(matches), END_OF_TIME)
    return record.match


def _happen(services: Services, matches: Matches, event: Event) -> str:
    match event:
        case Asked():
            return request(services, _stored(matches).match.id, event)
        case Away(at, away):
            absence.begin_vacation(services, away.player, away.days, Key(away.player, "", "", is_given=False), at)
        case Back(at, away):
            absence.end_vacation(services, away.player, at)
        case Declared(at, outage):
            for _ in range(2):
                absence.declare_outage(services, f"{outage.start}-{outage.end}", outage.start, outage.end, at)
        case Looked(at):
            play.current(services, _stored(matches), at)
    return ""


def _stored(matches: Matches) -> MatchRecord:
    assert matches.record is not None
    return matches.record
