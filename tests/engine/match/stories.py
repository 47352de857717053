"""Random matches with their absences, resignations, overtaking requests and bots, for property tests.

A story with fewer steps is the beginning of the same story with more, so that a failure shrinks to its first step.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from engine import games
from engine.clock import Clock, Pause
from engine.match import play
from engine.match.advance import advance, next_due
from engine.match.play import Request
from engine.match.record import Match, Sitter, Status, all_options, rules, sitters
from engine.types import Action, EpochMs, Json, Seat
from tests.engine import adapters
from tests.engine.cases import Case, cases
from tests.engine.match import tables
from tests.engine.walks import with_some

CLOCKS = {
    "default-action": tables.MINUTE,
    "forfeit": tables.FORFEIT,
    "fischer": Clock("fischer", 60, "forfeit", increment=5, cap=90),
    "byo-yomi": Clock("byo-yomi", 20, "forfeit", periods=3, period_seconds=10),
    "none": Clock("none"),
}
PER_MOVE = ("default-action", "forfeit")
TIMED = (*PER_MOVE, "fischer", "byo-yomi")


class Story(NamedTuple):
    """A match to play, and everything that it depends on."""

    game: str
    seats: int
    given: tuple[tuple[str, Json], ...]
    clock: str
    bots: tuple[Seat, ...]
    seed: int
    steps: int


class Deed(NamedTuple):
    """What was done to a match: `wait` for what is due; `act`, `resign` or `forfeit` of a seat; `pause` or `resume` of
    clocks; or `nothing`, where no person can act yet. `after` is what that and the time until then have made of it."""

    what: str
    seat: Seat | None
    at: EpochMs
    before: Match
    after: Match


def stories(
    most: int = 60, only: tuple[str, ...] = games.IDS, bots: bool = True, clocks: tuple[str, ...] = TIMED
) -> st.SearchStrategy[Story]:
    """Stories of all games (or `only` some), with every kind of options, and bots at some of the tables."""
    every = [case for game in only for case in cases(game)]

    def tell(case: Case, clock: str, robots: set[Seat], seed: int, steps: int) -> Story:
        at = tuple(sorted(seat for seat in robots if seat < case.seats - 1)) if bots else ()
        return Story(case.game, case.seats, case.given, clock, at, seed, steps)

    few = st.sets(st.integers(0, 4), max_size=2)
    return st.builds(
        tell, st.sampled_from(every), st.sampled_from(clocks), few, st.integers(0, 2**32), st.integers(0, most)
    )


def beginning(story: Story) -> Match:
    """The story's match, as it starts. Half of the bots play at random."""
    names: list[Sitter] = []
    for seat in range(story.seats):
        style = "random" if (story.seed + seat) % 2 else "house"
        names.append(tables.robot(seat, style) if seat in story.bots else tables.person(seat))
    match = tables.seated(story.game, names, dict(story.given), CLOCKS[story.clock])
    return advance(match, tables.START)


def tell(story: Story) -> Iterator[Deed]:
    """The story's deeds; the match is brought up to the moment of each, before and after, as for a request. They end
    with the match."""
    rng, match, now, is_quiet = Random(story.seed), beginning(story), tables.START, False
    for _ in range(story.steps):
        if match.status is not Status.ACTIVE:
            return
        is_quiet = rng.random() < (0.6 if is_quiet else 0.08)
        now += rng.randrange(20_000)
        # One request in three was stamped before another one that got through first.
        at = now - rng.choice((0, 0, 5_000))
        if is_quiet:
            now = at = (next_due(match) or now) + rng.randrange(3)
        before = match if is_quiet else advance(match, at)
        what, seat, match = ("wait", None, before) if is_quiet else _do(before, at, rng)
        match = advance(match, at)
        yield Deed(what, seat, at, before, match)


def _do(match: Match, at: EpochMs, rng: Random) -> tuple[str, Seat | None, Match]:
    chance = rng.random()
    if match.status is not Status.ACTIVE:
        return "nothing", None, match
    stay = [seat for seat, sitter in enumerate(sitters(match)) if not sitter.left]
    if chance < 0.03:
        seat = rng.choice([seat for seat in stay if not sitters(match)[seat].bot])
        return "resign", seat, play.resign(match, Request(seat, at))
    if chance < 0.04:
        seat = rng.choice(stay)
        return "forfeit", seat, play.forfeit(match, seat, at)
    if chance < 0.06:
        pause = Pause(f"p{rng.randrange(3)}", rng.choice([None, *stay]), at, at + rng.randrange(60_000))
        return "pause", None, play.pause(match, pause, at)
    if chance < 0.07:
        return "resume", None, play.resume(match, f"p{rng.randrange(3)}", at)
    # A bot whose decision opened after the stamp of an overtaken request is not due yet.
    able = [seat for seat in play.awaited(match) if play.may_act(match, seat, at) and not sitters(match)[seat].bot]
    if not able:
        return "nothing", None, match
    seat = rng.choice(able)
    return "act", seat, play.act(match, Request(seat, at), match.turn, pick(match, seat, rng))


def pick(match: Match, seat: Seat, rng: Random) -> Action:
    """Something that a seat may do: each type of action alike, the first ones of it mostly, with optional parts."""
    actions = play.legal(match, seat).actions
    kind = rng.choice(sorted({action["type"] for action in actions}))
    of_kind = [action for action in actions if action["type"] == kind]
    action = of_kind[int(len(of_kind) * rng.random() ** 2)]
    return with_some(action, adapters.of(match.game).parts(match.state, seat, action), rng)


def moments(story: Story) -> Iterator[Match]:
    """The match at the start and after every deed."""
    yield beginning(story)
    for deed in tell(story):
        yield deed.after


def ending(story: Story) -> Match:
    """The match at the story's last step."""
    *_, last = moments(story)
    return last


def over(match: Match) -> Match:
    """The match once nobody comes any more: every deadline passes."""
    for _ in range(2 * rules(match).bound(all_options(match), len(match.seats)) + 1):
        due = next_due(match)
        if due is None:
            return match
        match = advance(match, due)
    raise AssertionError("the match goes on")
