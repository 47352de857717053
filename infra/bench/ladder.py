"""How well the ladder's ratings foretell results, beside `openskill` and `trueskill`: `make bench-ladder`.

Pairs of players at a table are predicted before it is played; what is printed is over the last 60 % of the tables:
log-loss (nats, lower is better), accuracy, and calibration, the mean distance between what was foretold and what
happened over ten bins of predictions.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import combinations
from typing import NamedTuple

from infra.bench.ladder_streams import STREAMS, Order, Stream, orders
from infra.bench.ladder_systems import DEFAULTS, GRID, OWN, Candidate, System

MEASURED = 0.6
BINS = 10
_LEAST = 1e-9

TO_BEST = {"A": 0.01, "B": 0.004}
"""How far the log-loss may be behind that of the best library tuned (ladder.md, "Quality")."""

AHEAD_OF = {"A": ("openskill",), "B": ("openskill", "trueskill")}
"""The libraries that it has to be ahead of, when these are at their defaults."""


class Score(NamedTuple):
    """How well a system foretold a stream."""

    log_loss: float
    accuracy: float
    calibration: float


class Row(NamedTuple):
    """A system at one setting, and its score."""

    candidate: Candidate
    score: Score


def predictions(system: System, tables: Sequence[Order]) -> Iterable[float]:
    """Plays a stream: for each pair of a measured table, what was given to the one who came out ahead."""
    unmeasured = round(len(tables) * (1 - MEASURED))
    for number, order in enumerate(tables):
        if number >= unmeasured:
            yield from (system.predict(ahead, behind) for ahead, behind in combinations(order, 2))
        system.learn(order)


def score(given: Iterable[float]) -> Score:
    """The figures for what was given to each pair's winner; there is at least one pair."""
    loss = right = 0.0
    bins: list[list[float]] = [[0.0, 0.0, 0.0] for _ in range(BINS)]
    pairs = 0
    for p in given:
        pairs += 1
        loss -= math.log(max(p, _LEAST))
        right += 1.0 if p > 0.5 else 0.5 if p == 0.5 else 0.0
        # A pair counts from both of its sides, so the order of the two plays no part.
        for chance, won in ((p, 1.0), (1 - p, 0.0)):
            row = bins[min(int(chance * BINS), BINS - 1)]
            row[0] += chance
            row[1] += won
            row[2] += 1
    distance = sum(abs(foretold - happened) for foretold, happened, _ in bins)
    return Score(loss / pairs, right / pairs, distance / (2 * pairs))


def measure(candidate: Candidate, tables: Sequence[Order]) -> Row:
    """A system at one setting over a stream."""
    return Row(candidate, score(predictions(candidate.make(), tables)))


def best(rows: Iterable[Row]) -> Row:
    """The row with the least log-loss."""
    return min(rows, key=lambda row: row.score.log_loss)


def report(stream: Stream) -> list[str]:
    """The lines about one stream: a row a system, then what is asked of ours."""
    tables = list(orders(stream))
    own, *defaults = (measure(candidate, tables) for candidate in (OWN, *DEFAULTS))
    grid = [measure(candidate, tables) for candidate in GRID]
    tuned = [best(row for row in grid if row.candidate.name == library.candidate.name) for library in defaults]
    head = (
        f"Stream {stream.name}: seed {stream.seed}, {stream.players} players, {stream.tables} tables of 2–6, "
        f"strengths N(1500, {stream.strength_sd:g})"
    )
    names = f"{'system':<11}{'setting':<40}{'log-loss':>9}{'accuracy':>10}{'calibration':>13}"
    return [head, names, *(_line(row) for row in (own, *defaults, *tuned)), *_goals(stream.name, own, defaults, tuned)]


def _line(row: Row) -> str:
    figures = f"{row.score.log_loss:>9.4f}{row.score.accuracy:>10.4f}{row.score.calibration:>13.4f}"
    return f"{row.candidate.name:<11}{row.candidate.setting:<40}{figures}"


def _goals(stream: str, own: Row, defaults: Sequence[Row], tuned: Sequence[Row]) -> list[str]:
    behind = own.score.log_loss - best(tuned).score.log_loss
    limit = TO_BEST[stream]
    lines = [f"{_met(behind <= limit)}: behind the best tuned by {behind:.4f}, goal at most {limit}"]
    for row in defaults:
        ahead = row.score.log_loss - own.score.log_loss
        if row.candidate.name in AHEAD_OF[stream]:
            lines.append(
                f"{_met(ahead > 0)}: ahead of {row.candidate.name} at its defaults by {ahead:.4f}, goal above 0"
            )
    return lines


def _met(is_met: bool) -> str:
    return "met" if is_met else "NOT MET"


def main() -> None:
    """Prints the figures of all streams."""
    versions = ", ".join(f"{library} {version(library)}" for library in ("openskill", "trueskill"))
    sys.stdout.write(f"{versions}; beta and tau in units of the first sigma\n")
    for stream in STREAMS:
        sys.stdout.write("\n" + "\n".join(report(stream)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
