"""Routes under /v1/games."""

from typing import Any

import msgspec

from engine import clock, games
from engine.games import options
from engine.games.protocol import Game
from functions.shared.http.answer import Answer, Items
from functions.shared.http.app import App
from functions.shared.http.request import Request
from functions.shared.problems import Problem, not_found

app = App()
handler = app.handle


class GameBody(msgspec.Struct):
    """A game: the tables that it can have, its options as a JSON Schema, and its rules as Markdown."""

    id: str
    title: str
    summary: str
    seats: dict[str, int]
    options: dict[str, Any]
    default_clock: dict[str, Any]
    rules_version: int
    rules: str


def _shown(game: Game[Any]) -> GameBody:
    low, high = game.SEATS
    return GameBody(
        game.ID,
        game.TITLE,
        game.SUMMARY,
        {"min": low, "max": high},
        options.schema(game.OPTIONS, game.SEATS),
        clock.describe(clock.per_move(game.MOVE_SECONDS)),
        game.RULES_VERSION,
        game.RULES,
    )


@app.route("GET", "/v1/games", token=False, answers={200: Items[GameBody]})
def list_games(request: Request) -> Answer:
    """List the games."""
    found = (games.find(game_id) for game_id in games.IDS)
    return Answer(Items([_shown(game) for game in found if game is not None], None))


@app.route("GET", "/v1/games/{game}", token=False, answers={200: GameBody}, problems=(Problem.NOT_FOUND,))
def read_game(request: Request, game: str) -> Answer:
    """Read one game: seats, options, rules."""
    found = games.find(game)
    if found is None:
        raise not_found("game; GET /v1/games lists them")
    return Answer(_shown(found))
