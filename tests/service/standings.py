"""Players of given ratings, as if they had played for them."""

from functions.shared.store.ports import Services
from infra.client import Client
from tests.service.moments import services
from tests.service.playing import me


def rate(client: Client, game: str, points: int, played: int = 20) -> None:
    """Gives a player a rating in a game, and so many games won."""
    give(services(), me(client), game, points, played)


def give(store: Services, player: str, game: str, points: int, played: int = 20) -> None:
    """As `rate`, by the player's id."""
    before = store.ladder.ratings(game, [player])[player]
    standing = before.standing._replace(rating=1000 * points, won=played)
    store.ladder.change(before, before._replace(standing=standing))
