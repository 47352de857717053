"""A pairing from its sides to its result: what each event makes of it, and what is to be done for it."""

from engine.tournament import series
from engine.tournament.format import Format
from engine.tournament.protocol import (
    Act,
    Deadline,
    Ended,
    Event,
    Facts,
    Game,
    Nobody,
    Order,
    Pairing,
    Reason,
    Result,
    Ruled,
    Settings,
    Side,
    Started,
    Status,
    Stopped,
    Withdrawn,
)
from engine.tournament.series import is_out, running


def is_known(side: Side) -> bool:
    """Whether it is known who comes to a side, or that nobody does."""
    return bool(side.player or side.nobody)


def is_open(pairing: Pairing) -> bool:
    """Whether all sides are known and the result is not."""
    return pairing.status in (Status.READY, Status.PLAYING)


def is_done(pairing: Pairing) -> bool:
    """Whether nothing is to come of a pairing, short of a ruling: it is settled, or nobody plays it."""
    return pairing.status in (Status.SETTLED, Status.VOID)


def arranged(rules: Format, settings: Settings, pairing: Pairing) -> Pairing:
    """A pairing of two sides that has no result and no running game, with what follows from its sides: it waits, gets
    its first game, or is settled because one side or both are missing."""
    if not all(map(is_known, pairing.sides)):
        return pairing._replace(status=Status.WAITING)
    missing = [is_out(side) or not side.player for side in pairing.sides]
    if not any(missing):
        best_of = settings.best_of
        return series.next_game(rules, pairing._replace(status=Status.READY, best_of=best_of))
    nobody = [side.nobody for side in pairing.sides]
    if not any(side.player for side in pairing.sides):
        # The reason shows why: by the draw, or because those who were to come are out.
        reason = Reason.BYE if nobody == [Nobody.BYE, Nobody.BYE] else Reason.DOUBLE_FORFEIT
        return _settled(pairing, series.result(pairing, reason, series.NOBODY_WON))._replace(status=Status.VOID)
    reason = Reason.BYE if Nobody.BYE in nobody else Reason.WALKOVER
    return _settled(pairing, series.forfeit(pairing, missing, reason))


def reset(pairing: Pairing) -> Pairing:
    """The pairing without its result and with all its games void."""
    games = tuple(game if game.void else game._replace(void=True) for game in pairing.games)
    return pairing._replace(games=games, result=None, status=Status.WAITING)


def voided(pairing: Pairing) -> Pairing:
    """The pairing, undone by a ruling together with its round."""
    return reset(pairing)._replace(status=Status.VOID)


def seated(rules: Format, settings: Settings, pairing: Pairing, index: int, side: Side) -> Pairing:
    """The pairing with a side as a pairing before it says. Who comes anew finds it without games."""
    old = pairing.sides[index]
    if (old.player, old.nobody, old.out) == (side.player, side.nobody, side.out):
        return pairing
    sides = (*pairing.sides[:index], side, *pairing.sides[index + 1 :])
    return arranged(rules, settings, reset(pairing._replace(sides=sides)))


def after(rules: Format, settings: Settings, pairing: Pairing, event: Event) -> Pairing:
    """The pairing after an event; as it is when the event has happened to it before, or comes too late.

    Raises `LookupError` for a game that it never had.
    """
    match event:
        case Started(number):
            return _started(pairing, number)
        case Stopped(number):
            game = _game(pairing, number)
            return _with(pairing, game._replace(stopped=True)) if game.void else pairing
        case Ended(number, facts):
            game = _game(pairing, number)
            return _ended(rules, settings, pairing, game, facts, late=False)
        case Deadline(number, facts):
            return _overdue(rules, settings, pairing, number, facts)
        case Withdrawn(player):
            return _withdrawn(rules, settings, pairing, player)
        case Ruled(ranks):
            return _ruled(rules, pairing, ranks)


def orders(pairing: Pairing) -> tuple[Order, ...]:
    """What is to be done for a pairing as it is stored. To do it again does no harm."""
    found = []
    for game in pairing.games:
        if game.void:
            if not game.stopped:
                found.append(Order(Act.ABORT, pairing.key, game.number))
        elif game.end is None and is_open(pairing):
            sides = [pairing.sides[index] for index in game.seats]
            if not game.started:
                found.append(Order(Act.START, pairing.key, game.number, tuple(side.player for side in sides)))
            found += [
                Order(Act.FORFEIT, pairing.key, game.number, (s.player,)) for s in sides if is_out(s) and game.started
            ]
    return tuple(found)


