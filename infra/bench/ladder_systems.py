"""Rating systems behind one face: what they expect of a pair, and what they learn from a table."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from importlib import import_module
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol, TypeAlias

from engine.ladder.elo import START, WIN, Entrant, changes, expected, shown
from infra.bench.ladder_streams import Order


class System(Protocol):
    """One rating system with the ratings of a ladder in it."""

    def predict(self, one: int, other: int) -> float:
        """The probability that player `one` finishes before `other`, before the table is played."""

    def learn(self, order: Order) -> None:
        """Takes in a result."""


Maker: TypeAlias = Callable[[], System]


class Candidate(NamedTuple):
    """A system at one setting."""

    name: str
    setting: str
    make: Maker


class Elo:
    """The ladder's own: `elo/1`, nothing to set."""

    def __init__(self) -> None:
        self._ratings: defaultdict[int, tuple[int, int]] = defaultdict(lambda: (START, 0))

    def predict(self, one: int, other: int) -> float:
        """By the table of expectations."""
        return expected(shown(self._ratings[one][0] - self._ratings[other][0])) / WIN

    def learn(self, order: Order) -> None:
        """By `engine.ladder`, as a match would be rated."""
        table = [Entrant(f"{player:06}", *self._ratings[player], rank) for rank, player in enumerate(order, 1)]
        for player, change in zip(order, changes(table), strict=True):
            self._ratings[player] = (change.after, self._ratings[player][1] + 1)


class OpenSkill:
    """`openskill`, by default with Plackett–Luce, the model that its documentation begins with."""

    def __init__(self, model: str = "PlackettLuce", **settings: float) -> None:
        # Imported when it is asked for: it is in an environment of its own, and the rest of this works without it.
        self._model: Any = getattr(import_module("openskill.models"), model)(**settings)
        self._ratings: defaultdict[int, Any] = defaultdict(self._model.rating)

    def predict(self, one: int, other: int) -> float:
        """By the library's own prediction."""
        return float(self._model.predict_win([[self._ratings[one]], [self._ratings[other]]])[0])

    def learn(self, order: Order) -> None:
        """By the library."""
        after = self._model.rate([[self._ratings[player]] for player in order])
        for player, (rating,) in zip(order, after, strict=True):
            self._ratings[player] = rating


class TrueSkill:
    """`trueskill`. It has no prediction of its own; this is the one that its documentation gives."""

    def __init__(self, **settings: float) -> None:
        self._environment: Any = import_module("trueskill").TrueSkill(**settings)
        self._ratings: defaultdict[int, Any] = defaultdict(self._environment.create_rating)

    def predict(self, one: int, other: int) -> float:
        """The probability that the difference of two performances is positive."""
        a, b = self._ratings[one], self._ratings[other]
        variance = 2 * self._environment.beta**2 + a.sigma**2 + b.sigma**2
        return NormalDist().cdf((a.mu - b.mu) / variance**0.5)

    def learn(self, order: Order) -> None:
        """By the library."""
        after = self._environment.rate([(self._ratings[player],) for player in order])
        for player, (rating,) in zip(order, after, strict=True):
            self._ratings[player] = rating


OWN = Candidate("elo/1", "defaults", Elo)
DEFAULTS = (Candidate("openskill", "defaults", OpenSkill), Candidate("trueskill", "defaults", TrueSkill))

_SIGMA = 25 / 3
"""What both libraries begin with; only the proportion of the other parameters to it matters."""


def _openskill(model: str, beta: float, tau: float) -> Candidate:
    make = partial(OpenSkill, model, beta=beta * _SIGMA, tau=tau * _SIGMA)
    return Candidate("openskill", f"{model} beta {beta:g} tau {tau:g}", make)


def _trueskill(beta: float, tau: float) -> Candidate:
    make = partial(TrueSkill, beta=beta * _SIGMA, tau=tau * _SIGMA, draw_probability=0.0)
    return Candidate("trueskill", f"no draws, beta {beta:g} tau {tau:g}", make)


GRID = (
    _openskill("PlackettLuce", 2.0, 0.01),
    *(_openskill("ThurstoneMostellerFull", beta, 0.01) for beta in (1.5, 2.0, 3.0)),
    *(_trueskill(beta, 0.02) for beta in (0.8, 1.0, 1.5)),
    *(_trueskill(beta, 0.04) for beta in (0.8, 1.5)),
)
"""Where each library's best setting is looked for, on each stream for itself; beta and tau in units of the first sigma.

The models and the range were found by a wider search; tau matters little.
"""
