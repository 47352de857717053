"""Routes under /v1/matches."""

from functions.matches import lobby, playing, proving, reading, table_talk
from functions.matches.common import app

ROUTES = (lobby, playing, proving, reading, table_talk)
"""The modules whose routes the application has."""

handler = app.handle
