"""Routes of players: /v1/players and /v1/me."""

from functions.players import own, people, tokens
from functions.players.common import app

ROUTES = (own, people, tokens)
"""The modules whose routes the application has."""

handler = app.handle