def _game(pairing: Pairing, number: int) -> Game:
    if not 1 <= number <= len(pairing.games):
        raise LookupError(f"{pairing.key} has no game {number}")
    return pairing.games[number - 1]


def _with(pairing: Pairing, game: Game) -> Pairing:
    games = (*pairing.games[: game.number - 1], game, *pairing.games[game.number :])
    return pairing._replace(games=games)


def _settled(pairing: Pairing, result: Result) -> Pairing:
    """The pairing with its result; a game that has not ended counts no more."""
    games = tuple(game if game.end or game.void else game._replace(void=True) for game in pairing.games)
    return pairing._replace(status=Status.SETTLED, result=result, games=games)


def _started(pairing: Pairing, number: int) -> Pairing:
    game = _game(pairing, number)
    if game.started:
        return pairing
    # Created after it was called off: there is a match to abort again.
    changed = _with(pairing, game._replace(started=True, stopped=False))
    return changed if game.void else changed._replace(status=Status.PLAYING)


def _ended(rules: Format, settings: Settings, pairing: Pairing, game: Game, facts: Facts, late: bool) -> Pairing:
    if game.void or game.end or not is_open(pairing):
        return pairing
    if not facts.ranks and not any(facts.left):
        # Aborted from outside, by nobody's fault: another one is played.
        seats = game.seats
        changed = _with(pairing, game._replace(void=True, started=True, stopped=True))
        return _decide(rules, settings, changed, late) if late else series.with_game(changed, seats)
    end = series.by_side(game, facts._replace(reason=Reason.DEADLINE) if late else facts)
    changed = _with(pairing, game._replace(end=end, started=True))._replace(status=Status.PLAYING)
    return _decide(rules, settings, changed, late)


def _decide(rules: Format, settings: Settings, pairing: Pairing, late: bool) -> Pairing:
    result = series.decided(rules, settings, pairing, late)
    return series.next_game(rules, pairing) if result is None else _settled(pairing, result)


def _overdue(rules: Format, settings: Settings, pairing: Pairing, number: int, facts: Facts | None) -> Pairing:
    game = running(pairing)
    if not is_open(pairing):
        return pairing
    if game is not None and game.started:
        # The match that runs is not the one that the caller has looked at: it has to look again.
        if facts is None or number != game.number:
            return pairing
        return _ended(rules, settings, pairing, game, facts, late=True)
    return _decide(rules, settings, pairing, late=True)


def _withdrawn(rules: Format, settings: Settings, pairing: Pairing, player: str) -> Pairing:
    index = next((i for i, side in enumerate(pairing.sides) if side.player == player), None)
    if index is None or pairing.result is not None or pairing.status is Status.VOID or pairing.sides[index].withdrew:
        return pairing
    side = pairing.sides[index]._replace(withdrew=True)
    changed = pairing._replace(sides=(*pairing.sides[:index], side, *pairing.sides[index + 1 :]))
    return _left(rules, settings, changed)


def _left(rules: Format, settings: Settings, pairing: Pairing) -> Pairing:
    """A pairing of which a side has just gone out: what runs is forfeited there, by an order; what does not, here."""
    game = running(pairing)
    if rules.TABLES or not is_open(pairing) or (game is not None and game.started):
        return pairing
    has_begun = any(game.end for game in series.live(pairing))
    reason = Reason.FORFEIT if has_begun else Reason.WALKOVER
    return _settled(pairing, series.forfeit(pairing, [is_out(side) for side in pairing.sides], reason))


def _ruled(rules: Format, pairing: Pairing, ranks: tuple[int, ...]) -> Pairing:
    # Who is out by how it was played stays so, unless the ruling lifts them above somebody.
    absent = series.absent(rules, pairing)
    out = [was and 1 < rank == max(ranks) for was, rank in zip(absent, ranks, strict=True)]
    if rules.TABLES:
        return _settled(pairing, series.table_result(pairing, Reason.RULING, ranks, out))
    if ranks == series.NOBODY_WON:
        out = [True, True]
    return _settled(pairing, series.result(pairing, Reason.RULING, ranks, out))
