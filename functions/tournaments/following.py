"""Routes that show tournaments."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from engine.games import IDS
from engine.tournament.protocol import Shape
from functions.shared.flows.tournaments import reading
from functions.shared.flows.tournaments.life import Status
from functions.shared.flows.tournaments.reading import BracketRound
from functions.shared.http import cursors
from functions.shared.http.answer import Answer, Items
from functions.shared.http.request import Request, flag, limit, number, one_of, params, require
from functions.shared.problems import Problem, invalid, not_found
from functions.shared.render import tournament as render
from functions.shared.render import tournament_bracket, tournament_standings
from functions.shared.store.records import Scope
from functions.shared.store.records_tournament import TournamentRecord
from functions.tournaments.common import READING, app, names_of, readable, shown

WHOLE = 512
"""Up to so many entrants a bracket is shown whole; beyond, a page has so many pairings of one round at most."""

MOST_ROUNDS = 1000


@app.route(
    "GET",
    "/v1/tournaments",
    token=False,
    answers={200: Items[render.TournamentHead]},
    query={
        "status": "announced, registration, check-in, running, finished or cancelled; without it: before their start",
        "game": "the id of a game",
        "mine": "true: only those that you have entered or organize, in any status",
        **cursors.PAGE,
    },
    problems=(Problem.FORBIDDEN,),
)
def find(request: Request) -> Answer:
    """List tournaments: the next to start first; those that have started, or yours, the newest first."""
    if params(request).get("mine") == "true":
        _ = request.caller
    require(request, Scope.READ)
    status, game = one_of(request, "status", Status), one_of(request, "game", IDS)
    player = request.player if flag(request, "mine") else None
    wanted = reading.Wanted(None if status is None else Status(status), game, player, limit(request))
    page = reading.listed(request.services, wanted, cursors.position(request), request.now)
    names = names_of(request, [player for record in page.records for player in record.organizers])
    heads = [render.head(record, request.player, names, request.now) for record in page.records]
    return Answer(Items(heads, cursors.seal(request, page.next)), server_time=request.now)


@app.route("GET", "/v1/tournaments/{tournament}", token=False, answers={200: render.TournamentBody}, problems=READING)
def read(request: Request, tournament: str) -> Answer:
    """Read a tournament: its settings, where it stands, and your part in it."""
    return shown(request, readable(request, tournament))


class _Place(NamedTuple):
    """Where a page of a bracket begins."""

    stage: str
    round: int
    after: int


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/bracket",
    token=False,
    answers={200: tournament_bracket.BracketBody},
    query={
        "stage": "only this stage",
        "round": "only rounds of this number",
        "cursor": "the next_cursor of the page before",
    },
    problems=(*READING, Problem.INVALID_REQUEST),
)
def read_bracket(request: Request, tournament: str) -> Answer:
    """Read who meets whom, with results. Beyond 512 entrants it comes in pages, each of one round or a part of it."""
    record = readable(request, tournament)
    stage, wanted = params(request).get("stage"), number(request, "round", 1, MOST_ROUNDS)
    place = _place(cursors.position(request))
    if "as" in params(request):
        raise invalid(("as",), "no other form of the bracket is offered; leave it out")
    shapes = _chosen(reading.shapes(record), stage, wanted)
    if record.n <= WHOLE:
        rounds: Sequence[BracketRound] = reading.bracket(request.services, record, stage, wanted) if shapes else ()
        following = None
    else:
        rounds, following = _page(request, record, shapes, place)
    names = names_of(
        request, [p for shown_ in rounds for one in shown_.pairings for p in tournament_bracket.players(one)]
    )
    cursor = cursors.seal(request, None if following is None else "/".join(map(str, following)))
    return Answer(tournament_bracket.bracket(record, rounds, names, cursor), server_time=request.now)


def _place(position: str | None) -> _Place | None:
    if position is None:
        return None
    stage, number_, after = position.split("/")
    return _Place(stage, int(number_), int(after))


def _chosen(shapes: Sequence[Shape], stage: str | None, wanted: int | None) -> list[Shape]:
    """The rounds that are asked for. Raises `Rejected` (not-found) when a tournament that has started has none such."""
    chosen = [one for one in shapes if stage in (None, one.stage) and wanted in (None, one.round)]
    if not chosen and (shapes or stage is not None or wanted is not None):
        known = ", ".join(dict.fromkeys(one.stage for one in shapes)) or "none before the start"
        raise not_found(f"stage or round; the stages are: {known}")
    return chosen


def _page(
    request: Request, record: TournamentRecord, shapes: Sequence[Shape], place: _Place | None
) -> tuple[list[BracketRound], _Place | None]:
    """A part of one round, and where the next page begins."""
    index = 0 if place is None else [one[:2] for one in shapes].index(place[:2])
    after = 0 if place is None else place.after
    shape = shapes[index]
    (whole,) = reading.bracket(request.services, record, shape.stage, shape.round)
    part = tuple(islice((one for one in whole.pairings if one.pairing.key.place > after), WHOLE))
    if part and part[-1] != whole.pairings[-1]:
        following: _Place | None = _Place(shape.stage, shape.round, part[-1].pairing.key.place)
    else:
        rest = shapes[index + 1 :]
        following = _Place(rest[0].stage, rest[0].round, 0) if rest else None
    return [whole._replace(pairings=part)], following


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/standings",
    token=False,
    answers={200: tournament_standings.StandingsPage},
    query=cursors.PAGE,
    problems=READING,
)
def read_standings(request: Request, tournament: str) -> Answer:
    """Read the table as it is now, the best first: points, tie-breaks in the order applied, and which one decided."""
    record = readable(request, tournament)
    page = reading.standings(request.services, record, cursors.position(request), limit(request))
    names = names_of(request, [player for row in page.rows for player in tournament_standings.players(row)])
    return Answer(tournament_standings.page(page, names, cursors.seal(request, page.next)), server_time=request.now)


@app.route(
    "GET",
    "/v1/tournaments/{tournament}/audit",
    token=False,
    answers={200: Items[render.AuditBody]},
    query=cursors.PAGE,
    problems=READING,
)
def read_audit(request: Request, tournament: str) -> Answer:
    """Read what organizers did, the newest first: who, when, why, before and after."""
    record = readable(request, tournament)
    page = reading.audit(request.services, record, cursors.position(request), limit(request))
    names = names_of(request, [entry.player for entry in page.entries])
    items = [render.audit(entry, names) for entry in page.entries]
    return Answer(Items(items, cursors.seal(request, page.next)), server_time=request.now)
