"""Playthroughs as text: a record that people can read, and that replays to the same text.

`python tests/golden/playthrough.py` records those that are missing; delete a file to record it anew. A change of a
recorded one is a change of the rules.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from engine import bots, deal, games
from engine.games import options as game_options
from engine.games.options import Choice, Option
from engine.games.protocol import Event, Game
from engine.types import Action, Seat

FOLDER = Path(__file__).with_name("matches")
MATCH_ID = "golden"

Setup = dict[str, Any]


def setups() -> Iterator[tuple[str, Setup]]:
    """A name and a setup for each game, size of table, and option value other than the default, of a range its bounds
    and a value between them. By the newest rules: those by older ones are there from their time."""
    for game_id in games.IDS:
        game = games.find(game_id)
        assert game is not None
        name = game_id if game.RULES_VERSION == 1 else f"{game_id}@{game.RULES_VERSION}"
        for seats in range(game.SEATS[0], game.SEATS[1] + 1):
            yield f"{name}.{seats}-seats", _setup(game, seats, {})
        for option in game.OPTIONS:
            seats = min(game.SEATS[0] + 1, game.SEATS[1])  # a rebid takes three
            for value in _values(option, seats):
                if value != game_options.default(option, seats):
                    yield f"{name}.{option.name}={value}", _setup(game, seats, {option.name: value})
    for leftover in ("split", "showdown"):  # without earlier prayers there is something left over, void by default
        options = {"leftover": leftover, "prayer_from_round": 13}
        setup = {"game": "misfortune", "rules_version": 1, "seats": 2, "options": options}
        yield f"misfortune.leftover={leftover},prayer_from_round=13", setup


def _values(option: Option, seats: int) -> Sequence[Any]:
    if isinstance(option, Choice):
        return option.values
    high = option.high if isinstance(option.high, int) else option.high(seats)
    return range(option.low, high + 1) if high < option.low + 3 else sorted({option.low, option.low + 3, high})


def _setup(game: Game[Any], seats: int, options: Mapping[str, Any]) -> Setup:
    return {"game": game.ID, "rules_version": game.RULES_VERSION, "seats": seats, "options": dict(options)}


def best(setup: Setup) -> str:
    """The playthrough, among those of a few keys, in which most kinds of things happen."""
    told = [tell(keyed, record(keyed)) for keyed in ({**setup, "key": key} for key in range(60))]
    return max(told, key=lambda text: len(_kinds(text)))


def _kinds(text: str) -> set[str]:
    events = {line.split()[0] for line in text.splitlines() if line.startswith("  ")}
    return events | set(re.findall(r'"type": "([a-z]+)"', text))


def record(setup: Setup) -> list[Mapping[Seat, Action]]:
    """The choices of each decision, when house bots play, and now and then one of them anything."""
    game, options, chance = _table(setup)
    state, decisions = game.new(options, setup["seats"], chance), []
    while pending := game.pending(state):
        choices = {}
        for seat in pending:
            style = bots.RANDOM if (seat + len(decisions)) % 7 == 4 else bots.HOUSE
            stream = chance(f"bot/seat={seat}/turn={len(decisions) + 1}")
            choices[seat] = bots.choose(game.ID, style, game.view(state, seat), game.legal_actions(state, seat), stream)
        decisions.append(choices)
        state = games.apply(game, state, choices, chance).state
    return decisions


def tell(setup: Setup, decisions: list[Mapping[Seat, Action]]) -> str:
    """The playthrough of these choices. `> seat action` lines are the record, the others follow from it."""
    game, options, chance = _table(setup)
    state = game.new(options, setup["seats"], chance)
    lines = [
        f"setup {_json(setup)}",
        *(f"view {seat} {_json(game.view(state, seat))}" for seat in range(setup["seats"])),
    ]
    for number, choices in enumerate(decisions, 1):
        lines.append(f"\nturn {number} asks {list(game.pending(state))}")
        lines += [f"> {seat} {_json(action)}" for seat, action in choices.items()]
        state, events = games.apply(game, state, choices, chance)
        lines += [f"  {_event(event)}" for event in events[len(choices) :]]
        lines.append(f"  standing {_json(game.standing(state))}")
    lines += ["", "over" if not game.pending(state) else "goes on", f"view spectator {_json(game.view(state, None))}"]
    return "\n".join(lines) + "\n"


def read(text: str) -> tuple[Setup, list[Mapping[Seat, Action]]]:
    """Setup and choices of a playthrough."""
    decisions: list[Mapping[Seat, Action]] = []
    setup: Setup = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "setup":
            setup = json.loads(rest)
        elif kind == "turn":
            decisions.append({})
        elif kind == ">":
            seat, _, action = rest.partition(" ")
            decisions[-1] = {**decisions[-1], int(seat): json.loads(action)}
    return setup, decisions


def _table(setup: Setup) -> tuple[Game[Any], Mapping[str, Any], deal.Chance]:
    game = games.find(setup["game"], setup["rules_version"])
    assert game is not None
    options = game_options.complete(game.OPTIONS, setup["options"], setup["seats"])
    rules = deal.ruleset(game.ID, setup["rules_version"], setup["options"])
    key = setup["key"].to_bytes(32, "big")
    return game, options, deal.chance(key, MATCH_ID, rules, [b""] * setup["seats"])


def _event(event: Event) -> str:
    parts = [event.type, "-" if event.seat is None else str(event.seat), _json(event.data)]
    parts += [f"to {list(event.to)} {_json(event.secret)}"] if event.secret else []
    parts += [f"brief {_json(event.brief)}"] if event.brief else []
    return " ".join(parts)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(", ", ": "), ensure_ascii=False)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, wanted in setups():
        path = FOLDER / f"{name}.txt"
        if not path.exists():
            path.write_text(best(wanted), encoding="utf-8")
