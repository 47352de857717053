"""Routes under /v1/tournaments."""

from functions.tournaments import entering, exporting, following, organizing, ruling
from functions.tournaments.common import app

ROUTES = (organizing, entering, following, ruling, exporting)
"""The modules whose routes the application has."""

handler = app.handle
