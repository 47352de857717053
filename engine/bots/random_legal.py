"""Plays any legal action of any game, each with the same chance, and adds no optional part."""

from engine.deal import Stream
from engine.games.protocol import Legal
from engine.types import Action, Data


def choose(view: Data, legal: Legal, stream: Stream) -> Action:
    """A uniformly random legal action."""
    return legal.actions[stream.below(len(legal.actions))]
