"""Routes of table talk."""

from typing import Annotated

import msgspec

from functions.matches.common import READING, app, current_match, visible_match
from functions.shared.clock import rfc3339
from functions.shared.flows import talk
from functions.shared.http import cursors
from functions.shared.http.answer import Answer, Items
from functions.shared.http.keys import key_for
from functions.shared.http.request import Request, body, limit, require
from functions.shared.problems import Problem
from functions.shared.render.match import PlayerRef
from functions.shared.store.records import Message, Scope


class NewMessage(msgspec.Struct, forbid_unknown_fields=True):
    """What a player says: 1 to 500 characters."""

    text: Annotated[str, msgspec.Meta(max_length=2000)]


class MessageBody(msgspec.Struct):
    """What a player said."""

    id: str
    at: str
    player: PlayerRef
    text: str


def _shown(message: Message) -> MessageBody:
    return MessageBody(message.id, rfc3339(message.at), PlayerRef(message.player, message.name), message.text)


@app.route(
    "GET",
    "/v1/matches/{match}/messages",
    token=False,
    answers={200: Items[MessageBody]},
    query=cursors.PAGE,
    problems=READING,
)
def read_messages(request: Request, match: str) -> Answer:
    """Read the table talk, oldest first."""
    record = current_match(request, match)
    size = limit(request)
    found = talk.read(request.services, record, cursors.position(request), size + 1)
    cursor = cursors.seal(request, found[size - 1].id) if len(found) > size else None
    return Answer(Items([_shown(message) for message in found[:size]], cursor), server_time=request.now)


@app.route(
    "POST",
    "/v1/matches/{match}/messages",
    body=NewMessage,
    answers={201: MessageBody},
    problems=(Problem.FORBIDDEN, Problem.NOT_FOUND, Problem.KEY_REUSED, Problem.TRY_AGAIN),
)
def say(request: Request, match: str) -> Answer:
    """Say something at your table. It is no part of the game; rated matches have no talk."""
    record = visible_match(request, match)
    require(request, Scope.PLAY)
    talk.require_voice(record, request.caller.player)
    text = body(request, NewMessage).text
    key = key_for(request, {"text": text})
    message, replayed = talk.say(request.services, record, request.caller.player, text, key, request.now)
    return Answer(_shown(message), 201, replayed=replayed)
